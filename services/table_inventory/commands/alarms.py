"""Commands about statistical alarms: assign an owner, record the conclusion."""

from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.alarms import AlarmCase
from services.table_inventory.queries.alarms import find_case
from services.table_inventory.tables import properties
from shared.contracts.alarms import AlarmName, AlarmOwned, AlarmResolved
from shared.contracts.envelope import Name, Person
from shared.contracts.envelope import Reason as Text
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import place_for_command
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, as_loaded
from shared.runtime.ingest.property_copies import Places, known_places

COMMANDS: Final = Commands()


class OwnAlarm(Command):
    """Assign an alarm to a person.

    The exceptions report lists the names of the alarms.
    """

    property: Name
    alarm: AlarmName
    owner: Person


class ResolveAlarm(Approving):
    """Resolve an alarm.

    Only its owner can do this, and must give a conclusion. Lists continue to show the alarm, as resolved.
    """

    property: Name
    alarm: AlarmName
    conclusion: Text


async def _naming(connection: AsyncConnection, command: OwnAlarm) -> tuple[Places, AlarmCase | None]:
    return await known_places(connection, properties), await find_case(connection, command.property, command.alarm)


@COMMANDS.handles(OwnAlarm, load=_naming)
def own(command: OwnAlarm, state: tuple[Places, AlarmCase | None], now: Now) -> Accepted:
    """Assign an owner to the alarm, or replace its owner."""
    places, case = state
    place_for_command(places.place, command.property, now.at)
    _require_open(case)
    fact = AlarmOwned(**dict(command), owned_at=now.at, named_by=now.by)
    return Accepted(recording=FactWithPostings(fact=fact), answer=AlarmCase(**dict(fact)))


async def _owned(connection: AsyncConnection, command: ResolveAlarm) -> AlarmCase:
    case = await find_case(connection, command.property, command.alarm)
    if case is None:
        raise Rejected(Reason.TOO_EARLY, f"alarm {command.alarm!r} has no owner yet: name one first")
    return case


@COMMANDS.handles(ResolveAlarm, load=_owned, subject=as_loaded)
def resolve(command: ResolveAlarm, case: AlarmCase, now: Now) -> Accepted:
    """Record the owner's conclusion."""
    _require_open(case)
    if not same_person(case.owner, now.by):
        raise Rejected(Reason.NOT_ALLOWED, f"alarm {command.alarm!r} is {case.owner}'s to resolve")
    fact = AlarmResolved(**dict(command), owner=now.by, resolved_at=now.at)
    answer = case.model_copy(update={"conclusion": fact.conclusion, "resolved_at": fact.resolved_at})
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer)


def _require_open(case: AlarmCase | None) -> None:
    if case is not None and case.resolved_at is not None:
        raise Rejected(Reason.ALREADY_DECIDED, f"alarm {case.alarm!r} is resolved already")
