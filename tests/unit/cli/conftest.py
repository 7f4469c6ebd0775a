"""The fixture that calls the command line."""

import pytest

from tests.unit.cli.calling import Caller


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger` with words, as its console script does."""
    monkeypatch.setenv("COLUMNS", "100")
    return Caller(capsys, monkeypatch)
