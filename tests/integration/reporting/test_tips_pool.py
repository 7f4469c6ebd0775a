"""Tips pools on a real database: tips and hours go in, shares to the cent come out, and all of the pool is paid."""

from collections.abc import Mapping
from typing import Any, Final

from tests.support.asgi import assert_problem
from tests.support.pit_day import Pit, identities, rows, total_of
from tests.support.pit_ledger import DAY, DAY_BEFORE, PROPERTY, Event, at
from tests.support.properties import property_event

PEOPLE: Final[dict[str, Any]] = {"collected_by": "tips.jo", "observed_by": "floor.fay"}
ALONE: Final = {"dealer.dan": 480}


TABLES: Final = ("BJ-01", "BJ-02", "BJ-03")


def _pools(pit: Pit, **policy: str) -> None:
    pit.feed("properties", property_event(PROPERTY, TABLES, sequence=4, version=2, tips_pool=policy))


def _change(pit: Pit, first: str, then: str) -> None:
    """Pools are of another period from Saturday, 21 November, on."""
    _pools(pit, period=first)
    later: dict[str, Any] = {"effective_from": "2026-11-21T09:00:00+00:00", "tips_pool": {"period": then}}
    pit.feed("properties", property_event(PROPERTY, TABLES, sequence=5, version=3, **later))


def _tips(pit: Pit, table: str, hour: float, cents: int, **more: Any) -> Event:
    return pit.ledger.pit(table, "tips.collected", at(hour), cents=cents, **PEOPLE, **more)


def _hours(
    pit: Pit,
    kind: str,
    hour: float,
    minutes: Mapping[str, int],
    *,
    revision: int = 1,
    first_day: str | None = None,
    last_day: str = DAY,
) -> Event:
    hours = [{"dealer": dealer, "minutes": worked} for dealer, worked in minutes.items()]
    said: dict[str, Any] = {
        "property": PROPERTY,
        "first_day": first_day or (DAY if last_day == DAY else "2026-11-16"),
        "last_day": last_day,
        "revision": revision,
        "pool": {"period": "day" if last_day == DAY else "week", "remainder": "largest_fraction"},
        "hours": hours,
        "reason": "the time clock",
        "entered_by": "audit.kim",
        "entered_at": at(hour).isoformat(),
    }
    decided = {
        "entered": {},
        "approved": {"approved_by": "control.eve", "approved_at": at(hour).isoformat()},
        "rejected": {"rejected_by": "control.eve", "rejected_at": at(hour).isoformat(), "rejection_reason": "again"},
    }
    entry = pit.ledger.desk(f"tip_hours.{kind}", at(hour), **said | decided[kind])
    entry["data"].pop("gaming_day")
    return entry


def test_a_day_is_shared_by_hours_to_the_cent(pit: Pit) -> None:
    """$100.01 by 8, 8 and 4 hours: 4000.4, 4000.4, 2000.2 cents; the cent that is left goes to the first of equals."""
    _pools(pit, period="day")
    pit.feed("inventory", _tips(pit, "BJ-01", 12, 60_00), _tips(pit, "BJ-02", 13, 40_01))
    pit.feed("inventory", _tips(pit, "BJ-01", 14, 9_99, day=DAY_BEFORE))
    worked = {"dealer.dan": 480, "dealer.eve": 480, "dealer.fay": 240}
    pit.feed("inventory", _hours(pit, "entered", 20, worked))
    report = pit.read("tips-pool")
    assert [("entered", 100_01, 3, None)] == rows(report, "pools", "status", "pooled_cents", "dealers", "paid_cents")
    assert [] == rows(report, "shares", "dealer")
    assert (0, 0) == identities(report)["paid out and pooled"]
    pit.feed("inventory", _hours(pit, "approved", 21, worked))
    report = pit.read("tips-pool")
    assert [("approved", 100_01, 100_01, 1, 0, "20.00", 500)] == rows(
        report,
        "pools",
        *("status", "pooled_cents", "paid_cents", "remainder_cents", "since_approval_cents", "hours", "per_hour_cents"),
    )
    assert [
        ("dealer.dan", "8.00", 40_00, 1, 40_01),
        ("dealer.eve", "8.00", 40_00, 0, 40_00),
        ("dealer.fay", "4.00", 20_00, 0, 20_00),
    ] == rows(report, "shares", "dealer", "hours", "part_cents", "remainder_cents", "share_cents")
    assert [("BJ-01", 60_00), ("BJ-02", 40_01)] == rows(report, "collected", "table", "tips_cents")
    assert (100_01, 100_01) == identities(report)["paid out and pooled"]
    entries = pit.explain("tips-pool", f"pools/{DAY}/pooled_cents")["entries"]
    assert [60_00, 40_01] == [entry["value"] for entry in entries]


def test_what_comes_after_the_approval_is_shared_and_said(pit: Pit) -> None:
    """As known before, shares are those of then; a later revision of the hours replaces them, a rejected one not."""
    _pools(pit, period="day")
    pit.feed("inventory", _tips(pit, "BJ-01", 12, 60_00), _hours(pit, "entered", 20, ALONE))
    pit.feed("inventory", _hours(pit, "approved", 21, ALONE))
    pit.feed("inventory", _tips(pit, "BJ-02", 22, 5_00))
    columns = ("pooled_cents", "paid_cents", "since_approval_cents")
    assert [(65_00, 65_00, 5_00)] == rows(pit.read("tips-pool"), "pools", *columns)
    before = pit.read("tips-pool", known_at="2026-11-20T21:30:00Z")
    assert [(60_00, 60_00, 0)] == rows(before, "pools", *columns)
    both = {"dealer.dan": 480, "dealer.eve": 480}
    for kind, hour in (("entered", 23), ("rejected", 23.1)):
        pit.feed("inventory", _hours(pit, kind, hour, both, revision=2))
    assert 1 == len(rows(pit.read("tips-pool"), "shares", "dealer"))
    pit.feed(
        "inventory", _hours(pit, "entered", 23.2, both, revision=3), _hours(pit, "approved", 23.3, both, revision=3)
    )
    report = pit.read("tips-pool")
    assert [("dealer.dan", 32_50), ("dealer.eve", 32_50)] == rows(report, "shares", "dealer", "share_cents")
    assert 65_00 == total_of(report, "shares", "share_cents")


def test_a_week_is_one_pool_of_all_of_its_days(pit: Pit) -> None:
    """It is of the period in which it ends: of its last day, its week and its month, and of no other day."""
    _pools(pit, period="week")
    pit.feed("inventory", _tips(pit, "BJ-01", 12, 60_00), _tips(pit, "BJ-01", 14, 40_00, day=DAY_BEFORE))
    assert [] == rows(pit.read("tips-pool"), "pools", "last_day")
    week = pit.read("tips-pool", "&period=week")
    [(first, last, status, pooled)] = rows(week, "pools", "first_day", "last_day", "status", "pooled_cents")
    assert ("missing", 100_00) == (status, pooled)
    assert first <= DAY_BEFORE < DAY <= last
    pit.feed("inventory", _hours(pit, "approved", 23, {"dealer.dan": 480, "dealer.eve": 240}, last_day=last))
    month = pit.read("tips-pool", "&period=month")
    shares = [row[1:] for row in rows(month, "shares", "last_day", "dealer", "share_cents") if row[0] == last]
    assert [("dealer.dan", 66_67), ("dealer.eve", 33_33)] == shares
    assert (100_00, 100_00) == identities(month)["paid out and pooled"]


def test_days_before_a_week_that_begins_amid_a_week_are_in_their_own_pools(pit: Pit) -> None:
    """$60 collected on the last of them are paid once; the pool of the week has the days that are left."""
    _change(pit, "day", "week")
    pit.feed("inventory", _tips(pit, "BJ-01", 12, 60_00), _hours(pit, "entered", 20, ALONE))
    pit.feed("inventory", _hours(pit, "approved", 21, ALONE))
    month = pit.read("tips-pool", "&period=month")
    pools = {
        last: (first, cents) for first, last, cents in rows(month, "pools", "first_day", "last_day", "pooled_cents")
    }
    assert ((DAY, 60_00), ("2026-11-21", 0)) == (pools[DAY], pools["2026-11-22"])
    assert 60_00 == total_of(month, "pools", "pooled_cents")
    assert {(60_00, 60_00)} == set(identities(month).values())


def test_a_week_that_a_change_cuts_ends_the_day_before(pit: Pit) -> None:
    """Its tips are in a pool, of the period in which it now ends."""
    _change(pit, "week", "day")
    pit.feed("inventory", _tips(pit, "BJ-01", 12, 60_00), _tips(pit, "BJ-01", 14, 40_00, day=DAY_BEFORE))
    columns = ("first_day", "last_day", "pooled_cents")
    day = pit.read("tips-pool")
    assert [("2026-11-16", DAY, 100_00)] == rows(day, "pools", *columns)
    week = pit.read("tips-pool", "&period=week")
    ends = [("2026-11-16", DAY, 100_00), *((one, one, 0) for one in ("2026-11-21", "2026-11-22"))]
    assert ends == rows(week, "pools", *columns)
    for report in (day, week):
        assert (100_00, 100_00) == identities(report)["collected and shared"]


def test_tips_of_a_pool_that_goes_on_are_held_to_account(pit: Pit) -> None:
    """Amid a week they are in a pool that ends after the period; of days that share no tips none are."""
    later: dict[str, Any] = {"effective_from": "2026-11-20T09:00:00+00:00", "tips_pool": {"period": "week"}}
    pit.feed("properties", property_event(PROPERTY, TABLES, sequence=4, version=2, **later))
    pit.feed("inventory", _tips(pit, "BJ-01", 12, 60_00), _tips(pit, "BJ-01", 14, 40_00, day=DAY_BEFORE))
    assert (60_00, 60_00) == identities(pit.read("tips-pool"))["collected and shared"]
    week = pit.read("tips-pool", "&period=week")
    assert [(DAY, "2026-11-22", 60_00)] == rows(week, "pools", "first_day", "last_day", "pooled_cents")
    assert (60_00, 60_00) == identities(week)["collected and shared"]
    assert [40_00, 60_00] == [cents for (cents,) in rows(week, "collected", "tips_cents")]


def test_an_approved_pool_keeps_its_days_and_a_day_in_two_breaks_the_identity(pit: Pit) -> None:
    """A version of a week that is filed later has the days around it; hours of the whole week would pay twice."""
    _pools(pit, period="day")
    pit.feed("inventory", _tips(pit, "BJ-01", 12, 60_00), _hours(pit, "approved", 21, ALONE))
    pit.feed("properties", property_event(PROPERTY, TABLES, sequence=5, version=3, tips_pool={"period": "week"}))
    week = pit.read("tips-pool", "&period=week")
    assert [("2026-11-16", "2026-11-19"), (DAY, DAY), ("2026-11-21", "2026-11-22")] == rows(
        week, "pools", "first_day", "last_day"
    )
    assert (60_00, 60_00) == identities(week)["collected and shared"]
    pit.feed("inventory", _hours(pit, "approved", 22, ALONE, first_day="2026-11-16", last_day="2026-11-22"))
    assert (60_00, 120_00) == identities(pit.read("tips-pool", "&period=week"))["collected and shared"]


def test_a_property_without_a_pool_shares_nothing(pit: Pit) -> None:
    """What was collected is there all the same; and there is no pool of a table."""
    pit.feed("inventory", _tips(pit, "BJ-01", 12, 60_00))
    report = pit.read("tips-pool")
    assert ([], [("BJ-01", 60_00)]) == (
        rows(report, "pools", "last_day"),
        rows(report, "collected", "table", "tips_cents"),
    )
    assert_problem(pit.answer("tips-pool", "&table=BJ-01"), 404, "a tips pool has the tips of all tables")
