"""What finds a row of a service that somebody altered, added or deleted: in every table, column by column."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from pydantic import SecretStr

from services.cli.checkpoint_sources import Kept
from services.cli.releases import releases
from services.cli.services import NAMES, load, load_all, migrations
from services.cli.tables import every_table
from shared.journal.checkpoint_store import DirectoryStore
from shared.local import Broker
from shared.runtime.process.migrations import upgrade
from shared.runtime.service.signing_keys import verifying_seals
from shared.runtime.settings import Settings
from tests.releases.__main__ import DATABASE
from tests.releases.database import ABOUT, load_topics, unpack
from tests.releases.database import load as load_database
from tests.support import Databases
from tests.support.every_row import Books, Outcome, tampered_rows, unexplained
from tests.support.services import ROOT, query

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


@pytest.mark.parametrize("service", NAMES)
def test_every_row_is_found_or_explained(service: str, settings: Settings, tmp_path: Path) -> None:
    """Whatever is done to a row is named by what the documentation says, or says there what hangs on it."""

    async def work() -> list[Outcome]:
        return [outcome async for outcome in tampered_rows(books(service, settings, tmp_path))]

    outcomes = asyncio.run(work())
    assert {one.table for one in outcomes} == {name for name in KNOWN if name.startswith(f"{load(service).schema}.")}
    assert [] == [why for one in outcomes if (why := unexplained(one, KNOWN[one.table])) is not None]
