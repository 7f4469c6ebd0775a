"""What every report says of itself, and how far a gaming day has come."""

from datetime import date
from enum import StrEnum
from importlib.metadata import version

from pydantic import AwareDatetime, BaseModel, Field

from shared.contracts.envelope import Name


class ReportStatus(StrEnum):
    """How far a gaming day has come, and with it every report about it."""

    OPEN = "open"
    """The day is not over."""
    PRELIMINARY = "preliminary"
    """The day is over; nobody has audited it."""
    AUDITED = "audited"
    """Revenue audit has checked it."""
    FINAL = "final"
    """It is sealed: from now on there are only adjusting entries."""
    RESTATED = "restated"
    """What came after the seal makes another report than the sealed one."""


class ReportHeader(BaseModel):
    """What every report says of itself."""

    title: str
    property: Name
    status: ReportStatus
    generated_at: AwareDatetime
    generated_by: str
    system_version: str = Field(default_factory=lambda: version("pitledger"))
    input_open: int = Field(
        ge=0, description="records of its input that are missing or in quarantine: its figures may still change"
    )


class DayReportHeader(ReportHeader):
    """What a report about one gaming day says of itself."""

    gaming_day: date


class RangeReportHeader(ReportHeader):
    """What a report about several gaming days says of itself; both days are in it."""

    first_day: date
    last_day: date
