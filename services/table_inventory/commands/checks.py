"""Commands about counter checks at the cage: redeem, replace, void, return unpaid."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.checks import CounterCheck, Redemption, drawer_of, paid
from services.table_inventory.queries.checks import find_check, find_checks, find_redemption
from services.table_inventory.queries.credit_lines import is_serial_used
from services.table_inventory.queries.holding import hold
from services.table_inventory.queries.slips import last_number
from services.table_inventory.tables import check_steps, counter_checks, properties
from shared.contracts.cage import (
    CheckRedeemed,
    CheckReplaced,
    CheckReturned,
    PaidIn,
    Patron,
    RedemptionVoided,
    ReplacedCheck,
)
from shared.contracts.envelope import Identifier, Name
from shared.contracts.envelope import Reason as Text
from shared.contracts.inventory import Number
from shared.contracts.moments import NOW, Happened
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import happened
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import Cents
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.ingest.property_copies import Places, known_places

COMMANDS: Final = Commands()
_NOTHING: Final[Mapping[str, datetime]] = {}


class AtCage(NamedTuple):
    """The properties, and the last step number of counter checks at one property."""

    places: Places
    last: int

    def step(
        self, property_name: str, now: Now, said: Happened = NOW, after: Mapping[str, datetime] = _NOTHING
    ) -> dict[str, Any]:
        """Return time, number and person of the next step, which must be `after` these times.

        Raises: Rejected for an unknown property, or moment.
        """
        place, at = happened(self.places.place, property_name, said, now.at)
        for what, moment in after.items() if said.occurred_at is not None else ():
            if at < moment:
                detail = f"'occurred_at' {at.isoformat()} is before {what}, at {moment.isoformat()}"
                raise Rejected(Reason.CONTRADICTS, detail)
        when = {"gaming_day": place.gaming_day(at), "shift": place.shift_at(at), "at": at}
        return {"step": self.last + 1, "by": now.by, **when, **said.late(now.at)}


async def at_cage(connection: AsyncConnection, property_name: str) -> AtCage:
    """Return what the cage's next step at a property needs."""
    last = await last_number(connection, check_steps, "step", property=property_name)
    return AtCage(await known_places(connection, properties), last)


class RedeemCheck(Happened, Command):
    """Redeem a counter check, in full or in part.

    The payer is the drawer, or the bank where the check was deposited.
    """

    property: Name
    serial: Identifier
    cents: Cents
    paid_in: PaidIn
    drawer: Annotated[Patron | None, Field(description="who pays, by reference, where that is known")] = None


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
    fact = CheckRedeemed(**command.what(), table=check.table, left_cents=left_cents, **step)
    postings = paid(fact.property, fact.paid_in, fact.cents)
    return Accepted(recording=FactWithPostings(fact=fact, postings=postings, occurred_at=fact.at), answer=fact)


def issuance(serial: str) -> str:
    """Return the name of a counter check's issuance, for messages."""
    return f"the issuance of counter check {serial}"


_SAID: Final = ("serial", "table", "drawer", "cents", "paid_in")


def payment_fields(redemption: Redemption) -> dict[str, Any]:
    """Return the fields of a redemption that facts about it repeat."""
    return {name: getattr(redemption, name) for name in _SAID}


class VoidRedemption(Approving):
    """Void a redemption that was entered by mistake.

    This must be done by someone other than the person who entered it; the amount is owed again.
    """

    property: Name
    step: Annotated[Number, Field(description="the step that the redemption is")]
    reason: Text


class ReturnCheck(Happened, Command):
    """Record that a payment came back unpaid.

    The bank returned a deposited counter check, or the drawer's own check; the amount is owed again.
    """

    property: Name
    step: Annotated[Number, Field(description="the step that the redemption is")]
    reason: Annotated[Text, Field(description="why the bank returned it, and its reference")]


async def _undoing(connection: AsyncConnection, command: VoidRedemption | ReturnCheck) -> tuple[Redemption, AtCage]:
    redemption = await find_redemption(connection, command.property, command.step)
    return redemption, await at_cage(connection, command.property)


@COMMANDS.handles(VoidRedemption, load=_undoing, subject=first_loaded)
def void(command: VoidRedemption, state: tuple[Redemption, AtCage], now: Now) -> Accepted:
    """Void a redemption."""
    redemption, cage = state
    name = f"redemption {command.step} of counter check {redemption.serial}"
    redemption.require_standing(command.step)
    if same_person(redemption.by, now.by):
        raise Rejected(Reason.SAME_PERSON, f"{now.by} entered {name}: somebody else must void it")
    fact = RedemptionVoided(
        property=command.property,
        **payment_fields(redemption),
        voids=command.step,
        redeemed_by=redemption.by,
        reason=command.reason,
        **cage.step(command.property, now) | {"gaming_day": redemption.gaming_day, "shift": redemption.shift},
    )
    postings = paid(fact.property, fact.paid_in, -fact.cents)
    return Accepted(recording=FactWithPostings(fact=fact, postings=postings), answer=fact)


@COMMANDS.handles(ReturnCheck, load=_undoing)
def return_unpaid(command: ReturnCheck, state: tuple[Redemption, AtCage], now: Now) -> Accepted:
    """Record the amount owed again, on the day on which the cage learns of it, because the deposit did take place."""
    redemption, cage = state
    redemption.require_returnable(command.step)
    fact = CheckReturned(
        property=command.property,
        **payment_fields(redemption),
        returns=command.step,
        reason=command.reason,
        **cage.step(command.property, now, command, {f"redemption {command.step}": redemption.at}),
    )
    postings = paid(fact.property, fact.paid_in, -fact.cents)
    return Accepted(recording=FactWithPostings(fact=fact, postings=postings, occurred_at=fact.at), answer=fact)


class ReplaceChecks(Happened, Command):
    """Replace counter checks by one with a new serial number.

    Several are consolidated, or one that was paid in part is substituted; the amount owed stays the same.
    """

    property: Name
    serial: Annotated[Identifier, Field(description="of the check that takes their place")]
    replaces: Annotated[tuple[Identifier, ...], Field(min_length=1, max_length=100)]
    drawer: Annotated[Patron | None, Field(description="who owes it, by reference, where that is known")] = None


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
