"""Every golden round of every regulation, from the table's event to the journal."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.round_settlement.manifest import MANIFEST
from shared.contracts.settlements import SettlementPosted
from shared.jurisdictions import pack_of_regulation
from shared.rules import REGULATIONS, parse_cases, parse_round, parse_submission, settle
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.nightly import sampled
from tests.support.properties import property_event
from tests.support.rounds import completed, submission
from tests.support.services import settled_database

GOLDEN = Path(__file__).parents[1] / "golden"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def desk(databases: Databases) -> Iterator[Desk]:
    """Round settlement on a database of its own."""
    url = settled_database(databases, "round-settlement")
    with desk_of(MANIFEST, url, people={}, clock=lambda: NOON) as desk:
        yield desk
    databases.drop(url)


def _cases(regulation: str) -> list[Any]:
    files = sorted((GOLDEN / regulation).glob("*.yaml"))
    return [case for file in files for case in parse_cases(yaml.safe_load(file.read_text()))]


def _played(case: Any, sequence: int) -> dict[str, Any]:
    """The case as a table event, at a table with a submission of its own."""
    where = {"regulation": case.regulation, "game": f"game-{sequence}"}
    return completed(f"T-{sequence}", 1, case.id, play=case.round, **where)


def _settle(desk: Desk, cases: list[Any]) -> None:
    """Have each case's table and submission approved, then play all of them."""
    tables = {f"T-{number}": f"game-{number}" for number, _ in enumerate(cases, 1)}
    [law] = {pack_of_regulation(case.regulation).id for case in cases}
    desk.feed("properties", property_event(tables=tables, packs=[law]))
    desk.feed(
        "submissions",
        *(
            submission(
                number,
                game=f"game-{number}",
                regulation=case.regulation,
                tables=[f"T-{number}"],
                submission=case.submission,
            )
            for number, case in enumerate(cases, 1)
        ),
    )
    desk.feed("table.events", *(_played(case, number) for number, case in enumerate(cases, 1)))


@sampled(2)
@pytest.mark.parametrize("regulation", REGULATIONS)
def test_golden_rounds_are_posted_as_they_settle(desk: Desk, regulation: str) -> None:
    """The entry has the lines and meters of the settlement, and is what its contract says."""
    cases = [case for case in _cases(regulation) if case.expect is not None]
    assert len(cases) >= 15
    _settle(desk, cases)
    posted = [fact for fact in desk.facts("settlement.posted") if isinstance(fact, SettlementPosted)]
    assert [case.id for case in cases] == [entry.round_id for entry in posted]
    for case, entry in zip(cases, posted, strict=True):
        settlement = settle(regulation, parse_round(regulation, case.round), parse_submission(case.submission))
        assert settlement.lines == entry.lines
        assert dict(settlement.meters) == entry.meters
        assert parse_round(regulation, case.round) == entry.record, "the record can be settled again from the journal"
    assert 0 == sum(desk.balances().values())


@sampled(1)
@pytest.mark.parametrize("regulation", REGULATIONS)
def test_golden_refusals_are_quarantined(desk: Desk, regulation: str) -> None:
    """What the text does not allow moves no money, and is kept with the reason."""
    cases = [case for case in _cases(regulation) if case.expect is None]
    assert cases
    _settle(desk, cases)
    assert {} == desk.balances()
    # A case is refused by its submission, which then never takes effect, or by its record.
    quarantined = desk.quarantined()
    assert len(quarantined) >= len(cases)
    assert [] == desk.facts("settlement.posted")
    assert any("§" in reason for reason in quarantined)
