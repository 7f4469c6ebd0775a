"""Persons' gaming days of which a report must be filed soon, and no file of it was prepared."""

from datetime import timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.federal.currency import currency_totals, reached_cents, reported_with
from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.currency import moved_currency
from services.reporting.report_service import books_of
from services.reporting.reports.currency.filed import UNPREPARED, filed_rows
from services.reporting.tables import properties
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.snapshot_reader import SnapshotReader, read_at_once

BY: Final = "schedule"
"""Who asks when nobody does."""

LOOK_BACK: Final = timedelta(days=60)
"""The gaming days that are looked at: what nobody prepared in two months is in the report, and was alarmed."""


async def observe_unprepared(context: ServiceContext) -> None:
    """Update the metric of what must be filed soon, or is late, and was not prepared."""
    now, count = context.clock(), 0
    async with context.pools.background.connect() as connection:
        names = await _properties(connection)
    for name in names:
        async with read_at_once(context.pools.background) as reader:
            places = await known_places(reader.connection, properties)
            if (place := places.place(name, now)) is not None:
                today = place.gaming_day(now)
                question = ReportQuery(
                    property=name, period="month", first=today - LOOK_BACK, last=today, known_at=now, by=BY
                )
                count += await count_unprepared(reader, question)
    context.metrics.currency_reports_unprepared.set(count)


async def count_unprepared(reader: SnapshotReader, question: ReportQuery) -> int:
    """Return of how many persons' gaming days of a question no file was prepared, although one must be filed soon."""
    books = await books_of(reader, question, explain=False)
    filed = [
        (law, name, rule)
        for law in books.place.reporting
        for name, rule in law.currency_reports.items()
        if rule.file_within_days is not None and rule.medium == "currency"
    ]
    if not filed:
        return 0
    least = min(reached_cents(rule, question.last) for _, _, rule in filed)
    moved = await moved_currency(books, question.first, person_cents=least, nobody_cents=least, tables=True)
    reached = []
    for law, name, _ in filed:
        totals = currency_totals(law, name, moved)
        whole = reported_with(totals)
        reached += [
            (law.currency_reports[name].form, one, "")
            for one in totals
            if one.standing == "reached" and (one.first.property, one.first.patron, one.held.gaming_day) not in whole
        ]
    return sum(row["late"] in UNPREPARED for row in await filed_rows(books, reached) if row["status"] == "due")


async def _properties(connection: AsyncConnection) -> list[str]:
    found = await connection.execute(properties.select().with_only_columns(properties.c.property).distinct())
    return sorted(found.scalars())
