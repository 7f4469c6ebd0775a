"""Commands about chips in service before the books began: one person enters them, another approves them."""

from datetime import date
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.entered import EnteredKind
from services.table_inventory.domain.chips_in_service import (
    ChipsInServiceDocument,
    PutIn,
    cents_of,
    in_service,
    put_in_since,
    require_without_arrivals,
)
from services.table_inventory.domain.entered import next_revision
from services.table_inventory.domain.locations import require_held
from services.table_inventory.queries.chips_in_service import find_chips_in_service, read_chips_in_service, read_put_in
from services.table_inventory.queries.places import find_place
from shared.contracts.cage_locations import money_of
from shared.contracts.chips_in_service import (
    ChipsBroughtForward,
    ChipsInServiceApproved,
    ChipsInServiceEntered,
    ChipsInServiceRejected,
    OwnChips,
)
from shared.contracts.envelope import Name
from shared.contracts.envelope import Reason as Text
from shared.contracts.inventory import Number
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import fields_of
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import CHIPS_IN_SERVICE
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, as_loaded

COMMANDS: Final = Commands()


class EnterChipsInService(Command):
    """Enter the chips that were in service before the books of the cage began.

    List all of the property's own chips by set and denomination, wherever they were as a gaming day began: at the cage,
    at tables, with patrons. A later entry replaces the approved one. Another person must approve it.
    """

    property: Name
    gaming_day: Annotated[date, Field(description="as it began, these were in service")]
    contents: Annotated[OwnChips, Field(description="by chip set and denomination; none of a house that just opened")]
    source: Annotated[Text, Field(description="what it is taken from: a chip inventory ledger, a count, invoices")]


class Entering(NamedTuple):
    """The state for entering an opening position: the property on its gaming day, and the revisions, latest first.

    `put_in` are all chips that came into service from the manufacturer or left it to be destroyed.
    """

    place: PropertySnapshot
    revisions: list[ChipsInServiceDocument]
    put_in: list[PutIn]


async def _entering(connection: AsyncConnection, command: EnterChipsInService) -> Entering:
    place = await find_place(connection, command.property, command.gaming_day)
    return Entering(
        place,
        await read_chips_in_service(connection, command.property),
        await read_put_in(connection, command.property),
    )


@COMMANDS.handles(EnterChipsInService, load=_entering)
def enter(command: EnterChipsInService, state: Entering, now: Now) -> Accepted:
    """Enter an opening position as the next revision."""
    place, revisions, passed = state
    if command.gaming_day > place.gaming_day(now.at):
        raise Rejected(Reason.TOO_EARLY, f"gaming day {command.gaming_day} has not come yet")
    require_held(place, command.contents)
    number = next_revision(revisions)
    approved = next((one for one in revisions if one.status == "approved"), None)
    before = None if approved is None else ChipsBroughtForward(**fields_of(approved, ChipsBroughtForward))
    if before is not None and before.is_same(ChipsBroughtForward(**fields_of(command, ChipsBroughtForward))):
        raise Rejected(Reason.NOT_ALLOWED, f"these are the chips in service at {command.property} already")
    put_in = put_in_since(passed, command.gaming_day)
    if approved is not None:
        require_without_arrivals(command.contents, put_in, approved, passed)
    fact = ChipsInServiceEntered(
        **dict(command),
        revision=number,
        stated_cents=money_of(command.contents),
        before=before,
        before_revision=None if approved is None else approved.revision,
        before_stated_cents=None if approved is None else money_of(approved.contents),
        put_in_since_cents=cents_of(put_in),
        in_service_cents=cents_of(in_service(command.contents, put_in)),
        entered_by=now.by,
        entered_at=now.at,
    )
    return Accepted(recording=FactWithPostings(fact=fact), answer=ChipsInServiceDocument(**dict(fact)))


class _OfRevision(Command):
    property: Name
    revision: Number


class ApproveChipsInService(_OfRevision, Approving):
    """Approve the chips that were in service before the books began.

    Chips outstanding are computed from them.
    """


class RejectChipsInService(_OfRevision):
    """Reject the chips that were entered as in service before the books began.

    The position approved before, if any, still holds.
    """

    reason: Text


async def _entered(connection: AsyncConnection, command: _OfRevision) -> ChipsInServiceDocument:
    """Return a revision. Raises: Rejected if there is none."""
    return await find_chips_in_service(connection, command.property, command.revision)


_POSITIONS: Final = EnteredKind(CHIPS_IN_SERVICE, ChipsInServiceEntered, ChipsInServiceApproved, ChipsInServiceRejected)


@COMMANDS.handles(ApproveChipsInService, load=_entered, subject=as_loaded)
def approve(command: ApproveChipsInService, entered: ChipsInServiceDocument, now: Now) -> Accepted:
    """Approve an opening position."""
    del command
    return _POSITIONS.approve(entered, now)


@COMMANDS.handles(RejectChipsInService, load=_entered)
def reject(command: RejectChipsInService, entered: ChipsInServiceDocument, now: Now) -> Accepted:
    """Reject an opening position."""
    return _POSITIONS.reject(entered, command.reason, now)
