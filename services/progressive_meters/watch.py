"""Background work of the meters: compare tables' readings with the ledger before a reconciliation needs the results."""

from typing import Final

from sqlalchemy import select

from services.progressive_meters.queries.books import displays
from services.progressive_meters.queries.comparing import keep
from services.progressive_meters.tables import pools
from shared.runtime.background.leader import run_on_leader
from shared.runtime.database import reading
from shared.runtime.service.service_context import ServiceContext

_SECONDS: Final = 15.0


async def watch(context: ServiceContext) -> None:
    """Compare readings periodically until cancelled; this runs only in the leader process of the service."""
    name = f"{context.service}: compare readings"
    await run_on_leader(
        context.pools.background, name, _SECONDS, lambda: compare(context), "comparison of meter readings"
    )


async def compare(context: ServiceContext) -> int:
    """Compare the readings of pools that have moved, store the results, and return the number of these pools."""
    async with reading(context.pools.background) as connection:
        properties = (await connection.execute(select(pools.c.property).distinct())).scalars().all()
    moved = 0
    for property_name in sorted(properties):
        async with context.pools.background.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            async with connection.begin():
                totals = await displays(connection, property_name)
                moved += await keep(connection, property_name, totals)
    return moved
