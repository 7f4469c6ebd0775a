"""Compare the tables of a service with their sources: projections row by row, the quarantine with its entries."""

from collections.abc import Sequence

from sqlalchemy import Table, text
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.differences import ComparedTable, InapplicableEntry, TableComparison
from shared.runtime.projections.comparison_steps import ComparisonSteps
from shared.runtime.projections.projection_replay import keepers_of, project_journal, replay_topics, tables_of
from shared.runtime.projections.shadow_tables import copy_of, second_copy
from shared.runtime.projections.sql_comparison import compare_table
from shared.runtime.projections.unprojected_tables import kept_checks
from shared.runtime.service.manifest import Manifest, TableCheck
from shared.runtime.settings import Settings


async def compare(engine: AsyncEngine, manifest: Manifest, settings: Settings) -> TableComparison:
    """Compare the tables of a service with a fresh projection of its journal and topics.

    Everything is read in one snapshot and nothing is changed, so the service may keep running. Tables that cannot be
    compared are reported, and the comparison continues with the others.
    """
    tables = tables_of(manifest)
    async with second_copy(engine, tables, manifest.whole_projector.beside) as (connection, redirect):
        steps = ComparisonSteps(connection)
        kept = await compare_kept(steps, manifest)
        unfit, unmade = await project_again(steps, manifest, settings)
        made = [table for table in tables if table not in unmade]
        for table in made:
            await connection.execute(text(f"ANALYZE pg_temp.{table.name}"))
        redirect.to_tables() if unmade else redirect.to_copies()
        checked = await compare_checks(steps, manifest)
        redirect.to_tables()
        compared = await compare_copies(steps, made)
    return TableComparison([*compared, *checked, *kept], unfit, steps.uncompared)


async def project_again(
    steps: ComparisonSteps, manifest: Manifest, settings: Settings
) -> tuple[Sequence[InapplicableEntry], set[Table]]:
    """Project everything into the copies; return the inapplicable entries, and the tables that failed."""
    unfit: Sequence[InapplicableEntry] = ()
    unmade = set(manifest.whole_projector.tables)
    async with steps.step("what follows from the journal"):
        unfit = await project_journal(steps.connection, manifest)
        unmade = set()
    for keeper in keepers_of(manifest):
        kept = False
        async with steps.step(f"what follows from topic {keeper.topic}"):
            await replay_topics(steps.connection, manifest, keeper, settings)
            kept = True
        unmade |= set() if kept else set(keeper.keeps)
    return unfit, unmade


async def compare_copies(steps: ComparisonSteps, tables: Sequence[Table]) -> list[ComparedTable]:
    """Compare tables with their temporary copies."""
    compared: list[ComparedTable] = []
    for table in tables:
        async with steps.step(table.name):
            compared.append(await compare_table(steps.connection, table, copy_of(table)))
    return compared


async def compare_checks(steps: ComparisonSteps, manifest: Manifest) -> list[ComparedTable]:
    """Run the manifest's checks of tables that are not projected."""
    return [one for table, check in manifest.checks.items() for one in await run_check(steps, table, check)]


async def compare_kept(steps: ComparisonSteps, manifest: Manifest) -> list[ComparedTable]:
    """Run the checks of unprojected tables that every service has.

    They run first. If the journal were projected into the copies before, quarantined records that someone has reopened
    would be closed again.
    """
    return [one for table, check in kept_checks(manifest).items() for one in await run_check(steps, table, check)]


async def run_check(steps: ComparisonSteps, table: Table, check: TableCheck) -> list[ComparedTable]:
    """Run the check of one table; return a list of its result, empty if the table cannot be compared."""
    compared: list[ComparedTable] = []
    async with steps.step(table.name):
        compared.append(await check(steps.connection))
    return compared
