"""Divide revenue between parties by dated shares, to the cent. Pure; amounts are cents."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import floor

from services.reporting.domain.law import Applied
from services.reporting.reports.tax.gross_revenue import Bases, Facility, Revenue, TaxPeriod
from shared.jurisdictions import AfterAFall


@dataclass(frozen=True, slots=True)
class ShareLine:
    """A party's part of a gaming day's shared revenue; the parts of all parties sum exactly to the base."""

    share: str
    party: str
    period: TaxPeriod
    part: Fraction
    base_cents: int
    amount_cents: int
    applied: tuple[Applied, ...]


def divided(cents: int, parts: Mapping[str, Fraction]) -> dict[str, int]:
    """Return an amount, in cents, divided among parties in these proportions without remainder.

    Each party gets its part rounded down; the remaining cents go one each to the largest remainders, ties to the party
    listed first.

    >>> divided(100, {"state": Fraction("0.155"), "operator": Fraction("0.835"), "town": Fraction("0.01")})
    {'state': 16, 'operator': 83, 'town': 1}
    """
    exact = {party: cents * part for party, part in parts.items()}
    found = {party: floor(amount) for party, amount in exact.items()}
    rests = sorted(exact, key=lambda party: found[party] - exact[party])  # stable: of equal ones, the first listed
    for party in rests[: cents - sum(found.values())]:
        found[party] += 1
    return found


def share_lines(
    facility: Facility, revenue: Revenue, name: str, days: Iterable[date]
) -> Iterator[tuple[date, tuple[ShareLine, ...]]]:
    """Yield (day, lines) for a division of revenue, for each of the given days on which it applies."""
    division, bases = facility.pack.shares[name], Bases(facility.pack)
    if not facility.is_under(division):
        return
    for day in days:
        if day < division.parties.root[0].effective_from:
            continue
        parties, period = division.parties.on(day), division.period.on(day)
        bases.begins_anew(day, period.value)
        base_cents = bases.add(revenue.of(division.classes, day))
        in_force = facility.chosen(parties.value, day) if isinstance(parties.value, AfterAFall) else parties.value
        parts = {party: Fraction(part) for party, part in in_force.items()}
        applied = (Applied.of(f"shares.{name}.parties", parties), Applied.of(f"shares.{name}.period", period))
        yield (
            day,
            tuple(
                ShareLine(name, party, period.value, parts[party], base_cents, cents, applied)
                for party, cents in divided(base_cents, parts).items()
            ),
        )
