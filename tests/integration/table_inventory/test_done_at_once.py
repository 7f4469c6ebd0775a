"""A pit event is taken back while another process builds on it: one does it, and the other is refused and says why."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.integration.table_inventory.test_numbers_taken_at_once import read_while
from tests.support.nightly import sampled
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips, inventory_desk
from tests.support.polling import eventually
from tests.support.services import waiting_for_locks
from tests.support.twins import voided

OPENER = chips(c500=1000)
CHECK = {"serial": "K-1", "cents": 5_00, "dealer": "dealer.dan", "floorperson": "floor.fay"}
CHECKS = f"/counter-checks/{PROPERTY}"
LOST = {"table": "BJ-01", "gaming_day": DAY, "which": "removed", "reason": "burnt"}

Event = dict[str, Any]
Send = Callable[[InventoryDesk], httpx.Response]
Built = tuple[Event, Send]
"""An event that is to be void, and what somebody builds on it."""


@pytest.fixture
def other(url: str, desk: InventoryDesk) -> Iterator[InventoryDesk]:
    """A second process on the same database."""
    with inventory_desk(url) as found:
        yield found


def _sent(path: str, body: Any, person: str) -> Send:
    """Send a command, under a key of the process that takes it."""
    return lambda by: by.send(path, body, person=person, key=f"{id(by)}{path}")


def _check(desk: InventoryDesk, table: Table) -> Event:
    issued = table.event("counter_check.issued", at(1), **CHECK)
    desk.pit(issued)
    return issued


def _box(desk: InventoryDesk, table: Table) -> list[Event]:
    told = table.box_off(at(1), "A1")
    desk.pit(told)
    return told


def redeemed(desk: InventoryDesk, table: Table) -> Built:
    """The cage redeems a check."""
    body = {"cents": 5_00, "paid_in": "currency"}
    return _check(desk, table), _sent(f"{CHECKS}/K-1/redeem", body, "cage.ann")


def replaced(desk: InventoryDesk, table: Table) -> Built:
    """The cage puts another check in its place."""
    body = {"serial": "K-2", "replaces": ["K-1"]}
    return _check(desk, table), _sent(CHECKS, body, "cage.ann")


def written_off(desk: InventoryDesk, table: Table) -> Built:
    """Somebody asks to write off the box that an exchange took off."""
    exchanged, _ = _box(desk, table)
    body = {**LOST, "exchange": exchanged["sequence"]}
    return exchanged, _sent(f"/write-offs/{PROPERTY}", body, "audit.kim")


def _counts(desk: InventoryDesk, exchange: Event) -> Send:
    number = desk.done("/drop-counts", {"property": PROPERTY, "gaming_day": DAY}, person="count.sue")["count"]
    body = {"table": "BJ-01", "exchange": exchange["sequence"], "figures": {}}
    return _sent(f"/drop-counts/{PROPERTY}/{number}/boxes", body, "count.sue")


def counted(desk: InventoryDesk, table: Table) -> Built:
    """Somebody counts the box that an exchange took off."""
    exchanged, _ = _box(desk, table)
    return exchanged, _counts(desk, exchanged)


def counted_as_it_came(desk: InventoryDesk, table: Table) -> Built:
    """Somebody counts the box that was carried to the count room."""
    exchanged, transported = _box(desk, table)
    return transported, _counts(desk, exchanged)


def resolved(desk: InventoryDesk, table: Table) -> Built:
    """Somebody resolves the variance of a count."""
    people = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
    spot = table.event("table.counted", at(1), purpose="spot", contents=chips(c500=900), **people)
    desk.pit(spot)
    path = f"/variances/{PROPERTY}/{DAY}/inventory/BJ-01/{spot['sequence']}"
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.kim")
    return spot, _sent(f"{path}/resolve", {"conclusion": "overpaid"}, "audit.kim")


def received(desk: InventoryDesk, table: Table) -> Built:
    """The cage receives a credit."""
    number = desk.slip("credit", "BJ-01", chips(c500=10))
    people = {"surrendered_by": "dealer.dan", "observed_by": "floor.fay", "carried_by": "sec.gus"}
    carried = table.event("credit.carried", at(1), number=number, **people)
    desk.pit(carried)
    path, body = f"/slips/{PROPERTY}/credit/{number}/receive", {"contents": chips(c500=10)}
    return carried, _sent(path, body, "cage.ann")


BUILDS = (redeemed, replaced, written_off, counted, counted_as_it_came, resolved, received)


def _begun(desk: InventoryDesk, other: InventoryDesk, build: Callable[..., Built]) -> tuple[Event, Send]:
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    event, send = build(desk, table)
    desk.desk.restart()
    desk.clock.now = other.clock.now = at(2)
    return voided(table, event) | {"time": at(2).isoformat()}, send


@sampled(2)
@pytest.mark.parametrize("build", BUILDS, ids=lambda one: one.__name__)
def test_what_was_built_on_meanwhile_is_not_taken_back(
    desk: InventoryDesk, other: InventoryDesk, build: Callable[..., Built]
) -> None:
    """The void was decided, and not recorded yet, when somebody builds on the event: the void is refused."""
    void, send = _begun(desk, other, build)
    answers: list[httpx.Response] = []
    with ThreadPoolExecutor(1) as pool:
        read_while(desk, "derived", lambda: answers.append(pool.submit(send, other).result()), void)
    assert [True] == [answer.is_success for answer in answers], answers[0].text
    assert 1 == len(desk.quarantined())


@sampled(2)
@pytest.mark.parametrize("build", BUILDS, ids=lambda one: one.__name__)
def test_nothing_is_built_on_what_is_being_taken_back(
    desk: InventoryDesk, other: InventoryDesk, url: str, build: Callable[..., Built]
) -> None:
    """The void is written, and not committed yet, when somebody builds on the event: that waits, and is refused."""
    void, send = _begun(desk, other, build)
    answers: list[Future[httpx.Response]] = []
    with ThreadPoolExecutor(1) as pool:

        def begin() -> None:
            answers.append(pool.submit(send, other))
            eventually(lambda: waiting_for_locks(url))

        read_while(desk, "before commit", begin, void)
        answer = answers[0].result()
    assert (False, []) == (answer.is_success, desk.quarantined()), answer.text
    assert answer.status_code in (404, 409), answer.text
