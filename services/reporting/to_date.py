"""The win to date as a document: actual and theoretical win of the day, the week, the month and the year so far.

58 Pa. Code § 465a.1(c)(3). Pure; amounts are cents. The theoretical win of a handle is exact until it is shown.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from pydantic import BaseModel, Field

from services.reporting.documents import Reached, Status, Sums, add_up, dollars, rows_sha256
from services.reporting.figures import hold_percent, theoretical_win, whole_cents

TITLE = "Win to date by game and wager"

GameWager = tuple[str, str]
"""(game, wager)"""


def first_days(gaming_day: date) -> dict[str, date]:
    """The first day of each period that ends with a gaming day; weeks begin on Monday.

    >>> {name: first.isoformat() for name, first in first_days(date(2026, 11, 20)).items()}
    {'day': '2026-11-20', 'week_to_date': '2026-11-16', 'month_to_date': '2026-11-01', 'year_to_date': '2026-01-01'}
    """
    return {
        "day": gaming_day,
        "week_to_date": gaming_day - timedelta(days=gaming_day.weekday()),
        "month_to_date": gaming_day.replace(day=1),
        "year_to_date": gaming_day.replace(month=1, day=1),
    }


PERIODS = tuple(first_days(date.min))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wagered:
    """What was wagered on a wager type under one submission, cents, with its exact house edge or why there is none.

    Neither is known where the submission has not come from the registry.
    """

    game: str
    wager: str
    version: int
    submission: str
    handle: int
    paytable: str | None = None
    house_edge: Fraction | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """What was added up from a first gaming day on: sums by game and wager, and what was wagered under what."""

    first: date
    sums: Mapping[GameWager, Sums]
    wagered: Sequence[Wagered]


class ToDate(BaseModel):
    """Figures of a period, in cents, US dollars.

    Win is handle + vigorish + house in bank - payout, before meters. Theoretical win is the sum of handle x house edge,
    exact, shown in whole cents, half a cent to the even one; null where a part of the handle has no exact house edge.
    The difference is actual less theoretical win, rounded once in the same way. Percentages are of handle, to four
    decimals, half a step away from zero, null where nothing was wagered.
    """

    handle_cents: int
    payout_cents: int
    vigorish_cents: int
    house_in_bank_cents: int
    win_cents: int
    hold_percent: str | None
    theoretical_win_cents: int | None
    theoretical_hold_percent: str | None
    difference_cents: int | None
    difference_percent: str | None


class Columns(BaseModel):
    """The figures of the gaming day, and of its week, month and year up to it."""

    day: ToDate
    week_to_date: ToDate
    month_to_date: ToDate
    year_to_date: ToDate


class HouseEdgeUsed(BaseModel):
    """A house edge that the theoretical win of a wager goes by.

    `handle_cents` is the part of the handle that it is for, of the longest period: the year, or in its first days the
    week. `house_edge` is an exact fraction, `house_edge_percent` the same in percent to four decimals; both are null
    where no exact payback can be counted, and `reason` says why. `submission` is the hash of the rules submission.
    """

    version: int | None
    submission: str | None
    paytable: str | None
    handle_cents: int
    house_edge: str | None
    house_edge_percent: str | None
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
    """A wager of which, for the version of the submission or for all, there is no exact house edge, and why."""

    game: str
    wager: str
    version: int | None
    reason: str


class WinToDate(BaseModel):
    """Handle, payout, actual and theoretical win and hold, and their difference, by game and wager.

    `first_days` says where each period begins; all of them end with the gaming day. `without_house_edge` lists what was
    wagered on without an exact house edge. `through`, `exceptions_open` and `rows_sha256` are as in
    the daily win.
    """

    title: str = TITLE
    property: str
    system_version: str
    gaming_day: date
    first_days: dict[str, date]
    table: str | None = Field(description="the table that was asked for; null: all")
    game: str | None = Field(description="the game that was asked for; null: all")
    status: Status = "preliminary"
    generated_at: datetime
    generated_by: str
    through: list[Reached]
    exceptions_open: int
    rows: list[WagerToDate]
    games: list[GameToDate]
    total: TotalToDate
    without_house_edge: list[Without]
    rows_sha256: str


class _Figures(NamedTuple):
    """What a wager did in a period: its sums, and exactly what it should have won."""

    sums: Sums
    theoretical: Fraction | None


_Wager = Mapping[str, _Figures]
"""The figures of a wager by period."""


def win_to_date(
    *,
    property_name: str,
    gaming_day: date,
    table: str | None,
    game: str | None,
    periods: Mapping[str, Period],
    through: Sequence[Reached],
    exceptions_open: int,
    system_version: str,
    generated_at: datetime,
    generated_by: str,
) -> WinToDate:
    """The report of what was added up in the periods of `first_days`, by name."""
    longest = min(periods.values(), key=lambda period: period.first)  # all end together: it holds the others
    wagers: dict[GameWager, _Wager] = {
        key: {name: _figures(key, period) for name, period in periods.items()} for key in sorted(longest.sums)
    }
    rows = [
        WagerToDate(game=key[0], wager=key[1], house_edges=_house_edges(key, longest), **dict(_columns([figures])))
        for key, figures in wagers.items()
    ]
    games = sorted({name for name, _ in wagers})
    return WinToDate(
        property=property_name,
        system_version=system_version,
        gaming_day=gaming_day,
        first_days={name: period.first for name, period in periods.items()},
        table=table,
        game=game,
        generated_at=generated_at,
        generated_by=generated_by,
        through=list(through),
        exceptions_open=exceptions_open,
        rows=rows,
        games=[
            GameToDate(game=name, **dict(_total([figures for key, figures in wagers.items() if key[0] == name])))
            for name in games
        ],
        total=_total(list(wagers.values())),
        without_house_edge=[
            Without(game=row.game, wager=row.wager, version=edge.version, reason=edge.reason)
            for row in rows
            for edge in row.house_edges
            if edge.reason is not None
        ],
        rows_sha256=rows_sha256(rows),
    )


def _figures(key: GameWager, period: Period) -> _Figures:
    sums = period.sums.get(key, Sums())
    parts = ((one.handle, one.house_edge) for one in period.wagered if (one.game, one.wager) == key)
    return _Figures(sums, theoretical_win(sums.handle, parts))


def _columns(wagers: Sequence[_Wager], counts: Callable[[_Figures], bool] = lambda _: True) -> Columns:
    """The columns of wagers together, in each period of those that count."""

    def column(name: str) -> ToDate:
        return _to_date([figures[name] for figures in wagers if counts(figures[name])])

    return Columns(
        day=column("day"),
        week_to_date=column("week_to_date"),
        month_to_date=column("month_to_date"),
        year_to_date=column("year_to_date"),
    )


def _total(wagers: Sequence[_Wager]) -> TotalToDate:
    exact = _columns(wagers, lambda figures: figures.theoretical is not None)
    return TotalToDate(exact=exact, **dict(_columns(wagers)))


def _to_date(wagers: Sequence[_Figures]) -> ToDate:
    sums = add_up(figures.sums for figures in wagers)
    known = [figures.theoretical for figures in wagers if figures.theoretical is not None]
    theoretical = sum(known, Fraction(0)) if len(known) == len(wagers) else None
    difference = None if theoretical is None else sums.win - theoretical
    return ToDate(
        handle_cents=sums.handle,
        payout_cents=sums.payout,
        vigorish_cents=sums.vigorish,
        house_in_bank_cents=sums.house_in_bank,
        win_cents=sums.win,
        hold_percent=hold_percent(sums.win, sums.handle),
        theoretical_win_cents=None if theoretical is None else whole_cents(theoretical),
        theoretical_hold_percent=None if theoretical is None else hold_percent(theoretical, sums.handle),
        difference_cents=None if difference is None else whole_cents(difference),
        difference_percent=None if difference is None else hold_percent(difference, sums.handle),
    )


def _house_edges(key: GameWager, longest: Period) -> list[HouseEdgeUsed]:
    used = [one for one in longest.wagered if (one.game, one.wager) == key]
    edges = [
        HouseEdgeUsed(
            version=one.version,
            submission=one.submission,
            paytable=one.paytable,
            handle_cents=one.handle,
            house_edge=None if one.house_edge is None else str(one.house_edge),
            house_edge_percent=None if one.house_edge is None else hold_percent(one.house_edge, 1),
            reason=_reason(one),
        )
        for one in used
    ]
    left = longest.sums[key].handle - sum(one.handle for one in used)
    if left:
        reason = "counted without its rules submission; compute the reports again"
        edges.append(
            HouseEdgeUsed(
                version=None,
                submission=None,
                paytable=None,
                handle_cents=left,
                house_edge=None,
                house_edge_percent=None,
                reason=reason,
            )
        )
    return edges


def _reason(wagered: Wagered) -> str | None:
    if wagered.house_edge is not None or wagered.reason is not None:
        return wagered.reason
    return f"version {wagered.version} of the rules submission has not come from the registry"


# --- CSV ---


def as_csv(report: WinToDate) -> str:
    """The rows as CSV (RFC 4180) with a header line: each period's figures, amounts in cents and in dollars."""
    text = io.StringIO()
    csv.writer(text).writerows(_lines(report))
    return text.getvalue()


def _lines(report: WinToDate) -> Iterator[list[Any]]:
    figures = [f"{period}_{header}" for period in PERIODS for name in ToDate.model_fields for header in _headers(name)]
    yield ["property", "gaming_day", "status", "game", "wager", *figures, "without_house_edge"]
    for row in report.rows:
        cells = [
            cell
            for period in PERIODS
            for name, value in getattr(row, period)
            for cell in ((value, None if value is None else dollars(value)) if _is_amount(name) else (value,))
        ]
        reasons = "; ".join(edge.reason for edge in row.house_edges if edge.reason is not None)
        where = [report.property, report.gaming_day.isoformat(), report.status, row.game, row.wager]
        yield [*where, *cells, reasons]


def _is_amount(name: str) -> bool:
    return name.endswith("_cents")


def _headers(name: str) -> tuple[str, ...]:
    return (name, f"{name.removesuffix('_cents')}_dollars") if _is_amount(name) else (name,)
