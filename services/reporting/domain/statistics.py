"""Tests of figures against exact expectations, and of counts and stakes against honest play. Pure.

What is expected comes from the exact distribution of a wager (`shared.rules.returns`); where there is none, nothing is
claimed about its win. A test over time is `Evidence`: its false alarms are stated, however often somebody looks at it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import erfc, exp, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import Final

from services.reporting.domain.evidence import FALSE_ALARMS, Evidence, Finding, factors
from shared.rules import Returns

SHOE_TOLERANCE: Final = Fraction(1, 50)
"""So much more often than from full decks a row may be hit later in a shoe, by what was hit earlier in it."""

HONEST_SHORT: Final = Fraction(2, 3)
"""Of honest counts that are off, so many may be short: a player who is paid too little says so, and few others do."""


@dataclass(frozen=True, slots=True)
class Wagers:
    """Wagers of one type under one submission: how many, their cents, and the sum of the squares of their cents.

    Wagers of a round that one card decides together, as Insurance, are one wager of all their cents.
    """

    number: int
    cents: int
    squares: int

    @classmethod
    def of(cls, stakes_cents: Iterable[int]) -> "Wagers":
        """Return those of these stakes."""
        stakes = tuple(stakes_cents)
        return cls(len(stakes), sum(stakes), sum(stake * stake for stake in stakes))

    def __add__(self, other: "Wagers") -> "Wagers":
        return Wagers(self.number + other.number, self.cents + other.cents, self.squares + other.squares)


@dataclass(frozen=True, slots=True)
class AgainstExpectation:
    """What was paid against what exact counting expects, cents: both exact, and how far they are apart.

    `z` is the difference in standard deviations; `p` is how probable one at least as large is either way, by the normal
    distribution: near for many wagers, and for one look. What is looked at again and again is for `Evidence`.
    """

    number: int
    payout_cents: int
    expected_cents: Fraction
    variance: Fraction
    z: float
    p: float

    @property
    def z_shown(self) -> str:
        """Return the z-score with its sign and two decimals."""
        return f"{self.z:+.2f}"

    def finding(self, false_alarms: Fraction = FALSE_ALARMS) -> Finding:
        """Return whether one look finds the difference larger than chance makes it with this probability."""
        threshold = NormalDist().inv_cdf(1 - float(false_alarms) / 2)
        return Finding(self.number, self.z, threshold, abs(self.z) >= threshold)


def against_expectation(returns: Returns, wagers: Wagers, payout_cents: int) -> AgainstExpectation:
    """Return how the payout of wagers, returned stakes included, stands to their exact expectation.

    The payout leaves out what no stake of the wager earned: Envy Bonuses.
    """
    return compared(wagers.number, payout_cents, returns.mean * wagers.cents, returns.variance * wagers.squares)


def compared(number: int, payout_cents: int, expected_cents: Fraction, variance: Fraction) -> AgainstExpectation:
    """Return how the payout of so many wagers, of whatever types, stands to what is expected of them together.

    `variance` is in cents squared: the sum of those of wagers that are decided apart from each other.
    """
    z = float(payout_cents - expected_cents) / sqrt(variance) if variance > 0 else 0.0
    return AgainstExpectation(number, payout_cents, expected_cents, variance, z, erfc(abs(z) / sqrt(2)))


def binomial_tail(hits: int, number: int, probability: Fraction) -> float:
    """Return how probable so many hits or more are among independent wagers that each hit with a probability.

    >>> f"{binomial_tail(9, 10, Fraction(1, 2)):.6f}"  # 11 of 1,024
    '0.010742'
    """
    assert 0 <= hits <= number, f"{hits} hits of {number} wagers"
    assert 0 < probability < 1, f"a probability of {probability}"
    if hits > number * probability:
        return _tail(hits, number, probability)
    return 1.0 - (_tail(number - hits + 1, number, 1 - probability) if hits else 0.0)


def _tail(hits: int, number: int, probability: Fraction) -> float:
    """Return the sum of the probabilities from `hits` on, which is above the mean: they only fall."""
    odds = float(probability / (1 - probability))
    ways = lgamma(number + 1) - lgamma(hits + 1) - lgamma(number - hits + 1)
    term = total = exp(ways + hits * log(probability) + (number - hits) * log1p(-float(probability)))
    for count in range(hits, number):
        term *= (number - count) / (count + 1) * odds
        total += term
        if term <= total * _NEGLIGIBLE:
            break
    return total


_NEGLIGIBLE: Final = 1e-18


def rows_too_often(
    returns: Returns, hits: Mapping[str, int], number: int, false_alarms: Fraction = FALSE_ALARMS
) -> dict[str, Finding]:
    """Return for each category of lines whether `number` wagers hit it too often: one look, of independent wagers.

    The statistic is the exact probability of so many hits; the false alarms of all rows together are as stated. A wager
    whose payouts have no categories has no rows.
    """
    categories = {name for hit in returns.hits for name in (hit.won.category, hit.won.bonus) if name is not None}
    found = {}
    for category in sorted(categories):
        threshold = float(false_alarms / len(categories))
        tail = binomial_tail(hits.get(category, 0), number, returns.probability(category))
        found[category] = Finding(number, tail, threshold, tail <= threshold)
    return found


def observe_hits(
    evidence: Evidence, probability: Fraction, hits: int, number: int, *, tolerance: Fraction = Fraction(0)
) -> Evidence:
    """Return the evidence that a row (or any row: the hit frequency) is hit too often, after the hits of a block.

    A block is what depends on one shuffle, a round: what its seats share makes no alarm more probable. Where rounds are
    dealt from one shoe, take `SHOE_TOLERANCE`. Bets that follow from knowledge of the cards are what this finds: leave
    Insurance out, which is wagered with cards in sight.
    """
    if not number:
        return evidence
    return evidence.multiplied(hit_factors(probability, hits, number, tolerance=tolerance))


def hit_factors(
    probability: Fraction, hits: int, number: int, *, tolerance: Fraction = Fraction(0)
) -> tuple[float, ...]:
    """Return the logarithms by which the hits of a block multiply the wealths of `observe_hits`."""
    assert 0 <= hits <= number, f"{hits} hits of {number} wagers"
    most = min(probability * (1 + tolerance), Fraction(1))
    return factors(hits, most * number, most * (1 - most) * number)


def observe_returns(
    evidence: Evidence, returns: Returns, wagers: Wagers, payout_cents: int, *, tolerance: Fraction = Fraction(0)
) -> Evidence:
    """Return the evidence that wagers bring back too much, after a block of them (see `observe_hits`).

    Unlike hits it weighs cents: rows that pay much count for more, and take longer to tell from luck.
    """
    if not wagers.number:
        return evidence
    most = returns.mean * (1 + tolerance)
    return evidence.observed(payout_cents, most * wagers.cents, returns.variance * wagers.squares)


def observe_count(evidence: Evidence, variance_cents: int, *, short: Fraction = HONEST_SHORT) -> Evidence:
    """Return the evidence that chips leave a table (a dealer who overpays), after a count in a dealer's time there.

    `variance_cents` is counted less expected. Honest counts are off now and then, by whatever amount, and of those
    that are off, whatever came before, a share of `short` at most is short: more is not assumed. Take the counts of one
    dealer at all tables, one after another; a count that is not off says nothing. A short one speaks against everybody
    who dealt there since the count before: an alarm says where to look first, not who it was.
    """
    if not variance_cents:
        return evidence
    return evidence.observed(int(variance_cents < 0), short, short * (1 - short))
