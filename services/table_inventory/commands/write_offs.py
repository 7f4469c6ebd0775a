"""Commands about drop boxes that cannot be counted: two people write them off, so that the day can be closed."""

from datetime import date
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.entered import EnteredKind
from services.table_inventory.queries.holding import hold
from services.table_inventory.queries.places import find_place
from services.table_inventory.queries.write_offs import WriteOff, box_after, find_box, find_write_off
from services.table_inventory.tables import boxes, counted_boxes, write_offs
from shared.contracts import inventory
from shared.contracts.envelope import Name
from shared.contracts.envelope import Reason as Text
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import WRITE_OFF
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, as_loaded
from shared.runtime.rows import last_number, rows_of

COMMANDS: Final = Commands()


class EnterWriteOff(Command):
    """Request the write-off of a drop box.

    The box was removed by an exchange and cannot be counted, or was placed by an exchange and never came back. Another
    person approves it.
    """

    property: Name
    gaming_day: Annotated[date, Field(description="the gaming day that waits for the box")]
    table: Name
    exchange: Annotated[inventory.Number, Field(description="the pit sequence of its `box.exchanged`")]
    which: Annotated[Literal["removed", "placed"], Field(description="the box that the exchange removed or placed")]
    reason: Text


class Entering(NamedTuple):
    """The property, the box, the shift of its exchange, and the property's last write-off number."""

    place: PropertySnapshot
    box: str
    shift: str
    last: int


async def _entering(connection: AsyncConnection, command: EnterWriteOff) -> Entering:
    """Return the data that a write-off depends on.

    Raises: Rejected if the box is counted, came back or is being written off already, or if the gaming day does not
    wait for it.
    """
    place = await find_place(connection, command.property, command.gaming_day)
    key = {"property": command.property, "table": command.table, "exchange": command.exchange}
    await hold(connection, boxes, **key)
    row = await find_box(connection, **key)
    box, name = row.box, f"exchange {command.exchange} at {command.table}"
    last_day = row.gaming_day
    if command.which == "placed":
        box = row.placed_box
        if box is None:
            raise Rejected(Reason.NOT_FOUND, f"{name} names no box that it placed")
        after = await box_after(connection, row)
        if after is not None and after.box == box:
            detail = f"box {box} came back by exchange {after.exchange} at {command.table}: count it, or write that off"
            raise Rejected(Reason.ALREADY_DECIDED, detail)
        last_day = date.max if after is None else after.gaming_day
    elif (await connection.execute(rows_of(counted_boxes, **key))).first() is not None:
        raise Rejected(Reason.ALREADY_DECIDED, f"box {box} of {name} is counted")
    asked = await connection.execute(rows_of(write_offs, **key, which=command.which))
    if any(one.status != "rejected" for one in asked):
        raise Rejected(Reason.ALREADY_DECIDED, f"somebody asked to write off box {box} of {name} already")
    if not row.gaming_day <= command.gaming_day <= last_day:
        detail = f"{command.gaming_day} does not wait for box {box} of {name}, which is of {row.gaming_day}"
        raise Rejected(Reason.CONTRADICTS, detail)
    return Entering(
        place, box, row.shift, await last_number(connection, write_offs, "write_off", property=command.property)
    )


@COMMANDS.handles(EnterWriteOff, load=_entering)
def enter(command: EnterWriteOff, state: Entering, now: Now) -> Accepted:
    """Enter a write-off under the next number."""
    if command.gaming_day > state.place.gaming_day(now.at):
        raise Rejected(Reason.TOO_EARLY, f"{command.gaming_day} has not begun: it waits for no box")
    place = {"box": state.box, "shift": state.shift, "write_off": state.last + 1}
    fact = inventory.WriteOffEntered(**dict(command), **place, entered_by=now.by, entered_at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=WriteOff(**dict(fact)))


class _OfWriteOff(Command):
    property: Name
    write_off: inventory.Number


class ApproveWriteOff(_OfWriteOff, Approving):
    """Approve a write-off.

    The gaming day no longer waits for the box. If the box is found and counted later, the day is restated.
    """


class RejectWriteOff(_OfWriteOff):
    """Reject a write-off.

    The gaming day still waits for the box.
    """

    reason: Text


async def _entered(connection: AsyncConnection, command: _OfWriteOff) -> WriteOff:
    """Return a write-off. Raises: Rejected if it does not exist."""
    return await find_write_off(connection, command.property, command.write_off)


_WRITE_OFFS: Final = EnteredKind(
    WRITE_OFF, inventory.WriteOffEntered, inventory.BoxWrittenOff, inventory.WriteOffRejected
)


@COMMANDS.handles(ApproveWriteOff, load=_entered, subject=as_loaded)
def approve(command: ApproveWriteOff, entered: WriteOff, now: Now) -> Accepted:
    """Write off the box."""
    del command
    return _WRITE_OFFS.approve(entered, now)


@COMMANDS.handles(RejectWriteOff, load=_entered)
def reject(command: RejectWriteOff, entered: WriteOff, now: Now) -> Accepted:
    """Reject the write-off; the box must still be counted."""
    return _WRITE_OFFS.reject(entered, command.reason, now)
