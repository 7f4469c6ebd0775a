"""Opening positions of chips in service: entered by one person, approved by another. Pure."""

from services.table_inventory.domain.entered import Revision
from shared.contracts.chips_in_service import ChipsInService


class ChipsInServiceDocument(ChipsInService, Revision):
    """An opening position with its status."""

    @property
    def label(self) -> str:
        """Return its name for messages."""
        return f"revision {self.revision} of the chips in service at {self.property}"
