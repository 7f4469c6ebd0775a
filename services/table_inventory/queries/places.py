"""Read properties as of a gaming day."""

from datetime import date
from typing import Final

from sqlalchemy import bindparam, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import tables as t
from services.table_inventory.tables import properties
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.ingest.property_copies import Places, known_places

_REPORTED: Final = select(
    union_all(
        *(
            select(literal(1)).where(
                table.c.property == bindparam("property"), table.c.gaming_day == bindparam("gaming_day")
            )
            for table in (t.counts, t.movements, t.boxes)
        )
    ).exists()
)
"""SQL query: whether the pit reported anything for a gaming day of a property."""


async def find_place(connection: AsyncConnection, property_name: str, gaming_day: date) -> PropertySnapshot:
    """Return a property as of a gaming day. Raises: Rejected if it did not exist then.

    The day before the property's first gaming day is accepted only if the pit reported an event for that day, within
    the pit's margin.
    """
    place = place_on(await known_places(connection, properties), property_name, gaming_day)
    if not place.existed_on(gaming_day):
        reported = await connection.scalar(_REPORTED, {"property": property_name, "gaming_day": gaming_day})
        if not reported:
            raise Rejected(Reason.NOT_FOUND, _no_place(property_name, gaming_day))
    return place


def require_shift(place: PropertySnapshot, shift: str) -> None:
    """Raise Rejected unless the property has a shift of this name."""
    if shift not in place.shifts:
        detail = f"{place.document.property} has no shift {shift!r}; its shifts are {', '.join(place.shifts)}"
        raise Rejected(Reason.NOT_FOUND, detail)


def place_on(places: Places, property_name: str, gaming_day: date) -> PropertySnapshot:
    """Return a property as of a gaming day. Raises: Rejected if it did not exist then."""
    found = None if gaming_day == date.max else places.of_day(property_name, gaming_day)  # the last date has no end
    if found is None:
        raise Rejected(Reason.NOT_FOUND, _no_place(property_name, gaming_day))
    return found


def _no_place(property_name: str, gaming_day: date) -> str:
    return (
        f"no approved version of property {property_name!r} is in effect on gaming day {gaming_day}: file and approve "
        "a property document (pitledger property file)"
    )
