"""Read transactions of known patrons at the cage."""

from datetime import date

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.cage import CageDocument, CageRecord
from services.table_inventory.tables import cage_movements
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def find_movement(connection: AsyncConnection, property_name: str, number: int) -> CageRecord:
    """Return a transaction at the cage, and whether it is void. Raises: Rejected if there is none."""
    missing = f"nothing was moved at the cage of {property_name} under number {number}"
    row = await find_row(connection, cage_movements, missing, property=property_name, number=number)
    voided = (await connection.execute(rows_of(cage_movements, property=property_name, voids=number))).first()
    return thing_of(CageRecord, row, is_void=voided is not None)


async def movements_of_day(
    connection: AsyncConnection, property_name: str, gaming_day: date, after: int, limit: int
) -> list[CageDocument]:
    """Return the transactions of a gaming day, including voided ones, by number."""
    query = rows_of(cage_movements, property=property_name, gaming_day=gaming_day)
    number = cage_movements.c.number
    return await things_of(CageDocument, connection, query.where(number > after).order_by(number).limit(limit))
