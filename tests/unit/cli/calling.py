"""Calls the command line inside the test's process."""

import io
import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from services.cli.main import main


@dataclass(frozen=True, slots=True)
class Called:
    """What a command left behind."""

    code: int
    stdout: str
    stderr: str

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The JSON documents on stdout, one a line."""
        return [json.loads(line) for line in self.stdout.splitlines()]


class Caller:
    """Calls commands as the console script does."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, stdin: str = "") -> Called:
        """Runs `pitledger` with these words."""
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        self._capsys.readouterr()
        code = main(words)
        captured = self._capsys.readouterr()
        return Called(code, captured.out, captured.err)
