"""Commands about transactions with known patrons: entered by a cashier, voided by another person."""

from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.cage import CageRecord, moved
from services.table_inventory.domain.instruments import require_described
from services.table_inventory.domain.locations_in_use import location_of
from services.table_inventory.queries.cage import find_movement
from services.table_inventory.tables import cage_movements, properties
from shared.contracts.cage import DIRECTIONS, CageMoved, CageMovement, CageVoided
from shared.contracts.envelope import Name
from shared.contracts.envelope import Reason as Text
from shared.contracts.inventory import Number
from shared.contracts.moments import NOW, Happened
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import happened, place_for_command
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.rows import last_number

COMMANDS: Final = Commands()


class MoveAtCage(CageMovement, Happened, Command):
    """Record a payment from or to a known patron at the cage, or an exchange of currency.

    Redemptions of counter checks have their own command. A currency wager at a table is recorded with this command if
    the currency did not go into the drop box.
    """

    IN_ORDER = (
        *("property", "kind", "cents", "medium", "patron", "on_behalf_of", "window"),
        *("purpose", "foreign_country", "table", "instrument"),
    )


class Cage(NamedTuple):
    """The properties, and the last transaction number at the cage of one property."""

    places: Places
    last: int

    def next_one(self, property_name: str, now: Now, said: Happened = NOW) -> dict[str, Any]:
        """Return the number, person and times of the next transaction, as fields of its fact.

        Raises: Rejected for an unknown property, or a moment that is in the future or too long ago.
        """
        place, at = happened(self.places.place, property_name, said, now.at)
        when = {"gaming_day": place.gaming_day(at), "shift": place.shift_at(at), "at": at}
        return {"number": self.last + 1, "by": now.by, **when, **said.late(now.at)}


async def _cage(connection: AsyncConnection, command: "MoveAtCage | VoidAtCage") -> Cage:
    last = await last_number(connection, cage_movements, "number", property=command.property)
    return Cage(await known_places(connection, properties), last)


@COMMANDS.handles(MoveAtCage, load=_cage)
def move(command: MoveAtCage, cage: Cage, now: Now) -> Accepted:
    """Record a cage transaction under the next number."""
    direction = DIRECTIONS[command.kind]
    said = cage.next_one(command.property, now, command)
    place = place_for_command(cage.places.place, command.property, said["at"])
    location = location_of(place, command.window, said["gaming_day"])
    if command.table is not None and (why := place.why_no_table(command.table, said["gaming_day"])) is not None:
        raise Rejected(Reason.NOT_FOUND, why)
    require_described(place, said["gaming_day"], command.cents, command.instruments().values())
    fact = CageMoved(**command.what(), direction=direction, location=location, **said)
    return Accepted(recording=FactWithPostings(fact=fact, postings=moved(fact), occurred_at=fact.at), answer=fact)


class VoidAtCage(Approving):
    """Void a transaction at the cage that was entered by mistake.

    This must be done by someone other than the person who entered it.
    """

    property: Name
    number: Annotated[Number, Field(description="the number of the movement")]
    reason: Text


class Voiding(NamedTuple):
    """A transaction to be voided, and the state of the cage."""

    movement: CageRecord
    cage: Cage


async def _voiding(connection: AsyncConnection, command: VoidAtCage) -> Voiding:
    movement = await find_movement(connection, command.property, command.number)
    return Voiding(movement, await _cage(connection, command))


@COMMANDS.handles(VoidAtCage, load=_voiding, subject=first_loaded)
def void(command: VoidAtCage, state: Voiding, now: Now) -> Accepted:
    """Void a transaction."""
    movement, cage = state
    name = f"number {command.number} at the cage of {command.property}"
    if movement.voids is not None:
        raise Rejected(Reason.NOT_ALLOWED, f"{name} voids number {movement.voids}: enter the movement again instead")
    if movement.is_void:
        raise Rejected(Reason.ALREADY_DECIDED, f"{name} is void already")
    if same_person(movement.by, now.by):
        raise Rejected(Reason.SAME_PERSON, f"{now.by} entered {name}: somebody else must void it")
    said = {field: getattr(movement, field) for field in CageMovement.model_fields}
    fact = CageVoided(
        **said,
        direction=movement.direction,
        location=movement.location,
        voids=command.number,
        moved_by=movement.by,
        reason=command.reason,
        **cage.next_one(command.property, now) | {"gaming_day": movement.gaming_day, "shift": movement.shift},
    )
    return Accepted(recording=FactWithPostings(fact=fact, postings=moved(fact, void=True)), answer=fact)
