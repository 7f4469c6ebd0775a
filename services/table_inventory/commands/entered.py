"""The two decisions on an entered document: another person approves it, or it is rejected."""

from dataclasses import dataclass

from services.table_inventory.domain.entered import EnteredDocument
from shared.contracts.facts import Fact
from shared.contracts.versions import fields_of
from shared.journal.entry import Posting
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import Policy
from shared.runtime.commands.command import Accepted, Now


@dataclass(frozen=True, slots=True)
class EnteredKind:
    """A kind of entered document: its approval policy, and the types of facts that record its entry and decision."""

    policy: Policy
    entered: type[Fact]
    approved: type[Fact]
    rejected: type[Fact]

    def approve(self, document: EnteredDocument, now: Now, postings: tuple[Posting, ...] = ()) -> Accepted:
        """Approve a document, with its postings.

        Raises: Rejected if it was already decided, or if the approver is the person who entered it.
        """
        document.approval(self.policy).approve(now.by)
        said = {"approved_by": now.by, "approved_at": now.at}
        fact = self.approved(**fields_of(document, self.entered), **said)
        answer = document.model_copy(update={**said, "status": "approved"})
        return Accepted(recording=FactWithPostings(fact=fact, postings=postings), answer=answer)

    def reject(self, document: EnteredDocument, reason: str, now: Now) -> Accepted:
        """Reject a document. Raises: Rejected if it was already decided."""
        document.approval(self.policy).reject()
        said = {"rejected_by": now.by, "rejected_at": now.at, "rejection_reason": reason}
        fact = self.rejected(**fields_of(document, self.entered), **said)
        answer = document.model_copy(update={**said, "status": "rejected"})
        return Accepted(recording=FactWithPostings(fact=fact), answer=answer)
