"""Changes of pit events by two people at a desk: what somebody proposes, and what somebody else decides about it.

They stand in the journal of table inventory. An approved change takes effect there when its event comes back on
`pit.events`, behind what the pit reported; vigorish takes it from the fact. Both put it at the same place: right behind
what was said last of the event when the change was approved.
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
"""The number of a change at its property."""


class ChangeOfPitEvent(Fact, OfTableDay):
    """The change of a pit event that a fact is about: `event` is its type, `sequence` its place in the pit stream."""

    change: ChangeNumber
    event: Name
    sequence: Sequence


@fact("pit_change.proposed", INVENTORY, stream=DESK)
class PitChangeProposed(ChangeOfPitEvent):
    """Somebody proposes that what a pit event says, in its revision `replaces`, was otherwise; nothing changes yet.

    `before` is what it says and `before_at` when that happened; `instead` and `at` are what it should have been. A
    change that says nothing instead voids the event.
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
    """Somebody else approved a change.

    It counts right `behind` what was said last of the event, a place in the pit stream; `place` is that of its event in
    the desk stream of the table.
    """

    approved_by: Person
    approved_at: AwareDatetime
    behind: Sequence
    place: Sequence


@fact("pit_change.rejected", INVENTORY, stream=DESK)
class PitChangeRejected(ChangeOfPitEvent):
    """A change was rejected, or taken back by who proposed it: it never takes effect."""

    rejection_reason: Reason
    rejected_by: Person
    rejected_at: AwareDatetime


class DeskChange(Event[Any]):
    """A change as if the pit had said it: in the pit stream, behind the event `sequence`; `desk` is its number."""

    desk: Sequence


def change_of(proposed: PitChangeProposed, approved_by: str, behind: int) -> DeskChange:
    """Return a change as what voids or corrects the event, once somebody has approved it."""
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
    """Return an approved change as what voids or corrects the event."""
    return change_of(approved, approved.approved_by, approved.behind)


def event_of(approved: PitChangeApproved) -> Event[PitChangeApproval]:
    """Return the event by which an approved change takes effect: the same however often it is sent."""
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
