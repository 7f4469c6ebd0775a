"""The optimal decisions by the dealer's up card and the player's total or pair: the basic strategy card.

Whether to draw to a total is decided on the shoe without the up card. The decision on the first two cards is made on
the shoe without these two and the up card; it is the same for all first two cards with the same total. Cards are drawn
with replacement. A dealer's Blackjack takes the original wager regardless of the decisions (§ 633a.10(b), §
633a.11(d)), so decisions are made as if the dealer could not have a Blackjack.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from shared.rules.blackjack.shoe import (
    ACE,
    BUSTS_WITH,
    FINALS,
    GROWING,
    NEXT,
    STATES,
    TEN,
    VALUES_OF_CARDS,
    Dealer,
    points,
    shares,
    two_cards,
    without,
)
from shared.rules.blackjack.totals import MOST

Action: TypeAlias = Literal["hit", "stand", "double", "split", "surrender"]

MOST_RESPLITS: Final = 4
"""The maximum number of counted splits after the first; further splits would change a payback by less than 3e-6."""

TIES_AT_SWITCH: Final = 22


class Terms(NamedTuple):
    """The terms that decide the results of hands: the returns of wins per unit staked, and options."""

    wins: Fraction
    blackjack: Fraction
    resplits: int
    switch: bool
    from_hand: bool
    even_money: bool


class Worth:
    """The expected win of hands per unit wagered, by state, given that the dealer has no Blackjack.

    `stood` is for hands that draw no more, `played` for hands played optimally without a double, `doubled` for a
    double. `draws` is whether it is optimal to draw.
    """

    def __init__(self, shoe: Sequence[int], up: int, terms: Terms) -> None:
        """Compute the values for a shoe without the up card, given as counts by value."""
        self.drawn = drawn = shares(shoe)
        self.dealer = dealer = Dealer(drawn, up)
        by_total = [_stood(total, dealer, terms) for total in range(BUSTS_WITH.stop)]
        self.stood = [by_total[points(state)] if points(state) < BUSTS_WITH.stop else 0.0 for state in range(STATES)]
        self.played = list(self.stood)
        self.doubled = list(self.stood)
        self.draws = [False] * STATES
        for state in GROWING[::-1]:
            if points(state) >= MOST:
                continue
            drawing = doubling = 0.0
            for after, share in zip(NEXT[state], drawn, strict=True):
                drawing += share * self.played[after]
                doubling += share * self.stood[after]
            self.doubled[state] = 2 * doubling
            if drawing > self.stood[state]:
                self.draws[state] = True
                self.played[state] = drawing

    def best(self, state: int) -> float:
        """Return the expected win of two cards that cannot be split or surrendered."""
        return max(self.played[state], self.doubled[state])

    def split(self, value: int, splits: int) -> float:
        """Return the expected win of all hands from a pair, with up to `splits` splits after the first."""
        again = self.drawn[value]
        others = sum(
            self.drawn[second] * self.best(two_cards(value, second)) for second in VALUES_OF_CARDS if second != value
        )
        hand = others + again * self.best(two_cards(value, value))
        worth = [number * hand for number in range(splits + 3)]
        for left in range(1, splits + 1):
            fewer, worth = worth, [0.0]
            for number in range(1, splits + 3 - left):
                worth.append(others + (1 - again) * worth[number - 1] + again * fewer[number + 1])
        return worth[2]


class Strategy:
    """The optimal decisions against one up card, by total and pair.

    `draws`, `doubles` and `surrenders` are indexed by state; the last two apply to the first two cards only. `splits`
    and `surrenders_pair` are indexed by the value of the pair. `worth` is the expected win of two cards, by their
    values, and `natural` that of a Blackjack. `takes_even_money` is true if even money is worth more than playing on.
    """

    def __init__(self, shoe: Sequence[int], up: int, terms: Terms) -> None:
        """Compute the decisions for a shoe without the up card, given as counts by value."""
        self.terms = terms
        alone = Worth(shoe, up, terms)
        self.draws = alone.draws
        self.doubles = [False] * STATES
        self.surrenders = [False] * STATES
        of_two = {cards: Worth(without(shoe, *cards), up, terms) for cards in TWO_CARDS}
        self._by_total(shoe, alone, of_two)
        self.splits = [False] * (TEN + 1)
        self.surrenders_pair = [False] * (TEN + 1)
        for value in VALUES_OF_CARDS:
            worth, state = of_two[value, value], two_cards(value, value)
            split = worth.split(value, additional_splits(terms, shoe[value]))
            self.splits[value] = split > worth.best(state)
            self.surrenders_pair[value] = not terms.switch and max(split, worth.best(state)) < _SURRENDERED
        self.worth = {cards: self._worth(*cards, worth, shoe) for cards, worth in of_two.items()}
        beside_natural = of_two[ACE, TEN].dealer
        natural = (1 - beside_natural.blackjack) * _natural(beside_natural, terms)
        self.takes_even_money = terms.even_money and up == ACE and float(terms.wins) - 1 > natural
        self.natural = float(terms.wins) - 1 if self.takes_even_money else natural

    def first(self, first: int, second: int) -> Action:
        """Return the decision on the first two cards, which are not a Blackjack."""
        if first == second:
            if self.surrenders_pair[first]:
                return "surrender"
            if self.splits[first]:
                return "split"
        elif self.surrenders[two_cards(first, second)]:
            return "surrender"
        return self.of_split(first, second)

    def of_split(self, first: int, second: int) -> Action:
        """Return the decision on two cards that cannot be split or surrendered."""
        state = two_cards(first, second)
        return "double" if self.doubles[state] else "hit" if self.draws[state] else "stand"

    def _by_total(self, shoe: Sequence[int], alone: Worth, of_two: Mapping[tuple[int, int], Worth]) -> None:
        """Choose one decision for each total, weighted over all two-card hands with that total.

        `alone` decides for totals that no two-card hand has.
        """
        made: dict[int, list[tuple[int, Worth]]] = {}
        for (first, second), worth in of_two.items():
            if first != second:
                made.setdefault(two_cards(first, second), []).append((shoe[first] * shoe[second], worth))
        for state in GROWING:
            hands = made.get(state, [(1, alone)])
            played = sum(ways * worth.played[state] for ways, worth in hands)
            doubled = sum(ways * worth.doubled[state] for ways, worth in hands)
            surrendered = _SURRENDERED * sum(ways for ways, _ in hands)
            self.doubles[state] = doubled > played
            self.surrenders[state] = not self.terms.switch and max(played, doubled) < surrendered

    def _worth(self, first: int, second: int, worth: Worth, shoe: Sequence[int]) -> float:
        """Return the expected win of two cards that are not a Blackjack, including a loss to a dealer's Blackjack."""
        state = two_cards(first, second)
        match self.first(first, second):
            case "surrender":
                decided = _SURRENDERED
            case "split":
                decided = worth.split(first, additional_splits(self.terms, shoe[first]))
            case "double":
                decided = worth.doubled[state]
            case _:
                decided = worth.played[state]
        return (1 - worth.dealer.blackjack) * decided - worth.dealer.blackjack


@lru_cache(maxsize=128)
def strategy_against(up: int, shoe: tuple[int, ...], terms: Terms) -> Strategy:
    """Return the optimal decisions for a shoe without the up card; the most recent results are cached.

    The Blackjack Wager and all progressives of a submission use the same decisions.
    """
    return Strategy(shoe, up, terms)


TWO_CARDS: Final = tuple((first, second) for first in VALUES_OF_CARDS for second in VALUES_OF_CARDS if first <= second)
_SURRENDERED: Final = -0.5


def additional_splits(terms: Terms, cards: int) -> int:
    """Return the number of splits after the first that are counted.

    `cards` is the number of cards of the pair's value in the shoe, including the pair.
    """
    return max(0, min(terms.resplits, MOST_RESPLITS, cards - 2))


def natural_back(final: int, terms: Terms) -> Fraction:
    """Return a Blackjack's return per unit staked, by the dealer's result. Blackjack Switch: § 633a.12(a)(5)."""
    if terms.switch and final == MOST:
        return terms.wins
    return Fraction(1) if terms.switch and final == TIES_AT_SWITCH else terms.blackjack


def back(total: int, final: int, terms: Terms) -> Fraction:
    """Return a hand's return per unit staked, by its total and the dealer's result."""
    if total > MOST:
        return Fraction(0)
    if terms.switch and final == TIES_AT_SWITCH:
        return Fraction(1)
    if final > MOST or total > final:
        return terms.wins
    return Fraction(int(total == final))


def _stood(total: int, dealer: Dealer, terms: Terms) -> float:
    """Return the expected win per unit staked of a hand that stands on this total."""
    worth = -1.0
    for final, chance in zip(FINALS, dealer.finals, strict=True):
        worth += chance * float(back(total, final, terms))
    return worth


def _natural(dealer: Dealer, terms: Terms) -> float:
    """Return the expected win per unit staked of a Blackjack if the dealer does not have one."""
    chances = zip(FINALS, dealer.finals, strict=True)
    return sum(chance * (float(natural_back(final, terms)) - 1) for final, chance in chances)
