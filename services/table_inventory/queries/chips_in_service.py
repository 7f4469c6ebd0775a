"""Read opening positions of chips in service."""

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.chips_in_service import ChipsInServiceDocument
from services.table_inventory.tables import chips_in_service
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def find_chips_in_service(
    connection: AsyncConnection, property_name: str, revision: int
) -> ChipsInServiceDocument:
    """Return a revision of the opening position. Raises: Rejected if there is none."""
    missing = f"there is no revision {revision} of the chips in service at {property_name}"
    row = await find_row(connection, chips_in_service, missing, property=property_name, revision=revision)
    return thing_of(ChipsInServiceDocument, row)


async def read_chips_in_service(connection: AsyncConnection, property_name: str) -> list[ChipsInServiceDocument]:
    """Return the revisions of a property's opening position, latest first."""
    query = rows_of(chips_in_service, property=property_name).order_by(chips_in_service.c.revision.desc())
    return await things_of(ChipsInServiceDocument, connection, query)
