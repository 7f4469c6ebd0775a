"""The result of a wager as played: the total stake and the total return, exact, with optimal decisions.

A wager decided by the cards alone is a play without added wagers. All figures are per unit of the first wager,
with which the play begins; other wagers may be added to it by decisions, or be required with it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any, Final, NamedTuple

from shared.rules.returns import Returns

MODEL_ERROR: Final = Fraction(2, 10_000)
"""The maximum error of a payback counted by a model, against rounds dealt from real cards.

In 100,000,000 simulated rounds no error reached a third of this (docs/paybacks.md). For the Bad Beat Progressive, only
a hundredth of the payback depends on the model.
"""

CARDS_ALONE: Final = "the cards alone decide it"


class End(NamedTuple):
    """One result of a play: the total stake and the total return per unit of the first wager.

    `category` is the row that won, or another result of the hand; None for a loss without a name.
    """

    category: str | None
    staked: Fraction
    back: Fraction


class Ended(NamedTuple):
    """A result with its probability."""

    end: End
    probability: Fraction


class StrategyCard(NamedTuple):
    """The optimal decisions, as letters by the player's hand (rows) and the dealer's up card (columns).

    `letters` explains the letters.
    """

    columns: tuple[str, ...]
    rows: Mapping[str, tuple[str, ...]]
    letters: str


@dataclass(frozen=True)
class Play:
    """All results of a play with their probabilities, which sum to 1.

    `wagers` are the wagers that are counted together, beginning with the first wager. `assumed` describes in words how
    the player plays and how cards are drawn. `standard_error` is that of the house edge if hands were sampled, else 0.
    With `by_model` the result is not exact, because cards are drawn as `assumed` describes.
    """

    wagers: tuple[str, ...]
    assumed: str
    ends: tuple[Ended, ...]
    standard_error: float = 0.0
    by_model: bool = False

    @classmethod
    def counted(
        cls,
        wagers: Iterable[str],
        assumed: str,
        hands: Iterable[tuple[int | Fraction, End]],
        *,
        standard_error: float = 0.0,
        by_model: bool = False,
    ) -> "Play":
        """Return the play of hands, each given by its number (or probability) and its result.

        >>> coin = [(1, End("heads", Fraction(1), Fraction(2))), (1, End(None, Fraction(1), Fraction(0)))]
        >>> Play.counted(["coin"], CARDS_ALONE, coin).payback
        Fraction(1, 1)
        """
        number: int | Fraction = 0
        found: dict[End, int | Fraction] = {}
        for ways, end in hands:
            if ways:
                number += ways
                found[end] = found.get(end, 0) + ways
        ended = tuple(Ended(end, Fraction(ways) / number) for end, ways in found.items())
        return cls(tuple(wagers), assumed, ended, standard_error, by_model)

    @classmethod
    def of_returns(cls, wager: str, returns: Returns) -> "Play":
        """Return the play of a wager with these returns and no decisions."""
        one, nothing = Fraction(1), Fraction(0)
        hands = [
            (hit.probability, End(_named(hit.won.category, hit.won.bonus), one, hit.won.back)) for hit in returns.hits
        ]
        return cls.counted([wager], CARDS_ALONE, [*hands, (1 - returns.hit_frequency, End(None, one, nothing))])

    @cached_property
    def staked(self) -> Fraction:
        """Return the average total stake, per unit of the first wager."""
        return sum((probability * end.staked for end, probability in self.ends), Fraction(0))

    @cached_property
    def house_edge(self) -> Fraction:
        """Return the average amount that the house keeps, per unit of the first wager."""
        return sum((probability * (end.staked - end.back) for end, probability in self.ends), Fraction(0))

    @property
    def payback(self) -> Fraction:
        """Return 1 less the house edge, which for a wager without additions is its return per unit staked."""
        return 1 - self.house_edge

    @property
    def edge_of_all_staked(self) -> Fraction:
        """Return the average amount that the house keeps per unit of the total stake; 0 if nothing is staked."""
        return self.house_edge / self.staked if self.staked else Fraction(0)

    @property
    def error(self) -> Fraction:
        """Return the maximum error of the payback: 0, three standard errors, or MODEL_ERROR."""
        return MODEL_ERROR if self.by_model else 3 * Fraction(self.standard_error)

    @cached_property
    def variance(self) -> Fraction:
        """Return the variance of the player's net result, per unit of the first wager."""
        squares = (probability * (end.back - end.staked) ** 2 for end, probability in self.ends)
        return sum(squares, Fraction(0)) - self.house_edge**2

    @property
    def standard_deviation(self) -> float:
        """Return the square root of the variance."""
        return sqrt(self.variance)

    @cached_property
    def hit_frequency(self) -> Fraction:
        """Return the probability that anything is returned."""
        return sum((probability for end, probability in self.ends if end.back), Fraction(0))

    def probability(self, category: str) -> Fraction:
        """Return the probability of the results in this category."""
        return sum((probability for end, probability in self.ends if end.category == category), Fraction(0))

    def as_document(self) -> dict[str, Any]:
        """Return the play as JSON: exact numbers as numerator and denominator, and in percent."""
        return {
            "wagers": list(self.wagers),
            "assumed": self.assumed,
            "payback": exact(self.payback),
            "house_edge": exact(self.house_edge),
            "staked": exact(self.staked),
            "edge_of_all_staked": exact(self.edge_of_all_staked),
            "hit_frequency": exact(self.hit_frequency),
            "standard_deviation": round(self.standard_deviation, 6),
            "standard_error": self.standard_error,
            "by_model": self.by_model,
            "rows": [
                {
                    "category": end.category,
                    "probability": exact(probability),
                    "staked": str(end.staked),
                    "back": str(end.back),
                    "return": exact(probability * end.back),
                }
                for end, probability in self.ends
            ],
        }


def exact(number: Fraction) -> dict[str, Any]:
    """Return an exact number as JSON.

    >>> exact(Fraction(1, 3))
    {'numerator': 1, 'denominator': 3, 'percent': 33.333333}
    """
    return {
        "numerator": number.numerator,
        "denominator": number.denominator,
        "percent": round(float(100 * number), 6),
    }


def _named(category: str | None, bonus: str | None) -> str | None:
    return category if bonus is None else f"{category}_with_{bonus}" if category is not None else bonus
