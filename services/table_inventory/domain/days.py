"""Gaming days: closed in steps, by different people, when all of them is there; and adjustments of their figures."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Literal, NamedTuple

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.slips import Slip
from services.table_inventory.domain.windows import Window
from shared.contracts.inventory import AdjustmentEntered, ExcusedTable
from shared.contracts.properties import PropertyTable
from shared.contracts.reports import ReportStatus
from shared.runtime.command.subject import Subject


class DayKey(NamedTuple):
    """The name of a gaming day."""

    property: str
    gaming_day: date

    def path(self) -> str:
        """Return where the gaming day is found."""
        return f"/gaming-days/{self.property}/{self.gaming_day}"


Step = Literal["open", "preliminary", "audited", "final"]
"""How far people have closed a gaming day; the stage of an audited day is still preliminary."""


class Day(BaseModel):
    """How far a gaming day is closed, by whom; `hash` and `report` when it is final."""

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
        """Return the last step that people have taken of it."""
        if self.final_by is not None:
            return "final"
        if self.audited_by is not None:
            return "audited"
        return "open" if self.preliminary_by is None else "preliminary"

    def status_of(self, report: Mapping[str, Any]) -> ReportStatus:
        """Return the status of a report: it is restated where the day was sealed with other values of its members."""
        if self.report is None or all(self.report[name] == value for name, value in report.items()):
            return self.status
        return ReportStatus.RESTATED


class Adjustment(AdjustmentEntered, Subject):
    """An adjustment and what has become of it."""

    status: Literal["entered", "approved", "rejected"] = "entered"
    approved_by: str | None = None
    approved_at: AwareDatetime | None = None
    rejected_by: str | None = None
    rejected_at: AwareDatetime | None = None
    rejection_reason: str | None = None


def incomplete(
    tables: Sequence[PropertyTable],
    excused: Collection[str],
    windows: Sequence[Window],
    boxes: Sequence[Box],
    slips: Sequence[Slip],
) -> Iterator[str]:
    """Return what is missing of a gaming day, in words. `tables` are those that the property has on that day.

    A fully automated table has no chips that could be counted.
    """
    staffed = {table.table for table in tables if not table.fully_automated}
    counts = [window.end for window in windows if window.end is not None]
    ended = {count.table for count in counts if count.purpose in ("closer", "drop", "carried")}
    for table in sorted(staffed - ended - set(excused)):
        yield f"table {table} has no closer"
    for box in boxes:
        if box.count is None:
            yield f"box {box.box} of {box.table} is not counted"
    played = {window.end.table for window in windows if window.is_play and window.end is not None}
    for table in sorted(played - {box.table for box in boxes} - set(excused)):
        yield f"no drop box of {table}"
    for slip in slips:
        if slip.status in ("prepared", "carried"):
            yield f"{slip.slip} slip {slip.number} is not received"
