"""Commands about fills and credits: requested by the pit; prepared, received and voided by the cage."""

from datetime import date
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.nothing import IsEmpty
from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.days import Day, DayKey
from services.table_inventory.domain.people import Law, law_of_slips, require_different
from services.table_inventory.domain.rake import non_banking
from services.table_inventory.domain.slips import Slip, SlipKey, SlipRequest
from services.table_inventory.queries.days import read_day
from services.table_inventory.queries.places import find_place, require_shift
from services.table_inventory.queries.slips import find_request, find_slip
from services.table_inventory.tables import manual_slips, requests, slips
from shared.contracts import inventory
from shared.contracts.chips import Contents, value_of
from shared.contracts.envelope import Name, Reason
from shared.contracts.pit import SlipNumber
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason as Why
from shared.contracts.rejection import Rejected
from shared.contracts.table_kinds import why_no_slips
from shared.contracts.versions import fields_of
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.rows import last_number, rows_of

COMMANDS: Final = Commands()

Kind = Annotated[inventory.SlipKind, Field(description="the kind of slip")]


class RequestSlip(Command):
    """Request a fill or a credit.

    The pit asks the cage to send chips to a table (fill), or to take chips from it (credit).
    """

    slip: Kind
    property: Name
    table: Name
    gaming_day: date
    shift: Name
    contents: Annotated[Contents, Field(min_length=1)]


class Requesting(NamedTuple):
    """The property, the gaming day of the request, and the property's last request number."""

    place: PropertySnapshot
    day: Day
    last: int


async def _requesting(connection: AsyncConnection, command: RequestSlip) -> Requesting:
    """Return the data that a request depends on.

    Raises: Rejected for an unknown property, table, shift or chip, or for a table without fills and credits.
    """
    place = await find_place(connection, command.property, command.gaming_day)
    _require_table(place, command)
    require_shift(place, command.shift)
    _require_pieces(place, command.contents, command.gaming_day)
    day = await read_day(connection, DayKey(command.property, command.gaming_day))
    return Requesting(place, day, await last_number(connection, requests, "request", property=command.property))


def _require_table(place: PropertySnapshot, command: RequestSlip | inventory.ManualSlip) -> None:
    why = place.why_no_table(command.table, command.gaming_day)
    if why is not None:
        raise Rejected(Why.NOT_FOUND, why)
    why = why_no_slips(place.table(command.table, command.gaming_day))
    if why is not None:
        raise Rejected(Why.NOT_ALLOWED, why)


def _require_pieces(place: PropertySnapshot, contents: Contents, gaming_day: date) -> None:
    why = place.why_no_pieces(contents, gaming_day)
    if why is not None:
        raise Rejected(Why.NOT_FOUND, f"'contents' has {why}")


@COMMANDS.handles(RequestSlip, load=_requesting)
def request(command: RequestSlip, state: Requesting, now: Now) -> Accepted:
    """Record a request under the next number, for a gaming day that has begun and is not sealed."""
    place, day, last = state
    if not place.gaming_day(now.at + place.pit_margin) >= command.gaming_day:
        detail = f"{command.gaming_day} has not begun: the gaming day is {place.gaming_day(now.at)}"
        raise Rejected(Why.TOO_EARLY, detail)
    _require_unsealed(day)
    fact = inventory.SlipRequested(**dict(command), request=last + 1, requested_by=now.by, requested_at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=SlipRequest.of(fact))


def _require_unsealed(day: Day) -> None:
    if day.final_at is not None:
        raise Rejected(Why.TOO_LATE, f"{day.gaming_day} is sealed: no chips move on it any more")


class WithdrawRequest(Command):
    """Withdraw a request for a fill or a credit.

    This is possible until the cage has prepared its slip.
    """

    property: Name
    request: inventory.Number
    reason: Reason


async def _withdrawing(connection: AsyncConnection, command: WithdrawRequest) -> SlipRequest:
    """Return a request. Raises: Rejected if it does not exist, was withdrawn, or its slip is prepared."""
    name, number = command.property, command.request
    found = await find_request(connection, name, number)
    if found.withdrawn_by is not None:
        raise Rejected(Why.ALREADY_DECIDED, f"{found.withdrawn_by} withdrew request {number} of {name} already")
    if found.number is not None:
        detail = f"{found.slip} slip {found.number} is prepared for request {number} of {name}: void the slip"
        raise Rejected(Why.ALREADY_DECIDED, detail)
    return found


@COMMANDS.handles(WithdrawRequest, load=_withdrawing)
def withdraw(command: WithdrawRequest, state: SlipRequest, now: Now) -> Accepted:
    """Withdraw a request."""
    withdrawn = {"withdrawn_by": now.by, "withdrawn_at": now.at, "withdrawal_reason": command.reason}
    place = {name: getattr(state, name) for name in ("property", "table", "gaming_day", "slip", "request")}
    fact = inventory.RequestWithdrawn(**place, **withdrawn)
    return Accepted(recording=FactWithPostings(fact=fact), answer=fact)


class PrepareSlip(Approving):
    """Prepare the slip of a request.

    The slip gets the next number of the property and kind, without gaps. The requester cannot prepare it.
    """

    property: Name
    request: inventory.Number


class Preparing(NamedTuple):
    """A request, its gaming day, its series' last slip number, and the steps that must be taken by different people."""

    request: SlipRequest
    day: Day
    last: int
    law: Law


async def _preparing(connection: AsyncConnection, command: PrepareSlip) -> Preparing:
    name, request = command.property, await find_request(connection, command.property, command.request)
    if request.withdrawn_by is not None:
        raise Rejected(Why.ALREADY_DECIDED, f"{request.withdrawn_by} withdrew request {request.request} of {name}")
    last = await last_number(connection, slips, "number", property=name, slip=request.slip)
    day = await read_day(connection, DayKey(name, request.gaming_day))
    return Preparing(request, day, last, await _law(connection, name, request.slip, request.gaming_day))


async def _law(connection: AsyncConnection, property_name: str, slip: inventory.SlipKind, gaming_day: date) -> Law:
    return law_of_slips(await find_place(connection, property_name, gaming_day), slip, gaming_day)


@COMMANDS.handles(PrepareSlip, load=_preparing, subject=first_loaded)
def prepare(command: PrepareSlip, state: Preparing, now: Now) -> Accepted:
    """Prepare the slip, unless it exists already, or the law requires a person other than the requester."""
    slip, number = state.request.slip, command.request
    if state.request.number is not None:
        detail = f"request {number} was prepared already: {slip} slip {state.request.number}"
        raise Rejected(Why.ALREADY_DECIDED, detail)
    _require_unsealed(state.day)
    people = {"requested_by": state.request.requested_by, "prepared_by": now.by}
    require_different(f"request {number} of {command.property}", state.law, people)
    requested = fields_of(state.request, inventory.SlipRequested)
    fact = inventory.SlipPrepared(**requested, number=state.last + 1, prepared_by=now.by, prepared_at=now.at)
    made = Slip(**dict(fact), cents=value_of(fact.contents))
    return Accepted(recording=FactWithPostings(fact=fact), answer=made, location=made.key.path())


class ReceiveCredit(Approving):
    """Receive a credit at the cage.

    The law excludes people who took certain other steps of the slip.
    """

    property: Name
    number: SlipNumber
    contents: Annotated[Contents, Field(description="the chips that arrived")]
    is_empty: IsEmpty = False


async def _credit(connection: AsyncConnection, command: ReceiveCredit) -> tuple[Slip, Law]:
    """Return a credit slip, and the steps that must be taken by different people.

    Raises: Rejected if the slip does not exist, or if the chips are not in use at the property.
    """
    slip = await find_slip(connection, SlipKey(command.property, "credit", command.number))
    place = await find_place(connection, slip.property, slip.gaming_day)
    _require_pieces(place, command.contents, slip.gaming_day)
    return slip, law_of_slips(place, slip.slip, slip.gaming_day)


@COMMANDS.handles(ReceiveCredit, load=_credit, subject=first_loaded)
def receive(command: ReceiveCredit, state: tuple[Slip, Law], now: Now) -> Accepted:
    """Record the receipt of chips that have left the table."""
    slip, law = state
    if slip.carried_by is None:
        raise Rejected(Why.TOO_EARLY, f"{slip.key} has not left its table yet")
    slip.require_free(law, received_by=now.by)
    cents = value_of(command.contents)
    received = {"received_contents": command.contents, "received_by": now.by, "received_at": now.at}
    fact = inventory.CreditReceived(**slip.reference, **received)
    after = slip.after(**dict(fact), received_cents=cents)
    postings = TableAccounts(slip.property, slip.table).arrived("credit", cents)
    return Accepted(recording=FactWithPostings(fact=fact, postings=postings), answer=after)


class VoidSlip(Command):
    """Void a slip that was not received.

    Its number stays used. Chips in transit go back to their sender.
    """

    property: Name
    slip: Kind
    number: SlipNumber
    reason: Reason


async def _slip(connection: AsyncConnection, command: VoidSlip) -> tuple[Slip, PropertySnapshot]:
    """Return a slip, and its property. Raises: Rejected if it does not exist."""
    slip = await find_slip(connection, SlipKey(command.property, command.slip, command.number))
    return slip, await find_place(connection, slip.property, slip.gaming_day)


@COMMANDS.handles(VoidSlip, load=_slip)
def void(command: VoidSlip, state: tuple[Slip, PropertySnapshot], now: Now) -> Accepted:
    """Void the slip, and return its chips in transit to their sender."""
    slip, place = state
    if slip.voided_at is not None:
        raise Rejected(Why.ALREADY_DECIDED, f"{slip.key} is void already")
    if slip.received_at is not None:
        raise Rejected(Why.TOO_LATE, f"{slip.key} was received: adjust the gaming day instead")
    returned = slip.contents if slip.carried_at is not None else ()
    void = {"void_reason": command.reason, "voided_by": now.by, "voided_at": now.at}
    mark = non_banking(place, slip.table, slip.gaming_day)
    fact = inventory.SlipVoided(**slip.reference, returned=returned, non_banking=mark, **void)
    after = slip.after(returned=returned, **void)
    postings = TableAccounts(slip.property, slip.table).returned(slip.slip, value_of(returned))
    return Accepted(recording=FactWithPostings(fact=fact, postings=postings), answer=after)


class EnterManualSlip(inventory.ManualSlip, Command):
    """Enter a paper slip after an outage.

    It is recorded under its printed number, with all who signed it, and marked as late.
    """


class VoidManualSlip(Command):
    """Record a paper form as spoiled.

    This accounts for its number. No chips move.
    """

    slip: inventory.SlipKind
    property: Name
    gaming_day: date
    number: SlipNumber
    reason: Reason


async def _form(connection: AsyncConnection, command: EnterManualSlip | VoidManualSlip) -> PropertySnapshot:
    """Return a paper form's property. Raises: Rejected if that is unknown, or the form already entered or voided."""
    place = await find_place(connection, command.property, command.gaming_day)
    query = rows_of(manual_slips, property=command.property, slip=command.slip, number=command.number)
    found = (await connection.execute(query)).one_or_none()
    if found is not None:
        how = "was voided" if found.void else "was entered"
        detail = f"paper {command.slip} slip {command.number} of {command.property} {how} already"
        raise Rejected(Why.ALREADY_DECIDED, detail)
    return place


@COMMANDS.handles(EnterManualSlip, load=_form)
def enter_manual(command: EnterManualSlip, place: PropertySnapshot, now: Now) -> Accepted:
    """Record a paper slip at the time stated on it, if everyone required by law has signed it."""
    _require_table(place, command)
    require_shift(place, command.shift)
    _require_pieces(place, command.contents, command.gaming_day)
    law, people = law_of_slips(place, command.slip, command.gaming_day), dict(command)
    name = f"paper {command.slip} slip {command.number} of {command.property}"
    unsigned = [step for step in law.value if people[step] is None]
    if unsigned:
        raise Rejected(Why.NOT_ALLOWED, f"{name} is not signed as {', '.join(unsigned)}", cites=law.source)
    require_different(name, law, people)
    if command.occurred_at > now.at:
        raise Rejected(Why.TOO_EARLY, f"'occurred_at' {place.clock_text(command.occurred_at)} has not come yet")
    if not place.is_day(command.gaming_day, command.occurred_at, margin=place.pit_margin):
        raise Rejected(Why.NOT_ALLOWED, place.other_day(command.gaming_day, command.occurred_at))
    mark = non_banking(place, command.table, command.gaming_day)
    fact = inventory.ManualSlipEntered(**dict(command), non_banking=mark, entered_by=now.by, entered_at=now.at)
    table, cents = TableAccounts(command.property, command.table), value_of(command.contents)
    postings = table.sent(command.slip, cents) + table.arrived(command.slip, cents)
    return Accepted(
        recording=FactWithPostings(fact=fact, postings=postings, occurred_at=command.occurred_at), answer=fact
    )


@COMMANDS.handles(VoidManualSlip, load=_form)
def void_manual(command: VoidManualSlip, place: PropertySnapshot, now: Now) -> Accepted:
    """Record the number of a spoiled paper form as accounted for."""
    del place
    fact = inventory.ManualSlipVoided(**dict(command), entered_by=now.by, entered_at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=fact)
