"""Contests: fees and prizes approved by two people, and their postings. Pure; cents."""

from services.table_inventory.domain.entered import Revision
from shared.contracts.contests import Contest, ContestTotals
from shared.journal.entry import Account, Posting


class ContestDocument(Contest, Revision):
    """The result of a contest with its status."""

    @property
    def label(self) -> str:
        """Return the result's name for messages."""
        return f"revision {self.revision} of contest {self.contest} of {self.gaming_day}"


def money(result: Contest) -> tuple[Posting, ...]:
    """Return the postings of a result in cents, less those of the result that it replaces."""
    before = result.before or ContestTotals(fees_cents=0, prizes_cents=0)
    fees_cents, prizes_cents = (
        result.fees_cents - before.fees_cents,
        result.prizes_cents - before.prizes_cents,
    )
    legs = {
        "contest_fees": -fees_cents,
        "contest_prizes": prizes_cents,
        "contest_money": fees_cents - prizes_cents,
    }
    return tuple(
        Posting(Account(result.property, "", result.contest, leg), cents) for leg, cents in legs.items() if cents
    )
