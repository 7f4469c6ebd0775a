"""What known patrons move at the cage, and the money that it is. Pure; amounts are cents."""

from datetime import date

from pydantic import AwareDatetime

from shared.contracts.cage import CageMovement, CageTransaction, Direction, WinnerIdentified
from shared.contracts.moments import EnteredLate
from shared.journal.entry import Account, Posting
from shared.runtime.commands.approval_subject import ApprovalSubject


class CageDocument(CageMovement, EnteredLate):
    """A movement at the cage; `voids` is the number of the one that it takes back."""

    gaming_day: date
    shift: str
    number: int
    direction: Direction
    by: str
    at: AwareDatetime
    voids: int | None = None


class CageRecord(CageDocument, ApprovalSubject):
    """A movement at the cage, and whether another took it back."""

    is_void: bool


def moved(transaction: CageTransaction, *, void: bool = False) -> tuple[Posting, ...]:
    """Return the postings of a movement, or of one that is void: what the cage holds, and whom it is of."""
    is_in = (transaction.direction == "in") != void
    cents = transaction.cents if is_in else -transaction.cents
    return (
        Posting(Account(transaction.property, "", transaction.medium, "cage_money"), cents),
        Posting(Account(transaction.property, "", transaction.kind, "patrons_money"), -cents),
    )


def withheld(fact: WinnerIdentified) -> tuple[Posting, ...]:
    """Return the postings of tax that is kept back of winnings, beyond what was recorded before; nothing for none."""
    cents = fact.withheld_cents - fact.before_cents
    if not cents:
        return ()
    return (
        Posting(Account(fact.property, fact.table, "", "withheld_money"), cents),
        Posting(Account(fact.property, fact.table, "", "withheld_tax"), -cents),
    )
