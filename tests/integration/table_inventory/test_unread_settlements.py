"""A gaming day is not closed while settlements are unread, whichever process of the service reads their partition."""

import math
from collections.abc import Iterator
from datetime import timedelta

import pytest

from services.table_inventory.progress import PROGRESS
from tests.integration.table_inventory.day import BOX, FOUND, play_a_day
from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, inventory_desk

PATH = f"/gaming-days/{PROPERTY}/{DAY}"
ELSEWHERE = math.inf


@pytest.fixture
def other(url: str, desk: InventoryDesk) -> Iterator[InventoryDesk]:
    """A second process of the service: each of the two reads a partition of two."""
    with inventory_desk(url) as found:
        reads(desk, 0.0, ELSEWHERE)
        reads(found, ELSEWHERE, 0.0)
        yield found


def reads(desk: InventoryDesk, *seconds: float) -> None:
    """A process knows how old what it has not read of each partition is."""
    behind = desk.context.behind()
    assert isinstance(behind, dict)
    behind |= {("settlements", number): late for number, late in enumerate(seconds)}


def test_the_step_knows_what_the_other_process_has_not_read(desk: InventoryDesk, other: InventoryDesk) -> None:
    """Nobody has said anything of its partition, it is behind, it is gone, it has read on: then the day is closed."""
    desk.has_only("BJ-01")
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))

    def refused(why: str) -> None:
        answer = desk.send(f"{PATH}/preliminary", {}, person="audit.kim")
        assert_problem(answer, 409, f"settlements are not read (partition 1: {why})")

    def noted(seconds: float) -> None:
        other.clock.now = desk.clock.now
        reads(other, ELSEWHERE, seconds)
        other.client.run(PROGRESS.note(other.context))

    refused("nobody reads it")
    noted(90.0)
    refused("90 s")
    noted(ELSEWHERE)
    refused("90 s")
    noted(0.0)
    desk.done(f"{PATH}/preliminary", {}, person="audit.kim")


def test_a_process_that_says_nothing_any_more_holds_the_day(desk: InventoryDesk, other: InventoryDesk) -> None:
    """What it read last is old by then, whether anything came since or not."""
    desk.has_only("BJ-01")
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    other.clock.now = desk.clock.now
    other.client.run(PROGRESS.note(other.context))
    desk.clock.now += timedelta(seconds=6)
    answer = desk.send(f"{PATH}/preliminary", {}, person="audit.kim")
    assert_problem(answer, 409, "settlements are not read (partition 1: 6 s)")
