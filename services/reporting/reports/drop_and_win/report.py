"""Drop and win: counted win compared with settled and theoretical win, over a period and to date."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Filled, Identity, Made, Section, fill
from services.reporting.framework.figures import Cell, Figure, total
from services.reporting.read_model.reading import PIT, Books
from services.reporting.read_model.sums import HANDOVER_SHIFT
from services.reporting.reports.common.counted_win import CountedWin, counted_marks
from services.reporting.reports.common.counted_win import together as counted_together
from services.reporting.reports.common.expected_win import ExpectedWin, expected_wins
from services.reporting.reports.common.settled_rounds import settled_rounds
from services.reporting.reports.common.settled_win import SettledWin, lines_identities
from services.reporting.reports.common.settled_win import together as settled_together
from services.reporting.reports.common.spans import (
    OF_PERIOD,
    Span,
    counted_shifts,
    counted_tables,
    days_year_before,
    is_asked,
    span_of,
    spans_to_date,
)
from services.reporting.reports.drop_and_win.cells import (
    Cells,
    at_place,
    cells_of,
    prior_cells,
    settled_cells,
)
from services.reporting.reports.drop_and_win.differences import DIFFERENCES, difference_rows, explained_identity
from services.reporting.reports.drop_and_win.sales import HourOfSales, hours_of_sales
from services.reporting.reports.drop_and_win.sections import (
    GAMES,
    GAMES_TO_DATE,
    HOURS,
    HOUSE_EDGES,
    PITS,
    SHIFTS,
    TABLES,
    TABLES_TO_DATE,
    WAGERS_TO_DATE,
    WHOLE_TO_DATE,
)
from shared.contracts.inventory import PitRecorded, VarianceResolved
from shared.contracts.reports import percent_of
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.win import WinStated


def _grouped(wins: Mapping[str, CountedWin], name_of: Callable[[str], str]) -> dict[str, CountedWin]:
    """Return the total counted win of each group of tables; `name_of` returns the group of a table."""
    groups: dict[str, list[CountedWin]] = {}
    for table, win in wins.items():
        groups.setdefault(name_of(table), []).append(win)
    return {name: counted_together(listed) for name, listed in groups.items()}


def _filled(
    section: Section,
    counted: Mapping[str, CountedWin],
    settled: Mapping[str, SettledWin],
    prior: Mapping[str, CountedWin],
    totals: Cells,
    more: Mapping[str, Cells] | None = None,
) -> Filled:
    """Return a filled section; its total row has `totals` and, even if the count is incomplete, the drop."""
    [key] = section.key
    of_table = key == "table"

    def row(name: str) -> Cells:
        return {
            key: name,
            **(more or {}).get(name, {}),
            **cells_of(*at_place(name, counted, settled), prior.get(name), of_table=of_table),
        }

    return fill(section, Made(sorted({*counted, *settled, *prior}), row), **_added_up(totals, counted, prior))


def _added_up(totals: Cells, counted: Mapping[str, CountedWin], prior: Mapping[str, CountedWin]) -> dict[str, Any]:
    known = {name: cell for name, cell in totals.items() if isinstance(cell, Figure | Cell)}
    return known | {
        "drop_cents": total(win.drop for win in counted.values()),
        "prior_year_drop_cents": total(win.drop for win in prior.values() if not win.missing),
        "missing": Cell(totals.get("missing")),
        **{name: Cell(totals[name]) for name in ("without_house_edge", "stated_house_edge")},
    }


def _single(wins: Mapping[tuple[str, ...], SettledWin]) -> dict[str, SettledWin]:
    return {name: win for (name,), win in wins.items()}


def _whole(span: Span) -> Cells:
    """Return the cells for all tables together; the win is empty while a table is not counted."""
    return cells_of(counted_together(span.counted.values()), span.settled.whole())


async def _fill(books: Books) -> Content:
    spans, shifts, settled_shifts, hours, prior_days = await asyncio.gather(
        spans_to_date(books),
        _shifts(books, (books.question.first, books.question.last)),
        settled_rounds(books, by_shift=True),
        _hours(books),
        days_year_before(books),
    )
    span = spans[OF_PERIOD[books.question.period]]
    tables = _single(span.settled.by("table_name"))
    prior = {} if prior_days is None else await counted_tables(books, *prior_days)
    differences = await difference_rows(books, span)
    expected = await expected_wins(books, books.question.first, books.question.last)
    totals = _whole(span)
    if prior:
        totals |= prior_cells(counted_together(prior.values()))
    where = {
        table: {
            "pit": books.pits_of(table),
            "game": books.game_of(table),
            "kind": books.kind_of(table),
            "play": books.play_of(table),
            "expected_win_cents": expected.get(table, ExpectedWin()).cell,
        }
        for table in {*span.counted, *tables, *prior}
    }
    sections = (
        _filled(TABLES, span.counted, tables, prior, totals, where),
        _filled(
            GAMES,
            _grouped(span.counted, books.game_of),
            _single(span.settled.by("game")),
            _grouped(prior, books.game_of),
            totals,
        ),
        _filled(PITS, *await _pits(books, span), await _prior_pits(books, prior_days, prior), totals),
        _filled(
            SHIFTS,
            shifts,
            _single(settled_shifts.by(HANDOVER_SHIFT)),
            await _shifts(books, prior_days),
            totals,
        ),
        fill(DIFFERENCES, differences),
        fill(HOURS, map(_hour, hours)),
        *_sections_to_date(books, spans),
        fill(HOUSE_EDGES, _house_edges(min(spans.values(), key=lambda one: one.first))),
    )
    identities = [*await lines_identities(books, span.settled.whole())]
    if _is_of_day(books):
        identities.append(await _hours_identity(books, hours))
    if (explained := explained_identity(span, differences)) is not None:
        identities.append(explained)
    return Content(sections, tuple(identities), counted_marks(books))


async def _pits(books: Books, whole: Span) -> tuple[dict[str, CountedWin], dict[str, SettledWin]]:
    """Return (counted win, settled win), each keyed by pit; a table's day counts for the table's pit on that day."""
    stretches = books.stretches(books.question.first, books.question.last, PIT)
    counted: dict[str, list[CountedWin]] = {}
    settled: dict[str, list[SettledWin]] = {}
    for first, last in stretches:
        span = whole if len(stretches) == 1 else await span_of(books, first, last)
        for table, win in span.counted.items():
            counted.setdefault(books.pit_of(table, first), []).append(win)
        for (table,), of_rounds in span.settled.by("table_name").items():
            settled.setdefault(books.pit_of(table, first), []).append(of_rounds)
    return (
        {pit: counted_together(wins) for pit, wins in counted.items()},
        {pit: settled_together(wins) for pit, wins in settled.items()},
    )


async def _prior_pits(
    books: Books, days: tuple[date, date] | None, whole: Mapping[str, CountedWin]
) -> dict[str, CountedWin]:
    """Return the previous year's counted win keyed by pit; a table's day counts for the table's pit on that day."""
    stretches = [] if days is None else books.stretches(*days, PIT)
    found: dict[str, list[CountedWin]] = {}
    for first, last in stretches:
        of_tables = whole if len(stretches) == 1 else await counted_tables(books, first, last)
        for table, win in of_tables.items():
            found.setdefault(books.pit_of(table, first), []).append(win)
    return {pit: counted_together(wins) for pit, wins in found.items()}


async def _shifts(books: Books, days: tuple[date, date] | None) -> dict[str, CountedWin]:
    if days is None:
        return {}
    wins = await counted_shifts(books, *days)
    shifts = dict.fromkeys(shift for _, shift in wins)
    return {shift: counted_together(win for (_, of), win in wins.items() if of == shift) for shift in shifts}


async def _hours(books: Books) -> list[HourOfSales]:
    """Return the sales by hour if a single gaming day is queried, else an empty list."""
    return await hours_of_sales(books) if _is_of_day(books) else []


def _is_of_day(books: Books) -> bool:
    return books.question.first == books.question.last


def _hour(hour: HourOfSales) -> Cells:
    return {
        "hour": hour.hour,
        "sales": hour.sales,
        "sold_for_currency_cents": hour.currency,
        "checks_issued_cents": hour.checks,
        "sold_cents": hour.currency + hour.checks,
    }


async def _hours_identity(books: Books, hours: Iterable[HourOfSales]) -> Identity:
    sold = await books.amounts(("sold_for_currency_cents", "checks_issued_cents"), ("table_name",))
    return Identity(
        "hours and tables",
        total(hour.currency + hour.checks for hour in hours),
        total(figure for (table,), of_table in sold.items() if is_asked(books, table) for figure in of_table.values()),
        "chips sold for currency and Counter Checks: by the hours of the gaming day, and by the tables",
    )


def _sections_to_date(books: Books, spans: Mapping[str, Span]) -> Iterable[Filled]:
    periods: dict[str, Cells] = {name: {"period": name, "first_day": span.first} for name, span in spans.items()}
    order = {name: number for number, name in enumerate(spans)}
    settled = {name: _single(span.settled.by("table_name")) for name, span in spans.items()}
    games = {name: _single(span.settled.by("game")) for name, span in spans.items()}
    counted = {name: _grouped(span.counted, books.game_of) for name, span in spans.items()}
    wagers = {name: span.settled.by("game", "wager") for name, span in spans.items()}

    def of_table(one: tuple[str, str]) -> Cells:
        table, name = one
        cells = cells_of(*at_place(table, spans[name].counted, settled[name]), of_table=True)
        return {"table": table, **periods[name], **cells}

    def of_game(one: tuple[str, str]) -> Cells:
        game, name = one
        return {"game": game, **periods[name], **cells_of(*at_place(game, counted[name], games[name]))}

    def of_wager(one: tuple[tuple[str, ...], str]) -> Cells:
        (game, wager), name = one
        return {"game": game, "wager": wager, **periods[name], **settled_cells(wagers[name][game, wager])}

    def in_order(keys: Iterable[tuple[Any, str]]) -> list[tuple[Any, str]]:
        return sorted(keys, key=lambda one: (one[0], order[one[1]]))

    yield fill(WHOLE_TO_DATE, ({**periods[name], **_whole(span)} for name, span in spans.items()))
    named = ((table, name) for name, span in spans.items() for table in {*span.counted, *settled[name]})
    yield fill(TABLES_TO_DATE, Made(in_order(named), of_table))
    named = ((game, name) for name in spans for game in {*counted[name], *games[name]})
    yield fill(GAMES_TO_DATE, Made(in_order(named), of_game))
    yield fill(WAGERS_TO_DATE, Made(in_order((key, name) for name in spans for key in wagers[name]), of_wager))


def _house_edges(span: Span) -> Iterable[Cells]:
    for (game, wager, version, submission), win in span.settled.by("game", "wager", "version", "submission").items():
        if not win.of("handle_cents").value:
            continue
        edge = span.settled.edges.get((submission, wager))
        known = None if edge is None else edge.house_edge
        yield {
            "game": game,
            "wager": wager,
            "version": version,
            "submission": submission,
            "paytable": None if edge is None else edge.paytable,
            "handle_cents": win.of("handle_cents"),
            "house_edge": None if known is None else str(known),
            "house_edge_percent": None if known is None else percent_of(known, 1),
            "counted": None if edge is None else edge.counted,
            "standard_error": None if edge is None else edge.error_shown,
            "counted_with": None if edge is None or known is None else edge.counted_with,
            "stated_percent": None if edge is None or edge.stated is None else edge.stated.house_edge_percent,
            "source": None if edge is None or edge.stated is None else edge.stated.source,
            "reason": span.settled.lacks.get((game, version, submission, wager), edge and edge.lacks),
        }


DROP_AND_WIN: Final = Report(
    name="drop-and-win",
    title="Drop and win summary",
    about=(
        "Counted drop, win and hold beside handle, payout, settled win and theoretical win, by table, game, "
        "pit and shift, with the same days of the prior year; and the same figures for the gaming day and the "
        "week, month and year to date. Theoretical win is handle x house edge, for the paytable, decks and "
        "options in effect for each wager. The house edge is exact if the cards alone decide; otherwise it is "
        "as the paytable registry counts it for the best play (with a meter: in the long run), with its "
        "standard error; failing that, the licensee's own value, with its source. Exact figures have columns "
        "of their own."
    ),
    sections=(
        *(TABLES, GAMES, PITS, SHIFTS, DIFFERENCES, HOURS),
        *(WHOLE_TO_DATE, TABLES_TO_DATE, GAMES_TO_DATE, WAGERS_TO_DATE, HOUSE_EDGES),
    ),
    sources=(
        *(WinStated, PitRecorded, VarianceResolved),
        *(SettlementPosted, SettlementReversed, SubmissionApproved),
    ),
    fill=_fill,
    signatures=("Revenue audit", "Controller"),
)
