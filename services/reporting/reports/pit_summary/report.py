"""Shift and pit summaries: opener, movements, drop, closer, win, head count and dealers by table, pit and shift."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Filled, Identity, Section, fill
from services.reporting.framework.figures import NOTHING, Aggregate, Cell, Figure, explained_by, total
from services.reporting.read_model.pace_of_play import Pace, hours_of, pace_by, ratio, rounds_figure
from services.reporting.read_model.reading import Books
from services.reporting.read_model.shift_times import (
    Times,
    dealers_in_shifts,
    milliseconds_of,
    open_in_shifts,
    played_in_shifts,
    sold_in_shifts,
)
from services.reporting.reports.common.counted_win import (
    NOT_COUNTED,
    CountedWin,
    Missing,
    counted_marks,
    counted_wins,
    together,
)
from services.reporting.reports.common.spans import is_asked
from services.reporting.reports.pit_summary.sections import GAMES, HEADS, PITS, SHIFTS, STAFF, TABLES, WHOLE_PITS
from shared.contracts.inventory import PitRecorded
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.win import WinStated

_Row = dict[str, Any]


@dataclass(frozen=True)
class _Stay:
    """A table in a shift: its counted win, time open, reported sales, rounds, head count and dealers.

    `sold` is None if the table reports no sales. `heads` is the average number of seats that wagered in a round.
    """

    table: str
    shift: str
    pit: str
    game: str
    win: CountedWin
    milliseconds: int
    sold: Figure | None
    rounds: Figure
    heads: Fraction | None
    dealers: tuple[str, ...] = ()

    @property
    def estimated_win(self) -> Figure | None:
        """Return the estimated win, with reported sales as the drop; None if opener, closer or sales are not known."""
        lacks = {one.said.split(" ")[0] for one in self.win.missing}
        if self.sold is None or lacks & {"opener", "closer", "day_count", NOT_COUNTED}:
            return None
        return self.win.closer + self.win.credits + self.sold - self.win.opener - self.win.fills


async def _fill(books: Books) -> Content:
    stays = await _stays(books)
    whole = {
        table: win for (table,), win in (await counted_wins(books, "table_name")).items() if is_asked(books, table)
    }
    heads = await pace_by(books, "table_name", "clock_hour")
    sections = (
        fill(TABLES, (_row(books, stay) for stay in stays)),
        _grouped(GAMES, stays, lambda stay: {"pit": stay.pit, "shift": stay.shift, "game": stay.game}),
        _grouped(PITS, stays, lambda stay: {"pit": stay.pit, "shift": stay.shift}),
        fill(STAFF, map(_staff, stays)),
        _grouped(SHIFTS, stays, lambda stay: {"shift": stay.shift}),
        fill(WHOLE_PITS, _whole_pits(stays, whole)),
        fill(HEADS, _heads(books, heads)),
    )
    return Content(sections, await _identities(books, stays, whole), counted_marks(books))


async def _stays(books: Books) -> list[_Stay]:
    """Return one item per table and shift, ordered by pit, shift and table."""
    counted = {
        (table, shift): win for (table, shift), win in (await counted_wins(books, "table_name", "shift")).items()
    }
    opened, sold = await open_in_shifts(books), await sold_in_shifts(books)
    rounds: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    dealers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in await played_in_shifts(books):
        rounds[one.table, one.shift][0] += one.rounds
        rounds[one.table, one.shift][1] += one.seats
        dealers[one.table, one.shift] |= {one.dealer} - {""}
    for table, shift, dealer in await dealers_in_shifts(books):
        dealers[table, shift].add(dealer)
    order = {shift: number for number, shift in enumerate(books.place.shifts)}
    raked = {table.table for table in books.place.document.tables if table.non_banking}
    found = []
    for key in {*counted, *rounds, *(key for key in sold if key[0] not in raked)}:
        table, shift = key
        if not is_asked(books, table):
            continue
        played, seats = rounds.get(key, (0, 0))
        without = CountedWin(missing=(Missing(table, NOT_COUNTED),))
        reports_sales = books.sales_of(table, books.question.last) != "none"
        found.append(
            _Stay(
                table,
                shift,
                books.pit_of(table, books.question.last),
                books.game_of(table),
                counted.get(key, without),
                milliseconds_of(opened.get(key, ())),
                sold.get(key, NOTHING) if reports_sales else None,
                Figure(played, _entries(books, key, opened.get(key, ()))),
                Fraction(seats, played) if played else None,
                tuple(sorted(dealers.get(key, ()))),
            )
        )
    return sorted(found, key=lambda one: (one.pit, order.get(one.shift, len(order)), one.shift, one.table))


def _entries(books: Books, place: tuple[str, str], times: Times) -> tuple[Aggregate, ...]:
    """Return the provenance of rounds: those closed while the table's shift was open, else in the clock's shift."""
    if not books.explains:
        return ()
    question, (table, shift) = books.question, place
    if not times:
        of_clock = (("table_name", table), ("shift", shift))
        return (Aggregate("played", ("rounds",), question.first, question.last, of_clock),)
    where = (("table_name", table),)
    return tuple(Aggregate("played", ("rounds",), question.first, question.last, where, times_of) for times_of in times)


def _row(books: Books, stay: _Stay) -> _Row:
    return {
        "pit": stay.pit,
        "shift": stay.shift,
        "table": stay.table,
        "game": stay.game,
        "play": books.play_of(stay.table),
        **_figures([stay], stay.win),
    }


def _staff(stay: _Stay) -> _Row:
    return {
        "pit": stay.pit,
        "shift": stay.shift,
        "table": stay.table,
        "dealers": ", ".join(stay.dealers) or None,
        "missing": stay.win.lacks,
    }


def _grouped(section: Section, stays: Iterable[_Stay], place_of: Callable[[_Stay], Mapping[str, str]]) -> Filled:
    """Return a section with the totals of tables in shifts, grouped by `place_of`."""
    groups: dict[tuple[str, ...], list[_Stay]] = defaultdict(list)
    for stay in stays:
        groups[tuple(place_of(stay).values())].append(stay)
    return fill(
        section,
        (
            {**place_of(listed[0]), "tables": len({stay.table for stay in listed}), **_cells(listed)}
            for listed in groups.values()
        ),
    )


def _cells(stays: list[_Stay], win: CountedWin | None = None) -> _Row:
    """Return total figures of tables in shifts, and missing items; `win`, if given, replaces the sum of wins."""
    win = together(stay.win for stay in stays) if win is None else win
    return _figures(stays, win) | {"missing": win.lacks_by_table}


def _figures(stays: list[_Stay], win: CountedWin) -> _Row:
    estimated = [stay.estimated_win for stay in stays]
    sold = [stay.sold for stay in stays if stay.sold is not None]
    heads, rounds = [stay.heads for stay in stays if stay.heads is not None], total(stay.rounds for stay in stays)
    cells: _Row = {
        "open_hours": hours_of(sum(stay.milliseconds for stay in stays)),
        "opener_cents": win.opener,
        "fills_cents": win.fills,
        "credits_cents": win.credits,
        "closer_cents": win.closer,
        "drop_cents": win.drop,
        "estimated_drop_cents": total(sold) if sold else None,
        "rounds": rounds,
        "heads": Cell(ratio(sum(heads, start=Fraction(0)), 1), rounds) if heads else None,
    }
    if None not in estimated:
        cells["estimated_win_cents"] = total(one for one in estimated if one is not None)
    if not win.missing:
        cells |= {"win_cents": win.win, "hold_percent": win.hold}
    return cells


def _whole_pits(stays: Iterable[_Stay], whole: Mapping[str, CountedWin]) -> Iterator[_Row]:
    """Yield a row per pit over all shifts, where hand-overs between shifts are neither openers nor closers."""
    pits: dict[str, list[_Stay]] = defaultdict(list)
    for stay in stays:
        pits[stay.pit].append(stay)
    for pit, listed in pits.items():
        tables = {stay.table for stay in listed}
        wins = [whole.get(table, CountedWin(missing=(Missing(table, NOT_COUNTED),))) for table in sorted(tables)]
        yield {"pit": pit, "tables": len(tables), **_cells(listed, together(wins)), **_day_heads(listed)}


def _day_heads(stays: Iterable[_Stay]) -> _Row:
    """Return the head count over all shifts: seats divided by rounds at each table, summed over tables."""
    seats: dict[str, Fraction] = defaultdict(Fraction)
    rounds: dict[str, list[Figure]] = defaultdict(list)
    for stay in stays:
        if stay.heads is not None:
            seats[stay.table] += stay.heads * stay.rounds.value
            rounds[stay.table].append(stay.rounds)
    if not rounds:
        return {}
    heads = sum((seats[table] / total(listed).value for table, listed in rounds.items()), start=Fraction(0))
    return {"heads": Cell(ratio(heads, 1), explained_by(*(one for listed in rounds.values() for one in listed)))}


def _heads(books: Books, by_hour: Mapping[tuple[str, ...], Pace]) -> Iterator[_Row]:
    groups: dict[tuple[str, int], list[tuple[str, Pace]]] = defaultdict(list)
    for (table, clock_hour), pace in by_hour.items():
        groups[books.pit_of(table, books.question.last), int(clock_hour)].append((table, pace))
    for (pit, hour), listed in sorted(groups.items()):
        rounds = total(rounds_figure(books, pace, table_name=table, clock_hour=str(hour)) for table, pace in listed)
        heads = sum((Fraction(pace.seats, pace.rounds) for _, pace in listed if pace.rounds), start=Fraction(0))
        yield {
            "pit": pit,
            "hour": f"{hour:02}:00",
            "tables": len(listed),
            "rounds": rounds,
            "heads": Cell(ratio(heads, 1), rounds),
        }


async def _identities(books: Books, stays: list[_Stay], whole: Mapping[str, CountedWin]) -> tuple[Identity, ...]:
    """Return the identities that sums over shifts equal the separately summed figures of the gaming day."""
    of_day, of_shifts = together(whole.values()), together(stay.win for stay in stays)
    played = (await books.played()).get((), {})
    counted = played.get("posted", NOTHING) - played.get("reversed", NOTHING)
    sold = await books.amounts(("sold_for_currency_cents", "checks_issued_cents"), ("table_name",))
    reported = {stay.table for stay in stays if stay.sold is not None}
    return (
        Identity("drop of shifts", of_shifts.drop, of_day.drop, "drop: the sum of all shifts, and the gaming day"),
        Identity("win of shifts", of_shifts.win, of_day.win, "win: the sum of all shifts, and the gaming day"),
        Identity(
            "rounds of shifts",
            total(stay.rounds for stay in stays),
            counted,
            "rounds: the sum of all shifts, and settlements posted - reversed",
            "count",
        ),
        Identity(
            "sales of shifts",
            total(stay.sold for stay in stays if stay.sold is not None),
            total(one for (table,), found in sold.items() if table in reported for one in found.values()),
            "chips sold for currency and Counter Checks: the sum of all shifts, and the tables' records",
        ),
    )


PIT_SUMMARY: Final = Report(
    name="pit-summary",
    title="Shift and pit summaries",
    about=(
        "One sheet for each pit and shift, as pits print it: opener, fills, credits, closer, drop and "
        "estimated drop, win or loss, hold, head count, hours open and dealers of every table, and whether "
        "its win is known from rounds or only from counts, with totals by game and for the pit; then the "
        "shifts over all pits, the pits over all shifts, and head counts by hour. All figures agree with the "
        "drop and win summary and with the openers and closers of the same gaming day. Items not yet counted "
        "are listed; until they are, there is an estimated win only."
    ),
    sections=(TABLES, GAMES, PITS, STAFF, SHIFTS, WHOLE_PITS, HEADS),
    sources=(WinStated, PitRecorded, SettlementPosted, SettlementReversed),
    fill=_fill,
    periods=("day",),
    signatures=("Pit manager", "Shift manager", "Revenue audit"),
    sheet=("pit", "shift"),
)
