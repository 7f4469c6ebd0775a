"""The exceptions report: one list of the exceptions from all journals, with subject, owner and resolution."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Section, fill
from services.reporting.framework.figures import Cell
from services.reporting.read_model.alarms import of_statistics
from services.reporting.read_model.exceptions import (
    Exceptional,
    Severity,
    in_order,
    of_input,
    refused_commands,
    restated_days,
)
from services.reporting.read_model.overrides import of_registry
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.cases import marks
from services.reporting.reports.common.cells import entry_cell
from services.reporting.reports.common.counted_win import KIND, PLAY
from services.reporting.reports.exceptions.closed_tables import wins_at_closed_tables
from services.reporting.reports.exceptions.desk_exceptions import of_desk
from services.reporting.reports.exceptions.equipment import of_equipment
from shared.contracts import inventory
from shared.contracts.alarms import AlarmOwned, AlarmResolved
from shared.contracts.cage import WinnerIdentified
from shared.contracts.counts import CountConcluded
from shared.contracts.journal_facts import (
    CommandRefused,
    DismissedTogether,
    EventFlagged,
    GapFilled,
    GapOpened,
    QuarantineDismissed,
    RecordMended,
    RecordQuarantined,
)
from shared.contracts.settlements import (
    ResultSuperseded,
    ResultUncounted,
    SettlementPosted,
    SettlementReversed,
    SettlementSuperseded,
    SettlementVoided,
)
from shared.contracts.submissions import SubmissionApproved


class _Kind(NamedTuple):
    """The severity of a kind of exception, and the department that owns such exceptions by default."""

    severity: Severity
    desk: str


_KINDS: Final[Mapping[str, _Kind]] = {
    "gap": _Kind("high", "table systems"),
    "quarantined": _Kind("high", "system operators"),
    "restated": _Kind("high", "revenue audit"),
    "variance": _Kind("medium", "revenue audit"),
    "slip_gap": _Kind("high", "internal audit"),
    "slip_open": _Kind("medium", "cage"),
    "slip_void": _Kind("low", "revenue audit"),
    "slip_late": _Kind("low", "revenue audit"),
    "box_not_counted": _Kind("high", "count room"),
    "adjustment": _Kind("medium", "controller"),
    "payback": _Kind("medium", "internal audit"),
    "other_gaming_day": _Kind("medium", "pit"),
    "other_shift": _Kind("low", "pit"),
    "pit_voided": _Kind("medium", "revenue audit"),
    "equipment": _Kind("low", "pit"),
    "win_at_closed_table": _Kind("medium", "cage"),
    "statistical": _Kind("medium", "surveillance"),
    "reversed": _Kind("medium", "revenue audit"),
    "voided": _Kind("medium", "revenue audit"),
    "superseded": _Kind("low", "table systems"),
    "late": _Kind("medium", "table systems"),
    "notice": _Kind("low", "pit"),
    "refused": _Kind("low", "internal audit"),
}

_COLUMNS: Final = (
    Column(name="since", title="Since", unit="moment"),
    Column(name="kind", title="Type"),
    Column(
        name="severity",
        title="Severity",
        formula="high: records are missing from the books, or the books changed after the seal",
    ),
    Column(name="subject", title="Subject"),
    Column(name="table", title="Table"),
    PLAY,
    Column(name="game_kind", title="Kind of game", formula=KIND.formula),
    Column(name="gaming_day", title="Gaming day", unit="day"),
    Column(name="cents", title="Amount", unit="cents"),
    Column(
        name="owner",
        title="Owner",
        formula="the person who must explain it; until one is assigned, the responsible desk",
    ),
    Column(name="by", title="People responsible", formula="who entered it, and who approved it"),
    Column(name="reason", title="Reason"),
    Column(
        name="age_hours",
        title="Age, hours",
        unit="count",
        formula="from the time of the exception until it was settled; if open, until the as-of time",
    ),
    Column(name="status", title="Status"),
    Column(name="settled_at", title="Settled at", unit="moment"),
    Column(name="settled_by", title="Settled by"),
    Column(name="resolution", title="Resolution"),
    Column(name="entry", title="Entry"),
    Column(
        name="number",
        title="No.",
        unit="count",
        formula="number among the notices of the same entry; 0 if it is not a notice",
    ),
)
_KEY: Final = ("kind", "subject", "entry", "number")

OPEN: Final = Section(name="open", title="Open", key=_KEY, columns=_COLUMNS)
OVER: Final = Section(name="over", title="Settled or for information", key=_KEY, columns=_COLUMNS)
BY_KIND: Final = Section(
    name="kinds",
    title="By type",
    key=("kind", "status"),
    columns=(
        Column(name="kind", title="Type"),
        Column(name="status", title="Status"),
        Column(name="exceptions", title="Exceptions", unit="count", added=True),
    ),
)


async def _fill(books: Books) -> Content:
    parts = (
        *(of_desk, of_input, restated_days, refused_commands, of_equipment, of_registry, of_statistics),
        wins_at_closed_tables,
    )
    found = in_order(chain.from_iterable(await asyncio.gather(*(part(books) for part in parts))))
    of_table = [one for one in found if books.question.table in (None, one.table) or one.table is None]
    sections = (
        fill(BY_KIND, _counted(of_table)),
        fill(OPEN, (_row(books, one) for one in of_table if one.status == "open")),
        fill(OVER, (_row(books, one) for one in of_table if one.status != "open")),
    )
    return Content(sections, marks=marks(books))


def _counted(found: Sequence[Exceptional]) -> list[dict[str, Any]]:
    numbers = Counter((one.kind, one.status) for one in found)
    return [
        {"kind": kind, "status": status, "exceptions": number} for (kind, status), number in sorted(numbers.items())
    ]


def _row(books: Books, one: Exceptional) -> dict[str, Any]:
    kind = _KINDS[one.kind]
    lasted = (one.settled_at or books.question.known_at) - one.since
    because = (*one.entries, *one.evidence)
    return {
        "since": one.since,
        "kind": Cell(one.kind, because),
        "severity": one.severity or kind.severity,
        "subject": one.subject,
        "table": one.table,
        **({} if one.table is None else {"play": books.play_of(one.table), "game_kind": books.kind_of(one.table)}),
        "gaming_day": one.gaming_day,
        "cents": None if one.cents is None else Cell(one.cents, because),
        "owner": one.owner or (kind.desk if one.status == "open" else None),
        "by": one.by,
        "reason": one.reason,
        "age_hours": max(0, int(lasted.total_seconds() // 3600)),
        "status": Cell(one.status, because),
        "settled_at": one.settled_at,
        "settled_by": one.settled_by,
        "resolution": one.resolution,
        "entry": entry_cell(one.entries[0]),
        "number": one.number,
    }


EXCEPTIONS: Final = Report(
    name="exceptions",
    title="Exceptions",
    about=(
        "All exceptions: records that are missing or were refused, rounds and results that were changed, "
        "notices of settlements, days that changed after their seal, refused commands, variances, slips, "
        "boxes, equipment and adjustments of the pit desk, paybacks accepted by an override, and statistical "
        "alarms; with owner, age and resolution. An exception without a gaming day belongs to the day on "
        "which it was found, and to all later days while it is open; so does an alarm."
    ),
    sections=(BY_KIND, OPEN, OVER),
    sources=(
        *(
            EventFlagged,
            GapOpened,
            GapFilled,
            RecordQuarantined,
            RecordMended,
            QuarantineDismissed,
            DismissedTogether,
            CommandRefused,
        ),
        *(SettlementPosted, SettlementReversed, SettlementSuperseded, SettlementVoided),
        *(ResultUncounted, ResultSuperseded),
        *(
            inventory.PitRecorded,
            inventory.PitVoided,
            inventory.SlipPrepared,
            inventory.CreditReceived,
            inventory.SlipVoided,
        ),
        *(inventory.ManualSlipEntered, inventory.ManualSlipVoided, CountConcluded),
        *(inventory.VarianceOwned, inventory.VarianceResolved),
        *(inventory.AdjustmentEntered, inventory.AdjustmentApproved, inventory.AdjustmentRejected),
        *(SubmissionApproved, AlarmOwned, AlarmResolved, inventory.DayFinal, WinnerIdentified),
    ),
    fill=_fill,
    signatures=("Revenue audit", "Internal audit"),
    of_days=False,
)
