"""Every release's data is read for ever: its archived database is upgraded, verified, rebuilt and reported from."""

import asyncio
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncEngine

from services.cli.codegen.releases import Release, releases
from services.cli.services import NAMES, load, load_all, migrations
from shared.contracts.topic_reader import Skipped
from shared.journal.checkpoint import Checkpoint, open_note
from shared.journal.signed_note import Verifier
from shared.journal.verification import VerificationProblem, Verified, read_shards, verify_shard
from shared.local import Broker
from shared.rules.errors import Refused
from shared.runtime.database import create_engine
from shared.runtime.database_names import role_of
from shared.runtime.differences import TableComparison
from shared.runtime.process.migrations import upgrade
from shared.runtime.projections.rebuild import rebuild
from shared.runtime.settings import Settings
from tests.releases.__main__ import DATABASE
from tests.releases.database import ABOUT, Files, empty_tables, load_topics, unpack, values_of
from tests.releases.database import load as load_database
from tests.releases.day import read_reports
from tests.support import Databases
from tests.support.rebuilding import execute
from tests.support.services import ROOT, query

RELEASES = [release for release in releases(ROOT) if (release.folder / DATABASE).exists()]


@dataclass(frozen=True)
class Archived:
    """A release's database, and the broker with all that its topics held."""

    release: str
    files: Files
    url: str
    settings: Settings

    @property
    def about(self) -> dict[str, Any]:
        """What it takes to ask it again."""
        found: dict[str, Any] = json.loads(self.files[ABOUT])
        return found


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.name)
def archived(request: pytest.FixtureRequest, databases: Databases) -> Iterator[Archived]:
    """The database of a release, filled as it was then and upgraded to now."""
    release: Release = request.param
    files, url = unpack((release.folder / DATABASE).read_bytes()), databases.create()
    load_database(files, url)
    for service in NAMES:
        upgrade(service, migrations(service), url)
    with Broker(cluster_id=json.loads(files[ABOUT])["cluster_id"]) as broker:
        load_topics(files, broker.bootstrap_servers, url)
        yield Archived(
            release.name,
            files,
            url,
            Settings(DATABASE_URL=SecretStr(url), KAFKA_BOOTSTRAP_SERVERS=broker.bootstrap_servers),
        )
    databases.drop(url)


def work(service: str, archived: Archived, what: Any) -> Any:
    """Do something with the database of a service."""

    async def main() -> Any:
        engine = create_engine(archived.url, role=role_of(service))
        try:
            return await what(engine)
        finally:
            await engine.dispose()

    return asyncio.run(main())


def verified(service: str, archived: Archived) -> tuple[list[VerificationProblem], int, int]:
    """What is wrong with a journal, how many entries it has, and how many of them signed checkpoints cover."""
    tables = load(service).journal
    verifiers = [Verifier.from_string(line) for line in archived.files["verifiers.txt"].decode().splitlines()]

    async def what(engine: AsyncEngine) -> tuple[list[VerificationProblem], int, int]:
        problems, entries, signed = [], 0, 0
        async with engine.connect() as connection:
            notes = (await connection.execute(tables.checkpoints.select())).all()
            for shard in await read_shards(connection, tables):
                opened: list[Checkpoint] = [open_note(row.note, verifiers) for row in notes if row.shard == shard.shard]
                reached = Verified(shard.name)
                problems += [one async for one in verify_shard(connection, tables, shard, reached, opened)]
                entries += shard.next_seq - 1
                signed += max((one.size for one in opened), default=0)
        return problems, entries, signed

    found: tuple[list[VerificationProblem], int, int] = work(service, archived, what)
    return found


@pytest.mark.parametrize("service", NAMES)
def test_an_archived_journal_verifies(service: str, archived: Archived) -> None:
    """After the upgrade every entry has its hash, and every signed checkpoint its root, as on the day."""
    problems, entries, signed = verified(service, archived)
    assert [] == problems
    assert entries > 0 or service in ("reporting", "suspicious-activity")
    assert entries == signed or signed > 0.5 * entries > 0


@pytest.mark.parametrize("service", NAMES)
def test_the_tables_of_an_archive_are_those_that_follow_from_it(service: str, archived: Archived) -> None:
    """A rebuild with the code of today, of the archived journal and topics, comes to the archived rows."""

    async def what(engine: AsyncEngine) -> TableComparison:
        return await rebuild(engine, load(service), archived.settings, check=True)

    compared: TableComparison = work(service, archived, what)
    assert [] == list(compared.unfit)
    assert {} == {one.table: one.first for one in compared.tables if one.different}
    assert sum(one.rows for one in compared.tables) > 0


def test_reports_of_an_archive_are_the_same_to_the_byte(archived: Archived) -> None:
    """What reporting answered then about a moment, it answers now."""
    expected = {name: text for name, text in archived.files.items() if name.startswith("reports/")}
    found = read_reports(archived.url, archived.about)
    assert expected.keys() == found.keys()
    for name, text in expected.items():
        assert text == found[name], name


def test_every_reader_takes_what_an_archive_s_topics_hold(archived: Archived) -> None:
    """Each record is decoded by every service that reads its topic, or refused as it was refused then."""
    values = values_of(archived.files)
    refused = {
        bytes(value)
        for manifest in load_all()
        for (value,) in query(archived.url, f"SELECT value FROM {manifest.schema}.quarantine")
    }
    taken = 0
    for manifest in load_all():
        for handler in manifest.readers:
            for value in values[handler.reader.topic.name]:
                try:
                    event = handler.reader.decode(value)
                except Refused:
                    assert value in refused
                else:
                    assert not isinstance(event.data, Skipped) or event.data.known
                    taken += 1
    assert taken > sum(map(len, values.values()))


QUIET = {
    "0.1.0": {
        "round_settlement.result_voids",
        "suspicious_activity.sar_files",
        "suspicious_activity.sars",
        "table_inventory.adjustments",
        "table_inventory.alarm_cases",
        "table_inventory.check_write_offs",
        "table_inventory.pit_change_outcomes",
        "table_inventory.pit_changes",
        "table_inventory.tax_invoices",
        "table_inventory.tip_hours",
        "table_inventory.winners",
        "table_inventory.write_offs",
        "wagering_accounts.filing_files",
        "wagering_accounts.filing_reports",
        "wagering_accounts.filings",
        "wagering_accounts.patron_erasures",
        "wagering_accounts.patron_identities",
        "wagering_accounts.patron_keys",
    }
}
"""By release, the tables that its day has no row of: what does not happen every day."""


def test_an_archive_has_rows_of_every_table(archived: Archived) -> None:
    """Tables of a service are filled but for those that are named; those of journals, alike in all, in some service."""
    empty = {name.partition(".")[::2] for name in empty_tables(archived.files)}
    of_journal = {role_of(name): {table.name for table in journal_of(name)} for name in NAMES}
    of_service = {f"{schema}.{table}" for schema, table in empty if table not in of_journal[schema]}
    assert QUIET.get(archived.release, set()) == of_service
    for table in of_journal[role_of(SERVICE)]:
        assert {(schema, table) for schema in of_journal} - empty, f"no service has a row in {table}"


def journal_of(service: str) -> list[Table]:
    """Return the tables of a service's journal."""
    journal = load(service).journal
    return [one for field in fields(journal) if isinstance(one := getattr(journal, field.name), Table)]


SERVICE = "vigorish"


@pytest.fixture
def revisions(tmp_path: Path) -> Path:
    """The revisions of a service, where a test can add to them."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrations(SERVICE), folder)
    return folder


def _revision(folder: Path, number: int, sql: str) -> None:
    """Write a revision as docs/extend.md has it."""
    name = f"{number:04}_later"
    (folder / f"{name}.sql").write_text(sql)
    (folder / f"{name}.py").write_text(
        f'"""A later release."""\n\nfrom shared.journal.migration import run_sql\n\n'
        f'revision = "{SERVICE}_{number:04}"\ndown_revision = "{SERVICE}_{number - 1:04}"\n'
        "branch_labels = None\ndepends_on = None\n\n\n"
        'def upgrade() -> None:\n    """Run the statements."""\n    run_sql(__file__)\n'
    )


def test_a_later_revision_runs_with_the_data(archived: Archived, databases: Databases, revisions: Path) -> None:
    """Expand, then contract: a column is added and filled while the older code works on, and takes another's place."""
    url = databases.create()
    load_database(archived.files, url)
    before = replace(archived, url=url)
    _, entries, _ = verified(SERVICE, before)
    rows = query(url, f"SELECT count(*) FROM {SERVICE}.owed")
    expand = "ALTER TABLE owed ADD COLUMN named TEXT; UPDATE owed SET named = game;"
    _revision(revisions, 2, f"{expand} ALTER TABLE entries ADD COLUMN note TEXT;")
    upgrade(SERVICE, revisions, url)
    assert rows == query(url, f"SELECT count(named) FROM {SERVICE}.owed WHERE named = game")
    assert ([], entries) == verified(SERVICE, before)[:2]  # by the code that knows nothing of it
    _revision(revisions, 3, "ALTER TABLE owed DROP COLUMN game; ALTER TABLE owed ALTER COLUMN named SET NOT NULL;")
    upgrade(SERVICE, revisions, url)
    assert rows == query(url, f"SELECT count(named) FROM {SERVICE}.owed")
    assert [(f"{SERVICE}_0003",)] == query(url, f"SELECT version_num FROM {SERVICE}.alembic_version")
    assert ([], entries) == verified(SERVICE, before)[:2]
    databases.drop(url)


def test_rows_of_an_older_release_are_still_append_only(archived: Archived) -> None:
    """What guards a journal guards the archived entries after the upgrade."""
    with pytest.raises(Exception, match="append-only"):
        execute(archived.url, f"UPDATE {SERVICE}.entries SET kind = 'other'")
