"""Statistical tests of payouts against exact expectations, and of hits and counts against honest play. Pure.

Expectations come from the exact distribution of a wager (`shared.rules.returns`); without one, nothing is claimed about
its win. Tests that are repeated over time use `Evidence`, whose false alarm rate holds however often it is evaluated.
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
"""The maximum relative increase of a row's probability over full decks, once earlier cards of a shoe are known."""

HONEST_SHORT: Final = Fraction(2, 3)
"""The maximum share of short counts among honest errors: underpaid players complain, but few overpaid players do."""


@dataclass(frozen=True, slots=True)
class Wagers:
    """Wagers of one type under one submission: number, sum of stakes (cents), and sum of squared stakes.

    Wagers of a round that are decided by one card, such as Insurance, count as a single wager of their total stake.
    """

    number: int
    cents: int
    squares: int

    @classmethod
    def of(cls, stakes_cents: Iterable[int]) -> "Wagers":
        """Return the wagers with these stakes (in cents): their number, sum, and sum of squares."""
        stakes = tuple(stakes_cents)
        return cls(len(stakes), sum(stakes), sum(stake * stake for stake in stakes))

    def __add__(self, other: "Wagers") -> "Wagers":
        return Wagers(self.number + other.number, self.cents + other.cents, self.squares + other.squares)


@dataclass(frozen=True, slots=True)
class AgainstExpectation:
    """Payout compared with its exact expectation, in cents.

    `z` is the difference in standard deviations. `p` is the two-sided probability of a difference at least as large, by
    the normal distribution. It is an approximation for many wagers, and valid only for a single evaluation; repeated
    evaluation needs `Evidence`.
    """

    number: int
    payout_cents: int
    expected_cents: Fraction
    variance: Fraction
    z: float
    p: float

    @property
    def z_shown(self) -> str:
        """Return the z-score as text, with sign and two decimals."""
        return f"{self.z:+.2f}"

    def finding(self, false_alarms: Fraction = FALSE_ALARMS) -> Finding:
        """Return the finding of a single evaluation at the given false-alarm probability."""
        threshold = NormalDist().inv_cdf(1 - float(false_alarms) / 2)
        return Finding(self.number, self.z, threshold, abs(self.z) >= threshold)


def against_expectation(returns: Returns, wagers: Wagers, payout_cents: int) -> AgainstExpectation:
    """Compare the payout of wagers, including returned stakes, with its exact expectation.

    The payout excludes Envy Bonuses, because no stake of the wager earned them.
    """
    return compared(wagers.number, payout_cents, returns.mean * wagers.cents, returns.variance * wagers.squares)


def compared(number: int, payout_cents: int, expected_cents: Fraction, variance: Fraction) -> AgainstExpectation:
    """Compare the payout of wagers of any types with its total expectation.

    `variance` is in cents squared: the sum of the variances of independently decided wagers.
    """
    z = float(payout_cents - expected_cents) / sqrt(variance) if variance > 0 else 0.0
    return AgainstExpectation(number, payout_cents, expected_cents, variance, z, erfc(abs(z) / sqrt(2)))


def binomial_tail(hits: int, number: int, probability: Fraction) -> float:
    """Return the binomial probability of at least `hits` among `number` independent wagers.

    >>> f"{binomial_tail(9, 10, Fraction(1, 2)):.6f}"  # 11 of 1,024
    '0.010742'
    """
    assert 0 <= hits <= number, f"{hits} hits of {number} wagers"
    assert 0 < probability < 1, f"a probability of {probability}"
    if hits > number * probability:
        return _tail(hits, number, probability)
    return 1.0 - (_tail(number - hits + 1, number, 1 - probability) if hits else 0.0)


def _tail(hits: int, number: int, probability: Fraction) -> float:
    """Return the binomial probability of at least `hits`; `hits` must exceed the mean, so that the terms decrease."""
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
    """Return, for each category, whether the category was hit too often in `number` independent wagers.

    The test is valid for a single evaluation; its statistic is the exact tail probability. The false alarm rate holds
    for all rows together. The result is empty for a wager whose payouts have no categories.
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
    """Return the evidence that a paytable row (or any row) is hit too often, after another block of wagers.

    A block is all wagers that depend on one shuffle, such as a round: dependence between its seats does not make an
    alarm more probable. If several rounds are dealt from one shoe, use `SHOE_TOLERANCE`. The test detects wagers made
    with knowledge of the cards, so leave out Insurance, which everybody wagers after cards are seen.
    """
    if not number:
        return evidence
    return evidence.multiplied(hit_factors(probability, hits, number, tolerance=tolerance))


def hit_factors(
    probability: Fraction, hits: int, number: int, *, tolerance: Fraction = Fraction(0)
) -> tuple[float, ...]:
    """Return, for each bet, the log wealth multiplier for `hits` in a block of `number` wagers (see `observe_hits`)."""
    assert 0 <= hits <= number, f"{hits} hits of {number} wagers"
    most = min(probability * (1 + tolerance), Fraction(1))
    return factors(hits, most * number, most * (1 - most) * number)


def observe_returns(
    evidence: Evidence, returns: Returns, wagers: Wagers, payout_cents: int, *, tolerance: Fraction = Fraction(0)
) -> Evidence:
    """Return the evidence that wagers return too much, after another block of wagers (see `observe_hits`).

    Unlike `observe_hits`, the test weighs payouts in cents: high-paying rows count for more, and take longer to
    distinguish from luck.
    """
    if not wagers.number:
        return evidence
    most = returns.mean * (1 + tolerance)
    return evidence.observed(payout_cents, most * wagers.cents, returns.variance * wagers.squares)


def observe_count(evidence: Evidence, variance_cents: int, *, short: Fraction = HONEST_SHORT) -> Evidence:
    """Return the evidence that a dealer overpays, after another count of a table at which the dealer dealt.

    `variance_cents` is counted less expected. Nothing is assumed about the number or the size of honest errors. The
    only assumption is that, whatever the earlier counts were, at most a share of `short` of the inaccurate counts is
    short. Use the counts of one dealer at all tables, in order; an exact count is no evidence. A short count counts
    against every dealer who dealt there since the previous count, so an alarm shows where to look, not who is
    responsible.
    """
    if not variance_cents:
        return evidence
    return evidence.observed(int(variance_cents < 0), short, short * (1 - short))
