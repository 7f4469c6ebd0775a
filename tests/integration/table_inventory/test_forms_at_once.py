"""Two processes are asked for the same thing at the same moment: one does it, and the other says that it is done."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from tests.integration.table_inventory.day import OPENER
from tests.support.nightly import sampled
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips, inventory_desk


@dataclass(frozen=True)
class Ask:
    """A command of somebody."""

    path: str
    body: Any
    person: str


Case = Callable[[InventoryDesk, Table], tuple[Ask, Ask, str]]
"""What two people ask for of which one thing is possible, and the kinds of its fact."""

_SLIP = {"slip": "fill", "property": PROPERTY, "gaming_day": DAY}
_PAPER = _SLIP | {
    "number": 5001,
    "table": "BJ-01",
    "shift": "day",
    "contents": chips(c500=10),
    "reason": "outage",
    "requested_by": "pit.ray",
    "prepared_by": "cage.ann",
    "carried_by": "sec.gus",
    "received_by": "dealer.dan",
    "observed_by": "floor.fay",
    "occurred_at": at(2).isoformat(),
}
_ENTER = Ask("/manual-slips", _PAPER, "cage.bob")
_SPOILT = Ask("/manual-slips/void", _SLIP | {"number": 5001, "reason": "spoilt"}, "cage.bob")


def on_paper(desk: InventoryDesk, table: Table) -> tuple[Ask, Ask, str]:
    """A form on paper is entered of which another one of that number is entered."""
    return _ENTER, Ask("/manual-slips", _PAPER | {"table": "BJ-02"}, "cage.bob"), "manual_slip.entered"


def on_paper_and_spoilt(desk: InventoryDesk, table: Table) -> tuple[Ask, Ask, str]:
    """A form on paper is entered that somebody else says was spoilt."""
    return _ENTER, _SPOILT, "manual_slip.entered manual_slip.voided"


def prepared(desk: InventoryDesk, table: Table) -> tuple[Ask, Ask, str]:
    """Two cashiers prepare what was requested once."""
    place = {"table": "BJ-01", "shift": "day", "contents": chips(c500=10)}
    wanted = desk.done("/requests", _SLIP | place, person="pit.ray")
    body = {"property": PROPERTY, "request": wanted["request"]}
    return Ask("/slips", body, "cage.bob"), Ask("/slips", body, "cage.ann"), "slip.prepared"


def slip_void(desk: InventoryDesk, table: Table) -> tuple[Ask, Ask, str]:
    """Two cashiers void a slip."""
    path = f"/slips/{PROPERTY}/fill/{desk.slip('fill', 'BJ-01', chips(c500=10))}/void"
    body = {"reason": "not needed"}
    return Ask(path, body, "cage.bob"), Ask(path, body, "cage.ann"), "slip.voided"


def _written_off(desk: InventoryDesk, table: Table) -> Ask:
    exchanged = table.box_off(at(1), "A1", "A2")
    desk.pit(exchanged)
    place = {"gaming_day": DAY, "table": "BJ-01", "exchange": exchanged[0]["sequence"], "which": "placed"}
    return Ask(f"/write-offs/{PROPERTY}", place | {"reason": "burnt"}, "audit.kim")


def written_off(desk: InventoryDesk, table: Table) -> tuple[Ask, Ask, str]:
    """Two people ask to write a box off."""
    ask = _written_off(desk, table)
    return ask, Ask(ask.path, ask.body, "audit.lou"), "box.write_off_entered"


def write_off_decided(desk: InventoryDesk, table: Table) -> tuple[Ask, Ask, str]:
    """One person approves a write-off that another one rejects."""
    ask = _written_off(desk, table)
    desk.done(ask.path, ask.body, person=ask.person)
    path = f"{ask.path}/1"
    reject = Ask(f"{path}/reject", {"reason": "look again"}, "control.eve")
    return Ask(f"{path}/approve", None, "control.eve"), reject, "box.write_off_rejected box.written_off"


CASES = (on_paper, on_paper_and_spoilt, prepared, slip_void, written_off, write_off_decided)


@pytest.fixture
def other(url: str, desk: InventoryDesk) -> Iterator[InventoryDesk]:
    """A second process on the same database."""
    with inventory_desk(url) as found:
        yield found


@sampled(2)
@pytest.mark.parametrize("case", CASES, ids=lambda one: one.__name__)
def test_one_of_two_is_done(desk: InventoryDesk, other: InventoryDesk, case: Case) -> None:
    """It is recorded once; who comes second gets a conflict, and not what the first one got."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    one, another, kinds = case(desk, table)
    with ThreadPoolExecutor(2) as pool:
        sent = [
            pool.submit(by.desk.post, ask.path, ask.body, person=ask.person, key=f"key-{id(by)}")
            for by, ask in ((desk, one), (other, another))
        ]
        answers = [future.result() for future in sent]
    assert [True, False] == sorted((one.is_success for one in answers), reverse=True), [one.text for one in answers]
    assert [409] == [one.status_code for one in answers if not one.is_success]
    assert 1 == len(desk.desk.facts(*kinds.split()))
