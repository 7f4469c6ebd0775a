"""The log of counter checks: issuances at tables, each with the box in which the issuance copy was found."""

import asyncio
from collections.abc import Iterator
from datetime import date
from typing import Any, Final, NamedTuple

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Filled, Identity, Made, Mark, Section, fill
from services.reporting.framework.figures import NOTHING, EntriesOf, EntryRef, Figure, total
from services.reporting.framework.question import is_long
from services.reporting.read_model.inventory import Lack
from services.reporting.read_model.reading import Books
from services.reporting.read_model.shift_times import AtTable, shifts_of
from services.reporting.reports.counter_checks.check_copies import Check, Copy, Issuance, checks_of, issued_by_shift
from services.reporting.reports.counter_checks.checks_on_hand import (
    CAGE,
    CHANGES,
    ON_HAND,
    STEPS,
    cage_rows,
    cage_steps,
    left_before,
    on_hand,
    stays_on_hand,
)
from shared.contracts.counts import CountConcluded
from shared.contracts.inventory import BoxWrittenOff, PitRecorded
from shared.contracts.win import WinStated

OF_TABLE: Final = (
    "shift of the table at that time, which ends with its handover count; at a closed table, by the property's clock"
)

LOG: Final = Section(
    name="log",
    title="Counter Checks issued",
    key=("gaming_day", "table", "serial", "issued_at"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="shift", title="Shift", formula=OF_TABLE),
        Column(name="pit", title="Pit"),
        Column(name="table", title="Table"),
        Column(name="serial", title="Serial no."),
        Column(name="issued_at", title="Issued at", unit="moment"),
        Column(name="cents", title="Amount", unit="cents", added=True),
        Column(name="dealer", title="Dealer"),
        Column(name="floorperson", title="Floorperson"),
        Column(
            name="drawer",
            title="Drawn by",
            formula="the patron who drew the check, by reference: as the pit recorded it, or as the check was prepared",
        ),
        Column(name="count", title="Count no."),
        Column(name="box", title="Box no."),
        Column(name="box_day", title="Gaming day of the box", unit="day"),
        Column(
            name="counted_cents",
            title="Counted in the box",
            unit="cents",
            added=True,
            formula="amount of the issuance copy, as counted",
        ),
        Column(
            name="status",
            title="Status",
            formula=(
                "in box; other amount; not counted: a box of the table has not come back or been counted; box written "
                "off: not found in any other box of the table; not accounted for"
            ),
        ),
    ),
)

SHIFTS: Final = Section(
    name="shifts",
    title="By shift",
    key=("gaming_day", "shift"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="shift", title="Shift", formula=OF_TABLE),
        Column(name="opening_cents", title="On hand before", unit="cents"),
        Column(name="issued", title="Checks issued", unit="count", added=True),
        Column(name="issued_cents", title="Amount issued", unit="cents", added=True),
        Column(
            name="redeemed_cents",
            title="Redeemed",
            unit="cents",
            added=True,
            formula="assigned to the shift of the cage",
        ),
        Column(name="returned_cents", title="Returned unpaid", unit="cents", added=True),
        Column(name="written_off_cents", title="Written off", unit="cents", added=True),
        Column(
            name="closing_cents",
            title="On hand after",
            unit="cents",
            formula="before + amount issued - redeemed + returned - written off",
        ),
        Column(
            name="counted_cents",
            title="Counted in boxes",
            unit="cents",
            added=True,
            formula="assigned to the shift of the box",
        ),
        Column(
            name="difference_cents",
            title="Difference",
            unit="cents",
            added=True,
            formula="amount issued - counted in boxes",
        ),
    ),
)

UNKNOWN: Final = Section(
    name="unknown",
    title="Checks in boxes without a recorded issuance",
    key=("count", "table", "box", "line"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="table", title="Table"),
        Column(name="box", title="Box no."),
        Column(name="count", title="Count no."),
        Column(name="line", title="Line", formula="number among the checks in the box"),
        Column(
            name="serial", title="Serial no.", formula="not the number of any check issued, or found more than once"
        ),
        Column(name="cents", title="Amount", unit="cents", added=True),
    ),
)


async def _fill(books: Books) -> Content:
    only_off = is_long(books.question)
    checks, boxes, steps, before, left = await asyncio.gather(
        checks_of(books, not_tied=only_off),
        _boxes_of(books),
        cage_steps(books, *(CHANGES if only_off else STEPS)),
        left_before(books),
        on_hand(books),
    )
    found = [one for one in checks.issued if one.found_cents is not None]
    shifts = await shifts_of(books, [AtTable(one.issued.table, one.issued.issued_at) for one in checks.issued])
    sections = (
        fill(
            LOG,
            Made(range(len(checks.issued)), lambda number: _row(books, checks.issued[number], shifts[number], boxes)),
            cents=Figure(
                sum([one.issued_cents for one in checks.issued]),
                EntriesOf(checks.issued, _of_issuance, lambda one: one.issued_cents),
            ),
            counted_cents=Figure(
                sum([one.found_cents or 0 for one in found]),
                EntriesOf(found, _of_count, lambda one: one.found_cents or 0),
            ),
        ),
        fill(CAGE, cage_rows(steps)),
        left,
        fill(SHIFTS, await _shifts(books, before)),
        fill(UNKNOWN, map(_unknown, checks.unknown)),
    )
    identities = (await _tie_out(books), await stays_on_hand(books, before, left), *_used_twice(left))
    return Content(sections, identities, await _marks(books))


def _used_twice(held: Filled) -> Iterator[Identity]:
    """Yield a violated identity if two checks on hand have the same serial number, so that payments are ambiguous."""
    serials = [row["serial"] for row in held.given]
    if len(set(serials)) < len(serials):
        says = "the serial numbers of the checks on hand are unique"
        yield Identity("serial numbers", Figure(len(serials)), Figure(len(set(serials))), says, unit="count")


def _of_issuance(check: Check) -> EntryRef:
    return check.issued.entry


def _of_count(check: Check) -> EntryRef:
    assert check.copy is not None, "the copies of these were found"
    return check.copy.entry


class Boxes(NamedTuple):
    """The (gaming day, table) pairs with boxes still to be counted (`awaited`), and those with `written_off` boxes."""

    awaited: set[tuple[str, str]]
    written_off: set[tuple[str, str]]

    def status_of(self, issued: Issuance) -> str:
        """Return why a check's copy was not found: not counted, box written off, or not accounted for."""
        key = (str(issued.gaming_day), issued.table)
        if key in self.awaited:
            return "not counted"
        return "box written off" if key in self.written_off else "not accounted for"


async def _boxes_of(books: Books) -> Boxes:
    """Return which boxes of the queried gaming days are not counted (per table inventory), or written off."""
    lacks = await books.amounts(("missing", "rake_missing"), ("gaming_day", "table_name", "item"), explained=False)
    awaited = {(day, table) for day, table, item in lacks if Lack.of_item(item).what.split()[0] in _OF_BOXES}
    written_off = {(str(one.gaming_day), one.fact.table) for one in await books.facts(BoxWrittenOff)}
    return Boxes(awaited, written_off)


_OF_BOXES: Final = ("drop", "box", "count")
"""The first words of a table's missing items that mean that a box has not been counted yet."""


def _row(books: Books, check: Check, shift: str, boxes: Boxes) -> dict[str, Any]:
    issued, copy = check.issued, check.copy
    row: dict[str, Any] = {
        "gaming_day": issued.gaming_day,
        "shift": shift,
        "pit": books.pit_of(issued.table, issued.gaming_day),
        "table": issued.table,
        "serial": issued.serial,
        "issued_at": issued.issued_at,
        "cents": Figure(issued.cents, (issued.entry,)),
        "dealer": issued.dealer,
        "floorperson": issued.floorperson,
        "drawer": issued.drawer,
    }
    if copy is None:
        return {**row, "status": boxes.status_of(issued)}
    return {
        **row,
        "count": str(copy.count_number),
        "box": copy.box,
        "box_day": copy.gaming_day,
        "counted_cents": Figure(copy.cents, (copy.entry,)),
        "status": "in box" if copy.cents == issued.cents else "other amount",
    }


_COUNTED: Final = ("counter_checks_cents", "rake_checks_cents")
"""The measures of counter checks counted in boxes."""


async def _shifts(books: Books, on_hand_before: Figure) -> list[dict[str, Any]]:
    measures = ("checks_redeemed_cents", "checks_returned_cents", "checks_written_off_cents", *_COUNTED)
    found, issued = await books.amounts(measures, ("gaming_day", "shift")), await issued_by_shift(books)
    order = {shift: number for number, shift in enumerate(books.place.shifts)}
    rows = []
    for day, shift in sorted({*found, *issued}, key=lambda key: (key[0], order.get(key[1], len(order)), key[1])):
        known = found.get((day, shift), {})
        sums = {name.removeprefix("checks_"): figure for name, figure in known.items() if name not in _COUNTED}
        counted = [known[name] for name in _COUNTED if name in known]
        if (of_tables := issued.get((day, shift))) is not None:
            sums |= {"issued": of_tables.checks, "issued_cents": of_tables.cents}
        if counted:
            sums["counted_cents"] = total(counted)
        opening = on_hand_before
        paid = sums.get("redeemed_cents", NOTHING) - sums.get("returned_cents", NOTHING)
        paid += sums.get("written_off_cents", NOTHING)
        on_hand_before += sums.get("issued_cents", NOTHING) - paid
        balances = {"opening_cents": opening, "closing_cents": on_hand_before}
        difference = sums.get("issued_cents", NOTHING) - sums.get("counted_cents", NOTHING)
        of_shift = {"gaming_day": date.fromisoformat(day), "shift": shift}
        rows.append({**of_shift, **sums, **balances, "difference_cents": difference})
    return rows


def _unknown(copy: Copy) -> dict[str, Any]:
    return {
        "gaming_day": copy.gaming_day,
        "table": copy.table,
        "box": copy.box,
        "count": str(copy.count_number),
        "line": str(copy.line),
        "serial": copy.serial,
        "cents": Figure(copy.cents, (copy.entry,)),
    }


async def _tie_out(books: Books) -> Identity:
    measures = ("checks_issued_cents", *_COUNTED)
    known = (await books.amounts(measures)).get((), {})
    issued, *counted = (known.get(name, NOTHING) for name in measures)
    says = (
        "Counter Checks issued at the tables: by the pit's records, and by the issuance copies counted in their boxes"
    )
    return Identity("issued and counted", issued, total(counted), says)


async def _marks(books: Books) -> tuple[Mark, ...]:
    """Return a remark if a check came back unpaid and the law on the effect on revenue is unconfirmed."""
    known = (await books.amounts(["checks_returned_cents"])).get((), {})
    held = books.place.law.counter_checks.unpaid.on(books.question.last)
    if not known or held.status == "confirmed":
        return ()
    return (Mark("unpaid counter checks in the drop", held.source, held.note or ""),)


COUNTER_CHECKS: Final = Report(
    name="counter-checks",
    title="Counter Check log",
    about=(
        "Every Counter Check issued at a table, with the box in which its issuance copy was counted; checks "
        "redeemed, deposited, consolidated, substituted, returned unpaid, cleared, placed in collection, "
        "written off and recovered; and checks on hand at the end, by age. For periods of more than a week, "
        "checks are totaled by shift, and only these are listed: checks not found in a box as issued, and "
        "checks voided, returned unpaid or replaced at the cage; checks on hand at the end are always listed "
        "in full. A check belongs to the drop of the day on which it was counted, whether or not it is paid, "
        "as the law of the property prescribes (`counter_checks` of its pack)."
    ),
    sections=(LOG, CAGE, ON_HAND, SHIFTS, UNKNOWN),
    sources=(PitRecorded, CountConcluded, WinStated, BoxWrittenOff, *STEPS),
    fill=_fill,
    periods=("day", "week", "month"),
    signatures=("Cage", "Revenue audit"),
)
