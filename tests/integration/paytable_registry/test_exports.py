"""Exports over HTTP, and what the command line makes of them with nothing but the public key."""

import json
from pathlib import Path
from typing import Any

import pytest

from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.signed_note import Signer
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from tests.integration.paytable_registry.test_submissions import at
from tests.support.asgi import assert_problem
from tests.support.registry import Registry
from tests.unit.cli.calling import Caller

SIGNER = Signer.generate("pitledger/paytable-registry")
KEY = str(SIGNER.verifier)


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger` as a regulator does: with no service, no database and no token."""
    monkeypatch.setenv("COLUMNS", "200")
    return Caller(capsys, monkeypatch)


@pytest.fixture
def file(registry: Registry, tmp_path: Path) -> Path:
    """The export of a submission: one version approved, one returned, one withdrawn after its approval."""
    registry.file()
    registry.approve()
    registry.file(effective_from=at(1))
    registry.give_back(2)
    registry.file(effective_from=at(10))
    registry.approve(3)
    registry.withdraw(3)
    registry.withdraw(3, "withdrawal/approve", person="bob")
    assert_problem(registry.read("/export"), 409, "no checkpoint covers entry")
    notary = CheckpointSigner("paytable-registry", SIGNER, DirectoryStore(tmp_path / "checkpoints"))
    registry.desk.client.run(JournalVerifier(registry.desk.context, notary).watch())
    answered = registry.read("/export")
    assert 200 == answered.status_code, answered.text
    written = tmp_path / "export.json"
    written.write_text(answered.text)
    return written


def test_a_regulator_sees_what_was_approved_and_by_whom(registry: Registry, file: Path, pitledger: Caller) -> None:
    """Offline, with the hash of each version and what became of it."""
    called = pitledger("submissions", "verify", str(file), "--key", KEY, "--json")
    assert 0 == called.code, called.stderr
    assert [(1, "approved", "bob"), (2, "returned", None), (3, "withdrawn", "bob")] == [
        (one["version"], one["status"], one.get("approved_by")) for one in called.documents
    ]
    approved, returned = (registry.read(f"/{number}").json()["hash"] for number in (1, 2))
    found = pitledger("submissions", "verify", str(file), "--key", KEY, "--hash", approved)
    assert (0, True) == (found.code, "Proven: blackjack at riverbend" in found.stdout)
    refused = pitledger("submissions", "verify", str(file), "--key", KEY, "--hash", returned)
    assert (1, True) == (refused.code, "was approved" in refused.stderr)


def test_without_the_key_of_the_registry_nothing_is_proven(file: Path, pitledger: Caller) -> None:
    """Whoever signs with another key proves nothing; a key is needed."""
    assert 2 == pitledger("submissions", "verify", str(file)).code
    other = str(Signer.generate("pitledger/paytable-registry").verifier)
    refused = pitledger("submissions", "verify", str(file), "--key", other)
    assert (1, True) == (refused.code, "nothing is proven" in refused.stderr)


def _without_what_was_returned(document: dict[str, Any]) -> None:
    del document["proofs"][2]


def _of_another_game(document: dict[str, Any]) -> None:
    document["game"] = "switch"


def _empty(document: dict[str, Any]) -> None:
    document["proofs"] = []


def _moved(document: dict[str, Any]) -> None:
    document["proofs"][0]["record"] = document["proofs"][1]["record"]


@pytest.mark.parametrize("change", [_without_what_was_returned, _of_another_game, _empty, _moved])
def test_a_file_that_was_altered_proves_nothing(file: Path, pitledger: Caller, change: Any) -> None:
    """A decision about what is not in the file, facts of something else, no facts, a record in another's place."""
    document = json.loads(file.read_text())
    change(document)
    refused = pitledger("submissions", "verify", "-", "--key", KEY, stdin=json.dumps(document))
    assert (1, True) == (refused.code, "nothing is proven" in refused.stderr), refused.stderr


def test_what_is_no_export_is_refused(pitledger: Caller) -> None:
    """The form comes first."""
    assert 3 == pitledger("submissions", "verify", "-", "--key", KEY, stdin='{"format": "x"}').code


def test_there_is_nothing_to_export_of_what_was_never_filed(registry: Registry) -> None:
    """404, as for its versions."""
    assert_problem(registry.read("/export"), 404, "nothing was ever filed for blackjack at riverbend")
