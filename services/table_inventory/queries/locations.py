"""Read transfers between locations of the cage, their counts, and their books."""

from collections import Counter
from collections.abc import Collection
from typing import Final

from sqlalchemy import func, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.locations import CageCountDocument, CageTransferDocument, Last, There, posted
from services.table_inventory.domain.locations_in_use import HasDrawer
from services.table_inventory.tables import cage_book, cage_counts, cage_transfers
from shared.contracts.cage_locations import Book, HeldPieces
from shared.runtime.rows import find_row, rows_of, thing_of


async def find_transfer(connection: AsyncConnection, property_name: str, transfer: int) -> CageTransferDocument:
    """Return a transfer. Raises: Rejected if it does not exist."""
    missing = f"there is no transfer {transfer} at the cage of {property_name}"
    row = await find_row(connection, cage_transfers, missing, property=property_name, transfer=transfer)
    return thing_of(CageTransferDocument, row)


async def find_count(connection: AsyncConnection, property_name: str, count: int) -> tuple[CageCountDocument, Book]:
    """Return a count, and the location's book when it was entered. Raises: Rejected if the count does not exist."""
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


async def who_has(connection: AsyncConnection, property_name: str, **location: str) -> dict[str, HasDrawer]:
    """Return the cashier named by the last verified count of each location, or only of `location`, by location."""
    c = cage_counts.c
    of = rows_of(cage_counts, property=property_name, status="verified", **location)
    last = of.with_only_columns(func.max(c["count"])).group_by(c.location)
    query = rows_of(cage_counts, property=property_name).where(c["count"].in_(last))
    return {
        row.location: HasDrawer(row.next_cashier or row.cashier, row._mapping["count"], row.counted_at)
        for row in await connection.execute(query)
    }


async def waiting_count(connection: AsyncConnection, property_name: str, location: str) -> int | None:
    """Return the number of the location's unverified count, or None."""
    query = rows_of(cage_counts, property=property_name, location=location, status="entered")
    found: int | None = (await connection.execute(query.with_only_columns(cage_counts.c["count"]))).scalar_one_or_none()
    return found


async def books_of(connection: AsyncConnection, property_name: str) -> dict[str, Book]:
    """Return the book of each location: cents by cause since the location's books began."""
    c = cage_book.c
    query = rows_of(cage_book, property=property_name)
    query = query.with_only_columns(c.location, c.cause, func.sum(c.cents).label("cents"))
    found: dict[str, Book] = {}
    for row in await connection.execute(query.group_by(c.location, c.cause).order_by(c.location, c.cause)):
        found.setdefault(row.location, {})[row.cause] = int(row.cents)
    return found


_MAY_HOLD: Final = text("""
    SELECT l.location FROM unnest(CAST(:locations AS text[])) l (location)
    LEFT JOIN LATERAL (
        SELECT contents, seq FROM table_inventory.cage_counts
        WHERE property = :property AND location = l.location AND status = 'verified'
        ORDER BY "count" DESC LIMIT 1) last ON true
    WHERE last.contents <> '[]'
       OR (SELECT sum(cents) FROM table_inventory.cage_book
           WHERE property = :property AND location = l.location) <> 0
       OR EXISTS (SELECT FROM table_inventory.cage_transfers
                  WHERE property = :property AND status = 'issued' AND l.location IN (giver, receiver))
       OR EXISTS (SELECT FROM table_inventory.cage_transfers
                  WHERE property = :property AND ended_seq > coalesce(last.seq, -1)
                    AND l.location IN (giver, receiver))""")


async def may_hold(connection: AsyncConnection, property_name: str, locations: Collection[str]) -> set[str]:
    """Return the given locations that may hold something.

    A location is certainly empty if its book balance is zero, no transfer from or to it is in transit, its last
    verified count (if any) found nothing, and no transfer has ended since.
    """
    if not locations:
        return set()
    asked = {"property": property_name, "locations": sorted(locations)}
    return set((await connection.execute(_MAY_HOLD, asked)).scalars())


_PIECES: Final = text("""
    WITH last AS (
        SELECT contents, seq FROM table_inventory.cage_counts
        WHERE property = :property AND location = :location AND status = 'verified' ORDER BY "count" DESC LIMIT 1)
    SELECT 1 AS sign, contents FROM last
    UNION ALL
    SELECT 1, contents FROM table_inventory.cage_transfers
    WHERE property = :property AND ended_seq > coalesce((SELECT seq FROM last), -1)
      AND CASE status WHEN 'received' THEN receiver ELSE giver END = :location
    UNION ALL
    SELECT -1, contents FROM table_inventory.cage_transfers
    WHERE property = :property AND issued_seq > coalesce((SELECT seq FROM last), -1) AND giver = :location""")


async def what_is_there(connection: AsyncConnection, property_name: str, location: str) -> There:
    """Return a location's contents by its books: those of its last verified count, changed by the transfers since."""
    pieces = Counter[tuple[str, str, str, str, int]]()
    for row in await connection.execute(_PIECES, {"property": property_name, "location": location}):
        for one in map(HeldPieces.model_validate, row.contents):
            pieces[one.of] += row.sign * one.count
    books = await books_of(connection, property_name)
    return There(sum(books.get(location, {}).values()), pieces)
