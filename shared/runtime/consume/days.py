"""A service's own copy of how far each gaming day has come: table inventory closes it, every report says it."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import Column, Date, MetaData, Table, Text, select
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
    """Declare the copy in a service's schema: the last status of each gaming day that was closed at all."""
    return Table(
        "days",
        metadata,
        Column("property", Text, primary_key=True),
        Column("gaming_day", Date, primary_key=True),
        Column("status", Text, nullable=False),
        schema=schema,
    )


class DayStatuses(Handler[None]):
    """Keeps the status of gaming days; give a subclass with its table to a service."""

    reader = Reader(INVENTORY, _Preliminary, _Audited, _Final)

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Keep the last status of each day."""
        del at
        [table] = self.keeps
        last = {
            (event.data.property, event.data.gaming_day): _STATUS[type(event.data)]
            for event in events
            if type(event.data) in _STATUS
        }
        rows = [{"property": name, "gaming_day": day, "status": last[name, day]} for name, day in sorted(last)]
        await insert(table, on_conflict=replaced(table)).write(connection, rows)


async def day_status(connection: AsyncConnection, days: Table, property_name: str, gaming_day: date) -> ReportStatus:
    """Return how far a gaming day of a property has come."""
    query = select(days.c.status).where(days.c.property == property_name, days.c.gaming_day == gaming_day)
    found = (await connection.execute(query)).scalar_one_or_none()
    return ReportStatus.OPEN if found is None else ReportStatus(found)
