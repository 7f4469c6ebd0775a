"""Every cell of every report of the gaming day that was played: its entries add up to it."""

import asyncio
from datetime import UTC, date, datetime

import pytest

from services.reporting.framework.question import ReportQuery
from services.reporting.report_service import ask
from services.reporting.reports import REPORTS
from shared.runtime.snapshot_reader import read_at_once
from tests.support.demo import NEIGHBOR, PROPERTY, RunningDemo
from tests.support.engines import create_engine
from tests.support.explained import unexplained
from tests.support.nightly import sampled


@sampled(12)
@pytest.mark.parametrize("property_name", [PROPERTY, NEIGHBOR])
@pytest.mark.parametrize("report", REPORTS)
def test_the_entries_of_each_cell_add_up_to_it(demo: RunningDemo, report: str, property_name: str) -> None:
    """With sign and factor, and what rounding added, to the cent; what is no sum is known by its column."""
    day = date.fromisoformat(demo.gaming_day)
    question = ReportQuery(
        property=property_name,
        period=REPORTS[report].periods[0],
        first=day,
        last=day,
        known_at=datetime.now(UTC),
        by="demo.auditor",
    )

    async def found() -> list[str]:
        engine = create_engine(demo.environment["DATABASE_URL"], role="reporting")
        try:
            async with read_at_once(engine) as reader:
                return await unexplained(reader, REPORTS[report], await ask(reader, day, question))
        finally:
            await engine.dispose()

    assert [] == asyncio.run(found())
