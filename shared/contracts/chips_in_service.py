"""Facts about the property's own chips that were in service before the books of the cage began."""

from datetime import date
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, Field

from shared.contracts.approvals import AsShown
from shared.contracts.cage_locations import HeldContents
from shared.contracts.envelope import Contract, Name, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import DESK, Number, SignedCents
from shared.contracts.topics import INVENTORY


def _own(contents: HeldContents) -> HeldContents:
    if other := sorted({one.kind for one in contents} - {"chips"}):
        raise ValueError(f"{', '.join(other)}: only the property's own 'chips' are put into service")
    return contents


OwnChips = Annotated[HeldContents, AfterValidator(_own)]
"""Chips of the property by chip set and denomination, each once."""


class ChipsBroughtForward(Contract):
    """Chips in service at the beginning of a gaming day, wherever they were; later deliveries add to them."""

    gaming_day: date
    contents: OwnChips

    def is_same(self, other: "ChipsBroughtForward") -> bool:
        """Return whether another position has the same chips, in any order, on the same day."""
        return self.gaming_day == other.gaming_day and {*self.contents} == {*other.contents}


class ChipsInService(Fact, ChipsBroughtForward):
    """An opening position of chips in service, with its `source`. A later revision replaces the approved one.

    `before` is the replaced position, `before_revision` its number. Chips that came from the manufacturer on the gaming
    day or later, less those that were destroyed, are added to the position: `put_in_since_cents` is their value as of
    this step, and `in_service_cents` the value of all chips in service, the position included.
    """

    property: Name
    revision: Number
    stated_cents: SignedCents | None = None
    put_in_since_cents: SignedCents | None = None
    in_service_cents: SignedCents | None = None
    before_revision: Number | None = None
    before_stated_cents: SignedCents | None = None
    before: ChipsBroughtForward | None = None
    source: Annotated[Reason, Field(description="its evidence: a chip inventory ledger, a count, invoices")]
    entered_by: Person
    entered_at: AwareDatetime


@fact("chips_in_service.entered", INVENTORY, stream=DESK)
class ChipsInServiceEntered(ChipsInService):
    """An opening position was entered; it awaits another person's approval."""


@fact("chips_in_service.approved", INVENTORY, stream=DESK)
class ChipsInServiceApproved(ChipsInService, AsShown):
    """An opening position was approved: the chips outstanding are computed from it."""

    approved_by: Person
    approved_at: AwareDatetime


@fact("chips_in_service.rejected", INVENTORY, stream=DESK)
class ChipsInServiceRejected(ChipsInService):
    """An opening position was rejected."""

    rejected_by: Person
    rejected_at: AwareDatetime
    rejection_reason: Reason
