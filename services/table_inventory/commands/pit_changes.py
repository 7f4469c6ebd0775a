"""Commands about changes to pit events: propose to void or correct an event, decide on a proposal."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.pit_changes import (
    SOMEBODY,
    PitChangeDocument,
    PitChangeItem,
    PitDesk,
    PitVoidDocument,
    approval_of,
    change_document,
    effects_of,
    instead_of,
)
from services.table_inventory.queries.knowing import read_known
from services.table_inventory.queries.pit_changes import (
    content_of,
    find_change,
    find_event,
    items_of,
    last_place,
    sealed_of,
    waiting_change,
)
from services.table_inventory.tables import pit_changes, properties
from shared.contracts.envelope import Correction, Name, Sequence, WrittenMoment, pit_source
from shared.contracts.envelope import Reason as Text
from shared.contracts.pit import CorrectedPitEvent, PitChange, VoidedPitEvent
from shared.contracts.pit_changes import (
    ChangeNumber,
    ChangeOfPitEvent,
    DeskChange,
    PitChangeApproved,
    PitChangeProposed,
    PitChangeRejected,
    approved_change,
    change_of,
)
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import fields_of
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import Decision
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.rows import last_number

COMMANDS: Final = Commands()


class ProposePitChange(Command):
    """Propose to void or to correct a pit event.

    A correction contains the event's complete corrected data and its time; a void contains neither. Another person
    must approve the change.
    """

    property: Annotated[Name, Field(description="the property")]
    table: Annotated[Name, Field(description="the table")]
    sequence: Annotated[Sequence, Field(description="the sequence of the event in the pit stream of the table")]
    replaces: Annotated[Sequence, Field(description="the wrong revision, as it was read")]
    at: WrittenMoment | None = Field(default=None, description="when the event happened; left out to void it")
    instead: dict[str, Any] | None = Field(
        default=None, description="the complete corrected data of the event; left out to void it"
    )
    reason: Text


class _OfPitChange(Command):
    property: Annotated[Name, Field(description="the property")]
    change: Annotated[ChangeNumber, Field(description="the number of the change")]


class ApprovePitChange(_OfPitChange, Approving):
    """Approve a change to a pit event, which then takes effect.

    Compare the event before and after the change first. People cannot approve their own proposals.
    """


class RejectPitChange(_OfPitChange):
    """Reject a change to a pit event.

    Nothing changes. Proposers withdraw their own proposal in this way.
    """

    reason: Text


@dataclass(frozen=True, slots=True)
class _Asked:
    """A change read from the journal, its status, its event, and the last sequence in its table's desk stream."""

    proposed: PitChangeProposed
    status: str
    desk: PitDesk
    last: int


async def change_shown(connection: AsyncConnection, property_name: str, change: int) -> PitChangeDocument:
    """Return a change for display, with the event before and after. Raises: Rejected if it does not exist."""
    row = await find_change(connection, property_name, change)
    [item] = await items_of(connection, [row])
    proposed = await content_of(connection, row)
    return change_document(item, proposed, await _desk_of(connection, proposed))


async def _desk_of(connection: AsyncConnection, proposed: PitChangeProposed) -> PitDesk:
    return await _desk(connection, change_of(proposed, "-", proposed.sequence))


async def _desk(connection: AsyncConnection, change: DeskChange) -> PitDesk:
    """Return the data that a decision on a change depends on."""
    data = change.data
    key = (data.property, data.table, data.sequence)
    found = await find_event(connection, *key)
    places = await known_places(connection, properties)
    known = await read_known(connection, places.place, [change])
    return PitDesk(found, known, await waiting_change(connection, *key))


@dataclass(frozen=True, slots=True)
class _Proposing:
    """A proposal (its fields, its draft event), the data to decide on it, and the property's last change number."""

    about: dict[str, Any]
    draft: DeskChange
    desk: PitDesk
    last: int


async def void_shown(connection: AsyncConnection, property_name: str, table: str, sequence: int) -> PitVoidDocument:
    """Return the effects of voiding a pit event. Raises: Rejected if the event is unknown or already void."""
    key = {"property": property_name, "table": table, "sequence": sequence}
    found = await find_event(connection, property_name, table, sequence)
    state = await _proposing(connection, ProposePitChange(**key, replaces=max(found.revision, 1), reason="-"))
    try:
        state.desk.require_standing(found.revision, "the void")
    except Rejected as rejected:
        return PitVoidDocument(refused=rejected.detail)
    effects = effects_of(state.draft, state.desk)
    sealed = await sealed_of(connection, property_name, effects.restates)
    return PitVoidDocument(**dict(effects), sealed=sealed)


async def _proposing(connection: AsyncConnection, command: ProposePitChange) -> _Proposing:
    found = await find_event(connection, command.property, command.table, command.sequence)
    fact, at = found.standing(command.replaces, "the change")
    if (command.at is None) != (command.instead is None):
        raise Rejected(Reason.NOT_ALLOWED, "a correction has both 'at' and 'instead', a void has neither")
    about = {name: getattr(command, name) for name in ("property", "table", "sequence", "replaces", "at", "reason")}
    about |= {"event": fact.event, "gaming_day": fact.gaming_day, "before": fact.data, "before_at": at}
    data: PitChange
    of = {name: about[name] for name in ("property", "table", "event", "sequence")}
    correction = Correction(reason=command.reason, entered_by="-", approved_by=SOMEBODY)
    if command.instead is None:
        data = VoidedPitEvent(**of, correction=correction)
    else:
        about["instead"] = instead_of(fact.event, command.instead)
        if (about["instead"].property, about["instead"].table) != (command.property, command.table):
            raise Rejected(Reason.NOT_ALLOWED, "'instead' is of another table: void it here, and report it there")
        if (about["instead"], command.at) == (fact.data, at):
            raise Rejected(Reason.NOT_ALLOWED, f"{found.name} says that already: change 'at' or 'instead'")
        data = CorrectedPitEvent(**of, correction=correction, at=command.at, instead=about["instead"])
    draft = DeskChange(
        specversion="1.0",
        id="draft",
        source=pit_source(command.property, command.table),
        type="pit_event.voided",
        time=command.at or at,
        sequence=found.last.sequence,
        data=data,
        desk=1,
    )
    last = await last_number(connection, pit_changes, "change", property=command.property)
    return _Proposing(about, draft, await _desk(connection, draft), last)


@COMMANDS.handles(ProposePitChange, load=_proposing)
def propose(command: ProposePitChange, state: _Proposing, now: Now) -> Accepted:
    """Record the proposal under the next number, if the change would be possible now."""
    fact = PitChangeProposed(**state.about, change=state.last + 1, proposed_by=now.by, proposed_at=now.at)
    state.desk.require_standing(command.replaces, "the change")
    state.desk.led_to(change_of(fact, SOMEBODY, state.desk.found.last.sequence))
    location = f"/pit-changes/{fact.property}/{fact.change}"
    return Accepted(recording=FactWithPostings(fact=fact), answer=_item(fact), location=location)


async def _asked(connection: AsyncConnection, command: _OfPitChange) -> _Asked:
    row = await find_change(connection, command.property, command.change)
    proposed = await content_of(connection, row)
    last = await last_place(connection, row.property, row.table)
    return _Asked(proposed, row.status, await _desk_of(connection, proposed), last)


async def _before_approving(connection: AsyncConnection, command: ApprovePitChange) -> tuple[PitChangeDocument, _Asked]:
    shown = await change_shown(connection, command.property, command.change)
    return shown, await _asked(connection, command)


@COMMANDS.handles(ApprovePitChange, load=_before_approving, subject=first_loaded)
def approve(command: ApprovePitChange, state: tuple[PitChangeDocument, _Asked], now: Now) -> Accepted:
    """Approve the change, if it is still possible."""
    _, asked = state
    approval = approval_of(asked.proposed, asked.status)
    approval.approve(now.by)
    asked.desk.require_standing(asked.proposed.replaces, approval.name)
    fact = PitChangeApproved(
        **dict(asked.proposed),
        approved_by=now.by,
        approved_at=now.at,
        behind=asked.desk.found.last.sequence,
        place=asked.last + 1,
        subject_sha256=command.subject_sha256,
    )
    asked.desk.led_to(approved_change(fact))
    decided = {"status": "approved", "approved_by": now.by, "approved_at": now.at, "effect": "waiting"}
    return Accepted(recording=FactWithPostings(fact=fact), answer=_item(fact, **decided))


@COMMANDS.handles(RejectPitChange, load=_asked)
def reject(command: RejectPitChange, asked: _Asked, now: Now) -> Accepted:
    """Reject the change."""
    approval_of(asked.proposed, asked.status).reject()
    rejected = {"rejected_by": now.by, "rejected_at": now.at, "rejection_reason": command.reason}
    fact = PitChangeRejected(**fields_of(asked.proposed, ChangeOfPitEvent), **rejected)
    answer = _item(asked.proposed, status=Decision.REJECTED, **rejected)
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer)


def _item(fact: PitChangeProposed, **decided: Any) -> PitChangeItem:
    said = {name: getattr(fact, name) for name in PitChangeItem.model_fields if hasattr(fact, name)}
    return PitChangeItem.model_validate(said | {"voids": fact.instead is None} | decided)
