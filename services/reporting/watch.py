"""Background jobs of reporting: deliver and test sealed days; update metrics of days, alarms and tables."""

import asyncio
from datetime import timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting import evidence, schedule
from services.reporting.ingest.progress import PROGRESS
from services.reporting.late_filings import observe_late
from services.reporting.read_model.alarms import open_alarms
from services.reporting.read_model.running_day import RunningDays, running_days
from services.reporting.read_model.stages import restated_since
from services.reporting.reports.currency.unprepared import observe_unprepared
from shared.runtime.background.periodic import every
from shared.runtime.metrics import Metrics
from shared.runtime.service.service_context import ServiceContext

_WATCH_SECONDS: Final = 15.0
_FILINGS_SECONDS: Final = 600.0
_LOOK_BACK: Final = timedelta(hours=24)
"""The time for which a restatement is counted in the metric of restated days."""


async def watch(context: ServiceContext) -> None:
    """Run the background jobs until cancelled: record read progress, deliver, test, and update metrics.

    Deliveries run in one process of the service, as do tests; every process reports its own read progress and problems.
    """

    async def look() -> None:
        async with context.pools.background.connect() as connection:
            await observe(context, connection)

    looking = every(_WATCH_SECONDS, look, "business metrics")
    preparing = every(_FILINGS_SECONDS, lambda: observe_unprepared(context), "currency report metrics")
    filing = every(_FILINGS_SECONDS, lambda: observe_late(context), "metric of late filings")
    jobs = (PROGRESS.watch(context), schedule.watch(context), evidence.watch(context))
    await asyncio.gather(*jobs, looking, preparing, filing)


async def observe(context: ServiceContext, connection: AsyncConnection) -> None:
    """Update the metrics of days, alarms and tables once."""
    now = context.clock()
    context.metrics.days_restated.set(len(await restated_since(connection, now - _LOOK_BACK)))
    context.metrics.statistical_alarms.set(len(await open_alarms(connection)))
    _show(context.metrics, await running_days(connection, now))


def _show(metrics: Metrics, days: RunningDays) -> None:
    """Set the metrics of the current gaming days, and remove the metrics of tables that no longer exist."""
    of_tables = (metrics.day_handle, metrics.day_win, metrics.day_drop, metrics.day_rake)
    for gauge in (*of_tables, metrics.day_rounds, metrics.day_results):
        gauge.clear()
    for one in days.tables:
        labels = (one.property, one.revenue_class, one.game, one.table)
        metrics.day_handle.labels(*labels).set(one.handle_cents)
        if one.win_cents is not None:
            metrics.day_win.labels(*labels).set(one.win_cents)
        metrics.day_rounds.labels(*labels).set(one.rounds)
        if one.results is not None:
            metrics.day_results.labels(*labels).set(one.results)
        if one.drop_cents is not None:
            metrics.day_drop.labels(*labels).set(one.drop_cents)
        if one.rake_cents is not None:
            metrics.day_rake.labels(*labels).set(one.rake_cents)
    metrics.day_contests.clear()
    for property_name, cents in days.contest_cents.items():
        metrics.day_contests.labels(property_name).set(cents)
