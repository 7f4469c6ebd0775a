"""The table inventories of gaming days: every slip with its denominations, and the tables that have none."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

from services.reporting.books.reading import Books
from services.reporting.books.windows import Count, counts_of
from services.reporting.kit.definition import Content, Report
from services.reporting.kit.document import Column, Identity, Section, fill
from services.reporting.kit.figures import NOTHING, Figure, total
from services.reporting.reports.pieces import pieces_text
from shared.contracts.inventory import PitRecorded

_SLIP: Final = (
    Column(name="pit", title="Pit"),
    Column(name="table", title="Table"),
    Column(name="slip", title="Slip", formula="the place of the count in the table's pit stream"),
)

SLIPS: Final = Section(
    name="slips",
    title="Table inventory slips",
    key=("table", "slip"),
    columns=(
        *_SLIP,
        Column(name="game", title="Game"),
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="shift", title="Shift"),
        Column(name="at", title="Counted at", unit="moment"),
        Column(
            name="purpose",
            title="Purpose",
            formula="opener, closer, shift, drop, spot or carried; missing: the table has no slip of the gaming day",
            source="58 Pa. Code § 465a.36",
        ),
        Column(name="begins_day", title="Opens day", unit="day", formula="the gaming day that begins with the count"),
        Column(name="begins_shift", title="Opens shift"),
        Column(name="denominations", title="Denominations"),
        Column(name="total_cents", title="Total", unit="cents"),
        Column(
            name="difference_cents",
            title="From previous closer",
            unit="cents",
            formula="an opener less the count before it at the table; nothing for other counts",
        ),
        Column(name="counted_by", title="Counted by"),
        Column(name="observed_by", title="Observed by"),
    ),
)

DENOMINATIONS: Final = Section(
    name="denominations",
    title="Denominations of the last slip of each table",
    key=("table", "kind", "denomination_cents"),
    columns=(
        *_SLIP,
        Column(name="kind", title="Kind", formula="chip, coin or plaque"),
        Column(name="denomination_cents", title="Denomination", unit="cents"),
        Column(name="pieces", title="Pieces", unit="count", added=True),
        Column(name="cents", title="Value", unit="cents", added=True),
    ),
)


async def _fill(books: Books) -> Content:
    listed = [(before, count) for before, count in await counts_of(books) if _is_of(books, count)]
    counted = {count.table for _, count in listed}
    rows = [*(_row(books, before, count) for before, count in listed), *_missing(books, counted)]
    rows.sort(key=lambda row: row["table"])
    last = {count.table: count for _, count in listed if _in_period(books, count.gaming_day)}
    sections = (fill(SLIPS, rows), fill(DENOMINATIONS, _denominations(books, last.values())))
    return Content(sections, (await _closers(books, [count for _, count in listed]),))


def _is_of(books: Books, count: Count) -> bool:
    """Return whether a count ends a shift of the question's days, or begins one of them."""
    begun = count.gaming_day if count.begins is None else count.begins.gaming_day
    return _in_period(books, count.gaming_day) or _in_period(books, begun)


def _in_period(books: Books, day: date) -> bool:
    return books.question.first <= day <= books.question.last


def _slip(books: Books, count: Count) -> dict[str, Any]:
    return {"pit": books.pit_of(count.table), "table": count.table, "slip": str(count.sequence)}


def _row(books: Books, before: Count | None, count: Count) -> dict[str, Any]:
    opens = count.purpose in ("opener", "carried") and before is not None
    return {
        **_slip(books, count),
        "game": books.game_of(count.table),
        "gaming_day": count.gaming_day,
        "shift": count.shift,
        "at": count.at,
        "purpose": count.purpose,
        "begins_day": None if count.begins is None else count.begins.gaming_day,
        "begins_shift": None if count.begins is None else count.begins.shift,
        "denominations": pieces_text(count.contents),
        "total_cents": count.value,
        "difference_cents": count.value - before.value if opens and before is not None else None,
        "counted_by": count.counted_by,
        "observed_by": count.observed_by,
    }


def _missing(books: Books, counted: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Return rows for the tables of the property that have no slip."""
    day, wanted = books.question.last, books.question.table
    known = set(counted)
    for table in books.place.document.tables:
        if table.is_open_on(day) and table.table not in known and wanted in (None, table.table):
            place = {"pit": table.pit, "table": table.table, "game": table.game}
            yield {**place, "gaming_day": day, "purpose": "missing"}


def _denominations(books: Books, counts: Iterable[Count]) -> Iterator[Mapping[str, Any]]:
    for count in counts:
        for pieces in sorted(count.contents, key=lambda pieces: (pieces.kind, -pieces.cents)):
            yield {
                **_slip(books, count),
                "kind": pieces.kind,
                "denomination_cents": pieces.cents,
                "pieces": Figure(pieces.count, (count.entry,)),
                "cents": Figure(pieces.cents * pieces.count, (count.entry,)),
            }


async def _closers(books: Books, counts: Iterable[Count]) -> Identity:
    known = (await books.amounts(["closer_cents", "handed_over_cents"])).get((), {})
    closers = known.get("closer_cents", NOTHING) - known.get("handed_over_cents", NOTHING)
    here = total(count.value for count in counts if count.ends_day and _in_period(books, count.gaming_day))
    return Identity("closers", here, closers, "the slips that end the gaming day add up to the closers of the win")


TABLE_INVENTORY: Final = Report(
    name="table-inventory",
    title="Table inventory report",
    about=(
        "Every count of the table inventories of a gaming day, by denomination, with who counted and who observed; "
        "and every table of the property that has no slip of the day, which the law wants even of a closed table."
    ),
    sections=(SLIPS, DENOMINATIONS),
    sources=(PitRecorded,),
    fill=_fill,
    periods=("day",),
    signatures=("Table games", "Revenue audit"),
)
