"""Counts against what was expected: table inventories, drop boxes in both counts, and slips between two hands."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from services.reporting.books.boxes import Box, boxes_of, drop_of
from services.reporting.books.reading import Books
from services.reporting.books.slips import Slip, slips_of
from services.reporting.books.variances import CaseKey, Cases, cases_of
from services.reporting.books.windows import Window, windows_of
from services.reporting.kit.definition import Content, Report
from services.reporting.kit.document import Column, Identity, Section, fill
from services.reporting.kit.figures import NOTHING, Cell, Figure, Value
from services.reporting.reports.cases import CASE_COLUMNS, cells_of, marks
from shared.contracts import inventory
from shared.contracts.counts import CountConcluded

_PLACE: Final = (
    Column(name="pit", title="Pit"),
    Column(name="table", title="Table"),
    Column(name="shift", title="Shift"),
)

INVENTORIES: Final = Section(
    name="inventories",
    title="Table inventories",
    key=("table", "slip"),
    columns=(
        *_PLACE,
        Column(name="slip", title="Slip", formula="the place of the count in the table's pit stream"),
        Column(name="purpose", title="Purpose"),
        Column(name="at", title="Counted at", unit="moment"),
        Column(name="dealer", title="Dealer", formula="who counted"),
        Column(name="floorperson", title="Floorperson", formula="who observed"),
        Column(name="before_cents", title="Count before", unit="cents"),
        Column(
            name="moved_cents",
            title="Moved by people",
            unit="cents",
            added=True,
            formula="fills - credits - sold chips - counter checks - coupons paid - vigorish waived since that count",
        ),
        Column(
            name="rounds_cents",
            title="Rounds",
            unit="cents",
            added=True,
            formula="the chips that rounds brought which were closed since that count",
        ),
        Column(name="expected_cents", title="Expected", unit="cents", formula="count before + moved + rounds"),
        Column(name="counted_cents", title="Counted", unit="cents"),
        Column(name="variance_cents", title="Variance", unit="cents", added=True, formula="counted - expected"),
        *CASE_COLUMNS,
    ),
)

BOXES: Final = Section(
    name="boxes",
    title="Drop boxes",
    key=("table", "exchange"),
    columns=(
        *_PLACE,
        Column(name="box", title="Box no."),
        Column(name="exchange", title="Exchange", formula="its place in the table's pit stream"),
        Column(name="removed_at", title="Removed at", unit="moment"),
        Column(
            name="recorded_currency_cents",
            title="Currency recorded",
            unit="cents",
            added=True,
            formula="what chips were sold for since the box before",
        ),
        Column(
            name="recorded_checks_cents",
            title="Counter Checks recorded",
            unit="cents",
            added=True,
            formula="Counter Checks issued since the box before",
        ),
        Column(name="expected_cents", title="Expected", unit="cents", added=True, formula="currency + Counter Checks"),
        Column(name="first_cents", title="First count", unit="cents"),
        Column(name="first_by", title="First counted by"),
        Column(name="second_cents", title="Second count", unit="cents", formula="blind to the first"),
        Column(name="second_by", title="Second counted by"),
        Column(name="further", title="Further counts", unit="count"),
        Column(name="agreed_cents", title="Agreed", unit="cents", added=True),
        Column(name="currency_variance_cents", title="Currency variance", unit="cents", added=True),
        Column(name="checks_variance_cents", title="Counter Check variance", unit="cents", added=True),
        Column(name="variance_cents", title="Variance", unit="cents", added=True, formula="agreed - expected"),
        *CASE_COLUMNS,
    ),
)

SLIPS: Final = Section(
    name="slips",
    title="Fills and credits",
    key=("slip", "number"),
    columns=(
        *_PLACE,
        Column(name="slip", title="Slip"),
        Column(name="number", title="Slip no."),
        Column(name="received_at", title="Received at", unit="moment"),
        Column(name="sent_cents", title="Sent", unit="cents", added=True),
        Column(name="received_cents", title="Received", unit="cents", added=True),
        Column(name="variance_cents", title="Variance", unit="cents", added=True, formula="received - sent"),
        *CASE_COLUMNS,
    ),
)

AFTER_SEAL: Final = Section(
    name="after_seal",
    title="Open on sealed gaming days",
    key=("variance", "table", "number"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="variance", title="Of", formula="inventory, drop, fill or credit"),
        Column(name="table", title="Table"),
        Column(name="number", title="No.", formula="of the count, the box exchange or the slip"),
        Column(name="variance_cents", title="Variance", unit="cents", added=True),
        *CASE_COLUMNS,
    ),
)

_Row = dict[str, Value | Figure | Cell]
_Found = tuple[CaseKey, _Row]
"""The name of a variance that there may be, and the row of the report that it stands in."""


async def _fill(books: Books) -> Content:
    cases = await cases_of(books)
    boxes = await boxes_of(books)
    inventories = [_of_window(books, cases, window) for window in await windows_of(books)]
    drops = [_of_box(books, cases, box) for box in boxes]
    slips = [_of_slip(books, cases, slip) for slip in await slips_of(books) if _is_received(books, slip)]
    found = (*inventories, *drops, *slips)
    sections = (
        fill(INVENTORIES, (row for _, row in inventories)),
        fill(BOXES, (row for _, row in drops)),
        fill(SLIPS, (row for _, row in slips)),
        fill(AFTER_SEAL, (_after_seal(key, row) for key, row in found if row.get("sealed") == "open")),
    )
    return Content(sections, (await _counted(books), _settled(found)), marks(books, *(one.section for one in sections)))


def _is_received(books: Books, slip: Slip) -> bool:
    """Return whether somebody received a slip of these gaming days whom somebody else had sent it."""
    of_days = books.question.first <= slip.begun.gaming_day <= books.question.last
    return of_days and slip.received is not None and slip.status == "received"


def _place(books: Books, table: str, shift: str) -> _Row:
    return {"pit": books.pit_of(table), "table": table, "shift": shift}


def _of_window(books: Books, cases: Cases, window: Window) -> _Found:
    end = window.end
    row: _Row = {
        **_place(books, end.table, end.shift),
        "slip": str(end.sequence),
        "purpose": end.purpose,
        "at": end.at,
        "dealer": end.counted_by,
        "floorperson": end.observed_by,
        "counted_cents": end.value,
    }
    if window.start is not None and window.variance is not None:
        row |= {
            "before_cents": window.start.value,
            "moved_cents": window.moved,
            "rounds_cents": window.rounds,
            "expected_cents": window.expected,
            "variance_cents": window.variance,
            **cells_of(books, cases, window.key, window.variance),
        }
    return window.key, row


def _of_box(books: Books, cases: Cases, box: Box) -> _Found:
    fact, data = box.exchanged.fact, box.exchanged.fact.data
    currency, checks = box.recorded("currency"), box.recorded("counter_check")
    row: _Row = {
        **_place(books, fact.table, fact.shift),
        "box": data.removed_box,
        "exchange": str(fact.sequence),
        "removed_at": box.exchanged.occurred_at,
        "recorded_currency_cents": currency,
        "recorded_checks_cents": checks,
        "expected_cents": currency + checks,
        "status": "not counted",
    }
    found, of_currency, of_checks = box.counted, box.difference("currency"), box.difference("counter_check")
    if found is None or of_currency is None or of_checks is None:
        return box.key, row
    for name, turn in (("first", box.turn(1)), ("second", box.turn(2))):
        if turn is not None:
            row |= {f"{name}_cents": Figure(drop_of(turn), box.entry), f"{name}_by": turn.counted_by}
    variance = of_currency + of_checks
    row |= {
        "further": max(len(found.turns) - 2, 0),
        "agreed_cents": Figure(found.currency_cents + found.counter_checks_cents, box.entry),
        "currency_variance_cents": of_currency,
        "checks_variance_cents": of_checks,
        "variance_cents": variance,
        **cells_of(books, cases, box.key, variance, of_currency.value, of_checks.value),
    }
    return box.key, row


def _of_slip(books: Books, cases: Cases, slip: Slip) -> _Found:
    begun, received, number = slip.begun, slip.received, slip.number
    assert received is not None, "only slips that were received are compared"
    assert number is not None, "what was received had been prepared under a number"
    arrived = slip.arrived or NOTHING
    variance = arrived - slip.value
    key: CaseKey = (begun.gaming_day, begun.table, slip.slip, number)
    row: _Row = {
        **_place(books, begun.table, begun.shift),
        "slip": slip.slip,
        "number": str(number),
        "received_at": received.occurred_at,
        "sent_cents": slip.value,
        "received_cents": arrived,
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
    known = (await books.amounts(["boxes", "boxes_counted"])).get((), {})
    says = "every box that came off a table was counted"
    return Identity("boxes", known.get("boxes", NOTHING), known.get("boxes_counted", NOTHING), says, "count")


def _settled(found: Iterable[_Found]) -> Identity:
    """Return the identity that no variance that must be reported is open on a sealed day."""
    left = [row["variance_cents"] for _, row in found if row.get("sealed") == "open" and row.get("level") != "noted"]
    because = tuple(dict.fromkeys(one for cents in left if isinstance(cents, Figure) for one in cents.because))
    says = "no variance above the limit of reports is open on a sealed gaming day"
    return Identity("open after seal", Figure(len(left), because), NOTHING, says, "count")


COUNT_VARIANCES: Final = Report(
    name="count-variances",
    title="Count variances",
    about=(
        "Every count of a gaming day beside what was expected: table inventories by what moved since the count before, "
        "drop boxes by what was recorded as dropped, with the first and the blind second count, and slips by what was "
        "sent; with who explains each difference and what came of it. What is open on a sealed day stands by itself."
    ),
    sections=(INVENTORIES, BOXES, SLIPS, AFTER_SEAL),
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
    periods=("day",),
    signatures=("Count room supervisor", "Revenue audit"),
)
