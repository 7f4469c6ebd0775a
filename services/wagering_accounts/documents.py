"""What the HTTP interface takes and answers with."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, SecretStr

from services.wagering_accounts.books import AccountKind, AccountStatus, AdjustmentState, HoldState, RoundState
from shared.contracts.accounts import Instrument, LimitKind
from shared.contracts.envelope import Contract, Identifier, Name, Person, Reason
from shared.contracts.tables import Cents

AccessCode = Annotated[SecretStr, Field(min_length=4, max_length=64)]
Reference = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]{1,200}$")]

# --- what is asked for ---


class NewPatron(Contract):
    """A person who gets a wallet, and the access code that the person chose."""

    property: Name
    patron: Name
    wallet: Name
    access_code: AccessCode


class NewCode(Contract):
    """Another access code, and why."""

    access_code: AccessCode
    reason: Reason


class Exclusion(Contract):
    """Whether a patron is excluded, and why that changes."""

    excluded: bool
    reason: Reason


class NewLimit(Contract):
    """A limit in cents, on a `wager` or on all buy-ins of a gaming day (`buy_in_day`); null for no limit any more."""

    limit: LimitKind
    cents: Cents | None


class NewAccount(Contract):
    """A game account for a session at a table; without a patron it is for nobody by name."""

    property: Name
    account: Name
    table: Name
    patron: Name | None = None


class MoneyIn(Contract):
    """What comes to an account. From the patron's wallet it takes the access code."""

    instrument: Instrument
    cents: Cents
    reference: Reference | None = None
    access_code: AccessCode | None = None


class MoneyOut(Contract):
    """What is paid out; without `cents` all that is available. Out of a wallet it takes the access code."""

    instrument: Instrument
    cents: Cents | None = None
    close: bool = False
    reference: Reference | None = None
    access_code: AccessCode | None = None


class NewHold(Contract):
    """A wager to be authorized."""

    table: Name
    round_id: Identifier
    seat: Annotated[int, Field(ge=1, le=12)]
    wager: Name
    cents: Cents


class Why(Contract):
    """Why something is done."""

    reason: Reason


class NoMoreBets(Contract):
    """The round whose wagers are in play from now on."""

    property: Name
    table: Name
    round_id: Identifier


class NewAdjustment(Contract):
    """A change of what is available, in cents, up or down, and why."""

    cents: Annotated[int, Field(strict=True, ge=-(10**12), le=10**12)]
    reason: Reason


# --- what is answered ---


class AccountDocument(BaseModel):
    """An account: what is available, on hold for wagers, and in play. `version` counts what was recorded about it."""

    property: Name
    account: Name
    kind: AccountKind
    status: AccountStatus
    version: int
    available_cents: int
    held_cents: int
    staked_cents: int
    table: Name | None = None
    patron: Name | None = None


class AccountPage(BaseModel):
    """Some accounts, in the order of their names; `next` is the cursor of those that follow."""

    items: list[AccountDocument]
    next: str | None = None


class HoldDocument(BaseModel):
    """A wager on hold."""

    property: Name
    account: Name
    hold: int
    state: HoldState
    table: Name
    round_id: Identifier
    seat: int
    wager: Name
    cents: int


class AuthorizedHold(HoldDocument):
    """A wager on hold, and what is then available, in cents."""

    available_cents: int


class CapturedDocument(BaseModel):
    """A hold that is in play now."""

    account: Name
    hold: int
    cents: int


class CaptureDocument(BaseModel):
    """A round after "no more bets", and the holds that are thereby in play; none if its result came first."""

    property: Name
    table: Name
    round_id: Identifier
    state: RoundState
    captured: list[CapturedDocument]


class LimitDocument(BaseModel):
    """A limit in cents, and the one that follows it; None: no limit."""

    cents: int | None
    next_cents: int | None = None
    next_at: datetime | None = None


class PatronDocument(BaseModel):
    """A patron. The access code is never shown."""

    property: Name
    patron: Name
    wallet: Name
    excluded_at: datetime | None
    locked_until: datetime | None
    limits: dict[LimitKind, LimitDocument]


class AdjustmentDocument(BaseModel):
    """A change by hand; once approved, with what was available before and after, in cents."""

    property: Name
    account: Name
    adjustment: int
    cents: int
    reason: Reason
    state: AdjustmentState
    entered_by: Person
    entered_at: datetime
    decided_by: Person | None = None
    decided_at: datetime | None = None
    before_cents: int | None = None
    after_cents: int | None = None


class AdjustmentPage(BaseModel):
    """Some adjustments, oldest first; `next` is the cursor of those that follow."""

    items: list[AdjustmentDocument]
    next: str | None = None


class StatementLine(BaseModel):
    """What an entry of the journal changed on an account, and what was there then, in cents."""

    version: int
    kind: str
    gaming_day: date
    recorded_at: datetime
    shard: int
    seq: int
    available_change_cents: int
    held_change_cents: int
    staked_change_cents: int
    available_cents: int
    held_cents: int
    staked_cents: int
    table: Name | None = None
    round_id: Identifier | None = None


class Statement(BaseModel):
    """An account and some of its lines, oldest first; `next` is the cursor of those that follow."""

    account: AccountDocument
    items: list[StatementLine]
    next: str | None = None


class OpenRound(BaseModel):
    """A round whose result is not known: its wagers stay on hold or in play."""

    property: Name
    table: Name
    round_id: Identifier
    state: RoundState
    opened_at: datetime
    holds: list[HoldDocument]


class OpenRounds(BaseModel):
    """Some open rounds, oldest first; `next` is the cursor of those that follow."""

    items: list[OpenRound]
    next: str | None = None


class RoundException(BaseModel):
    """A round that took more from an account than was on hold (`uncovered`), or has a shortage; in cents."""

    property: Name
    table: Name
    round_id: Identifier
    account: Name
    staked_cents: int
    credited_cents: int
    covered_cents: int
    uncovered_cents: int
    shortage_cents: int


class RoundExceptions(BaseModel):
    """Some exceptions, in the order of table, round and account; `next` is the cursor of those that follow."""

    items: list[RoundException]
    next: str | None = None


class LiabilityDay(BaseModel):
    """What changed the liability on a gaming day, in cents, and what it came to.

    `statement_cents` is the same change, summed from the lines of the accounts: the difference is always 0.
    """

    gaming_day: date
    opening_cents: int
    bought_in_cents: int
    cashed_out_cents: int
    staked_cents: int
    credited_cents: int
    adjusted_cents: int
    short_cents: int
    closing_cents: int
    statement_cents: int
    difference_cents: int


class Balances(BaseModel):
    """The sums of all accounts, in cents."""

    wallets_cents: int
    available_cents: int
    held_cents: int
    staked_cents: int
    total_cents: int


class Liability(BaseModel):
    """The liability of a property by gaming day, and the sum of all balances; their difference is always 0."""

    property: Name
    state: Literal["balanced", "off"]
    days: list[LiabilityDay]
    closing_cents: int
    balances: Balances
    difference_cents: int
