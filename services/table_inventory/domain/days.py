"""Gaming days: closed in steps by different people once they are complete, and adjusted by two people."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final, Literal, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.entered import EnteredDocument
from services.table_inventory.domain.win import Win
from shared.contracts.inventory import AdjustmentEntered, ExcusedTable
from shared.contracts.property_snapshot import PropertySnapshot, clock_text
from shared.contracts.reports import ReportStatus
from shared.contracts.win import Missing, MissingKind


class DayKey(NamedTuple):
    """The key of a gaming day: property and date."""

    property: str
    gaming_day: date

    def path(self) -> str:
        """Return the URL path of the gaming day."""
        return f"/gaming-days/{self.property}/{self.gaming_day}"


Step = Literal["open", "preliminary", "audited", "final"]
"""The last closing step of a gaming day. The report status of an audited day is still `preliminary`."""


class Day(BaseModel):
    """The closing stage of a gaming day, with the people responsible. Only a final day has `hash` and `report`."""

    property: str
    gaming_day: date
    status: ReportStatus = ReportStatus.OPEN
    preliminary_by: str | None = None
    preliminary_at: AwareDatetime | None = None
    excused: tuple[ExcusedTable, ...] = ()
    audited_by: str | None = None
    audited_at: AwareDatetime | None = None
    final_by: str | None = None
    final_at: AwareDatetime | None = None
    hash: str | None = None
    report: dict[str, Any] | None = None

    def step(self) -> Step:
        """Return the last completed closing step."""
        if self.final_by is not None:
            return "final"
        if self.audited_by is not None:
            return "audited"
        return "open" if self.preliminary_by is None else "preliminary"

    def status_of(self, report: Mapping[str, Any]) -> ReportStatus:
        """Return the status of a report. It is `restated` if any of its figures differs from the sealed report."""
        if self.report is None or all(self.report[name] == value for name, value in report.items()):
            return self.status
        return ReportStatus.RESTATED


class Adjustment(AdjustmentEntered, EnteredDocument):
    """An adjustment of a gaming day's figure, with its status."""

    @property
    def label(self) -> str:
        """Return the adjustment's name for messages."""
        return f"adjustment {self.adjustment}"


_WORDS: Final[Mapping[MissingKind, str]] = {
    "opener": "{table} was used since {since}, and nobody had opened it",
    "closer": "{table} was counted open {since}, and has no closer since",
    "day_count": "{table} was open at the end of a gaming day, {since}, and nobody counted it",
    "drop": "no drop box came off {table} since {since}",
    "box": "box {name}, placed on {table} {since}, is not back",
    "count": "box {name} of {table}, off since {since}, is not counted",
    "slip": "{name} of {table}, since {since}, has not ended",
}


def in_words(table: str, missing: Missing, zone: ZoneInfo) -> str:
    """Return a missing item of a table as text, with times in the time zone of the property."""
    since = clock_text(missing.since, zone)
    return _WORDS[missing.what].format(table=table, name=missing.name, since=since)


def incomplete(
    place: PropertySnapshot, gaming_day: date, shifts: Mapping[str, Sequence[Win]], excused: Collection[str]
) -> Iterator[str]:
    """Yield the missing items of a gaming day, as text.

    `shifts` maps each table with a record on the day to the wins of its shifts. A table without a record is reported as
    missing, unless it is in `excused` or fully automated. A fully automated table has no chips to count.
    """
    for table, wins in sorted(shifts.items()):
        for missing in dict.fromkeys(one for win in wins for one in win.lacks):
            yield in_words(table, missing, place.zone)
    recorded = {table for table, wins in shifts.items() if any(win.opened or win.carried for win in wins)}
    staffed = {table.table for table in place.tables_on(gaming_day) if not table.fully_automated}
    for table in sorted(staffed - recorded - set(excused)):
        yield f"table {table} has no record of the day"
