"""What a property has once only, while two processes record it at the same time: one has it, the other is refused."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import InputRecord
from tests.support.desk import Desk
from tests.support.nightly import sampled
from tests.support.pit import InventoryDesk, Table, at, chips, inventory_desk
from tests.support.polling import eventually
from tests.support.rounds import encoded
from tests.support.services import query, waiting_for_locks

OPENER = chips(c500=1000)
PEOPLE = {"dealer": "dealer.dan", "floorperson": "floor.fay", "drawer": "p-1"}
ON_TABLES = """
    SELECT b."table" FROM table_inventory.boxes b
    WHERE b.placed_box = 'X' AND NOT EXISTS (
        SELECT FROM table_inventory.boxes q WHERE q."table" = b."table" AND q.removed_at > b.removed_at)"""

WHY = {"box": "box X is on BJ-01 and BJ-02", "counter check": "duplicate key"}
"""What is said of the second."""


@pytest.fixture
def other(url: str, desk: InventoryDesk) -> Iterator[InventoryDesk]:
    """A second process on the same database, which reads another partition."""
    with inventory_desk(url) as found:
        yield found


def read_while(desk: InventoryDesk | Desk, step: str, does: Any, *events: dict[str, Any], partition: int = 0) -> None:
    """Read pit events; once, as a step is reached in which nothing of them is committed yet, something else is done."""
    done: list[str] = []
    manifest = (desk if isinstance(desk, Desk) else desk.desk).manifest

    def told(reached: str) -> None:
        if reached == step and not done:
            done.append(reached)
            does()

    async def read() -> None:
        [handler] = [one for one in (of() for of in manifest.handlers) if one.topic == "pit.events"]
        consumer = Consumer(replace(desk.context, step=told), handler, "test")
        offset = (await consumer.assigned([partition]))[partition]
        now = desk.context.clock()
        records = [
            InputRecord("pit.events", partition, number, event["source"].encode(), encoded(event), now)
            for number, event in enumerate(events, offset)
        ]
        assert {} == await consumer.handle(records)

    desk.client.run(read())
    assert [step] == done


def pairs(kind: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """What two tables say that cannot both be, each after its opener, and what stands once."""
    here, there = Table("BJ-01"), Table("BJ-02")
    opened = here.opened(at(0), OPENER), there.opened(at(0), OPENER)
    if kind == "box":
        said = here.box_off(at(1), "A1", "X")[:1], there.box_off(at(1), "A2", "X")[:1]
        return [opened[0], *said[0]], [opened[1], *said[1]], ON_TABLES
    checks = [one.event("counter_check.issued", at(1), serial="K-1", cents=5_00, **PEOPLE) for one in (here, there)]
    issued = """SELECT "table" FROM table_inventory.movements WHERE cause = 'counter_check'"""
    return [opened[0], checks[0]], [opened[1], checks[1]], issued


@pytest.mark.parametrize("kind", ["box", "counter check"])
def test_what_was_committed_after_it_was_looked_for(
    desk: InventoryDesk, other: InventoryDesk, url: str, kind: str
) -> None:
    """The other process commits between this one's look and its commit: this one is refused, and says it."""
    ours, theirs, stands = pairs(kind)
    desk.clock.now = other.clock.now = at(2)
    with ThreadPoolExecutor(1) as pool:
        feed = partial(other.desk.feed, "pit.events", *theirs, partition=1)
        read_while(desk, "derived", lambda: pool.submit(feed).result(), *ours)
    assert [("BJ-02",)] == query(url, stands)
    [reason] = desk.quarantined()
    assert WHY[kind] in reason


@pytest.mark.parametrize("kind", ["box", "counter check"])
def test_what_is_being_committed_is_waited_for(desk: InventoryDesk, other: InventoryDesk, url: str, kind: str) -> None:
    """The other process looks and writes while this one has not committed: it waits, and is refused."""
    ours, theirs, stands = pairs(kind)
    desk.clock.now = other.clock.now = at(2)
    started: list[Future[None]] = []
    with ThreadPoolExecutor(1) as pool:

        def begin() -> None:
            started.append(pool.submit(partial(other.desk.feed, "pit.events", *theirs, partition=1)))
            eventually(lambda: waiting_for_locks(url))

        read_while(desk, "before commit", begin, *ours)
        started[0].result()
    assert [("BJ-01",)] == query(url, stands)
    [reason] = desk.quarantined()
    assert WHY[kind] in reason


@sampled(1)
@pytest.mark.parametrize("step", ["derived", "before commit"])
@pytest.mark.parametrize("first", ["brought back", "placed"])
def test_a_box_is_brought_back_while_another_table_places_it(
    desk: InventoryDesk, other: InventoryDesk, url: str, first: str, step: str
) -> None:
    """It is never on two tables: where it was still on the one when the other placed it, that is in quarantine."""
    here, there = Table("BJ-01"), Table("BJ-02")
    desk.pit(here.opened(at(0), OPENER), *here.box_off(at(1), "A1", "X"))
    other.desk.feed("pit.events", there.opened(at(0), OPENER), partition=1)
    desk.desk.restart()
    other.desk.restart()
    desk.clock.now = other.clock.now = at(3)
    back, placed = here.box_off(at(2), "X")[:1], there.box_off(at(2.5), "A2", "X")[:1]
    started: list[Future[None]] = []
    ours, theirs, partition = (back, placed, 1) if first == "brought back" else (placed, back, 0)
    by, beside = (desk, other) if first == "brought back" else (other, desk)

    def begin() -> None:
        started.append(pool.submit(partial(beside.desk.feed, "pit.events", *theirs, partition=partition)))
        if step == "derived":
            started[0].result()
        else:
            eventually(lambda: started[0].done() or waiting_for_locks(url))

    with ThreadPoolExecutor(1) as pool:
        read_while(by, step, begin, *ours, partition=1 - partition)
        started[0].result()
    on_tables, refused = query(url, ON_TABLES), desk.quarantined()
    assert (on_tables, len(refused)) in (([("BJ-02",)], 0), ([], 1)), refused
