"""The table inventories of gaming days: each inventory slip with its denominations, and tables without a slip."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Section, fill
from services.reporting.framework.figures import Figure, total
from services.reporting.framework.question import is_long
from services.reporting.read_model.reading import Books
from services.reporting.read_model.seals import known_days
from services.reporting.read_model.windows import Count, counts_of
from services.reporting.reports.common.pieces import pieces_text
from shared.contracts.inventory import PitRecorded
from shared.contracts.properties import PropertyTable

_SLIP: Final = (
    Column(name="pit", title="Pit"),
    Column(name="table", title="Table"),
    Column(name="slip", title="Slip", formula="sequence number of the count in the table's pit stream"),
)

SLIPS: Final = Section(
    name="slips",
    title="Table inventory slips",
    key=("table", "gaming_day", "slip"),
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
        Column(
            name="begins_day", title="Gaming day opened", unit="day", formula="gaming day that begins with the count"
        ),
        Column(name="begins_shift", title="Shift opened"),
        Column(name="denominations", title="Denominations"),
        Column(name="total_cents", title="Total", unit="cents"),
        Column(
            name="difference_cents",
            title="Difference from previous closer",
            unit="cents",
            formula="opener - previous count at the table; empty for other counts",
        ),
        Column(name="counted_by", title="Counted by"),
        Column(name="observed_by", title="Observed by"),
    ),
)

DAYS: Final = Section(
    name="days",
    title="By gaming day",
    key=("gaming_day",),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="tables", title="Tables", unit="count", formula="tables of the property"),
        Column(name="missing", title="Tables without a slip", unit="count", added=True),
        Column(name="slips", title="Slips", unit="count", added=True),
        Column(name="differences", title="Openers that differ", unit="count", added=True),
        Column(
            name="difference_cents", title="Difference", unit="cents", added=True, formula="openers - previous closers"
        ),
        Column(name="closers_cents", title="Closers", unit="cents", formula="total of the slips that end the day"),
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


_Row = dict[str, Any]
_MISSING: Final = "missing"
"""The `purpose` in the row of a missing slip."""


async def _fill(books: Books) -> Content:
    found = [pair for pair in await counts_of(books) if _is_of(books, pair[1])]
    counts = [count for _, count in found]
    rows = [*(_row(books, before, count) for before, count in found), *await _missing(books, counts)]
    rows.sort(key=lambda row: (row["gaming_day"], row["table"]))
    last = {count.table: count for count in counts if _in_period(books, count.gaming_day)}
    sections = (
        fill(DAYS, await _days(books, rows, counts)),
        fill(SLIPS, (row for row in rows if not is_long(books.question) or _is_off(row))),
        fill(DENOMINATIONS, _denominations(books, last.values())),
    )
    return Content(sections)


async def _days(books: Books, rows: Sequence[_Row], counts: Iterable[Count]) -> list[_Row]:
    """Return one row per recorded gaming day, with sums over the day's inventory slips."""
    of_day: dict[date, list[_Row]] = {day: [] for day in await known_days(books)}
    for row in rows:
        if row["gaming_day"] in of_day:
            of_day[row["gaming_day"]].append(row)
    ends: dict[date, list[Count]] = {}
    for count in counts:
        if count.ends_day:
            ends.setdefault(count.gaming_day, []).append(count)
    return [
        {
            "gaming_day": day,
            "tables": len(_tables(books, day)),
            "missing": sum(row["purpose"] == _MISSING for row in mine),
            "slips": sum(row["purpose"] != _MISSING for row in mine),
            "differences": sum(_differs(row) for row in mine),
            "difference_cents": total(row["difference_cents"] for row in mine if _differs(row)),
            "closers_cents": total(count.value for count in ends.get(day, ())),
        }
        for day, mine in of_day.items()
    ]


def _differs(row: _Row) -> bool:
    difference = row.get("difference_cents")
    return difference is not None and difference.value != 0


def _is_off(row: _Row) -> bool:
    """Return whether a row needs attention: a missing slip, or an opener that differs from the previous closer."""
    return row["purpose"] == _MISSING or _differs(row)


def _is_of(books: Books, count: Count) -> bool:
    """Return whether a count belongs to, or begins, one of the queried gaming days."""
    return any(_in_period(books, day) for day in _days_of(count))


def _days_of(count: Count) -> set[date]:
    return {count.gaming_day, count.gaming_day if count.begins is None else count.begins.gaming_day}


def _in_period(books: Books, day: date) -> bool:
    return books.question.first <= day <= books.question.last


def _slip(books: Books, count: Count) -> _Row:
    return {"pit": books.pit_of(count.table, count.gaming_day), "table": count.table, "slip": str(count.sequence)}


def _row(books: Books, before: Count | None, count: Count) -> _Row:
    opens = count.purpose in ("opener", "carried") and before is not None
    difference = count.value - before.value if opens and before is not None else None
    row: _Row = {
        **_slip(books, count),
        "game": books.game_of(count.table),
        "gaming_day": count.gaming_day,
        "shift": count.shift,
        "at": count.at,
        "purpose": count.purpose,
        "begins_day": None if count.begins is None else count.begins.gaming_day,
        "begins_shift": None if count.begins is None else count.begins.shift,
        "total_cents": count.value,
        "difference_cents": difference,
        "counted_by": count.counted_by,
        "observed_by": count.observed_by,
    }
    listed = not is_long(books.question) or _is_off(row)
    return row | {"denominations": pieces_text(count.contents)} if listed else row


async def _missing(books: Books, counts: Iterable[Count]) -> list[_Row]:
    """Return a row for each table and recorded gaming day without an inventory slip."""
    known = {(day, count.table) for count in counts for day in _days_of(count)}
    return [
        {"pit": table.pit, "table": table.table, "game": table.game, "gaming_day": day, "purpose": _MISSING}
        for day in await known_days(books)
        for table in _tables(books, day)
        if (day, table.table) not in known
    ]


def _tables(books: Books, day: date) -> list[PropertyTable]:
    wanted = books.question.table
    return [
        table
        for table in books.place_on(day).document.tables
        if table.is_open_on(day) and wanted in (None, table.table)
    ]


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


TABLE_INVENTORY: Final = Report(
    name="table-inventory",
    title="Table inventory report",
    about=(
        "Every count of table inventories on a gaming day, by denomination, with the people who counted and "
        "observed; and every table of the property without a slip for the day, which the law requires even "
        "for a closed table. For periods of more than a week, only missing slips and openers that differ are "
        "listed; the totals of all slips are shown by gaming day."
    ),
    sections=(DAYS, SLIPS, DENOMINATIONS),
    sources=(PitRecorded,),
    fill=_fill,
    signatures=("Table games", "Revenue audit"),
)
