"""The drill of docs/operate/backup-and-restore.md: a lost server is restored to a point in time, and reconciled."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import Signer
from shared.local import PostgresServer
from shared.local.account import give_to, unprivileged_account
from tests.support import AnyBroker, eventually
from tests.support.properties import OF_ANY_AGE, property_event
from tests.support.rounds import completed, submission
from tests.support.services import create_topics, migrate, produce, query, running
from tests.support.worker import MOMENT, Orders
from tests.unit.cli.calling import Called, Caller

SERVICE = "round-settlement"
BEFORE, AFTER = 40, 70
"""Rounds that were posted at the point of restoring, and when the server was lost."""

_POSTED = "SELECT count(*) FROM round_settlement.entries WHERE kind = 'settlement.posted'"
_ENTRIES = "SELECT coalesce(sum(next_seq - 1), 0)::int FROM round_settlement.shards"
_BOOKS = """
    SELECT e.kind, e.source, e.sequence, e.event_id, e.data::text, p.line, p.cents, a.table, a.wager, a.leg
    FROM round_settlement.entries e
    LEFT JOIN round_settlement.postings p ON (p.shard, p.seq) = (e.shard, e.seq)
    LEFT JOIN round_settlement.accounts a USING (account)
    ORDER BY e.kind, e.source, e.sequence, p.line
"""


class Drill:
    """One installation: broker, keys and checkpoints stay, the database is lost."""

    def __init__(self, home: Path, servers: str, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        self._pitledger = pitledger
        self._monkeypatch = monkeypatch
        self.kept = home / "checkpoints"
        key = home / "key.pem"
        Signer.generate(signer_name(SERVICE)).to_pem(key)
        self.servers = servers
        self.settings = {
            "PITLEDGER_CHECKPOINT_KEY_FILE": str(key),
            "PITLEDGER_CHECKPOINT_DIRECTORY": str(self.kept),
            "PITLEDGER_VERIFICATION_SECONDS": "1",
        }

    def call(self, url: str, *words: str, **settings: str) -> Called:
        """Call `pitledger` as an operator does, on this database."""
        given = {**self.settings, **settings, "DATABASE_URL": url, "KAFKA_BOOTSTRAP_SERVERS": self.servers}
        for name, value in given.items():
            self._monkeypatch.setenv(name, value)
        return self._pitledger(*words)

    def service(self, url: str, moment: datetime = MOMENT, **settings: str) -> Any:
        """The service, running on this database, by a clock that stands at this moment."""
        return running(
            SERVICE,
            orders=Orders(moment=moment),
            database_url=url,
            bootstrap_servers=self.servers,
            settings={**self.settings, **settings},
        )

    def play(self, first: int, last: int) -> None:
        """Send rounds of one table."""
        produce(self.servers, "table.events", [completed("BJ-01", number) for number in range(first, last + 1)])

    def signed(self, directory: Path) -> int:
        """How many entries the latest checkpoints cover."""
        store = DirectoryStore(directory)
        return sum(store.sizes(origin)[-1] for origin in store.origins())


@pytest.fixture
def drill(
    tmp_path: Path, fresh_broker: AnyBroker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Drill:
    """The topics with a property and its submission."""
    monkeypatch.setenv("COLUMNS", "160")
    found = Drill(tmp_path, fresh_broker.bootstrap_servers, Caller(capsys, monkeypatch), monkeypatch)
    create_topics(found.servers)
    produce(found.servers, "properties", [property_event(plausibility=OF_ANY_AGE)])
    produce(found.servers, "submissions", [submission()])
    return found


@contextmanager
def archiving(archive: Path) -> Iterator[PostgresServer]:
    """A server that archives its write-ahead log, as production does."""
    archive.mkdir()
    give_to(unprivileged_account(), archive)
    command = f"test ! -f {archive}/%f && cp %p {archive}/%f"
    with PostgresServer(settings={"archive_mode": "on", "archive_command": command}) as server:
        yield server


def restoring(backup: Path, archive: Path, moment: str) -> PostgresServer:
    """A server that comes up on a base backup as it was at a moment."""
    (backup / "data" / "recovery.signal").touch()
    settings: Mapping[str, str] = {
        "restore_command": f"cp {archive}/%f %p",
        "recovery_target_time": moment,
        "recovery_target_action": "promote",
    }
    return PostgresServer(directory=backup, settings=settings)


def told(called: Called, part: str) -> set[tuple[int, int]]:
    """The places of the entries that `reconcile --json` names."""
    return {(one["shard"], one["seq"]) for document in called.documents for one in document[part]}


def test_a_lost_server_is_restored_to_a_moment_and_reconciled(drill: Drill, server_directory: Path) -> None:
    """What a lost server had is named, follows again and is compared by entry; the books are those before the loss."""
    archive, backup = server_directory / "archive", server_directory / "backup"
    with archiving(archive) as server:
        migrate(server.url, SERVICE)
        with drill.service(server.url):
            drill.play(1, BEFORE // 2)
            eventually(lambda: query(server.url, _POSTED)[0][0] > 0, because="rounds are posted")
            drill.play(BEFORE // 2 + 1, BEFORE)
            server.base_backup(backup)  # while the service works
            eventually(lambda: query(server.url, _POSTED) == [(BEFORE,)], because="the first rounds are posted")
            moment = str(query(server.url, "SELECT clock_timestamp()")[0][0])
            at_the_moment = query(server.url, _ENTRIES)[0][0]
            drill.play(BEFORE + 1, AFTER)
            eventually(lambda: query(server.url, _POSTED) == [(AFTER,)], because="all rounds are posted")
            total = query(server.url, _ENTRIES)[0][0]
            eventually(lambda: drill.signed(drill.kept) == total, because="all of it is signed, outside")
            published = "SELECT coalesce(sum(published_seq), 0)::int FROM round_settlement.relay"
            eventually(lambda: query(server.url, published) == [(total,)], because="and published")
        books = query(server.url, _BOOKS)
        with psycopg.connect(_plain(server.url), autocommit=True) as connection:
            connection.execute("SELECT pg_switch_wal()")
            _archived(connection)
        server.kill()  # and its disk with it

    with restoring(backup, archive, moment) as server:
        eventually(lambda: query(server.url, "SELECT pg_is_in_recovery()") == [(False,)], because="it is restored")
        assert at_the_moment == query(server.url, _ENTRIES)[0][0]
        verified = drill.call(server.url, "verify", "--service", SERVICE)
        assert 1 == verified.code
        assert "entries" in verified.stdout + verified.stderr

        held = drill.kept.parent / "still-held"
        before = drill.call(server.url, "reconcile", "--service", SERVICE, "--still-held", str(held), "--json")
        lost = told(before, "lost")
        assert (1, total - at_the_moment) == (before.code, len(lost)), before.stderr
        assert set() == told(before, "again") | told(before, "other")
        [advice] = {one["advice"] for one in before.documents if one["lost"]}
        assert advice.startswith("start the service")

        settings = {"PITLEDGER_CHECKPOINT_DIRECTORY": str(held)}
        with drill.service(server.url, MOMENT + timedelta(hours=1), **settings):
            eventually(lambda: query(server.url, _POSTED) == [(AFTER,)], because="it reads on")
            eventually(lambda: drill.signed(held) == total, because="what it recorded again is signed")
        after = drill.call(server.url, "reconcile", "--service", SERVICE, "--json", **settings)
        assert (0, lost) == (after.code, told(after, "again")), after.stderr
        assert set() == told(after, "lost") | told(after, "other")
        assert 0 == drill.call(server.url, "verify", "--service", SERVICE, **settings).code
        assert 0 == drill.call(server.url, "rebuild", SERVICE, "--check", **settings).code
        assert books == query(server.url, _BOOKS)
    shutil.rmtree(backup, ignore_errors=True)


def _plain(url: str) -> str:
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def _archived(connection: psycopg.Connection[Any]) -> None:
    """Wait until the log up to the switch is in the archive."""
    [last] = connection.execute("SELECT pg_walfile_name(pg_current_wal_lsn() - 1)").fetchone() or [""]

    def done() -> bool:
        row = connection.execute("SELECT last_archived_wal FROM pg_stat_archiver").fetchone()
        return row is not None and row[0] is not None and row[0] >= last

    eventually(done, because="the write-ahead log is archived")
