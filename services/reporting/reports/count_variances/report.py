"""Count variances: counted less expected amounts of table inventories, drop boxes (two counts) and slips."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Identity, fill
from services.reporting.framework.figures import NOTHING, Cell, Figure, Value, computed, total
from services.reporting.framework.question import is_long
from services.reporting.read_model.boxes import Box, boxes_of
from services.reporting.read_model.compared import Compared, compared_boxes, compared_windows
from services.reporting.read_model.inventory import Lack
from services.reporting.read_model.many_slips import ReceivedSlip, received_slips
from services.reporting.read_model.reading import Books
from services.reporting.read_model.variances import CaseKey, Cases, cases_of
from services.reporting.read_model.windows import Count, Window, windows_of
from services.reporting.reports.common.cases import CASE_COLUMNS, cells_of, marks
from services.reporting.reports.count_variances.in_play import RoundInPlay, rounds_in_play
from services.reporting.reports.count_variances.sections import AFTER_SEAL, BOXES, DAYS, IN_PLAY, INVENTORIES, SLIPS
from shared.contracts import inventory
from shared.contracts.counts import CountConcluded
from shared.contracts.inventory import VarianceKind

_Row = dict[str, Value | Figure | Cell]
_NOT_COUNTED: Final = "not counted"

_Found = tuple[CaseKey, _Row]
"""The key of a possible variance, and its row."""


async def _fill(books: Books) -> Content:
    cases = await cases_of(books)
    windows, drops, slips, counted = await asyncio.gather(
        _windows(books, cases), _drops(books, cases), _slips(books, cases), _counted(books)
    )
    alone: list[_Found] = [(key, {}) for key in windows.alone]
    inventories = Compared([*alone, *(_of_window(books, cases, window) for window in windows.off)], windows.alike)
    found = (*inventories.off, *drops.off, *slips.off)
    sections = (
        fill(DAYS, _days(found, inventories.alike + drops.alike + slips.alike)),
        *(
            fill(section, (row for _, row in of.off if not is_long(books.question) or _is_off(row)))
            for section, of in ((INVENTORIES, inventories), (BOXES, drops), (SLIPS, slips))
        ),
        fill(IN_PLAY, await _in_play(books, windows.off)),
        fill(AFTER_SEAL, (_after_seal(key, row) for key, row in found if row.get("sealed") == "open")),
    )
    return Content(sections, (counted, _settled(found)), marks(books, *(one.section for one in sections)))


async def _windows(books: Books, cases: Cases) -> Compared[Window]:
    if not is_long(books.question):
        return Compared(await windows_of(books))
    return await compared_windows(books, cases)


async def _in_play(books: Books, windows: Iterable[Window]) -> list[_Row]:
    """Return rows for the rounds that were in play at the counts that begin or end the windows.

    The chips of a round are added at the count that ends a window, and subtracted at the count that begins it.
    """
    bounded = [(window.start, window.end) for window in windows if window.start is not None]
    found = await rounds_in_play(books, ((one.table, one.at) for pair in bounded for one in pair))
    return [
        _of_round(books, end, at, played, explains)
        for start, end in bounded
        for at, sign in ((start.at, -1), (end.at, 1))
        for played in found.get((end.table, at), ())
        for explains in (played.chips if sign > 0 else NOTHING - played.chips,)
    ]


def _of_round(books: Books, end: Count, at: datetime, played: RoundInPlay, explains: Figure) -> _Row:
    return {
        **_place(books, end.gaming_day, end.table, end.shift),
        "slip": str(end.sequence),
        "in_play_at": at,
        "round": played.round_id,
        "opened_at": played.opened_at,
        "closed_at": played.closed_at,
        "wagered_cents": played.wagered,
        "explains_cents": explains,
    }


async def _drops(books: Books, cases: Cases) -> Compared[_Found]:
    if not is_long(books.question):
        return Compared([_of_box(books, cases, box) for box in await boxes_of(books)])
    compared = await compared_boxes(books, cases)
    return Compared([_of_box(books, cases, box) for box in compared.off], compared.alike)


async def _slips(books: Books, cases: Cases) -> Compared[_Found]:
    compared = await received_slips(books, cases.owned_on)
    return Compared([_of_slip(books, cases, slip) for slip in compared.off], compared.alike)


def _days(found: Iterable[_Found], alike: Counter[tuple[date, VarianceKind]]) -> list[_Row]:
    """Return one row of sums per gaming day and kind of variance; `alike` counts the items without a variance."""
    by_day: dict[tuple[date, VarianceKind], list[_Row]] = {key: [] for key in alike}
    for (day, _, kind, _), row in found:
        by_day.setdefault((day, kind), []).append(row)
    return [_day(day, kind, rows, alike[day, kind]) for (day, kind), rows in sorted(by_day.items())]


def _day(day: date, kind: str, rows: Sequence[_Row], as_expected: int) -> _Row:
    compared = [(row, cents) for row in rows if isinstance(cents := row.get("variance_cents"), Figure)]
    off = [cents for row, cents in compared if _is_off(row)]
    return {
        "gaming_day": day,
        "of": kind,
        "counts": len(compared) + as_expected,
        "off": computed(len(off), total(off)),
        "short": sum(cents.value < 0 for cents in off),
        "variance_cents": total(off),
        "unresolved": sum(_is_unresolved(row) for row, _ in compared),
        "not_counted": sum(_status(row) == _NOT_COUNTED for row in rows),
    }


def _status(row: _Row) -> Value:
    status = row.get("status")
    return status.value if isinstance(status, Cell | Figure) else status


def _is_off(row: _Row) -> bool:
    """Return whether a row needs attention, that is, has a variance (resolved or not) or lacks a count."""
    return _status(row) not in (None, "none")


def _is_unresolved(row: _Row) -> bool:
    return _status(row) == "changed" or (_status(row) in ("open", "owned") and row["level"] != "noted")


def _place(books: Books, day: date, table: str, shift: str) -> _Row:
    return {"gaming_day": day, "pit": books.pit_of(table, day), "table": table, "shift": shift}


def _of_window(books: Books, cases: Cases, window: Window) -> _Found:
    end = window.end
    row: _Row = {
        **_place(books, end.gaming_day, end.table, end.shift),
        "slip": str(end.sequence),
        "purpose": end.purpose,
        "at": end.at,
        "dealer": end.counted_by,
        "floorperson": end.observed_by,
        "counted_cents": end.value,
    }
    if window.start is not None:
        row |= {
            "before_cents": window.start.value,
            "moved_cents": window.moved,
            "rounds_cents": window.rounds,
            "expected_cents": window.expected,
        }
    if window.variance is not None:
        row |= {"variance_cents": window.variance, **cells_of(books, cases, window.key, window.variance)}
    elif window.counted_win is not None:
        row["counted_win_cents"] = window.counted_win
    return window.key, row


def _of_box(books: Books, cases: Cases, box: Box) -> _Found:
    fact, data = box.exchanged.fact, box.exchanged.fact.data
    currency, checks = box.recorded("currency"), box.recorded("counter_check")
    row: _Row = {
        **_place(books, fact.gaming_day, fact.table, fact.shift),
        "box": data.removed_box,
        "exchange": str(fact.sequence),
        "removed_at": box.exchanged.occurred_at,
        "recorded_currency_cents": currency,
        "recorded_checks_cents": checks,
        "expected_cents": currency + checks,
        "status": _NOT_COUNTED,
    }
    found, of_currency, of_checks = box.counted, box.difference("currency"), box.difference("counter_check")
    if found is None or of_currency is None or of_checks is None:
        return box.key, row
    for name, turn in (("first", box.turn(1)), ("second", box.turn(2))):
        if turn is not None:
            row |= {f"{name}_cents": Figure(turn.drop_cents, box.entry), f"{name}_by": turn.counted_by}
    variance = of_currency + of_checks
    row |= {
        "further": max(len(found.turns) - 2, 0),
        "agreed_cents": Figure(found.currency_cents + found.counter_checks_cents, box.entry),
        "currency_variance_cents": of_currency,
        "checks_variance_cents": of_checks,
        "unrecorded_cents": box.unrecorded("currency") + box.unrecorded("counter_check"),
        "variance_cents": variance,
        **cells_of(books, cases, box.key, variance, of_currency.value, of_checks.value),
    }
    return box.key, row


def _of_slip(books: Books, cases: Cases, slip: ReceivedSlip) -> _Found:
    variance = slip.arrived - slip.sent
    key: CaseKey = (slip.gaming_day, slip.table, slip.slip, slip.number)
    row: _Row = {
        **_place(books, slip.gaming_day, slip.table, slip.shift),
        "slip": slip.slip,
        "number": str(slip.number),
        "received_at": slip.received_at,
        "sent_cents": slip.sent,
        "received_cents": slip.arrived,
        "variance_cents": variance,
        **cells_of(books, cases, key, variance),
    }
    return key, row


def _after_seal(key: CaseKey, row: Mapping[str, Any]) -> _Row:
    gaming_day, table, variance, number = key
    same = {column.name: row.get(column.name) for column in CASE_COLUMNS}
    cents = row["variance_cents"]
    return {
        "gaming_day": gaming_day,
        "variance": variance,
        "table": table,
        "number": str(number),
        "variance_cents": cents,
        **same,
    }


async def _counted(books: Books) -> Identity:
    known = await books.amounts(["missing", "rake_missing"], ("item",))
    waiting = [found for (item,), found in known.items() if Lack.of_item(item).what.startswith("count ")]
    lacking = total(figure for found in waiting for figure in found.values())
    says = "no box removed from a table is uncounted"
    return Identity("boxes", lacking, NOTHING, says, "count")


def _settled(found: Iterable[_Found]) -> Identity:
    """Return the identity that no reportable variance is unresolved on a sealed gaming day."""
    left = [row["variance_cents"] for _, row in found if row.get("sealed") == "open" and row.get("level") != "noted"]
    because = tuple(dict.fromkeys(one for cents in left if isinstance(cents, Figure) for one in cents.sources))
    says = "no variance above the limit for written reports is open on a sealed gaming day"
    return Identity("open after seal", computed(len(left), because), NOTHING, says, "count")


COUNT_VARIANCES: Final = Report(
    name="count-variances",
    title="Count variances",
    about=(
        "Every count of a gaming day against the amount expected: table inventories against the movements "
        "since the previous count, drop boxes against the recorded drop, with the first and the blind second "
        "count, and slips against the amount sent; with the owner and resolution of each variance. A round in "
        "play at a count has one line there and one at the next count; the two sum to zero. Variances open on "
        "a sealed day have a section of their own. For periods of more than a week, only counts with a "
        "variance and boxes not counted are listed; all counts are totaled by gaming day."
    ),
    sections=(DAYS, INVENTORIES, BOXES, SLIPS, IN_PLAY, AFTER_SEAL),
    sources=(
        inventory.PitRecorded,
        inventory.SlipPrepared,
        inventory.CreditReceived,
        inventory.SlipVoided,
        inventory.ManualSlipEntered,
        CountConcluded,
        inventory.VarianceOwned,
        inventory.VarianceResolved,
        inventory.DayFinal,
    ),
    fill=_fill,
    signatures=("Count room supervisor", "Revenue audit"),
)
