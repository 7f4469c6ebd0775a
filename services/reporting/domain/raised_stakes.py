"""A test for past posting: stakes raised after the outcome is known, which win more often than others. Pure.

In honest play the outcome of a wager does not depend on its stake, whatever the player did before: doubling the stake
after each loss does not win more often. So the test assumes nothing about how stakes follow from earlier stakes, nor
about how often the player wins. It pairs the outcomes of raised stakes with those of other stakes.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import log
from typing import Final

from services.reporting.domain.evidence import FALSE_ALARMS, Evidence, Finding

_FEWEST: Final = 5
"""Minimum number of earlier stakes to compare with."""
_EARLIER: Final = 25
"""Maximum number of earlier stakes to compare with; only the latest are kept."""
_WAITING: Final = 100
"""Maximum number of outcomes waiting to be paired with an outcome of the other kind; further ones are dropped."""

_OTHERS_WIN: Final = (0.05, 0.2, 0.45)
_RAISED_WIN: Final = (0.6, 0.8, 0.95)
_BETS: Final = tuple(product(_RAISED_WIN, _OTHERS_WIN))
"""The alternatives that the test bets on: pairs of win probabilities of raised and of other stakes."""


def _factors(raised: bool, other: bool) -> tuple[float, ...]:
    """Return, for each bet, the log wealth multiplier for the outcomes of a raised stake and another stake.

    A multiplier is the probability of the two outcomes under a bet, divided by their probability if raised and other
    stakes win equally often, namely with the mean of the bet's two probabilities. Whatever the common probability is in
    honest play, the expected multiplier is at most 1 (Turner, Ly and Grünwald, "Generic e-variables for exact
    sequential k-sample tests", 2024).
    """
    found = []
    for one, two in _BETS:
        both = (one + two) / 2
        bet = (one if raised else 1 - one) * (two if other else 1 - two)
        honest = (both if raised else 1 - both) * (both if other else 1 - both)
        found.append(log(bet / honest))
    return tuple(found)


_FACTORS: Final = {(raised, other): _factors(raised, other) for raised, other in product((True, False), repeat=2)}


@dataclass(frozen=True, slots=True)
class RaisedStakes:
    """The state of the test for the stakes of one player (or seat) on one wager type, in order.

    `earlier` are the latest stakes, in cents; `waiting_raised` and `waiting_others` are outcomes waiting to be paired.
    """

    evidence: Evidence = field(default_factory=lambda: Evidence(wealths=(0.0,) * len(_BETS)))
    earlier: tuple[int, ...] = ()
    waiting_raised: tuple[bool, ...] = ()
    waiting_others: tuple[bool, ...] = ()

    def raises(self, stake_cents: int) -> bool | None:
        """Return whether a stake exceeds the median of the earlier stakes; None while there are too few of them."""
        if len(self.earlier) < _FEWEST:
            return None
        return stake_cents > sorted(self.earlier)[len(self.earlier) // 2]

    def after(self, stake_cents: int, *, won: bool) -> "RaisedStakes":
        """Return the state after a further wager that was won or lost; do not call it for a returned wager.

        `stake_cents` is the original stake, without doubles and splits, which depend on the cards.
        """
        raised = self.raises(stake_cents)
        known = replace(self, earlier=(*self.earlier, stake_cents)[-_EARLIER:])
        if raised is None:
            return known
        if raised:
            if not self.waiting_others:
                return replace(known, waiting_raised=(*self.waiting_raised, won)[:_WAITING])
            other, *others = self.waiting_others
            return replace(known, waiting_others=tuple(others), evidence=self._compared(won, other))
        if not self.waiting_raised:
            return replace(known, waiting_others=(*self.waiting_others, won)[:_WAITING])
        first, *rest = self.waiting_raised
        return replace(known, waiting_raised=tuple(rest), evidence=self._compared(first, won))

    def _compared(self, raised: bool, other: bool) -> Evidence:
        return self.evidence.multiplied(_FACTORS[raised, other])

    def finding(self, false_alarms: Fraction = FALSE_ALARMS) -> Finding:
        """Return the test's finding at the given false-alarm probability."""
        return self.evidence.finding(false_alarms)
