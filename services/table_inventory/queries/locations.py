"""Read transfers between locations of the cage, their counts, and their books."""

from sqlalchemy import func
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.locations import CageCountDocument, CageTransferDocument, Last, posted
from services.table_inventory.tables import cage_book, cage_counts, cage_transfers
from shared.contracts.cage_locations import Book
from shared.runtime.rows import find_row, rows_of, thing_of


async def find_transfer(connection: AsyncConnection, property_name: str, transfer: int) -> CageTransferDocument:
    """Return a transfer. Raises: Rejected if there is none."""
    missing = f"there is no transfer {transfer} at the cage of {property_name}"
    row = await find_row(connection, cage_transfers, missing, property=property_name, transfer=transfer)
    return thing_of(CageTransferDocument, row)


async def find_count(connection: AsyncConnection, property_name: str, count: int) -> tuple[CageCountDocument, Book]:
    """Return a count of a location, and its book at the count. Raises: Rejected if there is none."""
    missing = f"there is no count {count} at the cage of {property_name}"
    row = await find_row(connection, cage_counts, missing, property=property_name, count=count)
    return thing_of(CageCountDocument, row), row.book


async def last_count(connection: AsyncConnection, property_name: str, location: str) -> Last | None:
    """Return the last verified count of a location, or None."""
    query = rows_of(cage_counts, property=property_name, location=location, status="verified")
    row = (await connection.execute(query.order_by(cage_counts.c["count"].desc()).limit(1))).one_or_none()
    if row is None:
        return None
    return Last(row.counted_cents, posted(row.counted_cents, row.book, first=row.before_cents is None))


async def waiting_count(connection: AsyncConnection, property_name: str, location: str) -> int | None:
    """Return the number of the count of a location that waits to be verified, or None."""
    query = rows_of(cage_counts, property=property_name, location=location, status="entered")
    found: int | None = (await connection.execute(query.with_only_columns(cage_counts.c["count"]))).scalar_one_or_none()
    return found


async def books_of(connection: AsyncConnection, property_name: str) -> dict[str, Book]:
    """Return the money that ever came in and went out, by location and cause."""
    c = cage_book.c
    query = rows_of(cage_book, property=property_name)
    query = query.with_only_columns(c.location, c.cause, func.sum(c.cents).label("cents"))
    found: dict[str, Book] = {}
    for row in await connection.execute(query.group_by(c.location, c.cause).order_by(c.location, c.cause)):
        found.setdefault(row.location, {})[row.cause] = int(row.cents)
    return found
