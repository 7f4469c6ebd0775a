"""Commands about chips in service before the books began: one person enters them, another approves them."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.entered import EnteredKind
from services.table_inventory.commands.nothing import IsEmpty, fields_to_record
from services.table_inventory.domain.chips_in_service import (
    ChipsInServiceDocument,
    PutIn,
    put_in_fields,
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
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded

COMMANDS: Final = Commands()


class EnterChipsInService(Command):
    """Enter the chips that were in service before the books of the cage began.

    List all of the property's own chips by set and denomination, wherever they were when the gaming day began: at the
    cage, at tables, with patrons. Another person must approve the entry, which then replaces an earlier approved one.
    """

    property: Name
    gaming_day: Annotated[date, Field(description="the gaming day at whose beginning these chips were in service")]
    contents: Annotated[OwnChips, Field(description="by chip set and denomination; empty if the casino just opened")]
    is_empty: IsEmpty = False
    source: Annotated[Text, Field(description="the source of the figures: a chip inventory ledger, a count, invoices")]


class Entering(NamedTuple):
    """The state for entering an opening position: the property on its gaming day, and the revisions, latest first.

    `put_in` has all chips received from the manufacturer, and all chips removed for destruction.
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


def _approved(revisions: Sequence[ChipsInServiceDocument]) -> ChipsInServiceDocument | None:
    """Return the latest approved revision, or None; `revisions` must be latest first."""
    return next((one for one in revisions if one.status == "approved"), None)


@COMMANDS.handles(EnterChipsInService, load=_entering)
def enter(command: EnterChipsInService, state: Entering, now: Now) -> Accepted:
    """Enter an opening position as the next revision."""
    place, revisions, passed = state
    if command.gaming_day > place.gaming_day(now.at):
        raise Rejected(Reason.TOO_EARLY, f"gaming day {command.gaming_day} has not come yet")
    require_held(place, command.contents)
    number = next_revision(revisions)
    approved = _approved(revisions)
    before = None if approved is None else ChipsBroughtForward(**fields_of(approved, ChipsBroughtForward))
    stated = ChipsBroughtForward(**fields_of(command, ChipsBroughtForward))
    if before is not None and before.is_same(stated):
        raise Rejected(Reason.NOT_ALLOWED, f"these are the chips in service at {command.property} already")
    require_without_arrivals(stated, approved, passed)
    fact = ChipsInServiceEntered(
        **fields_to_record(command),
        revision=number,
        stated_cents=money_of(command.contents),
        before=before,
        before_revision=None if approved is None else approved.revision,
        before_stated_cents=None if approved is None else money_of(approved.contents),
        **put_in_fields(stated, passed),
        entered_by=now.by,
        entered_at=now.at,
    )
    return Accepted(
        recording=FactWithPostings(fact=fact), answer=ChipsInServiceDocument(**dict(fact)).with_put_in(passed)
    )


class _OfRevision(Command):
    property: Name
    revision: Number


class ApproveChipsInService(_OfRevision, Approving):
    """Approve the chips that were in service before the books began.

    Outstanding chips are computed from the approved position.
    """


class RejectChipsInService(_OfRevision):
    """Reject the chips that were entered as in service before the books began.

    An earlier approved position, if any, stays in effect.
    """

    reason: Text


async def _entered(connection: AsyncConnection, command: _OfRevision) -> ChipsInServiceDocument:
    """Return a revision. Raises: Rejected if it does not exist."""
    return await find_chips_in_service(connection, command.property, command.revision)


_POSITIONS: Final = EnteredKind(CHIPS_IN_SERVICE, ChipsInServiceEntered, ChipsInServiceApproved, ChipsInServiceRejected)


class Deciding(NamedTuple):
    """The state for approving an opening position: the entered and the approved one, and `put_in` of `Entering`."""

    entered: ChipsInServiceDocument
    approved: ChipsInServiceDocument | None
    put_in: list[PutIn]


async def _approving(connection: AsyncConnection, command: ApproveChipsInService) -> Deciding:
    """Return the state for approving a revision. Raises: Rejected if it does not exist.

    The lock on the command shard prevents a concurrent transfer from putting chips into service.
    """
    return Deciding(
        await _entered(connection, command),
        _approved(await read_chips_in_service(connection, command.property)),
        await read_put_in(connection, command.property),
    )


@COMMANDS.handles(ApproveChipsInService, load=_approving, subject=first_loaded)
def approve(command: ApproveChipsInService, state: Deciding, now: Now) -> Accepted:
    """Approve an opening position, unless it seems to include transfers made after its gaming day began."""
    del command
    entered, approved, passed = state
    if entered.status == "entered":
        require_without_arrivals(entered, approved, passed)
    return _POSITIONS.approve(entered.without_transfers(), now)


@COMMANDS.handles(RejectChipsInService, load=_entered)
def reject(command: RejectChipsInService, entered: ChipsInServiceDocument, now: Now) -> Accepted:
    """Reject an opening position."""
    return _POSITIONS.reject(entered.without_transfers(), command.reason, now)
