"""What takes two people: one asks, another approves or rejects; one mechanism, and one table of what takes it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.contracts.people import same_person
from shared.contracts.rejection import Reason, Rejected


class Decision(StrEnum):
    """Where something stands that takes two people."""

    ASKED = "asked"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"
    WITHDRAWN = "withdrawn"

    @classmethod
    def of(cls, status: str) -> "Decision":
        """Return where something stands by its status: one of these words, or one of its own for asked."""
        return cls(status) if status in cls._value2member_map_ else cls.ASKED


@dataclass(frozen=True, slots=True)
class Policy:
    """How something is decided: what the first person did, in words."""

    did: str


RULES_SUBMISSION: Final = Policy("filed")
WITHDRAWAL: Final = Policy("requested")
PROPERTY: Final = Policy("filed")
POOL_TERMS: Final = Policy("filed")
METER_CHANGE: Final = Policy("requested")
DAY_ADJUSTMENT: Final = Policy("entered")
WRITE_OFF: Final = Policy("entered")
CONTEST: Final = Policy("entered")
ACCOUNT_ADJUSTMENT: Final = Policy("entered")
PROMOTION: Final = Policy("entered")
PATRON_ERASURE: Final = Policy("entered")
ROUND_CORRECTION: Final = Policy("proposed")
PIT_CHANGE: Final = Policy("proposed")
QUARANTINE: Final = Policy("asked for")
"""Everything that takes two people."""


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
        if same_person(by, self.asked_by):
            raise Rejected(Reason.SAME_PERSON, f"{by} {self.policy.did} {self.name}: somebody else must approve it")

    def reject(self) -> None:
        """Let somebody reject it, also who asked: that takes it back. Raises: Rejected where it was decided."""
        self._require_open()

    def _require_open(self) -> None:
        if self.decision is not Decision.ASKED:
            raise Rejected(Reason.ALREADY_DECIDED, f"{self.name} was {self.decision} already")
