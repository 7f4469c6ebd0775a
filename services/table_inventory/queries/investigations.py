"""Read investigations."""

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.investigations import Investigation
from services.table_inventory.tables import investigations
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def find_investigation(connection: AsyncConnection, property_name: str, number: int) -> Investigation:
    """Return an investigation. Raises: Rejected if it does not exist."""
    missing = f"there is no investigation {number} at {property_name}"
    row = await find_row(connection, investigations, missing, property=property_name, investigation=number)
    return thing_of(Investigation, row)


async def read_investigations(
    connection: AsyncConnection, property_name: str, *, after: int = 0, limit: int | None = None, **wanted: str | None
) -> list[Investigation]:
    """Return investigations by number, beginning after a number. `wanted` selects by column, for example by `month`."""
    query = rows_of(investigations, property=property_name, **wanted)
    number = investigations.c.investigation
    return await things_of(Investigation, connection, query.where(number > after).order_by(number).limit(limit))
