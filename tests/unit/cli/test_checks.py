"""`pitledger checks`: what is owed, with moments by the clock of the property."""

import httpx
import pytest

from services.cli.client import Client
from tests.unit.cli.calling import Caller


def test_checks_are_listed_by_the_clock_of_their_property(pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the moment of the first issuance; the documents have it as the service says it."""
    check = {"serial": "CC-88", "drawer": "p-1", "table": "BJ-01", "first_issued_at": "2026-11-20T13:00:00Z"}
    answers = {
        "/counter-checks/riverside": {"items": [check | {"issued_cents": 500_00, "left_cents": 200_00}]},
        "/floors": [{"property": "riverside", "time_zone": "America/New_York"}],
    }
    monkeypatch.setenv("PITLEDGER_TOKEN", "t")
    monkeypatch.setattr(
        Client, "request", lambda _self, _method, path, **_sent: httpx.Response(200, json=answers[path])
    )
    said = pitledger("checks", "list", "riverside").stdout
    assert ("2026-11-20 08:00:00" in said, "500.00" in said, "T13" in said) == (True, True, False), said
    [document] = pitledger("checks", "list", "riverside", "--json").documents
    assert "2026-11-20T13:00:00Z" == document["first_issued_at"]
