"""Every golden round of every regulation, from the table's event to the journal."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.round_settlement.manifest import MANIFEST
from shared.contracts.settlements import SettlementPosted
from shared.rules import REGULATIONS, parse_cases, parse_round, parse_submission, settle
from tests.support import Databases
from tests.support.desk import desk_of
from tests.support.rounds import TABLES, completed, submission
from tests.support.services import query, settled_database

GOLDEN = Path(__file__).parents[1] / "golden"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TABLE = TABLES[0]
ENTRIES = "round_settlement.entries WHERE kind = 'settlement.posted'"


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


def _cases(regulation: str) -> list[Any]:
    files = sorted((GOLDEN / regulation).glob("*.yaml"))
    return [case for file in files for case in parse_cases(yaml.safe_load(file.read_text()))]


def _played(case: Any, sequence: int) -> dict[str, Any]:
    """The case as a table event, under a submission of its own."""
    return completed(TABLE, sequence, case.id, play=case.round, regulation=case.regulation, game=f"game-{sequence}")


def _consume(url: str, cases: list[Any]) -> None:
    filed = [
        submission(number, game=f"game-{number}", regulation=case.regulation, submission=case.submission)
        for number, case in enumerate(cases, 1)
    ]
    with desk_of(MANIFEST, url, people={}, clock=lambda: NOON) as desk:
        desk.feed("submissions", *filed)
        desk.feed("table.events", *(_played(case, number) for number, case in enumerate(cases, 1)))
        desk.entries()  # verifies the journal


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_golden_rounds_are_posted_as_they_settle(url: str, regulation: str) -> None:
    """The entry has the lines and meters of the settlement, and is what its contract says."""
    cases = [case for case in _cases(regulation) if case.expect is not None]
    assert len(cases) >= 15
    _consume(url, cases)
    found = query(
        url, "SELECT data::text FROM round_settlement.entries WHERE kind = 'settlement.posted' ORDER BY sequence"
    )
    posted = [SettlementPosted.model_validate_json(text) for (text,) in found]
    assert [case.id for case in cases] == [entry.round_id for entry in posted]
    for case, entry in zip(cases, posted, strict=True):
        settlement = settle(regulation, parse_round(regulation, case.round), parse_submission(case.submission))
        assert [line.as_document() for line in settlement.lines] == [dict(line) for line in entry.lines]
        assert dict(settlement.meters) == entry.meters
        again = parse_round(regulation, entry.record)
        assert parse_round(regulation, case.round) == again, "the record can be settled again from the journal"
    assert [(0,)] == query(url, "SELECT sum(cents)::bigint FROM round_settlement.postings")


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_golden_refusals_are_quarantined(url: str, regulation: str) -> None:
    """What the text does not allow moves no money, and is kept with the reason."""
    cases = [case for case in _cases(regulation) if case.expect is None]
    assert cases
    _consume(url, cases)
    assert [] == query(url, "SELECT seq FROM round_settlement.postings")
    quarantined = query(url, "SELECT reason FROM round_settlement.quarantine")
    # A case is refused by its submission, which then never takes effect, or by its record.
    assert len(quarantined) >= len(cases)
    assert [] == query(url, f"SELECT seq FROM {ENTRIES}")
    assert any("§" in reason for (reason,) in quarantined)
