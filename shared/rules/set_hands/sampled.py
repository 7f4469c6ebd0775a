"""Figures from sampled hands: the results of deals, and their sampling error."""

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import Final, NamedTuple

from shared.rules.errors import Refused
from shared.rules.submission import Selection

WAY: Final = "standard"
"""The name of the documented house way by which sampled hands are set."""

PAIRS: Final = 42
"""The number of ordered pairs of two of the seven hands of a deal."""


class Moments(NamedTuple):
    """Sums over sampled deals, each with two numbers `one` and `other`: of the numbers, their squares and products."""

    deals: int
    one: int
    other: int
    one_squared: int
    other_squared: int
    product: int

    def plus(self, one: int, other: int) -> "Moments":
        """Return the sums with another deal added.

        >>> Moments(0, 0, 0, 0, 0, 0).plus(3, 1).plus(1, 1)
        Moments(deals=2, one=4, other=2, one_squared=10, other_squared=2, product=4)
        """
        return Moments(
            self.deals + 1,
            self.one + one,
            self.other + other,
            self.one_squared + one * one,
            self.other_squared + other * other,
            self.product + one * other,
        )

    def error(self, weight: Fraction) -> float:
        """Return the standard error of the mean of `weight * one - other` over all deals."""
        mean = (weight * self.one - self.other) / self.deals
        squares = weight**2 * self.one_squared - 2 * weight * self.product + self.other_squared
        return sqrt((squares / self.deals - mean**2) / self.deals)


def read_moments(row: Sequence[int]) -> Moments:
    """Return the `Moments` stored in a row of a sample."""
    return Moments(*row)


def check_way(selection: Selection) -> None:
    """Raise `Refused` if a submission's house way is not that of the sampled hands."""
    option = selection.catalogue.options["house_way"]
    selected = selection.options["house_way"]
    if selected not in (None, WAY):
        raise Refused(
            f"hands were sampled as the house way '{WAY}' sets them; the submission has a house way of its own",
            paragraph=option.paragraph,
        )
