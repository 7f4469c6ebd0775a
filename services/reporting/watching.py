"""What reporting does that nobody asks for: deliver the reports of sealed days, and test their rounds and counts."""

import asyncio

from services.reporting import evidence, schedule
from shared.runtime.service.context import ServiceContext


async def watch(context: ServiceContext) -> None:
    """Do both until cancelled."""
    async with asyncio.TaskGroup() as group:
        group.create_task(schedule.watch(context))
        group.create_task(evidence.watch(context))
