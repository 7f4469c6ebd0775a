"""Read write-offs of counter checks."""

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.check_collection import CheckWriteOff
from services.table_inventory.tables import check_write_offs
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def find_check_write_off(connection: AsyncConnection, property_name: str, number: int) -> CheckWriteOff:
    """Return a write-off of a counter check by number. Raises: Rejected if it does not exist."""
    missing = f"there is no write-off {number} of a counter check at {property_name}"
    row = await find_row(connection, check_write_offs, missing, property=property_name, check_write_off=number)
    return thing_of(CheckWriteOff, row)


async def write_offs_of_check(connection: AsyncConnection, property_name: str, serial: str) -> list[CheckWriteOff]:
    """Return the write-offs of a counter check by number."""
    query = rows_of(check_write_offs, property=property_name, serial=serial)
    return await things_of(CheckWriteOff, connection, query.order_by(check_write_offs.c.check_write_off))
