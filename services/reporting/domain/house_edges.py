"""House edges: exact distributions of the wagers offered by rules submissions. Pure."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from math import lcm
from typing import NamedTuple, Self

from shared.contracts.submissions import SubmissionApproved
from shared.rules import Returns, returns
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.returns import Hit, Won
from shared.rules.submission import select


@dataclass(frozen=True)
class HouseEdge:
    """The exact distribution of a wager's return under a submission (its hash), or why it cannot be computed.

    `offered` is as in the catalogue: `required` of every player of a hand, `always` on offer, or `optional`.
    `bonus_lines` are lines without a stake of their own that the wager earns, included in its return.
    """

    submission: str
    wager: str
    offered: str
    paytable: str | None
    returns: Returns | None
    reason: str | None = None
    bonus_lines: tuple[str, ...] = ()

    @cached_property
    def house_edge(self) -> Fraction | None:
        """Return the house edge: 1 less the payback."""
        return None if self.returns is None else 1 - self.returns.mean


class Rates(NamedTuple):
    """Exact rates by submission (its hash) and wager, as integers with a common `unit`, so that sums are integers.

    >>> rates = Rates.of_all({("hash", "ante"): Fraction(1, 2), ("hash", "pairs"): Fraction(1, 3)})
    >>> rates.unit, rates.of([(("hash", "ante"), 100), (("hash", "pairs"), 100), (("hash", "insurance"), 100)])
    (6, Fraction(250, 3))
    """

    numerators: Mapping[tuple[str, str], int]
    unit: int

    @classmethod
    def of_all(cls, rates: Mapping[tuple[str, str], Fraction]) -> Self:
        """Return the rates of all wagers, with a common unit."""
        unit = lcm(*(rate.denominator for rate in rates.values()))
        return cls({wager: int(rate * unit) for wager, rate in rates.items()}, unit)

    def of(self, cents: Iterable[tuple[tuple[str, str], int]]) -> Fraction:
        """Return the sum of amounts times rates; a wager without a rate contributes zero."""
        return Fraction(sum([number * self.numerators.get(wager, 0) for wager, number in cents]), self.unit)


def edges_of(approved: SubmissionApproved) -> list[HouseEdge]:
    """Return the house edge of each wager on offer.

    Raises: Refused if the regulation does not allow the submission's selections.
    """
    found = []
    for wager, offer in select(catalogue(approved.regulation), approved.submission).offers.items():
        lines = tuple(dict.fromkeys(row.line for row in offer.paytable.rows if row.line is not None and row.of))
        edge = partial(HouseEdge, approved.hash, wager, offer.wager.offered, offer.paytable.name, bonus_lines=lines)
        try:
            found.append(edge(returns=returns(approved.regulation, wager, approved.submission)))
        except Refused as refused:
            found.append(edge(returns=None, reason=str(refused)))
    return found


def returns_as_text(distribution: Returns) -> str:
    """Return a distribution as JSON: category, return, bonus, and probability of each win.

    >>> coin = Returns.counted([(1, Won("heads", Fraction(2))), (1, None)])
    >>> returns_as_text(coin), returns_of_text(returns_as_text(coin)) == coin
    ('[["heads", "2", null, "1/2"]]', True)
    """
    return json.dumps(
        [[hit.won.category, str(hit.won.back), hit.won.bonus, str(hit.probability)] for hit in distribution.hits]
    )


@lru_cache(maxsize=4096)
def returns_of_text(text: str) -> Returns:
    """Return a distribution from its JSON; cached by text, including computed mean and variance."""
    return Returns(
        tuple(
            Hit(Won(category, Fraction(back), bonus), Fraction(probability))
            for category, back, bonus, probability in json.loads(text)
        )
    )
