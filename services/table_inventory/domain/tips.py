"""Dealers' hours for tips pools: entered by one person, approved by another. Pure; minutes."""

from datetime import date

from services.table_inventory.domain.entered import Revision
from shared.contracts.properties import TipsPool
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.tips import TipHours
from shared.jurisdictions import period_of


class TipHoursDocument(TipHours, Revision):
    """The dealers' hours of a tips pool, with their status."""

    @property
    def label(self) -> str:
        """Return the document's name for messages."""
        return f"revision {self.revision} of the hours of the pool up to {self.last_day}"


def days_of(place: PropertySnapshot, pool: TipsPool, day: date) -> tuple[date, date]:
    """Return the first and last gaming day of the tips pool that includes a day. The pack defines weekly periods."""
    return period_of(place.law, pool.period, day)
