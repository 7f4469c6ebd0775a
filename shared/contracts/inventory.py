"""What the entries of the table-inventory ledger say. Amounts are cents."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from shared.contracts.envelope import Contract, Digest, Identifier, Name, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.pit import Contents, SlipNumber
from shared.contracts.tables import Cents
from shared.contracts.topics import INVENTORY

SlipKind = Literal["fill", "credit"]
Movement = Literal["cash", "counter_check", "wager", "change", "transfer", "vigorish"]
"""The six ways in which anything may enter or leave a table inventory (58 Pa. Code § 465a.36(b)); there is no other."""

VarianceKind = Literal["inventory", "drop", "fill", "credit"]
Figure = Literal["opener", "closer", "fills", "credits", "currency", "counter_checks"]
"""The figures of the win of a banking table (58 Pa. Code § 601a.9(c))."""

DayStatus = Literal["open", "preliminary", "audited", "final"]

SignedCents = Annotated[int, Field(strict=True, ge=-(10**12), le=10**12)]
Number = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]


class Moved(Contract):
    """What an event did to the table inventory: the permitted movement and its value, positive into the inventory.

    `contents`, where it is known, has the counts by denomination (`chip:2500`), negative for what went out.
    """

    movement: Movement
    cents: int
    contents: dict[str, int] | None = None


@fact("pit.recorded", INVENTORY, moves_money=True)
class PitRecorded(Fact):
    """An event of a pit stream was recorded. `event` is its type, `data` what it said."""

    event: Name
    property: Name
    table: Name
    gaming_day: date
    shift: Name
    moved: Moved | None = None
    data: dict[str, Any]


@fact("round.counted", INVENTORY, moves_money=True)
class RoundCounted(Fact):
    """The chips that a settled round brought into the inventory; negative cents: that it cost, or were taken back.

    cents = handle + vigorish - (payout - meter_payout) - (account_staked - account_credited), over all wagers, and of a
    banked round + banked_handle - banked_payout + bank_collected - bank_paid.
    """

    property: Name
    table: Name
    gaming_day: date
    round_id: Identifier
    revision: int
    rounds: Literal[1, -1]
    cents: int


@fact("slip.requested", INVENTORY)
class SlipRequested(Fact):
    """The pit asked the cage for a fill, or to take a credit."""

    slip: SlipKind
    property: Name
    table: Name
    gaming_day: date
    shift: Name
    request: Number
    contents: Contents
    requested_by: Person
    requested_at: AwareDatetime


@fact("slip.prepared", INVENTORY)
class SlipPrepared(SlipRequested):
    """The cage prepared the slip, under the next number of its series."""

    number: SlipNumber
    prepared_by: Person
    prepared_at: AwareDatetime


class SlipStep(Fact):
    """A step of a prepared slip at the cage."""

    slip: SlipKind
    property: Name
    table: Name
    gaming_day: date
    number: SlipNumber


@fact("slip.credit_received", INVENTORY, moves_money=True)
class CreditReceived(SlipStep):
    """The cage received a credit; `contents` is what arrived."""

    contents: Contents
    received_by: Person
    received_at: AwareDatetime


@fact("slip.voided", INVENTORY, moves_money=True)
class SlipVoided(SlipStep):
    """A slip is void. Its number stays used; `returned` is what was on its way and went back."""

    returned: Contents = ()
    reason: Reason
    voided_by: Person
    voided_at: AwareDatetime


class ManualSlip(Contract):
    """A numbered paper slip, written while the system was away, with the five people who signed it."""

    slip: SlipKind
    property: Name
    table: Name
    gaming_day: date
    shift: Name
    number: SlipNumber
    contents: Contents
    occurred_at: AwareDatetime
    requested_by: Person
    prepared_by: Person
    carried_by: Person
    received_by: Person
    observed_by: Person
    reason: Reason


@fact("manual_slip.entered", INVENTORY, moves_money=True)
class ManualSlipEntered(Fact, ManualSlip):
    """A paper slip was entered afterwards."""

    late: Literal[True] = True
    entered_by: Person
    entered_at: AwareDatetime


@fact("manual_slip.voided", INVENTORY)
class ManualSlipVoided(Fact):
    """A numbered paper form was spoilt: its number is accounted for, and nothing moved."""

    slip: SlipKind
    property: Name
    gaming_day: date
    number: SlipNumber
    reason: Reason
    voided_by: Person
    voided_at: AwareDatetime


@fact("count.opened", INVENTORY)
class CountOpened(Fact):
    """A count of drop boxes began. Nothing of it is known outside until it is concluded (58 Pa. Code § 465a.25)."""

    property: Name
    gaming_day: date
    count: Number
    opened_by: Person
    opened_at: AwareDatetime


class BoxRef(Contract):
    """A drop box as it came off a table: `exchange` is the sequence of its `box.exchanged` in the pit stream."""

    table: Name
    exchange: Number


@fact("count.sealed", INVENTORY)
class CountSealed(Fact, BoxRef):
    """A person counted a box. Only the commitment is public: the figures and the salt come with the conclusion.

    `commitment` is the SHA-256, in hexadecimal, of `{"figures": …, "salt": …}` as canonical JSON.
    """

    property: Name
    gaming_day: date
    count: Number
    turn: Number
    commitment: Digest
    counted_by: Person
    counted_at: AwareDatetime


class CurrencyPieces(Contract):
    """So many notes or coins of one denomination."""

    cents: Cents
    count: Annotated[int, Field(strict=True, ge=1, le=10**7)]


class CheckInBox(Contract):
    """The issuance copy of a counter check."""

    serial: Identifier
    cents: Cents


class CouponsInBox(Contract):
    """Coupons of one kind and stated value."""

    coupon: Name
    cents: Cents
    count: Annotated[int, Field(strict=True, ge=1, le=10**6)]


class BoxFigures(Contract):
    """What was in a box: currency and counter checks are drop; coupons are counted and never are (§ 601a.9(c)(3))."""

    currency: Annotated[tuple[CurrencyPieces, ...], Field(max_length=64)] = ()
    counter_checks: Annotated[tuple[CheckInBox, ...], Field(max_length=1000)] = ()
    coupons: Annotated[tuple[CouponsInBox, ...], Field(max_length=200)] = ()


class BoxTurn(Contract):
    """One counting of a box, opened."""

    turn: Number
    counted_by: Person
    salt: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    figures: BoxFigures


class CountedBox(BoxRef):
    """A box as counted: what two people found independently, and every turn that it took."""

    box: Name
    gaming_day: date
    shift: Name
    figures: BoxFigures
    currency_cents: int
    counter_checks_cents: int
    coupons_cents: int
    turns: tuple[BoxTurn, ...]


@fact("count.concluded", INVENTORY, moves_money=True)
class CountConcluded(Fact):
    """A count ended: its figures are opened and posted."""

    property: Name
    gaming_day: date
    count: Number
    boxes: tuple[CountedBox, ...]
    concluded_by: Person
    concluded_at: AwareDatetime


class VarianceRef(Fact):
    """A difference: of a table inventory at a count, of a box, or of a slip between sender and receiver.

    `number` is the sequence of the count or of the box exchange in the pit stream, or the number of the slip.
    """

    property: Name
    table: Name
    variance: VarianceKind
    number: Number
    gaming_day: date
    cents: SignedCents


@fact("variance.owned", INVENTORY)
class VarianceOwned(VarianceRef):
    """A variance has somebody who explains it."""

    owner: Person
    by: Person
    at: AwareDatetime


@fact("variance.resolved", INVENTORY, moves_money=True)
class VarianceResolved(VarianceRef):
    """A variance was investigated; the books follow what was counted."""

    owner: Person
    conclusion: Reason
    at: AwareDatetime


@fact("adjustment.entered", INVENTORY)
class AdjustmentEntered(Fact):
    """Somebody wants to adjust a figure of a gaming day; it waits for somebody else's approval."""

    property: Name
    gaming_day: date
    adjustment: Number
    table: Name
    shift: Name
    figure: Figure
    cents: SignedCents
    reason: Reason
    status: DayStatus
    entered_by: Person
    entered_at: AwareDatetime


@fact("adjustment.approved", INVENTORY, moves_money=True)
class AdjustmentApproved(AdjustmentEntered):
    """An adjusting entry, dated when it was approved."""

    approved_by: Person
    approved_at: AwareDatetime


@fact("adjustment.rejected", INVENTORY)
class AdjustmentRejected(AdjustmentEntered):
    """An adjustment that was turned down."""

    rejected_by: Person
    rejected_at: AwareDatetime
    rejection_reason: Reason


class ExcusedTable(Contract):
    """A table without a record of the day, and why that is right."""

    table: Name
    reason: Reason


class DayClosed(Fact):
    """A gaming day was closed one step further."""

    property: Name
    gaming_day: date
    by: Person
    at: AwareDatetime


@fact("day.preliminary", INVENTORY)
class DayPreliminary(DayClosed):
    """All that belongs to the day is there."""

    excused: tuple[ExcusedTable, ...] = ()


@fact("day.audited", INVENTORY)
class DayAudited(DayClosed):
    """Revenue audit has been through the day."""


@fact("day.final", INVENTORY)
class DayFinal(DayClosed):
    """The day is sealed: `hash` is the SHA-256 of `report` as canonical JSON. What follows is an adjusting entry."""

    hash: Digest
    report: dict[str, Any]
