"""The remainder of promotional grants, and the expired part. Pure; cents.

Promotional money is spent in order of expiry, grants without expiry last; returned stakes restore the money spent last.
A pool is all accounts of a patron, because money moves between wallet and tables, or one anonymous account.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from services.wagering_accounts.domain.books import Account


@dataclass(frozen=True, slots=True)
class Change:
    """An entry's change to the promotional money of a pool, including amounts on hold and in play.

    `expires_on` is None for a grant without expiry, and for other changes.
    """

    cents: int
    is_grant: bool = False
    expires_on: date | None = None


@dataclass(slots=True)
class Lot:
    """A grant, and its remainder."""

    expires_on: date
    cents: int
    left_cents: int


def left_of(changes: Iterable[Change]) -> list[Lot]:
    """Return the grants of a pool in order of expiry, each with its remainder after these changes.

    >>> day = date(2026, 11, 20)
    >>> [(lot.cents, lot.left_cents) for lot in left_of([Change(50, True), Change(100, True, day), Change(-110)])]
    [(100, 0), (50, 40)]
    """
    lots: list[Lot] = []
    for change in changes:
        if change.is_grant:
            lots.append(Lot(change.expires_on or date.max, change.cents, change.cents))
            lots.sort(key=lambda lot: lot.expires_on)
            continue
        left_cents = change.cents
        for lot in lots if left_cents < 0 else reversed(lots):
            part_cents = (
                max(left_cents, -lot.left_cents) if left_cents < 0 else min(left_cents, lot.cents - lot.left_cents)
            )
            lot.left_cents += part_cents
            left_cents -= part_cents
    return lots


def expired(lots: Iterable[Lot], today: date, accounts: Sequence[Account]) -> dict[str, int]:
    """Return the amounts expired by a gaming day, by the account to deduct them from, wallets first.

    Amounts on hold or in play stay until their round is over.
    """
    due_cents = sum(lot.left_cents for lot in lots if lot.expires_on <= today)
    found = {}
    for account in sorted(accounts, key=lambda one: (one.kind != "wallet", one.account)):
        cents = min(due_cents, account.promotional_cents)
        if cents:
            found[account.account] = cents
            due_cents -= cents
    return found
