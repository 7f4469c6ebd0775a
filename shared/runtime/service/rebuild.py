"""Rebuild the read model of a service in one transaction, and say what in it was not as it should be.

What follows from the journal is projected again by the service's one projector; what a handler keeps of a topic is
kept again from the topic. Every writer of the service waits meanwhile, or is fenced: nobody records an entry without a
row of `shards`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import MetaData, Table, Text, and_, cast, func, literal_column, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.runtime.clock import utc_now
from shared.runtime.consume.rereading import read_again
from shared.runtime.projector import Transaction
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.messages import message_verifier
from shared.runtime.service.packs import use_own_packs
from shared.runtime.settings import Settings

DIFFERENCES_MAX = 10
"""Most differences of a table that are shown; all are counted."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that was not as it should be: its key, and its values as texts; None where there is no such row."""

    key: Mapping[str, str]
    was: Mapping[str, str | None] | None
    should_be: Mapping[str, str | None] | None

    @property
    def columns(self) -> list[str]:
        """Return the columns that differ, where there is a row on both sides."""
        if self.was is None or self.should_be is None:
            return []
        return [name for name, value in self.was.items() if value != self.should_be[name]]


@dataclass(frozen=True, slots=True)
class Compared:
    """A projection as it was, compared with what it should be: the rows there should be, and how many differed."""

    table: str
    rows: int
    different: int
    first: tuple[Difference, ...]


async def rebuild(engine: AsyncEngine, manifest: Manifest, settings: Settings, *, check: bool) -> Sequence[Compared]:
    """Rebuild the read model and compare it with what was there; with `check`, leave what was there.

    The login must own the tables. Whoever reads them waits for a check, which empties them for the while that it takes;
    a rebuild lets everybody read on what was there, so that no report is of half a table.
    """
    use_own_packs(settings)
    keepers = [handler() for handler in manifest.handlers if handler.keeps]
    kept_tables = (table for keeper in keepers for table in keeper.keeps)
    tables = tuple(dict.fromkeys((*manifest.whole_projector.tables, *kept_tables)))  # one may follow from both
    verifier = message_verifier(settings, [keeper.reader.topic for keeper in keepers])
    empty = "TRUNCATE" if check else "DELETE FROM"  # what is rolled back then leaves no dead rows
    async with engine.connect() as connection, connection.begin() as transaction:
        await connection.execute(text("SET LOCAL ROLE NONE"))  # the service itself may not empty what it keeps
        await connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        names = ", ".join(table.fullname for table in (manifest.journal.shards, *tables))
        await connection.execute(text(f"LOCK TABLE {names} IN EXCLUSIVE MODE"))
        for table in tables:
            name = kept(table).fullname
            await connection.execute(text(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS TABLE {table.fullname}"))
            await connection.execute(text(f"{empty} {table.fullname}"))
        async for recorded in manifest.whole_projector.read(connection, manifest.journal):
            await manifest.whole_projector.project(Transaction(connection), recorded)
        for keeper in keepers:
            async for events in read_again(connection, manifest.journal, keeper, settings, verifier):
                await keeper.keep(connection, events, utc_now())
        compared = [await _compare(connection, table) for table in tables]
        if check:
            await transaction.rollback()
        return compared


def kept(table: Table) -> Table:
    """Return the temporary table that has the rows as they were, while the table is rebuilt."""
    return table.to_metadata(MetaData(), schema="pg_temp", name=f"kept_{table.name}")


async def _compare(connection: AsyncConnection, table: Table) -> Compared:
    """Compare a table with what it was: rows are the same where every column of them is, as text."""
    columns = [column.name for column in table.columns]
    key = [column.name for column in table.primary_key]
    before, after = kept(table).alias("row_before"), table.alias("row_after")
    row_before, row_after = (literal_column(f"{side}::text", Text) for side in ("row_before", "row_after"))
    found = await connection.execute(
        select(
            func.count().over(),
            row_before.is_(None),
            row_after.is_(None),
            *(cast(side.c[name], Text) for side in (before, after) for name in columns),
        )
        .select_from(before.join(after, and_(*(before.c[name] == after.c[name] for name in key)), full=True))
        .where(row_before.is_distinct_from(row_after))
        .order_by(*(func.coalesce(before.c[name], after.c[name]) for name in key))
        .limit(DIFFERENCES_MAX)
    )
    first, different = list[Difference](), 0
    for count, no_was, no_made, *rest in found:
        different = count
        was = None if no_was else dict(zip(columns, rest, strict=False))
        made = None if no_made else dict(zip(columns, rest[len(columns) :], strict=True))
        row = was or made or {}
        first.append(Difference({name: str(row[name]) for name in key}, was, made))
    rows = (await connection.execute(select(func.count()).select_from(table))).scalar_one()
    return Compared(table.name, rows, different, tuple(first))
