"""What finds a row of a service that somebody altered, added or deleted: in every table, column by column."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from pydantic import SecretStr
from sqlalchemy import Table
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.books.checkpoint_sources import Kept
from services.cli.books.tables import every_table
from services.cli.codegen.releases import releases
from services.cli.services import NAMES, load, load_all, migrations
from shared.journal.checkpoint_store import DirectoryStore
from shared.local import Broker
from shared.runtime.database import create_engine
from shared.runtime.process.migrations import upgrade
from shared.runtime.projections.incremental_comparison import IncrementalComparison
from shared.runtime.projections.row_digest import digest_of
from shared.runtime.projections.unlike_rows import next_rows
from shared.runtime.service.signing_keys import verifying_seals
from shared.runtime.settings import Settings
from tests.releases.__main__ import DATABASE
from tests.releases.database import ABOUT, load_topics, unpack
from tests.releases.database import load as load_database
from tests.support import Databases
from tests.support.every_row import Books, Outcome, tampered_rows, unexplained
from tests.support.nightly import sampled
from tests.support.rebuilding import no_rest
from tests.support.services import ROOT, query
from tests.support.tampering import adding, altering, deleting, exchanging, ways

KNOWN: Final = every_table(load_all())
RELEASE: Final = next(release for release in reversed(releases(ROOT)) if (release.folder / DATABASE).exists())


@pytest.fixture(scope="module")
def settings(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The day of the latest release that has one: a database of all services, and its topics."""
    files, url = unpack((RELEASE.folder / DATABASE).read_bytes()), databases.create()
    load_database(files, url)
    for service in NAMES:
        upgrade(service, migrations(service), url)
    verifiers = tmp_path_factory.mktemp("keys") / "verifiers.txt"
    verifiers.write_bytes(files["verifiers.txt"])
    with Broker(cluster_id=json.loads(files[ABOUT])["cluster_id"]) as broker:
        load_topics(files, broker.bootstrap_servers, url)
        yield Settings(
            DATABASE_URL=SecretStr(url),
            KAFKA_BOOTSTRAP_SERVERS=broker.bootstrap_servers,
            checkpoint_verifiers_file=verifiers,
            message_authentication="required",
        )
    databases.drop(url)


def books(service: str, settings: Settings, folder: Path) -> Books:
    """What there is of a service: the checkpoints that are kept outside are those that it has listed."""
    assert settings.checkpoint_verifiers_file is not None
    url, schema, store = settings.database_url.get_secret_value(), load(service).schema, DirectoryStore(folder)
    for (note,) in query(url, f"SELECT note FROM {schema}.checkpoints ORDER BY shard, size"):
        store.save(note)
    kept = Kept.configured(settings, folder, ())
    assert kept is not None
    return Books(service, url, settings, verifying_seals(settings, service), kept, unruled=True)


@sampled(1, of="every row")
@pytest.mark.parametrize("service", NAMES)
def test_every_row_is_found_or_explained(service: str, settings: Settings, tmp_path: Path) -> None:
    """Whatever is done to a row is named by what the documentation says, or says there what hangs on it."""

    async def work() -> list[Outcome]:
        return [outcome async for outcome in tampered_rows(books(service, settings, tmp_path))]

    outcomes = asyncio.run(work())
    assert {one.table for one in outcomes} == {name for name in KNOWN if name.startswith(f"{load(service).schema}.")}
    assert [] == [why for one in outcomes if (why := unexplained(one, KNOWN[one.table])) is not None]


@sampled(1, of="every row")
@pytest.mark.parametrize("service", NAMES)
def test_every_row_of_the_second_copy_is_in_its_digest(service: str, settings: Settings) -> None:
    """The copy of a day is as its tables are; whatever is done to a row of it, its digest is another one."""
    outcomes = asyncio.run(_unnoticed(service, settings))
    assert [] == outcomes


async def _unnoticed(service: str, settings: Settings) -> list[str]:
    """Return what can be done to rows of the copy of a service without another digest."""
    manifest, unnoticed = load(service), list[str]()
    engine = create_engine(settings.database_url.get_secret_value(), role=manifest.schema)
    following = await IncrementalComparison.open(engine, manifest, settings, part=1000, rest=no_rest)
    try:
        found = await following.compare()
        assert [] == [*found.wrong[0], *found.wrong[1], *found.wrong[2]]
        assert following.mark is not None
        assert not following.mark.spoiled
        connection = following.connection
        async with connection.begin() as undone:
            await connection.exec_driver_sql("SET LOCAL ROLE NONE")
            await connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            for table in following.copy.digested:
                before = await _digest(connection, table)
                for what, column in ways(table):
                    async with connection.begin_nested() as tried:
                        if await _done(connection, table, what, column) and before == await _digest(connection, table):
                            unnoticed.append(f"{table} {what} {column}")
                        await tried.rollback()
            await undone.rollback()
    finally:
        await following.close()
        await engine.dispose()
    return unnoticed


async def _done(connection: AsyncConnection, table: Table, what: str, column: str | None) -> bool:
    """Return whether a row was tampered with; a constraint may refuse each way to."""
    made = {"added": adding, "deleted": deleting}
    statements = [made[what](table)] if column is None else [altering(table, column), exchanging(table, column)]
    for statement in statements:
        try:
            async with connection.begin_nested():
                if (await connection.exec_driver_sql(statement)).rowcount == 1:
                    return True
        except IntegrityError:
            continue
    return False


async def _digest(connection: AsyncConnection, table: Table) -> int:
    return digest_of(table.name, [row.line for row in await next_rows(connection, table, None, 1_000_000)])
