"""Cards are names: rank then suit."""

from typing import get_args

import pytest

from shared.cards import RANKS, SUITS, Card, StandardCard, standard_deck


def test_a_standard_deck_holds_every_rank_of_every_suit_once() -> None:
    """52 cards, each combination of rank and suit once, none of them the joker."""
    deck = standard_deck()
    assert {r + s for r in RANKS for s in SUITS} == set(deck)
    assert len(deck) == 52


def test_several_decks_and_jokers() -> None:
    """Six decks hold each card six times; jokers come on top."""
    deck = standard_deck(decks=6, jokers=1)
    assert deck.count("Qh") == 6
    assert deck.count("Jk") == 1
    assert len(deck) == 313


def test_there_are_53_card_names() -> None:
    """A record can name the 52 standard cards and the joker."""
    assert set(get_args(Card)) - set(get_args(StandardCard)) == {"Jk"}
    assert len(get_args(Card)) == 53


@pytest.mark.parametrize(("decks", "jokers"), [(0, 0), (1, -1)])
def test_a_deck_cannot_be_less_than_a_deck(decks: int, jokers: int) -> None:
    """No decks and negative jokers are refused with the number."""
    with pytest.raises(ValueError, match=f"not {min(decks, jokers)}"):
        standard_deck(decks=decks, jokers=jokers)
