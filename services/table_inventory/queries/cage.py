"""Read transactions of known patrons at the cage."""

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.cage import CageRecord
from services.table_inventory.tables import cage_movements
from shared.runtime.rows import find_row, rows_of, thing_of


async def find_movement(connection: AsyncConnection, property_name: str, number: int) -> CageRecord:
    """Return a cage transaction, with a flag that is set if it is void. Raises: Rejected if it does not exist."""
    missing = f"nothing was moved at the cage of {property_name} under number {number}"
    row = await find_row(connection, cage_movements, missing, property=property_name, number=number)
    voided = (await connection.execute(rows_of(cage_movements, property=property_name, voids=number))).first()
    return thing_of(CageRecord, row, is_void=voided is not None)
