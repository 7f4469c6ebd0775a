"""What reporting does by itself: deliver and test sealed days, count restated ones and alarms that are open."""

import asyncio
from datetime import timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting import evidence, progress, schedule
from services.reporting.books.alarms import open_alarms
from services.reporting.books.stages import restated_since
from shared.runtime.service.context import ServiceContext
from shared.runtime.service.periodic import every

_WATCH_SECONDS: Final = 15.0
_LOOK_BACK: Final = timedelta(hours=24)
"""How long a restatement is news."""


async def watch(context: ServiceContext) -> None:
    """Note what was read, deliver, test and watch until cancelled.

    Of several processes one delivers and one tests; what each has read, and what is wrong, each says.
    """

    async def look() -> None:
        async with context.engine.connect() as connection:
            await observe(context, connection)

    looking = every(_WATCH_SECONDS, look, "gaming days not watched")
    await asyncio.gather(progress.watch(context), schedule.watch(context), evidence.watch(context), looking)


async def observe(context: ServiceContext, connection: AsyncConnection) -> None:
    """Update the figures once."""
    since = context.clock() - _LOOK_BACK
    context.metrics.days_restated.set(len(await restated_since(connection, since)))
    context.metrics.statistical_alarms.set(len(await open_alarms(connection)))
