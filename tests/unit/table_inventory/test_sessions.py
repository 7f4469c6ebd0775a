"""The day of a table follows from its sessions, boxes and movements: one test for each way in which it can go wrong."""

from datetime import date, datetime, timedelta

import pytest

from shared.contracts.win import Missing, WinFigures
from tests.support.felt import DAY, PLACE, Felt, clock

NEXT = DAY + timedelta(days=1)


def lacks(felt: Felt, day: date = DAY, *, now: datetime | None = None) -> list[tuple[str, str, datetime]]:
    """What a gaming day lacks: what, which, since when."""
    return sorted({(one.what, one.name, one.since) for win in felt.shifts(day, now=now).values() for one in win.lacks})


def around_the_clock(*, counted_at: str = "06:00") -> Felt:
    """A table that is open over the end of a gaming day, with a drop count that begins the next one."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.count("drop", clock(counted_at, NEXT), 100_000, begins=(NEXT, "day"))
    felt.box(clock(counted_at, NEXT), "A1", "A2", currency_cents=0)
    felt.count("closer", clock("20:00", NEXT), 150_000, day=NEXT)
    felt.box(clock("20:00", NEXT), "A2", day=NEXT, currency_cents=0)
    return felt


def test_a_box_that_was_placed_and_is_not_back_is_missing() -> None:
    """B1 off and B2 on at the shift count; the closer is there, B2 never came off: no win, and it is named."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.move(clock("11:00"), currency=10_000)
    felt.count("shift", clock("14:00"), 90_000, begins=(DAY, "swing"))
    felt.box(clock("14:00"), "B1", "B2", currency_cents=10_000)
    felt.move(clock("15:00"), currency=20_000)
    felt.count("closer", clock("20:00"), 70_000, shift="swing")
    assert [("box", "B2", clock("14:00"))] == lacks(felt)
    shifts = felt.shifts()
    assert (0, None) == (shifts["day"].win_cents, shifts["swing"].win_cents)
    felt.box(clock("20:05"), "B2", shift="swing", currency_cents=20_000)
    assert ([], 0) == (lacks(felt), felt.win().win_cents)


def test_the_box_that_is_put_on_for_tomorrow_is_not_waited_for_today() -> None:
    """It came on minutes before the closer, and nothing was recorded to be in it; once something was, it must come."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.box(clock("19:55"), "A1", "A2", currency_cents=0)
    felt.count("closer", clock("20:00"), 100_000)
    assert [] == lacks(felt)
    felt.move(clock("19:57"), currency=500)
    assert [("box", "A2", clock("19:55"))] == lacks(felt)


def test_a_box_that_came_off_instead_of_the_one_that_was_placed_leaves_that_one_missing() -> None:
    """Both are waited for: the one that nobody saw again, and the count of the other."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.box(clock("14:00"), "A1", "A2", currency_cents=0)
    felt.box(clock("20:00"), "A9")
    felt.count("closer", clock("20:00"), 100_000)
    assert [("box", "A2", clock("14:00")), ("count", "A9", clock("20:00"))] == lacks(felt)


@pytest.mark.parametrize("which", ["removed", "placed"])
def test_a_box_that_is_written_off_is_not_waited_for(which: str) -> None:
    """Whether it came off and cannot be counted, or never came back."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    if which == "placed":
        felt.box(clock("14:00"), "A1", "A2", currency_cents=0, placed_written_off=True)
    else:
        felt.box(clock("20:00"), "A1", written_off=True)
    felt.count("closer", clock("20:00"), 100_000)
    assert ([], 0) == (lacks(felt), felt.win().win_cents)


def test_a_session_without_any_box_has_no_drop() -> None:
    """Not even where it was short, and nothing was sold."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.count("closer", clock("10:10"), 100_000)
    assert [("drop", "", clock("10:00"))] == lacks(felt)


def test_a_session_that_begins_again_needs_a_closer_of_its_own() -> None:
    """Closed at 13:00, opened again at 18:00: what is missing is the closer since 18:00."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.count("closer", clock("13:00"), 110_000)
    felt.count("opener", clock("18:00"), 110_000)
    felt.box(clock("02:00"), "A1", currency_cents=0)
    for now in (clock("03:00"), clock("06:30", NEXT)):
        assert ("closer", "", clock("18:00")) == lacks(felt, now=now)[0]
    felt.count("closer", clock("02:00"), 105_000)
    assert ([], 5_000) == (lacks(felt), felt.win().win_cents)


def test_a_drop_count_ends_the_day_at_its_moment() -> None:
    """A fill received a minute later belongs to the next day, whatever day it claims: 0 and 0."""
    felt = around_the_clock()
    felt.move(clock("06:01", NEXT), fills=50_000)
    assert (0, 0) == (felt.win(DAY).win_cents, felt.win(NEXT).win_cents)
    assert (0, 50_000) == (felt.win(DAY).fills_cents, felt.win(NEXT).fills_cents)


@pytest.mark.parametrize("counted_at", ["05:10", "06:50", "09:59"])
def test_a_count_within_the_margin_of_the_pit_ends_the_day(counted_at: str) -> None:
    """Before or after the end of the gaming day: what moves before it is of the one, what moves after it not."""
    felt = around_the_clock()
    at = clock(counted_at, NEXT if counted_at > "06:00" else DAY)
    felt.counts[1] = felt.counts[1].model_copy(update={"at": at})
    felt.boxes[0] = felt.boxes[0].model_copy(update={"removed_at": at})
    felt.move(at - timedelta(minutes=1), fills=7_000)
    felt.move(at + timedelta(minutes=1), fills=43_000)
    felt.counts[1] = felt.counts[1].model_copy(update={"cents": 107_000})
    assert (7_000, 43_000) == (felt.win(DAY).fills_cents, felt.win(NEXT).fills_cents)
    assert (0, 0) == (felt.win(DAY).win_cents, felt.win(NEXT).win_cents)


def test_a_table_that_nobody_counts_at_the_end_of_the_day_lacks_the_count_on_both_days() -> None:
    """What moves after the end of the gaming day is of the next one; neither day has a win."""
    felt = around_the_clock()
    del felt.counts[1]
    felt.move(clock("12:00"), fills=10_000)
    felt.move(clock("12:00", NEXT), fills=20_000)
    ends = clock("06:00", NEXT)
    assert (10_000, 20_000) == (felt.win(DAY).fills_cents, felt.win(NEXT).fills_cents)
    assert (("day_count", "", ends), ("day_count", "", ends)) == (lacks(felt, DAY)[0], lacks(felt, NEXT)[0])
    assert (None, None) == (felt.win(DAY).win_cents, felt.win(NEXT).win_cents)


def test_a_table_that_is_forgotten_lacks_a_count_on_every_day() -> None:
    """Nothing is recorded of it after its opener: it stays open."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    third = DAY + timedelta(days=2)
    assert {"day_count", "closer", "drop"} == {what for what, *_ in lacks(felt, third, now=clock("12:00", third))}


def test_a_recount_before_anything_moved_replaces_the_count() -> None:
    """The opener is what was counted last; both stay on record, and nothing is a variance."""
    felt = Felt()
    first = felt.count("opener", clock("10:00"), 10_000)
    felt.count("opener", clock("10:02"), 100_000)
    felt.count("closer", clock("20:00"), 99_000)
    felt.count("closer", clock("20:02"), 100_000)
    felt.box(clock("20:00"), "A1", currency_cents=0)
    win = felt.win()
    assert (100_000, 100_000, 0, 0) == (win.opener_cents, win.closer_cents, win.win_cents, win.inventory_variance_cents)
    assert ((1, 1), [2, 4]) == ((win.openings, win.closings), win.counts)
    assert [first.sequence, 3] == [count.sequence for count in felt.sessions().recounted]


def test_a_count_after_something_moved_is_no_recount() -> None:
    """An opener of an open table counts it: the session goes on, and it is named."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.move(clock("10:01"), fills=5_000)
    again = felt.count("opener", clock("10:02"), 104_000)
    felt.count("closer", clock("20:00"), 104_000)
    felt.box(clock("20:00"), "A1", currency_cents=0)
    win = felt.win()
    assert (100_000, 104_000, -1_000, -1_000) == (
        win.opener_cents,
        win.closer_cents,
        win.win_cents,
        win.inventory_variance_cents,
    )
    assert [again] == list(felt.sessions().unexpected)


def test_an_opener_of_another_day_is_no_recount_of_yesterday() -> None:
    """Whose closer is missing: the day that was left open lacks its count, and the other has its opener."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.count("opener", clock("09:00", NEXT), 90_000, day=NEXT)
    assert "day_count" in {what for what, *_ in lacks(felt, DAY)}
    assert (100_000, 90_000) == (felt.win(DAY).opener_cents, felt.win(NEXT).opener_cents)


def test_what_is_sold_at_a_closed_table_lacks_an_opener() -> None:
    """The money is in the box, and nobody counted the chips of which it was taken."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.count("closer", clock("13:00"), 100_000)
    felt.box(clock("13:00"), "A1", currency_cents=0)
    felt.move(clock("15:00"), currency=5_000)
    assert [("opener", "", clock("13:00"))] == lacks(felt)


@pytest.mark.parametrize("purpose", ["closer", "shift"])
def test_a_count_of_a_table_that_nobody_opened_lacks_the_opener(purpose: str) -> None:
    """Whether it ends a session, or divides one."""
    felt = Felt()
    if purpose == "closer":
        felt.count("closer", clock("20:00"), 100_000)
    else:
        felt.count("shift", clock("14:00"), 100_000, begins=(DAY, "swing"))
        felt.count("closer", clock("20:00"), 100_000, shift="swing")
    felt.box(clock("20:00"), "A1", shift="day", currency_cents=0)
    assert "opener" in felt.shifts()["day"].missing
    assert felt.win().win_cents is None


def test_a_carried_inventory_adds_to_opener_and_closer() -> None:
    """It never takes the place of what was counted: with a session on the same day, both are there."""
    felt = Felt()
    felt.count("carried", clock("08:00"), 70_000)
    felt.count("opener", clock("10:00"), 70_000)
    felt.count("closer", clock("20:00"), 60_000)
    felt.box(clock("20:00"), "A1", currency_cents=15_000)
    win = felt.win()
    assert (140_000, 130_000, 5_000, 1) == (win.opener_cents, win.closer_cents, win.win_cents, win.carried)


def test_an_opener_that_is_not_the_last_closer_is_a_variance_of_the_closed_time() -> None:
    """It is in no win, and a line of its own."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.count("closer", clock("13:00"), 100_000)
    felt.count("opener", clock("18:00"), 99_000)
    felt.count("closer", clock("20:00"), 99_000)
    felt.box(clock("20:00"), "A1", currency_cents=0)
    assert 0 == felt.win().win_cents
    found = [(one.play, one.variance_cents) for one in felt.sessions().windows if one.variance_cents]
    assert [(False, -1_000)] == found


def test_the_figures_of_the_shifts_add_up_to_the_day() -> None:
    """What one shift hands over to the next of its day is in the closer of the one and the opener of the other."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.count("shift", clock("14:00"), 120_000, begins=(DAY, "swing"))
    felt.box(clock("14:00"), "A1", "A2", currency_cents=10_000)
    felt.count("spot", clock("16:00"), 121_000, shift="swing")
    felt.count("closer", clock("20:00"), 90_000, shift="swing")
    felt.box(clock("20:00"), "A2", shift="swing", currency_cents=40_000)
    shifts = {name: win.figures(non_banking=False) for name, win in felt.shifts().items()}
    together = sum(shifts.values(), start=WinFigures())
    assert (30_000, 10_000) == (shifts["day"].win_cents, shifts["swing"].win_cents)
    day = felt.win()
    assert day.win_cents == together.win_cents == 40_000
    assert day.opener_cents == together.opener_cents - together.handed_over_cents == 100_000
    assert day.closer_cents == together.closer_cents - together.handed_over_cents == 90_000
    assert (2, 2, 2, 2) == (together.openings, together.closings, together.boxes, together.boxes_counted)


@pytest.mark.parametrize("day", [date(2026, 3, 7), date(2026, 10, 31)])
def test_a_day_of_23_or_25_hours_ends_where_the_clock_of_the_property_says(day: date) -> None:
    """A drop count at the end of the gaming day in which the clocks change."""
    following = day + timedelta(days=1)
    felt = Felt()
    ends = PLACE.begins_at(following)
    felt.count("opener", clock("10:00", day), 100_000, day=day)
    felt.count("drop", ends, 100_000, day=day, begins=(following, "day"))
    felt.box(ends, "A1", "A2", day=day, currency_cents=0)
    felt.move(ends + timedelta(minutes=1), fills=50_000)
    felt.count("closer", clock("20:00", following), 150_000, day=following)
    felt.box(clock("20:00", following), "A2", day=following, currency_cents=0)
    assert (0, 0) == (felt.win(day).win_cents, felt.win(following).win_cents)


def test_what_is_missing_is_said_once_and_takes_the_win_away() -> None:
    """The figures stay; the win is 0 in what is stated."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    [win] = felt.shifts(now=clock("12:00")).values()
    figures = win.figures(non_banking=False)
    assert (100_000, 0, 0) == (figures.opener_cents, figures.closer_cents, figures.win_cents)
    assert Missing(what="closer", since=clock("10:00")) in win.lacks
