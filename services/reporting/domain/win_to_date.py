"""The win to date as a document: actual and theoretical win of the day, the week, the month and the year so far.

58 Pa. Code § 465a.1(c)(3). Pure; amounts are cents. The theoretical win of a handle is exact until it is shown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from services.reporting.domain.csv_lines import as_text, cells, headers
from services.reporting.domain.daily_win import WinReport, money
from services.reporting.domain.house_edges import theoretical_win
from shared.contracts.reports import Percent, percent_of, rows_sha256
from shared.contracts.wager_totals import WagerTotals

GameWager = tuple[str, str]
"""(game, wager)"""


def first_days(gaming_day: date) -> dict[str, date]:
    """Return the first day of each period that ends with a gaming day; weeks begin on Monday.

    >>> {name: first.isoformat() for name, first in first_days(date(2026, 11, 20)).items()}
    {'day': '2026-11-20', 'week_to_date': '2026-11-16', 'month_to_date': '2026-11-01', 'year_to_date': '2026-01-01'}
    """
    return {
        "day": gaming_day,
        "week_to_date": gaming_day - timedelta(days=gaming_day.weekday()),
        "month_to_date": gaming_day.replace(day=1),
        "year_to_date": gaming_day.replace(month=1, day=1),
    }


class Wagered(BaseModel):
    """What was wagered on a wager type under one submission, cents, with its exact house edge or why there is none.

    Neither is known where the submission has not come from the registry.
    """

    game: str
    wager: str
    version: int
    submission: str
    handle_cents: int
    paytable: str | None = None
    house_edge: Fraction | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """What was added up from a first gaming day on: totals by game and wager, and what was wagered under what."""

    first: date
    totals: Mapping[GameWager, WagerTotals]
    wagered: Sequence[Wagered]


class ToDate(BaseModel):
    """Figures of a period, in cents, US dollars.

    Win is handle + vigorish + house in bank - payout, before meters. Theoretical win is the sum of handle x house edge,
    exact, shown in whole cents, half a cent to the even one; null where a part of the handle has no exact house edge.
    The difference is actual less theoretical win, rounded once in the same way. Percentages are of handle, half a step
    away from zero, null where nothing was wagered.
    """

    handle_cents: int
    payout_cents: int
    vigorish_cents: int
    house_in_bank_cents: int
    win_cents: int
    win_percent: Percent | None
    theoretical_win_cents: int | None
    theoretical_win_percent: Percent | None
    difference_cents: int | None
    difference_percent: Percent | None


class Columns(BaseModel):
    """The figures of the gaming day, and of its week, month and year up to it."""

    day: ToDate
    week_to_date: ToDate
    month_to_date: ToDate
    year_to_date: ToDate


class HouseEdgeUsed(BaseModel):
    """A house edge that the theoretical win of a wager goes by.

    `handle_cents` is the part of the handle that it is for, of the longest period: the year, or in its first days the
    week. `house_edge` is an exact fraction, `house_edge_percent` the same in percent; both are null
    where no exact payback can be counted, and `reason` says why. `submission` is the hash of the rules submission.
    """

    version: int
    submission: str
    paytable: str | None
    handle_cents: int
    house_edge: str | None
    house_edge_percent: Percent | None
    reason: str | None


class WagerToDate(Columns):
    """A wager type of a game."""

    game: str
    wager: str
    house_edges: list[HouseEdgeUsed]


class TotalToDate(Columns):
    """All wagers; `exact` is the same of those alone that have a theoretical win in the period."""

    exact: Columns


class GameToDate(TotalToDate):
    """All wagers of a game."""

    game: str


class Without(BaseModel):
    """A wager of which there is no exact house edge under a version of the submission, and why."""

    game: str
    wager: str
    version: int
    reason: str


class WinToDate(WinReport):
    """Handle, payout, actual and theoretical win, and their difference, by game and wager.

    `first_days` says where each period begins; all of them end with the gaming day. `status` is that of the day in the
    longest period that is furthest behind. `without_house_edge` lists what was wagered on without an exact house edge.
    """

    title: str = "Win to date by game and wager"
    first_days: dict[str, date]
    rows: list[WagerToDate]
    games: list[GameToDate]
    total: TotalToDate
    without_house_edge: list[Without]


class _Figures(NamedTuple):
    """What a wager did in a period, and exactly what it should have won."""

    totals: WagerTotals
    theoretical: Fraction | None


_Wager = Mapping[str, _Figures]
"""The figures of a wager by period."""


def win_to_date(periods: Mapping[str, Period], **header: Any) -> WinToDate:
    """Return the report of what was added up in the periods of `first_days`, by name."""
    longest = min(periods.values(), key=lambda period: period.first)  # all end together: it holds the others
    wagers: dict[GameWager, _Wager] = {
        key: {name: _figures(key, period) for name, period in periods.items()} for key in sorted(longest.totals)
    }
    rows = [
        WagerToDate(game=key[0], wager=key[1], house_edges=_house_edges(key, longest), **_columns([figures]))
        for key, figures in wagers.items()
    ]
    return WinToDate(
        **header,
        first_days={name: period.first for name, period in periods.items()},
        rows=rows,
        games=[
            GameToDate(game=name, **_total([figures for key, figures in wagers.items() if key[0] == name]))
            for name in sorted({game for game, _ in wagers})
        ],
        total=TotalToDate(**_total(list(wagers.values()))),
        without_house_edge=[
            Without(game=row.game, wager=row.wager, version=edge.version, reason=edge.reason)
            for row in rows
            for edge in row.house_edges
            if edge.reason is not None
        ],
        rows_sha256=rows_sha256(rows),
    )


def _figures(key: GameWager, period: Period) -> _Figures:
    totals = period.totals.get(key) or WagerTotals(wager=key[1])
    parts = ((one.handle_cents, one.house_edge) for one in period.wagered if (one.game, one.wager) == key)
    return _Figures(totals, theoretical_win(parts))


def _columns(wagers: Sequence[_Wager], counts: Callable[[_Figures], bool] = lambda _: True) -> dict[str, ToDate]:
    """Return the figures of wagers together by period, in each of those that count."""
    return {
        period: _to_date([figures[period] for figures in wagers if counts(figures[period])])
        for period in Columns.model_fields
    }


def _total(wagers: Sequence[_Wager]) -> dict[str, Any]:
    exact = Columns(**_columns(wagers, lambda figures: figures.theoretical is not None))
    return {"exact": exact} | _columns(wagers)


def _to_date(wagers: Iterable[_Figures]) -> ToDate:
    wagers = list(wagers)
    actual = money(figures.totals for figures in wagers)
    handle = actual.handle_cents
    known = [figures.theoretical for figures in wagers if figures.theoretical is not None]
    theoretical = sum(known, Fraction(0)) if len(known) == len(wagers) else None
    difference = None if theoretical is None else actual.win_cents - theoretical
    return ToDate(
        **actual.model_dump(include=set(ToDate.model_fields)),
        theoretical_win_cents=None if theoretical is None else round(theoretical),
        theoretical_win_percent=None if theoretical is None else percent_of(theoretical, handle),
        difference_cents=None if difference is None else round(difference),
        difference_percent=None if difference is None else percent_of(difference, handle),
    )


def _house_edges(key: GameWager, longest: Period) -> list[HouseEdgeUsed]:
    return [
        HouseEdgeUsed(
            **one.model_dump(include={"version", "submission", "paytable", "handle_cents"}),
            house_edge=None if one.house_edge is None else str(one.house_edge),
            house_edge_percent=None if one.house_edge is None else percent_of(one.house_edge, 1),
            reason=_reason(one),
        )
        for one in longest.wagered
        if (one.game, one.wager) == key
    ]


def _reason(wagered: Wagered) -> str | None:
    if wagered.house_edge is not None or wagered.reason is not None:
        return wagered.reason
    return f"version {wagered.version} of the rules submission has not come from the registry"


_PERIODS: Final = tuple(Columns.model_fields)
_FIGURES: Final = tuple(ToDate.model_fields)


def as_csv(report: WinToDate) -> str:
    """Return the rows as CSV: each period's figures, amounts in cents and in dollars."""
    head, where = ("property", "gaming_day", "status"), ("game", "wager")
    figures = [header for period in _PERIODS for header in headers(_FIGURES, f"{period}_")]
    lines = (
        [
            *cells(report, head),
            *cells(row, where),
            *(cell for period in _PERIODS for cell in cells(getattr(row, period), _FIGURES)),
            "; ".join(edge.reason for edge in row.house_edges if edge.reason is not None),
        ]
        for row in report.rows
    )
    return as_text([*head, *where, *figures, "without_house_edge"], lines)
