"""The results of the hands from two cards against each final total of the dealer, played by the strategy card.

Given the dealer's final total hands are independent, because every card is drawn as if the others were put back; so
the ends of several hands are those of each, added up.
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
"""Probabilities by what was staked and what came back: `STAKED` for each cent staked, added to the units that came."""

Chances: TypeAlias = dict[tuple[str, int], float]
"""Probabilities by category and end."""

STAKED: Final = 1 << 20

_PARTS: Final = 10**12
"""Probabilities are whole numbers of these parts, which double precision still tells apart."""

AGAINST: Final = (*FINALS, None)
"""How the dealer's hand ends: one of the final totals, or None for a Blackjack."""

_LEAST: Final = 16
_TOTALS: Final = range(_LEAST, MOST + 2)
"""Final totals of a player's hand that differ in what they win: 16 and less, 17 to 21, and all above."""


class Backs(NamedTuple):
    """The return per cent, in units of which a cent has `unit`: by the dealer's result, then by `_TOTALS`."""

    unit: int
    wins: int
    surrendered: int
    by_final: tuple[tuple[int, ...], ...]
    of_natural: tuple[int, ...]

    @classmethod
    def of(cls, terms: Terms) -> "Backs":
        """Return the returns under these terms; against a Blackjack everything but the original wager is returned."""
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
        """Return the outcome by comparing the return with the stake: won, lost or tied."""
        staked, units = divmod(end, STAKED)
        return "won" if units > staked * self.unit else "tied" if units == staked * self.unit else "lost"


class Hand:
    """The final total of one hand: the probability of each of `_TOTALS`, without and with a double."""

    __slots__ = ("doubled", "single")

    def __init__(self) -> None:
        """Begin with no hands."""
        self.single = [0.0] * len(_TOTALS)
        self.doubled = [0.0] * len(_TOTALS)

    def play(self, starts: Sequence[tuple[int, int, float]], strategy: Strategy, drawn: Sequence[float]) -> None:
        """Add the hands that begin with two cards, with their probabilities, and are neither split nor surrendered."""
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
        """Return the results of the hand, given the return per cent by total."""
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
    """Return the results of two cards that are no Blackjack, by `AGAINST`, each with probabilities that sum to 1.

    Cards are drawn with the probabilities `drawn`; `cards` of the first card's value were in the shoe with these two.
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
    """Return the final totals of a hand from a pair: without another card of the pair, or with one left unsplit."""
    others, pairs = Hand(), Hand()
    others.play([(value, second, drawn[second]) for second in VALUES_OF_CARDS if second != value], strategy, drawn)
    pairs.play([(value, value, drawn[value])], strategy, drawn)
    return others, pairs


def ends_of_natural(strategy: Strategy, backs: Backs) -> list[Ends]:
    """Return the results of a Blackjack, by `AGAINST`; even money is taken if it is worth more."""
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
    """Yield the results per cent of all equal first wagers, rounded to parts of `_PARTS` with the same sum.

    What is lost or gained by rounding goes to the most probable end.
    """
    parts = {named: round(chance * _PARTS) for named, chance in chances.items()}
    parts[max(parts, key=lambda named: parts[named])] += _PARTS - sum(parts.values())
    for (category, end), part in parts.items():
        staked, units = divmod(end, STAKED)
        yield part, End(category, Fraction(staked, wagers), Fraction(units, wagers * backs.unit))


def split_ends(others: Ends, pairs: Ends, again: float, splits: int) -> Ends:
    """Return the results of all hands from a pair, with up to this many splits after the first.

    `others` are those of a hand without a second card of the pair's value, `pairs` those of one with it that is not
    split; `again` is the probability of that card.
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
    """Add this share of other results to the results."""
    for end, weight in more.items():
        ends[end] = ends.get(end, 0.0) + share * weight


def _place(state: int) -> int:
    return min(max(points(state), _LEAST), MOST + 1) - _LEAST
