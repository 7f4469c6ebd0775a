"""Hold variance: the deviation of a table's or game's hold from its base, by each legal method. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist
from typing import Final, Literal

Method = Literal["percentage_points", "percent", "confidence_interval"]


@dataclass(frozen=True, slots=True)
class Deviation:
    """The deviation of a hold from its base, and its limit; both are either points of hold or shares of the base."""

    deviation: Fraction
    limit: Fraction

    @property
    def investigated(self) -> bool:
        """Return whether the deviation exceeds its limit."""
        return abs(self.deviation) > self.limit


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold, its base, and its standard deviation by chance, if known."""

    actual: Fraction
    base: Fraction
    chance: float | None = None


def percentage_points(hold: Hold, threshold: Fraction) -> Deviation:
    """Return the deviation in points of hold, with the threshold (also in points) as its limit.

    >>> percentage_points(Hold(Fraction(18, 100), Fraction(22, 100)), Fraction(3, 100)).investigated
    True
    """
    return Deviation(hold.actual - hold.base, threshold)


def percent(hold: Hold, threshold: Fraction) -> Deviation | None:
    """Return the deviation and the threshold as shares of the base; None for a base of 0.

    >>> percent(Hold(Fraction(19, 100), Fraction(20, 100)), Fraction(4, 100))
    Deviation(deviation=Fraction(-1, 20), limit=Fraction(1, 25))
    """
    return None if hold.base == 0 else Deviation((hold.actual - hold.base) / abs(hold.base), threshold)


def confidence_interval(hold: Hold, threshold: Fraction) -> Deviation | None:
    """Return the deviation in points, with half the width of the confidence interval around the base as its limit.

    The interval assumes a normal distribution. Return None if the standard deviation is unknown.

    >>> round(float(confidence_interval(Hold(Fraction(1, 5), Fraction(1, 4), 0.02), Fraction(95, 100)).limit), 4)
    0.0392
    """
    if hold.chance is None:
        return None
    width = NormalDist().inv_cdf((1 + float(threshold)) / 2) * hold.chance
    return Deviation(hold.actual - hold.base, Fraction(width))


METHODS: Final[Mapping[Method, Callable[[Hold, Fraction], Deviation | None]]] = {
    "percentage_points": percentage_points,
    "percent": percent,
    "confidence_interval": confidence_interval,
}
"""The methods by their names in jurisdiction packs."""


def chance_of_days(days: list[tuple[int, int]], base: Fraction) -> float | None:
    """Return the standard deviation of the hold of several days around a base; days are (win, drop) in cents.

    The result is the square root of the sum of (win - base x drop) squared, divided by the total drop. Return None for
    fewer than two days, or without drop.

    >>> chance_of_days([(100, 1000), (300, 1000)], Fraction(1, 5)) == sqrt(20_000) / 2000
    True
    """
    drop = sum(day_drop for _, day_drop in days)
    if len(days) < 2 or drop <= 0:
        return None
    return sqrt(sum((win - base * day_drop) ** 2 for win, day_drop in days)) / drop


def chance_of_wagers(variance_cents: Fraction, handle_cents: int) -> float | None:
    """Return the standard deviation of win per handle, from the exact variance of payouts; None without handle."""
    return sqrt(variance_cents) / handle_cents if handle_cents > 0 else None
