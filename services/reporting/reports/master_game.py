"""The master game report, or stiff sheet: every figure of the win of every table, by shift and by day."""

from typing import Any, Final

from services.reporting.books.boxes import counted_in_boxes
from services.reporting.books.reading import Books, Listed
from services.reporting.kit.definition import Content, Report
from services.reporting.kit.document import Column, Identity, Section, fill
from services.reporting.kit.figures import Cell, Figure, Value
from services.reporting.reports.counted_win import CountedWin, counted_marks, counted_wins, together
from shared.contracts.counts import CountConcluded
from shared.contracts.inventory import AdjustmentApproved, DayFinal, ManualSlipEntered, PitRecorded, SlipVoided

_PLACE: Final = (
    Column(name="pit", title="Pit"),
    Column(name="table", title="Table"),
    Column(name="game", title="Game"),
)
_FIGURES: Final = (
    Column(name="opener_cents", title="Opener", unit="cents", added=True),
    Column(name="fills_cents", title="Fills", unit="cents", added=True),
    Column(name="credits_cents", title="Credits", unit="cents", added=True),
    Column(name="closer_cents", title="Closer", unit="cents", added=True),
    Column(name="currency_cents", title="Currency", unit="cents", added=True, formula="as counted in the box"),
    Column(name="counter_checks_cents", title="Counter Checks", unit="cents", added=True),
    Column(name="prepaid_cents", title="Prepaid access", unit="cents", added=True),
    Column(
        name="coupons_cents",
        title="Coupons (memo)",
        unit="cents",
        added=True,
        formula="stated value of all coupons that were counted, whether law counts them as drop or not",
    ),
    Column(
        name="drop_cents", title="Drop", unit="cents", added=True, formula="the instruments that law counts as drop"
    ),
    Column(name="win_cents", title="Win", unit="cents", formula="by the formula of the jurisdiction's pack"),
    Column(name="hold_percent", title="Hold %", unit="percent", formula="win / drop"),
    Column(name="adjusted_cents", title="Adjustment", unit="cents", added=True, formula="its effect on the win"),
    Column(name="final_win_cents", title="Final win", unit="cents", formula="win + adjustment"),
    Column(name="missing", title="Missing", formula="what has not been counted yet: then there is no win"),
)

TABLES: Final = Section(name="tables", title="By table", key=("table",), columns=(*_PLACE, *_FIGURES))
SHIFTS: Final = Section(
    name="shifts",
    title="By table and shift",
    key=("table", "shift"),
    columns=(*_PLACE, Column(name="shift", title="Shift"), *_FIGURES),
)


async def _fill(books: Books) -> Content:
    tables = await counted_wins(books, "table_name")
    shifts = await counted_wins(books, "table_name", "shift")
    whole = together(tables.values())
    in_shifts = together(shifts.values())
    order = {shift: number for number, shift in enumerate(books.place.shifts)}
    by_shift = sorted(shifts.items(), key=lambda one: (one[0][0], order.get(one[0][1], len(order)), one[0][1]))
    sections = (
        fill(TABLES, (row(books, table, win) for (table,), win in tables.items()), **_totals(whole)),
        fill(
            SHIFTS,
            ({**row(books, table, win), "shift": shift} for (table, shift), win in by_shift),
            **_totals(in_shifts),
        ),
    )
    return Content(sections, await _identities(books, whole, in_shifts), counted_marks(books))


def row(books: Books, table: str, win: CountedWin) -> dict[str, Value | Figure | Cell]:
    """Return the row of a table; while something is missing there is no win."""
    return {
        "pit": books.pit_of(table),
        "table": table,
        "game": books.game_of(table),
        "opener_cents": win.opener,
        "fills_cents": win.fills,
        "credits_cents": win.credits,
        "closer_cents": None if "closer" in win.missing else win.closer,
        "currency_cents": win.currency,
        "counter_checks_cents": win.counter_checks,
        "prepaid_cents": win.prepaid,
        "coupons_cents": win.coupons,
        "drop_cents": win.drop,
        "adjusted_cents": win.adjusted,
        "missing": ", ".join(win.missing) or None,
        **_totals(win),
    }


def _totals(win: CountedWin) -> dict[str, Any]:
    if win.missing:
        return {}
    return {"win_cents": win.win, "hold_percent": win.hold, "final_win_cents": win.final_win}


async def _identities(books: Books, tables: CountedWin, shifts: CountedWin) -> tuple[Identity, ...]:
    found = [
        Identity("tables and shifts", tables.win, shifts.win, "the win of the tables is the win of their shifts"),
        Identity(
            "drop and boxes",
            tables.currency + tables.counter_checks,
            await counted_in_boxes(books),
            "currency and Counter Checks are what the boxes of these gaming days held",
        ),
    ]
    of_day = books.question.first == books.question.last
    for sealed in await books.facts(DayFinal) if of_day else ():
        if not await _changed_since(books, sealed):
            cents = sealed.fact.report["total"]["final_win_cents"] or 0
            says = "the final win is that of the report that was sealed"
            found.append(Identity("sealed report", tables.final_win, Figure(cents, (sealed.entry,)), says))
    return tuple(found)


async def _changed_since(books: Books, sealed: Listed) -> bool:
    """Return whether a table alone is asked for, or amounts came after the seal: then it says something else."""
    if books.question.table is not None:
        return True
    kinds = (PitRecorded, ManualSlipEntered, SlipVoided, CountConcluded, AdjustmentApproved)
    return bool(await books.facts_since(sealed.recorded_at, *kinds))


MASTER_GAME: Final = Report(
    name="master-game",
    title="Master game report",
    about=(
        "Drop and win of every table as counted, by the formula of the law: preliminary until revenue audit and a "
        "second person have sealed the gaming day, restated when something comes after that."
    ),
    sections=(TABLES, SHIFTS),
    sources=(PitRecorded, ManualSlipEntered, SlipVoided, CountConcluded, AdjustmentApproved, DayFinal),
    fill=_fill,
    signatures=("Count room supervisor", "Revenue audit", "Controller"),
)
