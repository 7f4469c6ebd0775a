"""The console's pages of ratings, over the real table inventory: opened, stated, closed and amended as people do it."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote

import pytest

from services.console.services import INVENTORY, REPORTING
from tests.support import Databases
from tests.support.browsers import Browsers
from tests.support.devices import device, registered
from tests.support.pit import DAY, PEOPLE, PROPERTY, InventoryDesk, at, inventory_desk
from tests.support.properties import property_event
from tests.support.ratings import TERMS, RatedTable
from tests.support.services import settled_database

RATINGS = f"/p/{PROPERTY}/ratings"
FLOOR = [{"property": PROPERTY, "gaming_day": DAY, "shift": "day", "time_zone": "America/New_York"}]


@pytest.fixture
def desk(databases: Databases) -> Iterator[InventoryDesk]:
    """Table inventory with two counted tables, each in a pit of its own, rated by what the property states."""
    url = settled_database(databases, "table-inventory")
    with inventory_desk(url) as desk:
        tables = {"BJ-01": {"play": "counted"}, "BJ-02": {"play": "counted", "pit": "pit-2"}}
        more = {"rated_games": [{"game": "blackjack", "terms": [TERMS]}], "pits": ["pit-1", "pit-2"]}
        desk.desk.feed("properties", property_event(PROPERTY, tables, sequence=2, version=2, **more))
        desk.clock.now = at(1)
        yield desk
    databases.drop(url)


@pytest.fixture
def browsers(desk: InventoryDesk) -> Iterator[Browsers]:
    """People at the console."""
    browsers = Browsers(desk.desk, people=PEOPLE, clock=desk.clock, beside={(REPORTING, "/floors"): FLOOR})
    with browsers.client:
        yield browsers


def send(browsers: Browsers, command: str, person: str, **fields: str) -> None:
    """Send the form of a command."""
    answer = browsers.send(f"/do/{INVENTORY}/{command}", person, property=PROPERTY, **fields)
    assert 200 == answer.status_code, answer.text


def test_the_page_of_a_rating_names_the_device_that_tied_its_seat(desk: InventoryDesk, browsers: Browsers) -> None:
    """The key of the card reader, beside the seat; of a rating that nobody signed there is none."""
    reader = device(registered("BJ-01-reader"), signs=("rating.events",))
    tables = {"BJ-01": {"play": "counted", "devices": [reader]}}
    desk.desk.feed("properties", property_event(PROPERTY, tables, sequence=3, version=3))
    table = RatedTable("BJ-01")
    desk.clock.now = at(2)
    for rating, key in (("R-1", "BJ-01-reader"), ("R-2", None)):
        opened, closed = table.opened(at(1), rating, seat=3), table.event("closed", at(2), rating)
        desk.desk.feed("rating.events", opened, closed, device=key)
        assert (key is not None) == ("BJ-01-reader" in browsers.get(f"{RATINGS}/{rating}", "host.una"))


def test_a_patron_is_rated_from_the_page_of_the_pit(desk: InventoryDesk, browsers: Browsers) -> None:
    """The open ratings of each pit with their next steps; once one is closed, with every part of what is stated."""
    send(browsers, "open-rating", "floor.fay", table="BJ-01", patron="P-7", average_bet_cents="50.00", seat="3")
    desk.rate(RatedTable("BJ-02").opened(at(1), "R-1", "P-8"))
    page = browsers.get(RATINGS, "floor.fay")
    assert ["Ratings", "Open ratings in pit-1", "Open ratings in pit-2", "Closed ratings"] == re.findall(
        r"<h[12]>([^<]+)</h[12]>", page
    )
    assert {"pit-1", "R-1"} == set(re.findall(rf'href="{RATINGS}/([^"]+)"', page))
    for name in ("state-average-bet", "rate-buy-in", "move-rating", "pause-rating", "close-rating"):
        assert f"/do/{INVENTORY}/{name}?" in page
    desk.clock.now = at(3)
    send(browsers, "close-rating", "floor.fay", rating="pit-1", chips_out_cents="310.00")
    desk.state_ratings()
    closed = browsers.get(f"{RATINGS}/pit-1", "host.una")
    assert "120 decisions, at 60 per hour (own study of 2025)" in closed
    assert "1.25 % as stated (own study of 2025)" in closed
    assert 2 <= closed.count("$75.00")  # of the part, and of the rating
    assert "overrule-rating" not in closed
    assert f"/do/{INVENTORY}/amend-rating?" in browsers.get(f"{RATINGS}/pit-1", "floor.fay")
    right = {"rating": "pit-1", "step": "desk/1", "reason": "a zero too many", "instead.average_bet_cents": "5.00"}
    assert f"/do/{INVENTORY}/overrule-rating?" in browsers.get(f"{RATINGS}/pit-1", "floor.sup")
    send(browsers, "overrule-rating", "floor.sup", **right)
    for person, offered in (("floor.fay", ["desk/2"]), ("floor.sup", ["desk/1", "desk/2"])):
        shown = browsers.get(f"{RATINGS}/pit-1", person)
        assert offered == [
            unquote(step) for step in re.findall(r"(?:amend|overrule)-rating\?[^\"]*step=([^&\"]+)", shown)
        ]
    desk.state_ratings()
    assert "$7.50" in browsers.get(f"{RATINGS}/pit-1", "host.una")


def test_what_a_system_reported_is_overruled_from_its_form(desk: InventoryDesk, browsers: Browsers) -> None:
    """The step is named by its table and sequence; beside it is the rating with exact parts of cents."""
    rated = RatedTable("BJ-01")
    desk.rate(rated.opened(at(1), "R-1", "P-8", average_bet_cents=33_33), rated.event("closed", at(1.3), "R-1"))
    desk.state_ratings()
    page = browsers.get(f"{RATINGS}/R-1", "floor.sup")
    form, _ = re.findall(rf'href="(/do/{INVENTORY}/overrule-rating[^"]+)"', page)
    shown = browsers.get(unescape(form), "floor.sup")
    assert "BJ-01/1" in shown
    assert "≈ $7.50" in shown


def test_nobody_sees_ratings_who_may_not_read_of_patrons(browsers: Browsers) -> None:
    """The menu does not lead there either."""
    headers, _ = browsers.login("reader")
    assert 403 == browsers.client.get(RATINGS, headers=headers).status_code
