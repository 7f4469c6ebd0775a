"""What the cage adds to measures: what was paid of counter checks, and what is still owed on each. Pure; cents.

`checks_redeemed_cents` is what was paid, less what is void, the item being what it was paid in. `check_left_cents` is
what is owed on a check (the item: its serial number): what it was issued for (services.reporting.books.inventory), less
what was paid and what another check took the place of.
"""

from collections.abc import Iterator

from services.reporting.books.measures import Amount, adds
from shared.contracts.cage import CheckRedeemed, CheckReplaced, RedemptionVoided


@adds(CheckRedeemed, RedemptionVoided)
def redeemed(fact: CheckRedeemed | RedemptionVoided) -> Iterator[Amount]:
    """Say what a redemption pays, or owes again when it is void."""
    cents = fact.cents if isinstance(fact, CheckRedeemed) else -fact.cents
    yield Amount("checks_redeemed_cents", cents, fact.table or "", fact.shift, fact.paid_in)
    yield Amount("check_left_cents", -cents, fact.table or "", fact.shift, fact.serial)


@adds(CheckReplaced)
def replaced(fact: CheckReplaced) -> Iterator[Amount]:
    """Say what is owed on a check in place of others."""
    yield Amount("check_left_cents", fact.cents, "", fact.shift, fact.serial)
    for one in fact.replaced:
        yield Amount("check_left_cents", -one.cents, one.table or "", fact.shift, one.serial)
