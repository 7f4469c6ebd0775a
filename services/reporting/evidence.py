"""Background job: run the fairness tests on sealed (and restated) gaming days."""

from typing import Final

import structlog

from services.reporting.framework.question import ReportQuery
from services.reporting.ingest.progress import all_read_until
from services.reporting.read_model.evidence import Due, due_days, evidence_of_day, keep
from services.reporting.report_service import books_of
from shared.contracts.rejection import Rejected
from shared.runtime.background.leader import run_on_leader
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.snapshot_reader import read_at_once
from shared.runtime.throttle import CpuThrottle

log = structlog.get_logger()

BY: Final = "evidence"
"""The name recorded as the person who makes the job's queries."""

WORK: Final = "reporting.evidence"
"""The name of the job for leader election."""

_SECONDS: Final = 3.0


async def watch(context: ServiceContext) -> None:
    """Run the fairness tests until cancelled; only one process of the service runs them."""
    await run_on_leader(
        context.pools.background, WORK, _SECONDS, lambda: evaluate_sealed(context), "fairness tests of sealed days"
    )


async def evaluate_sealed(context: ServiceContext) -> int:
    """Test sealed and restated days once all journals have been read up to then; return the number of days tested.

    The days are tested in order, each in its own transaction, with pauses, because this is background work. Days of a
    property that is not known yet are skipped.
    """
    settled = await all_read_until(context, context.pools.background)
    if settled is None:
        return 0
    async with context.pools.background.connect() as connection:
        days = await due_days(connection, settled)
    tested, waiting, pace = 0, set[str](), CpuThrottle(context.settings.background_share)
    for due in days:
        if due.property in waiting:
            continue
        try:
            await _test(context, due, pace)
            tested += 1
        except Rejected as unknown:
            waiting.add(due.property)
            log.warning(
                "fairness tests not carried out, retrying",
                property=due.property,
                day=str(due.gaming_day),
                error=str(unknown),
            )
    return tested


async def _test(context: ServiceContext, due: Due, pace: CpuThrottle) -> None:
    """Run the fairness tests on a gaming day. Raises: Rejected if its property is unknown."""
    async with read_at_once(context.pools.background) as read:
        added, counts = await evidence_of_day(await books_of(read, _question(due)), pace.rest)
    async with context.pools.background.begin() as connection:
        alarms = await keep(connection, due, added, counts)
    await pace.rest()
    for alarm in alarms:
        log.warning(
            "fairness test reached its alarm threshold",
            property=due.property,
            day=str(due.gaming_day),
            about=alarm.tested._asdict(),
        )


def _question(due: Due) -> ReportQuery:
    return ReportQuery(
        property=due.property, period="day", first=due.gaming_day, last=due.gaming_day, known_at=due.as_of, by=BY
    )
