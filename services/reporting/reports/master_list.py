"""The device and table master list: every table with game, rules and devices, and the number of tables by month."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import takewhile
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Identity, Section, fill
from services.reporting.framework.figures import Cell, EntryRef, Figure
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.staff import versions_of
from services.reporting.reports.common.counted_win import KIND
from shared.contracts.properties import PropertyApproved, PropertyTable
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.submissions import ByTable, SubmissionApproved, WithdrawalApproved

TABLES: Final = Section(
    name="tables",
    title="Tables",
    key=("table",),
    columns=(
        Column(name="table", title="Table"),
        Column(name="asset_number", title="Asset no."),
        Column(name="game", title="Game"),
        KIND,
        Column(name="regulation", title="Regulation"),
        Column(name="submission", title="Rules Submission", unit="count", formula="the version in effect"),
        Column(name="submission_from", title="In effect from", unit="moment"),
        Column(name="pit", title="Pit"),
        Column(name="location", title="Location"),
        Column(name="positions", title="Positions", unit="count", added=True),
        Column(name="revenue_class", title="Class of revenue"),
        Column(
            name="play",
            title="Source of win",
            formula="rounds: the table reports rounds; counted: known only from counts",
        ),
        Column(name="progressive_links", title="Progressive link"),
        Column(name="devices", title="Devices", unit="count", added=True),
        Column(name="opened_on", title="Opened on", unit="day"),
        Column(name="retired_on", title="Retired on", unit="day"),
        Column(name="status", title="Status", formula="on the last gaming day: open, retired, or not open yet"),
    ),
)

DEVICES: Final = Section(
    name="devices",
    title="Devices",
    key=("table", "asset_number"),
    columns=(
        Column(name="table", title="Table"),
        Column(name="kind", title="Device"),
        Column(name="asset_number", title="Asset no."),
        Column(name="serial_number", title="Serial no."),
    ),
)

MONTHS: Final = Section(
    name="months",
    title="Tables by month",
    key=("month", "game"),
    columns=(
        Column(name="month", title="Month", formula="year and month of the gaming days"),
        Column(name="game", title="Game"),
        Column(
            name="tables", title="Tables", unit="count", formula="tables open on at least one gaming day of the month"
        ),
        Column(
            name="last_day_tables",
            title="Tables at month-end",
            unit="count",
            added=False,
            formula="tables open on the last gaming day of the month",
        ),
        Column(
            name="table_days",
            title="Table days",
            unit="count",
            added=True,
            formula="sum of the gaming days on which each table was open",
        ),
    ),
)


async def _fill(books: Books) -> Content:
    versions = await versions_of(books)
    submissions = await _approved(books)
    document, last = books.place.document, books.question.last
    entries = tuple(one.entry for one in versions if one.fact.version == document.version)
    listed = [one for one in document.tables if books.question.table in (None, one.table)]
    listed = [one for one in listed if books.question.game in (None, one.game)]
    ends = books.place.begins_at(last + timedelta(days=1))
    devices = [(table, device) for table in listed for device in table.devices]
    sections = (
        fill(
            TABLES,
            (
                _table(one, _submission(submissions, one, document.property, ends), entries, last)
                | {"kind": books.kind_of(one.table)}
                for one in listed
            ),
        ),
        fill(
            DEVICES,
            (
                {
                    "table": table.table,
                    "kind": device.kind,
                    "asset_number": Cell(device.asset_number, entries),
                    "serial_number": device.serial_number,
                }
                for table, device in devices
            ),
        ),
        fill(MONTHS, _months(books, {one.table for one in listed})),
    )
    return Content(sections, (_offered(listed, submissions, document.property, ends, last),))


@dataclass(frozen=True, slots=True)
class _Rules:
    """The approved rules submissions by table, and the facts of the approvals, keyed by hash of the submission."""

    by_table: ByTable[SubmissionApproved]
    listed: Mapping[str, Listed]


async def _approved(books: Books) -> _Rules:
    """Return the property's approved rules submissions that were not withdrawn."""
    withdrawn = {one.fact.hash for one in await books.all_facts(WithdrawalApproved)}
    listed = {one.fact.hash: one for one in await books.all_facts(SubmissionApproved)}
    stand = (one.fact for digest, one in listed.items() if digest not in withdrawn)
    return _Rules(ByTable(stand), listed)


def _submission(rules: _Rules, table: PropertyTable, property_name: str, ends: datetime) -> Listed | None:
    """Return the approval of the submission in effect for a table's game at the end of the period, or None."""
    last = ends - timedelta.resolution
    found = rules.by_table.in_effect(property_name, table.game, table.table, last)
    return None if found is None else rules.listed[found.hash]


def _table(
    table: PropertyTable, submission: Listed | None, entries: tuple[EntryRef, ...], last: date
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "table": Cell(table.table, entries),
        "asset_number": table.asset_number,
        "game": table.game,
        "play": None if table.non_banking else table.play,
        "pit": table.pit,
        "location": table.location,
        "positions": Figure(table.positions, entries),
        "revenue_class": table.revenue_class,
        "progressive_links": ", ".join(table.progressive_links) or None,
        "devices": Figure(len(table.devices), entries),
        "opened_on": table.opened_on,
        "retired_on": table.retired_on,
        "status": _status(table, last),
    }
    if submission is not None:
        because = (submission.entry,)
        row["regulation"] = submission.fact.regulation
        row["submission"] = Cell(submission.fact.version, because)
        row["submission_from"] = submission.fact.effective_from
    return row


def _status(table: PropertyTable, day: date) -> str:
    if table.is_open_on(day):
        return "open"
    return "not open yet" if day < table.opened_on else "retired"


def _months(books: Books, listed: set[str]) -> Iterator[dict[str, Any]]:
    """Yield rows with the number of tables by month and game, from the property document in effect on each day."""
    days = takewhile(
        lambda day: day <= books.question.last,
        (books.question.first + timedelta(days=n) for n in range((date.max - books.question.first).days)),
    )
    by_month: dict[str, list[date]] = {}
    for day in days:
        by_month.setdefault(f"{day:%Y-%m}", []).append(day)
    for month, of_month in by_month.items():
        tables: dict[str, set[str]] = {}
        table_days: Counter[str] = Counter()
        at_end: Counter[str] = Counter()
        for day in of_month:
            for table in _open_on(books.place_on(day), day, listed):
                tables.setdefault(table.game, set()).add(table.table)
                table_days[table.game] += 1
                at_end[table.game] += day == of_month[-1]
        for game in sorted(tables):
            yield {
                "month": month,
                "game": game,
                "tables": len(tables[game]),
                "last_day_tables": at_end[game],
                "table_days": table_days[game],
            }


def _open_on(place: PropertySnapshot, day: date, listed: set[str]) -> list[PropertyTable]:
    return [table for table in place.document.tables if table.table in listed and table.is_open_on(day)]


def _offered(
    tables: Sequence[PropertyTable], submissions: _Rules, property_name: str, ends: datetime, last: date
) -> Identity:
    """Return the identity that every open table offers its game under an approved submission."""
    asked = [table for table in tables if not table.non_banking and table.play == "rounds"]
    is_open = [table for table in asked if table.is_open_on(last)]
    found = [one for table in is_open if (one := _submission(submissions, table, property_name, ends)) is not None]
    because = tuple(dict.fromkeys(one.entry for one in found))
    says = "every table open on the last gaming day that reports rounds has a Rules Submission in effect"
    return Identity("open tables", Figure(len(is_open)), Figure(len(found), because), says, unit="count")


MASTER_LIST: Final = Report(
    name="master-list",
    title="Device and table master list",
    about=(
        "Every table of the property, as defined on the last gaming day: asset number, game, version of the "
        "Rules Submission in effect, pit and location, positions, progressive link, devices, and days opened "
        "and retired; and the number of tables that offered each game, by month."
    ),
    sections=(TABLES, DEVICES, MONTHS),
    sources=(PropertyApproved, SubmissionApproved, WithdrawalApproved),
    fill=_fill,
    signatures=("Compliance", "Table games manager"),
    of_days=False,
)
