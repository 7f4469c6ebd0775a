"""The hours of tips pools: two people who have no share, for the pools that the property's document has."""

from datetime import datetime, timedelta
from typing import Any, Final

import pytest

from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk
from tests.support.properties import property_event

TIP_HOURS: Final = f"/tip-hours/{PROPERTY}/{DAY}"
HOURS: Final = [{"dealer": "dealer.dan", "minutes": 480}, {"dealer": "dealer.eve", "minutes": 450}]
ENTERED: Final[dict[str, Any]] = {"hours": HOURS, "reason": "the time clock"}


def _pools(desk: InventoryDesk, period: str = "day") -> None:
    desk.desk.feed("properties", property_event(PROPERTY, sequence=2, version=2, tips_pool={"period": period}))


def test_hours_take_two_people_and_a_revision_replaces_them(desk: InventoryDesk) -> None:
    """Whoever enters them does not approve them; while they wait, no others are entered; nothing is posted."""
    _pools(desk)
    entered = desk.done(TIP_HOURS, ENTERED, person="control.eve")
    assert (1, "entered", DAY, DAY) == tuple(entered[name] for name in ("revision", "status", "first_day", "last_day"))
    assert {"period": "day", "remainder": "largest_fraction"} == entered["pool"]
    assert_problem(desk.send(TIP_HOURS, ENTERED, person="audit.kim"), 409, "revision 1 of the hours of the pool")
    own = desk.send(f"{TIP_HOURS}/1/approve", person="control.eve")
    assert_problem(own, 403, "control.eve entered revision 1 of the hours of the pool up to 2026-11-20")
    desk.done(f"{TIP_HOURS}/1/reject", {"reason": "whose clock?"}, person="control.eve")
    desk.done(TIP_HOURS, ENTERED, person="audit.kim")
    approved = desk.done(f"{TIP_HOURS}/2/approve", person="control.eve")
    assert ("approved", "control.eve", HOURS) == (approved["status"], approved["approved_by"], approved["hours"])
    assert_problem(desk.send(f"{TIP_HOURS}/2/approve", person="control.eve"), 409, "approved already")
    assert [(2, "approved"), (1, "rejected")] == [
        (one["revision"], one["status"]) for one in desk.read(TIP_HOURS)["items"]
    ]
    assert approved == desk.read(f"{TIP_HOURS}/2")
    assert {} == desk.balances()


def test_nobody_who_has_a_share_enters_or_approves_it(desk: InventoryDesk) -> None:
    """However the name is written; nor is a dealer there twice."""
    _pools(desk)
    with_clerk = {**ENTERED, "hours": [*HOURS, {"dealer": "Audit.Kim", "minutes": 60}]}
    assert_problem(desk.send(TIP_HOURS, with_clerk, person="audit.kim"), 403, "audit.kim has a share of this pool")
    with_approver = {**ENTERED, "hours": [*HOURS, {"dealer": "control.eve", "minutes": 60}]}
    desk.done(TIP_HOURS, with_approver, person="audit.kim")
    assert_problem(desk.send(f"{TIP_HOURS}/1/approve", person="control.eve"), 403, "control.eve has a share")
    twice = {**ENTERED, "hours": [*HOURS, HOURS[0]]}
    assert_problem(desk.send(TIP_HOURS, twice, person="audit.kim"), 422, "dealer.dan is there twice")


@pytest.mark.parametrize(
    ("period", "day", "status", "said"),
    [
        (None, DAY, 422, "shares no tips by hours: file a version of it that has a 'tips_pool'"),
        (
            "day",
            "2026-12-24",
            409,
            "enter its hours once that gaming day is over, at 2026-12-25 04:00:00",
        ),
        ("week", DAY, 422, "the pool of 2026-11-20 is that of a week: enter its hours for its last day"),
    ],
)
def test_a_pool_is_one_that_the_property_has_and_that_has_ended(
    desk: InventoryDesk, period: str | None, day: str, status: int, said: str
) -> None:
    """A pool is named by its last gaming day; of a week, by that of the week."""
    if period is not None:
        _pools(desk, period)
    assert_problem(desk.send(f"/tip-hours/{PROPERTY}/{day}", ENTERED, person="audit.kim"), status, said)


def _changes(desk: InventoryDesk, first: str, then: str) -> None:
    """Pools are of another period from Saturday, 21 November, on; it is the next week now."""
    _pools(desk, first)
    later = {"effective_from": "2026-11-21T09:00:00+00:00", "tips_pool": {"period": then}}
    desk.desk.feed("properties", property_event(PROPERTY, sequence=3, version=3, **later))
    desk.clock.now = datetime.fromisoformat("2026-11-24T12:00:00Z")


def _shared(desk: InventoryDesk, last_day: str, minutes: int = 480) -> tuple[str, str]:
    """Hours are entered and approved; gives the days of the pool."""
    path = f"/tip-hours/{PROPERTY}/{last_day}"
    one = {**ENTERED, "hours": [{"dealer": "dealer.dan", "minutes": minutes}]}
    revision = desk.done(path, one, person="audit.kim")["revision"]
    approved = desk.done(f"{path}/{revision}/approve", person="control.eve")
    return approved["first_day"], approved["last_day"]


@pytest.mark.parametrize(
    ("first", "then", "pools"),
    [
        ("day", "week", [("2026-11-19", "2026-11-19"), (DAY, DAY), ("2026-11-21", "2026-11-22")]),
        ("week", "day", [("2026-11-16", DAY), ("2026-11-21", "2026-11-21"), ("2026-11-22", "2026-11-22")]),
    ],
)
def test_a_change_amid_a_week_leaves_each_day_in_one_pool(
    desk: InventoryDesk, first: str, then: str, pools: list[tuple[str, str]]
) -> None:
    """A pool that it cuts ends on the day before; a week that begins amid a week has the rest of it."""
    _changes(desk, first, then)
    assert pools == [_shared(desk, last_day) for _, last_day in pools]


def test_nobody_works_longer_than_the_part_of_a_week_that_is_shared(desk: InventoryDesk) -> None:
    """Two gaming days, not seven."""
    _changes(desk, "day", "week")
    longer = {**ENTERED, "hours": [{"dealer": "dealer.dan", "minutes": 2 * 24 * 60 + 1}]}
    path = f"/tip-hours/{PROPERTY}/2026-11-22"
    assert_problem(desk.send(path, longer, person="audit.kim"), 422, "the pool from 2026-11-21 to 2026-11-22 lasted")


def test_a_pool_whose_hours_are_approved_keeps_its_days(desk: InventoryDesk) -> None:
    """A version with weeks that is filed later has the days around it; its hours are revised all the same."""
    _pools(desk, "day")
    desk.clock.now = datetime.fromisoformat("2026-11-24T12:00:00Z")
    assert (DAY, DAY) == _shared(desk, DAY)
    desk.desk.feed("properties", property_event(PROPERTY, sequence=3, version=3, tips_pool={"period": "week"}))
    assert ("2026-11-16", "2026-11-19") == _shared(desk, "2026-11-19")
    assert ("2026-11-21", "2026-11-22") == _shared(desk, "2026-11-22")
    desk.desk.feed("properties", property_event(PROPERTY, sequence=4, version=4))
    assert (DAY, DAY) == _shared(desk, DAY, minutes=450)
    last = f"/tip-hours/{PROPERTY}/2026-11-18"
    assert_problem(desk.send(last, ENTERED, person="audit.kim"), 422, "enter its hours for its last day, 2026-11-19")


def test_hours_of_a_pool_that_has_changed_since_are_not_approved(desk: InventoryDesk) -> None:
    """They were of other days: they are rejected, and those of the pools as they are now are entered."""
    _pools(desk, "week")
    desk.clock.now = datetime.fromisoformat("2026-11-24T12:00:00Z")
    path = f"/tip-hours/{PROPERTY}/2026-11-22"
    desk.done(path, ENTERED, person="audit.kim")
    _changes(desk, "week", "day")
    said = "is of the days from 2026-11-16, but 2026-11-22 is in the pool from 2026-11-22 to 2026-11-22: reject it"
    assert_problem(desk.send(f"{path}/1/approve", person="control.eve"), 422, said)
    desk.done(f"{path}/1/reject", {"reason": "pools are of days now"}, person="control.eve")
    assert ("2026-11-22", "2026-11-22") == _shared(desk, "2026-11-22")


@pytest.mark.parametrize(("period", "last_day"), [("day", DAY), ("week", "2026-11-22")])
def test_hours_are_entered_once_the_last_gaming_day_is_over(desk: InventoryDesk, period: str, last_day: str) -> None:
    """Tips are collected until then, and would be shared by hours that somebody approved before."""
    _pools(desk, period)
    ends = datetime.fromisoformat(f"{last_day}T09:00:00Z") + timedelta(days=1)
    desk.clock.now = ends - timedelta(seconds=1)
    path = f"/tip-hours/{PROPERTY}/{last_day}"
    assert_problem(desk.send(path, ENTERED, person="audit.kim"), 409, f"the pool up to {last_day} has not ended")
    desk.clock.now = ends
    desk.done(path, ENTERED, person="audit.kim")


@pytest.mark.parametrize(
    ("period", "last_day", "minutes_max", "said"),
    [
        ("day", DAY, 24 * 60, "dealer.dan has 1441 minutes; the pool of 2026-11-20 lasted 1440"),
        ("day", "2026-10-31", 25 * 60, "dealer.dan has 1501 minutes; the pool of 2026-10-31 lasted 1500"),
        ("week", "2026-11-22", 7 * 24 * 60, ""),
    ],
)
def test_nobody_works_longer_than_a_pool_lasts(
    desk: InventoryDesk, period: str, last_day: str, minutes_max: int, said: str
) -> None:
    """A gaming day of 24 hours, of 25 where clocks are put back, or a week."""
    _pools(desk, period)
    desk.clock.now = datetime.fromisoformat("2026-11-24T12:00:00Z")
    path = f"/tip-hours/{PROPERTY}/{last_day}"
    if said:
        longer = {**ENTERED, "hours": [{"dealer": "dealer.dan", "minutes": minutes_max + 1}]}
        assert_problem(desk.send(path, longer, person="audit.kim"), 422, said)
    desk.done(path, {**ENTERED, "hours": [{"dealer": "dealer.dan", "minutes": minutes_max}]}, person="audit.kim")
