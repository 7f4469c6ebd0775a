"""Changes to pit events that one person proposes and another approves, instead of the pit system.

Proposal and decision are recorded in the journal of table inventory. There an approved change takes effect when its own
event is read back from `pit.events`, after the events that the pit reported; the vigorish service reads the change from
the fact. Both services place the change at the same position: directly after the last statement about the event at the
time of approval.
"""

from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Correction, Event, Name, Person, Reason, Sequence, pit_source
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import DESK, OfTableDay, PitEventData
from shared.contracts.pit import CorrectedPitEvent, PitChange, PitChangeApproval, VoidedPitEvent, desk_source
from shared.contracts.topics import INVENTORY
from shared.contracts.versions import fields_of

ChangeNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""The number of a change within its property."""


class ChangeOfPitEvent(Fact, OfTableDay):
    """The pit event and the number of its change: the fields common to facts about changes.

    `event` is the event's type, `sequence` its position in the pit stream.
    """

    change: ChangeNumber
    event: Name
    sequence: Sequence


@fact("pit_change.proposed", INVENTORY, stream=DESK)
class PitChangeProposed(ChangeOfPitEvent):
    """A person proposed to change a pit event, in its revision `replaces`; nothing changes yet.

    `before` and `before_at` are the current data and moment of the event; `instead` and `at` are the corrected ones. A
    change without `instead` voids the event.
    """

    replaces: Sequence
    before_at: AwareDatetime
    before: PitEventData
    at: AwareDatetime | None = None
    instead: PitEventData | None = None
    reason: Reason
    proposed_by: Person
    proposed_at: AwareDatetime


@fact("pit_change.approved", INVENTORY, stream=DESK)
class PitChangeApproved(PitChangeProposed, AsShown):
    """Another person approved a change.

    The change takes effect directly after position `behind` in the pit stream, which is the position of the last
    statement about the event. `place` is the position of the change's own event in the desk stream of the table.
    """

    approved_by: Person
    approved_at: AwareDatetime
    behind: Sequence
    place: Sequence


@fact("pit_change.rejected", INVENTORY, stream=DESK)
class PitChangeRejected(ChangeOfPitEvent):
    """A change was rejected, or withdrawn by its proposer: it never takes effect."""

    rejection_reason: Reason
    rejected_by: Person
    rejected_at: AwareDatetime


class DeskChange(Event[Any]):
    """A change as a pit event, placed after position `sequence` of the pit stream; `desk` is the change's number."""

    desk: Sequence


def change_of(proposed: PitChangeProposed, approved_by: str, behind: int) -> DeskChange:
    """Return the event that a proposed change becomes if it is approved."""
    correction = Correction(reason=proposed.reason, entered_by=proposed.proposed_by, approved_by=approved_by)
    about = {name: getattr(proposed, name) for name in PitChange.model_fields if name != "correction"}
    data: PitChange = VoidedPitEvent(**about, correction=correction)
    if proposed.instead is not None:
        assert proposed.at is not None, "what happened instead has a moment"
        data = CorrectedPitEvent(**about, correction=correction, at=proposed.at, instead=proposed.instead)
    return DeskChange(
        specversion="1.0",
        id=_id(proposed.change),
        source=pit_source(proposed.property, proposed.table),
        type="pit_event.voided" if proposed.instead is None else "pit_event.corrected",
        time=proposed.approved_at if isinstance(proposed, PitChangeApproved) else proposed.proposed_at,
        sequence=behind,
        data=data,
        desk=proposed.change,
    )


def approved_change(approved: PitChangeApproved) -> DeskChange:
    """Return the pit event that an approved change becomes."""
    return change_of(approved, approved.approved_by, approved.behind)


def event_of(approved: PitChangeApproved) -> Event[PitChangeApproval]:
    """Return the event that puts an approved change into effect, the same on every retry."""
    return Event[PitChangeApproval](
        specversion="1.0",
        id=_id(approved.change),
        source=desk_source(approved.property, approved.table),
        type="pit_event.change_approved",
        time=approved.approved_at,
        sequence=approved.place,
        data=PitChangeApproval(**fields_of(approved, PitChangeApproval)),
    )


def _id(change: int) -> str:
    return f"pit-change-{change}"
