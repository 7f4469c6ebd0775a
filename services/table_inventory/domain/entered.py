"""Documents that one person enters and another approves or rejects. Pure."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Literal

from pydantic import AwareDatetime

from shared.contracts.envelope import Person
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.commands.approval import Approval, Decision, Policy
from shared.runtime.commands.approval_subject import ApprovalSubject


class EnteredDocument(ApprovalSubject):
    """A document that one person entered, with the decision of another."""

    entered_by: Person
    status: Literal["entered", "approved", "rejected"] = "entered"
    approved_by: Person | None = None
    approved_at: AwareDatetime | None = None
    rejected_by: Person | None = None
    rejected_at: AwareDatetime | None = None
    rejection_reason: str | None = None

    @property
    @abstractmethod
    def label(self) -> str:
        """Return the document's name for messages."""

    def approval(self, policy: Policy) -> Approval:
        """Return what the policy requires of the document's approver, and what was decided."""
        return Approval(policy, self.label, self.entered_by, Decision.of(self.status))


class Revision(EnteredDocument):
    """An entered document that may be revised: `revision` counts from 1."""

    revision: int


def next_revision(revisions: Sequence[Revision]) -> int:
    """Return the next revision number; `revisions` must be latest first. Raises: Rejected while one is undecided."""
    if not revisions:
        return 1
    if revisions[0].status == "entered":
        raise Rejected(Reason.CONTRADICTS, f"{revisions[0].label} waits for a decision")
    return revisions[0].revision + 1
