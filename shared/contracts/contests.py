"""Facts about contests in the table-inventory ledger: fees, prizes, and approval. Amounts are cents."""

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
    """Entry fees and prizes of a contest, in cash; prizes may exceed fees."""

    fees_cents: Total
    prizes_cents: Total


class ContestResult(ContestTotals):
    """A contest that ended on a gaming day; its whole revenue, fees less prizes, belongs to that day."""

    contest: Name


class Contest(Fact, ContestResult):
    """The result of a contest. Each revision after the first replaces the approved one.

    `before` is the replaced result; the difference is posted.
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
    """The result of a contest was entered; it awaits another person's approval."""


@fact("contest.approved", INVENTORY, moves_money=True, stream=DESK)
class ContestApproved(Contest, AsShown):
    """The result of a contest was approved and posted."""

    approved_by: Person
    approved_at: AwareDatetime


@fact("contest.rejected", INVENTORY, stream=DESK)
class ContestRejected(Contest):
    """The result of a contest was rejected."""

    rejected_by: Person
    rejected_at: AwareDatetime
    rejection_reason: Reason
