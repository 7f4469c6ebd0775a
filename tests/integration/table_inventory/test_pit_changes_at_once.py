"""Changes of pit events at the desk while another process does the same, or reads what the pit says of the event."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import httpx
import pytest

from services.vigorish.manifest import MANIFEST as VIGORISH
from tests.integration.table_inventory.day import OPENER
from tests.integration.table_inventory.test_numbers_taken_at_once import read_while
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.nightly import sampled
from tests.support.outbox import Outbox
from tests.support.pit import PROPERTY, InventoryDesk, Table, at, inventory_desk
from tests.support.pit_changes import decide, path_of, propose, send_approved
from tests.support.polling import eventually
from tests.support.services import waiting_for_locks
from tests.support.twins import World, corrected, world_of

Event = dict[str, Any]


@pytest.fixture
def outbox() -> Outbox:
    """Where approved changes go."""
    return Outbox()


@pytest.fixture
def desk(url: str, outbox: Outbox) -> Iterator[InventoryDesk]:
    """A process of the ledger."""
    with inventory_desk(url, outbox) as found:
        yield found


@pytest.fixture
def other(url: str, desk: InventoryDesk) -> Iterator[InventoryDesk]:
    """A second process on the same database."""
    with inventory_desk(url) as found:
        yield found


@pytest.fixture
def table() -> Table:
    """A table."""
    return Table("BJ-01")


@pytest.fixture
def sale(desk: InventoryDesk, other: InventoryDesk, table: Table) -> Event:
    """A sale of 900.00 at it, after it was opened."""
    opened, sale = table.opened(at(0), OPENER), table.sold(at(1), 900_00)
    desk.pit(opened, sale)
    desk.desk.restart()
    desk.clock.now = other.clock.now = at(25)
    other.desk.read_from(desk.desk.records[-1].offset + 1)
    return sale


def of(sale: Event, cents: int) -> Event:
    """The same sale, of another amount."""
    return sale | {"data": sale["data"] | {"cents": cents}}


def sold(desk: InventoryDesk) -> tuple[int, int]:
    """The currency in the box, cents, and how often the sale was recorded."""
    revision = desk.get(f"/pit-events/{PROPERTY}/BJ-01/2", person="floor.mia").json()["revision"]
    return desk.balances().get(("BJ-01", "currency", "box"), 0), revision


def both(*asks: Callable[[], httpx.Response]) -> list[int]:
    """Ask at the same moment; the statuses, in order."""
    with ThreadPoolExecutor(len(asks)) as pool:
        return sorted(one.result().status_code for one in [pool.submit(ask) for ask in asks])


def test_two_that_propose_have_two_numbers(desk: InventoryDesk, other: InventoryDesk, sale: Event) -> None:
    """Nobody's proposal takes the number of another one."""
    body, path = {"replaces": 1, "reason": "typed wrong"}, f"{path_of(sale)}/changes"
    assert [201] * 8 == both(
        *(
            partial(by.desk.post, path, body, person="floor.mia", key=f"k-{number}-{id(by)}")
            for by in (desk, other)
            for number in range(4)
        )
    )
    listed = desk.get(f"/pit-changes?property={PROPERTY}", person="audit.ned").json()["items"]
    assert list(range(1, 9)) == [one["change"] for one in listed]


@pytest.mark.parametrize("what", ["approve", "reject"])
def test_one_of_two_that_decide_does(desk: InventoryDesk, other: InventoryDesk, sale: Event, what: str) -> None:
    """A change is decided once; the other one is told that it was."""
    propose(desk, sale, of(sale, 90_00))
    deciding = partial(decide, other, what, person="floor.two")
    if what == "reject":
        deciding = partial(deciding, reason="it was right")
    assert [200, 409] == both(partial(decide, desk, "approve"), deciding)


def test_one_of_two_changes_of_an_event_waits(
    desk: InventoryDesk, other: InventoryDesk, outbox: Outbox, sale: Event
) -> None:
    """Two changes of one revision are approved at the same moment: one takes effect."""
    propose(desk, sale, of(sale, 90_00))
    propose(desk, sale, of(sale, 80_00))
    assert [200, 409] == both(partial(decide, desk, "approve", 1), partial(decide, other, "approve", 2))
    for one in send_approved(desk, outbox):
        desk.desk.deliver(one)
    assert (2, []) == (sold(desk)[1], desk.quarantined())


@sampled(1)
@pytest.mark.parametrize("partition", [0, 1])
@pytest.mark.parametrize("step", ["derived", "before commit"])
def test_what_the_pit_and_the_desk_say_at_once(
    desk: InventoryDesk, other: InventoryDesk, url: str, table: Table, sale: Event, outbox: Outbox,
    step: str, partition: int,
) -> None:  # fmt: skip
    """One process reads the pit's correction and another one the desk's: the sale is taken back once, the pit's stands.

    Both on one partition, of which one process is fenced off; or the desk's on another one, since the table moved.
    """
    propose(desk, sale, of(sale, 90_00))
    decide(desk, "approve")
    [sent] = send_approved(desk, outbox)
    again = corrected(table, sale, of(sale, 1_00))
    waiting: list[Future[None]] = []

    def read_by_the_other() -> None:
        if partition == 0:
            other.desk.feed("pit.events", again)
        other.desk.deliver(replace(sent, partition=partition))

    def begin() -> None:
        waiting.append(pool.submit(read_by_the_other))
        if step == "derived":
            waiting[0].result()
        else:
            eventually(lambda: waiting_for_locks(url))

    with ThreadPoolExecutor(1) as pool:
        read_while(desk, step, begin, again)
        waiting[0].result()
    assert (1_00, []) == (sold(desk)[0], desk.quarantined())


@sampled(1)
@pytest.mark.parametrize("late", [False, True], ids=["a correction", "the event itself"])
@pytest.mark.parametrize("step", ["derived", "before commit"])
def test_what_vigorish_reads_from_two_topics_at_once(
    databases: Databases, table: Table, step: str, *, late: bool
) -> None:
    """What the pit says is recorded while the approval of the desk is read: each is taken back once, the later stands.

    The pit corrects what it collected; or vigorish is behind, and has not read that it was collected.
    """
    with world_of(databases) as world, _vigorish(world) as other:
        collected = table.event("vigorish.collected", at(1), cents=5_00, round_id="r-1", seat=1, by="dealer.dan")
        world.inventory.pit(collected)
        if not late:
            world.vigorish.feed("pit.events", collected)
            world.vigorish.restart()
        propose(world.inventory, collected, of(collected, 4_00))
        decide(world.inventory, "approve")
        world.inventory.clock.now = at(25)
        waiting: list[Future[None]] = []

        def begin() -> None:
            waiting.append(pool.submit(world.tell_vigorish))
            if step == "derived":
                waiting[0].result()
            else:
                eventually(lambda: waiting_for_locks(world.url))

        with ThreadPoolExecutor(1) as pool:
            read_while(other, step, begin, collected if late else corrected(table, collected, of(collected, 1_00)))
            waiting[0].result()
        stands = 4_00 if late else 1_00
        assert {("BJ-01", "player", "collected"): stands} == {
            account: cents for account, cents in other.balances().items() if account[2] == "collected"
        }
        assert [] == other.quarantined()


@contextmanager
def _vigorish(world: World) -> Iterator[Desk]:
    """A second process of vigorish."""
    with desk_of(VIGORISH, world.url, people={}, clock=world.inventory.clock) as other:
        yield other
