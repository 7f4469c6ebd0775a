"""Measures of the cage: counter checks, and currency transactions of patrons. Pure; cents.

The parentheses after a measure name its item, the subject of its amounts. Voids are deducted on the day of the voided
transaction.

- `checks_redeemed_cents` (means of payment): payments on counter checks.
- `checks_returned_cents` (means of payment): payments on counter checks that came back unpaid.
- `check_left_cents` (serial number): the amount owed on a check: its issuance
  (services.reporting.read_model.inventory), less final payments and write-offs, and less the amount transferred to a
  replacement.
- `checks_written_off_cents` (kind of write-off): amounts written off.
- `checks_recovered_cents` (means of payment): later payments on checks written off, less those that came back unpaid.
- `checks_replaced_cents`: amounts transferred from checks to their replacements.
- `cage_in_cents`, `cage_out_cents` (person, by reference; empty if unknown): currency paid in by persons at the cage,
  and paid out to them.
- `instruments_in_cents`, `instruments_out_cents` (person; empty if unknown): monetary instruments that persons paid
  in, also on counter checks, and received.
- `others_in_cents`, `others_out_cents` (person): currency that is attributed to a further person: to the beneficiary of
  a transaction at the cage or at a table, or to the conductor of a transaction of another patron's account.
"""

from collections.abc import Iterator
from functools import partial

from services.reporting.read_model.measures import Amount, adds
from shared.contracts.cage import (
    CageMoved,
    CageVoided,
    CheckRedeemed,
    CheckReplaced,
    CheckReturned,
    RedemptionVoided,
)
from shared.contracts.check_collection import (
    CheckRecovered,
    CheckWrittenOff,
    RecoveryReturned,
    RecoveryUndone,
    RecoveryVoided,
)


@adds(CheckRedeemed, RedemptionVoided)
def redeemed(fact: CheckRedeemed | RedemptionVoided) -> Iterator[Amount]:
    """Yield the payment of a redeemed counter check; for a voided redemption, the payment's reversal."""
    cents = fact.cents if isinstance(fact, CheckRedeemed) else -fact.cents
    yield Amount("checks_redeemed_cents", cents, fact.table or "", fact.shift, fact.paid_in)
    yield Amount("check_left_cents", -cents, fact.table or "", fact.shift, fact.serial)
    yield from _paid_by_person(fact, cents)


@adds(CheckReturned)
def returned(fact: CheckReturned) -> Iterator[Amount]:
    """Yield a payment on a counter check that came back unpaid and is owed again."""
    yield Amount("checks_returned_cents", fact.cents, fact.table or "", fact.shift, fact.paid_in)
    yield Amount("check_left_cents", fact.cents, fact.table or "", fact.shift, fact.serial)


@adds(CheckWrittenOff)
def written_off(fact: CheckWrittenOff) -> Iterator[Amount]:
    """Yield the amount of a counter check that is written off, and is therefore no longer owed."""
    yield Amount("checks_written_off_cents", fact.cents, fact.table or "", fact.shift, fact.write_off_kind)
    yield Amount("check_left_cents", -fact.cents, fact.table or "", fact.shift, fact.serial)


@adds(CheckRecovered, RecoveryVoided, RecoveryReturned)
def recovered(fact: CheckRecovered | RecoveryUndone) -> Iterator[Amount]:
    """Yield a payment on a check that had been written off; for a void or an unpaid return, the payment's reversal."""
    cents = fact.cents if isinstance(fact, CheckRecovered) else -fact.cents
    yield Amount("checks_recovered_cents", cents, fact.table or "", fact.shift, fact.paid_in)
    if not isinstance(fact, RecoveryReturned):
        yield from _paid_by_person(fact, cents)


def _paid_by_person(
    fact: CheckRedeemed | RedemptionVoided | CheckRecovered | RecoveryUndone, cents: int
) -> Iterator[Amount]:
    """Yield a counter-check payment in currency or by check, once for each person to whom it is attributed."""
    if fact.paid_in == "check":
        yield Amount("instruments_in_cents", cents, shift=fact.shift, item=fact.drawer or "")
    if fact.paid_in == "currency":
        yield Amount("cage_in_cents", cents, shift=fact.shift, item=fact.drawer or "")
        for one in fact.on_behalf_of or ():
            yield Amount("others_in_cents", cents, shift=fact.shift, item=one)


@adds(CageMoved, CageVoided)
def moved(fact: CageMoved | CageVoided) -> Iterator[Amount]:
    """Yield the currency (for an exchange, in and out) and the monetary instruments of a patron's transaction."""
    cents = fact.cents if isinstance(fact, CageMoved) else -fact.cents
    here = partial(Amount, value=cents, table=fact.table or "", shift=fact.shift)
    for direction in fact.directions() if fact.medium == "currency" else ():
        yield here(f"cage_{direction}_cents", item=fact.patron)
        for one in fact.on_behalf_of or ():
            yield here(f"others_{direction}_cents", item=one)
    for direction in fact.instruments():
        yield here(f"instruments_{direction}_cents", item=fact.patron)


@adds(CheckReplaced)
def replaced(fact: CheckReplaced) -> Iterator[Amount]:
    """Yield the amount owed on a replacement check, which is no longer owed on the replaced checks."""
    yield Amount("checks_replaced_cents", fact.cents, "", fact.shift)
    yield Amount("check_left_cents", fact.cents, "", fact.shift, fact.serial)
    for one in fact.replaced:
        yield Amount("check_left_cents", -one.cents, one.table or "", fact.shift, one.serial)
