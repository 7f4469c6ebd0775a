"""A run of `pitledger archive run` that is killed is finished by the next, whatever step it was at."""

import json
import signal
import subprocess
import sys
from pathlib import Path

from tests.integration.archive.told import RUN, answers, days
from tests.support.archived import DAY, INVENTORY, PROPERTY, SETTLEMENT, Casino
from tests.support.killed_archiver import DATA_WRITTEN, DOCUMENT_WRITTEN, TABLE_CREATED
from tests.support.services import ROOT, query
from tests.unit.cli.calling import Caller


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
