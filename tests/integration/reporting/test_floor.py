"""The floor on a real database: the tables as they stand, and the properties of whoever asks."""

from datetime import timedelta
from typing import Any

from tests.support.asgi import assert_problem
from tests.support.pit_day import Pit
from tests.support.pit_ledger import at
from tests.support.properties import property_event
from tests.support.reporting import Books, names
from tests.unit.reporting.entries import DAY, NOON, total


def _tables(books: Books, path: str = "/floors/riverside") -> dict[str, dict[str, Any]]:
    answer = books.get(path)
    assert 200 == answer.status_code, answer.text
    return {one["table"]: one for one in answer.json()["tables"]}


def test_a_table_stands_where_its_rounds_left_it(books: Books) -> None:
    """Rounds that stand, the win of all, the last played with its dealer and seats, and those of the last hour.

    It is an hour after noon.
    """
    early = {"closed_at": (NOON - timedelta(seconds=1)).isoformat()}
    late = {"closed_at": (NOON + timedelta(minutes=5)).isoformat()}
    books.publish(
        books.posted(1, "BJ-01", [total(handle=10_000, payout=25_000)], round_id="a", **early),
        books.posted(2, "BJ-01", [total(handle=30_000)], round_id="b", **late),
        books.posted(3, "BJ-01", [total(handle=500, vigorish=20)], round_id="c", dealer_id="dealer.dan", **late),
        books.reversed(4, "BJ-01", [total(handle=500, vigorish=20)], round_id="c", dealer_id="dealer.dan", **late),
        books.posted(5, "BJ-01", [total(handle=7)], gaming_day="2026-11-21"),
        books.posted(6, "BJ-02", [total(handle=9)], property="lakeside"),
        books.quarantined(7, "BJ-02", 1, "not a round"),
    )
    tables = _tables(books)
    shown = ("rounds", "rounds_in_hour", "last_round", "handle_cents", "win_cents", "drop_cents", "pit", "game")
    assert (2, 1, "c", 40_000, 15_000, 0, "pit-1", "blackjack") == names(tables["BJ-01"], *shown)
    assert (0, 0, None, 0, 0, 0, "pit-1", "blackjack") == names(tables["BJ-02"], *shown)
    assert ("dealer.dan", 1) == names(tables["BJ-01"], "dealer", "heads")
    assert (None, None) == names(tables["BJ-02"], "dealer", "heads")
    assert 7 == _tables(books, "/floors/riverside?gaming_day=2026-11-21")["BJ-01"]["handle_cents"]


def test_a_counted_table_has_no_win_before_it_is_counted(books: Books) -> None:
    """The floor says which tables those are; of others the win of no rounds is nothing."""
    tables = {"CR-01": {"game": "craps", "play": "counted"}, "BJ-01": {}}
    books.desk.feed("properties", property_event(tables=tables, version=2, sequence=3))
    said = {name: names(one, "play", "win_cents") for name, one in _tables(books).items()}
    assert {"CR-01": ("counted", None), "BJ-01": ("rounds", 0)} == said


def test_drop_is_estimated_from_what_goes_into_boxes(pit: Pit) -> None:
    """Currency and Counter Checks, not prepaid access."""
    pit.feed(
        "inventory",
        pit.ledger.sold("BJ-01", at(10), 30_000),
        pit.ledger.sold("BJ-01", at(10.5), 5_000, "prepaid_access"),
        pit.ledger.check("BJ-01", at(10.9), "CC-1", 20_000),
    )
    floor = _tables(pit.books, f"/floors/{pit.books.property_name}?gaming_day={DAY}")
    assert {"BJ-01": 50_000, "BJ-02": 0, "BJ-03": 0} == {name: one["drop_cents"] for name, one in floor.items()}


def test_properties_are_those_of_whoever_asks(books: Books) -> None:
    """With the gaming day and the shift on the property's own clock; a floor takes the role, and a known property."""
    answer = books.get("/floors", person="games.ray")
    shown = ("property", "gaming_day", "shift", "pits", "time_zone")
    assert [
        ("lakeside", DAY, "day", ["pit-1"], "America/New_York"),
        ("riverside", DAY, "day", ["pit-1"], "America/New_York"),
    ] == [names(one, *shown) for one in answer.json()]
    assert_problem(books.get("/floors/riverside", person="games.ray"), 403, "reports.read")
    assert_problem(books.get("/floors/nowhere"), 404, "nowhere")


def test_names_are_those_of_the_property_on_its_gaming_day(books: Books) -> None:
    """Of tables that are open, for people to choose from: whatever their role, who work for the property."""
    tables = {
        "CR-01": {"game": "craps", "play": "counted", "pit": "pit-2", "progressive_links": ["link-1"]},
        "BJ-01": {},
        "BJ-09": {"retired_on": "2026-11-01"},
    }
    books.desk.feed("properties", property_event(tables=tables, sequence=3, version=2, pits=["pit-1", "pit-2"]))
    assert {
        "tables": ["BJ-01", "CR-01"],
        "pits": ["pit-1", "pit-2"],
        "games": ["blackjack", "craps"],
        "shifts": ["day", "swing", "grave"],
        "pools": ["link-1"],
        "locations": ["cage"],
        "chip_sets": [],
    } == books.get("/floors/riverside/names", person="games.ray").json()
    assert_problem(books.get("/floors/nowhere/names"), 404, "nowhere")
