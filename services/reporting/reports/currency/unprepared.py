"""Currency reports that must be filed soon or corrected, but for which no file was prepared."""

from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.federal.currency import currency_totals, reported_with
from services.reporting.framework.figures import Cell
from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.currency import moved_currency
from services.reporting.read_model.filings import AMENDMENT, filings_of
from services.reporting.report_service import books_of
from services.reporting.reports.currency.filed import (
    CHANGED,
    UNPREPARED,
    amended_by_others,
    filed_reports,
    filed_rows,
    moved_days,
    sent_days,
)
from services.reporting.tables import properties
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.snapshot_reader import SnapshotReader, read_at_once

BY: Final = "schedule"
"""The person recorded for queries of the job."""

LOOK_BACK: Final = timedelta(days=60)
"""How far back gaming days are examined. Reports that are older have already raised an alarm, and are in the report."""


async def observe_unprepared(context: ServiceContext) -> None:
    """Update the metric of unprepared currency reports that are due soon, late, or no longer correct."""
    count = 0
    async for reader, question in questions_today(context):
        count += await count_unprepared(reader, question)
    context.metrics.currency_reports_unprepared.set(count)


async def questions_today(context: ServiceContext) -> AsyncIterator[tuple[SnapshotReader, ReportQuery]]:
    """Yield (reader, query) for each property; the query covers `LOOK_BACK` up to the current gaming day."""
    now = context.clock()
    async with context.pools.background.connect() as connection:
        names = await _properties(connection)
    for name in names:
        async with read_at_once(context.pools.background) as reader:
            places = await known_places(reader.connection, properties)
            if (place := places.place(name, now)) is not None:
                today = place.gaming_day(now)
                first = today - LOOK_BACK
                question = ReportQuery(property=name, period="month", first=first, last=today, known_at=now, by=BY)
                yield reader, question


async def count_unprepared(reader: SnapshotReader, question: ReportQuery) -> int:
    """Return the number of reports (one per person and gaming day) that are due soon or late, with no file prepared.

    Reports that must be corrected are counted as well, unless an amendment with the right amounts is prepared.
    """
    books = await books_of(reader, question, explain=False)
    filed = [
        (law, name, rule)
        for law in books.place.reporting
        for name, rule in law.currency_reports.items()
        if rule.file_within_days is not None and rule.medium == "currency"
    ]
    if not filed:
        return 0
    least = min(rule.reached_cents(question.last) for _, _, rule in filed)
    reports = filed_reports(await filings_of(books), {name for _, name, _ in filed}, question.first, question.last)
    moved = await moved_currency(
        books,
        question.first,
        person_cents=least,
        nobody_cents=least,
        table_cents=least,
        persons={key.person for key in reports},
    )
    rows = []
    for law, name, rule in filed:
        totals = currency_totals(law, name, moved)
        whole = reported_with(totals, sent_days(reports, name))
        of_days = moved_days(
            (rule.form, one, whole.get((one.first.property, one.first.patron or "", one.held.gaming_day), ""))
            for one in totals
        )
        own = {key: one for key, one in reports.items() if key.report == name}
        rows += filed_rows(books, law, *amended_by_others(of_days, own))
    return sum(_is_unprepared(row) for row in rows if not row["reported_with"])


def _is_unprepared(row: Mapping[str, Any]) -> bool:
    status = row["status"]
    if isinstance(status, Cell):
        is_being_amended = status.value == "to_correct" and row.get(AMENDMENT.name) is not None
        return status.value in CHANGED and not is_being_amended
    return row["late"] in UNPREPARED


async def _properties(connection: AsyncConnection) -> list[str]:
    found = await connection.execute(properties.select().with_only_columns(properties.c.property).distinct())
    return sorted(found.scalars())
