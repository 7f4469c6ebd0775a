"""Patrons: registered with a wallet and an access code, excluded, limited. Pure."""

from dataclasses import dataclass
from typing import Any

from services.wagering_accounts.access_codes import HashedCode
from services.wagering_accounts.books import Books, Fact, Limit, Patron
from services.wagering_accounts.changes import change
from services.wagering_accounts.decisions import Circumstances, Decision, Declined, Needs
from shared.contracts.accounts import LimitKind


def patron_document(patron: Patron, now: Circumstances) -> dict[str, Any]:
    """A patron as it is answered; never the code."""
    locked = patron.locked_until if patron.is_locked(now.at) else None
    return {
        "property": patron.property_name,
        "patron": patron.patron,
        "wallet": patron.wallet,
        "excluded_at": patron.excluded_at,
        "locked_until": locked,
        "limits": {kind: limit.as_document(now.at) for kind, limit in sorted(patron.limits.items())},
    }


def wrong_code(patron: Patron, given: HashedCode | None, books: Books, now: Circumstances) -> Decision | None:
    """What a wrong access code leads to: counted, and after too many the code is locked; None where it is right.

    Raises: Declined where the code is locked, or none was given.
    """
    if patron.locked_until is not None and patron.is_locked(now.at):
        raise Declined(
            423,
            f"the access code of patron {patron.patron} is locked until {patron.locked_until.isoformat()}",
        )
    if given is None:
        raise Declined(403, f"the access code of patron {patron.patron} is needed")
    if given.salt != patron.code.salt:
        raise Declined(409, f"the access code of patron {patron.patron} was changed meanwhile; send a new key")
    if given.matches(patron.code):
        return None
    detail = f"the access code of patron {patron.patron} is wrong"
    failed, locked_until = patron.failed_codes + 1, None
    if failed >= now.configuration.failed_codes_max:
        locked_until = (now.at + now.configuration.lock).isoformat()
        detail += f"; it is locked until {locked_until}"
    data = {
        "property": patron.property_name,
        "patron": patron.patron,
        "failed": failed,
        "locked_until": locked_until,
        "by": now.person,
    }
    fact = Fact("access.failed", data, patron.property_name, now.gaming_day)
    change(books, fact, now.at)
    return Decision(403, {"detail": detail}, fact, problem=True)


def _patron_of(books: Books, property_name: str, patron: str) -> Patron:
    found = books.patrons.get((property_name, patron))
    if found is None:
        raise Declined(404, f"there is no patron {patron} at {property_name}")
    return found


@dataclass(frozen=True, slots=True)
class Register:
    """Registers a patron with a wallet: one a person."""

    property_name: str
    patron: str
    wallet: str
    code: HashedCode
    code_fingerprint: str

    @property
    def name(self) -> str:
        return f"register patron {self.property_name}/{self.patron}"

    def content(self) -> Any:
        return {"wallet": self.wallet, "code": self.code_fingerprint}

    def needs(self) -> Needs:
        return Needs(accounts=((self.property_name, self.wallet),), patrons=((self.property_name, self.patron),))

    def decide(self, books: Books, now: Circumstances) -> Decision:
        if (self.property_name, self.patron) in books.patrons:
            raise Declined(409, f"patron {self.patron} is registered already: one wallet a person")
        if (self.property_name, self.wallet) in books.accounts:
            raise Declined(409, f"account {self.wallet} exists already")
        data = {"property": self.property_name, "patron": self.patron, "wallet": self.wallet, "by": now.person}
        wallet = (self.property_name, self.wallet)
        fact = Fact("patron.registered", data, self.property_name, now.gaming_day, wallet, code=self.code)
        change(books, fact, now.at)
        patron = books.patrons[self.property_name, self.patron]
        return Decision(201, patron_document(patron, now), fact, f"/patrons/{self.property_name}/{self.patron}")


@dataclass(frozen=True, slots=True)
class ChangeCode:
    """Gives a patron a new access code, and unlocks it."""

    property_name: str
    patron: str
    code: HashedCode
    code_fingerprint: str
    reason: str

    @property
    def name(self) -> str:
        return f"change the access code of {self.property_name}/{self.patron}"

    def content(self) -> Any:
        return {"reason": self.reason, "code": self.code_fingerprint}

    def needs(self) -> Needs:
        return Needs(patrons=((self.property_name, self.patron),))

    def decide(self, books: Books, now: Circumstances) -> Decision:
        patron = _patron_of(books, self.property_name, self.patron)
        data = {"property": self.property_name, "patron": self.patron, "reason": self.reason, "by": now.person}
        fact = Fact("patron.code_changed", data, self.property_name, now.gaming_day, code=self.code)
        change(books, fact, now.at)
        return Decision(200, patron_document(patron, now), fact)


@dataclass(frozen=True, slots=True)
class SetExclusion:
    """Excludes a patron, who is then only paid out; or admits the patron again."""

    property_name: str
    patron: str
    excluded: bool
    reason: str

    @property
    def name(self) -> str:
        return f"exclude or admit {self.property_name}/{self.patron}"

    def content(self) -> Any:
        return {"excluded": self.excluded, "reason": self.reason}

    def needs(self) -> Needs:
        return Needs(patrons=((self.property_name, self.patron),))

    def decide(self, books: Books, now: Circumstances) -> Decision:
        patron = _patron_of(books, self.property_name, self.patron)
        if self.excluded == (patron.excluded_at is not None):
            raise Declined(409, f"patron {self.patron} is {'excluded' if self.excluded else 'not excluded'} already")
        kind = "patron.excluded" if self.excluded else "patron.admitted"
        data = {"property": self.property_name, "patron": self.patron, "reason": self.reason, "by": now.person}
        fact = Fact(kind, data, self.property_name, now.gaming_day)
        change(books, fact, now.at)
        return Decision(200, patron_document(patron, now), fact)


@dataclass(frozen=True, slots=True)
class SetLimit:
    """Sets a patron's limit: a tighter one holds at once, a looser one (None: none at all) after a day."""

    property_name: str
    patron: str
    limit: LimitKind
    cents: int | None

    @property
    def name(self) -> str:
        return f"set limit {self.limit} of {self.property_name}/{self.patron}"

    def content(self) -> Any:
        return {"cents": self.cents}

    def needs(self) -> Needs:
        return Needs(patrons=((self.property_name, self.patron),))

    def decide(self, books: Books, now: Circumstances) -> Decision:
        patron = _patron_of(books, self.property_name, self.patron)
        later = now.at + now.configuration.loosening
        changed = patron.limits.get(self.limit, Limit()).changed(self.cents, now.at, later)
        data = {
            "property": self.property_name,
            "patron": self.patron,
            "limit": self.limit,
            "cents": self.cents,
            "effective_from": (now.at if changed.next_at is None else changed.next_at).isoformat(),
            "by": now.person,
        }
        fact = Fact("patron.limit_changed", data, self.property_name, now.gaming_day)
        change(books, fact, now.at)
        return Decision(200, patron_document(patron, now), fact)
