"""The reports of the desk beside what the ledger of table inventory itself says, from the entries that it publishes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from shared.contracts.envelope import shard_source
from shared.contracts.facts import KINDS
from shared.contracts.topics import INVENTORY_ROUNDS
from shared.runtime.publish.relay import Outgoing, entry_message
from tests.integration.table_inventory.day import BOX, PAPER, play_a_day
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Rounds, at, inventory_desk
from tests.support.pit_day import rows
from tests.support.pit_ledger import LATER
from tests.support.properties import property_event
from tests.support.reporting import Books, books_of
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
def books(url: str, ledger: InventoryDesk) -> Iterator[Books]:
    """Reporting, which has read the same settlements and what the ledger publishes."""
    with books_of(url) as found:
        found.desk.feed("properties", property_event(PROPERTY, sequence=3))
        found.desk.feed("settlements", *ledger.settled)
        found.desk.feed("inventory", *_published(ledger))
        yield replace(found, property_name=PROPERTY)


def _published(ledger: InventoryDesk) -> list[bytes]:
    """Return the entries of the ledger as its relay publishes them on its topic; those of rounds go to another."""
    messages = []
    for entry in ledger.entries():
        draft = entry.draft
        if KINDS[draft.kind].topic is INVENTORY_ROUNDS:
            continue
        messages.append(entry_message(shard_source("table-inventory", entry.shard), entry.shard, Outgoing.of(entry)))
    return messages


def test_variances_are_those_of_the_ledger(ledger: InventoryDesk, books: Books) -> None:
    """What was expected, what was counted, how serious it is and what became of it."""
    report = books.report("count-variances", f"&known_at={LATER}")
    figures = ("expected_cents", "variance_cents", "level", "status")
    found = [
        (table, kind, number, expected, expected + cents, cents, level, status)
        for section, kind, name in (("boxes", "drop", "exchange"), ("inventories", "inventory", "slip"))
        for table, number, expected, cents, level, status in rows(report, section, "table", name, *figures)
        if status not in (None, "none")
    ]
    known = [tuple(one[name] for name in _VARIANCE) for one in ledger.variances()]
    assert 2 == len(known)
    assert sorted((*one[:2], str(one[2]), *one[3:]) for one in known) == found


FIGURES = (
    *("opener_cents", "fills_cents", "credits_cents", "closer_cents", "currency_cents", "counter_checks_cents"),
    *("prepaid_cents", "coupons_cents", "drop_cents", "win_cents", "hold_percent", "final_win_cents"),
)


def test_the_win_is_that_of_the_ledger(ledger: InventoryDesk, books: Books) -> None:
    """By table and by shift: the figures of the master game report are what would be sealed."""
    report, win = books.report("master-game", f"&known_at={LATER}"), ledger.win()
    for section in ("tables", "shifts"):
        known = [tuple(one.get(name) for name in ("table", *FIGURES)) for one in win[section]]
        assert known == [one for one in rows(report, section, "table", *FIGURES) if one[0] == "BJ-01"]
