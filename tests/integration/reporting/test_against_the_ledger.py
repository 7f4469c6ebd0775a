"""The reports of the desk beside what the ledger of table inventory itself says, from the entries that it publishes."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.table_inventory.day import BOX, PAPER, play_a_day
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.both_books import BothBooks, both_books
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Rounds, at, inventory_desk
from tests.support.pit_day import rows
from tests.support.services import settled_database

FOUND: dict[str, Any] = {
    "currency": [{"cents": 10000, "count": 79}],
    "counter_checks": [{"serial": "CC-1", "cents": 100000}],
}
"""What is in the box: $100 less than was recorded."""

_VARIANCE = ("table", "variance", "number", "expected_cents", "counted_cents", "cents", "level", "status")


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schemas of both services."""
    url = settled_database(databases, "table-inventory", "reporting")
    yield url
    databases.drop(url)


@pytest.fixture
def ledger(url: str) -> Iterator[InventoryDesk]:
    """Table inventory after a day of which something is missing, with a variance that is owned."""
    with inventory_desk(url) as desk:
        table = play_a_day(desk, missing=5000)
        desk.count_boxes(("BJ-01", BOX, FOUND))
        desk.done("/manual-slips", PAPER, person="cage.bob")
        desk.settle(Rounds(2).posted(table, at(5), "r-9", handle=7_00, payout=2_00))
        drop = f"/variances/{PROPERTY}/{DAY}/drop/BJ-01/{BOX}"
        desk.done(f"{drop}/own", {"owner": "audit.kim"}, person="audit.lou")
        refused = desk.send(f"{drop}/resolve", {"conclusion": "miscounted"}, person="audit.lou")
        assert_problem(refused, 422, "audit.kim")  # it is an entry of its journal that no report lists
        yield desk


@pytest.fixture
def both(url: str, ledger: InventoryDesk) -> Iterator[BothBooks]:
    """Reporting beside it."""
    with both_books(url, ledger) as found:
        yield found


def test_variances_are_those_of_the_ledger(both: BothBooks) -> None:
    """What was expected, what was counted, how serious it is and what became of it."""
    report = both.report("count-variances")
    figures = ("expected_cents", "variance_cents", "level", "status")
    found = [
        (table, kind, number, expected, expected + cents, cents, level, status)
        for section, kind, name in (("boxes", "drop", "exchange"), ("inventories", "inventory", "slip"))
        for table, number, expected, cents, level, status in rows(report, section, "table", name, *figures)
        if status not in (None, "none")
    ]
    known = [tuple(one[name] for name in _VARIANCE) for one in both.ledger.variances()]
    assert 2 == len(known)
    assert sorted((*one[:2], str(one[2]), *one[3:]) for one in known) == found


def test_the_win_is_that_of_the_ledger(both: BothBooks) -> None:
    """By table and by shift: the figures of the reports are what would be sealed."""
    assert [] == both.differences()
