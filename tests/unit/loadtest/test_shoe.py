"""The dealing shoe of the simulator: no card is lost, and none comes twice."""

from collections import Counter
from random import Random

import pytest

from loadtest.floor.shoe import Shoe
from shared.cards import standard_deck


@pytest.mark.parametrize("decks", [1, 2, 6, 8])
def test_every_card_of_the_decks_comes_once_before_a_shuffle(decks: int, rng: Random) -> None:
    """Drawn, burned and remaining cards are the decks, however far the shoe has been dealt."""
    shoe = Shoe(decks, rng)
    drawn = [shoe.draw() for _ in range(20 * decks)]
    assert Counter(standard_deck(decks=decks)) == Counter([*drawn, *shoe.burned, *shoe.remaining])


def test_the_first_card_of_a_shoe_is_burned(rng: Random) -> None:
    """One card goes into the discard rack after every shuffle (§ 633a.7(c))."""
    shoe = Shoe(6, rng)
    assert 1 == len(shoe.burned)
    assert 6 * 52 - 1 == len(shoe.remaining)


def test_a_shoe_is_shuffled_after_the_round_in_which_the_cover_card_comes(rng: Random) -> None:
    """Between a quarter and somewhat more than a third of the cards are left behind the cover card (§ 633a.5(d))."""
    shoe = Shoe(6, rng)
    for _ in range(20):
        number, left = shoe.number, len(shoe.remaining)
        while shoe.number == number:
            left = len(shoe.remaining)
            shoe.draw()
            shoe.end_round()
        assert 0.25 * 312 <= left <= 0.36 * 312
        assert 311 == len(shoe.remaining)


def test_a_shoe_without_cards_goes_on_with_the_discards(rng: Random) -> None:
    """A round that needs more cards than are left gets them from the discard rack, none of its own (§ 633a.14(f))."""
    shoe = Shoe(1, rng)
    earlier = [shoe.draw() for _ in range(30)]
    shoe.end_round()
    burned = list(shoe.burned)
    on_table = [shoe.draw() for _ in range(30)]
    assert 2 == shoe.number
    assert 21 == len(set(on_table) - set(earlier) - set(burned))
    assert 30 == len(set(on_table))
    assert Counter(standard_deck()) == Counter([*on_table, *shoe.burned, *shoe.remaining])
