"""Evidence against honest play that may be looked at every day: bets at odds that are fair where play is honest.

Who bets one unit so and never adds to it multiplies it by 1/alpha with a probability of alpha at most, ever (Ville's
inequality): an alarm at that wealth is false no more often than that, however often somebody looks, and whenever
anybody stops. Bets are the test martingales of Shafer, "Testing by betting" (2021). Pure; floats, for no money moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, log, log1p, log10
from typing import Final

FALSE_ALARMS: Final = Fraction(1, 1000)
"""The probability that honest play ever raises the alarm of one test."""

EXCESSES: Final = (0.25, 1.0, 4.0)
"""What is bet on: a quarter more than expected, twice as much, five times as much; a third of the unit on each."""

_MOST_BET: Final = 0.9
"""So much of its wealth a bet may lose: one that bets all of it is out of the game after one miss."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a test says after `n` observations: its statistic, the threshold for an alarm, and whether it was reached.

    The statistic is the common logarithm of the wealth: 3 is what honest play reaches once in a thousand tests at most.
    """

    n: int
    statistic: float
    threshold: float
    alarm: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """The wealths of bets after `n` observations, and the highest that their mean ever was: natural logarithms."""

    n: int = 0
    wealths: tuple[float, ...] = (0.0,) * len(EXCESSES)
    highest: float = 0.0

    def multiplied(self, logarithms: Sequence[float]) -> "Evidence":
        """Return the evidence after an observation that multiplies each wealth by a factor with a mean of 1 at most."""
        wealths = tuple(wealth + factor for wealth, factor in zip(self.wealths, logarithms, strict=True))
        return Evidence(self.n + 1, wealths, max(self.highest, _mean(wealths)))

    def observed(self, actual: Fraction | int, expected: Fraction, variance: Fraction) -> "Evidence":
        """Return the evidence after an observation of something that is never below 0.

        `expected` is the most that it is on average in honest play, given all that came before; `variance` says how
        large a bet should be, and has no part in whether the alarm is false.
        """
        assert actual >= 0, f"{actual} was observed of what is never below 0"
        assert expected > 0, f"{expected} was expected: nothing can be more than that by a share"
        surplus = float(actual / expected) - 1
        spread = float(variance / expected**2)
        shares = (min(_MOST_BET, excess / spread if spread else inf) for excess in EXCESSES)
        return self.multiplied([log1p(share * surplus) for share in shares])

    def finding(self, false_alarms: Fraction = FALSE_ALARMS) -> Finding:
        """Return what follows where honest play may raise an alarm with this probability; an alarm stands for ever."""
        threshold = -log10(false_alarms)
        return Finding(self.n, _mean(self.wealths) / log(10), threshold, self.highest / log(10) >= threshold)


def _mean(wealths: Sequence[float]) -> float:
    """Return the logarithm of the mean of what these are the logarithms of."""
    most = max(wealths)
    return most + log(sum(exp(wealth - most) for wealth in wealths) / len(wealths))
