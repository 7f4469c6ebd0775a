"""The returns of the Bonus Wager, and of the Ante Wager as played: exact, by counting three cards of full decks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Final

from shared.rules.game import CountPlay, CountReturns
from shared.rules.over_under.totals import BONUS, CARDS_IN_HAND, CHOICES, VALUES, bonus_category, wins
from shared.rules.paytable import count_returns, rows_by_category
from shared.rules.play import End, Play
from shared.rules.returns import Returns
from shared.rules.submission import Offer, Selection


def bonus_returns(selection: Selection, offer: Offer) -> Returns:
    """Return the distribution of the Bonus Wager's return per unit staked, the stake included."""
    assert selection.decks is not None
    rows, counts = rows_by_category(offer), totals(selection.decks)
    return count_returns((ways, rows.get(bonus_category(points))) for points, ways in counts.items())


def totals(decks: int) -> Counter[int]:
    """Return the number of ways in which three cards from full decks form each total."""
    cards = Counter(VALUES.values())
    found: Counter[int] = Counter()
    for values in combinations_with_replacement(sorted(cards), CARDS_IN_HAND):
        found[sum(values)] += prod(comb(cards[value] * decks, copies) for value, copies in Counter(values).items())
    return found


def play_ante(selection: Selection, offer: Offer) -> Play:
    """Return the result of the Ante Wager, with the wager on a side or surrendered.

    After the first card, the player chooses the better of the two sides, or surrenders the Ante Wager if both are
    worse. The other cards of the shoe are unknown.
    """
    assert selection.decks is not None
    (ante,) = rows_by_category(offer).values()
    sides = {}
    for choice in CHOICES:
        (row,) = rows_by_category(selection.offers[choice]).values()
        sides[choice] = ante.odds.returns + row.odds.returns
    cards = Counter({value: selection.decks * cards for value, cards in Counter(VALUES.values()).items()})
    return Play.counted([offer.name, *CHOICES], _ASSUMED, _after_first_cards(cards, sides))


_ASSUMED: Final = (
    "after the first card the player takes the side that is worth more, or surrenders where that is; no other card of "
    "the shoe is known"
)
_ANTE: Final = "ante"
_SURRENDERED: Final = (Fraction(1), End("surrendered", Fraction(1), Fraction(0)))


def _after_first_cards(cards: Counter[int], sides: Mapping[str, Fraction]) -> Iterator[tuple[Fraction, End]]:
    """Yield (weight, result) for the best decision after each first card; `sides` has the return if a side wins."""
    for first, copies in cards.items():
        left = cards.copy()
        left[first] -= 1
        decisions = [[_SURRENDERED]]
        for choice, back in sides.items():
            won = _won(choice, first, left)
            ends = (End(choice, Fraction(2), back), End(f"{choice}_lost", Fraction(2), Fraction(0)))
            decisions.append(list(zip((won, 1 - won), ends, strict=True)))
        for share, end in max(decisions, key=_worth):
            yield copies * share, end


def _worth(ends: Iterable[tuple[Fraction, End]]) -> Fraction:
    return sum((share * (end.back - end.staked) for share, end in ends), Fraction(0))


def _won(choice: str, first: int, left: Counter[int]) -> Fraction:
    """Return the probability that two of the remaining cards make `choice` win."""
    ways = sum(
        left[second] * (left[third] - (second == third))
        for second in left
        for third in left
        if wins(choice, first + second + third)
    )
    return Fraction(ways, left.total() * (left.total() - 1))


COUNTS: Final[Mapping[str, CountReturns]] = {BONUS: bonus_returns}
PLAYS: Final[Mapping[str, CountPlay]] = {_ANTE: play_ante}
