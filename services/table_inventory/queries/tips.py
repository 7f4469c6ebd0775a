"""Read the dealers' hours of tips pools."""

from datetime import date, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.tips import TipHoursDocument
from services.table_inventory.tables import properties, tip_hours
from shared.contracts.tips_pools import PoolDays, pool_of
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.rows import find_row, rows_of, thing_of, things_of

_NEAR: Final = timedelta(days=14)
"""Longer than any tips pool: a week that a change of the first weekday lengthens has at most thirteen days."""


async def pool_on(connection: AsyncConnection, property_name: str, day: date) -> PoolDays | None:
    """Return the tips pool of a gaming day of an existing property, or None if the property shares no tips that day."""
    first, last = tip_hours.c.first_day, tip_hours.c.last_day
    near = rows_of(tip_hours, property=property_name, status="approved").where(last > day - _NEAR, first < day + _NEAR)
    approved = await things_of(TipHoursDocument, connection, near)
    pools = [PoolDays(one.first_day, one.last_day, one.pool) for one in approved]
    return pool_of((await known_places(connection, properties)).versions(property_name), pools, day)


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
