"""Dealers' hours for tips pools: entered by one person, approved by another. Pure; minutes."""

from services.table_inventory.domain.entered import Revision
from shared.contracts.tips import TipHours


class TipHoursDocument(TipHours, Revision):
    """The dealers' hours of a tips pool, with their status."""

    @property
    def label(self) -> str:
        """Return the document's name for messages."""
        return f"revision {self.revision} of the hours of the pool up to {self.last_day}"
