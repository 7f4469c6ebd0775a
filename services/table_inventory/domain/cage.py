"""Transactions of known patrons at the cage, and their postings. Pure; amounts are cents."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from pydantic import AwareDatetime

from services.table_inventory.domain.locations import is_held_at_cage, passed
from shared.contracts.cage import (
    CageDirection,
    CageKind,
    CageMovement,
    CageTransaction,
    Direction,
    Taxed,
    WinnerIdentified,
)
from shared.contracts.cage_locations import CAGE
from shared.contracts.moments import EnteredLate
from shared.journal.entry import Account, Posting
from shared.runtime.commands.approval_subject import ApprovalSubject


class CageDocument(CageMovement, EnteredLate):
    """A transaction with a known patron at the cage. A void has the number of the voided transaction as `voids`."""

    gaming_day: date
    shift: str
    number: int
    direction: CageDirection
    location: str | None = None
    by: str
    at: AwareDatetime
    voids: int | None = None


class CageRecord(CageDocument, ApprovalSubject):
    """A transaction with a known patron at the cage, and whether it was voided."""

    is_void: bool


_UNMOVED: Final[frozenset[CageKind]] = frozenset({"currency_exchange", "currency_wager"})
"""Kinds that leave the cage's money as it was: other denominations of the same sum, and currency at a table."""

_DOLLARS: Final[Mapping[CageKind, Direction]] = {"foreign_currency_bought": "out", "foreign_currency_sold": "in"}
"""The direction of the dollars of an exchange: foreign currency is in no book of the cage."""

_OF_CONTESTS: Final[frozenset[CageKind]] = frozenset({"tournament_fee", "tournament_prize"})
"""Kinds whose money the contest itself moves, at `cage`, when it is entered."""

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
"""The contra of the cage's money, by purpose; `patrons_other` of any other purpose."""


def moved(transaction: CageTransaction, *, void: bool = False) -> tuple[Posting, ...]:
    """Return the postings of a transaction or its void: the cage's money, and what it was exchanged for, or is owed.

    At a location other than `cage`, two more postings move the difference from `cage` to that location.
    """
    if transaction.kind in _UNMOVED:
        return ()
    is_in = (_DOLLARS.get(transaction.kind, transaction.direction) == "in") != void
    cents = transaction.cents if is_in else -transaction.cents
    if transaction.kind in _OF_CONTESTS:
        location = transaction.location
        return () if location is None else passed(transaction.property, CAGE, location, cents)
    contra = _LEGS.get(transaction.kind, "patrons_other")
    postings = (
        Posting(Account(transaction.property, "", transaction.medium, "cage_money"), cents),
        Posting(Account(transaction.property, "", transaction.kind, contra), -cents),
    )
    if transaction.location is None:
        return postings
    held = sum(posting.cents for posting in postings if is_held_at_cage(posting.account))
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
