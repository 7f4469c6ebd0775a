"""Read the dealers' hours of tips pools."""

from datetime import date

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.tips import TipHoursDocument
from services.table_inventory.tables import tip_hours
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def revisions_of(connection: AsyncConnection, property_name: str, last_day: date) -> list[TipHoursDocument]:
    """Return the revisions of the dealers' hours of a pool, latest first."""
    query = rows_of(tip_hours, property=property_name, last_day=last_day)
    return await things_of(TipHoursDocument, connection, query.order_by(tip_hours.c.revision.desc()))


async def find_hours(
    connection: AsyncConnection, property_name: str, last_day: date, revision: int
) -> TipHoursDocument:
    """Return a revision of the dealers' hours of a pool. Raises: Rejected if it does not exist."""
    missing = f"there is no revision {revision} of the hours of the pool up to {last_day} at {property_name}"
    key = {"property": property_name, "last_day": last_day, "revision": revision}
    return thing_of(TipHoursDocument, await find_row(connection, tip_hours, missing, **key))
