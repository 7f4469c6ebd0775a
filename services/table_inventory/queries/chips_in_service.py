"""Read opening positions of chips in service, and the chips put into service since."""

from sqlalchemy import or_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.chips_in_service import ChipsInServiceDocument, PutIn
from services.table_inventory.tables import cage_transfers, chips_in_service
from shared.contracts.cage_locations import HeldPieces
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def find_chips_in_service(
    connection: AsyncConnection, property_name: str, revision: int
) -> ChipsInServiceDocument:
    """Return a revision of the opening position; if undecided, with the chips put into service since.

    Raises: Rejected if the revision does not exist.
    """
    missing = f"there is no revision {revision} of the chips in service at {property_name}"
    row = await find_row(connection, chips_in_service, missing, property=property_name, revision=revision)
    return thing_of(ChipsInServiceDocument, row).with_put_in(await read_put_in(connection, property_name))


async def read_chips_in_service(connection: AsyncConnection, property_name: str) -> list[ChipsInServiceDocument]:
    """Return all revisions of a property's opening position, latest first; see `find_chips_in_service`."""
    query = rows_of(chips_in_service, property=property_name).order_by(chips_in_service.c.revision.desc())
    found = await things_of(ChipsInServiceDocument, connection, query)
    passed = await read_put_in(connection, property_name)
    return [one.with_put_in(passed) for one in found]


async def read_put_in(connection: AsyncConnection, property_name: str) -> list[PutIn]:
    """Return the transfers of chips from the manufacturer and to destruction, in the order of their receipt.

    Transfers in transit are omitted. Only the property's own chips in the contents are returned.
    """
    c = cage_transfers.c
    query = rows_of(cage_transfers, property=property_name, status="received")
    query = query.where(or_(c.giver == "manufacturer", c.receiver == "destruction")).order_by(c.ended_seq)
    found = []
    for row in await connection.execute(query):
        contents = [one for one in map(HeldPieces.model_validate, row.contents) if one.kind == "chips"]
        found.append(PutIn(row.transfer, row.gaming_day, 1 if row.giver == "manufacturer" else -1, contents))
    return found
