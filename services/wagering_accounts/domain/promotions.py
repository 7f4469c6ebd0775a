"""What is left of grants of promotional money, and so what of it has expired. Pure; cents.

Promotional money is spent in the order in which it expires, what never does last; what comes back of a stake goes back
to what was spent last. A pool is the accounts of a patron, for it moves between wallet and tables, or one account that
nobody is named for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from services.wagering_accounts.domain.books import Account


@dataclass(frozen=True, slots=True)
class Change:
    """What an entry changed of the promotional money of a pool, on hold and in play counted in.

    A grant says when it expires: `expires_on` is None for one that does not, and for what is no grant.
    """

    cents: int
    is_grant: bool = False
    expires_on: date | None = None


@dataclass(slots=True)
class Lot:
    """A grant, and what is left of it."""

    expires_on: date
    cents: int
    left_cents: int


def left_of(changes: Iterable[Change]) -> list[Lot]:
    """Return the grants of a pool by their day, and what is left of each after these changes, in their order.

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
    """Return what has expired by a gaming day, by the account that it is taken off: of those of a pool, wallets first.

    What is on hold or in play stays until its round is over.
    """
    due_cents = sum(lot.left_cents for lot in lots if lot.expires_on <= today)
    found = {}
    for account in sorted(accounts, key=lambda one: (one.kind != "wallet", one.account)):
        cents = min(due_cents, account.promotional_cents)
        if cents:
            found[account.account] = cents
            due_cents -= cents
    return found
