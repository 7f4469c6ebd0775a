"""A service's own copy of how far each gaming day has come: table inventory closes it, every report says it."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import Column, Date, DateTime, MetaData, Table, Text, select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.contracts.inventory import DayAudited, DayFinal, DayPreliminary
from shared.contracts.reading import Reader, View, view_of
from shared.contracts.reports import ReportStatus
from shared.contracts.topics import INVENTORY
from shared.journal.bulk import insert, replaced
from shared.runtime.consume.handler import Handler


class _Day(View):
    """Which gaming day was closed one step further."""

    property: str
    gaming_day: date


@view_of(DayPreliminary)
class _Preliminary(_Day):
    """All that belongs to the day is there."""


@view_of(DayAudited)
class _Audited(_Day):
    """Revenue audit has been through the day."""


@view_of(DayFinal)
class _Final(_Day):
    """The day is sealed."""


_STATUS: Final = {
    _Preliminary: ReportStatus.PRELIMINARY,
    _Audited: ReportStatus.AUDITED,
    _Final: ReportStatus.FINAL,
}


def days_table(metadata: MetaData, schema: str) -> Table:
    """Declare the copy in a service's schema: the last status of each gaming day that was closed at all, since when."""
    return Table(
        "days",
        metadata,
        Column("property", Text, primary_key=True),
        Column("gaming_day", Date, primary_key=True),
        Column("status", Text, nullable=False),
        Column("since", DateTime(timezone=True), nullable=False),
        schema=schema,
    )


class DayStatuses(Handler[None]):
    """Keep the status of gaming days; give a subclass with its table to a service."""

    reader = Reader(INVENTORY, _Preliminary, _Audited, _Final)
    gather_seconds = 0.5

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Keep the last status of each day."""
        del at
        [table] = self.keeps
        last = {
            (event.data.property, event.data.gaming_day): (_STATUS[type(event.data)], event.time)
            for event in events
            if type(event.data) in _STATUS
        }
        rows = [
            {"property": name, "gaming_day": day, "status": status, "since": since}
            for (name, day), (status, since) in sorted(last.items())
        ]
        if not rows:
            return  # most of what table inventory says is about rounds
        await insert(table, on_conflict=replaced(table)).write(connection, rows)


async def day_status(connection: AsyncConnection, days: Table, property_name: str, gaming_day: date) -> ReportStatus:
    """Return how far a gaming day of a property has come."""
    return await status_of_days(connection, days, property_name, {gaming_day: None})


async def status_of_days(
    connection: AsyncConnection, days: Table, property_name: str, changed: Mapping[date, datetime | None]
) -> ReportStatus:
    """Return how far a report about several gaming days has come: as far as the day that is furthest behind.

    `changed` says of each day when its figures last changed, where that is known: a sealed day whose figures changed
    after the seal is restated.
    """
    c = days.c
    query = select(c.gaming_day, c.status, c.since).where(c.property == property_name, c.gaming_day.in_(changed))
    closed = {row.gaming_day: row for row in await connection.execute(query)}

    def status(day: date, at: datetime | None) -> ReportStatus:
        if day not in closed:
            return ReportStatus.OPEN
        found = ReportStatus(closed[day].status)
        if found is ReportStatus.FINAL and at is not None and at > closed[day].since:
            return ReportStatus.RESTATED
        return found

    return min((status(day, at) for day, at in changed.items()), key=_FROM_BEHIND.index)


_FROM_BEHIND: Final = (
    ReportStatus.OPEN,
    ReportStatus.PRELIMINARY,
    ReportStatus.AUDITED,
    ReportStatus.RESTATED,
    ReportStatus.FINAL,
)
