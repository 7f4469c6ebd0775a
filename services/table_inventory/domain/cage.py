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
"""Kinds that do not change the cage's money: exchanges of denominations, and currency wagered at a table."""

_DOLLARS: Final[Mapping[CageKind, Direction]] = {"foreign_currency_bought": "out", "foreign_currency_sold": "in"}
"""The direction of the dollars in an exchange of foreign currency; the foreign currency itself is not booked."""

_OF_CONTESTS: Final[frozenset[CageKind]] = frozenset({"tournament_fee", "tournament_prize"})
"""Kinds whose money is posted at `cage` with the result of the contest, not with the transaction."""

_CONTRAS: Final[Mapping[CageKind, str]] = {
    "chip_purchase": "patrons_exchange",
    "chip_redemption": "patrons_exchange",
    "check_cashed": "patrons_exchange",
    "foreign_currency_bought": "foreign_currency",
    "foreign_currency_sold": "foreign_currency",
    "front_money_deposit": "patrons_deposits",
    "front_money_withdrawal": "patrons_deposits",
    "safekeeping_deposit": "patrons_deposits",
    "safekeeping_withdrawal": "patrons_deposits",
    "casino_check_purchase": "outside",
    "wire_sent": "outside",
    "wire_paid": "outside",
    "credit_advance": "credit_advances",
    "winnings_paid": "winnings_paid",
    "travel_reimbursed": "patrons_promotions",
    "promotion_paid": "patrons_promotions",
    "other_in": "patrons_other",
    "other_out": "patrons_other",
}
"""The contra leg of the cage's money, by kind. Money through the casino's bank account is `outside`, with `bank`."""


def moved(transaction: CageTransaction, *, void: bool = False) -> tuple[Posting, ...]:
    """Return the postings of a transaction or its void: the cage's money, and its contra.

    An instrument paid out is a check drawn on the casino's bank account, and reduces no location's money: two more
    postings restore its amount from `bank`. At a location other than `cage`, two more postings move the difference from
    `cage` to that location.
    """
    if transaction.kind in _UNMOVED:
        return ()
    is_in = (_DOLLARS.get(transaction.kind, transaction.direction) == "in") != void
    cents = transaction.cents if is_in else -transaction.cents
    postings: tuple[Posting, ...] = ()
    held = cents  # of a contest, which moved it at `cage`
    if transaction.kind not in _OF_CONTESTS:
        postings = (
            Posting(Account(transaction.property, "", transaction.medium, "cage_money"), cents),
            Posting(_contra(transaction), -cents),
        )
        held = sum(posting.cents for posting in postings if is_held_at_cage(posting.account))
    if transaction.medium == "instrument" and transaction.direction == "out":
        postings += passed(transaction.property, "bank", CAGE, -cents)
        held -= cents
    if transaction.location is None:
        return postings
    return postings + passed(transaction.property, CAGE, transaction.location, held)


def _contra(transaction: CageTransaction) -> Account:
    leg = _CONTRAS[transaction.kind]
    return Account(transaction.property, "", "bank" if leg == "outside" else transaction.kind, leg)


def withheld(fact: WinnerIdentified) -> tuple[Posting, ...]:
    """Return the postings of further tax withheld from winnings: a pair for each tax with a nonzero amount."""
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
