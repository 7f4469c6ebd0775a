"""Commands about counter checks against a credit line: prepare within the limit, void before issuance."""

from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.credit_lines import (
    CreditLine,
    CreditLineRequest,
    PatronCheck,
    require_apart,
)
from services.table_inventory.queries.credit_lines import (
    find_credit_line,
    find_patron_check,
    is_serial_used,
    requests_of_patron,
)
from services.table_inventory.tables import properties
from shared.contracts.credit_lines import CheckPrepared, PreparationVoided
from shared.contracts.envelope import DocumentNumber, Name, Patron
from shared.contracts.envelope import Reason as Text
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import place_for_command
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import Cents
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, as_loaded
from shared.runtime.ingest.property_copies import Places, known_places

COMMANDS: Final = Commands()


class PrepareCheck(Command):
    """Prepare a counter check for a patron at a table.

    It must be within the patron's available credit: the limit of the gaming day less what is outstanding. A person who
    recently took part in raising that limit may not prepare it.
    """

    property: Name
    serial: Annotated[DocumentNumber, Field(description="the number printed on the check")]
    patron: Annotated[Patron, Field(description="the drawer, by reference")]
    table: Name
    cents: Cents


class Preparing(NamedTuple):
    """The properties, the patron's credit line and requests, and whether the serial number is used."""

    places: Places
    line: CreditLine
    requests: tuple[CreditLineRequest, ...]
    is_used: bool


async def _preparing(connection: AsyncConnection, command: PrepareCheck) -> Preparing:
    """Return the data that the preparation of a check depends on.

    Commands are decided under a lock on their shard, so that no other check is prepared at the same time.
    """
    return Preparing(
        await known_places(connection, properties),
        await find_credit_line(connection, command.property, command.patron),
        tuple(await requests_of_patron(connection, command.property, command.patron)),
        await is_serial_used(connection, command.property, command.serial),
    )


@COMMANDS.handles(PrepareCheck, load=_preparing)
def prepare(command: PrepareCheck, state: Preparing, now: Now) -> Accepted:
    """Prepare the check within the available credit."""
    place = place_for_command(state.places.place, command.property, now.at)
    day = place.gaming_day(now.at)
    if (why := place.why_no_table(command.table, day)) is not None:
        raise Rejected(Reason.NOT_FOUND, why)
    if state.is_used:
        detail = f"counter check {command.serial} exists already: take an unused serial number"
        raise Rejected(Reason.ALREADY_DECIDED, detail)
    require_apart(state.requests, now.by, now.at, place)
    state.line.require_available(command.cents, day)
    fact = CheckPrepared(
        **dict(command),
        gaming_day=day,
        shift=place.shift_at(now.at),
        limit_cents=state.line.limit_on(day),
        outstanding_cents=state.line.outstanding_cents,
        prepared_by=now.by,
        prepared_at=now.at,
    )
    return Accepted(recording=FactWithPostings(fact=fact), answer=fact)


class VoidPreparation(Approving):
    """Void a prepared counter check that its table did not issue.

    A person other than the one who prepared it must do this. Its serial number stays used.
    """

    property: Name
    serial: DocumentNumber
    reason: Text


async def _prepared(connection: AsyncConnection, command: VoidPreparation) -> PatronCheck:
    """Return a prepared counter check. Raises: Rejected if it does not exist."""
    return await find_patron_check(connection, command.property, command.serial)


@COMMANDS.handles(VoidPreparation, load=_prepared, subject=as_loaded)
def void(command: VoidPreparation, found: PatronCheck, now: Now) -> Accepted:
    """Void the check, unless a table issued it."""
    if found.status != "prepared":
        done = "is void already" if found.status == "void" else f"was issued at {found.table}"
        raise Rejected(Reason.ALREADY_DECIDED, f"counter check {found.serial} {done}")
    assert found.prepared_by is not None, "it was prepared"
    if same_person(found.prepared_by, now.by):
        raise Rejected(
            Reason.SAME_PERSON, f"{now.by} prepared counter check {found.serial}: somebody else must void it"
        )
    kept = ("property", "patron", "serial", "table", "gaming_day", "shift", "cents", "prepared_by")
    of_check = {name: getattr(found, name) for name in kept}
    fact = PreparationVoided(**of_check, reason=command.reason, voided_by=now.by, voided_at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=fact)
