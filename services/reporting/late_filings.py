"""Rejected filings that are late: a report is still due but was not filed again by its last day.

The wagering accounts count the filings that were never sent. Whether a rejected report is still due depends on currency
moved and winnings, which only reporting knows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from services.reporting.framework.definition import Report
from services.reporting.framework.figures import Cell
from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.filings import LATE, REJECTED, FilingSteps, filings_of
from services.reporting.report_service import books_of
from services.reporting.reports.currency.filed import FILED
from services.reporting.reports.currency.report import CURRENCY
from services.reporting.reports.currency.unprepared import questions_today
from services.reporting.reports.winnings.report import WINNINGS
from services.reporting.reports.winnings.returns import RETURNS
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.snapshot_reader import SnapshotReader

_SECTIONS = (FILED.name, RETURNS.name)


async def observe_late(context: ServiceContext) -> None:
    """Update the metric of late filings: rejected filings with a report that must be filed again and is late."""
    count = 0
    async for reader, today in questions_today(context):
        count += len(await late_filings(reader, today))
    context.metrics.filings_late.set(count)


async def late_filings(reader: SnapshotReader, today: ReportQuery) -> set[int]:
    """Return the numbers of a property's rejected filings that are late on the last queried day, for any period."""
    books = await books_of(reader, replace(today, first=date.min), explain=False)
    late: set[int] = set()
    for report, question in _questions(await filings_of(books), today):
        content = await report.fill(await books_of(reader, question, explain=False))
        rows = (row for filled in content.sections if filled.section.name in _SECTIONS for row in filled.given)
        for row in rows:
            rejected = row.get(REJECTED.name)
            if isinstance(rejected, Cell) and row["late"] == LATE:
                late.add(int(str(rejected.value)))
    return late


def _questions(filings: Iterable[FilingSteps], today: ReportQuery) -> Iterator[tuple[Report, ReportQuery]]:
    """Yield (report, query) for each filing period with a report that was last rejected and is past its deadline."""
    last: dict[tuple[str, ...], tuple[FilingSteps, bool]] = {}
    for one in filings:
        for report in one.prepared.reports:
            key = (one.prepared.form, one.prepared.period, report.kind, report.reference, report.account_number or "")
            is_rejected = one.status_of(report.report) == "rejected"
            before = last.get(key)
            last[key] = (one, is_rejected or (before is not None and before[0] is one and before[1]))
    periods = {one.prepared.period for one, rejected in last.values() if rejected and one.prepared.file_by < today.last}
    for period in sorted(periods):
        if period.isdecimal():
            year = int(period)
            yield WINNINGS, replace(today, period="year", first=date(year, 1, 1), last=date(year, 12, 31))
        else:
            day = date.fromisoformat(period)
            yield CURRENCY, replace(today, period="day", first=day, last=day)
