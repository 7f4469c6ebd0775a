"""What stands, in memory: patrons, accounts, rounds, holds and adjustments, and the one way in which money moves. Pure.

The journal has the money on control accounts (property, table, wager, leg), signed cents, debits positive:

| leg | posting |
|---|---|
| `wallet` | minus what patrons have in their wallets (table and wager empty) |
| `available` | minus what may be wagered or paid out at a table |
| `held` | minus what is authorized for wagers of rounds that have not reached "no more bets" |
| `staked` | minus what is in play: wagers after "no more bets" whose result is not known |
| `cash`, `chips`, `voucher` | plus what was paid in that way at the table or cage, minus what was paid out |
| `account_funded` | by wager: plus what results credited, minus what they took: the opposite of settlement's own |
| `shortage` | plus what a correction had to take back and could not, because it had been paid out |
| `adjusted` | the other side of adjustments |

`wallet`, `available`, `held` and `staked` together are the liability. The accounts of this module are the ledger
beneath: their sums are those of the control accounts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, Literal

from services.wagering_accounts.access_codes import HashedCode
from shared.contracts.accounts import LimitKind
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting

AccountKey = tuple[str, str]
"""(property, account)"""

PatronKey = tuple[str, str]
"""(property, patron)"""

RoundKey = tuple[str, str, str]
"""(property, table, round id)"""

HoldKey = tuple[str, str, int]
"""(property, account, number); adjustments have the same."""

RoundAccountKey = tuple[str, str, str, str]
"""(property, table, round id, account)"""

AccountKind = Literal["wallet", "game"]
AccountStatus = Literal["open", "closed"]
RoundState = Literal["open", "captured", "settled", "void"]
HoldState = Literal["held", "captured", "settled", "released"]
AdjustmentState = Literal["entered", "approved", "rejected"]

FLOWS: Final = ("bought_in", "cashed_out", "staked", "credited", "adjusted", "short")
"""What changes the liability: the columns of a day."""


@dataclass(slots=True)
class Limit:
    """A limit that a patron set: the cents that hold now, and those from a later moment on. None: no limit."""

    cents: int | None = None
    next_cents: int | None = None
    next_at: datetime | None = None

    def at(self, moment: datetime) -> int | None:
        """The limit at a moment."""
        return self.next_cents if self.next_at is not None and self.next_at <= moment else self.cents

    def as_document(self, moment: datetime) -> dict[str, Any]:
        """The limit as it is answered at a moment."""
        shown: dict[str, Any] = {"cents": self.at(moment)}
        if self.next_at is not None and self.next_at > moment:
            shown |= {"next_cents": self.next_cents, "next_at": self.next_at}
        return shown

    def changed(self, cents: int | None, moment: datetime, later: datetime) -> "Limit":
        """The limit after a change: a tighter one holds at once, a looser one from `later` on."""
        current = self.at(moment)
        tighter = cents is not None and (current is None or cents <= current)
        return Limit(cents) if tighter else Limit(current, cents, later)


@dataclass(slots=True)
class Patron:
    """A person with a wallet. `bought_in` is what the patron brought to tables on the gaming day `bought_in_on`."""

    property_name: str
    patron: str
    wallet: str
    code: HashedCode
    failed_codes: int = 0
    locked_until: datetime | None = None
    excluded_at: datetime | None = None
    limits: dict[str, Limit] = field(default_factory=dict)
    bought_in_on: date | None = None
    bought_in: int = 0

    @property
    def key(self) -> PatronKey:
        return (self.property_name, self.patron)

    def is_locked(self, moment: datetime) -> bool:
        """Whether no access code is accepted at a moment."""
        return self.locked_until is not None and self.locked_until > moment

    def limit(self, kind: LimitKind, moment: datetime) -> int | None:
        """A limit at a moment, cents; None where there is none."""
        limit = self.limits.get(kind)
        return None if limit is None else limit.at(moment)

    def bought_in_during(self, gaming_day: date) -> int:
        """What the patron brought to tables on a gaming day, cents."""
        return self.bought_in if self.bought_in_on == gaming_day else 0


@dataclass(slots=True)
class Account:
    """A wallet (`table` is empty), or the game account of one session at a table."""

    property_name: str
    account: str
    kind: AccountKind
    table: str
    patron: str | None
    status: AccountStatus
    opened_at: datetime
    version: int = 0
    available: int = 0
    held: int = 0
    staked: int = 0

    @property
    def key(self) -> AccountKey:
        return (self.property_name, self.account)


@dataclass(slots=True)
class Hold:
    """Cents of an account that are set aside for a wager of a round."""

    property_name: str
    account: str
    number: int
    table: str
    round_id: str
    seat: int
    wager: str
    cents: int
    state: HoldState = "held"

    @property
    def key(self) -> HoldKey:
        return (self.property_name, self.account, self.number)

    @property
    def account_key(self) -> AccountKey:
        return (self.property_name, self.account)

    @property
    def round_key(self) -> RoundKey:
        return (self.property_name, self.table, self.round_id)


@dataclass(slots=True)
class Round:
    """A round with electronic wagers: which revisions of its settlement were posted and which were taken back."""

    property_name: str
    table: str
    round_id: str
    opened_at: datetime
    state: RoundState = "open"
    version: int = 0
    posted: set[int] = field(default_factory=set)
    reversed: set[int] = field(default_factory=set)
    voided: bool = False

    @property
    def key(self) -> RoundKey:
        return (self.property_name, self.table, self.round_id)

    @property
    def is_over(self) -> bool:
        """Whether its result is known, or it does not count."""
        return self.state in ("settled", "void")


@dataclass(slots=True)
class RoundAccount:
    """What a round did on an account, cents. `covered` was on hold for it; `shortage` could not be taken back."""

    property_name: str
    table: str
    round_id: str
    account: str
    staked: int = 0
    credited: int = 0
    covered: int = 0
    shortage: int = 0

    @property
    def key(self) -> RoundAccountKey:
        return (self.property_name, self.table, self.round_id, self.account)


@dataclass(slots=True)
class Adjustment:
    """A change of a balance by hand: entered by one person, decided by another."""

    property_name: str
    account: str
    number: int
    cents: int
    reason: str
    entered_by: str
    entered_at: datetime
    state: AdjustmentState = "entered"
    decided_by: str | None = None
    decided_at: datetime | None = None
    before: int | None = None
    after: int | None = None

    @property
    def key(self) -> HoldKey:
        return (self.property_name, self.account, self.number)


@dataclass(frozen=True, slots=True)
class Movement:
    """What an entry changes on one account, cents."""

    account: AccountKey
    available: int = 0
    held: int = 0
    staked: int = 0

    def as_document(self, version: int | None = None) -> dict[str, Any]:
        """The movement in the field names of the published event; what is 0 is left out.

        `version` is that of the account with it; None where it is only known as it is recorded.
        """
        document: dict[str, Any] = {"account": self.account[1]}
        if version is not None:
            document["version"] = version
        for name in ("available", "held", "staked"):
            if value := getattr(self, name):
                document[name] = value
        return document


@dataclass(slots=True)
class Fact:
    """What a command or a settlement leads to. Its kind and data are recorded; the books follow from them.

    `account` is the account that the entry is about, None where it is about none or several. `others` are the
    postings beside those of the movements. `code` is an access code that is kept and never recorded.
    """

    kind: str
    data: dict[str, Any]
    property_name: str
    gaming_day: date
    account: AccountKey | None = None
    movements: Sequence[Movement] = ()
    others: Sequence[Posting] = ()
    code: HashedCode | None = None

    @property
    def round(self) -> tuple[str, str] | None:
        """(table, round id) that the statement names."""
        return (self.data["table"], self.data["round_id"]) if "round_id" in self.data else None

    @property
    def flows(self) -> dict[str, int]:
        """Why the liability changes, cents: what adds up to the movements."""
        data = self.data
        match self.kind:
            case "account.bought_in" if data["instrument"] != "wallet":
                return {"bought_in": data["cents"]}
            case "account.cashed_out" if data["instrument"] != "wallet":
                return {"cashed_out": -data["cents"]}
            case "account.adjustment_approved":
                return {"adjusted": data["cents"]}
            case "wagers.settled" | "wagers.reversed" | "wagers.voided":
                parts = data["accounts"]
                sums = {
                    "staked": -sum(part["staked"] for part in parts),
                    "credited": sum(part["credited"] for part in parts),
                    "short": sum(part.get("shortage", 0) for part in parts),
                }
                return {name: cents for name, cents in sums.items() if cents}
            case _:
                return {}


@dataclass(slots=True)
class Books:
    """The part of the books that is at hand. Whoever changes an object notes it in `changed`."""

    patrons: dict[PatronKey, Patron] = field(default_factory=dict)
    accounts: dict[AccountKey, Account] = field(default_factory=dict)
    rounds: dict[RoundKey, Round] = field(default_factory=dict)
    holds: dict[HoldKey, Hold] = field(default_factory=dict)
    round_accounts: dict[RoundAccountKey, RoundAccount] = field(default_factory=dict)
    adjustments: dict[HoldKey, Adjustment] = field(default_factory=dict)
    holds_by_round: dict[RoundKey, list[Hold]] = field(default_factory=dict)
    wallets: dict[PatronKey, AccountKey] = field(default_factory=dict)
    changed: set[tuple[str, tuple[Any, ...]]] = field(default_factory=set)
    """(name of the dictionary, key) of what changed."""
    new: set[tuple[str, tuple[Any, ...]]] = field(default_factory=set)
    """The same of what is new."""

    def add(self, name: str, thing: Any) -> None:
        """Adds something new."""
        self.know(name, thing)
        self.new.add((name, thing.key))

    def know(self, name: str, thing: Any) -> None:
        """Adds something that was read."""
        things = getattr(self, name)
        if thing.key not in things:
            things[thing.key] = thing
            if isinstance(thing, Hold):
                self.holds_by_round.setdefault(thing.round_key, []).append(thing)

    def change(self, name: str, thing: Any) -> None:
        """Notes that something changed."""
        if (name, thing.key) not in self.new:
            self.changed.add((name, thing.key))

    def move(self, movements: Iterable[Movement]) -> None:
        """Moves money on accounts. What would make an amount negative must have been refused before."""
        for movement in movements:
            account = self.accounts[movement.account]
            account.available += movement.available
            account.held += movement.held
            account.staked += movement.staked
            assert min(account.available, account.held, account.staked) >= 0, f"{account} would be negative"
            self.change("accounts", account)

    def set_hold(self, hold: Hold, state: HoldState) -> None:
        """Gives a hold another state."""
        hold.state = state
        self.change("holds", hold)

    def patron_of(self, account: Account) -> Patron | None:
        """The patron whose account it is; None for an account that nobody is named for."""
        return None if account.patron is None else self.patrons[account.property_name, account.patron]


def postings_of(fact: Fact, books: Books) -> tuple[Posting, ...]:
    """The postings of a fact: the liabilities that its movements change, by control account, and the other side."""
    sums: dict[Leg, int] = {}
    for movement in fact.movements:
        account = books.accounts[movement.account]
        wallet = account.kind == "wallet"
        for leg, cents in (
            ("wallet" if wallet else "available", movement.available),
            ("held", movement.held),
            ("staked", movement.staked),
        ):
            if cents:
                key = Leg(account.property_name, account.table, "", leg)
                sums[key] = sums.get(key, 0) - cents
    for key, cents in fact.others:
        sums[key] = sums.get(key, 0) + cents
    return tuple(Posting(key, cents) for key, cents in sorted(sums.items()) if cents)
