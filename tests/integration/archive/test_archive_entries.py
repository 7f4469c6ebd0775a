"""`pitledger archive verify`, `prove` and `restore`: from files alone, and back into a journal."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from services.cli.archive.restoring import restore_days
from services.cli.archive.store import Store
from services.cli.exits import UsageWrong
from services.cli.operations.keys import VERIFIERS, read_verifiers
from shared.journal.archive.manifest import DayManifest
from shared.journal.shard import Seals, Shard
from shared.journal.signed_batch import signer_name
from tests.integration.archive.told import RUN
from tests.support import Databases
from tests.support.archived import INVENTORY, NEXT, PROPERTY, SETTLEMENT, Casino, desk, sealed
from tests.support.services import ROOT, migrate, query
from tests.unit.cli.calling import Caller

_ENTRIES = """
    SELECT shard, seq, kind, source, sequence, event_id, "offset", record_hash, gaming_day, occurred_at, recorded_at,
        data::text, previous, hash, cents
    FROM round_settlement.entries ORDER BY shard, seq"""


def test_files_are_verified_without_database(first: Casino, first_store: Path, pitledger: Caller) -> None:
    """With the folder and the list of public keys alone; entries of days that are not archived are named."""
    called = pitledger("archive", "verify", "--store", str(first_store), "--key", str(first.keys / VERIFIERS))

    assert 0 == called.code
    assert "in no archived day: entries 1-1, 3-3, 5-5, and 3 more" in called.stderr
    assert "1 of 1 manifests verified" in called.stderr


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
