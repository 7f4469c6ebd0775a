"""Verify the stored comparison results against the movements and readings."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.queries.books import displays
from services.progressive_meters.queries.comparing import compare_kept
from services.progressive_meters.tables import compared_hours, pools
from shared.runtime.differences import ComparedTable, compare_rows


async def compare_hours(connection: AsyncConnection) -> ComparedTable:
    """Compare all properties' stored results with recomputed ones, except for hours with later movements."""
    properties = set((await connection.execute(select(pools.c.property))).scalars())
    properties |= set((await connection.execute(select(compared_hours.c.property))).scalars())
    was: dict[tuple[object, ...], dict[str, object]] = {}
    should_be: dict[tuple[object, ...], dict[str, object]] = {}
    for name in sorted(properties):
        kept, found = await compare_kept(connection, name, await displays(connection, name))
        was |= kept
        should_be |= found
    key = [column.name for column in compared_hours.primary_key]
    return compare_rows(compared_hours.name, key, was, should_be)
