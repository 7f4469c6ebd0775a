"""Fill and credit slips with all of their signers, and unaccounted slip numbers."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from functools import cache
from typing import Any, Final

from pydantic import BaseModel

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Filled, Mark, Section, fill
from services.reporting.framework.figures import NOTHING, Cell, Figure, Value
from services.reporting.framework.question import is_long
from services.reporting.read_model.many_slips import StepOfDay, slips_to_look_at, steps_of_days
from services.reporting.read_model.reading import Books
from services.reporting.read_model.series import missing_of, series_of
from services.reporting.read_model.slips import Slip, slips_of
from services.reporting.reports.common.pieces import pieces_text
from shared.contracts import inventory

_NAMED: Final = ("requested_by", "prepared_by", "surrendered_by", "carried_by", "received_by", "observed_by")
"""The fields that name the people who take a slip's steps."""

_COLUMNS: Final = (
    Column(name="number", title="Slip no."),
    Column(name="series", title="Series", formula="system; paper: printed forms, entered later, after an outage"),
    Column(name="request", title="Request no."),
    Column(name="pit", title="Pit"),
    Column(name="table", title="Table"),
    Column(name="gaming_day", title="Gaming day", unit="day"),
    Column(name="shift", title="Shift"),
    Column(name="at", title="Time", unit="moment", formula="time of preparation; for a request, of the request"),
    Column(name="denominations", title="Denominations"),
    Column(name="cents", title="Total", unit="cents", added=True),
    Column(name="received_cents", title="Received", unit="cents", added=True),
    Column(name="difference_cents", title="Difference", unit="cents", added=True, formula="received - total"),
    Column(
        name="moved_cents",
        title="Moved at the table",
        unit="cents",
        added=True,
        formula="fill: amount received; credit: amount removed from the table less returns; on these gaming days",
    ),
    Column(name="status", title="Status", formula="requested, prepared, carried, received, or void"),
    Column(name="requested_by", title="Requested by"),
    Column(name="prepared_by", title="Prepared by"),
    Column(name="surrendered_by", title="Surrendered by"),
    Column(name="carried_by", title="Carried by"),
    Column(name="received_by", title="Received by"),
    Column(name="observed_by", title="Observed by"),
    Column(name="received_at", title="Received at", unit="moment"),
    Column(name="late", title="Entered late at", formula="time at which a paper slip was entered", unit="moment"),
    Column(name="ended_by", title="Voided or entered by"),
    Column(name="reason", title="Reason", formula="of a void, or of the use of paper"),
)

_KEY: Final = ("series", "number", "request")
FILLS: Final = Section(name="fills", title="Fills", key=_KEY, columns=_COLUMNS)
CREDITS: Final = Section(name="credits", title="Credits", key=_KEY, columns=_COLUMNS)

DAYS: Final = Section(
    name="days",
    title="By gaming day",
    key=("gaming_day", "slip"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day", formula="of each step of the slip"),
        Column(name="slip", title="Slip"),
        Column(
            name="prepared", title="Prepared", unit="count", added=True, formula="slips prepared, or entered from paper"
        ),
        Column(
            name="cents",
            title="Total",
            unit="cents",
            added=True,
            formula="total of slips prepared or entered from paper",
        ),
        Column(
            name="received", title="Received", unit="count", added=True, formula="slips received, or entered from paper"
        ),
        Column(name="received_cents", title="Received", unit="cents", added=True),
        Column(name="paper", title="Paper slips", unit="count", added=True),
        Column(name="void", title="Void slips", unit="count", added=True),
        Column(
            name="moved_cents",
            title="Moved at the table",
            unit="cents",
            added=True,
            formula="fills: amount received; credits: amount removed from the table less returns",
        ),
    ),
)

SERIES: Final = Section(
    name="series",
    title="Number series",
    key=("slip", "series"),
    columns=(
        Column(name="slip", title="Slip"),
        Column(name="series", title="Series"),
        Column(name="first", title="First no."),
        Column(name="last", title="Last no."),
        Column(name="used", title="Accounted for", unit="count", formula="prepared, entered from paper, or void"),
        Column(name="void", title="Void", unit="count", formula="voided slips among those accounted for"),
        Column(name="missing", title="Missing", unit="count", formula="last - first + 1 - accounted for"),
    ),
)

GAPS: Final = Section(
    name="gaps",
    title="Missing numbers",
    key=("slip", "series", "first"),
    columns=(
        Column(name="slip", title="Slip"),
        Column(name="series", title="Series"),
        Column(name="first", title="From no."),
        Column(name="last", title="To no."),
        Column(name="missing", title="Missing", unit="count", added=True),
        Column(
            name="known_at",
            title="Detected at",
            unit="moment",
            formula="time at which a higher number was first recorded",
        ),
        Column(
            name="due_on",
            title="Report to internal audit by",
            unit="day",
            formula="day on which the gap became known + days allowed by the pack",
        ),
    ),
)


async def _fill(books: Books) -> Content:
    steps = await steps_of_days(books)
    slips = await (slips_to_look_at(books) if is_long(books.question) else slips_of(books))
    sections = (
        fill(DAYS, _days(steps)),
        fill(FILLS, (_row(books, slip) for slip in slips if slip.slip == "fill")),
        fill(CREDITS, (_row(books, slip) for slip in slips if slip.slip == "credit")),
        await _series(books),
        await _gaps(books),
    )
    return Content(sections, marks=_marks(books))


_ADDS: Final[Mapping[str, Mapping[str, int]]] = {
    "slip.prepared": {"prepared": 1, "cents": 1},
    "fill.received": {"received": 1, "received_cents": 1, "moved_cents": 1},
    "credit.carried": {"moved_cents": 1},
    "slip.credit_received": {"received": 1, "received_cents": 1},
    "slip.voided": {"void": 1, "moved_cents": -1},
    "manual_slip.entered": dict.fromkeys(
        ("prepared", "cents", "received", "received_cents", "paper", "moved_cents"), 1
    ),
    "manual_slip.voided": {"void": 1},
}
"""The columns of a gaming day's row that a step adds to (1) or deducts from (-1), by kind of step."""


def _days(steps: Iterable[StepOfDay]) -> list[dict[str, Any]]:
    rows: dict[tuple[date, str], dict[str, Any]] = {}
    for step in steps:
        row = rows.setdefault((step.gaming_day, step.slip), {"gaming_day": step.gaming_day, "slip": step.slip})
        for name, sign in _ADDS[step.step].items():
            adds = step.cents if name.endswith("cents") else step.slips
            row[name] = row.get(name, NOTHING) + (adds if sign > 0 else -adds)
    return list(rows.values())


def _row(books: Books, slip: Slip) -> Mapping[str, Value | Figure | Cell]:
    begun, arrived = slip.begun, slip.arrived
    people = _people(slip)
    at = slip.prepared or slip.requested or slip.paper or slip.steps[0]
    contents = getattr(begun, "contents", ())
    ended: dict[str, Any] = {}
    if slip.voided is not None:
        ended = {"ended_by": slip.voided.fact.voided_by, "reason": slip.voided.fact.void_reason}
    elif slip.paper is not None:
        ended = {"ended_by": begun.entered_by, "reason": begun.reason, "late": begun.entered_at}
    table = getattr(begun, "table", None)
    return {
        "number": Cell(_text(slip.number), tuple(step.entry for step in slip.steps)),
        "series": slip.series,
        "request": _text(getattr(begun, "request", None)),
        "pit": table and books.pit_of(table, begun.gaming_day),
        "table": table,
        "gaming_day": begun.gaming_day,
        "shift": getattr(begun, "shift", None),
        "at": at.occurred_at,
        "denominations": pieces_text(contents),
        "cents": slip.value,
        "received_cents": arrived,
        "difference_cents": None if arrived is None else arrived - slip.value,
        "moved_cents": slip.moved(books.question.first, books.question.last),
        "status": slip.status,
        "received_at": None if slip.received is None else slip.received.occurred_at,
        **people,
        **ended,
    }


def _text(number: int | None) -> str | None:
    """Return a number as text, so that spreadsheets and reports do not sum it."""
    return None if number is None else str(number)


def _people(slip: Slip) -> dict[str, str]:
    """Return the people named by a slip's steps, keyed by field; for a step at the table, its pit event names them."""
    found: dict[str, str | None] = {}
    for step in slip.steps:
        said: BaseModel = step.fact.data if isinstance(step.fact, inventory.PitRecorded) else step.fact
        found.update({name: getattr(said, name) for name in _named_in(type(said))})
    return {name: person for name, person in found.items() if person is not None}


@cache
def _named_in(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the names of a model's fields that contain persons; cached, because looking up missing fields is slow."""
    return tuple(name for name in _NAMED if name in model.model_fields)


async def _series(books: Books) -> Filled:
    return fill(
        SERIES,
        (
            {
                "slip": one.slip,
                "series": one.series,
                "first": str(one.first),
                "last": str(one.last),
                "used": one.used,
                "void": one.void,
                "missing": one.last - one.first + 1 - one.used,
            }
            for one in await series_of(books)
        ),
    )


async def _gaps(books: Books) -> Filled:
    rows = []
    for gap in await missing_of(books):
        known_on = books.place.gaming_day(gap.known_at)
        if known_on > books.question.last:
            continue
        days = books.place_on(known_on).law.limits.serial_exception_days.on(known_on).value
        rows.append(
            {
                "slip": gap.slip,
                "series": gap.series,
                "first": Cell(str(gap.first), (gap.entry,)),
                "last": str(gap.last),
                "missing": Figure(gap.last - gap.first + 1, (gap.entry,)),
                "known_at": gap.known_at,
                "due_on": known_on + timedelta(days=days),
            }
        )
    return fill(GAPS, rows)


def _marks(books: Books) -> tuple[Mark, ...]:
    dated = books.place.law.limits.serial_exception_days.on(books.question.last)
    if dated.status == "confirmed":
        return ()
    return (Mark("serial_exception_days", dated.source, dated.note or "", ("gaps/due_on",)),)


SLIPS: Final = Report(
    name="slips",
    title="Fill and credit summary",
    about=(
        "Every fill and credit with a step on these gaming days, with its status and the person who took each "
        "step; and slip numbers not accounted for. Series and missing numbers cover all slips of the property, from "
        "the first one to the last of these days. For periods of more than a week, slips are totaled by "
        "gaming day, and only these are listed: slips that are void, on paper or not yet received, and those "
        "received with another amount than prepared."
    ),
    sections=(DAYS, FILLS, CREDITS, SERIES, GAPS),
    sources=(
        inventory.SlipRequested,
        inventory.SlipPrepared,
        inventory.PitRecorded,
        inventory.CreditReceived,
        inventory.SlipVoided,
        inventory.ManualSlipEntered,
        inventory.ManualSlipVoided,
    ),
    fill=_fill,
    periods=("day", "week", "month"),
    signatures=("Cage", "Revenue audit"),
)
