"""The log of Counter Checks: each as it was issued at a table, and the box in which its issuance copy was found."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from services.reporting.books.reading import Books, Listed
from services.reporting.kit.definition import Content, Report
from services.reporting.kit.document import Column, Identity, Section, fill
from services.reporting.kit.figures import NOTHING, EntryRef, Figure, total
from services.reporting.reports.checks_on_hand import (
    CAGE,
    ON_HAND,
    STEPS,
    cage_rows,
    cage_steps,
    left_before,
    on_hand,
    stays_on_hand,
)
from shared.contracts import pit
from shared.contracts.cage import CheckReplaced, RedemptionVoided
from shared.contracts.counts import CheckInBox, CountConcluded, CountedBox
from shared.contracts.inventory import PitRecorded

_LATER: Final = timedelta(days=1)
"""A copy may have gone into the box of the next gaming day, or have been there before the issuance was recorded."""

LOG: Final = Section(
    name="log",
    title="Counter Checks issued",
    key=("gaming_day", "table", "serial", "issued_at"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="shift", title="Shift"),
        Column(name="pit", title="Pit"),
        Column(name="table", title="Table"),
        Column(name="serial", title="Serial no."),
        Column(name="issued_at", title="Issued at", unit="moment"),
        Column(name="cents", title="Amount", unit="cents", added=True),
        Column(name="dealer", title="Dealer"),
        Column(name="floorperson", title="Floorperson"),
        Column(name="drawer", title="Drawer", formula="the patron, by reference, where the pit says it"),
        Column(name="count", title="Count no."),
        Column(name="box", title="Box no."),
        Column(name="box_day", title="Gaming day of the box", unit="day"),
        Column(name="counted_cents", title="In the box", unit="cents", added=True, formula="as the count has it"),
        Column(
            name="status",
            title="Status",
            formula="in box; other amount; not counted: boxes of the table wait for a count; not accounted for",
        ),
    ),
)

SHIFTS: Final = Section(
    name="shifts",
    title="By shift",
    key=("gaming_day", "shift"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="shift", title="Shift"),
        Column(name="opening_cents", title="On hand before", unit="cents"),
        Column(name="issued", title="Issued", unit="count", added=True),
        Column(name="issued_cents", title="Issued", unit="cents", added=True),
        Column(name="redeemed_cents", title="Redeemed", unit="cents", added=True, formula="by the shift of the cage"),
        Column(name="closing_cents", title="On hand after", unit="cents", formula="before + issued - redeemed"),
        Column(name="counted_cents", title="In boxes", unit="cents", added=True, formula="by the shift of the box"),
        Column(name="difference_cents", title="Difference", unit="cents", added=True, formula="issued - in boxes"),
    ),
)

UNKNOWN: Final = Section(
    name="unknown",
    title="In a box without an issuance",
    key=("count", "table", "box", "line"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="table", title="Table"),
        Column(name="box", title="Box no."),
        Column(name="count", title="Count no."),
        Column(name="line", title="Line", formula="among the checks of the box"),
        Column(name="serial", title="Serial no.", formula="of no check that was issued, or found once more"),
        Column(name="cents", title="Amount", unit="cents", added=True),
    ),
)


@dataclass(frozen=True, slots=True)
class Copy:
    """An issuance copy as it was found in a box."""

    check: CheckInBox
    box: CountedBox
    line: int
    count: int
    entry: EntryRef

    @property
    def key(self) -> tuple[str, str]:
        """Return the table and the serial number."""
        return self.box.table, self.check.serial


async def _fill(books: Books) -> Content:
    issued = await books.pit(pit.IssuedCounterCheck)
    around = await _copies(books)
    by_key = {copy.key: copy for copy in reversed(around)}
    counted = await _all_counted(books)
    here = [copy for copy in around if books.question.first <= copy.box.gaming_day <= books.question.last]
    unknown = _beyond(around, await _issued_around(books))
    steps, before, left = await cage_steps(books), await left_before(books), await on_hand(books)
    sections = (
        fill(LOG, (_row(books, one, by_key, counted) for one in issued)),
        fill(CAGE, cage_rows(steps)),
        left,
        fill(SHIFTS, _shifts(books, before, issued, steps, here)),
        fill(UNKNOWN, (_unknown(copy) for copy in here if copy in unknown)),
    )
    return Content(sections, (await _tie_out(books), await stays_on_hand(books, before, left)))


async def _copies(books: Books) -> list[Copy]:
    """Return the copies in the boxes of the question's gaming days and of the days beside them."""
    first, last, table = books.question.first, books.question.last, books.question.table
    return [
        Copy(check, box, line, count.fact.count, count.entry)
        for count in await books.facts(CountConcluded, first=first - _LATER, last=last + _LATER)
        for box in count.fact.boxes
        if table in (None, box.table)
        for line, check in enumerate(box.figures.counter_checks, 1)
    ]


async def _issued_around(books: Books) -> Counter[tuple[str, str]]:
    """Return how often a check was issued at a table on those days: once, if the pit reports it right."""
    first, last = books.question.first, books.question.last
    issued = await books.pit(pit.IssuedCounterCheck, first=first - _LATER, last=last + _LATER)
    return Counter((one.fact.table, one.fact.data.serial) for one in issued)


def _beyond(copies: Iterable[Copy], issued: Mapping[tuple[str, str], int]) -> list[Copy]:
    """Return the copies of checks that were not issued, or not as often."""
    found, seen = [], Counter[tuple[str, str]]()
    for copy in copies:
        seen[copy.key] += 1
        if seen[copy.key] > issued.get(copy.key, 0):
            found.append(copy)
    return found


async def _all_counted(books: Books) -> set[tuple[str, ...]]:
    """Return the gaming days and tables of which every box that came off was counted."""
    came_off, counted = ("boxes", "rake_boxes"), ("boxes_counted", "rake_boxes_counted")
    known = await books.amounts((*came_off, *counted), ("gaming_day", "table_name"))
    return {
        key
        for key, found in known.items()
        if sum(found.get(name, NOTHING).value for name in came_off)
        <= sum(found.get(name, NOTHING).value for name in counted)
    }


def _row(
    books: Books, issued: Listed, copies: Mapping[tuple[str, str], Copy], counted: set[tuple[str, ...]]
) -> dict[str, Any]:
    fact, data = issued.fact, issued.fact.data
    copy = copies.get((fact.table, data.serial))
    row: dict[str, Any] = {
        "gaming_day": fact.gaming_day,
        "shift": fact.shift,
        "pit": books.pit_of(fact.table),
        "table": fact.table,
        "serial": data.serial,
        "issued_at": issued.occurred_at,
        "cents": Figure(data.cents, (issued.entry,)),
        "dealer": data.dealer,
        "floorperson": data.floorperson,
        "drawer": data.drawer,
    }
    if copy is None:
        all_counted = (str(fact.gaming_day), fact.table) in counted
        return {**row, "status": "not accounted for" if all_counted else "not counted"}
    return {
        **row,
        "count": str(copy.count),
        "box": copy.box.box,
        "box_day": copy.box.gaming_day,
        "counted_cents": Figure(copy.check.cents, (copy.entry,)),
        "status": "in box" if copy.check.cents == data.cents else "other amount",
    }


def _shifts(
    books: Books, on_hand_before: Figure, issued: Iterable[Listed], steps: Iterable[Listed], copies: Iterable[Copy]
) -> Iterator[dict[str, Any]]:
    found: dict[tuple[date, str], dict[str, list[Figure]]] = {}
    for one in issued:
        shift = found.setdefault((one.fact.gaming_day, one.fact.shift), {})
        shift.setdefault("issued", []).append(Figure(1, (one.entry,)))
        shift.setdefault("issued_cents", []).append(Figure(one.fact.data.cents, (one.entry,)))
    for one in steps:
        if not isinstance(one.fact, CheckReplaced):
            cents = -one.fact.cents if isinstance(one.fact, RedemptionVoided) else one.fact.cents
            shift = found.setdefault((one.fact.gaming_day, one.fact.shift), {})
            shift.setdefault("redeemed_cents", []).append(Figure(cents, (one.entry,)))
    for copy in copies:
        shift = found.setdefault((copy.box.gaming_day, copy.box.shift), {})
        shift.setdefault("counted_cents", []).append(Figure(copy.check.cents, (copy.entry,)))
    order = {shift: number for number, shift in enumerate(books.place.shifts)}
    for day, shift_name in sorted(found, key=lambda key: (key[0], order.get(key[1], len(order)), key[1])):
        sums = {name: total(figures) for name, figures in found[day, shift_name].items()}
        opening = on_hand_before
        on_hand_before += sums.get("issued_cents", NOTHING) - sums.get("redeemed_cents", NOTHING)
        balances = {"opening_cents": opening, "closing_cents": on_hand_before}
        difference = sums.get("issued_cents", NOTHING) - sums.get("counted_cents", NOTHING)
        yield {"gaming_day": day, "shift": shift_name, **sums, **balances, "difference_cents": difference}


def _unknown(copy: Copy) -> dict[str, Any]:
    return {
        "gaming_day": copy.box.gaming_day,
        "table": copy.box.table,
        "box": copy.box.box,
        "count": str(copy.count),
        "line": str(copy.line),
        "serial": copy.check.serial,
        "cents": Figure(copy.check.cents, (copy.entry,)),
    }


async def _tie_out(books: Books) -> Identity:
    measures = ("checks_issued_cents", "counter_checks_cents", "rake_checks_cents")
    known = (await books.amounts(measures)).get((), {})
    issued, *counted = (known.get(name, NOTHING) for name in measures)
    says = "Counter Checks issued at the tables are those whose issuance copies were in their boxes"
    return Identity("issued and counted", issued, total(counted), says)


COUNTER_CHECKS: Final = Report(
    name="counter-checks",
    title="Counter Check log",
    about=(
        "Every Counter Check that was issued at a table, and the box in which its issuance copy was counted; what the "
        "cage redeemed, deposited, consolidated and substituted; and what is on hand at the end, by age."
    ),
    sections=(LOG, CAGE, ON_HAND, SHIFTS, UNKNOWN),
    sources=(PitRecorded, CountConcluded, *STEPS),
    fill=_fill,
    periods=("day", "week", "month"),
    signatures=("Cage", "Revenue audit"),
)
