"""The win to date as a document: periods, theoretical win, what has none, CSV."""

import csv
import io
from datetime import date
from fractions import Fraction

import pytest

from services.reporting.domain.win_to_date import Period, Wagered, WinToDate, as_csv, first_days, win_to_date
from shared.contracts.wager_totals import WagerTotals
from tests.unit.reporting.entries import HEADER, total

FRIDAY = date(2026, 11, 20)
MAIN = ("blackjack", "blackjack")
SIDE = ("blackjack", "match_the_dealer")
EDGE = Fraction(1, 3)


def _side(handle: int, edge: Fraction | None = EDGE, *, version: int = 1, reason: str | None = None) -> Wagered:
    return Wagered(
        game=SIDE[0],
        wager=SIDE[1],
        version=version,
        submission=f"{version}" * 64,
        handle_cents=handle,
        house_edge=edge,
        reason=reason,
    )


def _main(handle: int) -> Wagered:
    return Wagered(
        game=MAIN[0], wager=MAIN[1], version=1, submission="1" * 64, handle_cents=handle, reason="depends on the play"
    )


def _sums(count: int, handle: int, payout: int) -> WagerTotals:
    return WagerTotals(**(total(handle=handle, payout=payout) | {"count": count}))


DAY = ({MAIN: _sums(2, 1000, 700), SIDE: _sums(2, 50, 40)}, [_main(1000), _side(50)])
WEEK = ({MAIN: _sums(3, 1500, 900), SIDE: _sums(3, 100, 40)}, [_main(1500), _side(50), _side(50, version=2)])
YEAR = ({MAIN: _sums(9, 9000, 9100), SIDE: _sums(9, 700, 40)}, [_main(9000), _side(600), _side(100, version=2)])


def _report(
    gaming_day: date = FRIDAY, /, **changes: tuple[dict[tuple[str, str], WagerTotals], list[Wagered]]
) -> WinToDate:
    given = {"day": DAY, "week_to_date": WEEK, "month_to_date": WEEK, "year_to_date": YEAR} | changes
    periods = {name: Period(first, *given[name]) for name, first in first_days(gaming_day).items()}
    return win_to_date(periods, **HEADER | {"gaming_day": gaming_day})


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("2026-11-20", ["2026-11-20", "2026-11-16", "2026-11-01", "2026-01-01"]),
        ("2026-11-16", ["2026-11-16", "2026-11-16", "2026-11-01", "2026-01-01"]),
        ("2026-11-22", ["2026-11-22", "2026-11-16", "2026-11-01", "2026-01-01"]),
        ("2027-01-01", ["2027-01-01", "2026-12-28", "2027-01-01", "2027-01-01"]),
        ("2028-02-29", ["2028-02-29", "2028-02-28", "2028-02-01", "2028-01-01"]),
    ],
)
def test_periods_end_with_the_gaming_day(day: str, expected: list[str]) -> None:
    """Weeks begin on Monday, also across the turn of the year; months and years with their first day."""
    assert expected == [first.isoformat() for first in first_days(date.fromisoformat(day)).values()]


def test_theoretical_win_is_exact_until_it_is_shown() -> None:
    """Handle by house edge, and actual less theoretical win, each rounded once."""
    day = _report().rows[1].day
    # 50 / 3 = 16.67, and 10 - 16.67 = -6.67
    assert (10, 17, -7) == (day.win_cents, day.theoretical_win_cents, day.difference_cents)
    assert ("20.00", "33.33", "-13.33") == (
        day.win_percent,
        day.theoretical_win_percent,
        day.difference_percent,
    )


def test_half_a_cent_goes_to_the_even_one() -> None:
    """Rounding favors neither side: 2.5 and 7.5 cents are 2 and 8."""
    report = _report(day=({SIDE: _sums(1, 5, 0)}, [_side(5, Fraction(1, 2))]))
    assert 2 == report.rows[1].day.theoretical_win_cents
    report = _report(day=({SIDE: _sums(1, 15, 0)}, [_side(15, Fraction(1, 2))]))
    assert 8 == report.rows[1].day.theoretical_win_cents


def test_each_version_goes_by_its_own_house_edge() -> None:
    """Where the paytable changed within a period, each part of the handle has the edge it was wagered under."""
    parts = [_side(50), _side(50, Fraction(1, 10), version=2)]
    row = _report(week_to_date=(WEEK[0], [_main(1500), *parts])).rows[1]
    assert 22 == row.week_to_date.theoretical_win_cents  # 50 / 3 + 50 / 10 = 21.67
    assert [(1, 600, "1/3", "33.33"), (2, 100, "1/3", "33.33")] == [
        (edge.version, edge.handle_cents, edge.house_edge, edge.house_edge_percent) for edge in row.house_edges
    ]


def test_without_an_exact_payback_there_is_no_theoretical_win() -> None:
    """The wager says why, and its game has none either, except of the wagers that have one."""
    report = _report()
    main, game = report.rows[0], report.games[0]
    assert (300, None, None, None) == (
        main.day.win_cents,
        main.day.theoretical_win_cents,
        main.day.theoretical_win_percent,
        main.day.difference_cents,
    )
    assert [("blackjack", "blackjack", 1, "depends on the play")] == [
        (one.game, one.wager, one.version, one.reason) for one in report.without_house_edge
    ]
    assert (1050, 310, None) == (game.day.handle_cents, game.day.win_cents, game.day.theoretical_win_cents)
    assert report.rows[1].day == game.exact.day == report.total.exact.day


def test_a_submission_that_has_not_come_is_named() -> None:
    """Its part of the handle has no house edge, for that reason."""
    report = _report(year_to_date=(YEAR[0], [_main(9000), _side(600), _side(100, None, version=2)]))
    assert None is report.rows[1].year_to_date.theoretical_win_cents
    assert "version 2 of the rules submission has not come from the registry" == report.without_house_edge[1].reason


def test_a_payout_without_a_stake_should_win_nothing() -> None:
    """A bonus that is paid on another wager has no handle: all that it pays is a difference."""
    bonus = {("blackjack", "envy_bonus"): _sums(1, 0, 5000)}
    report = _report(**dict.fromkeys(("day", "week_to_date", "month_to_date", "year_to_date"), (bonus, [])))
    day = report.rows[0].day
    assert (-5000, 0, -5000, None) == (
        day.win_cents,
        day.theoretical_win_cents,
        day.difference_cents,
        day.difference_percent,
    )


def test_a_week_that_began_last_year_has_its_wagers() -> None:
    """In the first days of a year the week holds more than the year, and nothing of it is left out."""
    nothing: tuple[dict[tuple[str, str], WagerTotals], list[Wagered]] = ({}, [])
    report = _report(date(2027, 1, 1), day=nothing, month_to_date=nothing, year_to_date=nothing)
    assert [0, 0] == [row.year_to_date.handle_cents for row in report.rows]
    assert [1500, 100] == [row.week_to_date.handle_cents for row in report.rows]


def test_csv_has_every_period_in_columns() -> None:
    """Each figure of each period, amounts in cents and dollars; empty where there is none, with the reason."""
    header, main, side = csv.reader(io.StringIO(as_csv(_report()), newline=""))
    assert {len(header)} == {len(main), len(side)}
    columns = dict(zip(header, side, strict=True))
    names = ("wager", "day_theoretical_win_cents", "day_difference_dollars", "year_to_date_handle_dollars")
    assert ("match_the_dealer", "17", "-0.07", "7.00") == tuple(columns[name] for name in names)
    columns = dict(zip(header, main, strict=True))
    assert ("", "", "depends on the play") == (
        columns["week_to_date_theoretical_win_cents"],
        columns["week_to_date_theoretical_win_dollars"],
        columns["without_house_edge"],
    )
