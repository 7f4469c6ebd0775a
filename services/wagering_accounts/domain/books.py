"""The accounts in memory: patrons, accounts, rounds, holds and adjustments, and the postings of their money. Pure.

In the journal, money is posted to control accounts (property, table, wager, leg), in signed cents, debits positive:

| leg | posting |
|---|---|
| `wallet` | minus the balances of patrons' wallets (table and wager empty) |
| `available` | minus the amounts of a table's accounts that may be wagered or paid out |
| `held` | minus the amounts authorized for wagers of rounds before "no more bets" |
| `staked` | minus the amounts in play: wagers after "no more bets" without a result |
| `promotional`, `promotional_held`, `promotional_staked` | the same for promotional money, also in wallets |
| `promotions` | plus the grants of the house, minus the amounts that expired |
| `cash`, `chips`, `voucher` | plus the amounts paid in with that instrument, minus those paid out |
| `account_funded` | by wager: plus the credits of results, minus their stakes; the opposite of settlement's own leg |
| `shortage` | plus the amounts that a correction could not take back, because they had been paid out |
| `adjusted` | the contra of adjustments |

`wallet`, `available`, `held`, `staked` and the promotional legs together are the liability. The accounts of this module
are the subledger: their sums are those of the control accounts. The attributes of every class here are the columns of
its table.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from operator import attrgetter
from typing import Any, ClassVar, Literal, TypeVar

from services.wagering_accounts.domain.access_codes import HashedCode
from services.wagering_accounts.domain.today import Todays
from shared.contracts.accounts import AccountsFact, ErasureGround, LimitKind
from shared.contracts.property_snapshot import PropertyLookup
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting

AccountKey = tuple[str, str]  # property, account
PatronKey = tuple[str, str]  # property, patron
RoundKey = tuple[str, str, str]  # property, table, round id
HoldKey = tuple[str, str, int]  # property, account, hold, adjustment or promotion
RoundAccountKey = tuple[str, str, str, str]  # property, table, round id, account

AccountKind = Literal["wallet", "game"]
AccountStatus = Literal["open", "closed"]
RoundStatus = Literal["open", "captured", "settled", "void"]
HoldStatus = Literal["held", "captured", "settled", "returned", "released"]
AdjustmentStatus = Literal["entered", "approved", "rejected"]
PromotionStatus = Literal["entered", "granted", "rejected"]


class Entity:
    """An item of the subledger, identified by the primary key of its table."""

    __slots__ = ()
    key_of: "ClassVar[attrgetter[Any]]"
    """Return the key of an entity from itself, its row, a fact or a command."""


ThingT = TypeVar("ThingT", bound=Entity)


@dataclass(frozen=True, slots=True)
class Limit:
    """A patron's limit in cents: the current one, and one that applies from a later moment on. None: no limit."""

    cents: int | None = None
    next_cents: int | None = None
    next_at: datetime | None = None

    def at(self, moment: datetime) -> int | None:
        """Return the limit in cents at a moment, or None."""
        return self.next_cents if self.next_at is not None and self.next_at <= moment else self.cents

    def changed(self, cents: int | None, moment: datetime, later: datetime) -> "Limit":
        """Return the limit after a change: a tighter one applies at once, a looser one from `later` on."""
        current = self.at(moment)
        tighter = cents is not None and (current is None or cents <= current)
        return Limit(cents) if tighter else Limit(current, cents, later)


@dataclass(slots=True)
class Patron(Entity):
    """A patron with a wallet. `bought_in_cents` were brought to tables on the gaming day `bought_in_on`."""

    key_of = attrgetter("property", "patron")

    property: str
    patron: str
    wallet: str
    failed_codes: int = 0
    locked_until: datetime | None = None
    excluded_at: datetime | None = None
    tax_residence: str | None = None
    limits: dict[LimitKind, Limit] = field(default_factory=dict)
    bought_in_on: date | None = None
    bought_in_cents: int = 0
    erased_at: datetime | None = None

    def locked_at(self, moment: datetime) -> datetime | None:
        """Return the time until which access codes are locked, as of a given moment; None if they are not locked."""
        return None if self.locked_until is None or self.locked_until <= moment else self.locked_until

    def limit(self, kind: LimitKind, moment: datetime) -> int | None:
        """Return the patron's limit of a kind at a moment, in cents, or None."""
        limit = self.limits.get(kind)
        return None if limit is None else limit.at(moment)

    def bought_in_during(self, gaming_day: date) -> int:
        """Return the cents brought to tables on a gaming day; for earlier days, those of the last day with a buy-in."""
        return 0 if self.bought_in_on is None or gaming_day > self.bought_in_on else self.bought_in_cents


@dataclass(slots=True)
class PatronCode(Entity):
    """The access code of a patron, stored only in its own table, not in the journal.

    `number` counts the patron's codes. The journal only records the number of codes issued.
    """

    key_of = attrgetter("property", "patron")

    property: str
    patron: str
    number: int
    salt: bytes
    hash: bytes
    signature: bytes | None


@dataclass(slots=True)
class PatronIdentity(Entity):
    """A patron's identity, encrypted with the patron's key; the ciphertext is None once it was erased."""

    key_of = attrgetter("property", "patron")

    property: str
    patron: str
    identity: str | None
    identified_by: str
    identified_at: datetime


@dataclass(slots=True)
class PatronErasure(Entity):
    """An erasure of a patron's personal data: entered by one person, decided by another."""

    key_of = attrgetter("property", "patron")

    property: str
    patron: str
    ground: ErasureGround
    last_form_on: date | None
    entered_by: str
    entered_at: datetime
    status: AdjustmentStatus = "entered"
    decided_by: str | None = None
    decided_at: datetime | None = None


@dataclass(slots=True)
class Account(Entity):
    """A wallet (`table` is empty), or the game account of a session at a table. `version` counts its entries.

    `promotional_cents` can be wagered but never paid out; it is not part of the other amounts.
    """

    key_of = attrgetter("property", "account")

    property: str
    account: str
    kind: AccountKind
    table: str
    patron: str | None
    status: AccountStatus
    opened_at: datetime
    version: int = 0
    available_cents: int = 0
    held_cents: int = 0
    staked_cents: int = 0
    promotional_cents: int = 0
    promotional_held_cents: int = 0
    promotional_staked_cents: int = 0

    def total(self) -> int:
        """Return the total of the account in cents."""
        promotional = self.promotional_cents + self.promotional_held_cents + self.promotional_staked_cents
        return self.available_cents + self.held_cents + self.staked_cents + promotional


@dataclass(slots=True)
class Hold(Entity):
    """Cents of an account on hold for a wager of a round, partly promotional money.

    The hold is `released` by the player, or `returned` by a void, or by a result without a stake on its wager.
    """

    key_of = attrgetter("property", "account", "hold")

    property: str
    account: str
    hold: int
    table: str
    round_id: str
    seat: int
    wager: str
    cents: int
    promotional_cents: int
    status: HoldStatus = "held"


@dataclass(slots=True)
class Round(Entity):
    """A round with electronic wagers: the revisions of its settlement that were posted and reversed.

    `version` counts the entries that changed the round or a hold for it.
    """

    key_of = attrgetter("property", "table", "round_id")

    property: str
    table: str
    round_id: str
    opened_at: datetime
    status: RoundStatus = "open"
    version: int = 0
    posted: list[int] = field(default_factory=list)
    reversed: list[int] = field(default_factory=list)
    voided: bool = False

    def is_over(self) -> bool:
        """Return whether the round is settled or void."""
        return self.status in ("settled", "void")


@dataclass(slots=True)
class RoundAccount(Entity):
    """A round's effect on an account.

    `covered_cents` was on hold for the round. The shortage could not be taken back; `promotional_shortage_cents` of the
    shortage had been promotional money.
    """

    key_of = attrgetter("property", "table", "round_id", "account")

    property: str
    table: str
    round_id: str
    account: str
    staked_cents: int = 0
    credited_cents: int = 0
    covered_cents: int = 0
    shortage_cents: int = 0
    promotional_shortage_cents: int = 0


@dataclass(slots=True)
class Adjustment(Entity):
    """A balance adjustment: entered by one person, decided by another."""

    key_of = attrgetter("property", "account", "adjustment")

    property: str
    account: str
    adjustment: int
    cents: int
    reason: str
    entered_by: str
    entered_at: datetime
    status: AdjustmentStatus = "entered"
    decided_by: str | None = None
    decided_at: datetime | None = None
    before_cents: int | None = None
    after_cents: int | None = None


@dataclass(slots=True)
class Promotion(Entity):
    """A grant of promotional money, which may need a second person; `version` is the account's version when granted."""

    key_of = attrgetter("property", "account", "promotion")

    property: str
    account: str
    promotion: int
    cents: int
    reason: str
    expires_on: date | None
    entered_by: str
    entered_at: datetime
    status: PromotionStatus = "entered"
    decided_by: str | None = None
    decided_at: datetime | None = None
    version: int | None = None


Things = defaultdict[type[Any], dict[Any, Any]]
"""Entities by kind and key."""

LineRow = dict[str, Any]
"""A line of a statement, without its entry."""


class Books:
    """The loaded part of the subledger with its changes, and the properties (`today`)."""

    def __init__(self, places: PropertyLookup = lambda *_: None) -> None:
        self.today = Todays(places)
        self._known: Things = defaultdict(dict)
        self.new: Things = defaultdict(dict)
        self.changed: Things = defaultdict(dict)
        self.patrons: dict[PatronKey, Patron] = self._known[Patron]
        self.codes: dict[PatronKey, PatronCode] = self._known[PatronCode]
        self.identities: dict[PatronKey, PatronIdentity] = self._known[PatronIdentity]
        self.digests: dict[PatronKey, Mapping[str, bytes | None]] = {}
        """The keyed digests of identities recorded by commands, by column name."""
        self.erasures: dict[PatronKey, PatronErasure] = self._known[PatronErasure]
        self.last_days: dict[PatronKey, date] = {}
        """Each patron's last gaming day with a movement of money or a filing; loaded for erasures only."""
        self.last_filed: dict[PatronKey, datetime] = {}
        """The last time at which a file that names the patron was sent; loaded for erasures only."""
        self.open_filings: dict[PatronKey, list[str]] = {}
        """The names of unanswered filings that name the patron; loaded for erasures only."""
        self.owed: dict[PatronKey, int] = {}
        """Each patron's shortages in cents, which corrections could not take back; loaded for erasures only."""
        self.accounts: dict[AccountKey, Account] = self._known[Account]
        self.rounds: dict[RoundKey, Round] = self._known[Round]
        self.holds: dict[HoldKey, Hold] = self._known[Hold]
        self.round_accounts: dict[RoundAccountKey, RoundAccount] = self._known[RoundAccount]
        self.adjustments: dict[HoldKey, Adjustment] = self._known[Adjustment]
        self.promotions: dict[HoldKey, Promotion] = self._known[Promotion]
        self.holds_by_round: defaultdict[RoundKey, list[Hold]] = defaultdict(list)
        self.altered: dict[AccountKey, str] = {}
        """The accounts whose balance differs from the sum of their entries, each with a text about the difference."""
        self.lines: list[list[LineRow]] = []
        """The statement lines of each applied fact, in order."""

    def know(self, thing: Entity) -> None:
        """Add a loaded entity unless it is already present."""
        things, key = self._known[type(thing)], thing.key_of(thing)
        if key not in things:
            things[key] = thing
            if isinstance(thing, Hold):
                self.holds_by_round[Round.key_of(thing)].append(thing)

    def add(self, thing: ThingT) -> ThingT:
        """Add a new entity, and return it."""
        self.know(thing)
        self.new[type(thing)][thing.key_of(thing)] = thing
        return thing

    def change(self, thing: ThingT) -> ThingT:
        """Mark a loaded entity as changed, and return it."""
        kind, key = type(thing), thing.key_of(thing)
        if key not in self.new[kind]:
            self.changed[kind][key] = thing
        return thing

    def keep_code(self, property_name: str, patron: str, code: HashedCode) -> None:
        """Replace a patron's access code."""
        kept = PatronCode(property_name, patron, code.number, code.salt, code.hash, code.signature)
        before = self.codes.pop(PatronCode.key_of(kept), None)
        self.know(kept)
        self.change(kept) if before is not None else self.add(kept)

    def holds_of(self, key: RoundKey, *statuses: HoldStatus) -> list[Hold]:
        """Return the holds of a round with these statuses, by account and number."""
        found = (hold for hold in self.holds_by_round.get(key, ()) if hold.status in statuses)
        return sorted(found, key=Hold.key_of)

    def patron_of(self, account: Account) -> Patron | None:
        """Return the patron of an account; None for an anonymous one."""
        return None if account.patron is None else self.patrons[account.property, account.patron]


def postings_of(books: Books, fact: AccountsFact, others: Iterable[Posting] = ()) -> tuple[Posting, ...]:
    """Return the postings of a fact: its changes to liabilities, by control account, and the contra postings."""
    sums: dict[Leg, int] = {}
    for movement in fact.moved():
        account = books.accounts[fact.property, movement.account]
        for leg, cents in (
            ("wallet" if account.kind == "wallet" else "available", movement.available_cents),
            ("held", movement.held_cents),
            ("staked", movement.staked_cents),
            ("promotional", movement.promotional_cents),
            ("promotional_held", movement.promotional_held_cents),
            ("promotional_staked", movement.promotional_staked_cents),
        ):
            if cents:
                key = Leg(fact.property, account.table, "", leg)
                sums[key] = sums.get(key, 0) - cents
    for key, cents in others:
        sums[key] = sums.get(key, 0) + cents
    return tuple(Posting(key, cents) for key, cents in sorted(sums.items()) if cents)
