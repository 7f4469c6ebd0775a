"""The verifier that stands alone: a member that is there twice proves nothing, in whatever it is given."""

import json
from pathlib import Path
from typing import Any

import pytest

from infra import verifier
from shared.journal.signed_note import Signer
from tests.support.json_text import with_members_twice

PROOF = {
    "format": "pitledger-inclusion-proof-v1",
    "index": 0,
    "record": "AA==",
    "path": [],
    "checkpoint": "pitledger/round-settlement/1",
}
EXPORT: list[dict[str, Any]] = [
    {"format": "pitledger-journal-v1", "service": "round-settlement", "logs": 1},
    {"shard": "1", "entries": 1, "checkpoint": "pitledger/round-settlement/1"},
]


def said_of(content: str, directory: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code of the verifier, and what it says of a file."""
    file, key = directory / "proof.json", directory / "verifiers.txt"
    file.write_text(content)
    key.write_text(f"{Signer.generate('pitledger/round-settlement').verifier}\n")
    code = verifier.main([str(file), "--key", str(key)])
    return code, capsys.readouterr().err


def test_a_proof_with_a_member_twice_proves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On one line, and written over several."""
    for _, text in with_members_twice(PROOF):
        for content in (text.decode(), text.decode().replace("{", "{\n")):
            code, said = said_of(content, tmp_path, capsys)
            assert (1, True) == (code, "a member is there twice in one object" in said), said
    assert "twice" not in said_of(json.dumps(PROOF), tmp_path, capsys)[1]


def test_an_export_with_a_member_twice_proves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the line that says what it is, and in those that follow."""
    for at, line in enumerate(EXPORT):
        for _, text in with_members_twice(line):
            lines = [json.dumps(one) for one in EXPORT[:at]] + [text.decode()]
            code, said = said_of("\n".join(lines) + "\n", tmp_path, capsys)
            assert (1, True) == (code, "a member is there twice in one object" in said), said
    assert "twice" not in said_of("\n".join(map(json.dumps, EXPORT)), tmp_path, capsys)[1]
