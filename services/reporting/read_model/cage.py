"""What the cage adds to measures: counter checks, and currency that patrons moved. Pure; cents.

`checks_redeemed_cents` is what was paid of counter checks, the item being what it was paid in; `checks_returned_cents`
what of that came back unpaid. `check_left_cents` is what is owed on a check (the item: its serial number): what it was
issued for (services.reporting.read_model.inventory), less what was paid and did not come back, and what another check
took the place of. `cage_in_cents` and `cage_out_cents` are currency that
persons (the item, by reference; empty where nobody is known) paid in at the cage, and were paid; `instruments_in_cents`
and `instruments_out_cents` the same of monetary instruments. What is void is taken off, on the day of what it voids.
"""

from collections.abc import Iterator

from services.reporting.read_model.measures import Amount, adds
from shared.contracts.cage import CageMoved, CageVoided, CheckRedeemed, CheckReplaced, CheckReturned, RedemptionVoided


@adds(CheckRedeemed, RedemptionVoided)
def redeemed(fact: CheckRedeemed | RedemptionVoided) -> Iterator[Amount]:
    """Say what a redemption pays, or owes again when it is void."""
    cents = fact.cents if isinstance(fact, CheckRedeemed) else -fact.cents
    yield Amount("checks_redeemed_cents", cents, fact.table or "", fact.shift, fact.paid_in)
    yield Amount("check_left_cents", -cents, fact.table or "", fact.shift, fact.serial)
    if fact.paid_in == "currency":
        yield Amount("cage_in_cents", cents, shift=fact.shift, item=fact.drawer or "")


@adds(CheckReturned)
def returned(fact: CheckReturned) -> Iterator[Amount]:
    """Say what is owed again of what had been paid."""
    yield Amount("checks_returned_cents", fact.cents, fact.table or "", fact.shift, fact.paid_in)
    yield Amount("check_left_cents", fact.cents, fact.table or "", fact.shift, fact.serial)


@adds(CageMoved, CageVoided)
def moved(fact: CageMoved | CageVoided) -> Iterator[Amount]:
    """Say what a patron moved in currency, or by a monetary instrument."""
    cents = fact.cents if isinstance(fact, CageMoved) else -fact.cents
    medium = "cage" if fact.medium == "currency" else "instruments"
    yield Amount(f"{medium}_{fact.direction}_cents", cents, shift=fact.shift, item=fact.patron)


@adds(CheckReplaced)
def replaced(fact: CheckReplaced) -> Iterator[Amount]:
    """Say what is owed on a check in place of others."""
    yield Amount("check_left_cents", fact.cents, "", fact.shift, fact.serial)
    for one in fact.replaced:
        yield Amount("check_left_cents", -one.cents, one.table or "", fact.shift, one.serial)
