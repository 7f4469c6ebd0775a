"""Compare the tables of a service with what they should be: projections row by row, quarantine with its entries."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Table, Text, and_, cast, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.contracts.journal_facts import DismissedTogether, QuarantineDismissed, RecordMended, RecordQuarantined
from shared.journal.quarantine import read_whole_quarantine
from shared.journal.rereading import with_fact_or_why
from shared.runtime.consume.facts import readable
from shared.runtime.differences import DIFFERENCES_MAX, Compared, Comparison, Difference, Unfit, compare_rows
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.projecting import (
    PART,
    Rest,
    keep_again,
    keepers_of,
    no_rest,
    project_journal,
    tables_of,
)
from shared.runtime.service.shadow import copy_of, second_copy
from shared.runtime.service.steps import Steps
from shared.runtime.settings import Settings

Resting = Callable[[int], Rest]
"""Return what is done between parts of so many entries and events."""


def at_once(size: int) -> Rest:
    """Rest never."""
    del size
    return no_rest


_OF_QUARANTINE = ("topic", "partition", "offset", "source", "sequence", "reason", "sha256", "key")


async def compare(
    engine: AsyncEngine, manifest: Manifest, settings: Settings, *, part: int = PART, resting: Resting = at_once
) -> Comparison:
    """Compare the tables of a service with what its journal and topics come to when they are projected again.

    All of it is of one moment, and nothing is changed; the service may work meanwhile. What cannot be compared is
    named, and the rest is compared. After `part` entries or events, and after each table, comes a rest.
    """
    tables = tables_of(manifest)
    async with second_copy(engine, tables) as (connection, redirect):
        steps, rest = Steps(connection), resting(await _size(connection, manifest))
        refused = await compare_refused(steps, manifest)
        unfit, unmade = await _project(steps, manifest, settings, part, rest)
        if unmade:
            redirect.to_tables()
        checked = await compare_checks(steps, manifest, rest=rest)
        redirect.to_tables()
        compared = await compare_copies(steps, [table for table in tables if table not in unmade], rest)
    return Comparison([*compared, *checked, *refused], unfit, steps.uncompared)


async def _size(connection: AsyncConnection, manifest: Manifest) -> int:
    """Return how many entries and events there are to project, as far as the shards say."""
    s = manifest.journal.shards.c
    read = await connection.execute(select(func.coalesce(func.sum(s.next_seq - 1 + s.next_offset), 0)))
    return int(read.scalar_one())


async def _project(
    steps: Steps, manifest: Manifest, settings: Settings, part: int, rest: Rest
) -> tuple[Sequence[Unfit], set[Table]]:
    """Project everything again; return the entries that do not fit, and the tables that could not be made."""
    unfit: Sequence[Unfit] = ()
    unmade = set(manifest.whole_projector.tables)
    async with steps.step("what follows from the journal"):
        unfit = await project_journal(steps.connection, manifest, part=part, rest=rest)
        unmade = set()
    for keeper in keepers_of(manifest):
        kept = False
        async with steps.step(f"what follows from topic {keeper.topic}"):
            await keep_again(steps.connection, manifest, keeper, settings, part=part, rest=rest)
            kept = True
        unmade |= set() if kept else set(keeper.keeps)
    return unfit, unmade


async def compare_copies(steps: Steps, tables: Sequence[Table], rest: Rest) -> list[Compared]:
    """Compare tables with their second copies. After each comes a rest."""
    compared: list[Compared] = []
    for table in tables:
        async with steps.step(table.name):
            await steps.connection.execute(text(f"ANALYZE pg_temp.{table.name}"))
            await rest(0)
            compared.append(await compare_table(steps.connection, table, copy_of(table)))
        await rest(0)
    return compared


async def compare_checks(steps: Steps, manifest: Manifest, *, rest: Rest = no_rest) -> list[Compared]:
    """Compare what a service keeps of its journal besides its projections. After each table comes a rest."""
    compared: list[Compared] = []
    for table, check in manifest.checks.items():
        async with steps.step(table.name):
            compared.append(await check(steps.connection))
        await rest(0)
    return compared


async def compare_refused(steps: Steps, manifest: Manifest) -> list[Compared]:
    """Compare the quarantine of a service that reads topics.

    It is asked first: whoever projects the journal again closes again what somebody reopened.
    """
    compared: list[Compared] = []
    if manifest.readers:
        async with steps.step(manifest.journal.quarantine.name):
            compared.append(await compare_quarantine(steps.connection, manifest))
    return compared


async def compare_quarantine(connection: AsyncConnection, manifest: Manifest) -> Compared:
    """Compare the quarantine with the entries that tell of it: what was refused, and what was mended or dismissed."""
    entries, rows = await read_whole_quarantine(connection, manifest.journal)
    facts = [with_fact_or_why(entry) for entry in entries]
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
    row_before, row_after = (cast(func.row(*(side.c[name] for name in columns)), Text) for side in (before, after))
    found = await connection.execute(
        select(
            func.count().over(),
            before.c[key[0]].is_(None),
            after.c[key[0]].is_(None),
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
