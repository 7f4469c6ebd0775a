"""Rebuild the read model of a service in one transaction, and report the rows that differed.

The service's projector projects the journal again, and the tables that are written from topics are written again.
Meanwhile every writer of the service waits or is fenced, because each entry needs to update a row of `shards`.
"""

from dataclasses import replace
from functools import cache

from sqlalchemy import MetaData, Table, text
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.database import Pools
from shared.runtime.differences import TableComparison, UncomparedTable
from shared.runtime.errors import FatalServiceError
from shared.runtime.projections.comparison_steps import ComparisonSteps
from shared.runtime.projections.drift import compare, compare_checks, compare_kept
from shared.runtime.projections.projection_replay import project_all, tables_of
from shared.runtime.projections.sql_comparison import compare_table
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.signing_keys import verifying_seals
from shared.runtime.service.site_packs import load_site_packs
from shared.runtime.settings import Settings


async def rebuild(engine: AsyncEngine, manifest: Manifest, settings: Settings, *, check: bool) -> TableComparison:
    """Rebuild the read model and report how the previous one differed; with `check`, only compare.

    A rebuild needs a login that owns the tables. Readers see the previous tables until the rebuild commits, so no
    report shows a partly rebuilt table. If a table cannot be compared, a check reports that and compares the rest,
    whereas a rebuild fails and changes nothing. Raises: FatalServiceError for inapplicable entries, or for a table that
    cannot be compared; the errors of `project_all`.
    """
    load_site_packs(settings)
    if check:
        return await _check(engine, manifest, settings)
    tables = tables_of(manifest)
    async with engine.connect() as connection, connection.begin():
        await connection.execute(text("SET LOCAL ROLE NONE"))  # the service's own role may not delete these rows
        await connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        names = ", ".join(table.fullname for table in (manifest.journal.shards, *tables))
        await connection.execute(text(f"LOCK TABLE {names} IN EXCLUSIVE MODE"))
        for table in tables:
            name = kept(table).fullname
            await connection.execute(text(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS TABLE {table.fullname}"))
            await connection.execute(table.delete())
        steps = ComparisonSteps(connection)
        others = await compare_kept(steps, manifest)
        unfit = await project_all(connection, manifest, settings)
        compared = [await compare_table(connection, kept(table), table) for table in tables]
        checked = await compare_checks(steps, manifest)
        comparison = TableComparison([*compared, *checked, *others], unfit, steps.uncompared)
        if unfit:
            first = unfit[0]
            raise FatalServiceError(
                f"{comparison.first}: {first.what}; rebuild from the journal as it was before, or correct it"
            )
        if steps.uncompared:
            failed = steps.uncompared[0]
            raise FatalServiceError(f"{failed.what} cannot be compared: {failed.why}; see `pitledger rebuild --check`")
        return comparison


async def _check(engine: AsyncEngine, manifest: Manifest, settings: Settings) -> TableComparison:
    """Compare without rebuilding; signed rows are verified if the service's public key is configured."""
    unsigned: list[UncomparedTable] = []
    try:
        Pools.of_one(engine).sign_by(verifying_seals(settings, manifest.name))
    except FatalServiceError as stop:
        unsigned.append(UncomparedTable("what the service signed", str(stop), altered=False))
    found = await compare(engine, manifest, settings)
    return replace(found, uncompared=[*found.uncompared, *unsigned])


@cache
def kept(table: Table) -> Table:
    """Return the temporary table that contains the previous rows of a table during a rebuild.

    It is cached, so that the comparing statement is compiled only once.
    """
    return table.to_metadata(MetaData(), schema="pg_temp", name=f"kept_{table.name}")
