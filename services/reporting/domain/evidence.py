"""Sequential evidence against honest play: bets at odds that are fair if play is honest (an e-process).

A bettor starts with one unit of wealth and never adds to it. If play is honest, the probability that the wealth ever
reaches 1/alpha is at most alpha (Ville's inequality). So an alarm at that wealth is a false alarm with a probability of
at most alpha, however often the wealth is evaluated and whenever the test is stopped. The bets are the test martingales
of Shafer, "Testing by betting" (2021). Pure; floats, because no money moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, log, log1p, log10
from typing import Final

FALSE_ALARMS: Final = Fraction(1, 1000)
"""The probability that honest play ever raises the alarm of one test."""

EXCESSES: Final = (0.25, 1.0, 4.0)
"""The alternatives, each bet on with a third of the unit: 1.25, 2 and 5 times the expected value."""

_MOST_BET: Final = 0.9
"""The maximum share of its wealth that a bet may lose; a bet of all wealth would be ruined by a single miss."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a test after `n` observations: its statistic, the threshold, and whether it raised an alarm.

    The statistic is the common logarithm of the wealth: in honest play, at most one of a thousand tests reaches 3.
    """

    n: int
    statistic: float
    threshold: float
    alarm: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """The wealth of each bet after `n` observations, and the highest mean wealth so far, as natural logarithms."""

    n: int = 0
    wealths: tuple[float, ...] = (0.0,) * len(EXCESSES)
    highest: float = 0.0

    def multiplied(self, logarithms: Sequence[float], times: int = 1) -> "Evidence":
        """Return the evidence after `times` observations, each multiplying bet i's wealth by `exp(logarithms[i])`.

        In honest play, the expected value of each multiplier is at most 1.
        """
        wealths = tuple(wealth + times * factor for wealth, factor in zip(self.wealths, logarithms, strict=True))
        return Evidence(self.n + times, wealths, max(self.highest, mean_of(wealths)))

    def observed(self, actual: Fraction | int, expected: Fraction, variance: Fraction) -> "Evidence":
        """Return the evidence after one more observation of a non-negative quantity (see `factors`)."""
        return self.multiplied(factors(actual, expected, variance))

    def finding(self, false_alarms: Fraction = FALSE_ALARMS) -> Finding:
        """Return the finding at the given false-alarm probability. The highest wealth decides: alarms are permanent."""
        threshold = -log10(false_alarms)
        return Finding(self.n, mean_of(self.wealths) / log(10), threshold, self.highest / log(10) >= threshold)


def factors(actual: Fraction | int, expected: Fraction, variance: Fraction) -> tuple[float, ...]:
    """Return, for each bet, the log wealth multiplier of an observation of a non-negative quantity.

    `expected` is the largest mean possible in honest play, given all earlier observations. `variance` determines only
    the size of bets, not the false alarm rate.
    """
    assert actual >= 0, f"{actual} was observed of what is never below 0"
    assert expected > 0, f"{expected} was expected: nothing can be more than that by a share"
    surplus = float(actual / expected) - 1
    spread = float(variance / expected**2)
    shares = (min(_MOST_BET, excess / spread if spread else inf) for excess in EXCESSES)
    return tuple(log1p(share * surplus) for share in shares)


def mean_of(wealths: Sequence[float]) -> float:
    """Return the logarithm of the mean of numbers, given the numbers' logarithms."""
    most = max(wealths)
    return most + log(sum(exp(wealth - most) for wealth in wealths) / len(wealths))
