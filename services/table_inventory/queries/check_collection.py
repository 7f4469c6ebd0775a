"""Read write-offs of counter checks."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.check_collection import CheckWriteOff
from services.table_inventory.tables import check_write_offs
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def find_check_write_off(connection: AsyncConnection, property_name: str, number: int) -> CheckWriteOff:
    """Return a write-off of a counter check. Raises: Rejected if there is none."""
    missing = f"there is no write-off {number} of a counter check at {property_name}"
    row = await find_row(connection, check_write_offs, missing, property=property_name, check_write_off=number)
    return thing_of(CheckWriteOff, row)


async def read_check_write_offs(
    connection: AsyncConnection, property_name: str, *, after: int = 0, limit: int | None = None, **wanted: Any
) -> list[CheckWriteOff]:
    """Return write-offs of counter checks by number; `wanted` are values of columns, such as the `serial`."""
    number = check_write_offs.c.check_write_off
    query = rows_of(check_write_offs, property=property_name, **wanted).where(number > after)
    return await things_of(CheckWriteOff, connection, query.order_by(number).limit(limit))
