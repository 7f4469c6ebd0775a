"""Accounts: opened, bought in, cashed out, adjusted by two people. Pure."""

from dataclasses import dataclass
from typing import Any

from services.wagering_accounts.access_codes import HashedCode
from services.wagering_accounts.books import Account, Adjustment, Books, Fact, Movement, Patron
from services.wagering_accounts.changes import change
from services.wagering_accounts.decisions import (
    Circumstances,
    Decision,
    Declined,
    Needs,
    account_of,
    document,
    recorded,
    require_admitted,
    require_open,
)
from services.wagering_accounts.patron_commands import wrong_code
from shared.contracts.accounts import Instrument
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting


@dataclass(frozen=True, slots=True)
class Open:
    """Opens a game account for a session at a table; for a patron, or for nobody by name."""

    property_name: str
    account: str
    table: str
    patron: str | None

    @property
    def name(self) -> str:
        return f"open account {self.property_name}/{self.account}"

    def content(self) -> Any:
        return {"table": self.table, "patron": self.patron}

    def needs(self) -> Needs:
        patrons = () if self.patron is None else ((self.property_name, self.patron),)
        return Needs(accounts=((self.property_name, self.account),), patrons=patrons)

    def decide(self, books: Books, now: Circumstances) -> Decision:
        if (self.property_name, self.account) in books.accounts:
            raise Declined(409, f"account {self.account} exists already")
        if self.patron is not None:
            patron = books.patrons.get((self.property_name, self.patron))
            if patron is None:
                raise Declined(404, f"there is no patron {self.patron} at {self.property_name}")
            require_admitted(patron)
        data = {"property": self.property_name, "account": self.account, "table": self.table, "by": now.person}
        if self.patron is not None:
            data["patron"] = self.patron
        key = (self.property_name, self.account)
        fact = Fact("account.opened", data, self.property_name, now.gaming_day, key)
        change(books, fact, now.at)
        return Decision(201, document(books.accounts[key]), fact, f"/accounts/{self.property_name}/{self.account}")


@dataclass(frozen=True, slots=True)
class BuyIn:
    """Brings money to an account: cash, chips, a voucher, or what the patron's wallet has (with the access code)."""

    property_name: str
    account: str
    instrument: Instrument
    cents: int
    reference: str | None = None
    code: HashedCode | None = None
    code_fingerprint: str | None = None

    @property
    def name(self) -> str:
        return f"buy in at {self.property_name}/{self.account}"

    def content(self) -> Any:
        return {"instrument": self.instrument, "cents": self.cents} | {
            "reference": self.reference,
            "code": self.code_fingerprint,
        }

    def needs(self) -> Needs:
        key = (self.property_name, self.account)
        wallet = (key,) if self.instrument == "wallet" else ()
        return Needs(accounts=(key,), wallets_of=wallet, patrons_of=(key,))

    def decide(self, books: Books, now: Circumstances) -> Decision:
        account = require_open(account_of(books, (self.property_name, self.account)))
        patron = books.patron_of(account)
        require_admitted(patron)
        if patron is not None and account.kind == "game":
            self._require_within_limit(patron, now)
        movements = [Movement(account.key, available=self.cents)]
        others: tuple[Posting, ...] = ()
        if self.instrument == "wallet":
            wallet = _wallet_of(books, account, patron)
            assert patron is not None
            failure = wrong_code(patron, self.code, books, now)
            if failure is not None:
                return failure
            if self.cents > wallet.available:
                raise Declined(409, f"{self.cents} exceeds the {wallet.available} cents in the wallet")
            movements.append(Movement(wallet.key, available=-self.cents))
        else:
            others = (Posting(Leg(self.property_name, account.table, "", self.instrument), self.cents),)
        data = {
            "property": self.property_name,
            "account": self.account,
            "instrument": self.instrument,
            "cents": self.cents,
            "by": now.person,
            "movements": recorded(movements, books),
        }
        if self.reference is not None:
            data["reference"] = self.reference
        fact = Fact("account.bought_in", data, self.property_name, now.gaming_day, account.key, movements, others)
        change(books, fact, now.at)
        return Decision(200, document(account), fact)

    def _require_within_limit(self, patron: Patron, now: Circumstances) -> None:
        limit = patron.limit("buy_in_day", now.at)
        before = patron.bought_in_during(now.gaming_day)
        if limit is not None and before + self.cents > limit:
            raise Declined(
                409,
                f"{self.cents} after {before} on {now.gaming_day} exceeds the patron's limit of {limit} a gaming day",
            )


@dataclass(frozen=True, slots=True)
class CashOut:
    """Pays out of an account, all that is available or a part; may close a game account.

    Out of a wallet with the patron's access code; an excluded patron is paid out without it.
    """

    property_name: str
    account: str
    instrument: Instrument
    cents: int | None
    close: bool = False
    reference: str | None = None
    code: HashedCode | None = None
    code_fingerprint: str | None = None

    @property
    def name(self) -> str:
        return f"cash out of {self.property_name}/{self.account}"

    def content(self) -> Any:
        return {"instrument": self.instrument, "cents": self.cents, "close": self.close} | {
            "reference": self.reference,
            "code": self.code_fingerprint,
        }

    def needs(self) -> Needs:
        key = (self.property_name, self.account)
        wallet = (key,) if self.instrument == "wallet" else ()
        return Needs(accounts=(key,), wallets_of=wallet, patrons_of=(key,))

    def decide(self, books: Books, now: Circumstances) -> Decision:
        account = account_of(books, (self.property_name, self.account))
        patron = books.patron_of(account)
        if account.kind == "wallet":
            assert patron is not None, "a wallet has a patron"
            if patron.excluded_at is None:
                failure = wrong_code(patron, self.code, books, now)
                if failure is not None:
                    return failure
        cents = account.available if self.cents is None else self.cents
        if cents > account.available:
            raise Declined(409, f"{cents} exceeds the {account.available} cents that are available")
        if cents == 0 and not self.close:
            raise Declined(409, f"nothing is available in account {self.account}")
        if self.close:
            self._require_closable(account, cents)
        movements = [Movement(account.key, available=-cents)] if cents else []
        others: tuple[Posting, ...] = ()
        if self.instrument == "wallet":
            wallet = _wallet_of(books, account, patron)
            if cents:
                movements.append(Movement(wallet.key, available=cents))
        else:
            others = (Posting(Leg(self.property_name, account.table, "", self.instrument), -cents),)
        data = {
            "property": self.property_name,
            "account": self.account,
            "instrument": self.instrument,
            "cents": cents,
            "closed": self.close,
            "by": now.person,
            "movements": recorded(movements, books),
        }
        if self.reference is not None:
            data["reference"] = self.reference
        fact = Fact("account.cashed_out", data, self.property_name, now.gaming_day, account.key, movements, others)
        change(books, fact, now.at)
        return Decision(200, document(account), fact)

    def _require_closable(self, account: Account, cents: int) -> None:
        if account.kind == "wallet":
            raise Declined(409, f"account {self.account} is a wallet: only game accounts are closed")
        left = account.available + account.held + account.staked - cents
        if left:
            raise Declined(409, f"account {self.account} would keep {left} cents: it cannot be closed yet")
        require_open(account)


def _wallet_of(books: Books, account: Account, patron: Patron | None) -> Account:
    if account.kind == "wallet":
        raise Declined(409, f"account {account.account} is itself a wallet")
    if patron is None:
        raise Declined(409, f"account {account.account} is for nobody by name: it has no wallet")
    return account_of(books, (account.property_name, patron.wallet))


@dataclass(frozen=True, slots=True)
class EnterAdjustment:
    """Enters a change of what is available, for somebody else to approve."""

    property_name: str
    account: str
    cents: int
    reason: str

    @property
    def name(self) -> str:
        return f"enter an adjustment of {self.property_name}/{self.account}"

    def content(self) -> Any:
        return {"cents": self.cents, "reason": self.reason}

    def needs(self) -> Needs:
        return Needs(accounts=((self.property_name, self.account),))

    def decide(self, books: Books, now: Circumstances) -> Decision:
        account = account_of(books, (self.property_name, self.account))
        number = account.version + 1
        data = {
            "property": self.property_name,
            "account": self.account,
            "adjustment": number,
            "cents": self.cents,
            "before": account.available,
            "reason": self.reason,
            "by": now.person,
        }
        fact = Fact("account.adjustment_entered", data, self.property_name, now.gaming_day, account.key)
        change(books, fact, now.at)
        path = f"/accounts/{self.property_name}/{self.account}/adjustments/{number}"
        return Decision(201, adjustment_document(books.adjustments[*account.key, number]), fact, path)


@dataclass(frozen=True, slots=True)
class DecideAdjustment:
    """Approves an adjustment, which then counts; or rejects it. Whoever entered it cannot approve it."""

    property_name: str
    account: str
    adjustment: int
    approve: bool
    reason: str | None = None

    @property
    def name(self) -> str:
        word = "approve" if self.approve else "reject"
        return f"{word} adjustment {self.adjustment} of {self.property_name}/{self.account}"

    def content(self) -> Any:
        return {"reason": self.reason}

    def needs(self) -> Needs:
        key = (self.property_name, self.account)
        return Needs(accounts=(key,), adjustments=((*key, self.adjustment),))

    def decide(self, books: Books, now: Circumstances) -> Decision:
        account = account_of(books, (self.property_name, self.account))
        adjustment = books.adjustments.get((*account.key, self.adjustment))
        if adjustment is None:
            raise Declined(404, f"account {self.account} has no adjustment {self.adjustment}")
        if adjustment.state != "entered":
            raise Declined(409, f"adjustment {self.adjustment} was {adjustment.state} already")
        data: dict[str, Any] = {
            "property": self.property_name,
            "account": self.account,
            "adjustment": self.adjustment,
            "cents": adjustment.cents,
            "entered_by": adjustment.entered_by,
            "by": now.person,
        }
        if not self.approve:
            fact = Fact(
                "account.adjustment_rejected",
                data | {"reason": self.reason},
                self.property_name,
                now.gaming_day,
                account.key,
            )
            change(books, fact, now.at)
            return Decision(200, adjustment_document(adjustment), fact)
        if now.person == adjustment.entered_by:
            raise Declined(403, f"{now.person} entered adjustment {self.adjustment}: somebody else must approve it")
        before = account.available
        after = before + adjustment.cents
        if after < 0:
            raise Declined(409, f"adjustment {adjustment.cents} exceeds the {before} cents that are available")
        movements = (Movement(account.key, available=adjustment.cents),)
        data |= {
            "before": before,
            "after": after,
            "reason": adjustment.reason,
            "movements": recorded(movements, books),
        }
        fact = Fact(
            "account.adjustment_approved",
            data,
            self.property_name,
            now.gaming_day,
            account.key,
            movements,
            (Posting(Leg(self.property_name, account.table, "", "adjusted"), adjustment.cents),),
        )
        change(books, fact, now.at)
        return Decision(200, adjustment_document(adjustment), fact)


def adjustment_document(adjustment: Adjustment) -> dict[str, Any]:
    """An adjustment as it is answered."""
    shown: dict[str, Any] = {
        "property": adjustment.property_name,
        "account": adjustment.account,
        "adjustment": adjustment.number,
        "cents": adjustment.cents,
        "reason": adjustment.reason,
        "state": adjustment.state,
        "entered_by": adjustment.entered_by,
        "entered_at": adjustment.entered_at,
    }
    if adjustment.decided_by is not None and adjustment.decided_at is not None:
        shown |= {"decided_by": adjustment.decided_by, "decided_at": adjustment.decided_at}
    if adjustment.before is not None:
        shown |= {"before_cents": adjustment.before, "after_cents": adjustment.after}
    return shown
