"""Transactions of known patrons at the cage, and their postings. Pure; amounts are cents."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from pydantic import AwareDatetime

from services.table_inventory.domain.locations import is_held_at_cage, passed
from shared.contracts.cage import CageKind, CageMovement, CageTransaction, Direction, Taxed, WinnerIdentified
from shared.contracts.cage_locations import CAGE
from shared.contracts.moments import EnteredLate
from shared.journal.entry import Account, Posting
from shared.runtime.commands.approval_subject import ApprovalSubject


class CageDocument(CageMovement, EnteredLate):
    """A transaction with a known patron at the cage. A void has the number of the voided transaction as `voids`."""

    gaming_day: date
    shift: str
    number: int
    direction: Direction
    location: str | None = None
    by: str
    at: AwareDatetime
    voids: int | None = None


class CageRecord(CageDocument, ApprovalSubject):
    """A transaction with a known patron at the cage, and whether it was voided."""

    is_void: bool


_LEGS: Final[Mapping[CageKind, str]] = {
    "chip_purchase": "patrons_exchange",
    "chip_redemption": "patrons_exchange",
    "check_cashed": "patrons_exchange",
    "front_money_deposit": "patrons_deposits",
    "front_money_withdrawal": "patrons_deposits",
    "safekeeping_deposit": "patrons_deposits",
    "safekeeping_withdrawal": "patrons_deposits",
    "winnings_paid": "winnings_paid",
}
"""The contra of the cage's money, by purpose."""


def moved(transaction: CageTransaction, *, void: bool = False) -> tuple[Posting, ...]:
    """Return the postings of a transaction or its void: the cage's money, and what it was exchanged for, or is owed.

    An instrument that goes out is a check drawn on the casino's account at its bank, and leaves no location: two more
    postings restore its amount from `bank`, which pays it. At a location other than `cage`, two more postings move the
    difference from `cage` to that location.
    """
    is_in = (transaction.direction == "in") != void
    cents = transaction.cents if is_in else -transaction.cents
    postings: tuple[Posting, ...] = (
        Posting(Account(transaction.property, "", transaction.medium, "cage_money"), cents),
        Posting(Account(transaction.property, "", transaction.kind, _LEGS[transaction.kind]), -cents),
    )
    held = sum(posting.cents for posting in postings if is_held_at_cage(posting.account))
    if transaction.medium == "instrument" and transaction.direction == "out":
        postings += passed(transaction.property, "bank", CAGE, -cents)
        held -= cents
    if transaction.location is None:
        return postings
    return postings + passed(transaction.property, CAGE, transaction.location, held)


def withheld(fact: WinnerIdentified) -> tuple[Posting, ...]:
    """Return the postings of further tax withheld from winnings, a pair for each tax; none for zero."""
    return tuple(
        Posting(Account(fact.property, fact.table, "", leg), change)
        for taxed, cents in fact.withheld_changes().items()
        if cents
        for leg, change in (("withheld_money", cents), (_WITHHELD_LEGS[taxed], -cents))
    )


_WITHHELD_LEGS: Final[Mapping[Taxed, str]] = {
    "federal": "withheld_tax",
    "state": "withheld_state_tax",
    "local": "withheld_local_tax",
}
