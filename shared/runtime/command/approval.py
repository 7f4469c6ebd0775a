"""What takes two people: one asks, another approves or rejects; one mechanism, and one table of what takes it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.contracts.rejection import Reason, Rejected


class Decision(StrEnum):
    """Where something stands that takes two people."""

    ASKED = "asked"
    APPROVED = "approved"
    REJECTED = "rejected"

    @classmethod
    def of(cls, status: str) -> "Decision":
        """Return where something stands by its status: `approved`, `rejected`, or a word of its own for asked."""
        return cls(status) if status in (cls.APPROVED, cls.REJECTED) else cls.ASKED


@dataclass(frozen=True, slots=True)
class Policy:
    """How something is decided: what the first person did, in words, and the paragraph that asks for a second one.

    `rejects_own`: whether who asked may reject, which takes the request back.
    """

    did: str
    cites: str | None = None
    rejects_own: bool = True


RULES_SUBMISSION: Final = Policy("filed")
POOL_TERMS: Final = Policy("filed")
METER_CHANGE: Final = Policy("requested")
DAY_ADJUSTMENT: Final = Policy("entered")
ACCOUNT_ADJUSTMENT: Final = Policy("entered")
QUARANTINE: Final = Policy("asked for")

POLICIES: Final = {
    "rules-submission": RULES_SUBMISSION,
    "pool-terms": POOL_TERMS,
    "meter-change": METER_CHANGE,
    "day-adjustment": DAY_ADJUSTMENT,
    "account-adjustment": ACCOUNT_ADJUSTMENT,
    "quarantine": QUARANTINE,
}
"""Everything that takes two people, by what it is."""


@dataclass(frozen=True, slots=True)
class Approval:
    """Something that waits for a second person, or was decided. `name` says what it is: `change 3 at riverside`."""

    policy: Policy
    name: str
    asked_by: str
    decision: Decision = Decision.ASKED

    def approve(self, by: str) -> None:
        """Let somebody approve it. Raises: Rejected where it was decided, or by the person who asked."""
        self._require_open()
        if by == self.asked_by:
            raise self._same_person(by, "approve")

    def reject(self, by: str) -> None:
        """Let somebody reject it. Raises: Rejected where it was decided, or by the person who asked and may not."""
        self._require_open()
        if by == self.asked_by and not self.policy.rejects_own:
            raise self._same_person(by, "reject")

    def _require_open(self) -> None:
        if self.decision is not Decision.ASKED:
            raise Rejected(Reason.ALREADY_DECIDED, f"{self.name} was {self.decision} already")

    def _same_person(self, by: str, verb: str) -> Rejected:
        detail = f"{by} {self.policy.did} {self.name}: somebody else must {verb} it"
        return Rejected(Reason.SAME_PERSON, detail, cites=self.policy.cites)
