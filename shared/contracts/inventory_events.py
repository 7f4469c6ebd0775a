"""What the table-inventory ledger publishes on `inventory`: its journal, entry by entry. Amounts are cents."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from shared.contracts.inventory_facts import (
    AdjustmentApproved,
    AdjustmentEntered,
    AdjustmentRejected,
    CommandRefused,
    CountConcluded,
    CountOpened,
    CountSealed,
    CreditReceived,
    DayAudited,
    DayFinal,
    DayPreliminary,
    ManualSlipEntered,
    ManualSlipVoided,
    PitRecorded,
    RoundCounted,
    SettlementPassed,
    SlipPrepared,
    SlipRequested,
    SlipVoided,
    VarianceOwned,
    VarianceResolved,
)
from shared.contracts.refusals import RequestRefusedEvent
from shared.contracts.settlement_events import (
    DismissedEvent,
    EntryEvent,
    GapFilledEvent,
    GapOpenedEvent,
    MendedEvent,
    QuarantinedEvent,
)
from shared.rules.errors import refused_by_validation

TOPIC = "inventory"


class PitRecordedEvent(EntryEvent[PitRecorded]):
    """An event of a pit stream."""

    type: Literal["pit.recorded"]


class RoundCountedEvent(EntryEvent[RoundCounted]):
    """The chips of a settled round."""

    type: Literal["round.counted"]


class SettlementPassedEvent(EntryEvent[SettlementPassed]):
    """A settlement entry without chips."""

    type: Literal["settlement.passed"]


class SlipRequestedEvent(EntryEvent[SlipRequested]):
    """A fill or credit was requested."""

    type: Literal["slip.requested"]


class SlipPreparedEvent(EntryEvent[SlipPrepared]):
    """A slip was prepared."""

    type: Literal["slip.prepared"]


class CreditReceivedEvent(EntryEvent[CreditReceived]):
    """A credit arrived at the cage."""

    type: Literal["slip.credit_received"]


class SlipVoidedEvent(EntryEvent[SlipVoided]):
    """A slip was voided."""

    type: Literal["slip.voided"]


class ManualSlipEnteredEvent(EntryEvent[ManualSlipEntered]):
    """A paper slip was entered late."""

    type: Literal["manual_slip.entered"]


class ManualSlipVoidedEvent(EntryEvent[ManualSlipVoided]):
    """A paper form was spoilt."""

    type: Literal["manual_slip.voided"]


class CountOpenedEvent(EntryEvent[CountOpened]):
    """A count began."""

    type: Literal["count.opened"]


class CountSealedEvent(EntryEvent[CountSealed]):
    """A box was counted, under seal."""

    type: Literal["count.sealed"]


class CountConcludedEvent(EntryEvent[CountConcluded]):
    """A count was concluded."""

    type: Literal["count.concluded"]


class VarianceOwnedEvent(EntryEvent[VarianceOwned]):
    """A variance has an owner."""

    type: Literal["variance.owned"]


class VarianceResolvedEvent(EntryEvent[VarianceResolved]):
    """A variance was resolved."""

    type: Literal["variance.resolved"]


class AdjustmentEnteredEvent(EntryEvent[AdjustmentEntered]):
    """An adjustment was proposed."""

    type: Literal["adjustment.entered"]


class AdjustmentApprovedEvent(EntryEvent[AdjustmentApproved]):
    """An adjusting entry."""

    type: Literal["adjustment.approved"]


class AdjustmentRejectedEvent(EntryEvent[AdjustmentRejected]):
    """An adjustment was turned down."""

    type: Literal["adjustment.rejected"]


class DayPreliminaryEvent(EntryEvent[DayPreliminary]):
    """A gaming day is preliminary."""

    type: Literal["day.preliminary"]


class DayAuditedEvent(EntryEvent[DayAudited]):
    """A gaming day is audited."""

    type: Literal["day.audited"]


class DayFinalEvent(EntryEvent[DayFinal]):
    """A gaming day is final."""

    type: Literal["day.final"]


class InventoryRefusedEvent(EntryEvent[CommandRefused]):
    """A command was refused."""

    type: Literal["inventory.refused"]


InventoryEvent = (
    PitRecordedEvent
    | RoundCountedEvent
    | SettlementPassedEvent
    | SlipRequestedEvent
    | SlipPreparedEvent
    | CreditReceivedEvent
    | SlipVoidedEvent
    | ManualSlipEnteredEvent
    | ManualSlipVoidedEvent
    | CountOpenedEvent
    | CountSealedEvent
    | CountConcludedEvent
    | VarianceOwnedEvent
    | VarianceResolvedEvent
    | AdjustmentEnteredEvent
    | AdjustmentApprovedEvent
    | AdjustmentRejectedEvent
    | DayPreliminaryEvent
    | DayAuditedEvent
    | DayFinalEvent
    | InventoryRefusedEvent
    | RequestRefusedEvent
    | GapOpenedEvent
    | GapFilledEvent
    | QuarantinedEvent
    | MendedEvent
    | DismissedEvent
)

_adapter: TypeAdapter[InventoryEvent] = TypeAdapter(Annotated[InventoryEvent, Field(discriminator="type")])


def decode(raw: bytes) -> InventoryEvent:
    """The event in the bytes of a Kafka record. Raises: Refused."""
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error
