"""Two-person approval: one person requests, another approves or rejects. One implementation for all requests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from shared.contracts.people import same_person
from shared.contracts.rejection import Reason, Rejected


class Decision(StrEnum):
    """The decision on a request that needs two people; ASKED while the request is open."""

    ASKED = "asked"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"
    WITHDRAWN = "withdrawn"

    @classmethod
    def of(cls, status: str) -> "Decision":
        """Return the decision for a status; any other status means that the request is open."""
        return cls(status) if status in cls._value2member_map_ else cls.ASKED


@dataclass(frozen=True, slots=True)
class Policy:
    """The words with which messages describe one kind of request.

    `did` is what the requester did (`filed`), and `approve` is what the approver does (`receive`). `decided` maps a
    decision to its word in messages (`received`), if that is not the decision's own name.
    """

    did: str
    approve: str = "approve"
    decided: Mapping[Decision, str] = field(default_factory=dict)


RULES_SUBMISSION: Final = Policy("filed")
WITHDRAWAL: Final = Policy("requested")
PROPERTY: Final = Policy("filed")
LEDGER_MAPPING: Final = Policy("filed")
POOL_TERMS: Final = Policy("filed")
METER_CHANGE: Final = Policy("requested")
DAY_ADJUSTMENT: Final = Policy("entered")
CAGE_TRANSFER: Final = Policy("issued", "receive", {Decision.APPROVED: "received"})
CAGE_COUNT: Final = Policy("counted", "verify", {Decision.APPROVED: "verified"})
CHIPS_IN_SERVICE: Final = Policy("entered")
WRITE_OFF: Final = Policy("entered")
CHECK_WRITE_OFF: Final = Policy("entered")
CONTEST: Final = Policy("entered")
TIP_HOURS: Final = Policy("entered")
TAX_INVOICE: Final = Policy("entered")
ACCOUNT_ADJUSTMENT: Final = Policy("entered")
PROMOTION: Final = Policy("entered")
PATRON_ERASURE: Final = Policy("entered")
FILING: Final = Policy("prepared")
ROUND_CORRECTION: Final = Policy("proposed")
PIT_CHANGE: Final = Policy("proposed")
QUARANTINE: Final = Policy("asked for")
"""The wording of requests about quarantined records; the constants above are those of the other kinds of request."""


@dataclass(frozen=True, slots=True)
class Approval:
    """A request that needs two people, open or decided. `name` identifies it: `change 3 at riverside`."""

    policy: Policy
    name: str
    asked_by: str
    decision: Decision = Decision.ASKED

    def approve(self, by: str) -> None:
        """Check that `by` may approve the request. Raises: Rejected if it is decided, or if `by` requested it."""
        self._require_open()
        if same_person(by, self.asked_by):
            detail = f"{by} {self.policy.did} {self.name}: somebody else must {self.policy.approve} it"
            raise Rejected(Reason.SAME_PERSON, detail)

    def reject(self) -> None:
        """Check that the request is still open. The requester, too, may reject it, in order to withdraw it.

        Raises: Rejected if it is decided.
        """
        self._require_open()

    def _require_open(self) -> None:
        if self.decision is not Decision.ASKED:
            decided = self.policy.decided.get(self.decision, self.decision)
            raise Rejected(Reason.ALREADY_DECIDED, f"{self.name} was {decided} already")
