"""The win to date as a document: periods, theoretical win, what has none, CSV."""

import csv
import io
from datetime import UTC, date, datetime
from fractions import Fraction

import pytest

from services.reporting.documents import Sums
from services.reporting.to_date import Period, Wagered, WinToDate, as_csv, first_days, win_to_date

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
        handle=handle,
        house_edge=edge,
        reason=reason,
    )


def _main(handle: int) -> Wagered:
    return Wagered(
        game=MAIN[0], wager=MAIN[1], version=1, submission="1" * 64, handle=handle, reason="depends on the play"
    )


DAY = ({MAIN: Sums(2, 1000, 700), SIDE: Sums(2, 50, 40)}, [_main(1000), _side(50)])
WEEK = ({MAIN: Sums(3, 1500, 900), SIDE: Sums(3, 100, 40)}, [_main(1500), _side(50), _side(50, version=2)])
YEAR = ({MAIN: Sums(9, 9000, 9100), SIDE: Sums(9, 700, 40)}, [_main(9000), _side(600), _side(100, version=2)])


def _report(gaming_day: date = FRIDAY, /, **changes: tuple[dict[tuple[str, str], Sums], list[Wagered]]) -> WinToDate:
    given = {"day": DAY, "week_to_date": WEEK, "month_to_date": WEEK, "year_to_date": YEAR} | changes
    return win_to_date(
        property_name="riverside",
        gaming_day=gaming_day,
        table=None,
        game=None,
        periods={name: Period(first, *given[name]) for name, first in first_days(gaming_day).items()},
        through=[],
        exceptions_open=0,
        system_version="1.2.3",
        generated_at=datetime(2026, 11, 21, 6, tzinfo=UTC),
        generated_by="audit.kim",
    )


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
    assert ("20.0000", "33.3333", "-13.3333") == (
        day.hold_percent,
        day.theoretical_hold_percent,
        day.difference_percent,
    )


def test_each_version_goes_by_its_own_house_edge() -> None:
    """Where the paytable changed within a period, each part of the handle has the edge it was wagered under."""
    parts = [_side(50), _side(50, Fraction(1, 10), version=2)]
    row = _report(week_to_date=(WEEK[0], [_main(1500), *parts])).rows[1]
    assert 22 == row.week_to_date.theoretical_win_cents  # 50 / 3 + 50 / 10 = 21.67
    assert [(1, 600, "1/3", "33.3333"), (2, 100, "1/3", "33.3333")] == [
        (edge.version, edge.handle_cents, edge.house_edge, edge.house_edge_percent) for edge in row.house_edges
    ]


def test_without_an_exact_payback_there_is_no_theoretical_win() -> None:
    """The wager says why, and its game has none either, except of the wagers that have one."""
    report = _report()
    main, game = report.rows[0], report.games[0]
    assert (300, None, None, None) == (
        main.day.win_cents,
        main.day.theoretical_win_cents,
        main.day.theoretical_hold_percent,
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


def test_a_handle_that_was_laid_to_no_submission_is_named() -> None:
    """What was counted before versions were told apart has no theoretical win until it is computed again."""
    report = _report(year_to_date=(YEAR[0], [_main(9000), _side(600)]))
    assert None is report.rows[1].year_to_date.theoretical_win_cents
    assert (None, 100, None) == (
        report.rows[1].house_edges[1].version,
        report.rows[1].house_edges[1].handle_cents,
        report.rows[1].house_edges[1].house_edge,
    )


def test_a_payout_without_a_stake_should_win_nothing() -> None:
    """A bonus that is paid on another wager has no handle: all that it pays is a difference."""
    bonus = {("blackjack", "envy_bonus"): Sums(1, 0, 5000)}
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
    nothing: tuple[dict[tuple[str, str], Sums], list[Wagered]] = ({}, [])
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
