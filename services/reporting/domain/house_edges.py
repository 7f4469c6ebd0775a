"""House edges of the wagers that rules submissions offer: exact if possible, else the best known value. Pure."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from math import isqrt, lcm
from typing import Final, Literal, NamedTuple, Self

from shared.contracts.submissions import StatedHouseEdge, SubmissionApproved
from shared.rules import Returns, game_of, returns
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.play import Play
from shared.rules.progressive import Progressive
from shared.rules.returns import Hit, Won
from shared.rules.submission import Selection, select

Counted = Literal["exactly", "sampled", "by_model"]
"""How a house edge was computed, in the terms of the paytable registry."""

Basis = Counted | Literal["stated"]
"""The basis of a house edge: how it was computed, or `stated` for the licensee's own value."""

_ERRORS: Final = 3
"""The number of standard errors in `Play.error`, the error bound of a payback that is not exact."""
_ERROR_UNIT: Final = 10**12
"""Standard errors are rounded to multiples of 1 / `_ERROR_UNIT`."""


class PlayedEdge(NamedTuple):
    """The house edge of a wager without an exact distribution: it depends on how hands are played, or on a meter.

    `house_edge` and its `standard_error` are fractions of all that is staked, with doubles, splits and raises included
    as in the handle. Wagers that can only be made together share one edge and one error; `counted_with` is the first of
    these wagers.
    """

    house_edge: Fraction
    standard_error: Fraction
    counted: Counted
    counted_with: str


@dataclass(frozen=True)
class HouseEdge:
    """The house edge of a wager under a submission (given by hash): exact, best known, or stated by the licensee.

    `returns` is the exact distribution of the return per unit staked; if there is none, `reason` explains why. Then
    `played` is the best known house edge; if the registry has none, `lacks` explains why, and `stated`, the licensee's
    own value, is used. `offered` is as in the catalogue: `required` of every player of a hand, `always` on offer, or
    `optional`. `bonus_lines` are lines without a stake of their own that the wager earns, included in its return.
    """

    submission: str
    wager: str
    offered: str
    paytable: str | None
    returns: Returns | None
    reason: str | None = None
    bonus_lines: tuple[str, ...] = ()
    played: PlayedEdge | None = None
    lacks: str | None = None
    stated: StatedHouseEdge | None = None

    @cached_property
    def house_edge(self) -> Fraction | None:
        """Return the house edge, 1 less the payback, as a fraction of the stake; None if there is none.

        It is the exact value, else the best known value, else the licensee's own value.
        """
        if self.returns is not None:
            return 1 - self.returns.mean
        if self.played is not None:
            return self.played.house_edge
        return None if self.stated is None else Fraction(self.stated.house_edge_percent) / 100

    @property
    def why_none(self) -> str | None:
        """Return why there is no house edge; None if there is one."""
        return self.lacks if self.house_edge is None else None

    @property
    def standard_error(self) -> Fraction:
        """Return the standard error of the house edge; 0 if it is exact, or there is none."""
        return Fraction(0) if self.played is None else self.played.standard_error

    @property
    def error_shown(self) -> str | None:
        """Return the standard error in percentage points, four decimals; None if the house edge is exact."""
        return f"{float(100 * self.standard_error):.4f}" if self.standard_error else None

    @property
    def counted(self) -> Basis | None:
        """Return how the house edge was determined (`stated`: by the licensee); None if there is no house edge."""
        if self.returns is not None:
            return "exactly"
        if self.played is not None:
            return self.played.counted
        return None if self.stated is None else "stated"

    @property
    def counted_with(self) -> str:
        """Return the first of the wagers that share this house edge and its error: usually the wager itself."""
        return self.wager if self.played is None else self.played.counted_with


class Rates(NamedTuple):
    """Exact rates by submission hash and wager: integer numerators over one denominator `unit`, so that sums are exact.

    >>> rates = Rates.of_all({("hash", "ante"): Fraction(1, 2), ("hash", "pairs"): Fraction(1, 3)})
    >>> rates.unit, rates.of([(("hash", "ante"), 100), (("hash", "pairs"), 100), (("hash", "insurance"), 100)])
    (6, Fraction(250, 3))
    """

    numerators: Mapping[tuple[str, str], int]
    unit: int

    @classmethod
    def of_all(cls, rates: Mapping[tuple[str, str], Fraction]) -> Self:
        """Return exact rates, keyed by submission hash and wager, converted to a common denominator."""
        unit = lcm(*(rate.denominator for rate in rates.values()))
        return cls({wager: int(rate * unit) for wager, rate in rates.items()}, unit)

    def of(self, cents: Iterable[tuple[tuple[str, str], int]]) -> Fraction:
        """Return the sum of amount times rate over wagers; a wager without a rate adds zero."""
        return Fraction(sum([number * self.numerators.get(wager, 0) for wager, number in cents]), self.unit)


def edges_of(approved: SubmissionApproved) -> list[HouseEdge]:
    """Return the house edge of each wager that a rules submission offers.

    Raises: Refused if the regulation does not allow the submission's selections.
    """
    selection = select(catalogue(approved.regulation), approved.submission)
    played, lacking = _played(approved.regulation, selection)
    stated = {edge.wager: edge for edge in approved.stated_house_edges or ()}
    found = []
    for wager, offer in selection.offers.items():
        lines = tuple(dict.fromkeys(row.line for row in offer.paytable.rows if row.line is not None and row.of))
        of_wager = (approved.hash, wager, offer.wager.offered, offer.paytable.name)
        edge = partial(HouseEdge, *of_wager, bonus_lines=lines, stated=stated.get(wager))
        try:
            found.append(edge(returns=returns(approved.regulation, wager, approved.submission)))
        except Refused as refused:
            reason, known = str(refused), played.get(wager)
            lacks = lacking.get(wager, reason) if known is None else None
            found.append(edge(returns=None, reason=reason, played=known, lacks=lacks))
    return found


def _played(regulation: str, selection: Selection) -> tuple[dict[str, PlayedEdge], dict[str, str]]:
    """Return, by wager, the house edges that depend on play or on a meter, and the reasons why wagers have none."""
    game = game_of(regulation)
    found: dict[str, PlayedEdge] = {}
    lacking: dict[str, str] = {}
    for wager in selection.offers:
        try:
            if wager in game.progressives:
                found[wager] = _of_meter(game.progressive(selection, wager))
            elif wager in game.plays:
                play = game.play(selection, wager)
                found |= {each: _of_play(play) for each in play.wagers if each not in found}
        except Refused as refused:
            lacking[wager] = str(refused)
    return found, lacking


def _of_play(play: Play) -> PlayedEdge:
    counted: Counted = "by_model" if play.by_model else "sampled" if play.standard_error else "exactly"
    error = play.error / _ERRORS / play.staked
    rounded = Fraction(round(error * _ERROR_UNIT), _ERROR_UNIT)
    return PlayedEdge(play.edge_of_all_staked, rounded, counted, play.wagers[0])


def _of_meter(progressive: Progressive) -> PlayedEdge:
    """Return the house edge in the long run or, if that is unknown, with the meter at its reset amount.

    It is unknown if fixed amounts are deducted from the meter: then the payback is known only at a meter reading.
    """
    at_reset = _of_play(progressive.at(progressive.reset_cents))
    lasting = progressive.in_the_long_run
    return at_reset if lasting is None else at_reset._replace(house_edge=1 - lasting)


def root_of_squares(errors: Iterable[Fraction]) -> int:
    """Return the standard error of a sum of independent amounts, given their errors, in whole cents (half rounds up).

    >>> root_of_squares([Fraction(3), Fraction(4)]), root_of_squares([Fraction(1, 2)]), root_of_squares([])
    (5, 1, 0)
    """
    return (isqrt(int(4 * sum((error * error for error in errors), Fraction(0)))) + 1) // 2


def returns_as_text(distribution: Returns) -> str:
    """Return a distribution as JSON: category, return, bonus, and probability of each win.

    >>> coin = Returns.counted([(1, Won("heads", Fraction(2))), (1, None)])
    >>> returns_as_text(coin), returns_of_text(returns_as_text(coin)) == coin
    ('[["heads", "2", null, "1/2"]]', True)
    """
    return json.dumps(
        [[hit.won.category, str(hit.won.back), hit.won.bonus, str(hit.probability)] for hit in distribution.hits]
    )


def played_of_texts(house_edge: str, standard_error: str, counted: Counted, counted_with: str) -> PlayedEdge:
    """Return the best known house edge of a wager, given the edge and its standard error as texts."""
    return PlayedEdge(Fraction(house_edge), Fraction(standard_error), counted, counted_with)


@lru_cache(maxsize=4096)
def returns_of_text(text: str) -> Returns:
    """Return the distribution that `returns_as_text` encoded; cached by text, including computed mean and variance."""
    return Returns(
        tuple(
            Hit(Won(category, Fraction(back), bonus), Fraction(probability))
            for category, back, bonus, probability in json.loads(text)
        )
    )
