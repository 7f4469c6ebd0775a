"""The two equal wagers of Blackjack Switch under basic strategy, § 633a.12(a).

The player is taken to switch before the dealer checks for a Blackjack, as § 633a.12(a)(5)(iii) implies.

The four cards and the up card are counted exactly. Each hand draws its further cards from a shoe that lacks only the up
card and the hand's own two cards. The probability of each dealer's result depends on the cards of both hands; it is
approximated by adding the effects of each hand's two cards.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shared.rules.blackjack.hand_ends import (
    AGAINST,
    Backs,
    Chances,
    Ends,
    added,
    ends_of_natural,
    ends_of_pair,
    mix,
)
from shared.rules.blackjack.shoe import VALUES_OF_CARDS, Dealer, is_natural, shares, without
from shared.rules.blackjack.strategy import TWO_CARDS, Strategy, Terms, strategy_against

SWITCH_ASSUMED: Final = (
    "for each cent of the two equal wagers together; the second cards are switched where the two hands are worth more "
    "so, each by its total or pair and the up card; no Insurance; the four cards and the up card are dealt from full "
    "decks, each further card as if all others were in the shoe again"
)

_Two = tuple[int, int]
_NATURAL: Final = (0, 0)
"""The key of a dealt Blackjack; the same two cards brought together by a switch are an ordinary 21."""


def switch_chances(shoe: Sequence[int], terms: Terms, backs: Backs) -> Chances:
    """Return the probability of each joint result of the two wagers."""
    chances: Chances = {}
    for up in VALUES_OF_CARDS:
        left = without(shoe, up)
        strategy = strategy_against(up, tuple(left), terms)
        kept = _kept(left, strategy)
        ends: dict[_Two, list[Ends]] = {_NATURAL: ends_of_natural(strategy, backs)}
        dealers = {_NATURAL: Dealer(shares(without(left, *_ACE_TEN)), up).chances}
        for cards in TWO_CARDS:
            drawn = shares(without(left, *cards))
            ends[cards] = ends_of_pair(*cards, strategy, drawn, left[cards[0]], backs)
            dealers[cards] = Dealer(drawn, up).chances
        usual = Dealer(shares(left), up).chances
        share = shoe[up] / sum(shoe)
        for place, final in enumerate(AGAINST):
            for one, others in kept.items():
                mixed: Ends = {}
                for other, weight in others.items():
                    chance = dealers[one][place] + dealers[other][place] - usual[place]
                    mix(mixed, ends[other][place], share * weight * chance)
                for end, weight in added(ends[one][place], mixed).items():
                    named = ("dealer_blackjack" if final is None else backs.outcome(end), end)
                    chances[named] = chances.get(named, 0.0) + weight
    return chances


_ACE_TEN: Final = (1, 10)


def _kept(left: Sequence[int], strategy: Strategy) -> Mapping[_Two, Mapping[_Two, float]]:
    """Return the probability of each pair of hands, after the player switched if that was better.

    The key is one hand, then the other hand.
    """
    worth: dict[_Two, float] = {**strategy.worth, _NATURAL: strategy.natural}
    kept: dict[_Two, dict[_Two, float]] = {}
    for first, second, third, fourth, chance in _deals(left):
        one, other = _dealt(first, second), _dealt(third, fourth)
        switched = _ordered(first, fourth), _ordered(third, second)
        if worth[switched[0]] + worth[switched[1]] > worth[one] + worth[other]:
            one, other = switched
        if one > other:
            one, other = other, one
        others = kept.setdefault(one, {})
        others[other] = others.get(other, 0.0) + chance
    return kept


def _deals(left: Sequence[int]) -> Iterator[tuple[int, int, int, int, float]]:
    """Yield the two cards of each hand and their probability, with the two hands in either order."""
    number = sum(left)
    ordered = number * (number - 1) * (number - 2) * (number - 3)
    for first, third in TWO_CARDS:
        beside = without(left, first, third)
        ways = left[first] * (left[third] - (first == third)) * (1 if first == third else 2)
        for second in VALUES_OF_CARDS:
            for fourth in VALUES_OF_CARDS:
                more = beside[second] * (beside[fourth] - (second == fourth))
                if more and ways:
                    yield first, second, third, fourth, ways * more / ordered


def _dealt(first: int, second: int) -> _Two:
    return _NATURAL if is_natural(first, second) else _ordered(first, second)


def _ordered(first: int, second: int) -> _Two:
    return (first, second) if first <= second else (second, first)
