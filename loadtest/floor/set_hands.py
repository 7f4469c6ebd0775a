"""Hands of seven cards from one deck with a joker: dealt from the starting position, and set.

A table has seven positions: the dealer, and six betting positions from 1 at the dealer's far left to 6 at the far
right. Each position is dealt a hand in every round, even without a wager; four cards are left.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Final, NamedTuple

from loadtest.floor.deck import Deck
from shared.cards import Card
from shared.cards.ranking.pai_gow import HighHands, card_set, cards_of, low_rank
from shared.rules import Submission, catalogue
from shared.rules.set_hands.house_way import HouseWay, house_way

DEALER: Final = 0
"""The number of the dealer's position."""
SEATS: Final = 6
"""The number of betting positions."""
HAND: Final = 7
"""The number of cards in a hand."""

_POSITIONS: Final = SEATS + 1
_DICE: Final = 3
_DIE: Final = range(1, 7)
_NUMBERS: Final = range(1, 8)
_HOUSE_WAY: Final = "house_way"
_CUSTOMARY: Final = "standard"
_LOWEST: Final = "low_straights_lowest"


def shake(chance: Random) -> int:
    """Return the total of the three dice of a Pai Gow Poker shaker."""
    return sum(chance.choice(_DIE) for _ in range(_DICE))


def generated(chance: Random) -> int:
    """Return the number that a computerized random number generator displays, 1 to 7."""
    return chance.choice(_NUMBERS)


def starting_position(drawn: int, *, first: int = DEALER) -> int:
    """Return the position that is dealt first: count to `drawn` counterclockwise, starting with `first` as one.

    >>> starting_position(8), starting_position(14), starting_position(2)
    (0, 1, 6)
    """
    return (first - drawn + 1) % _POSITIONS


def deal(deck: Deck[Card], start: int, *, stacks: bool) -> dict[int, tuple[Card, ...]]:
    """Shuffle, and deal seven hands clockwise from the position `start`; return hands by position.

    A manual shoe deals one card at a time; an automated shoe deals a whole hand (`stacks`).
    """
    deck.shuffle()
    if stacks:
        hands = [deck.draw(HAND) for _ in range(_POSITIONS)]
    else:
        cards = deck.draw(_POSITIONS * HAND)
        hands = [cards[step::_POSITIONS] for step in range(_POSITIONS)]
    deck.collect()
    return {(start + step) % _POSITIONS: hand for step, hand in enumerate(hands)}


class SetHand(NamedTuple):
    """Seven cards as set: the low hand, and the ranks of the high and low hands."""

    cards: tuple[Card, ...]
    low: tuple[Card, ...]
    high_rank: int
    low_rank: int

    def is_below(self, other: "SetHand") -> bool:
        """Return whether neither of these hands beats the other's hand. A player then loses, because copies lose."""
        return self.high_rank <= other.high_rank and self.low_rank <= other.low_rank

    def is_above(self, other: "SetHand") -> bool:
        """Return whether both of these hands beat the other's hands."""
        return self.high_rank > other.high_rank and self.low_rank > other.low_rank


@dataclass(frozen=True, slots=True)
class Setting:
    """The rules by which a table sets hands: the house way of its submission, or else the customary house way."""

    ranking: HighHands
    way: HouseWay

    @classmethod
    def of(cls, regulation: str, submission: Submission) -> "Setting":
        """Return the rules for setting hands at the tables of an accepted submission."""
        options = submission.options
        ranking = HighHands("lowest" if options.get(_LOWEST) is True else "second_highest")
        selected = str(options.get(_HOUSE_WAY, _CUSTOMARY))
        return cls(ranking, house_way(selected, ranking, catalogue(regulation).options[_HOUSE_WAY].paragraph))

    def set(self, cards: tuple[Card, ...]) -> SetHand:
        """Return the hand set by the house way."""
        seven = card_set(cards)
        low = self.way.low(seven)
        return SetHand(cards, cards_of(low), self.ranking.rank(seven ^ low), low_rank(low))

    def set_against(self, cards: tuple[Card, ...], dealer: SetHand) -> SetHand:
        """Set a player's hand with the dealer's hands known: to win if possible, else to tie, else by house way.

        If several settings are equally good, the house way is preferred.
        """
        usual = self.set(cards)
        if usual.is_above(dealer):
            return usual
        ties = None
        for hand in self._correct(cards):
            if hand.is_above(dealer):
                return hand
            if ties is None and not hand.is_below(dealer):
                ties = hand
        return ties if ties is not None and usual.is_below(dealer) else usual

    def _correct(self, cards: tuple[Card, ...]) -> Iterator[SetHand]:
        """Yield all valid settings of seven cards."""
        seven = card_set(cards)
        for one, other in combinations([(card, card_set([card])) for card in cards], 2):
            low = one[1] | other[1]
            high_rank, low_rank_ = self.ranking.rank(seven ^ low), low_rank(low)
            if high_rank >= low_rank_:
                yield SetHand(cards, (one[0], other[0]), high_rank, low_rank_)
