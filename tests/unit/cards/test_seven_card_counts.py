"""Counting seven-card hands with a joker by classes, against published frequencies and against dealing every hand."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Final

import pytest

from shared.cards import JOKER, SUITS, Card, standard_deck
from shared.cards.ranking.pai_gow import Formed, card_set, formed
from shared.cards.ranking.seven_card_counts import count_seven_cards, seven_card_classes
from tests.support.nightly import AT_NIGHT

# The order of the bonus paytables, and the frequencies that analysts publish for them (joker as in Pai Gow Poker).
PUBLISHED: Final = {
    Formed.seven_card_straight_flush: 32,
    Formed.royal_flush_and_king_queen: 72,
    Formed.seven_card_straight_flush_with_joker: 196,
    Formed.five_aces: 1_128,
    Formed.royal_flush: 26_020,
    Formed.straight_flush: 184_644,
    Formed.four_of_a_kind: 307_472,
    Formed.full_house: 4_188_528,
    Formed.flush: 6_172_088,
    Formed.three_of_a_kind: 7_672_500,
    Formed.straight: 11_034_204,
}


def flags(cards: Sequence[Card]) -> int:
    """Return all that the cards can form."""
    return formed(card_set(cards))


def best(cards: Sequence[Card]) -> Formed | None:
    """Return the first row of the bonus paytables that the cards can form."""
    can_form = flags(cards)
    return next((row for row in PUBLISHED if can_form & row), None)


@AT_NIGHT
def test_frequencies_are_the_published_ones() -> None:
    """Every row of the bonus paytables, out of all hands from 53 cards; each class has a hand that can be dealt."""

    def dealt_best(cards: Sequence[Card]) -> Formed | None:
        assert len(set(cards)) == 7
        return best(cards)

    counts = count_seven_cards(dealt_best)
    rest = counts.pop(None)
    assert counts == PUBLISHED
    assert comb(53, 7) == rest + sum(PUBLISHED.values())


def test_no_class_is_empty() -> None:
    """Every class of a small deck stands for at least one hand."""
    assert min(hands for _, hands in seven_card_classes(ranks="AKQJT9")) > 0


@pytest.mark.parametrize("ranks", ["AKQJT", "A5432", "A6543"])
def test_classes_agree_with_dealing_every_hand(ranks: str) -> None:
    """Small decks with the joker, each hand dealt: everything that it can form, and whether the joker is in it."""
    deck = [card for card in standard_deck(jokers=1) if card == JOKER or card[0] in ranks]
    dealt = Counter((flags(hand), JOKER in hand) for hand in combinations(deck, 7))
    counted: Counter[tuple[int, bool]] = Counter()
    for cards, hands in seven_card_classes(ranks=ranks):
        counted[flags(cards), JOKER in cards] += hands
    assert dealt == counted
    assert comb(len(ranks) * len(SUITS) + 1, 7) == counted.total()
