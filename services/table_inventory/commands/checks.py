"""Commands about counter checks at the cage: redeem and replace them; void, clear and return payments on them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.check_collection import CheckWriteOff
from services.table_inventory.domain.checks import CounterCheck, Redemption, drawer_of, paid
from services.table_inventory.domain.instruments import require_described
from services.table_inventory.queries.check_collection import find_check_write_off
from services.table_inventory.queries.checks import find_check, find_checks, find_redemption
from services.table_inventory.queries.credit_lines import is_serial_used
from services.table_inventory.queries.holding import hold
from services.table_inventory.tables import check_steps, counter_checks, properties
from shared.contracts.agents import Others, require_agency
from shared.contracts.cage import CheckRedeemed, CheckReplaced, CheckReturned, PaidIn, RedemptionVoided, ReplacedCheck
from shared.contracts.check_collection import CheckCleared, CheckRecovered, RecoveryReturned, RecoveryVoided
from shared.contracts.envelope import DocumentNumber, Name, Patron
from shared.contracts.envelope import Reason as Text
from shared.contracts.instruments import PaidByInstrument
from shared.contracts.inventory import Number
from shared.contracts.moments import NOW, Happened
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import happened, place_for_command
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import Cents
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.rows import last_number

COMMANDS: Final = Commands()
_NOTHING: Final[Mapping[str, datetime]] = {}


class AtCage(NamedTuple):
    """The properties, and the number of the last step that was taken on a counter check at one property."""

    places: Places
    last: int

    def step(
        self, property_name: str, now: Now, said: Happened = NOW, after: Mapping[str, datetime] = _NOTHING
    ) -> dict[str, Any]:
        """Return the fields of the next step: number, person, time, gaming day and shift.

        `after` maps descriptions of earlier steps to their times. Raises: Rejected if the property is unknown, or if
        the step's time is impossible or earlier than a time in `after`.
        """
        place, at = happened(self.places.place, property_name, said, now.at)
        for what, moment in after.items() if said.occurred_at is not None else ():
            if at < moment:
                detail = f"'occurred_at' {place.clock_text(at)} is before {what}, at {place.clock_text(moment)}"
                raise Rejected(Reason.CONTRADICTS, detail)
        when = {"gaming_day": place.gaming_day(at), "shift": place.shift_at(at), "at": at}
        return {"step": self.last + 1, "by": now.by, **when, **said.late(now.at)}

    def require_described(self, fact: CheckRedeemed | CheckRecovered) -> None:
        """Raise Rejected if the law requires the payer's own check to be described, and it is not."""
        if fact.paid_in == "check":
            place = place_for_command(self.places.place, fact.property, fact.at)
            require_described(place, fact.gaming_day, fact.cents, [fact.instrument])


async def at_cage(connection: AsyncConnection, property_name: str) -> AtCage:
    """Return the data from which the next step on a counter check at a property is recorded."""
    last = await last_number(connection, check_steps, "step", property=property_name)
    return AtCage(await known_places(connection, properties), last)


class RedeemCheck(PaidByInstrument, Happened, Command):
    """Redeem a counter check, in full or in part.

    The payer is the patron who drew it, another one, or the bank if the check was deposited.
    """

    property: Name
    serial: DocumentNumber
    cents: Cents
    paid_in: PaidIn
    drawer: Annotated[Patron | None, Field(description="who pays, by reference, if not the patron who owes it")] = None
    on_behalf_of: Others | None = None


async def _redeeming(connection: AsyncConnection, command: RedeemCheck) -> tuple[AtCage, CounterCheck]:
    await hold(connection, counter_checks, property=command.property, serial=command.serial)
    check = await find_check(connection, command.property, command.serial)
    return await at_cage(connection, command.property), check


@COMMANDS.handles(RedeemCheck, load=_redeeming)
def redeem(command: RedeemCheck, state: tuple[AtCage, CounterCheck], now: Now) -> Accepted:
    """Record the payment, up to the amount owed."""
    cage, check = state
    check.require_left(command.cents)
    left_cents = check.left_cents - command.cents
    step = cage.step(command.property, now, command, {issuance(check.serial): check.issued_at})
    said = command.what() | {"drawer": command.drawer or check.drawer}
    require_agency(said["drawer"], command.on_behalf_of)
    fact = CheckRedeemed(**said, table=check.table, left_cents=left_cents, **step)
    cage.require_described(fact)
    postings = paid(fact.property, fact.paid_in, fact.cents)
    return Accepted(recording=FactWithPostings(fact=fact, postings=postings, occurred_at=fact.at), answer=fact)


def issuance(serial: str) -> str:
    """Return the name of a counter check's issuance to use in messages."""
    return f"the issuance of counter check {serial}"


class _OfPayment(Command):
    property: Name
    step: Annotated[Number, Field(description="the step number of the redemption or recovery")]


class VoidRedemption(_OfPayment, Approving):
    """Void a redemption or a recovery that was entered by mistake.

    A person other than the one who entered it must do this. The amount of a redemption is owed again; the amount of a
    recovery is written off again.
    """

    reason: Text


class ReturnCheck(Happened, _OfPayment):
    """Record that a bank returned a payment unpaid.

    The payment was a deposited counter check or the payer's own check. Its amount is owed again. If the payment was a
    recovery, its amount is written off again.
    """

    reason: Annotated[Text, Field(description="why the bank returned it, and its reference")]


class ClearCheck(Happened, _OfPayment):
    """Record that the bank paid a deposited counter check, or the payer's own check.

    Until then the payment stays outstanding on the patron's credit line, and a recovery does not end the stop on the
    patron's credit.
    """


class Payment(NamedTuple):
    """A payment on a counter check, the next step at the cage, and the write-off if the payment is a recovery."""

    entered: Redemption
    cage: AtCage
    write_off: CheckWriteOff | None

    def after(self) -> Mapping[str, datetime]:
        """Return {name of the payment: time of the payment}, because a further step about it cannot be earlier."""
        return {self.entered.label(): self.entered.at}

    def fields(self) -> dict[str, Any]:
        """Return the payment's fields that every later fact about it repeats."""
        return {name: getattr(self.entered, name) for name in _SAID}

    def undone(self, fact: type[Any], fact_of_recovery: type[Any], **said: Any) -> Accepted:
        """Accept a void or a return of the payment, and reverse its postings.

        The recorded fact has the type `fact_of_recovery` if the payment was a recovery, otherwise the type `fact`.
        """
        if self.write_off is None:
            made = fact(**self.fields(), **said)
        else:
            left = self.write_off.recovered_cents - self.entered.cents
            of_write_off = {"check_write_off": self.write_off.check_write_off, "recovered_cents": left}
            made = fact_of_recovery(**self.fields(), **of_write_off, **said)
        postings = paid(made.property, made.paid_in, -made.cents, recovered=self.write_off is not None)
        return Accepted(recording=FactWithPostings(fact=made, postings=postings, occurred_at=made.at), answer=made)


_SAID: Final = ("property", "serial", "table", "drawer", "on_behalf_of", "cents", "paid_in")


async def _payment(connection: AsyncConnection, command: _OfPayment) -> Payment:
    """Return a payment. Raises: Rejected if it does not exist."""
    found, write_off = await find_redemption(connection, command.property, command.step), None
    if found.check_write_off is not None:
        write_off = await find_check_write_off(connection, command.property, found.check_write_off)
    return Payment(found, await at_cage(connection, command.property), write_off)


@COMMANDS.handles(VoidRedemption, load=_payment, subject=first_loaded)
def void(command: VoidRedemption, payment: Payment, now: Now) -> Accepted:
    """Void a payment."""
    entered = payment.entered
    entered.require_standing()
    if same_person(entered.by, now.by):
        raise Rejected(Reason.SAME_PERSON, f"{now.by} entered {entered.label()}: somebody else must void it")
    by = {"redeemed_by" if payment.write_off is None else "recovered_by": entered.by}
    step = payment.cage.step(command.property, now) | {"gaming_day": entered.gaming_day, "shift": entered.shift}
    return payment.undone(RedemptionVoided, RecoveryVoided, voids=command.step, reason=command.reason, **by, **step)


@COMMANDS.handles(ReturnCheck, load=_payment)
def return_unpaid(command: ReturnCheck, payment: Payment, now: Now) -> Accepted:
    """Record the amount as owed again, dated when the cage learns of the return; the payment itself stays recorded."""
    payment.entered.require_returnable()
    step = payment.cage.step(command.property, now, command, payment.after())
    return payment.undone(CheckReturned, RecoveryReturned, returns=command.step, reason=command.reason, **step)


@COMMANDS.handles(ClearCheck, load=_payment)
def clear(command: ClearCheck, payment: Payment, now: Now) -> Accepted:
    """Record that the payment has cleared; it cannot be returned afterwards."""
    payment.entered.require_returnable()
    step = payment.cage.step(command.property, now, command, payment.after())
    fact = CheckCleared(**payment.fields(), clears=command.step, **step)
    return Accepted(recording=FactWithPostings(fact=fact, occurred_at=fact.at), answer=fact)


class ReplaceChecks(Happened, Command):
    """Replace counter checks by one with a new serial number.

    This consolidates several checks, or substitutes one check that was paid in part. The amount owed stays the same.
    """

    property: Name
    serial: Annotated[DocumentNumber, Field(description="the serial number of the new check")]
    replaces: Annotated[tuple[DocumentNumber, ...], Field(min_length=1, max_length=100)]
    drawer: Annotated[Patron | None, Field(description="the patron who owes the check, by reference, if known")] = None


async def _replacing(connection: AsyncConnection, command: ReplaceChecks) -> tuple[AtCage, Mapping[str, CounterCheck]]:
    for serial in sorted(set(command.replaces)):
        await hold(connection, counter_checks, property=command.property, serial=serial)
    if await is_serial_used(connection, command.property, command.serial):
        detail = f"counter check {command.serial} exists already: take an unused serial number"
        raise Rejected(Reason.ALREADY_DECIDED, detail)
    found = await find_checks(connection, command.property, command.replaces)
    return await at_cage(connection, command.property), found


@COMMANDS.handles(ReplaceChecks, load=_replacing)
def replace(command: ReplaceChecks, state: tuple[AtCage, Mapping[str, CounterCheck]], now: Now) -> Accepted:
    """Replace counter checks by a new one."""
    cage, found = state
    if len(set(command.replaces)) < len(command.replaces):
        raise Rejected(Reason.NOT_ALLOWED, "a counter check is replaced a single time: list each once")
    for serial in command.replaces:
        if serial not in found:
            raise Rejected(Reason.NOT_FOUND, f"no counter check {serial} was issued at {command.property}")
        found[serial].require_left()
        found[serial].require_not_returned()
    checks = [found[serial] for serial in command.replaces]
    replaced = tuple(ReplacedCheck(table=one.table, serial=one.serial, cents=one.left_cents) for one in checks)
    fact = CheckReplaced(
        property=command.property,
        serial=command.serial,
        drawer=drawer_of(checks, command.drawer),
        cents=sum(one.cents for one in replaced),
        first_issued_at=min(one.first_issued_at for one in checks),
        replaced=replaced,
        **cage.step(command.property, now, command, {issuance(one.serial): one.issued_at for one in checks}),
    )
    return Accepted(recording=FactWithPostings(fact=fact, occurred_at=fact.at), answer=fact)
