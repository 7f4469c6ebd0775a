"""What the entries of the table-inventory ledger say of contests: fees, prizes, and who stands for them. Cents."""

from datetime import date
from typing import Annotated

from pydantic import AwareDatetime, Field

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, Name, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import DESK, Number
from shared.contracts.topics import INVENTORY

Total = Annotated[int, Field(strict=True, ge=0, le=10**12)]


class ContestTotals(Contract):
    """What the entrants of a contest paid, and what they were paid, in money: `prizes_cents` may be more."""

    fees_cents: Total
    prizes_cents: Total


class ContestResult(ContestTotals):
    """A contest that ended on a gaming day: all of its revenue, fees less prizes, is of that day."""

    contest: Name


class Contest(Fact, ContestResult):
    """The result of a contest. A revision after the first takes the place of the one that was approved before.

    `before` is what that said; what is posted is the difference.
    """

    property: Name
    gaming_day: date
    revision: Number
    before: ContestTotals | None = None
    reason: Reason
    entered_by: Person
    entered_at: AwareDatetime


@fact("contest.entered", INVENTORY, stream=DESK)
class ContestEntered(Contest):
    """Somebody entered the result of a contest; it waits for somebody else's approval."""


@fact("contest.approved", INVENTORY, moves_money=True, stream=DESK)
class ContestApproved(Contest, AsShown):
    """The result of a contest was approved, and is posted."""

    approved_by: Person
    approved_at: AwareDatetime


@fact("contest.rejected", INVENTORY, stream=DESK)
class ContestRejected(Contest):
    """The result of a contest was turned down."""

    rejected_by: Person
    rejected_at: AwareDatetime
    rejection_reason: Reason
