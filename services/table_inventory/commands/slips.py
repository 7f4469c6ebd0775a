"""Fills and credits: requested by the pit, prepared under the next number, received and voided by the cage."""

from datetime import date
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.slips import FIVE_PEOPLE, Slip, SlipKey
from services.table_inventory.queries.slips import find_slip, last_number
from services.table_inventory.tables import manual_slips, requests, slips
from shared.contracts import inventory
from shared.contracts.chips import Contents, value_of
from shared.contracts.envelope import Name, Reason
from shared.contracts.pit import SlipNumber
from shared.contracts.rejection import Reason as Why
from shared.contracts.rejection import Rejected
from shared.journal.recording import Recording
from shared.runtime.command.command import Accepted, Command, Commands, Now
from shared.runtime.rows import find_row, rows_of, thing_of

COMMANDS: Final = Commands()

Kind = Annotated[inventory.SlipKind, Field(description="the kind of slip")]


class RequestSlip(Command):
    """Request a fill or a credit.

    The pit asks the cage for a fill for a table, or to take a credit from it.
    """

    slip: Kind
    property: Name
    table: Name
    gaming_day: date
    shift: Name
    contents: Annotated[Contents, Field(min_length=1)]


async def _last_request(connection: AsyncConnection, command: RequestSlip) -> int:
    return await last_number(connection, requests, "request", property=command.property)


@COMMANDS.handles(RequestSlip, load=_last_request)
def request(command: RequestSlip, last: int, now: Now) -> Accepted:
    """Record a request under the next number."""
    fact = inventory.SlipRequested(**dict(command), request=last + 1, requested_by=now.by, requested_at=now.at)
    return Accepted(recording=Recording(fact=fact), answer=fact)


class PrepareSlip(Command):
    """Prepare the slip of a request.

    The cage prepares it under the next number of its series: dense for each property and kind. Not the person who
    requested it.
    """

    property: Name
    request: inventory.Number


class Preparing(NamedTuple):
    """A request, the number of the slip that was prepared for it, and the last number of its series."""

    request: inventory.SlipRequested
    prepared: int | None
    last: int


async def _preparing(connection: AsyncConnection, command: PrepareSlip) -> Preparing:
    name, number = command.property, command.request
    missing = f"there is no request {number} at {name}"
    row = await find_row(connection, requests, missing, property=name, request=number)
    request = thing_of(inventory.SlipRequested, row)
    prepared = (await connection.execute(rows_of(slips, property=name, request=number))).one_or_none()
    last = await last_number(connection, slips, "number", property=name, slip=request.slip)
    return Preparing(request, None if prepared is None else prepared.number, last)


@COMMANDS.handles(PrepareSlip, load=_preparing)
def prepare(command: PrepareSlip, state: Preparing, now: Now) -> Accepted:
    """Prepare the slip, unless it was prepared, or the person requested it."""
    slip, number = state.request.slip, command.request
    if state.prepared is not None:
        detail = f"request {number} was prepared already: {slip} slip {state.prepared}"
        raise Rejected(Why.ALREADY_DECIDED, detail)
    if state.request.requested_by == now.by:
        detail = f"{now.by} made request {number}: somebody else must prepare the slip"
        raise Rejected(Why.SAME_PERSON, detail, cites=FIVE_PEOPLE)
    fact = inventory.SlipPrepared(**dict(state.request), number=state.last + 1, prepared_by=now.by, prepared_at=now.at)
    made = Slip(**dict(fact), cents=value_of(fact.contents))
    return Accepted(recording=Recording(fact=fact), answer=made, location=made.key.path())


class ReceiveCredit(Command):
    """Receive a credit at the cage.

    By somebody who did no other step of the slip.
    """

    property: Name
    number: SlipNumber
    contents: Annotated[Contents, Field(description="what arrived")]


async def _credit(connection: AsyncConnection, command: ReceiveCredit) -> Slip:
    return await find_slip(connection, SlipKey(command.property, "credit", command.number))


@COMMANDS.handles(ReceiveCredit, load=_credit)
def receive(command: ReceiveCredit, slip: Slip, now: Now) -> Accepted:
    """Receive what left its table."""
    if slip.carried_by is None:
        raise Rejected(Why.TOO_EARLY, f"{slip.key} has not left its table yet")
    slip.require_free(received_by=now.by)
    cents = value_of(command.contents)
    received = {"received_contents": command.contents, "received_by": now.by, "received_at": now.at}
    fact = inventory.CreditReceived(**slip.reference, **received)
    after = slip.after(**dict(fact), received_cents=cents)
    postings = TableAccounts(slip.property, slip.table).arrived("credit", cents)
    return Accepted(recording=Recording(fact=fact, postings=postings), answer=after)


class VoidSlip(Command):
    """Void a slip that was not received.

    Its number stays used; what is on its way goes back.
    """

    property: Name
    slip: Kind
    number: SlipNumber
    reason: Reason


async def _slip(connection: AsyncConnection, command: VoidSlip) -> Slip:
    return await find_slip(connection, SlipKey(command.property, command.slip, command.number))


@COMMANDS.handles(VoidSlip, load=_slip)
def void(command: VoidSlip, slip: Slip, now: Now) -> Accepted:
    """Void the slip, and send back what is on its way."""
    if slip.voided_at is not None:
        raise Rejected(Why.ALREADY_DECIDED, f"{slip.key} is void already")
    if slip.received_at is not None:
        raise Rejected(Why.TOO_LATE, f"{slip.key} was received: adjust the gaming day instead")
    returned = slip.contents if slip.carried_at is not None else ()
    void = {"void_reason": command.reason, "voided_by": now.by, "voided_at": now.at}
    fact = inventory.SlipVoided(**slip.reference, returned=returned, **void)
    after = slip.after(**dict(fact))
    postings = TableAccounts(slip.property, slip.table).returned(slip.slip, value_of(returned))
    return Accepted(recording=Recording(fact=fact, postings=postings), answer=after)


class EnterManualSlip(inventory.ManualSlip, Command):
    """Enter a paper slip after an outage.

    Under the number that is printed on it, with the five people who signed; it is flagged as late.
    """


class VoidManualSlip(Command):
    """Account for a spoilt paper form.

    Its number is accounted for, and nothing moves.
    """

    slip: inventory.SlipKind
    property: Name
    gaming_day: date
    number: SlipNumber
    reason: Reason


_SIGNED: Final = ("requested_by", "prepared_by", "carried_by", "received_by", "observed_by")


async def _form(connection: AsyncConnection, command: EnterManualSlip | VoidManualSlip) -> None:
    """Look for the form. Raises: Rejected where it was entered or voided before."""
    query = rows_of(manual_slips, property=command.property, slip=command.slip, number=command.number)
    found = (await connection.execute(query)).one_or_none()
    if found is not None:
        how = "was voided" if found.void else "was entered"
        detail = f"paper {command.slip} slip {command.number} of {command.property} {how} already"
        raise Rejected(Why.ALREADY_DECIDED, detail)


@COMMANDS.handles(EnterManualSlip, load=_form)
def enter_manual(command: EnterManualSlip, state: None, now: Now) -> Accepted:
    """Record a paper slip at the moment that it says, if five different people signed it."""
    del state
    people = [getattr(command, step) for step in _SIGNED]
    twice = next((one for one in people if people.count(one) > 1), None)
    if twice is not None:
        steps = " and ".join(step for step in _SIGNED if getattr(command, step) == twice)
        raise Rejected(Why.SAME_PERSON, f"{twice} signed as {steps}: a slip takes five people", cites=FIVE_PEOPLE)
    if command.occurred_at > now.at:
        raise Rejected(Why.TOO_EARLY, f"'occurred_at' {command.occurred_at.isoformat()} has not come yet")
    fact = inventory.ManualSlipEntered(**dict(command), entered_by=now.by, entered_at=now.at)
    table, cents = TableAccounts(command.property, command.table), value_of(command.contents)
    postings = table.sent(command.slip, cents) + table.arrived(command.slip, cents)
    return Accepted(recording=Recording(fact=fact, postings=postings, occurred_at=command.occurred_at), answer=fact)


@COMMANDS.handles(VoidManualSlip, load=_form)
def void_manual(command: VoidManualSlip, state: None, now: Now) -> Accepted:
    """Account for a paper form."""
    del state
    fact = inventory.ManualSlipVoided(**dict(command), entered_by=now.by, entered_at=now.at)
    return Accepted(recording=Recording(fact=fact), answer=fact)
