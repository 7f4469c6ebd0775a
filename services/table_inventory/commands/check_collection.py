"""Commands about unpaid counter checks: begin collection, write off, recover."""

from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.checks import AtCage, at_cage, issuance
from services.table_inventory.domain.check_collection import CheckWriteOff, written_off
from services.table_inventory.domain.checks import CounterCheck, paid
from services.table_inventory.queries.check_collection import find_check_write_off, write_offs_of_check
from services.table_inventory.queries.checks import find_check
from services.table_inventory.queries.holding import hold
from services.table_inventory.tables import check_write_offs, counter_checks
from shared.contracts.agents import Others, require_agency
from shared.contracts.cage import PaidIn
from shared.contracts.check_collection import (
    CheckRecovered,
    CheckWriteOffEntered,
    CheckWriteOffRejected,
    CheckWrittenOff,
    CollectionBegun,
    WriteOffKind,
)
from shared.contracts.envelope import DocumentNumber, Name, Patron
from shared.contracts.envelope import Reason as Text
from shared.contracts.instruments import PaidByInstrument
from shared.contracts.inventory import Number
from shared.contracts.moments import Happened
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import Cents
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import CHECK_WRITE_OFF
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.rows import last_number

COMMANDS: Final = Commands()


class BeginCollection(Happened, Command):
    """Begin the collection of a counter check."""

    property: Name
    serial: DocumentNumber
    collector: Annotated[Text, Field(description="the collector: an agency, counsel, a department")]


class EnterCheckWriteOff(Command):
    """Enter a write-off of a counter check.

    It covers the whole amount owed. If the patron and the property settled for a lower amount, and that amount has been
    paid, the write-off covers the rest. Another person must approve it.
    """

    property: Name
    serial: DocumentNumber
    write_off_kind: WriteOffKind
    cents: Annotated[Cents, Field(description="the amount to be written off")]
    reason: Text


class Owed(NamedTuple):
    """A counter check and its write-offs, the data for its next step, and the property's last write-off number."""

    check: CounterCheck
    cage: AtCage
    last: int
    write_offs: tuple[CheckWriteOff, ...]


async def _owed(connection: AsyncConnection, command: BeginCollection | EnterCheckWriteOff) -> Owed:
    """Lock and return a counter check with its write-offs. Raises: Rejected if the check does not exist."""
    await hold(connection, counter_checks, property=command.property, serial=command.serial)
    return Owed(
        await find_check(connection, command.property, command.serial),
        await at_cage(connection, command.property),
        await last_number(connection, check_write_offs, "check_write_off", property=command.property),
        tuple(await write_offs_of_check(connection, command.property, command.serial)),
    )


@COMMANDS.handles(BeginCollection, load=_owed)
def begin_collection(command: BeginCollection, state: Owed, now: Now) -> Accepted:
    """Record who collects the amount owed on the check."""
    check = state.check
    check.require_left()
    step = state.cage.step(command.property, now, command, {issuance(check.serial): check.issued_at})
    fact = CollectionBegun(
        **command.what(), table=check.table, drawer=check.drawer, left_cents=check.left_cents, **step
    )
    return Accepted(recording=FactWithPostings(fact=fact, occurred_at=fact.at), answer=fact)


@COMMANDS.handles(EnterCheckWriteOff, load=_owed)
def enter(command: EnterCheckWriteOff, state: Owed, now: Now) -> Accepted:
    """Enter the write-off under the next number, unless another write-off of this check is undecided."""
    state.check.require_left(command.cents, "written off")
    if (undecided := next((one for one in state.write_offs if one.status == "entered"), None)) is not None:
        raise Rejected(Reason.ALREADY_DECIDED, f"{undecided.label} is entered already, and undecided")
    fact = CheckWriteOffEntered(
        **dict(command),
        table=state.check.table,
        drawer=state.check.drawer,
        check_write_off=state.last + 1,
        entered_by=now.by,
        entered_at=now.at,
    )
    return Accepted(recording=FactWithPostings(fact=fact), answer=CheckWriteOff(**dict(fact)))


class _OfCheckWriteOff(Command):
    property: Name
    check_write_off: Number


class ApproveCheckWriteOff(_OfCheckWriteOff, Approving):
    """Approve a write-off of a counter check.

    The amount is no longer owed. A later payment on it is a recovery.
    """


class RejectCheckWriteOff(_OfCheckWriteOff):
    """Reject a write-off of a counter check.

    The amount is still owed.
    """

    reason: Text


class RecoverCheck(PaidByInstrument, Happened, _OfCheckWriteOff):
    """Record a payment on a counter check that was written off."""

    cents: Cents
    paid_in: PaidIn
    drawer: Annotated[Patron | None, Field(description="who pays, by reference, if not the patron who owed it")] = None
    on_behalf_of: Others | None = None


async def _deciding(
    connection: AsyncConnection, command: _OfCheckWriteOff
) -> tuple[CheckWriteOff, CounterCheck, AtCage]:
    """Lock a counter check, and return its write-off and the check. Raises: Rejected for an unknown write-off."""
    found = await find_check_write_off(connection, command.property, command.check_write_off)
    await hold(connection, counter_checks, property=command.property, serial=found.serial)
    check = await find_check(connection, command.property, found.serial)
    return found, check, await at_cage(connection, command.property)


_OF_CHECK: Final = ("property", "serial", "table", "drawer", "write_off_kind", "cents", "reason", "check_write_off")


@COMMANDS.handles(ApproveCheckWriteOff, load=_deciding, subject=first_loaded)
def approve(command: ApproveCheckWriteOff, state: tuple[CheckWriteOff, CounterCheck, AtCage], now: Now) -> Accepted:
    """Write off an amount still owed on the check."""
    found, check, cage = state
    found.approval(CHECK_WRITE_OFF).approve(now.by)
    found.require_left_on(check)
    fact = CheckWrittenOff(
        **{name: getattr(found, name) for name in _OF_CHECK},
        entered_by=found.entered_by,
        left_cents=check.left_cents - found.cents,
        subject_sha256=command.subject_sha256,
        **cage.step(command.property, now),
    )
    postings = written_off(fact.property, fact.cents)
    answer = found.model_copy(update={"status": "approved", "approved_by": now.by, "approved_at": now.at})
    return Accepted(recording=FactWithPostings(fact=fact, postings=postings), answer=answer)


@COMMANDS.handles(RejectCheckWriteOff, load=_deciding)
def reject(command: RejectCheckWriteOff, state: tuple[CheckWriteOff, CounterCheck, AtCage], now: Now) -> Accepted:
    """Reject the write-off."""
    found = state[0]
    found.approval(CHECK_WRITE_OFF).reject()
    rejected = {"rejected_by": now.by, "rejected_at": now.at, "rejection_reason": command.reason}
    fact = CheckWriteOffRejected(property=found.property, check_write_off=found.check_write_off, **rejected)
    answer = found.model_copy(update={**rejected, "status": "rejected"})
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer)


@COMMANDS.handles(RecoverCheck, load=_deciding)
def recover(command: RecoverCheck, state: tuple[CheckWriteOff, CounterCheck, AtCage], now: Now) -> Accepted:
    """Record the recovery. It may not exceed the written-off amount that has not been recovered yet."""
    found, check, cage = state
    total_cents = found.recovered_with(command.cents)
    assert found.approved_at is not None, "nothing else is recovered"
    drawer = command.drawer or found.drawer
    require_agency(drawer, command.on_behalf_of)
    fact = CheckRecovered(
        property=command.property,
        check_write_off=command.check_write_off,
        serial=found.serial,
        table=check.table,
        drawer=drawer,
        on_behalf_of=command.on_behalf_of,
        cents=command.cents,
        paid_in=command.paid_in,
        instrument=command.instrument,
        recovered_cents=total_cents,
        **cage.step(command.property, now, command, {found.label: found.approved_at}),
    )
    cage.require_described(fact)
    postings = paid(fact.property, fact.paid_in, fact.cents, recovered=True)
    return Accepted(recording=FactWithPostings(fact=fact, postings=postings, occurred_at=fact.at), answer=fact)
