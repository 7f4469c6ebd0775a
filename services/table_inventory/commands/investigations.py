"""Commands about investigations of deviating hold: opened, assigned, and concluded by the owner."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.investigations import Investigation, known_names, last_day
from services.table_inventory.queries.investigations import find_investigation, read_investigations
from services.table_inventory.queries.places import find_place
from services.table_inventory.tables import investigations
from shared.contracts.envelope import Name, Person
from shared.contracts.envelope import Reason as Text
from shared.contracts.inventory import Number
from shared.contracts.investigations import (
    HoldVariance,
    InvestigationAssigned,
    InvestigationConcluded,
    InvestigationOpened,
)
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, as_loaded
from shared.runtime.rows import last_number

COMMANDS: Final = Commands()


class OpenInvestigation(HoldVariance, Command):
    """Open an investigation.

    It concerns the hold of a table or a game in a monthly report. It has an owner from the start.
    """

    found: Text
    owner: Person


class Opening(NamedTuple):
    """The property at the end of the month, its last investigation number, and investigations of the same hold."""

    place: PropertySnapshot
    last: int
    same: Sequence[Investigation]


async def _opening(connection: AsyncConnection, command: OpenInvestigation) -> Opening:
    named = {name: getattr(command, name) for name in ("what", "subject", "month")}
    return Opening(
        await find_place(connection, command.property, last_day(command.month)),
        await last_number(connection, investigations, "investigation", property=command.property),
        await read_investigations(connection, command.property, **named),
    )


@COMMANDS.handles(OpenInvestigation, load=_opening)
def open_investigation(command: OpenInvestigation, state: Opening, now: Now) -> Accepted:
    """Open an investigation under the next number, unless another investigation into the same hold is open."""
    known = known_names(state.place, command.what, command.month)
    if command.subject not in known:
        detail = (
            f"{command.property} has no {command.what} {command.subject} in {command.month}: {', '.join(sorted(known))}"
        )
        raise Rejected(Reason.NOT_FOUND, detail)
    running = next((one.investigation for one in state.same if one.concluded_at is None), None)
    if running is not None:
        detail = f"investigation {running} of {command.what} {command.subject} in {command.month} is not concluded yet"
        raise Rejected(Reason.CONTRADICTS, detail)
    opened = {"investigation": state.last + 1, "opened_by": now.by, "opened_at": now.at}
    fact = InvestigationOpened(**dict(command), **opened)
    return Accepted(recording=FactWithPostings(fact=fact), answer=Investigation(**dict(fact)))


class AssignInvestigation(Command):
    """Assign an investigation to another person."""

    property: Name
    investigation: Number
    owner: Person


class ConcludeInvestigation(Approving):
    """Conclude an investigation.

    Only its owner can do this.
    """

    property: Name
    investigation: Number
    conclusion: Text


async def _known(connection: AsyncConnection, command: AssignInvestigation | ConcludeInvestigation) -> Investigation:
    """Return an investigation. Raises: Rejected if it does not exist."""
    return await find_investigation(connection, command.property, command.investigation)


def _require_open(found: Investigation) -> None:
    """Raise Rejected if an investigation is concluded."""
    if found.concluded_at is not None:
        detail = f"investigation {found.investigation} of {found.property} is concluded already"
        raise Rejected(Reason.ALREADY_DECIDED, detail)


@COMMANDS.handles(AssignInvestigation, load=_known)
def assign(command: AssignInvestigation, found: Investigation, now: Now) -> Accepted:
    """Assign the investigation to another owner."""
    _require_open(found)
    fact = InvestigationAssigned(**dict(command), assigned_by=now.by, assigned_at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=found.model_copy(update={"owner": command.owner}))


@COMMANDS.handles(ConcludeInvestigation, load=_known, subject=as_loaded)
def conclude(command: ConcludeInvestigation, found: Investigation, now: Now) -> Accepted:
    """Record the owner's conclusion."""
    _require_open(found)
    if not same_person(found.owner, now.by):
        raise Rejected(Reason.NOT_ALLOWED, f"investigation {found.investigation} is {found.owner}'s to conclude")
    concluded = {"conclusion": command.conclusion, "concluded_at": now.at}
    fact = InvestigationConcluded(property=found.property, investigation=found.investigation, owner=now.by, **concluded)
    return Accepted(recording=FactWithPostings(fact=fact), answer=found.model_copy(update=concluded))
