"""What reporting does by itself: it delivers and tests sealed days, and counts those that were restated of late."""

import asyncio
from datetime import timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting import evidence, schedule
from services.reporting.books.stages import restated_since
from shared.runtime.service.context import ServiceContext
from shared.runtime.service.periodic import every

_WATCH_SECONDS: Final = 15.0
_LOOK_BACK: Final = timedelta(hours=24)
"""How long a restatement is news."""


async def watch(context: ServiceContext) -> None:
    """Deliver, test and watch until cancelled."""

    async def look() -> None:
        async with context.engine.connect() as connection:
            await observe(context, connection)

    looking = every(_WATCH_SECONDS, look, "gaming days not watched")
    await asyncio.gather(schedule.watch(context), evidence.watch(context), looking)


async def observe(context: ServiceContext, connection: AsyncConnection) -> None:
    """Update the figures once."""
    found = await restated_since(connection, context.clock() - _LOOK_BACK)
    context.metrics.days_restated.set(len(found))
