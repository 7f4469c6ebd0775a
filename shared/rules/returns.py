"""The returns of a wager decided by the cards alone: exact probabilities, with mean and variance."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple


class Won(NamedTuple):
    """The win of a hand: the category in its line, and the return per unit staked, the stake included.

    `category` is None if lines of the wager have no category. `bonus` is the category of a row that is paid in
    addition, on its own line.
    """

    category: str | None
    back: Fraction
    bonus: str | None = None


class Hit(NamedTuple):
    """A win with its probability."""

    won: Won
    probability: Fraction


@dataclass(frozen=True)
class Returns:
    """The distribution of the return per unit staked: the wins with their probabilities; all other hands lose.

    A push counts as a win that returns the stake.
    """

    hits: tuple[Hit, ...]

    @classmethod
    def counted(cls, hands: Iterable[tuple[int | Fraction, Won | None]]) -> "Returns":
        """Return the distribution for hands given as (number or probability, win); the win of a losing hand is None.

        >>> coin = Returns.counted([(1, Won("heads", Fraction(2))), (1, None)])
        >>> coin.mean, coin.variance, coin.hit_frequency
        (Fraction(1, 1), Fraction(1, 1), Fraction(1, 2))
        """
        number: int | Fraction = 0
        found: dict[Won, int | Fraction] = {}
        for ways, won in hands:
            number += ways
            if won is not None and ways:
                found[won] = found.get(won, 0) + ways
        return cls(tuple(Hit(won, Fraction(ways) / number) for won, ways in found.items()))

    @cached_property
    def mean(self) -> Fraction:
        """Return the payback: the mean return per unit staked."""
        return sum((hit.probability * hit.won.back for hit in self.hits), Fraction(0))

    @cached_property
    def variance(self) -> Fraction:
        """Return the variance of the return per unit staked on one hand."""
        return sum((hit.probability * hit.won.back**2 for hit in self.hits), Fraction(0)) - self.mean**2

    @cached_property
    def hit_frequency(self) -> Fraction:
        """Return the probability that anything is returned."""
        return sum((hit.probability for hit in self.hits), Fraction(0))

    def probability(self, category: str) -> Fraction:
        """Return the probability of lines in this category, including bonus lines; 0 if there are none."""
        return sum((hit.probability for hit in self.hits if category in (hit.won.category, hit.won.bonus)), Fraction(0))
