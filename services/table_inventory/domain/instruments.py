"""Monetary instruments: the amount from which the law requires a description. Pure; cents."""

from collections.abc import Collection
from datetime import date

from shared.contracts.instruments import Instrument
from shared.contracts.money import amount
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected


def require_described(
    place: PropertySnapshot, day: date, cents: int, instruments: Collection[Instrument | None]
) -> None:
    """Raise Rejected if an instrument is not described, although its amount reaches the legal threshold on the day.

    `instruments` has None for each missing description. It has two elements if one instrument is exchanged for
    another: both must then be described.
    """
    if None not in instruments:
        return
    rules = [rule for law in (place.law, *place.reporting) for rule in law.currency_reports.values()]
    least_cents = min((rule.reached_cents(day) for rule in rules if rule.medium == "instrument"), default=None)
    if least_cents is not None and cents >= least_cents:
        detail = f"an instrument of {amount(least_cents)} or more is described (31 CFR § 1021.410(b)(9)): 'instrument'"
        why = f"{detail} has its 'instrument_type', 'issuer' and 'references'"
        if len(instruments) > 1:
            why += ", and 'exchanged_for' those of the instrument that passed the other way"
        raise Rejected(Reason.NOT_ALLOWED, why)
