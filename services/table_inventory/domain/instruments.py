"""Monetary instruments: from which amount on the law has them described. Pure; cents."""

from datetime import date

from shared.contracts.instruments import Instrument
from shared.contracts.money import amount
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected


def require_described(place: PropertySnapshot, day: date, cents: int, instrument: Instrument | None) -> None:
    """Check that an instrument that is on the list of instruments on a gaming day is described. Raises: Rejected."""
    if instrument is not None:
        return
    rules = [rule for law in (place.law, *place.reporting) for rule in law.currency_reports.values()]
    least_cents = min((rule.reached_cents(day) for rule in rules if rule.medium == "instrument"), default=None)
    if least_cents is not None and cents >= least_cents:
        detail = f"an instrument of {amount(least_cents)} or more is described (31 CFR § 1021.410(b)(9)): 'instrument'"
        why = f"{detail} has its 'instrument_type', 'issuer' and 'references'"
        raise Rejected(Reason.NOT_ALLOWED, why)
