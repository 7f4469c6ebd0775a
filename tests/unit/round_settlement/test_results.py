"""What a counted table records of its games: counted on their gaming day, of such a table alone, until it is void."""

from datetime import UTC, datetime
from typing import Any

import pytest

from services.round_settlement.domain.results import Results, count_result, void_result
from shared.contracts.facts import Fact
from shared.contracts.settlements import ResultCounted, ResultSuperseded, ResultUncounted
from shared.contracts.tables import READER
from shared.rules.errors import Refused
from tests.support.properties import place
from tests.support.rounds import encoded, result, two_people, voided_result

TABLES = {"MB-01": {"game": "minibaccarat", "play": "counted"}, "BJ-01": {}}
LATER = {"opened_at": "2026-11-21T10:00:00Z", "closed_at": "2026-11-21T10:01:00Z"}


def _count(event: dict[str, Any], **changes: Any) -> ResultCounted:
    here = place(tables=TABLES, **changes)
    decoded: Any = READER.decode(encoded(event))
    recording = count_result(decoded, Results(), lambda *_: here)
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


def _facts(*events: dict[str, Any], results: Results | None = None) -> list[Fact]:
    """What follows from results and voids, in the order in which they come; none moves money."""
    here, known = place(tables=TABLES), results or Results()
    recordings = []
    for document in events:
        decoded: Any = READER.decode(encoded(document))
        follow = void_result if document["type"] == "result.voided" else count_result
        recordings.append(follow(decoded, known, lambda *_: here))
    assert all(one.postings == () for one in recordings)
    return [one.fact for one in recordings]


def test_a_voided_result_counts_no_longer() -> None:
    """On its own gaming day, with the shoe that ended with it."""
    last = {"last_of_shoe": True, "opened_at": "2026-11-21T07:59:00Z", "closed_at": "2026-11-21T08:00:00Z"}
    _, void = _facts(result("MB-01", 1, **last), voided_result("MB-01", 2, 1) | {"time": "2026-11-22T10:00:00Z"})
    assert isinstance(void, ResultUncounted)
    assert ("minibaccarat", "2026-11-20", 1) == (void.game, str(void.gaming_day), void.voids)
    assert (True, True, "wrong shoe") == (void.counted, void.last_of_shoe, void.correction.reason)
    assert datetime(2026, 11, 21, 8, tzinfo=UTC) == void.closed_at


def test_a_result_that_comes_after_its_void_never_counts() -> None:
    """In whatever order the two come, and whether in one batch or in two."""
    known = Results()
    [void] = _facts(voided_result("MB-01", 2, 1), results=known)
    assert isinstance(void, ResultUncounted)
    assert (False, False, None) == (void.counted, void.last_of_shoe, void.closed_at)
    assert "2026-11-20" == str(void.gaming_day)
    [late, other] = _facts(result("MB-01", 1), result("MB-01", 3), results=known)
    assert isinstance(late, ResultSuperseded)
    assert (1, 2) == (late.sequence, late.voided_by)
    assert isinstance(other, ResultCounted)


@pytest.mark.parametrize(
    ("why", "void"),
    [
        ("result 1 of table 'MB-01' was voided by event 2: dismiss", voided_result("MB-01", 3, 1)),
        (
            "event 2 of table 'MB-01' is no result: it voided result 1, and a void is not taken back",
            voided_result("MB-01", 3, 2),
        ),
        ("'voids' is 4, and this is event 4", voided_result("MB-01", 4, 4)),
        (
            "floor.lee both entered and approved",
            voided_result("MB-01", 3, 1, correction=two_people() | {"approved_by": "floor.lee"}),
        ),
        ("table 'BJ-01' reports its rounds", voided_result("BJ-01", 3, 1)),
        ("'source' is", voided_result("MB-01", 3, 1) | {"source": "/properties/riverside/tables/MB-02"}),
    ],
)
def test_a_void_of_a_result_takes_two_people_and_is_said_once(why: str, void: dict[str, Any]) -> None:
    """What is wrong says what is, and the way out."""
    known = Results()
    _facts(result("MB-01", 1), voided_result("MB-01", 2, 1), results=known)
    with pytest.raises(Refused, match=why):
        _facts(void, results=known)
