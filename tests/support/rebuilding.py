"""Whether the read model of a service can be rebuilt: to the same bytes, with everything found that was not so."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import psycopg
from sqlalchemy import Table, make_url

from services.cli.exits import ExitCode
from services.cli.services import load
from shared.journal.shard import Seals
from shared.runtime.database import Pools
from shared.runtime.differences import TableComparison
from shared.runtime.process.run import context_of
from shared.runtime.projections.comparison_steps import ComparisonSteps
from shared.runtime.projections.drift import compare_checks, compare_kept
from shared.runtime.projections.drift_monitor import DriftMonitor
from shared.runtime.settings import Settings
from tests.support.engines import create_engine
from tests.support.sealing import seals_of
from tests.support.services import query
from tests.support.tampering import tampered, ways
from tests.unit.cli.calling import Called, Caller

Rows = dict[str, list[str]]
"""By table, every row as text."""


def rebuilt_tables(service: str) -> Sequence[Table]:
    """Return the tables of a service that a rebuild makes: its read model, and what its handlers keep."""
    manifest = load(service)
    return (*manifest.projector.tables, *(table for handler in manifest.read_model_handlers for table in handler.keeps))


def rows_of(service: str, url: str) -> Rows:
    """Return all rows of a service's read model, every column of them."""
    return {
        table.name: [row for (row,) in query(url, f"SELECT t::text FROM {table.fullname} t ORDER BY 1")]
        for table in rebuilt_tables(service)
    }


def compared(
    service: str, url: str, settings: Settings | None = None, *, seals: Seals | None = None
) -> TableComparison:
    """Return what the service itself finds when it compares its tables with what they follow from.

    `seals`: what it signs its rows with; none where it signed nothing.
    """
    manifest = load(service)

    async def work() -> TableComparison:
        engine = create_engine(url, role=manifest.schema)
        try:
            context = context_of(manifest, settings or Settings(), Pools.of_one(engine), seals=seals)
            comparer = DriftMonitor(context, manifest, sleep=_at_once)
            try:
                await comparer.compare()
            finally:
                await comparer.end()
        finally:
            await engine.dispose()
        assert comparer.found is not None
        return comparer.found

    return asyncio.run(work())


def named(service: str, url: str) -> set[str]:
    """Return which tables differ of those that a service compares besides its projections."""
    manifest = load(service)

    async def work() -> set[str]:
        engine = create_engine(url, role=manifest.schema)
        Pools.of_one(engine).sign_by(seals_of(service))
        try:
            async with engine.connect() as connection:
                steps = ComparisonSteps(connection)
                found = [*await compare_kept(steps, manifest), *await compare_checks(steps, manifest)]
        finally:
            await engine.dispose()
        return {one.table for one in found if one.different} | {one.what for one in steps.uncompared}

    return asyncio.run(work())


def assert_named(service: str, url: str, table: Table, *whats: str) -> None:
    """Assert that a service names a table whatever is done to one of its rows, which are there, and nothing before."""
    assert set() == named(service, url)
    for what, column in ways(table):
        if what in whats:
            with tampered(url, table, what, column):
                assert {table.name} == named(service, url), (what, column)


async def _at_once(seconds: float) -> None:
    """Wait for nothing."""


def _own(service: str, called: Called) -> list[dict[str, Any]]:
    """Return what was said of the tables that a rebuild makes, but for those of quarantine, which is empty here."""
    names = {table.name for table in rebuilt_tables(service)}
    return [one for one in called.documents if one["table"] in names]


def execute(url: str, *statements: str) -> None:
    """Do something as the owner of the database."""
    with psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)) as owner:
        for statement in statements:
            owner.execute(statement)


def assert_rebuilt(
    pitledger: Caller, service: str, url: str, changes: Mapping[str, str], *, undeleted: Collection[str] = ()
) -> Rows:
    """Assert that a rebuild finds nothing to change, and then all that is changed and nothing else.

    Of each table a row is deleted; by `changes`, others are altered.
    `changes` are assignments of an UPDATE, by table, that alter rows whose keys they leave. The check finds exactly
    these rows and leaves them, and the rebuild makes them as they were. From `undeleted` tables nothing is deleted.
    """
    before = rows_of(service, url)
    assert [] == [name for name, rows in before.items() if len(rows) < 2], "the day was not varied enough"
    called = pitledger("rebuild", service, "--check", "--json")
    assert (ExitCode.FINE, {name: (len(rows), 0) for name, rows in before.items()}) == (
        called.code,
        {one["table"]: (one["rows"], one["different"]) for one in _own(service, called)},
    ), called

    assert (0, "") == ((found := compared(service, url)).different, found.first)
    gone: dict[str, int] = {}
    with psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)) as owner:
        for table in rebuilt_tables(service):
            first = f"SELECT t.ctid FROM {table.fullname} t ORDER BY t::text"
            gone[table.name] = 0
            if table.name not in undeleted:
                deleted = owner.execute(f"DELETE FROM {table.fullname} WHERE ctid = ({first} LIMIT 1)")
                gone[table.name] += deleted.rowcount
            if table.name in changes:
                last = f"UPDATE {table.fullname} SET {changes[table.name]} WHERE ctid = ({first} DESC LIMIT 1)"
                gone[table.name] += owner.execute(last).rowcount
    tampered = rows_of(service, url)
    found = compared(service, url)
    assert gone == {one.table: one.different for one in found.tables if one.table in gone}
    called = pitledger("rebuild", service, "--check", "--json")
    assert ExitCode.NOT_AS_IT_SHOULD_BE == called.code, called
    assert gone == {one["table"]: one["different"] for one in _own(service, called)}
    for one in _own(service, called):
        assert sum(each["was"] is None for each in one["first"]) == (one["table"] not in undeleted)
        assert sum(each["was"] is not None for each in one["first"]) == (one["table"] in changes)
    assert tampered == rows_of(service, url)

    called = pitledger("rebuild", service)
    assert (ExitCode.FINE, before) == (called.code, rows_of(service, url)), called
    assert f"{sum(gone.values())} rows of {service} corrected" in called.stderr
    return before


async def no_rest() -> None:
    """Do not pause between two transactions of a comparison."""
