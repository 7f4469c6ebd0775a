"""What is true of the rank of any cards: five of them, the best, whatever their order and their suits' names."""

from itertools import permutations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from shared.cards import SUITS, Card, standard_deck
from shared.cards.ranking import best_five, category_of, rank_best, rank_five
from shared.cards.ranking.standard import pack, values_of
from tests.support.obvious_ranking import best_standing

DECK = standard_deck()
# Cards from a short deck collide in ranks and suits more often.
SHORT = [card for card in DECK if card[0] in "AK5432" and card[1] in "sh"]


def cards(*, fewest: int = 5, most: int = 7) -> st.SearchStrategy[list[Card]]:
    """Return different cards of one deck in any order."""
    return st.one_of(
        *(st.lists(st.sampled_from(d), min_size=fewest, max_size=most, unique=True) for d in (DECK, SHORT))
    )


@given(cards(), cards())
def test_the_order_of_two_hands_is_that_of_every_five_tried(one: list[Card], other: list[Card]) -> None:
    """Higher, lower or a tie: the ranks compare as the best standings do."""
    ranks, standings = (rank_best(one), rank_best(other)), (best_standing(one), best_standing(other))
    assert (standings[0] > standings[1], standings[0] == standings[1]) == (ranks[0] > ranks[1], ranks[0] == ranks[1])


@given(cards())
def test_the_best_five_are_five_of_the_cards_with_the_rank_of_all(hand: list[Card]) -> None:
    """The five that play come from the hand, in its order, and rank as the hand does."""
    five = best_five(hand)
    assert [card for card in hand if card in five] == list(five)
    assert rank_best(hand) == rank_five(five)


@given(cards(), st.randoms(use_true_random=False), st.sampled_from(list(permutations(SUITS))))
def test_neither_the_order_of_the_cards_nor_the_names_of_suits_matter(
    hand: list[Card], chance: Random, suits: tuple[str, ...]
) -> None:
    """Shuffled and with its suits renamed, a hand keeps its rank."""
    renamed = dict(zip(SUITS, suits, strict=True))
    by_name = {str(card): card for card in DECK}
    other = [by_name[card[0] + renamed[card[1]]] for card in hand]
    chance.shuffle(other)
    assert rank_best(hand) == rank_best(other)


@given(cards(fewest=6))
def test_one_more_card_never_makes_a_hand_worse(hand: list[Card]) -> None:
    """A hand that may leave a card out is at least as good as without that card."""
    assert rank_best(hand) >= rank_best(hand[:-1])


@given(cards())
def test_a_rank_is_its_category_and_its_values(hand: list[Card]) -> None:
    """What is read from a rank makes the rank."""
    rank = rank_best(hand)
    assert rank == pack(category_of(rank), values_of(rank))
