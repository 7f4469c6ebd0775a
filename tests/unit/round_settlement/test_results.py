"""What a counted table records of its games: counted, on their gaming day, and of such a table alone."""

from typing import Any

import pytest

from services.round_settlement.domain.results import count_result
from shared.contracts.settlements import ResultCounted
from shared.contracts.tables import READER
from shared.rules.errors import Refused
from tests.support.properties import place
from tests.support.rounds import encoded, result

TABLES = {"MB-01": {"game": "minibaccarat", "play": "counted"}, "BJ-01": {}}
LATER = {"opened_at": "2026-11-21T10:00:00Z", "closed_at": "2026-11-21T10:01:00Z"}


def _count(event: dict[str, Any], **changes: Any) -> ResultCounted:
    here = place(tables=TABLES, **changes)
    decoded: Any = READER.decode(encoded(event))
    recording = count_result(decoded, lambda *_: here)
    assert isinstance(recording.fact, ResultCounted)
    assert not recording.postings
    return recording.fact


def test_a_result_is_counted_as_it_was_recorded() -> None:
    """With its cards, its shoe and its moments; no money moves."""
    hands = {"player": ["As", "4d"], "banker": ["9c", "Kd"]}
    fact = _count(result("MB-01", 1, outcome=None, hands=hands, shoe="7", last_of_shoe=True))
    assert (("As", "4d"), ("9c", "Kd")) == tuple(fact.hands.values())
    assert ("7", True, None) == (fact.shoe, fact.last_of_shoe, fact.claimed_day)


def test_another_gaming_day_is_refused_or_flagged_as_the_property_says() -> None:
    """As that of a round is."""
    with pytest.raises(Refused, match="is in gaming day 2026-11-21"):
        _count(result("MB-01", 1, **LATER))
    fact = _count(result("MB-01", 1, **LATER), other_gaming_day="flag")
    assert ("2026-11-21", "2026-11-20") == (str(fact.gaming_day), str(fact.claimed_day))


@pytest.mark.parametrize(
    ("why", "event"),
    [
        ("table 'BJ-01' reports its rounds", result("BJ-01", 1, game="blackjack")),
        ("offers 'minibaccarat'", result("MB-01", 1, game="roulette")),
        ("is not among the tables", result("MB-09", 1)),
        ("was closed at", result("MB-01", 1, opened_at="2026-11-20T12:00:00Z", closed_at="2026-11-20T11:00:00Z")),
        ("'source' is", result("MB-01", 1) | {"source": "/properties/riverside/tables/MB-02"}),
        ("say the 'outcome'", result("MB-01", 1, outcome=None)),
        ("wagers", result("MB-01", 1, wagers={"banker": 100})),
    ],
)
def test_what_is_no_result_of_a_counted_table_is_refused(why: str, event: dict[str, Any]) -> None:
    """Of a table that reports its rounds a result would be a round without its money."""
    with pytest.raises(Refused, match=why):
        _count(event)
