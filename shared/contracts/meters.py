"""What the progressive meters publish on `meters`: pools configured, rounds counted, changes approved, days reconciled.

A **pool** is one progressive meter of a property, whichever tables and games feed it. Every entry that moves a pool
carries its movements with the reading afterwards, for signs.
"""

from datetime import date
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, Digest, Name, Person, Reason
from shared.contracts.exact import ExactCents
from shared.contracts.facts import Fact, fact
from shared.contracts.rounds import Cents
from shared.contracts.settlements import SettledRound, TakenBack
from shared.contracts.topics import METERS
from shared.contracts.versions import Approved, Filed, Returned, VersionNumber

_POOL: Final = "/properties/{property}/pools/{pool}"
"""The stream of what people decide about a pool."""


class Feed(Contract):
    """A meter of a game at a table, by its name in the record of the round, that feeds a pool."""

    table: Name
    game: Name
    meter: Name


class PoolTerms(Contract):
    """What a pool is from a moment on (N.J.A.C. 13:69E-1.39A).

    `base_cents` is where it starts and `reset_cents` what it shows after an award of all of it; its rates are those of
    the rules submissions of its feeds. What would take it above `limit_cents` goes to the overflow meter. A round that
    adds more than `unreasonable_contribution_cents` is not counted but refused. `gaming_day` is the day on which the
    base is put in.
    """

    property: Name
    pool: Name
    feeds: tuple[Feed, ...] = Field(max_length=1000)
    effective_from: AwareDatetime
    gaming_day: date
    base_cents: Cents
    reset_cents: Cents
    limit_cents: Cents | None = None
    unreasonable_contribution_cents: Cents | None = None
    reason: Reason


@fact("pool.filed", METERS, stream=_POOL)
class PoolFiled(Fact, PoolTerms, Filed):
    """A version of a pool's terms was filed; it waits for somebody else's approval."""


class Movement(Contract):
    """How one entry moved a pool, and what its meters were afterwards.

    `number` counts the movements of the pool: 1, 2, 3 … The display afterwards is the display before, plus
    contribution, reset, seed, transfer (negative: out) and what was released from the overflow, less the award.
    Wagers added `reserved_cents` to the reserve and `overflow_cents` to the overflow meter; `reserve_used_cents`
    restored the display. `in_count` wagers of `in_cents` qualified. What is taken back is negative.
    `display_cents`, `reserve_cents` and `overflowed_cents` are the meters afterwards; a sign shows `shown_cents`.
    """

    pool: Name
    number: Annotated[int, Field(ge=1)]
    in_count: int = 0
    in_cents: int = 0
    contribution_cents: ExactCents = "0"
    reserved_cents: ExactCents = "0"
    overflow_cents: ExactCents = "0"
    award_cents: int = 0
    hits: int = 0
    reset_cents: ExactCents = "0"
    reserve_used_cents: ExactCents = "0"
    seed_cents: ExactCents = "0"
    transfer_cents: ExactCents = "0"
    released_cents: ExactCents = "0"
    display_cents: ExactCents
    reserve_cents: ExactCents
    overflowed_cents: ExactCents
    shown_cents: int


@fact("pool.approved", METERS, moves_money=True, stream=_POOL)
class PoolApproved(PoolFiled, Approved):
    """A version was approved: from `effective_from` on its feeds count for the pool. The first puts in the base."""

    movement: Movement | None = None


@fact("pool.returned", METERS, stream=_POOL)
class PoolReturned(Fact, Returned):
    """A version was returned to who filed it; it never takes effect."""

    property: Name
    pool: Name


class Hit(Contract):
    """An award from a meter: who held which seat is in the record of the round; `cents` came off the meter."""

    seat: int
    wager: Name
    category: str | None = None
    cents: int


class MeterReading(Contract):
    """What a table said of its meter before a round, and what its settlement came to, cents."""

    before_cents: int
    after_cents: int


class MeterOfRound(Contract):
    """What a round did to one pool, and under which terms.

    `settled_cents` is what the settlement added in whole cents. `findings` name what does not agree:
    `contribution` where rate times wagers is not what was settled, `reset` where the submission's reset amount is not
    the pool's.
    """

    meter: Name
    rate: str
    reserve_rate: str | None = None
    settled_cents: int
    reading: MeterReading | None = None
    hits: tuple[Hit, ...] = ()
    findings: tuple[str, ...] = ()
    movement: Movement


@fact("meter.counted", METERS, moves_money=True)
class MeterRoundCounted(SettledRound):
    """The meters of a settled round: its wagers added, its awards taken off, what was awarded wholly restored."""

    revision: int
    opened_at: AwareDatetime
    closed_at: AwareDatetime
    at: AwareDatetime
    submission: Digest
    meters: tuple[MeterOfRound, ...]


@fact("meter.taken_back", METERS, moves_money=True)
class RoundTakenBack(TakenBack):
    """What a round had done to its meters was taken back, to the last share of a cent: it was voided or corrected."""

    at: AwareDatetime
    movements: tuple[Movement, ...]


ChangeKind = Literal["transfer", "adjustment", "reset", "overflow", "award"]


class WantedChange(Contract):
    """A change of a meter by people.

    `transfer` moves `cents` to the pool `to`; `adjustment` adds them (negative: takes them off, to the house); `reset`
    brings the display to the reset amount, at the house's cost or to its gain; `overflow` brings `cents` from the
    overflow meter onto the display. `award` accepts that the house bears what the award of the pool's `movement` came
    to above what the meter showed.
    """

    kind: ChangeKind
    cents: Annotated[int, Field(strict=True, ge=-(10**12), le=10**12)] | None = None
    to: Name | None = None
    movement: Annotated[int, Field(strict=True, ge=1, le=2**62)] | None = None
    gaming_day: date
    reason: Reason


class ChangeAsked(WantedChange):
    """A change that somebody asked for. `change` is its number at the pool's property."""

    property: Name
    pool: Name
    change: VersionNumber
    requested_by: Person
    requested_at: AwareDatetime


@fact("meter.change_requested", METERS, stream=_POOL)
class ChangeRequested(Fact, ChangeAsked):
    """A change was requested; it waits for somebody else's approval. `change` is its number at the pool's property."""


@fact("meter.change_approved", METERS, moves_money=True, stream=_POOL)
class ChangeApproved(ChangeRequested, AsShown):
    """A change was approved and made; its movements say what the meters were afterwards."""

    approved_by: Person
    approved_at: AwareDatetime
    display_before_cents: ExactCents
    movements: tuple[Movement, ...]


@fact("meter.change_rejected", METERS, stream=_POOL)
class ChangeRejected(Fact):
    """A change was turned down."""

    property: Name
    pool: Name
    change: VersionNumber
    rejected_by: Person
    rejected_at: AwareDatetime
    reason: Reason


class PoolDay(Contract):
    """A pool on a gaming day: its identity, with every figure exact.

    closing = opening + seed + contribution - award + reset + transfer + released. The reserve and the overflow meter
    have identities of their own. `difference_cents` is what the movements leave unexplained of the closing reading:
    nothing. A sign showed `shown_cents` at the end, which is never below zero.
    """

    pool: Name
    opening_cents: ExactCents
    seed_cents: ExactCents
    contribution_cents: ExactCents
    award_cents: int
    reset_cents: ExactCents
    transfer_cents: ExactCents
    released_cents: ExactCents
    closing_cents: ExactCents
    shown_cents: int
    difference_cents: ExactCents
    reserve_opening_cents: ExactCents
    reserved_cents: ExactCents
    reserve_used_cents: ExactCents
    reserve_closing_cents: ExactCents
    overflow_opening_cents: ExactCents
    overflow_cents: ExactCents
    overflow_closing_cents: ExactCents
    in_count: int
    in_cents: int
    hits: int
    readings: int
    readings_different: int
    liability_cents: int


@fact("meter.day_reconciled", METERS, stream="/properties/{property}")
class DayReconciled(Fact):
    """A person reconciled the pools of a property for a gaming day, as they were known then.

    `balanced` says that every identity holds; `exceptions` how many readings and settlements differ from the ledger;
    `input_open` how many settlements are missing or refused. `rows_sha256` is taken over the pools as canonical JSON.
    """

    property: Name
    gaming_day: date
    balanced: bool
    exceptions: int
    input_open: int
    liability_cents: int
    pools: tuple[PoolDay, ...]
    rows_sha256: Digest
    reason: Reason
    reconciled_by: Person
    reconciled_at: AwareDatetime
