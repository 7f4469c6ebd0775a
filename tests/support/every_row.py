"""One row of every table of a service altered in each column, added, deleted: and what of the product names each.

Everything is done in transactions that are undone, each under a savepoint, so that services that run meanwhile see
nothing of it, and wait for a row a few milliseconds at most.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Literal

import psycopg
from sqlalchemy import MetaData, Table
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.cli.books.checkpoint_sources import Kept, Signed, listed, missing
from services.cli.books.tables import Kept as KnownTable
from services.cli.services import load
from shared.journal.shard import Seals
from shared.journal.signed_rows import is_signed
from shared.journal.verification import Verified, read_shards, verify_shard
from shared.runtime.database import Pools
from shared.runtime.differences import ComparedTable
from shared.runtime.projections.comparison_steps import ComparisonSteps
from shared.runtime.projections.drift import project_again
from shared.runtime.projections.projection_replay import tables_of
from shared.runtime.projections.shadow_tables import Redirect, copy_of, second_copy
from shared.runtime.projections.sql_comparison import compare_table
from shared.runtime.projections.unprojected_tables import compare_signed, kept_checks
from shared.runtime.service.manifest import Manifest, TableCheck
from shared.runtime.settings import Settings
from tests.support.engines import create_engine
from tests.support.tampering import adding, altering, deleting, exchanging, unruling, ways

By = Literal["comparison", "verification", "signature", "constraint", "nothing", "no row"]

_TRIES: Final = 5
_SUPERUSER: Final = ("SET LOCAL ROLE NONE", "SET LOCAL session_replication_role = replica")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a row: `column` where it was altered, who named it first, in which words, after how many seconds.

    A constraint refused every value that was tried. A signature names what is refused where it is used.
    """

    table: str
    what: str
    column: str | None
    by: By
    said: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.table} {self.what} {self.column or 'row'}: {self.by}{': ' * bool(self.said)}{self.said}"


@dataclass(frozen=True, slots=True)
class Books:
    """A service's database as its superuser reaches it, and what its service signed.

    `kept` are the checkpoints outside the database. `unruled`: the rules of tables are taken
    away first, which waits for whoever reads them.
    """

    service: str
    superuser_url: str
    settings: Settings
    seals: Seals | None
    kept: Kept
    unruled: bool = False

    @property
    def manifest(self) -> Manifest:
        """The service."""
        return load(self.service)


@dataclass(slots=True)
class _Tampering:
    """A transaction in which rows are tampered with, and what looks at them."""

    books: Books
    connection: AsyncConnection
    redirect: Redirect | None
    known: set[str] = field(default_factory=set)
    """What is said when nothing was tampered with."""

    async def outcome(self, table: Table, what: str, column: str | None) -> Outcome:
        """Tamper with a row, look who names it, and undo it."""
        began, refused = monotonic(), ""
        for statement in _statements(table, what, column):
            savepoint = await self.connection.begin_nested()
            try:
                await self._execute(_SUPERUSER)
                if self.books.unruled:
                    await self._execute([unruling(table)])
                changed = (await self.connection.exec_driver_sql(statement)).rowcount
                if changed == 1:
                    by, said = await self.named(table.name)
                    return Outcome(table.fullname, what, column, by, said, monotonic() - began)
            except DBAPIError as error:
                if not isinstance(error.orig, psycopg.IntegrityError):
                    raise
                refused = error.orig.diag.constraint_name or str(error.orig).partition("\n")[0]
            finally:
                await savepoint.rollback()
        by = "constraint" if refused else "no row"
        return Outcome(table.fullname, what, column, by, refused, monotonic() - began)

    async def named(self, table: str) -> tuple[By, str]:
        """Return what names a table that was tampered with, first of all."""
        for check in self._checks(table):
            steps = ComparisonSteps(self.connection)
            async with steps.step(table):
                compared = await check(self.connection)
                if compared.different:
                    return "comparison", _first(compared)
            if steps.uncompared:
                return "comparison", f"{table} cannot be compared: {steps.uncompared[0].why}"
        if self.redirect is not None:
            return "nothing", ""
        async for problem in self._problems():
            if problem not in self.known:
                return "verification", problem
        declared = {one.name: one for one in self.books.manifest.journal.shards.metadata.sorted_tables}.get(table)
        if declared is not None and is_signed(declared):
            compared = await compare_signed(declared, self.connection)
            if compared.different:
                return "signature", _first(compared)
        return "nothing", ""

    def _checks(self, table: str) -> Iterable[TableCheck]:
        """Give what compares a table, before what compares others."""
        if self.redirect is not None:
            return [check for one, check in _on_copies(self.books.manifest, self.redirect).items() if one == table]
        checks = kept_checks(self.books.manifest)
        return [check for _, check in sorted(checks.items(), key=lambda each: each[0].name != table)]

    async def _problems(self) -> AsyncIterator[str]:
        """Give what `pitledger verify` says of the journal."""
        tables, kept, service = self.books.manifest.journal, self.books.kept, self.books.service
        in_database, signed = await listed(self.connection, tables), kept.of_service(service)
        for shard in await read_shards(self.connection, tables):
            of_shard, notes = signed.pop(shard.name, Signed()), in_database.get(shard.name, {})
            more, forged = kept.listed(service, shard.name, notes)
            for problem in (*forged, *await missing(self.connection, tables, shard, of_shard, notes.keys())):
                yield problem.what
            wanted = [*of_shard.checkpoints, *(one for one in more if one.size not in of_shard.sizes)]
            reached, seals = Verified(shard.name), self.books.seals
            async for problem in verify_shard(self.connection, tables, shard, reached, wanted, seals=seals):
                yield f"{shard.name}: {problem.what}"
        for name in signed:
            yield f"{name} is gone"

    async def _execute(self, statements: Sequence[str]) -> None:
        for statement in statements:
            await self.connection.exec_driver_sql(statement)


async def tampered_rows(books: Books) -> AsyncIterator[Outcome]:
    """Give what becomes of each row, table by table: first those that follow from the journal, then the others."""
    engine = create_engine(books.superuser_url, role=books.manifest.schema)
    Pools.of_one(engine).sign_by(books.seals)
    try:
        found = MetaData()
        async with engine.connect() as connection:
            await connection.run_sync(found.reflect, schema=books.manifest.schema, resolve_fks=False)
        projected = {table.name for table in (*tables_of(books.manifest), *books.manifest.checks)}
        of_copies = [table for table in found.sorted_tables if table.name in projected]
        others = [table for table in found.sorted_tables if table.name not in projected]
        for tables, transaction in ((of_copies, _beside_copies), (others, _beside_nothing)):
            left = [(table, what, column) for table in tables for what, column in ways(table)]
            for _ in range(_TRIES):
                late: list[tuple[Table, str, str | None]] = []
                async with transaction(books, engine) as tampering:
                    for way in left:
                        outcome = await _tried(tampering, *way)
                        if outcome is None:
                            late.append(way)
                        else:
                            yield outcome
                left = late
            assert not left, f"somebody writes all the time what is to be tampered with: {left}"
    finally:
        await engine.dispose()


async def _tried(tampering: _Tampering, table: Table, what: str, column: str | None) -> Outcome | None:
    """Return what becomes of a row; None where its service has written it since the transaction began."""
    try:
        return await tampering.outcome(table, what, column)
    except DBAPIError as error:
        if not isinstance(error.orig, psycopg.errors.SerializationFailure | psycopg.errors.LockNotAvailable):
            raise
        return None


@asynccontextmanager
async def _beside_copies(books: Books, engine: AsyncEngine) -> AsyncIterator[_Tampering]:
    """Give a transaction in which everything was projected again, as for a comparison."""
    manifest = books.manifest
    async with second_copy(engine, tables_of(manifest), manifest.whole_projector.beside) as (connection, redirect):
        steps = ComparisonSteps(connection)
        unfit, unmade = await project_again(steps, manifest, books.settings)
        assert not unfit, unfit
        assert not unmade, steps.uncompared
        redirect.to_tables()
        tampering = _Tampering(books, connection, redirect)
        for table in (*tables_of(manifest), *manifest.checks):
            assert await tampering.named(table.name) == ("nothing", ""), "the stack was attacked before"
        yield tampering


@asynccontextmanager
async def _beside_nothing(books: Books, engine: AsyncEngine) -> AsyncIterator[_Tampering]:
    """Give a transaction that sees what is committed meanwhile."""
    async with engine.connect() as connection:
        tampering = _Tampering(books, connection, None)
        tampering.known |= {problem async for problem in tampering._problems()}
        by, said = await tampering.named("shards")
        assert by == "nothing", said
        yield tampering
        await connection.rollback()


def _on_copies(manifest: Manifest, redirect: Redirect) -> Mapping[str, TableCheck]:
    """Return what compares tables with their copies, or with what is in the copies of others."""

    def copied(table: Table) -> TableCheck:
        async def check(connection: AsyncConnection) -> ComparedTable:
            return await compare_table(connection, table, copy_of(table))

        return check

    def own(check: TableCheck) -> TableCheck:
        async def redirected(connection: AsyncConnection) -> ComparedTable:
            redirect.to_copies()
            try:
                return await check(connection)
            finally:
                redirect.to_tables()

        return redirected

    checks = {table.name: copied(table) for table in tables_of(manifest)}
    return checks | {table.name: own(check) for table, check in manifest.checks.items()}


def _statements(table: Table, what: str, column: str | None) -> list[str]:
    """Return what is tried, until the rules of the table let something pass."""
    if column is not None:
        return [altering(table, column), exchanging(table, column)]
    make: Callable[[Table], str] = adding if what == "added" else deleting
    return [make(table)]


def _first(compared: ComparedTable) -> str:
    first = compared.first[0]
    columns = ", ".join(first.columns) or "the whole row"
    return f"{compared.table} {', '.join(f'{name} {value}' for name, value in first.key.items())}: {columns}"


def unexplained(outcome: Outcome, known: KnownTable) -> str | None:
    """Return why what became of a row is not what is known of its table; None where it is."""
    fate = known.fates[outcome.what]
    unseen = outcome.column in (known.unseen or {})
    match outcome.by:
        case "comparison" | "verification":
            return None
        case "constraint" | "no row":
            return None
        case "signature":
            return None if fate.how == "refused" or "signature" in fate.by or fate.how == "survived" else f"{outcome}"
        case "nothing":
            return None if unseen or fate.how != "found" else f"{outcome}; it is said to be {fate.words()}"
