"""What reporting does by itself: it delivers and tests sealed days, and counts those that were restated of late."""

import asyncio
from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting import evidence, schedule
from services.reporting.books.stages import restated_since
from shared.runtime.errors import Kind, kind_of
from shared.runtime.service.context import ServiceContext

log = structlog.get_logger()

_WATCH_SECONDS: Final = 15.0
_LOOK_BACK: Final = timedelta(hours=24)
"""How long a restatement is news."""


async def watch(context: ServiceContext) -> None:
    """Deliver, test and watch until cancelled."""
    await asyncio.gather(schedule.watch(context), evidence.watch(context), _observe(context))


async def _observe(context: ServiceContext) -> None:
    while True:
        try:
            async with context.engine.connect() as connection:
                await observe(context, connection)
        except Exception as error:
            if kind_of(error) is Kind.BUG:
                raise
            log.warning("gaming days not watched", error=str(error))
        await asyncio.sleep(_WATCH_SECONDS)


async def observe(context: ServiceContext, connection: AsyncConnection) -> None:
    """Update the figures once."""
    found = await restated_since(connection, context.clock() - _LOOK_BACK)
    context.metrics.days_restated.set(len(found))
