"""`pitledger archive run`: sealed days become files that prove themselves, once, whatever happens meanwhile."""

import json
from dataclasses import replace
from pathlib import Path

import httpx
import psycopg
import pytest
from pyarrow import parquet

from services.cli.archive.database import archiver
from services.cli.archive.store import Store
from services.cli.operations.keys import key_file
from shared.journal.archive.manifest import ManifestError
from tests.integration.archive.told import RUN, answers, days
from tests.support.archived import DAY, INVENTORY, NEXT, PROPERTY, Casino, desk
from tests.support.services import query
from tests.unit.cli.calling import Caller

_WIN = """
    SELECT a.leg, sum(p.cents)::bigint FROM round_settlement.postings p JOIN round_settlement.accounts a USING (account)
    JOIN round_settlement.entries e USING (shard, seq) WHERE e.gaming_day = '2026-11-20' GROUP BY 1 ORDER BY 1"""


def test_a_sealed_day_is_archived_once_and_proves_itself(copied: Casino, pitledger: Caller) -> None:
    """The sealed day and no other; a second run has nothing to do, and the public keys suffice to verify."""
    done = pitledger(*RUN, "--json")
    again = pitledger(*RUN)
    told = pitledger("archive", "verify", "--json")
    listed = pitledger("archive", "list", "--json")
    lines = map(str.split, pitledger("archive", "list").stdout.splitlines())

    assert (0, "") == (done.code, done.stderr)
    assert ["Property", "Day", "Manifest", "Entries", "Bytes", "Snapshot", "Proven", "Verified"] in lines
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


def test_what_is_archived_is_what_the_journal_has(first: Casino, first_store: Path, pitledger: Caller) -> None:
    """Sums of postings by leg, as PostgreSQL has them and as DuckDB has them."""
    found = answers(pitledger, "SELECT leg, sum(cents) AS cents FROM postings GROUP BY 1 ORDER BY 1", first_store)

    assert query(first.url, _WIN) == [(row["leg"], row["cents"]) for row in found]


def test_a_day_without_a_seal_is_not_archived(copied: Casino, pitledger: Caller) -> None:
    """Even if somebody asks for it by its name."""
    called = pitledger(*RUN, "--gaming-day", str(NEXT))
    nothing = pitledger(*RUN, "--gaming-day", "2026-11-25")

    assert (3, 4) == (called.code, nothing.code)
    assert f"{NEXT} is not sealed at {PROPERTY}" in called.stderr
    assert [] == answers(pitledger, "SELECT * FROM entries")


def test_a_property_without_a_sealed_day_is_told_from_one_that_is_not_there(copied: Casino, pitledger: Caller) -> None:
    """Nothing is archived in both cases; exit code 4 is for the name that no entry has."""
    opened = desk("day.opened", '{"property":"lakeside"}', DAY, 5)
    copied.record(INVENTORY, replace(opened, source="/properties/lakeside/desk"))
    unknown = pitledger("archive", "run", "--property", "rivreside")
    unsealed = pitledger("archive", "run", "--property", "lakeside")

    assert (4, "pitledger: there is no property rivreside: no journal has an entry of it\n") == (
        unknown.code,
        unknown.stderr,
    )
    assert (0, "lakeside: no day is over and sealed yet\n") == (unsealed.code, unsealed.stderr)


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


def test_a_folder_that_iceberg_would_not_find_again_is_refused(
    copied: Casino, pitledger: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A space or a sign of equality in the path is escaped in URLs, and Iceberg writes to the folder of that name."""
    monkeypatch.setenv("PITLEDGER_ARCHIVE_STORE", str(tmp_path / "property=007 archive"))
    called = pitledger(*RUN)

    assert (2, "") == (called.code, called.stdout)
    assert "an archive's path has letters, digits, and / . _ - ~ alone; rename the folder" in called.stderr
    assert [] == list(tmp_path.glob("property*"))


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
