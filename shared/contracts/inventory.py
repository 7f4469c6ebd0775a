"""Facts of the table-inventory ledger. Amounts are cents."""

from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, BeforeValidator, Field, SerializeAsAny, ValidationInfo, WithJsonSchema

from shared.contracts.approvals import AsShown
from shared.contracts.chips import Contents
from shared.contracts.envelope import Contract, Correction, Digest, Identifier, Name, Person, Reason
from shared.contracts.facts import KINDS, Fact, fact
from shared.contracts.journal_facts import EntryRange
from shared.contracts.pit import PitData, SaidAtDesk, SlipNumber
from shared.contracts.reports import ReportStatus
from shared.contracts.topics import INVENTORY, INVENTORY_ROUNDS

SlipKind = Literal["fill", "credit"]
Movement = Literal["cash", "counter_check", "wager", "change", "transfer", "vigorish"]
"""The six permitted movements into or out of a table inventory (58 Pa. Code § 465a.36(b)); there is no other."""

VarianceKind = Literal["inventory", "drop", "fill", "credit"]
Figure = Literal["fills", "credits", "currency", "counter_checks", "rake"]
"""The figures that can be adjusted: those of a banking table's win (58 Pa. Code § 601a.9(c)), and `rake`, the revenue
of a non-banking table. An opener or closer cannot be adjusted: it is a count, and a correction of it changes the
periods before and after it.
"""

SignedCents = Annotated[int, Field(strict=True, ge=-(10**12), le=10**12)]
Number = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]

NonBanking = Literal[True] | None
"""Marks a non-banking table: its revenue is its rake, and it has no win."""

DESK: Final = "/properties/{property}/inventory"
"""The stream of actions that people take at the desks of a property."""


class OfTableDay(Contract):
    """A table on a gaming day."""

    property: Name
    table: Name
    gaming_day: date


class Moved(Contract):
    """An event's effect on the table inventory: the kind of movement, and its value (positive: into the inventory).

    `contents`, if known, has the counts by denomination (`chip:2500`), negative for pieces that went out.
    """

    movement: Movement
    cents: int
    contents: dict[str, int] | None = None


def _of_its_type(data: Any, info: ValidationInfo) -> Any:
    """Validate the data of a pit event with the model of its type."""
    event = info.data.get("event", "")
    if data is None or isinstance(data, PitData) or event not in KINDS:
        return data
    return KINDS[event].model.model_validate(data)


PitEventData = Annotated[SerializeAsAny[PitData], BeforeValidator(_of_its_type), WithJsonSchema({"type": "object"})]
"""The data of a pit event of any type; the field `event`, declared before it, gives the type."""


class OfPitEvent(OfTableDay):
    """An event of a pit stream: `event` is its type, `data` its data.

    `sequence` is its position in the pit stream of the table, by which counts, boxes and variances refer to it, even
    after corrections. If the event states a wrong gaming day, it is recorded under the gaming day of its moment, and
    `claimed_day` is the stated one. `slip_day` is the gaming day of the event's slip, if it differs from the event's.
    """

    event: Name
    sequence: Number
    shift: Name
    moved: Moved | None = None
    claimed_day: date | None = None
    slip_day: date | None = None
    non_banking: NonBanking = None
    data: PitEventData


@fact("pit.recorded", INVENTORY, moves_money=True)
class PitRecorded(Fact, OfPitEvent, SaidAtDesk):
    """A pit event was recorded.

    `revision` is set from the second recording on; `correction` is the reason for replacing the previous one.
    """

    revision: Number | None = None
    correction: Correction | None = None


@fact("pit.voided", INVENTORY, moves_money=True)
class PitVoided(Fact, OfPitEvent, SaidAtDesk):
    """The record of a pit event was reversed: `data` is its data, `moved` the opposite of its movement.

    `revision`, moment and gaming day are those of the reversed record. If the record is replaced, the replacement is
    recorded together with this fact.
    """

    revision: Number = 1
    correction: Correction


@fact("pit.noted", INVENTORY)
class PitNoted(Fact, OfTableDay, SaidAtDesk):
    """A pit event has no effect, because a later change to it was already recorded or it voids an unrecorded event.

    `event` is its type, `sequence` its position in the pit stream, and `data` its data, which a void does not have.
    """

    event: Name
    sequence: Number
    correction: Correction | None = None
    data: PitEventData | None = None


@fact("round.counted", INVENTORY_ROUNDS, moves_money=True)
class TableRoundCounted(Fact, OfTableDay):
    """The chips that a settled round added to the inventory, in cents; negative if it removed chips, or in a reversal.

    cents = handle + vigorish - (payout - meter_payout) - (account_staked - account_credited), over all wagers, and for
    a banked round + banked_handle - banked_payout + bank_collected - bank_paid.
    """

    round_id: Identifier
    revision: int
    rounds: Literal[1, -1]
    cents: int


@fact("result.noted", INVENTORY_ROUNDS)
class TableResultNoted(Fact, OfTableDay):
    """A result of a counted table was noted as evidence of play (`results` 1) or withdrawn (-1). No chips move."""

    results: Literal[1, -1]


@fact("slip.requested", INVENTORY, stream=DESK)
class SlipRequested(Fact, OfTableDay):
    """The pit requested a fill, or a credit, from the cage."""

    slip: SlipKind
    shift: Name
    request: Number
    contents: Contents
    requested_by: Person
    requested_at: AwareDatetime


@fact("slip.request_withdrawn", INVENTORY, stream=DESK)
class RequestWithdrawn(Fact, OfTableDay):
    """The pit withdrew a request before a slip was prepared for it."""

    slip: SlipKind
    request: Number
    withdrawal_reason: Reason
    withdrawn_by: Person
    withdrawn_at: AwareDatetime


@fact("slip.prepared", INVENTORY, stream=DESK)
class SlipPrepared(SlipRequested, AsShown):
    """The cage prepared the slip, under the next number of its series."""

    number: SlipNumber
    prepared_by: Person
    prepared_at: AwareDatetime


class SlipStep(Fact, OfTableDay):
    """A step of a prepared slip at the cage."""

    slip: SlipKind
    number: SlipNumber


@fact("slip.credit_received", INVENTORY, moves_money=True, stream=DESK)
class CreditReceived(SlipStep, AsShown):
    """The cage received a credit."""

    received_contents: Contents
    received_by: Person
    received_at: AwareDatetime


@fact("slip.voided", INVENTORY, moves_money=True, stream=DESK)
class SlipVoided(SlipStep):
    """A slip was voided. Its number stays used; the chips in `returned` were in transit and went back."""

    returned: Contents = ()
    non_banking: NonBanking = None
    void_reason: Reason
    voided_by: Person
    voided_at: AwareDatetime


class ManualSlip(OfTableDay):
    """A numbered paper slip, written while the system was unavailable, with the people who signed it.

    A credit is signed by the person who surrendered the chips.
    """

    slip: SlipKind
    shift: Name
    number: SlipNumber
    contents: Contents
    occurred_at: AwareDatetime
    requested_by: Person
    prepared_by: Person
    surrendered_by: Person | None = None
    carried_by: Person
    received_by: Person
    observed_by: Person
    reason: Reason


@fact("manual_slip.entered", INVENTORY, moves_money=True, stream=DESK)
class ManualSlipEntered(Fact, ManualSlip):
    """A paper slip, written while the system was unavailable, was entered."""

    late: Literal[True] = True
    non_banking: NonBanking = None
    entered_by: Person
    entered_at: AwareDatetime


@fact("manual_slip.voided", INVENTORY, stream=DESK)
class ManualSlipVoided(Fact):
    """A numbered paper form was spoiled: its number is accounted for, and no chips move."""

    slip: SlipKind
    property: Name
    gaming_day: date
    number: SlipNumber
    reason: Reason
    entered_by: Person
    entered_at: AwareDatetime


class VarianceRef(Fact, OfTableDay):
    """A variance: of a table inventory at a count, of a box, or of a slip between sender and receiver.

    `number` is the sequence of the count or of the box exchange in the pit stream, or the number of the slip.
    """

    variance: VarianceKind
    number: Number
    cents: SignedCents


@fact("variance.owned", INVENTORY, stream=DESK)
class VarianceOwned(VarianceRef):
    """A variance was assigned to an owner who must explain it."""

    owner: Person
    owned_at: AwareDatetime
    named_by: Person


@fact("variance.resolved", INVENTORY, moves_money=True, stream=DESK)
class VarianceResolved(VarianceRef, AsShown):
    """A variance was investigated and resolved; the books keep the counted amount.

    `by_instrument` splits the variance of a drop box.
    """

    by_instrument: dict[Literal["currency", "counter_check"], SignedCents] | None = None
    owner: Person
    conclusion: Reason
    resolved_at: AwareDatetime


@fact("adjustment.entered", INVENTORY, stream=DESK)
class AdjustmentEntered(Fact, OfTableDay):
    """An adjustment of a gaming day's figure was entered; it awaits another person's approval."""

    adjustment: Number
    shift: Name
    figure: Figure
    cents: SignedCents
    reason: Reason
    day_status: ReportStatus
    entered_by: Person
    entered_at: AwareDatetime


@fact("adjustment.approved", INVENTORY, moves_money=True, stream=DESK)
class AdjustmentApproved(AdjustmentEntered, AsShown):
    """An adjustment was approved: its adjusting entry has the date of the approval."""

    approved_by: Person
    approved_at: AwareDatetime


@fact("adjustment.rejected", INVENTORY, stream=DESK)
class AdjustmentRejected(AdjustmentEntered):
    """An adjustment was rejected."""

    rejected_by: Person
    rejected_at: AwareDatetime
    rejection_reason: Reason


class OfBox(OfTableDay):
    """A drop box that cannot be counted: an exchange removed it, or an exchange placed it and it never came back.

    `exchange` is the sequence of the exchange in the pit stream of the table.
    """

    shift: Name
    box: Name
    exchange: Number
    which: Literal["removed", "placed"]


@fact("box.write_off_entered", INVENTORY, stream=DESK)
class WriteOffEntered(Fact, OfBox):
    """A write-off of a drop box that cannot be counted was entered; it awaits another person's approval."""

    write_off: Number
    reason: Reason
    entered_by: Person
    entered_at: AwareDatetime


@fact("box.written_off", INVENTORY, stream=DESK)
class BoxWrittenOff(WriteOffEntered, AsShown):
    """A drop box was written off: no count of it is expected."""

    approved_by: Person
    approved_at: AwareDatetime


@fact("box.write_off_rejected", INVENTORY, stream=DESK)
class WriteOffRejected(WriteOffEntered):
    """The write-off of a drop box was rejected: its count is still expected."""

    rejected_by: Person
    rejected_at: AwareDatetime
    rejection_reason: Reason


class EntryOfSettlement(Contract):
    """The position of an entry in the journal of round settlement."""

    shard: int
    seq: int


@fact("upstream.noted", INVENTORY_ROUNDS)
class UpstreamNoted(Fact):
    """Round settlement reported that input is missing or was refused, or that such a problem was resolved.

    `property` is set if it can be determined. In the stream `source`, the events `first` to `last` are missing, or the
    missing event `filled` arrived late. `quarantined` is the entry of a refused record, and `sequence` the stream
    position that the record claims. `closed` are the entries of records that were repaired (`mended`) or dismissed, and
    `closed_ranges` those of records dismissed in bulk.
    """

    property: Name | None = None
    source: str | None = None
    first: int | None = None
    last: int | None = None
    filled: int | None = None
    quarantined: EntryOfSettlement | None = None
    sequence: int | None = None
    closed: tuple[EntryOfSettlement, ...] = ()
    closed_ranges: tuple[EntryRange, ...] = ()
    mended: bool = False
    reason: str | None = None


class ExcusedTable(Contract):
    """A table without a record for the day, and why that is correct."""

    table: Name
    reason: Reason


class DayClosed(Fact):
    """A gaming day reached the next stage of its close."""

    property: Name
    gaming_day: date


@fact("day.preliminary", INVENTORY, stream=DESK)
class DayPreliminary(DayClosed):
    """A gaming day was closed: everything that belongs to it was recorded."""

    preliminary_by: Person
    preliminary_at: AwareDatetime
    excused: tuple[ExcusedTable, ...] = ()


@fact("day.audited", INVENTORY, stream=DESK)
class DayAudited(DayClosed, AsShown):
    """Revenue audit has reviewed the day."""

    audited_by: Person
    audited_at: AwareDatetime


@fact("day.final", INVENTORY, stream=DESK)
class DayFinal(DayClosed, AsShown):
    """A gaming day was sealed: `hash` is the SHA-256 of `report` as canonical JSON. Later changes are restatements."""

    final_by: Person
    final_at: AwareDatetime
    hash: Digest
    report: dict[str, Any]
