"""Compare the tables of a service with what they should be: projections row by row, quarantine with its entries."""

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
"""Return what is done between parts of so many entries and events."""


def at_once(size: int) -> Rest:
    """Rest never."""
    del size
    return no_rest


async def compare(
    engine: AsyncEngine, manifest: Manifest, settings: Settings, *, part: int = PART, resting: Resting = at_once
) -> TableComparison:
    """Compare the tables of a service with what its journal and topics come to when they are projected again.

    All of it is of one moment, and nothing is changed; the service may work meanwhile. What cannot be compared is
    named, and the rest is compared. After `part` entries or events, and after each table, comes a rest.
    """
    tables = tables_of(manifest)
    async with second_copy(engine, tables) as (connection, redirect):
        steps, rest = ComparisonSteps(connection), resting(await _size(connection, manifest))
        kept = await compare_kept(steps, manifest, rest=rest)
        unfit, unmade = await project_again(steps, manifest, settings, part, rest)
        made = [table for table in tables if table not in unmade]
        for table in made:
            await connection.execute(text(f"ANALYZE pg_temp.{table.name}"))
            await rest(0)
        if unmade:
            redirect.to_tables()
        checked = await compare_checks(steps, manifest, rest=rest)
        redirect.to_tables()
        compared = await compare_copies(steps, made, rest)
    return TableComparison([*compared, *checked, *kept], unfit, steps.uncompared)


async def _size(connection: AsyncConnection, manifest: Manifest) -> int:
    """Return how many entries and events there are to project, as far as the shards say."""
    s = manifest.journal.shards.c
    read = await connection.execute(select(func.coalesce(func.sum(s.next_seq - 1 + s.next_offset), 0)))
    return int(read.scalar_one())


async def project_again(
    steps: ComparisonSteps, manifest: Manifest, settings: Settings, part: int = PART, rest: Rest = no_rest
) -> tuple[Sequence[InapplicableEntry], set[Table]]:
    """Project everything again into copies; return entries that do not fit, and tables that could not be made."""
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
    """Compare tables with their second copies. After each comes a rest."""
    compared: list[ComparedTable] = []
    for table in tables:
        async with steps.step(table.name):
            compared.append(await compare_table(steps.connection, table, copy_of(table)))
        await rest(0)
    return compared


async def compare_checks(steps: ComparisonSteps, manifest: Manifest, *, rest: Rest = no_rest) -> list[ComparedTable]:
    """Compare what a service keeps besides its projections, as it says itself. After each table comes a rest."""
    return await _check(steps, manifest.checks, rest)


async def compare_kept(steps: ComparisonSteps, manifest: Manifest, *, rest: Rest = no_rest) -> list[ComparedTable]:
    """Compare what every service keeps besides its projections. After each table comes a rest.

    It is asked first: whoever projects the journal again closes again what somebody reopened in quarantine.
    """
    return await _check(steps, kept_checks(manifest), rest)


async def _check(steps: ComparisonSteps, checks: Mapping[Table, TableCheck], rest: Rest) -> list[ComparedTable]:
    compared: list[ComparedTable] = []
    for table, check in checks.items():
        async with steps.step(table.name):
            compared.append(await check(steps.connection))
        await rest(0)
    return compared
