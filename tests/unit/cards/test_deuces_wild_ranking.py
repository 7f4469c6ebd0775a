"""Hands with wild deuces and a joker are ranked as if every card had been tried in place of every wild card."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.cards import JOKER, Card, standard_deck
from shared.cards.ranking.deuces_wild import (
    WILD_CARDS,
    WildCategory,
    rank_with_wilds,
    rank_without_fives,
    wild_category_of,
)
from tests.support.cards import card_named, cards_named
from tests.support.nightly import AT_NIGHT, examples
from tests.support.obvious_ranking import CATEGORIES, Standing, standing

DECK = standard_deck(jokers=1)
NATURALS = [card for card in DECK if card not in WILD_CARDS]
RANKS = "3456789TJQKA"
ORDER = [category.name for category in WildCategory]

FREQUENCIES = {
    "five_wilds": 1,
    "royal_flush": 1004,
    "five_of_a_kind": 1400,
    "straight_flush": 3648,
    "four_of_a_kind": 51688,
    "full_house": 15048,
    "flush": 18956,
    "straight": 84000,
    "three_of_a_kind": 458040,
    "two_pair": 95040,
    "pair": 1341180,
    "high_card": 799680,
}
"""How many of all C(53, 5) hands each category has: counted by classes and by walking through all hands alike."""


def plain_standing(cards: Sequence[str], *, fives: bool) -> Standing | None:
    """Return where five cards stand that are what they show, some perhaps twice; None for what is no hand of poker."""
    ranks = Counter(card[0] for card in cards)
    if len(ranks) == 1:
        return (ORDER.index("five_of_a_kind"), standing(cards)[1]) if fives else None
    one_suit = len({card[1] for card in cards}) == 1
    if one_suit and len(ranks) < 5:
        return None  # two equal cards in a flush: a wild card is a card that the hand lacks
    category, decide = standing(cards)
    return ORDER.index(CATEGORIES[category]), decide


def obvious_standing(cards: Sequence[str], stand_ins: Sequence[str], *, fives: bool = True) -> Standing:
    """Return the best standing with every wild card replaced by each of the cards that stand in for it."""
    naturals = [card for card in cards if card not in WILD_CARDS]
    wilds = len(cards) - len(naturals)
    if wilds == 5:
        return (ORDER.index("five_wilds" if fives else "royal_flush"), [] if fives else [12, 11, 10, 9, 8])
    found = (
        plain_standing([*naturals, *chosen], fives=fives) for chosen in combinations_with_replacement(stand_ins, wilds)
    )
    return max(place for place in found if place is not None)


def quick_standing(cards: Sequence[str], *, fives: bool = True) -> Standing:
    """Return the best standing with stand-ins that are enough: all of the suit of a natural card, or of no flush."""
    suits = {card[1] for card in cards if card not in WILD_CARDS} or {"s"}
    tried = "s" if len(suits) > 1 else [min(suits), "h" if "s" in suits else "s"]
    return max(obvious_standing(cards, [rank + suit for rank in "2" + RANKS], fives=fives) for suit in tried)


def hands_by_kind() -> Iterator[tuple[tuple[Card, ...], int]]:
    """Yield one hand for every choice of natural ranks, of one suit or not, with the number of hands like it."""
    wilds: list[Card] = [*(card for card in DECK if card[0] == "2"), JOKER]
    for number in range(6):
        for ranks in combinations_with_replacement(RANKS, 5 - number):
            counts = Counter(ranks)
            ways = prod(comb(4, count) for count in counts.values())
            together = 4 if len(counts) == len(ranks) > 1 else 0
            some = [card_named(rank + "shdc"[place % 4]) for place, rank in enumerate(ranks)]
            if ways > together:
                yield (*some, *wilds[:number]), (ways - together) * comb(5, number)
            if together:
                yield (*(card_named(rank + "s") for rank in ranks), *wilds[:number]), together * comb(5, number)


@pytest.fixture(scope="module")
def every_kind() -> list[tuple[tuple[Card, ...], int, Standing]]:
    """Return all kinds of hands with their numbers and where the obvious way sees them."""
    return [(cards, ways, quick_standing(cards)) for cards, ways in hands_by_kind()]


def test_every_kind_of_hand_is_ranked_as_all_substitutions_say(
    every_kind: list[tuple[tuple[Card, ...], int, Standing]],
) -> None:
    """Each of 7,749 kinds has the category of its best substitution, and ranks order as the substitutions do."""
    assert 7749 == len(every_kind)
    by_rank: dict[int, Standing] = {}
    for cards, _, place in every_kind:
        rank = rank_with_wilds(cards)
        assert ORDER[place[0]] == wild_category_of(rank).name, cards
        assert place == by_rank.setdefault(rank, place), cards
    assert sorted(by_rank) == [rank for rank, _ in sorted(by_rank.items(), key=lambda entry: entry[1])]
    assert len(set(map(str, by_rank.values()))) == len(by_rank)


def test_the_kinds_add_up_to_the_known_frequencies(
    every_kind: list[tuple[tuple[Card, ...], int, Standing]],
) -> None:
    """Counted by the obvious way over all 2,869,685 hands, the categories are as often as recorded."""
    found: Counter[str] = Counter()
    for _, ways, place in every_kind:
        found[ORDER[place[0]]] += ways
    assert FREQUENCIES == found
    assert comb(53, 5) == found.total()


@AT_NIGHT
def test_every_single_hand_is_counted() -> None:
    """Walking through all 2,869,685 hands of five cards gives the same frequencies."""
    found = Counter(rank >> 20 for rank in map(rank_with_wilds, combinations(DECK, 5)))
    assert FREQUENCIES == {WildCategory(category).name: count for category, count in found.items()}


def hands(*, wilds: int) -> st.SearchStrategy[list[Card]]:
    """Return five cards with so many wild ones."""
    return st.tuples(
        st.lists(st.sampled_from(NATURALS), min_size=5 - wilds, max_size=5 - wilds, unique=True),
        st.lists(st.sampled_from(sorted(WILD_CARDS)), min_size=wilds, max_size=wilds, unique=True),
    ).flatmap(lambda parts: st.permutations(parts[0] + parts[1]))


@AT_NIGHT
@settings(max_examples=examples(75))
@given(st.integers(0, 2).flatmap(lambda wilds: st.tuples(hands(wilds=wilds), hands(wilds=2 - wilds))))
def test_two_hands_compare_as_with_every_card_of_the_deck_tried(pair: tuple[list[Card], list[Card]]) -> None:
    """With each of the 52 cards in place of each wild card, the better of two hands is the same."""
    one, other = pair
    ranks = rank_with_wilds(one), rank_with_wilds(other)
    places = obvious_standing(one, standard_deck()), obvious_standing(other, standard_deck())
    assert (ranks[0] > ranks[1], ranks[0] == ranks[1]) == (places[0] > places[1], places[0] == places[1])


@settings(max_examples=examples(100))
@given(st.integers(0, 3).flatmap(lambda wilds: hands(wilds=wilds)))
def test_a_list_without_five_of_a_kind_takes_the_next_best_hand(cards: list[Card]) -> None:
    """The hand is the best of the substitutions that leave out five of a kind."""
    category, _ = quick_standing(cards, fives=False)
    assert ORDER[category] == wild_category_of(rank_without_fives(cards)).name


@pytest.mark.parametrize(
    ("cards", "category"),
    [
        ("2c 2d 2h 2s Jk", "royal_flush"),
        ("2c 2d 2h 2s 9h", "straight_flush"),
        ("2c 2d 2h 2s Th", "royal_flush"),
        ("2c 2d 2h Kc Kd", "four_of_a_kind"),
        ("2c Kc Kd Kh Ks", "four_of_a_kind"),
    ],
)
def test_five_of_a_kind_falls_back(cards: str, category: str) -> None:
    """Where the list has neither five wilds nor five of a kind, such a hand is the next best that it makes."""
    assert category == wild_category_of(rank_without_fives(cards_named(cards))).name


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("2c 2d 2h 2s Jk", "As Ks Qs Js Ts"),
        ("As Ks Qs Js 2h", "Ac Ad Ah As 2c"),
        ("3c 3d 3h 3s 2c", "Ks Qs Js Ts 9s"),
        ("Ks Kh 2c 2d Jk", "Qc Qd Qh Qs 2s"),
        ("3c 4d 5h 6s 2d", "2c 3d 4h 5s Ah"),
        ("2c 2d Jk 9h 5s", "8c 8d 8h 8s Ac"),
        ("Kh Th 8h 6h 2c", "Js Ts 8s 3s 2h"),
        ("Ac Kd Qh Ts 3c", "Ad Kc Qs 9h 8c"),
    ],
)
def test_the_higher_hand_has_the_higher_rank(better: str, worse: str) -> None:
    """Five wilds, royal flush, five of a kind, straight flush; then the ranks of the cards."""
    assert rank_with_wilds(cards_named(better)) > rank_with_wilds(cards_named(worse))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ad Ks 9h 7c Jk", "As Ac Kc 9d 7h"),
        ("4c 5d 7h 8d 2h", "4h 5s 6d 7c 8s"),
        ("Ah Kh Qh Jh 2c", "Ac Kc Qc Jc Jk"),
        ("Ah Qh Jh 9h 2c", "Ad Kd Qd Jd 9d"),
        ("Qc Qd 9h 9s 2h", "Qh Qs Jk 9c 9d"),
    ],
)
def test_a_natural_hand_and_the_same_with_a_wild_card_tie(one: str, other: str) -> None:
    """Nothing puts the natural hand above; in a flush a wild card is the highest card that the hand lacks."""
    assert rank_with_wilds(cards_named(one)) == rank_with_wilds(cards_named(other))


@pytest.mark.parametrize("number", [0, 4, 6])
def test_another_number_of_cards_is_refused(number: int) -> None:
    """Only five cards are a hand."""
    with pytest.raises(ValueError, match=f"5 cards, not {number}"):
        rank_with_wilds(DECK[:number])
