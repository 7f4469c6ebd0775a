"""The hours of tips pools: entered by one person, approved by another. Pure; minutes."""

from datetime import date
from typing import Literal

from pydantic import AwareDatetime

from shared.contracts.properties import TipsPool
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.tips import TipHours
from shared.jurisdictions import period_of
from shared.runtime.commands.approval_subject import ApprovalSubject


class TipHoursDocument(TipHours, ApprovalSubject):
    """The hours of a pool with their status."""

    status: Literal["entered", "approved", "rejected"] = "entered"
    approved_by: str | None = None
    approved_at: AwareDatetime | None = None
    rejected_by: str | None = None
    rejected_at: AwareDatetime | None = None
    rejection_reason: str | None = None


def days_of(place: PropertySnapshot, pool: TipsPool, day: date) -> tuple[date, date]:
    """Return the first and the last gaming day of the pool with a gaming day; weeks begin as the law's pack says."""
    return period_of(place.law, pool.period, day)
