"""Facts about progressive meters, on the topic `meters`: pools, rounds counted, changes, reconciliations.

A **pool** is one progressive meter of a property, fed by any number of tables and games. Every entry that moves a pool
has the movement and the readings after it, which signs display.
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
"""The stream of decisions about a pool."""


class Feed(Contract):
    """A meter that feeds a pool: its table, its game, and its name in the round record."""

    table: Name
    game: Name
    meter: Name


class PoolTerms(Contract):
    """The terms of a pool, in effect from a moment (N.J.A.C. 13:69E-1.39A).

    `base_cents` is its initial amount and `reset_cents` the display after an award of the whole meter; its rates are
    those in the rules submissions of its feeds. Amounts above `limit_cents` go to the overflow meter. A round that adds
    more than `unreasonable_contribution_cents` is refused. `gaming_day` is the day on which the base is posted.
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
    """A version of a pool's terms was filed; it awaits another person's approval."""


class Movement(Contract):
    """How one entry moved a pool, and its meters afterwards.

    `number` counts the movements of the pool: 1, 2, 3 … The display afterwards is the display before, plus
    contribution, reset, seed, transfer (negative: out) and the release from the overflow, less the award. Wagers added
    `reserved_cents` to the reserve and `overflow_cents` to the overflow meter; `reserve_used_cents` restored the
    display. `in_count` wagers of `in_cents` qualified. Reversed amounts are negative. `display_cents`, `reserve_cents`
    and `overflowed_cents` are the meters afterwards; a sign shows `shown_cents`.
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
    """A version was approved: its feeds count for the pool from `effective_from`. The first version posts the base."""

    movement: Movement | None = None


@fact("pool.returned", METERS, stream=_POOL)
class PoolReturned(Fact, Returned):
    """A version was returned to its filer; it never takes effect."""

    property: Name
    pool: Name


class Hit(Contract):
    """An award of `cents` paid from a meter to a seat; the round record identifies the winner."""

    seat: int
    wager: Name
    category: str | None = None
    cents: int


class MeterReading(Contract):
    """A table's reading of its meter before a round, and the effect of the settlement on it, in cents."""

    before_cents: int
    after_cents: int


class MeterOfRound(Contract):
    """The effect of a round on one pool, and the terms applied.

    `settled_cents` are the whole cents that the settlement added. `findings` name discrepancies: `contribution` if rate
    times wagers differs from `settled_cents`, `reset` if the submission's reset amount differs from the pool's.
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
    """The meters of a settled round: contributions added, awards deducted, and the display reset after a full award."""

    revision: int
    opened_at: AwareDatetime
    closed_at: AwareDatetime
    at: AwareDatetime
    submission: Digest
    meters: tuple[MeterOfRound, ...]


@fact("meter.taken_back", METERS, moves_money=True)
class RoundTakenBack(TakenBack):
    """The effect of a round on its meters was reversed exactly, because the round was voided or corrected."""

    at: AwareDatetime
    movements: tuple[Movement, ...]


ChangeKind = Literal["transfer", "adjustment", "reset", "overflow", "award"]


class WantedChange(Contract):
    """A requested change to a meter, without the people who request or decide it.

    `transfer` moves `cents` to the pool `to`; `adjustment` adds them (negative: deducts them, to the house); `reset`
    brings the display to the reset amount, at the house's cost or gain; `overflow` moves `cents` from the overflow
    meter to the display. `award` accepts the award in the pool's `movement`, although the house pays the part of
    it that exceeded the meter.
    """

    kind: ChangeKind
    cents: Annotated[int, Field(strict=True, ge=-(10**12), le=10**12)] | None = None
    to: Name | None = None
    movement: Annotated[int, Field(strict=True, ge=1, le=2**62)] | None = None
    gaming_day: date
    reason: Reason


class ChangeAsked(WantedChange):
    """A requested change. `change` is its number within the property."""

    property: Name
    pool: Name
    change: VersionNumber
    requested_by: Person
    requested_at: AwareDatetime


@fact("meter.change_requested", METERS, stream=_POOL)
class ChangeRequested(Fact, ChangeAsked):
    """A change was requested; it awaits another person's approval. `change` is its number within the property."""


@fact("meter.change_approved", METERS, moves_money=True, stream=_POOL)
class ChangeApproved(ChangeRequested, AsShown):
    """A change was approved and made; its movements show the meters afterwards."""

    approved_by: Person
    approved_at: AwareDatetime
    display_before_cents: ExactCents
    movements: tuple[Movement, ...]


@fact("meter.change_rejected", METERS, stream=_POOL)
class ChangeRejected(Fact):
    """A change was rejected."""

    property: Name
    pool: Name
    change: VersionNumber
    rejected_by: Person
    rejected_at: AwareDatetime
    reason: Reason


class PoolDay(Contract):
    """The accounting identity of a pool on a gaming day, with every figure exact.

    closing = opening + seed + contribution - award + reset + transfer + released. The reserve and the overflow meter
    have identities of their own. `difference_cents` is the part of the closing reading that the movements do not
    explain; it should be zero. A sign showed `shown_cents` at the end, which is never below zero.
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
    """A person reconciled the pools of a property for a gaming day, as known at the time.

    `balanced` is true if every identity holds; `exceptions` is the number of readings and settlements that differ from
    the ledger; `input_open` the number of settlements missing or refused. `rows_sha256` covers the pools as canonical
    JSON.
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
