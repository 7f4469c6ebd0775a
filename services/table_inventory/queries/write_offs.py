"""Read removed drop boxes, and write-offs."""

from datetime import date
from typing import Any

from sqlalchemy import Row, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.entered import EnteredDocument
from services.table_inventory.tables import boxes, write_offs
from shared.contracts.inventory import WriteOffEntered
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


class WriteOff(WriteOffEntered, EnteredDocument):
    """A write-off of a drop box with its status."""

    @property
    def label(self) -> str:
        """Return the write-off's name for messages."""
        return f"write-off {self.write_off}"


async def find_box(connection: AsyncConnection, **key: Any) -> Row[Any]:
    """Return the row of the box that an exchange removed. Raises: Rejected if the exchange does not exist."""
    return await find_row(connection, boxes, f"no box came off {key['table']} by exchange {key['exchange']}", **key)


async def box_after(connection: AsyncConnection, row: Row[Any]) -> Row[Any] | None:
    """Return the row of the next box removed from the same table, or None."""
    b = boxes.c
    later = rows_of(boxes, property=row.property, table=row.table)
    later = later.where(tuple_(b.removed_at, b.exchange) > (row.removed_at, row.exchange))
    found: Row[Any] | None = (await connection.execute(later.order_by(b.removed_at, b.exchange).limit(1))).one_or_none()
    return found


async def find_write_off(connection: AsyncConnection, property_name: str, write_off: int) -> WriteOff:
    """Return a write-off. Raises: Rejected if it does not exist."""
    missing = f"there is no write-off {write_off} at {property_name}"
    key = {"property": property_name, "write_off": write_off}
    return thing_of(WriteOff, await find_row(connection, write_offs, missing, **key))


async def write_offs_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[WriteOff]:
    """Return the write-offs of drop boxes missing from the count of a gaming day, by number."""
    query = rows_of(write_offs, property=property_name, gaming_day=gaming_day).order_by(write_offs.c.write_off)
    return await things_of(WriteOff, connection, query)
