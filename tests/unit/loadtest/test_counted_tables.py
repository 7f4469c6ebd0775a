"""Counted tables of the simulated pit: their events tell less than their books, and the books add up."""

from datetime import date

import pytest

from loadtest.floor.counted_tables import COUNTED, OVER_CENTS, CountedDay, CountedPlan
from loadtest.floor.pit import PitBook
from loadtest.floor.pit_items import PitEvent

DAY = date(2026, 11, 20)


def _day(plan: CountedPlan) -> CountedDay:
    day = CountedDay(plan, DAY)
    day.play()
    return day


def _of(day: CountedDay, kind: str) -> list[PitEvent]:
    return [event for event in day.events if event.type == kind]


@pytest.mark.parametrize("plan", COUNTED, ids=[plan.kind for plan in COUNTED])
def test_the_books_of_a_counted_table_add_up(plan: CountedPlan) -> None:
    """Its win is what trays and boxes say, and its boxes have each check and what was sold for currency."""
    day = _day(plan)
    money, boxes = day.money, [dropped for _, dropped in day.boxes]
    currency = sum(one.currency for one in boxes)
    checks = [cents for one in boxes for cents in one.checks.values()]
    assert (money.drop, money.checks, 2) == (currency + sum(checks), sum(checks), len(checks))
    assert money.counted_win == money.closer + money.credits + money.drop - money.opener - money.fills
    assert [0, 0] == [one.variance_cents for one in day.counts]
    assert len(_of(day, "counter_check.issued")) == len(checks)
    reported = [event.data["cents"] for event in _of(day, "chips.sold")]
    match plan.sales:
        case "each":
            assert currency == sum(reported)
        case "over":
            assert reported
            assert min(reported) >= OVER_CENTS
            assert sum(reported) < currency
        case "none":
            assert not reported


def test_a_pit_has_its_counted_tables_beside_the_others() -> None:
    """The same ones whatever else plays; their slips and boxes are those of the pit."""
    pit = PitBook("bayside", (), DAY, counted=COUNTED).day()
    assert [plan.name for plan in COUNTED] == list(pit.tables)
    assert {(plan.name, "credit" if plan.sends_credit else "fill") for plan in COUNTED} == {
        (slip.table, slip.slip) for slip in pit.slips
    }
    assert 2 * len(COUNTED) == len(pit.boxes)
    sent = {(event.source, event.sequence): event.type for event in pit.events(dict.fromkeys(pit.slips, 1))}
    for box in pit.boxes:
        assert "box.exchanged" == sent[f"/properties/bayside/tables/{box.table}/pit", box.exchange]
