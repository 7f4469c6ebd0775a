"""Read the last statements of win, and the table days whose win may have changed since their last statement."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.days import DayKey
from services.table_inventory.domain.stated import Stated
from services.table_inventory.tables import wins_stated
from shared.runtime.rows import rows_of, things_of


class TableDay(NamedTuple):
    """The key of a table's gaming day."""

    property: str
    table: str
    gaming_day: date


class Touched(NamedTuple):
    """Table days whose win may have changed, and the read position in each shard of the journal."""

    days: Sequence[TableDay]
    reached: Mapping[int, int]


_SINCE: Final = text("""
    SELECT t.property, t."table", t.gaming_day, t.shard, t.seq
    FROM unnest(CAST(:shards AS integer[]), CAST(:seqs AS bigint[])) r (shard, seq)
    RIGHT JOIN (SELECT DISTINCT shard FROM table_inventory.shards) s USING (shard)
    JOIN table_inventory.touched t ON t.shard = s.shard AND t.seq > coalesce(r.seq, 0)""")

# After a start, the read positions are unknown. Table days touched since about their last statement are then due, and
# so are recent unsealed days.
_UNSTATED: Final = text("""
    SELECT t.property, t."table", t.gaming_day, t.shard, t.seq,
           t.recorded_at >= coalesce((
               SELECT max(s.stated_at) - interval '1 minute' FROM table_inventory.wins_stated s
               WHERE s.property = t.property AND s."table" = t."table" AND s.gaming_day = t.gaming_day), '-infinity')
               OR t.gaming_day > current_date - 8 AND NOT EXISTS (
                   SELECT FROM table_inventory.days d
                   WHERE d.property = t.property AND d.gaming_day = t.gaming_day AND d.final_at IS NOT NULL) AS is_due
    FROM table_inventory.touched t""")

_WAITING: Final = text("""
    SELECT DISTINCT property, "table", gaming_day FROM table_inventory.wins_stated
    WHERE property = :property AND "table" = :table AND gaming_day >= :first AND gaming_day < :last
      AND missing <> '[]'""")

_INCOMPLETE: Final = text("""
    SELECT DISTINCT property, "table", gaming_day FROM table_inventory.wins_stated
    WHERE property = :property AND gaming_day = :gaming_day AND missing <> '[]'""")


async def read_stated(connection: AsyncConnection, key: DayKey, table: str | None = None) -> list[Stated]:
    """Return the last statements about the shifts of a gaming day, for one table or for all."""
    return await things_of(Stated, connection, rows_of(wins_stated, **key._asdict(), table=table))


async def read_touched(connection: AsyncConnection, reached: Mapping[int, int] | None) -> Touched:
    """Return the table days touched since the read positions `reached`; if None, roughly since their last statement."""
    if reached is None:
        rows = list(await connection.execute(_UNSTATED))
        due = [row for row in rows if row.is_due]
    else:
        asked = {"shards": list(reached), "seqs": list(reached.values())}
        rows = due = list(await connection.execute(_SINCE, asked))
    after = dict(reached or {})
    for row in rows:
        after[row.shard] = max(after.get(row.shard, 0), row.seq)
    return Touched(sorted({TableDay(*row[:3]) for row in due}), after)


async def incomplete_tables(connection: AsyncConnection, key: DayKey) -> list[TableDay]:
    """Return the tables of a gaming day whose last statement is incomplete."""
    return [TableDay(*row) for row in await connection.execute(_INCOMPLETE, key._asdict())]


async def waiting_days(connection: AsyncConnection, of: TableDay, days: tuple[date, date]) -> list[TableDay]:
    """Return the gaming days of a table with an incomplete statement, in the range `days` (first, last exclusive)."""
    asked = {"property": of.property, "table": of.table, "first": days[0], "last": days[1]}
    return [TableDay(*row) for row in await connection.execute(_WAITING, asked)]
