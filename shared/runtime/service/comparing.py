"""Compare the tables of a service with what they should be: projections row by row, quarantine with its entries."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Table, Text, and_, cast, func, literal_column, select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.journal_facts import DismissedTogether, QuarantineDismissed, RecordMended, RecordQuarantined
from shared.journal.quarantine import read_whole_quarantine
from shared.journal.rereading import with_fact
from shared.runtime.consume.facts import readable
from shared.runtime.differences import DIFFERENCES_MAX, Compared, Difference, compare_rows
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.projecting import Rest, no_rest

_OF_QUARANTINE = ("topic", "partition", "offset", "source", "sequence", "reason", "sha256", "key")


async def compare_all(
    connection: AsyncConnection,
    manifest: Manifest,
    tables: Sequence[tuple[Table, Table]],
    *,
    rest: Rest = no_rest,
) -> list[Compared]:
    """Compare tables as they were with what they should be, and what else the service keeps of its journal.

    After each table comes a rest.
    """
    compared = []
    for was, should_be in tables:
        compared.append(await compare_table(connection, was, should_be))
        await rest(0)
    compared += [await check(connection) for check in manifest.checks]
    return [*compared, await compare_quarantine(connection, manifest)] if manifest.readers else compared


async def compare_quarantine(connection: AsyncConnection, manifest: Manifest) -> Compared:
    """Compare the quarantine with the entries that tell of it: what was refused, and what was mended or dismissed."""
    entries, rows = await read_whole_quarantine(connection, manifest.journal)
    facts = [with_fact(entry) for entry in entries]
    closed: set[tuple[int, int]] = set()
    for _, fact in facts:
        match fact:
            case RecordMended():
                closed |= {(place.shard, place.seq) for place in fact.entries}
            case QuarantineDismissed():
                closed.add((fact.shard, fact.seq))
            case DismissedTogether():
                closed.update(place for one in fact.closed for place in one.places())
    should_be: dict[tuple[Any, ...], dict[str, Any]] = {}
    for entry, fact in facts:
        if isinstance(fact, RecordQuarantined):
            place = (entry.shard, entry.seq)
            should_be[place] = {name: getattr(fact, name) for name in _OF_QUARANTINE} | {"resolved": place in closed}
    was = {
        (row.shard, row.seq): {name: getattr(row, name) for name in _OF_QUARANTINE if name != "key"}
        | {"key": readable(row.key), "resolved": row.resolved_at is not None}
        for row in rows
    }
    return compare_rows(manifest.journal.quarantine.name, ("shard", "seq"), was, should_be)


async def compare_table(connection: AsyncConnection, was: Table, should_be: Table) -> Compared:
    """Compare two tables with the same columns: rows are the same where every column of them is, as text."""
    columns = [column.name for column in was.columns]
    key = [column.name for column in was.primary_key]
    before, after = was.alias("row_before"), should_be.alias("row_after")
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
        before_row = None if no_was else dict(zip(columns, rest, strict=False))
        made = None if no_made else dict(zip(columns, rest[len(columns) :], strict=True))
        row = before_row or made or {}
        first.append(Difference({name: str(row[name]) for name in key}, before_row, made))
    rows = (await connection.execute(select(func.count()).select_from(should_be))).scalar_one()
    return Compared(should_be.name, rows, different, tuple(first))
