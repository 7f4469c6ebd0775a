"""What comes back of a wager that the cards alone decide: exact probabilities, and the mean and variance of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple


class Won(NamedTuple):
    """What a hand wins: the category that its line names, and what comes back of each cent staked, the stake included.

    `category` is None where the lines of the wager name none. `bonus` is the category of a row that is paid on top, on
    a line of its own.
    """

    category: str | None
    back: Fraction
    bonus: str | None = None


class Hit(NamedTuple):
    """How probable a win is."""

    won: Won
    probability: Fraction


@dataclass(frozen=True)
class Returns:
    """The distribution of what comes back of one cent: the wins with their probabilities; the rest of the hands lose.

    A push is a win here, with one cent that comes back.
    """

    hits: tuple[Hit, ...]

    @classmethod
    def counted(cls, hands: Iterable[tuple[int | Fraction, Won | None]]) -> "Returns":
        """Return those of hands: how many there are (or how probable they are), and what they win; None: nothing.

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
        """Return the payback: what comes back of one cent on average."""
        return sum((hit.probability * hit.won.back for hit in self.hits), Fraction(0))

    @cached_property
    def variance(self) -> Fraction:
        """Return the variance of what comes back of one cent on one hand."""
        return sum((hit.probability * hit.won.back**2 for hit in self.hits), Fraction(0)) - self.mean**2

    @cached_property
    def hit_frequency(self) -> Fraction:
        """Return the probability that anything comes back."""
        return sum((hit.probability for hit in self.hits), Fraction(0))

    def probability(self, category: str) -> Fraction:
        """Return the probability of lines of this category, bonuses on top among them; 0 where there are none."""
        return sum((hit.probability for hit in self.hits if category in (hit.won.category, hit.won.bonus)), Fraction(0))
