"""Hold variance: the monthly hold of tables and games compared with a base, by the legal method in force."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Mark, Section, fill
from services.reporting.framework.figures import Cell, Figure, explained_by
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.cells import PITS_OF_TABLE
from services.reporting.reports.common.counted_win import CountedWin, counted_marks, counted_wins
from services.reporting.reports.common.counted_win import together as counted_together
from services.reporting.reports.common.expected_win import ExpectedWin, expected_wins
from services.reporting.reports.common.settled_rounds import settled_rounds
from services.reporting.reports.common.settled_win import SettledWin, together
from services.reporting.reports.common.spans import counted_tables, is_asked
from services.reporting.reports.hold_variances.hold_variance import METHODS, Hold, chance_of_days, chance_of_wagers
from services.reporting.reports.hold_variances.investigations import Investigation, investigations_of
from shared.contracts.investigations import InvestigationAssigned, InvestigationConcluded, InvestigationOpened
from shared.contracts.reports import percent_of
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.win import WinStated
from shared.jurisdictions.model import HoldVariance

_THIRTY_DAYS: Final = timedelta(days=29)
"""The time from the first to the last of thirty gaming days."""

_FIGURES: Final = (
    Column(name="basis", title="Basis", formula="denominator of the hold: drop, handle, or handle with exact edges"),
    Column(name="basis_cents", title="Basis amount", unit="cents", formula="drop or handle of the period"),
    Column(
        name="win_cents", title="Win", unit="cents", formula="win of the period; the counted win if the basis is drop"
    ),
    Column(name="actual_percent", title="Actual %", unit="percent", formula="win / basis amount"),
    Column(name="base_percent", title="Base %", unit="percent", formula="hold of the base, on the same basis"),
    Column(
        name="base",
        title="Base",
        formula=(
            "prior_year, lifetime or theoretical, as the pack defines; expected: the property's expected hold, "
            "for a counted table without any of these"
        ),
    ),
    Column(name="base_first_day", title="Base from", unit="day"),
    Column(name="base_last_day", title="Base to", unit="day"),
    Column(name="method", title="Method", formula="percentage_points, percent (of the base) or confidence_interval"),
    Column(
        name="deviation_percent",
        title="Deviation",
        unit="percent",
        formula="actual - base, in percentage points; with the method percent, as a percentage of the base",
    ),
    Column(
        name="limit_percent",
        title="Limit",
        unit="percent",
        formula=(
            "threshold; with the method confidence_interval, half the width of the interval: from exact "
            "variances, or from the daily wins"
        ),
    ),
    Column(name="flag", title="Flag", formula="investigate: the absolute deviation exceeds the limit"),
    Column(name="missing", title="Missing", formula="why no comparison is possible"),
    Column(
        name="investigation", title="Investigation no.", formula="latest investigation of this hold opened in the month"
    ),
    Column(name="owner", title="Owner", formula="person who investigates the variance"),
    Column(name="conclusion", title="Conclusion"),
    Column(name="concluded_at", title="Concluded at", unit="moment"),
)

TABLES: Final = Section(
    name="tables",
    title="By table",
    key=("table",),
    columns=(
        *(PITS_OF_TABLE, Column(name="table", title="Table"), Column(name="game", title="Game")),
        *_FIGURES,
    ),
)
GAMES: Final = Section(
    name="games", title="By game", key=("game",), columns=(Column(name="game", title="Game"), *_FIGURES)
)


@dataclass(frozen=True, slots=True)
class _Measured:
    """A win over some days, and its basis (drop or handle); `missing` names the items not counted yet."""

    win: Figure
    basis: Figure
    missing: str | None = None

    @property
    def share(self) -> Fraction | None:
        """Return the hold, win divided by basis; None if the basis is zero."""
        return None if self.missing or self.basis.value <= 0 else Fraction(self.win.value, self.basis.value)


@dataclass(frozen=True, slots=True)
class _Compared:
    """The hold of a table or game, the base to compare it with, and the standard deviation by chance.

    `source` is set if the base is not the one that law requires; then the hold is a share of the drop.
    """

    actual: _Measured
    base: Fraction | None
    base_days: tuple[date, date] | None
    chance: float | None = None
    source: str | None = None


async def _fill(books: Books) -> Content:
    last = books.question.last
    law = books.place.law.limits.hold_variance.on(last).value
    first = last - _THIRTY_DAYS if law.period == "rolling_30_days" else books.question.first
    basis: str = books.place.law.win.hold_basis.on(last).value
    if law.base == "theoretical":
        basis = "handle with exact edges"
        tables, games = await _theoretical(books, first)
    else:
        tables, games = await _of_days(books, law, first, basis == "drop")
    of_tables, of_games = await _expected(books, first)
    tables, games = _with_a_base(tables, of_tables), _with_a_base(games, of_games)
    row, investigations = _Row(law, basis), await investigations_of(books)
    compared_days = books.asked(first=first)
    sections = (
        fill(
            TABLES,
            (
                {"pit": compared_days.pits_of(table), "table": table, "game": books.game_of(table)}
                | row.of(compared)
                | _investigated(investigations.get(("table", table)))
                for table, compared in sorted(tables.items())
            ),
        ),
        fill(
            GAMES,
            (
                {"game": game} | row.of(compared) | _investigated(investigations.get(("game", game)))
                for game, compared in sorted(games.items())
            ),
        ),
    )
    return Content(sections, marks=(*_marks(books), *counted_marks(books)))


def _investigated(found: Investigation | None) -> dict[str, Any]:
    return {} if found is None else found.cells


@dataclass(frozen=True, slots=True)
class _Row:
    """Creates report rows from comparisons, using the legal method and the basis of hold."""

    law: HoldVariance
    basis: str

    def of(self, compared: _Compared) -> dict[str, Any]:
        """Return the cells of the row for a comparison."""
        actual, share = compared.actual, compared.actual.share
        days = compared.base_days
        cells: dict[str, Any] = {
            "basis": self.basis if compared.source is None else "drop",
            "basis_cents": actual.basis,
            "win_cents": None if actual.missing else actual.win,
            "actual_percent": None
            if share is None
            else Cell(percent_of(share, 1), explained_by(actual.win, actual.basis)),
            "base_percent": None if compared.base is None else percent_of(compared.base, 1),
            "base": compared.source or self.law.base,
            "base_first_day": days and days[0],
            "base_last_day": days and days[1],
            "method": self.law.method,
        }
        if share is None or compared.base is None:
            return cells | {"missing": actual.missing or ("base" if compared.base is None else "play")}
        found = METHODS[self.law.method](Hold(share, compared.base, compared.chance), Fraction(str(self.law.threshold)))
        if found is None:
            return cells | {"missing": "days"}
        return cells | {
            "deviation_percent": percent_of(found.deviation, 1),
            "limit_percent": percent_of(found.limit, 1),
            "flag": "investigate" if found.investigated else None,
        }


async def _theoretical(books: Books, first: date) -> tuple[dict[str, _Compared], dict[str, _Compared]]:
    """Compare the hold of wagers whose return has an exact distribution with their theoretical hold."""
    settled = await settled_rounds(books, first, books.question.last)
    days = (first, books.question.last)

    def compared(dimension: str) -> dict[str, _Compared]:
        found: dict[str, list[SettledWin]] = {}
        for (name, submission, wager), win in settled.by(dimension, "submission", "wager").items():
            edge = settled.edges.get((submission, wager))
            if edge is not None and edge.returns is not None:
                found.setdefault(name, []).append(win)
        return {
            name: _Compared(
                _Measured(win.exact.win, win.exact.handle),
                win.exact.cents / win.exact.handle.value if win.exact.handle.value > 0 else None,
                days,
                chance_of_wagers(win.variance, win.exact.handle.value),
            )
            for name, win in ((name, together(wins)) for name, wins in found.items())
        }

    return compared("table_name"), compared("game")


async def _expected(books: Books, first: date) -> tuple[dict[str, _Compared], dict[str, _Compared]]:
    """Compare the hold of counted tables with the hold that the property expects of their games."""
    tables = await expected_wins(books, first, books.question.last)
    games: dict[str, ExpectedWin] = {}
    for table, win in tables.items():
        games[books.game_of(table)] = games.get(books.game_of(table), ExpectedWin()) + win
    return (
        {name: _as_expected(win) for name, win in tables.items()},
        {name: _as_expected(win) for name, win in games.items()},
    )


def _as_expected(win: ExpectedWin) -> _Compared:
    days = [day for day, _, _ in win.days]
    chance = None if win.hold is None else chance_of_days(win.by_day(), win.hold)
    return _Compared(_Measured(win.win, win.drop), win.hold, (min(days), max(days)), chance, "expected")


def _with_a_base(found: Mapping[str, _Compared], expected: Mapping[str, _Compared]) -> dict[str, _Compared]:
    """Return the comparisons, replaced by comparisons with the expected hold where the legal base is unknown."""
    lacking = {name for name, one in found.items() if one.base is None and not one.actual.missing}
    return {**found, **{name: one for name, one in expected.items() if name in lacking or name not in found}}


async def _of_days(
    books: Books, law: HoldVariance, first: date, of_drop: bool
) -> tuple[dict[str, _Compared], dict[str, _Compared]]:
    """Compare the hold, by table and by game, with the hold of other days: the previous year, or all recorded days."""
    last, known = books.question.last, await books.first_day()
    match law.base:
        case "prior_year":
            wanted = date(last.year - 1, 1, 1), date(last.year - 1, 12, 31)
        case _:
            wanted = date.min, last
    days = None if known is None or known > wanted[1] else (max(known, wanted[0]), wanted[1])
    first = max(first, min(known or first, last))
    actual = await _measured(books, first, last, of_drop=of_drop)
    base = ({}, {}) if days is None else await _measured(books, *days, of_drop=of_drop)
    scattered = law.method == "confidence_interval"
    by_day = await _measured_days(books, first, last, of_drop=of_drop) if scattered else ({}, {})

    def compared(
        now: Mapping[str, _Measured], then: Mapping[str, _Measured], each: Mapping[str, list[tuple[int, int]]]
    ) -> dict[str, _Compared]:
        found = {}
        for name, measured in now.items():
            share = then[name].share if name in then else None
            chance = None if share is None else chance_of_days(each.get(name, []), share)
            found[name] = _Compared(measured, share, days if share is not None else None, chance)
        return found

    return compared(actual[0], base[0], by_day[0]), compared(actual[1], base[1], by_day[1])


async def _measured(
    books: Books, first: date, last: date, *, of_drop: bool
) -> tuple[dict[str, _Measured], dict[str, _Measured]]:
    """Return wins with their basis: one mapping by table, and one by game."""
    if not of_drop:
        settled = await settled_rounds(books, first, last)
        by_table, by_game = settled.by("table_name"), settled.by("game")
        return (
            {table: _of_handle(win) for (table,), win in by_table.items()},
            {game: _of_handle(win) for (game,), win in by_game.items()},
        )
    counted = await counted_tables(books, first, last)
    games: dict[str, list[CountedWin]] = {}
    for table, win in counted.items():
        games.setdefault(books.game_of(table), []).append(win)
    return (
        {table: _of_drop(win, win.lacks) for table, win in counted.items()},
        {game: _of_drop(win := counted_together(wins), win.lacks_by_table) for game, wins in games.items()},
    )


async def _measured_days(
    books: Books, first: date, last: date, *, of_drop: bool
) -> tuple[dict[str, list[tuple[int, int]]], dict[str, list[tuple[int, int]]]]:
    """Return (win, basis) of each day in cents: one mapping by table, and one by game."""
    days: Iterable[tuple[str, str, _Measured]]
    if of_drop:
        wins = await counted_wins(books, "gaming_day", "table_name", first=first, last=last)
        days = ((day, table, _of_drop(win, win.lacks)) for (day, table), win in wins.items() if is_asked(books, table))
    else:
        rounds = await books.rounds(("gaming_day", "table_name"), first=first, last=last)
        days = ((day, table, _of_handle(SettledWin(figures))) for (day, table), figures in rounds.items())
    tables: dict[str, list[tuple[int, int]]] = {}
    games: dict[tuple[str, str], tuple[int, int]] = {}
    for day, table, measured in days:
        if measured.missing is None:
            win, basis = measured.win.value, measured.basis.value
            tables.setdefault(table, []).append((win, basis))
            before = games.get((books.game_of(table), day), (0, 0))
            games[books.game_of(table), day] = (before[0] + win, before[1] + basis)
    of_games: dict[str, list[tuple[int, int]]] = {}
    for (game, _), figures in games.items():
        of_games.setdefault(game, []).append(figures)
    return tables, of_games


def _of_drop(win: CountedWin, lacks: str | None) -> _Measured:
    return _Measured(win.win, win.drop, lacks)


def _of_handle(win: SettledWin) -> _Measured:
    return _Measured(win.win, win.of("handle_cents"))


def _marks(books: Books) -> Iterable[Mark]:
    law, day = books.place.law, books.question.last
    dated: Mapping[str, Any] = {
        "hold variance": law.limits.hold_variance.on(day),
        "what hold is a share of": law.win.hold_basis.on(day),
    }
    return (Mark(what, one.source, one.note or "") for what, one in dated.items() if one.status == "unconfirmed")


HOLD_VARIANCE: Final = Report(
    name="hold-variance",
    title="Hold variance",
    about=(
        "Hold of each table and game over the month (or the thirty days ending with it, as the jurisdiction's "
        "pack defines) against a base: the hold of the prior year or of all recorded days, or the theoretical "
        "hold. Deviations above the legal limit are flagged, with the number, owner and conclusion of their "
        "investigation."
    ),
    sections=(TABLES, GAMES),
    sources=(
        *(WinStated, SettlementPosted, SettlementReversed),
        *(InvestigationOpened, InvestigationAssigned, InvestigationConcluded),
    ),
    fill=_fill,
    periods=("month",),
    signatures=("Revenue audit", "Controller"),
)
