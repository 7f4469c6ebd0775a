"""A service's own copy of how far each gaming day has come: table inventory closes it, every report says it."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import Column, Date, DateTime, Integer, MetaData, Table, Text, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.contracts.inventory import DayFinal, DayPreliminary
from shared.contracts.reading import Reader, View, view_of
from shared.contracts.reports import ReportStatus
from shared.contracts.topics import INVENTORY
from shared.journal.bulk import excluded, insert, keyed, replaced
from shared.journal.recording import Recorded
from shared.runtime.consume.handler import Handler
from shared.runtime.projector import Projector, Transaction


class _Day(View):
    """Which gaming day was closed one step further."""

    property: str
    gaming_day: date


@view_of(DayPreliminary)
class _Preliminary(_Day):
    """All that belongs to the day is there."""


@view_of(DayFinal)
class _Final(_Day):
    """The day is sealed."""


_STATUS: Final = {_Preliminary: ReportStatus.PRELIMINARY, _Final: ReportStatus.FINAL}


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


def day_changes_table(metadata: MetaData, schema: str) -> Table:
    """Declare when a service last recorded money of a gaming day, by shard: so no writer waits for another."""
    return Table(
        "day_changes",
        metadata,
        Column("property", Text, primary_key=True),
        Column("gaming_day", Date, primary_key=True),
        Column("shard", Integer, primary_key=True, autoincrement=False),
        Column("changed_at", DateTime(timezone=True), nullable=False),
        schema=schema,
    )


def day_changes_projector(changes: Table) -> Projector:
    """Return the projector of when money of gaming days was last recorded."""
    later = func.greatest(changes.c.changed_at, excluded(changes).changed_at)
    keep = insert(changes, on_conflict={"changed_at": later})

    async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
        last: dict[tuple[str, date, int], datetime] = {}
        for entry, fact in recorded:
            name, day = getattr(fact, "property", None), entry.draft.gaming_day
            if fact.KIND.moves_money and name is not None and day is not None:
                key = (name, day, entry.shard)
                last[key] = max(entry.recorded_at, last.get(key, entry.recorded_at))
        await keep.write(transaction.connection, keyed(keep, ((*key, at) for key, at in sorted(last.items()))))

    return Projector(tables=(changes,), project=project)


class DayStatuses(Handler[None]):
    """Keep the status of gaming days; give a subclass with its table to a service."""

    reader = Reader(INVENTORY, _Preliminary, _Final)
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


async def stages_of_days(
    connection: AsyncConnection, days: Table, changes: Table, property_name: str
) -> dict[date, ReportStatus]:
    """Return the stage of the gaming days of a property that were closed at all; all others are open.

    A sealed day of which the service recorded money after the seal is restated.
    """
    d, c = days.c, changes.c
    changed = (c.property == d.property) & (c.gaming_day == d.gaming_day) & (c.changed_at > d.since)
    query = select(d.gaming_day, d.status, select(c.changed_at).where(changed).exists().label("changed"))
    rows = await connection.execute(query.where(d.property == property_name))
    return {row.gaming_day: _stage(ReportStatus(row.status), changed=row.changed) for row in rows}


async def stage_of_day(
    connection: AsyncConnection, days: Table, changes: Table, property_name: str, gaming_day: date
) -> ReportStatus:
    """Return the stage of a gaming day of a property."""
    return (await stages_of_days(connection, days, changes, property_name)).get(gaming_day, ReportStatus.OPEN)


def _stage(closed: ReportStatus, *, changed: bool) -> ReportStatus:
    return ReportStatus.RESTATED if changed and closed is ReportStatus.FINAL else closed
