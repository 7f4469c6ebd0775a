"""`pitledger archive` and `pitledger sql`: real rounds in files that prove themselves, and back into a journal."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import httpx
import psycopg
import pyarrow
import pytest
from moto.server import ThreadedMotoServer
from psycopg.errors import InsufficientPrivilege
from pyarrow import parquet

from services.cli.archive.database import ARCHIVED, WITHHELD, archiver, upgrade_archive, url_of_archiver
from services.cli.archive.journal_reader import journal_reader
from services.cli.archive.restoring import restore_days
from services.cli.archive.store import Store
from services.cli.exits import UsageWrong
from services.cli.main import main
from services.cli.operations.keys import VERIFIERS, key_file, read_verifiers
from services.cli.services import load_all
from shared.journal.archive.manifest import DayManifest, ManifestError
from shared.journal.shard import Seals, Shard
from shared.journal.signed_batch import signer_name
from tests.support import AnyBroker, Databases
from tests.support.archived import DAY, INVENTORY, NEXT, PROPERTY, SETTLEMENT, Casino, casino, desk, sealed
from tests.support.killed_archiver import DATA_WRITTEN, DOCUMENT_WRITTEN, TABLE_CREATED
from tests.support.services import ROOT, migrate, query
from tests.unit.cli.calling import Called, Caller

RUN = ("archive", "run", "--property", PROPERTY)
_ENTRIES = """
    SELECT shard, seq, kind, source, sequence, event_id, "offset", record_hash, gaming_day, occurred_at, recorded_at,
        data::text, previous, hash, cents
    FROM round_settlement.entries ORDER BY shard, seq"""
_WIN = """
    SELECT a.leg, sum(p.cents)::bigint FROM round_settlement.postings p JOIN round_settlement.accounts a USING (account)
    JOIN round_settlement.entries e USING (shard, seq) WHERE e.gaming_day = '2026-11-20' GROUP BY 1 ORDER BY 1"""


@pytest.fixture(scope="module")
def first(databases: Databases, module_broker: AnyBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Casino]:
    """A casino after two gaming days, of which the first is sealed."""
    made = casino(databases, module_broker, tmp_path_factory.mktemp("casino"))
    yield made
    databases.drop(made.url)


def copy_of(made: Casino, databases: Databases, home: Path) -> Casino:
    """The casino on a database and checkpoints of one's own."""
    url = made.url.rpartition("/")[0] + f"/{databases.back_up(made.url)}"
    shutil.copytree(made.checkpoints, home / "checkpoints")
    return Casino(url, made.keys, home / "checkpoints")


@pytest.fixture(scope="module")
def archived(first: Casino, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Casino]:
    """The casino with the sealed day archived, which no test alters."""
    made = copy_of(first, databases, tmp_path_factory.mktemp("archived"))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in made.environment(made.checkpoints.parent / "archive").items():
            patch.setenv(name, value)
        assert 0 == main(RUN)
    yield made
    databases.drop(made.url)


@pytest.fixture
def first_store(archived: Casino) -> Path:
    """The archive with the sealed day."""
    return archived.checkpoints.parent / "archive"


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger` with what a terminal without any setting has."""
    monkeypatch.setenv("COLUMNS", "200")
    return Caller(capsys, monkeypatch)


@pytest.fixture
def copied(first: Casino, databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Casino]:
    """The casino on a database, an archive and checkpoints of the test's own; nothing is archived yet."""
    made = copy_of(first, databases, tmp_path)
    for name, value in made.environment(tmp_path / "archive").items():
        monkeypatch.setenv(name, value)
    yield made
    databases.drop(made.url)


def days(called: Called) -> list[tuple[str, int, int | None, int]]:
    """Gaming day, manifest, the manifest that it replaces, and entries of each document."""
    return [(one["gaming_day"], one["manifest"], one["replaces"], one["entries"]) for one in called.documents]


def answers(pitledger: Caller, question: str, store: Path | None = None) -> list[dict[str, object]]:
    """The rows that answer a question."""
    called = pitledger("sql", question, "--json", *(() if store is None else ("--store", str(store))))
    assert (0, "") == (called.code, called.stderr)
    return called.documents


def test_a_sealed_day_is_archived_once_and_proves_itself(copied: Casino, pitledger: Caller) -> None:
    """The sealed day and no other; a second run has nothing to do, and the public keys suffice to verify."""
    done = pitledger(*RUN, "--json")
    again = pitledger(*RUN)
    told = pitledger("archive", "verify", "--json")
    listed = pitledger("archive", "list", "--json")

    assert (0, "") == (done.code, done.stderr)
    assert [(str(DAY), 1, None, 21)] == days(done)
    assert (0, f"{PROPERTY}: every sealed day is archived\n") == (
        again.code,
        again.stderr,
    )
    assert [[]] == [one["problems"] for one in told.documents]
    assert 0 == told.code
    [day] = listed.documents
    assert day["verified_at"] is not None
    assert day["snapshots"].keys() == {"entries", "accounts", "checkpoints"}


def test_files_are_verified_without_database(first: Casino, first_store: Path, pitledger: Caller) -> None:
    """With the folder and the list of public keys alone; entries of days that are not archived are named."""
    called = pitledger("archive", "verify", "--store", str(first_store), "--key", str(first.keys / VERIFIERS))

    assert 0 == called.code
    assert "in no archived day: entries 1-1, 3-3, 5-5, and 3 more" in called.stderr
    assert "1 of 1 manifests verified" in called.stderr


def test_what_is_archived_is_what_the_journal_has(first: Casino, first_store: Path, pitledger: Caller) -> None:
    """Sums of postings by leg, as PostgreSQL has them and as DuckDB has them."""
    found = answers(pitledger, "SELECT leg, sum(cents) AS cents FROM postings GROUP BY 1 ORDER BY 1", first_store)

    assert query(first.url, _WIN) == [(row["leg"], row["cents"]) for row in found]


def test_an_entry_is_proven_from_files(first: Casino, first_store: Path, pitledger: Caller, tmp_path: Path) -> None:
    """The document is that of `prove`, which the stand-alone verifier reads."""
    [(name, seq, data)] = query(
        first.url,
        """SELECT s.name, e.seq, e.data::text FROM round_settlement.entries e
            JOIN round_settlement.shards s USING (shard)
            WHERE e.source LIKE '%BJ-02' AND e.gaming_day = '2026-11-20' ORDER BY e.seq DESC LIMIT 1""",
    )
    document = tmp_path / "entry.json"
    proven = pitledger("archive", "prove", name, str(seq), "--store", str(first_store), "--output", str(document))
    verified = pitledger("verify-proof", str(document), "--key", str(first.keys / VERIFIERS), "--json")

    alone = [sys.executable, "infra/verifier.py", str(document), "--key", str(first.keys / VERIFIERS)]
    subprocess.run(alone, cwd=ROOT, check=True, capture_output=True)

    assert (0, 0) == (proven.code, verified.code)
    [entry] = verified.documents
    assert (seq, json.loads(data)) == (entry["seq"], entry["data"])


def test_an_entry_that_is_not_archived_is_not_proven(first_store: Path, pitledger: Caller) -> None:
    """It may be of a later day."""
    called = pitledger("archive", "prove", "1", "99", "--store", str(first_store))

    assert 4 == called.code
    assert "no archived day has entry 99" in called.stderr


def test_a_day_without_a_seal_is_not_archived(copied: Casino, pitledger: Caller) -> None:
    """Even if somebody asks for it by its name."""
    called = pitledger(*RUN, "--gaming-day", str(NEXT))
    nothing = pitledger(*RUN, "--gaming-day", "2026-11-25")

    assert (3, 4) == (called.code, nothing.code)
    assert f"{NEXT} is not sealed at {PROPERTY}" in called.stderr
    assert [] == answers(pitledger, "SELECT * FROM entries")


def test_a_day_waits_for_the_checkpoint_of_its_last_entry(copied: Casino, pitledger: Caller) -> None:
    """It says which one, with exit code 4, and is archived by a later run."""
    copied.record(INVENTORY, desk("day.restated", f'{{"property":"{PROPERTY}"}}', DAY, 5), sign=False)
    waiting = pitledger(*RUN)
    copied.record(INVENTORY, desk("day.restated", f'{{"property":"{PROPERTY}"}}', DAY, 6))
    later = pitledger(*RUN, "--json")

    assert (4, "") == (waiting.code, waiting.stdout)
    assert f"{INVENTORY} commands/0: no signed checkpoint covers entry 2 yet; wait for the next" in waiting.stderr
    assert [(str(DAY), 1, None, 23)] == days(later)


def altered(url: str, change: str) -> None:
    """Do what a superuser can."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(change.encode())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "UPDATE round_settlement.entries SET data = '{}' WHERE source LIKE '%BJ-01' AND seq = 3",
            "the files do not prove the journal",
        ),
        (
            "UPDATE round_settlement.entries SET occurred_at = 'infinity' WHERE source LIKE '%BJ-01' AND seq = 3",
            "entry 3: its time is infinite; nothing is archived",
        ),
        (
            "UPDATE round_settlement.entries SET hash = previous WHERE source LIKE '%BJ-01' AND seq = 3",
            "entry 4 does not follow the one before",
        ),
        (
            "UPDATE round_settlement.entries SET accounts[2] = 999 WHERE source LIKE '%BJ-01' AND seq = 3",
            "has a posting without account or cents",
        ),
    ],
    ids=["data", "time", "hash", "account"],
)
def test_what_was_not_recorded_is_not_archived(copied: Casino, pitledger: Caller, change: str, said: str) -> None:
    """Exit code 1 names the entry, and no day counts as archived."""
    altered(copied.url, change)
    called = pitledger(*RUN)

    assert (1, "") == (called.code, called.stdout)
    assert said in called.stderr
    assert [] == pitledger("archive", "list", "--json").documents
    assert [] == answers(pitledger, "SELECT * FROM entries")


def test_entries_that_are_added_while_a_day_is_read_are_not_seen(archived: Casino) -> None:
    """All of a day comes from one snapshot of the database, in which nothing can be written."""
    with journal_reader(archived.url) as reader:
        level = (
            "SELECT current_setting('transaction_isolation') AS level, current_setting('transaction_read_only') AS r"
        )
        assert [{"level": "repeatable read", "r": "on"}] == reader.query(level).to_pylist()


def test_a_restated_day_gets_a_further_snapshot(copied: Casino, pitledger: Caller, tmp_path: Path) -> None:
    """The new manifest replaces the earlier one, whose files stay and still verify; questions see the new one."""
    pitledger(*RUN)
    copied.record(INVENTORY, desk("day.restated", f'{{"property":"{PROPERTY}"}}', DAY, 5))
    done = pitledger(*RUN, "--json")
    told = pitledger("archive", "verify", "--json")
    listed = pitledger("archive", "list", "--json", "--all")

    assert [(str(DAY), 2, 1, 22)] == days(done)
    assert [[], []] == [one["problems"] for one in told.documents]
    assert [False, True] == [one["current"] for one in listed.documents]
    assert [{"n": 22}] == answers(pitledger, "SELECT count(*) AS n FROM entries")
    earlier = json.loads((tmp_path / "archive/manifests/0000000001.json").read_text())
    rows = [parquet.read_metadata(tmp_path / "archive" / one["path"]).num_rows for one in earlier["files"]]
    assert [one["rows"] for one in earlier["files"]] == rows


def test_entries_without_gaming_day_are_filed_under_the_day_of_recording(copied: Casino, pitledger: Caller) -> None:
    """With a flag; a day of which nothing needs a seal is archived once it is over."""
    recorded = query(copied.url, "SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date")[0][0]
    copied.record(INVENTORY, desk("looked.up", f'{{"property":"{PROPERTY}"}}', None, 6))
    today = pitledger(*RUN, "--gaming-day", str(recorded), "--json")

    assert [(str(recorded), 1, None, 1)] == days(today)
    assert [{"seq": 2, "flag": True, "gaming_day": str(recorded)}] == answers(
        pitledger, "SELECT seq, day_of_recording AS flag, gaming_day FROM entries"
    )
    assert [(str(DAY), 2, None, 21)] == days(pitledger(*RUN, "--json"))
    assert 0 == pitledger("archive", "verify").code


def test_entries_are_filed_under_the_property_that_they_name(copied: Casino, pitledger: Caller) -> None:
    """By stream, or by the fact; what is no name, or cannot be decoded, is of no property, and is archived as such."""
    facts = [f'{{"property":"{PROPERTY}"}}', '{"property":"two words"}', '{"property":"x","said":"\\u0000"}', "[1]"]
    drafts = [
        replace(desk("looked.up", fact, None, number), source=f"/{INVENTORY}/looks/{number}")
        for number, fact in enumerate(facts, 1)
    ]
    copied.record(INVENTORY, *drafts)
    today = str(
        query(copied.url, "SELECT (max(recorded_at) AT TIME ZONE 'UTC')::date FROM table_inventory.entries")[0][0]
    )
    for property_name in (PROPERTY, "-"):
        assert 0 == pitledger("archive", "run", "--property", property_name, "--gaming-day", today).code
    found = answers(pitledger, "SELECT property, seq FROM entries ORDER BY seq")

    assert [(PROPERTY, 2), ("-", 3), ("-", 4), ("-", 5)] == [(row["property"], row["seq"]) for row in found]
    assert 0 == pitledger("archive", "verify").code


def test_archived_days_are_restored_into_empty_journals(
    copied: Casino, pitledger: Caller, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every entry is back byte for byte, and `verify` finds the restored journals as they were signed."""
    copied.record(INVENTORY, sealed(NEXT))
    assert 2 == len(pitledger(*RUN, "--json").documents)
    before, url = query(copied.url, _ENTRIES), databases.create()
    for service in (SETTLEMENT, INVENTORY):
        migrate(url, service)
    monkeypatch.setenv("DATABASE_URL", url)
    restored = pitledger("archive", "restore")
    services = ("--service", SETTLEMENT, "--service", INVENTORY)
    verified = pitledger("verify", *services)

    assert (0, "") == (restored.code, restored.stderr)
    assert before == query(url, _ENTRIES)
    assert 0 == verified.code, verified
    assert 0 == pitledger("prove", "1", "1", "--checkpoints", str(copied.checkpoints), "--service", INVENTORY).code
    assert 3 == pitledger("archive", "restore").code  # they are there now
    databases.drop(url)


def test_a_shard_that_went_on_is_sealed_with_the_key_of_its_service(
    copied: Casino, pitledger: Caller, databases: Databases, tmp_path: Path
) -> None:
    """The archive has the seal of a later state alone; without the key nothing is restored."""
    copied.record(INVENTORY, desk("day.opened", f'{{"property":"{PROPERTY}"}}', NEXT, 5))
    assert 0 == pitledger(*RUN).code
    store = Store.opened(str(tmp_path / "archive"))
    whole = DayManifest.read(store.read("manifests/0000000001.json"))
    services = [one for one in whole.services if one.service == INVENTORY]
    day = whole.model_copy(
        update={"services": services, "files": [one for one in whole.files if one.service == INVENTORY]}
    )
    verifiers, url = read_verifiers([str(copied.keys / VERIFIERS)]), databases.create()
    migrate(url, INVENTORY)

    with pytest.raises(UsageWrong, match="sealed no state that ends with entry 1"):
        list(restore_days(url, store, [day], verifiers, None))
    assert [] == query(url, "SELECT 1 FROM table_inventory.entries")
    assert [(INVENTORY, "commands/0", 1)] == list(restore_days(url, store, [day], verifiers, copied.keys))
    [row] = query(url, "SELECT shard, name, next_offset, next_seq, head, seal FROM table_inventory.shards")
    Seals(signer_name(INVENTORY), verifiers).require(Shard(*row))
    databases.drop(url)


def test_a_day_is_not_restored_with_entries_left_out(
    first: Casino, first_store: Path, pitledger: Caller, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shard in which two days alternate needs both; a shard that went on elsewhere needs the service's key."""
    url = databases.create()
    for service in (SETTLEMENT, INVENTORY):
        migrate(url, service)
    for name, value in (first.environment(first_store) | {"DATABASE_URL": url}).items():
        monkeypatch.setenv(name, value)
    called = pitledger("archive", "restore")

    assert 3 == called.code
    assert "goes on with entry 1, and the archived days have 2 next" in called.stderr
    assert [] == query(url, "SELECT 1 FROM round_settlement.entries")
    databases.drop(url)


def killed(*steps: str) -> str:
    """One run after the other, each killed at a step; return what they said on standard error."""
    command = [sys.executable, "-m", "tests.support.killed_archiver", PROPERTY, *steps]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert [f"{step}: {signal.SIGKILL:d}" for step in steps] == done.stdout.splitlines(), done.stderr
    return done.stderr


STEPS = (
    TABLE_CREATED,
    DATA_WRITTEN,
    f"entries of {SETTLEMENT} committed",
    f"checkpoints of {INVENTORY} committed",
    "files proven",
    DOCUMENT_WRITTEN,
)
"""The durable steps before a day counts as archived, in their order."""


def test_a_run_that_is_killed_is_finished_by_the_next(copied: Casino, pitledger: Caller, tmp_path: Path) -> None:
    """One run after the other is killed, each a step further; nothing counts until the last has ended."""
    store = tmp_path / "archive"
    told = killed(*STEPS)
    assert [] == pitledger("archive", "list", "--json").documents
    assert [] == answers(pitledger, "SELECT * FROM entries")
    done = pitledger(*RUN, "--json")

    assert [(str(DAY), 1, None, 21)] == days(done)
    assert "that a run which was killed had left" in told
    assert 0 == pitledger("archive", "verify").code
    assert [{"n": 21}] == answers(pitledger, "SELECT count(*) AS n FROM entries")
    files = {one.relative_to(store).as_posix() for one in store.rglob("*.parquet")}
    manifest = json.loads((store / "manifests/0000000001.json").read_text())
    assert {one["path"] for one in manifest["files"]} == files  # nothing was written twice, nothing is left
    assert 0 == pitledger(*RUN).code
    assert [] == query(copied.url, "SELECT * FROM archive.unfinished")


def test_a_run_that_is_killed_after_its_manifest_has_archived_the_day(copied: Casino, pitledger: Caller) -> None:
    """The next run takes the manifest into the database, and has nothing more to do."""
    killed("manifest written")
    before = query(copied.url, "SELECT count(*) FROM archive.manifests")
    done = pitledger(*RUN)

    assert [(0,)] == before
    assert 0 == done.code
    assert [(1, PROPERTY)] == query(copied.url, "SELECT number, property FROM archive.manifests")
    assert f"{PROPERTY} {DAY}: archived already, as the journals have it\n" == done.stderr
    assert [1] == [one["manifest"] for one in pitledger("archive", "list", "--json").documents]


def test_two_archivers_do_not_work_at_once(copied: Casino, pitledger: Caller) -> None:
    """The second one says so, with exit code 2, and leaves everything as it is."""
    with archiver(copied.url):
        called = pitledger(*RUN)

    assert (2, "pitledger: another archiver is at work on this database: wait until it has ended\n") == (
        called.code,
        called.stderr,
    )
    assert 0 == pitledger(*RUN).code


def test_the_archive_of_another_database_is_not_gone_on_with(
    copied: Casino, first_store: Path, pitledger: Caller
) -> None:
    """Its manifests are not those that the database knows."""
    pitledger(*RUN)
    called = pitledger(*RUN, "--store", str(first_store))

    assert 1 == called.code
    assert "is it the archive of another database?" in called.stderr


def test_the_archiver_reads_journals_and_writes_none(first: Casino) -> None:
    """Its role may read entries, and may neither add nor read what else the services have."""
    with psycopg.connect(url_of_archiver(first.url), autocommit=True) as connection:
        assert connection.execute("SELECT count(*) FROM round_settlement.entries").fetchone() != (0,)
        for statement in (
            "UPDATE round_settlement.shards SET next_seq = 1",
            "INSERT INTO round_settlement.accounts VALUES (99, 'a', 'b', 'c', 'd')",
            "SELECT * FROM round_settlement.idempotency",
            "DELETE FROM manifests",
        ):
            with pytest.raises(InsufficientPrivilege):
                connection.execute(statement.encode())


def test_confidential_journals_are_withheld() -> None:
    """That they have entries is known to their own roles alone."""
    assert {one.name for one in load_all() if one.confidential} == set(WITHHELD)
    assert not WITHHELD & set(ARCHIVED)


def test_the_schema_is_upgraded_again_without_effect(archived: Casino) -> None:
    """What the archiver knows stays."""
    before = query(archived.url, "SELECT * FROM archive.days ORDER BY 1, 2, 3, 4")
    upgrade_archive(archived.url)

    assert before == query(archived.url, "SELECT * FROM archive.days ORDER BY 1, 2, 3, 4") != []


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("COPY entries TO '/tmp/never.csv'", "give one SELECT statement"),
        ("COPY entries TO '/tmp/never.csv' (USE_TMP_FILE false)", "give one SELECT statement"),
        ("SELECT 1; SELECT 2", "give one SELECT statement"),
        ("SELECT * FROM read_csv('/etc/hostname')", "disabled by configuration"),
        ("SELECT * FROM nothing", "Catalog Error"),
        ("SELEC 1", "Parser Error"),
        ("SELECT sum(9223372036854775807::BIGINT) FROM range(2)", "does not fit into BIGINT"),
    ],
)
def test_only_questions_are_answered(first_store: Path, pitledger: Caller, question: str, said: str) -> None:
    """Nothing is written, and no other file is read."""
    called = pitledger("sql", question, "--store", str(first_store))

    assert (3, "") == (called.code, called.stdout)
    assert said in called.stderr


def test_answers_have_types_that_readers_take(first_store: Path, pitledger: Caller, tmp_path: Path) -> None:
    """A sum of cents is a BIGINT in Parquet, not a floating-point number."""
    file = tmp_path / "sums.parquet"
    question = "SELECT leg, sum(cents) AS cents, max(gaming_day) AS day FROM postings GROUP BY 1 ORDER BY 1"
    store = ("--store", str(first_store))
    written = pitledger("sql", question, "--as", "parquet", "-o", str(file), *store)
    csv = pitledger("sql", question, "--as", "csv", *store)

    assert 0 == written.code
    assert pyarrow.int64() == parquet.read_schema(file).field("cents").type
    assert ["leg,cents,day", "chips,-165000,2026-11-20"] == csv.stdout.splitlines()[:2]


def test_dates_are_those_of_the_journal(first_store: Path, pitledger: Caller) -> None:
    """Days come as dates and moments in UTC."""
    [row] = answers(
        pitledger, "SELECT gaming_day, min(occurred_at) AS first FROM entries WHERE shard > 0 GROUP BY 1", first_store
    )

    assert (str(DAY), "2026-11-20T10:01:00+00:00") == (row["gaming_day"], row["first"])
    assert date.fromisoformat(str(row["gaming_day"])) == DAY


PAGE = ROOT / "docs/reference/archive.md"


@pytest.mark.parametrize("question", re.findall(r"```sql\n(.*?)\n```", PAGE.read_text(), flags=re.DOTALL))
def test_questions_of_the_reference_are_answered(first_store: Path, pitledger: Caller, question: str) -> None:
    """As they stand there."""
    assert [] != answers(pitledger, question, first_store)


@pytest.mark.parametrize("example", re.findall(r"```python\n(.*?)\n```", PAGE.read_text(), flags=re.DOTALL))
def test_python_of_the_reference_runs(first_store: Path, example: str) -> None:
    """As it stands there, with each engine that is installed: the cents of all postings sum to zero."""
    engine = re.findall(r"^import (\w+)", example, flags=re.MULTILINE)[0]
    pytest.importorskip(engine)
    manifest = DayManifest.read((first_store / "manifests/0000000001.json").read_bytes())
    [entries] = [one for one in manifest.tables if one.name == "entries"]
    given: dict[str, object] = {"metadata": str(first_store / entries.metadata)}
    exec(compile(example, PAGE, "exec"), given)

    assert [(DAY, 0)] == given["answer"]


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The URL of an S3-compatible server on this machine."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def test_a_bucket_is_an_archive_like_a_folder(
    copied: Casino, s3: str, pitledger: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same commands with the same results; a manifest that is there is not written over."""
    httpx.put(f"{s3}/archive").raise_for_status()
    settings = {"ENDPOINT_URL": s3, "ACCESS_KEY_ID": "key", "SECRET_ACCESS_KEY": "secret", "REGION": "us-east-1"}
    for name, value in settings.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("PITLEDGER_ARCHIVE_STORE", "s3://archive/pit/2026")
    done = pitledger(*RUN, "--json")
    verified = pitledger("archive", "verify")
    store = Store.opened("s3://archive/pit/2026")

    assert [(str(DAY), 1, None, 21)] == days(done)
    assert (0, 0) == (done.code, verified.code), verified.stderr
    assert [{"cents": -165000}] == answers(pitledger, "SELECT sum(cents) AS cents FROM postings WHERE leg = 'chips'")
    assert 0 == pitledger("archive", "prove", "commands/0", "1", "--service", INVENTORY).code
    with pytest.raises(ManifestError, match="another archiver"):
        store.create("manifests/0000000001.note", b"another")
    assert 4 == pitledger("archive", "verify", "--store", "s3://nowhere/pit").code


def test_a_key_that_is_not_there_is_named(copied: Casino, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without the key of manifests, or without public keys, is a usage error."""
    monkeypatch.setenv("PITLEDGER_ARCHIVE_KEY_FILE", str(key_file(copied.keys, "nobody")))
    wrong = pitledger(*RUN)
    monkeypatch.delenv("PITLEDGER_ARCHIVE_KEY_FILE")
    missing = pitledger(*RUN)
    monkeypatch.delenv("PITLEDGER_CHECKPOINT_VERIFIERS_FILE")
    without = pitledger("archive", "verify")

    assert [2, 2, 2] == [wrong.code, missing.code, without.code]
    assert "PITLEDGER_ARCHIVE_KEY_FILE" in missing.stderr
    assert "with which public keys?" in without.stderr
