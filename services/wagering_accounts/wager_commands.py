"""Wagers before their result: authorized (a hold), captured at "no more bets", or released. Pure."""

from dataclasses import dataclass
from typing import Any

from services.wagering_accounts.books import AccountKey, Books, Fact, Movement, RoundKey
from services.wagering_accounts.changes import change, round_version
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


@dataclass(frozen=True, slots=True)
class Authorize:
    """Sets cents of a game account aside for a wager of a round (58 Pa. Code § 605a.2(d))."""

    property_name: str
    account: str
    table: str
    round_id: str
    seat: int
    wager: str
    cents: int

    @property
    def name(self) -> str:
        return f"authorize a wager from {self.property_name}/{self.account}"

    def content(self) -> Any:
        return {"table": self.table, "round_id": self.round_id, "seat": self.seat} | {
            "wager": self.wager,
            "cents": self.cents,
        }

    def needs(self) -> Needs:
        return Needs(accounts=((self.property_name, self.account),), opens=(self._round,))

    @property
    def _round(self) -> RoundKey:
        return (self.property_name, self.table, self.round_id)

    def decide(self, books: Books, now: Circumstances) -> Decision:
        account = require_open(account_of(books, (self.property_name, self.account)))
        if account.kind != "game":
            raise Declined(409, f"account {self.account} is a wallet: move money to a game account to wager")
        if account.table != self.table:
            raise Declined(409, f"account {self.account} is for table {account.table}, not {self.table}")
        patron = books.patron_of(account)
        require_admitted(patron)
        if patron is not None:
            limit = patron.limit("wager", now.at)
            if limit is not None and self.cents > limit:
                raise Declined(409, f"{self.cents} exceeds the patron's limit of {limit} cents a wager")
        round_ = books.rounds.get(self._round)
        if round_ is not None and round_.is_over:
            raise Declined(409, f"round {self.round_id} of table {self.table} is {round_.state}: its wagers are over")
        if self.cents > account.available:
            raise Declined(409, f"{self.cents} exceeds the {account.available} cents that are available")
        number = account.version + 1
        movements = (Movement(account.key, available=-self.cents, held=self.cents),)
        data = {
            "property": self.property_name,
            "account": self.account,
            "hold": number,
            "table": self.table,
            "round_id": self.round_id,
            "seat": self.seat,
            "wager": self.wager,
            "cents": self.cents,
            "round_version": round_version(books, self._round),
            "by": now.person,
            "movements": recorded(movements, books),
        }
        fact = Fact("wager.authorized", data, self.property_name, now.gaming_day, account.key, movements)
        change(books, fact, now.at)
        body = {
            "property": self.property_name,
            "account": self.account,
            "hold": number,
            "state": "held",
            "table": self.table,
            "round_id": self.round_id,
            "seat": self.seat,
            "wager": self.wager,
            "cents": self.cents,
            "available_cents": account.available,
        }
        return Decision(201, body, fact, f"/accounts/{self.property_name}/{self.account}/holds/{number}")


@dataclass(frozen=True, slots=True)
class Capture:
    """At "no more bets": what is held for a round is now in play, and can no more be released."""

    property_name: str
    table: str
    round_id: str

    @property
    def name(self) -> str:
        return f"capture round {self.round_id} of {self.property_name}/{self.table}"

    def content(self) -> Any:
        return None

    def needs(self) -> Needs:
        return Needs(rounds=((self.property_name, self.table, self.round_id),))

    def decide(self, books: Books, now: Circumstances) -> Decision:
        key = (self.property_name, self.table, self.round_id)
        round_ = books.rounds.get(key)
        if round_ is None:
            raise Declined(404, f"no wager of round {self.round_id} of table {self.table} was ever authorized")
        held = [hold for hold in books.holds_by_round.get(key, ()) if hold.state == "held"]
        held.sort(key=lambda hold: hold.key)
        sums: dict[AccountKey, int] = {}
        for hold in held:
            account = hold.account_key
            sums[account] = sums.get(account, 0) + hold.cents
        movements = tuple(Movement(account, held=-cents, staked=cents) for account, cents in sums.items())
        holds = [{"account": hold.account, "hold": hold.number, "cents": hold.cents} for hold in held]
        named = {"property": self.property_name, "table": self.table, "round_id": self.round_id}
        data: dict[str, Any] = named | {"holds": holds, "by": now.person, "movements": recorded(movements, books)}
        if not round_.is_over:  # else its result came first, and nothing is held any more
            data["round_version"] = round_version(books, key)
        fact = Fact("wagers.captured", data, self.property_name, now.gaming_day, None, movements)
        change(books, fact, now.at)
        return Decision(200, named | {"state": round_.state, "captured": holds}, fact)


@dataclass(frozen=True, slots=True)
class Release:
    """Gives a hold back before "no more bets"."""

    property_name: str
    account: str
    hold: int
    reason: str

    @property
    def name(self) -> str:
        return f"release hold {self.hold} of {self.property_name}/{self.account}"

    def content(self) -> Any:
        return {"reason": self.reason}

    def needs(self) -> Needs:
        return Needs(
            accounts=((self.property_name, self.account),), holds=((self.property_name, self.account, self.hold),)
        )

    def decide(self, books: Books, now: Circumstances) -> Decision:
        account = account_of(books, (self.property_name, self.account))
        hold = books.holds.get((self.property_name, self.account, self.hold))
        if hold is None:
            raise Declined(404, f"account {self.account} has no hold {self.hold}")
        if hold.state == "captured":
            raise Declined(
                409,
                f"hold {self.hold} is in play since 'no more bets': the result of round {hold.round_id} settles it, "
                "or its void returns it",
            )
        if hold.state != "held":
            raise Declined(409, f"hold {self.hold} was {hold.state} already")
        movements = (Movement(account.key, available=hold.cents, held=-hold.cents),)
        data = {
            "property": self.property_name,
            "account": self.account,
            "hold": self.hold,
            "table": hold.table,
            "round_id": hold.round_id,
            "cents": hold.cents,
            "reason": self.reason,
            "round_version": round_version(books, hold.round_key),
            "by": now.person,
            "movements": recorded(movements, books),
        }
        fact = Fact("wager.released", data, self.property_name, now.gaming_day, account.key, movements)
        change(books, fact, now.at)
        return Decision(200, document(account), fact)
