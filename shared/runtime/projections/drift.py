"""Compare the tables of a service with their sources: projections row by row, the quarantine with its entries."""

from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import Table, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.runtime.differences import ComparedTable, InapplicableEntry, TableComparison
from shared.runtime.projections.comparison_steps import ComparisonSteps
from shared.runtime.projections.projection_replay import (
    PART,
    Rest,
    keepers_of,
    no_rest,
    project_journal,
    replay_topics,
    tables_of,
)
from shared.runtime.projections.shadow_tables import copy_of, second_copy
from shared.runtime.projections.sql_comparison import compare_table
from shared.runtime.projections.unprojected_tables import kept_checks
from shared.runtime.service.manifest import Manifest, TableCheck
from shared.runtime.settings import Settings

Resting = Callable[[int], Rest]
"""Return the pause between parts, for this total number of entries and events."""


def at_once(size: int) -> Rest:
    """Return no pause at all."""
    del size
    return no_rest


async def compare(
    engine: AsyncEngine, manifest: Manifest, settings: Settings, *, part: int = PART, resting: Resting = at_once
) -> TableComparison:
    """Compare the tables of a service with a new projection of its journal and topics.

    All of it is read in one snapshot and nothing is changed; the service may work meanwhile. Tables that cannot be
    compared are reported, and the rest is compared. `resting` gives the pause after each `part` entries or events, and
    each table.
    """
    tables = tables_of(manifest)
    async with second_copy(engine, tables, manifest.whole_projector.beside) as (connection, redirect):
        steps, rest = ComparisonSteps(connection), resting(await _size(connection, manifest))
        kept = await compare_kept(steps, manifest, rest=rest)
        unfit, unmade = await project_again(steps, manifest, settings, part, rest)
        made = [table for table in tables if table not in unmade]
        for table in made:
            await connection.execute(text(f"ANALYZE pg_temp.{table.name}"))
            await rest(0)
        redirect.to_tables() if unmade else redirect.to_copies()
        checked = await compare_checks(steps, manifest, rest=rest)
        redirect.to_tables()
        compared = await compare_copies(steps, made, rest)
    return TableComparison([*compared, *checked, *kept], unfit, steps.uncompared)


async def _size(connection: AsyncConnection, manifest: Manifest) -> int:
    """Return the number of entries and events to project, according to the shards."""
    s = manifest.journal.shards.c
    read = await connection.execute(select(func.coalesce(func.sum(s.next_seq - 1 + s.next_offset), 0)))
    return int(read.scalar_one())


async def project_again(
    steps: ComparisonSteps, manifest: Manifest, settings: Settings, part: int = PART, rest: Rest = no_rest
) -> tuple[Sequence[InapplicableEntry], set[Table]]:
    """Project everything again into copies; return inapplicable entries, and tables that could not be built."""
    unfit: Sequence[InapplicableEntry] = ()
    unmade = set(manifest.whole_projector.tables)
    async with steps.step("what follows from the journal"):
        unfit = await project_journal(steps.connection, manifest, part=part, rest=rest)
        unmade = set()
    for keeper in keepers_of(manifest):
        kept = False
        async with steps.step(f"what follows from topic {keeper.topic}"):
            await replay_topics(steps.connection, manifest, keeper, settings, part=part, rest=rest)
            kept = True
        unmade |= set() if kept else set(keeper.keeps)
    return unfit, unmade


async def compare_copies(steps: ComparisonSteps, tables: Sequence[Table], rest: Rest) -> list[ComparedTable]:
    """Compare tables with their shadow copies; pause after each."""
    compared: list[ComparedTable] = []
    for table in tables:
        async with steps.step(table.name):
            compared.append(await compare_table(steps.connection, table, copy_of(table)))
        await rest(0)
    return compared


async def compare_checks(steps: ComparisonSteps, manifest: Manifest, *, rest: Rest = no_rest) -> list[ComparedTable]:
    """Run the manifest's own checks of tables that are not projected; pause after each."""
    return await _check(steps, manifest.checks, rest)


async def compare_kept(steps: ComparisonSteps, manifest: Manifest, *, rest: Rest = no_rest) -> list[ComparedTable]:
    """Run the checks of tables that every service has and that are not projected; pause after each.

    It runs first: projecting the journal again would close quarantined records that someone has reopened.
    """
    return await _check(steps, kept_checks(manifest), rest)


async def _check(steps: ComparisonSteps, checks: Mapping[Table, TableCheck], rest: Rest) -> list[ComparedTable]:
    compared: list[ComparedTable] = []
    for table, check in checks.items():
        async with steps.step(table.name):
            compared.append(await check(steps.connection))
        await rest(0)
    return compared
