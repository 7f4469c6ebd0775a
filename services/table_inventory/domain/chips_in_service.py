"""Opening positions of chips in service: entered by one person, approved by another. Pure."""

from typing import Literal

from pydantic import AwareDatetime

from shared.contracts.chips_in_service import ChipsInService
from shared.runtime.commands.approval_subject import ApprovalSubject


class ChipsInServiceDocument(ChipsInService, ApprovalSubject):
    """An opening position with its status."""

    status: Literal["entered", "approved", "rejected"] = "entered"
    approved_by: str | None = None
    approved_at: AwareDatetime | None = None
    rejected_by: str | None = None
    rejected_at: AwareDatetime | None = None
    rejection_reason: str | None = None
