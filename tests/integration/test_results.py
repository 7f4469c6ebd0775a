"""Results of counted tables on a real database: counted and voided, in whatever batches and order they come."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from services.round_settlement.manifest import MANIFEST
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.properties import property_event
from tests.support.rederiving import Books
from tests.support.rounds import DAY, result, voided_result
from tests.support.services import settled_database

TABLES: dict[str, dict[str, Any]] = {name: {"game": "minibaccarat", "play": "counted"} for name in ("MB-01", "MB-02")}
EVENTS = (result("MB-01", 1, last_of_shoe=True), result("MB-01", 2), voided_result("MB-01", 3, 1))


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


@pytest.fixture
def desk(url: str) -> Iterator[Desk]:
    """The service, at a property with two counted tables, on the day after."""
    with desk_of(MANIFEST, url, people={}, clock=lambda: DAY + timedelta(days=1)) as desk:
        desk.feed("properties", property_event(tables=TABLES))
        yield desk


def _kinds(desk: Desk) -> Counter[str]:
    return Counter(entry.draft.kind for entry in desk.entries())


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_voided_result_is_taken_back_once(desk: Desk, url: str, at_once: int) -> None:
    """In one batch or in three, and again when it is sent again; a second void is refused, and a void of the void."""
    for first in range(0, 3, at_once):
        desk.feed("table.events", *EVENTS[first : first + at_once])
    desk.restart()
    desk.feed("table.events", EVENTS[2], voided_result("MB-01", 4, 1), voided_result("MB-01", 5, 3))
    [void] = desk.facts("result.uncounted")
    assert {"counted": True, "last_of_shoe": True, "voids": 1} == {
        name: getattr(void, name) for name in ("counted", "last_of_shoe", "voids")
    }
    assert (2, 1) == (_kinds(desk)["result.counted"], _kinds(desk)["result.uncounted"])
    assert [
        "result 1 of table 'MB-01' was voided by event 3: dismiss this record",
        (
            "event 3 of table 'MB-01' is no result: it voided result 1, and a void is not taken back; record that "
            "result again, and dismiss this record"
        ),
    ] == desk.quarantined()
    assert {} == desk.balances()
    assert [] == Books(url, desk.records).problems()


@pytest.mark.parametrize("at_once", [1, 3])
def test_the_order_in_which_they_come_makes_no_difference(desk: Desk, url: str, at_once: int) -> None:
    """Its void came first: the result is recorded, and counts nowhere; the same when all is derived again."""
    late = (EVENTS[2], EVENTS[1], EVENTS[0])
    for first in range(0, 3, at_once):
        desk.feed("table.events", *late[first : first + at_once])
    kinds = _kinds(desk)
    assert (1, 1, 1) == tuple(kinds[f"result.{name}"] for name in ("uncounted", "superseded", "counted"))
    assert [False] == [fact.model_dump()["counted"] for fact in desk.facts("result.uncounted")]
    assert [] == desk.quarantined()
    assert [] == Books(url, desk.records).problems()
    before = desk.read_model(url)
    desk.project_again(url, list(reversed(desk.entries())))
    assert before == desk.read_model(url)


def test_a_result_may_be_voided_at_any_later_time(url: str) -> None:
    """As of its own moment, however long ago that is; of a result that is not there such a void is not plausible."""
    now = [DAY + timedelta(days=1)]
    with desk_of(MANIFEST, url, people={}, clock=lambda: now[-1]) as desk:
        desk.feed("properties", property_event(tables=TABLES))
        desk.feed("table.events", EVENTS[0], result("MB-02", 1))
        now.append(DAY + timedelta(days=90))
        desk.feed("table.events", voided_result("MB-01", 2, 1), voided_result("MB-02", 3, 2))
        assert [True] == [fact.model_dump()["counted"] for fact in desk.facts("result.uncounted")]
        [refused] = desk.quarantined()
        assert "not plausible: 'time'" in refused
