"""The master game report, or stiff sheet: every figure of each table's win, by shift and by day."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Identity, Section, fill
from services.reporting.framework.figures import Cell, Figure, Value
from services.reporting.read_model.reading import Books, Listed
from services.reporting.reports.common.cells import PITS_OF_TABLE
from services.reporting.reports.common.counted_win import KIND, PLAY, CountedWin, counted_marks, counted_wins, together
from shared.contracts.inventory import DayFinal, DayPreliminary
from shared.contracts.win import WinStated

_PLACE: Final = (
    PITS_OF_TABLE,
    Column(name="table", title="Table"),
    Column(name="game", title="Game"),
    KIND,
    PLAY,
)
_FIGURES: Final = (
    Column(name="opener_cents", title="Opener", unit="cents", added=True),
    Column(name="fills_cents", title="Fills", unit="cents", added=True),
    Column(name="credits_cents", title="Credits", unit="cents", added=True),
    Column(name="closer_cents", title="Closer", unit="cents", added=True),
    Column(name="currency_cents", title="Currency", unit="cents", added=True, formula="counted in the box"),
    Column(name="counter_checks_cents", title="Counter Checks", unit="cents", added=True),
    Column(name="prepaid_cents", title="Prepaid access", unit="cents", added=True),
    Column(
        name="coupons_cents",
        title="Coupons (memo)",
        unit="cents",
        added=True,
        formula="stated value of all counted coupons, whether or not the law includes them in the drop",
    ),
    Column(
        name="drop_cents",
        title="Drop",
        unit="cents",
        added=True,
        formula="counted instruments that the law includes in the drop",
    ),
    Column(name="win_cents", title="Win", unit="cents", formula="by the formula of the jurisdiction's pack"),
    Column(
        name="counted_win_cents",
        title="Win by count",
        unit="cents",
        formula="part of the win known only from counts, at a counted table, which reports no rounds",
    ),
    Column(name="hold_percent", title="Hold %", unit="percent", formula="win / drop"),
    Column(
        name="adjusted_cents",
        title="Adjustment",
        unit="cents",
        added=True,
        formula="effect of approved adjustments on the win",
    ),
    Column(name="final_win_cents", title="Final win", unit="cents", formula="win + adjustment"),
    Column(
        name="missing",
        title="Missing",
        formula="items that the day lacks, and since when; until they arrive, there is no win",
    ),
)

TABLES: Final = Section(name="tables", title="By table", key=("table",), columns=(*_PLACE, *_FIGURES))
SHIFTS: Final = Section(
    name="shifts",
    title="By table and shift",
    key=("table", "shift"),
    columns=(
        *_PLACE,
        Column(name="shift", title="Shift"),
        *(
            replace(one, added=False, formula="in the total: of the gaming day")
            if one.name in ("opener_cents", "closer_cents")
            else one
            for one in _FIGURES
        ),
    ),
)
"""The totals of openers and closers are not sums but those of `TABLES`: a shift's closer is the next shift's opener."""

EXCUSED: Final = Section(
    name="excused",
    title="Excused tables (nothing counted, moved or played)",
    key=("gaming_day", "table"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        *_PLACE[:2],
        Column(name="reason", title="Reason"),
        Column(name="excused_by", title="Excused by"),
    ),
)


async def _fill(books: Books) -> Content:
    tables = await counted_wins(books, "table_name")
    shifts = await counted_wins(books, "table_name", "shift")
    whole = together(tables.values())
    order = {shift: number for number, shift in enumerate(books.place.shifts)}
    by_shift = sorted(shifts.items(), key=lambda one: (one[0][0], order.get(one[0][1], len(order)), one[0][1]))
    sections = (
        fill(TABLES, (_row(books, table, win) for (table,), win in tables.items()), **_total(whole)),
        fill(
            SHIFTS,
            ({**_row(books, table, win), "shift": shift} for (table, shift), win in by_shift),
            **{"opener_cents": whole.opener, "closer_cents": whole.closer, **_total(whole)},
        ),
        fill(EXCUSED, [row for closed in await books.facts(DayPreliminary) for row in _excused(books, closed)]),
    )
    return Content(sections, await _identities(books, whole), counted_marks(books))


def _row(books: Books, table: str, win: CountedWin) -> dict[str, Value | Figure | Cell]:
    """Return the row of a table; the win is empty while an item of the table's day is missing."""
    return {
        "pit": books.pits_of(table),
        "table": table,
        "game": books.game_of(table),
        "kind": books.kind_of(table),
        "play": books.play_of(table),
        "opener_cents": win.opener,
        "fills_cents": win.fills,
        "credits_cents": win.credits,
        "closer_cents": win.closer if win.closer.value or not win.missing else None,
        "currency_cents": win.currency,
        "counter_checks_cents": win.counter_checks,
        "prepaid_cents": win.prepaid,
        "coupons_cents": win.coupons,
        "drop_cents": win.drop,
        "adjusted_cents": win.adjusted,
        "missing": win.lacks,
        **_win(win),
    }


def _total(win: CountedWin) -> dict[str, Any]:
    return {"missing": Cell(win.lacks_by_table), **_win(win)} if win.missing else _win(win)


def _win(win: CountedWin) -> dict[str, Any]:
    if win.missing:
        return {}
    return {
        "win_cents": win.win,
        "counted_win_cents": win.counted_win,
        "hold_percent": win.hold,
        "final_win_cents": win.final_win,
    }


def _excused(books: Books, closed: Listed) -> Iterator[dict[str, Any]]:
    for one in closed.fact.excused:
        if books.question.table in (None, one.table):
            yield {
                "gaming_day": closed.gaming_day,
                "pit": books.pit_of(one.table, closed.fact.gaming_day),
                "table": one.table,
                "reason": Cell(one.reason, (closed.entry,)),
                "excused_by": closed.fact.preliminary_by,
            }


async def _identities(books: Books, tables: CountedWin) -> tuple[Identity, ...]:
    """Return the identity that the win of a sealed day without restatements equals the win in its sealed report."""
    question = books.question
    if question.first != question.last or question.table is not None:
        return ()
    found = []
    for sealed in await books.facts(DayFinal):
        if not await books.facts_since(sealed.recorded_at, WinStated):
            cents = sealed.fact.report["total"]["final_win_cents"] or 0
            says = "the final win of these figures equals that of the sealed report"
            found.append(Identity("sealed report", tables.final_win, Figure(cents, (sealed.entry,)), says))
    return tuple(found)


MASTER_GAME: Final = Report(
    name="master-game",
    title="Master game report",
    about=(
        "Counted drop and win of every table by the legal formula, as table inventory states them: "
        "preliminary until revenue audit and a second person have sealed the gaming day, restated if records "
        "arrive later. Missing items are listed with their table; until they arrive, neither the table nor "
        "the total has a win. Excused tables are listed."
    ),
    sections=(TABLES, SHIFTS, EXCUSED),
    sources=(WinStated, DayPreliminary, DayFinal),
    fill=_fill,
    signatures=("Count room supervisor", "Revenue audit", "Controller"),
)
