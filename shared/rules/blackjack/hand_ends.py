"""The results of a player's hand, by the dealer's final total, under basic strategy.

Cards are drawn with replacement. Given the dealer's final total, hands are therefore independent, and the results of
several hands are the convolution of the results of each.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple, TypeAlias

from shared.rules.blackjack.shoe import (
    BUSTS_WITH,
    FINALS,
    GROWING,
    NEXT,
    STATES,
    VALUES_OF_CARDS,
    draw,
    points,
    two_cards,
)
from shared.rules.blackjack.strategy import Strategy, Terms, additional_splits, back, natural_back
from shared.rules.blackjack.totals import MOST
from shared.rules.play import End

Ends: TypeAlias = dict[int, float]
"""Probability by result. A result is `STAKED` times the wagers staked, plus the units returned (see `Backs`)."""

Chances: TypeAlias = dict[tuple[str, int], float]
"""Probability by (category, result)."""

STAKED: Final = 1 << 20

_PARTS: Final = 10**12
"""Probabilities are rounded to multiples of 1/_PARTS, which double precision can represent."""

AGAINST: Final = (*FINALS, None)
"""The dealer's results: each of the final totals, and None for a Blackjack."""

_LEAST: Final = 16
_TOTALS: Final = range(_LEAST, MOST + 2)
"""The player's final totals that win different amounts: 16 and less, each of 17 to 21, and bust."""


class Backs(NamedTuple):
    """The returns per wager staked, in units; a wager is `unit` units.

    `by_final` has the returns by the dealer's result (`AGAINST`), then by the player's total (`_TOTALS`); `of_natural`
    has those of a Blackjack by the dealer's result. `wins` is the return of a win, `surrendered` that of a surrender.
    """

    unit: int
    wins: int
    surrendered: int
    by_final: tuple[tuple[int, ...], ...]
    of_natural: tuple[int, ...]

    @classmethod
    def of(cls, terms: Terms) -> "Backs":
        """Compute the returns under these terms; a dealer's Blackjack takes the original wager only."""
        unit = lcm(2, terms.wins.denominator, terms.blackjack.denominator)
        return cls(
            unit=unit,
            wins=int(terms.wins * unit),
            surrendered=unit // 2,
            by_final=(
                *(tuple(int(back(total, final, terms) * unit) for total in _TOTALS) for final in FINALS),
                (unit,) * len(_TOTALS),
            ),
            of_natural=(*(int(natural_back(final, terms) * unit) for final in FINALS), unit),
        )

    def outcome(self, end: int) -> str:
        """Return `won`, `lost` or `tied`, by comparing a result's return with its stake."""
        staked, units = divmod(end, STAKED)
        return "won" if units > staked * self.unit else "tied" if units == staked * self.unit else "lost"


class Hand:
    """The distribution of a hand's final total: the probability of each of `_TOTALS`, without and with a double."""

    __slots__ = ("doubled", "single")

    def __init__(self) -> None:
        """Begin with all probabilities zero."""
        self.single = [0.0] * len(_TOTALS)
        self.doubled = [0.0] * len(_TOTALS)

    def play(self, starts: Sequence[tuple[int, int, float]], strategy: Strategy, drawn: Sequence[float]) -> None:
        """Add hands that are neither split nor surrendered: (first card, second card, probability)."""
        reached = [0.0] * STATES
        for first, second, weight in starts:
            state = two_cards(first, second)
            if strategy.of_split(first, second) == "double":
                for after, share in zip(NEXT[state], drawn, strict=True):
                    self.doubled[_place(after)] += weight * share
            else:
                reached[state] += weight
        for state in GROWING:
            weight = reached[state]
            if not weight:
                continue
            if strategy.draws[state]:
                draw(reached, state, drawn)
            else:
                self.single[_place(state)] += weight
        self.single[-1] += sum(reached[BUSTS_WITH.start : BUSTS_WITH.stop])

    def finished(self, total: int) -> float:
        """Return the probability that the hand has this final total, 17 to 21."""
        return self.single[total - _LEAST] + self.doubled[total - _LEAST]

    def ends(self, backs: Sequence[int]) -> Ends:
        """Return the results of the hand; `backs` has the units returned per wager staked, for each of `_TOTALS`."""
        found: Ends = {}
        for stake, finished in ((1, self.single), (2, self.doubled)):
            for place, weight in enumerate(finished):
                if weight:
                    end = stake * (STAKED + backs[place])
                    found[end] = found.get(end, 0.0) + weight
        return found


def ends_of_pair(
    first: int, second: int, strategy: Strategy, drawn: Sequence[float], cards: int, backs: Backs
) -> list[Ends]:
    """Return the results of two cards, not a Blackjack: one distribution for each dealer's result (`AGAINST`).

    `drawn` has the probability of each value for the next card. `cards` is the number of cards of the first card's
    value that were in the shoe when the two were dealt.
    """
    terms = strategy.terms
    action = strategy.first(first, second)
    if action == "surrender":
        return [*([{STAKED + backs.surrendered: 1.0}] * len(FINALS)), {STAKED: 1.0}]
    if action == "split":
        others, pairs = hands_of_split(first, strategy, drawn)
        splits = additional_splits(terms, cards)
        found = [split_ends(others.ends(by), pairs.ends(by), drawn[first], splits) for by in backs.by_final]
    else:
        hand = Hand()
        hand.play([(first, second, 1.0)], strategy, drawn)
        found = [hand.ends(by) for by in backs.by_final]
    late = {end - backs.unit: weight for end, weight in found[-1].items()}
    found[-1] = late if terms.from_hand else {STAKED: 1.0}
    return found


def hands_of_split(value: int, strategy: Strategy, drawn: Sequence[float]) -> tuple[Hand, Hand]:
    """Return the final totals of a split hand if its second card has another value, and if it has the pair's value.

    Each is weighted by the probability of that second card. Hands are not split again here.
    """
    others, pairs = Hand(), Hand()
    others.play([(value, second, drawn[second]) for second in VALUES_OF_CARDS if second != value], strategy, drawn)
    pairs.play([(value, value, drawn[value])], strategy, drawn)
    return others, pairs


def ends_of_natural(strategy: Strategy, backs: Backs) -> list[Ends]:
    """Return the results of a Blackjack for each dealer's result (`AGAINST`); even money is taken if worth more."""
    if strategy.takes_even_money:
        return [{STAKED + backs.wins: 1.0}] * len(AGAINST)
    return [{STAKED + units: 1.0} for units in backs.of_natural]


def added(one: Ends, other: Ends) -> Ends:
    """Return the joint results of two independent hands."""
    found: Ends = {}
    for end, weight in one.items():
        for other_end, other_weight in other.items():
            both = end + other_end
            found[both] = found.get(both, 0.0) + weight * other_weight
    return found


def rounded(chances: Chances, backs: Backs, *, wagers: int) -> Iterator[tuple[int, End]]:
    """Yield (probability times `_PARTS`, result per unit wagered) for the results of `wagers` equal wagers.

    Probabilities are rounded; the most probable result absorbs the difference, so they sum to `_PARTS`.
    """
    parts = {named: round(chance * _PARTS) for named, chance in chances.items()}
    parts[max(parts, key=lambda named: parts[named])] += _PARTS - sum(parts.values())
    for (category, end), part in parts.items():
        staked, units = divmod(end, STAKED)
        yield part, End(category, Fraction(staked, wagers), Fraction(units, wagers * backs.unit))


def split_ends(others: Ends, pairs: Ends, again: float, splits: int) -> Ends:
    """Return the joint results of all hands from a pair, with up to `splits` splits after the first.

    `others` are the results of a hand whose second card has another value. `pairs` are those of a hand whose second
    card has the pair's value but is not split again. `again` is the probability of such a second card.
    """
    either = dict(others)
    mix(either, pairs, 1.0)
    ends: list[Ends] = [{0: 1.0}]
    for _ in range(splits + 2):
        ends.append(added(ends[-1], either))
    for left in range(1, splits + 1):
        fewer, ends = ends, [{0: 1.0}]
        for number in range(1, splits + 3 - left):
            one_more = added(ends[-1], others)
            mix(one_more, fewer[number + 1], again)
            ends.append(one_more)
    return ends[2]


def mix(ends: Ends, more: Ends, share: float) -> None:
    """Add other results to `ends` in place, weighted by `share`."""
    for end, weight in more.items():
        ends[end] = ends.get(end, 0.0) + share * weight


def _place(state: int) -> int:
    return min(max(points(state), _LEAST), MOST + 1) - _LEAST
