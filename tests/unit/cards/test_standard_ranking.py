"""The standard ranking is right for every hand: all 2,598,960 of five cards, and all of seven by their patterns."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, combinations, combinations_with_replacement, product
from math import comb, prod
from operator import itemgetter

import pytest
from phevaluator import evaluate_cards

from shared.cards import RANKS, SUITS, Card, standard_deck
from shared.cards.ranking import Category, best_five, category_of, rank_best, rank_five
from shared.cards.ranking.standard import pack, values_of
from tests.support.cards import card_named
from tests.support.nightly import AT_NIGHT
from tests.support.obvious_ranking import best_standing, standing

Pattern = tuple[str, bool]
"""The ranks of five cards, the highest first, and whether they are of one suit: all that decides their rank."""

FIVE_CARD_FREQUENCIES = {
    "royal_flush": 4,
    "straight_flush": 36,
    "four_of_a_kind": 624,
    "full_house": 3744,
    "flush": 5108,
    "straight": 10200,
    "three_of_a_kind": 54912,
    "two_pair": 123552,
    "pair": 1098240,
    "high_card": 1302540,
}
SEVEN_CARD_FREQUENCIES = {
    "royal_flush": 4324,
    "straight_flush": 37260,
    "four_of_a_kind": 224848,
    "full_house": 3473184,
    "flush": 4047644,
    "straight": 6180020,
    "three_of_a_kind": 6461620,
    "two_pair": 31433400,
    "pair": 58627800,
    "high_card": 23294460,
}


@pytest.fixture(scope="module")
def hands() -> list[list[Card]]:
    """Return one hand of every pattern, of which `test_only_ranks_and_one_suit_decide` shows that it stands for all."""
    one_suit = [[card_named(rank + "s") for rank in ranks] for ranks in combinations(RANKS, 5)]
    several = combinations_with_replacement(RANKS, 5)
    return one_suit + [no_flush(ranks) for ranks in several if len(set(ranks)) > 1]


@pytest.fixture(scope="module")
def every_hand() -> dict[Pattern, tuple[Sequence[Card], Counter[int]]]:
    """Return every five-card hand ranked: by pattern, one hand of it and how often each rank was found."""
    of_suit = itemgetter(1)
    found: dict[Pattern, tuple[Sequence[Card], Counter[int]]] = {}
    for ranks in combinations_with_replacement(RANKS, 5):
        cards = [[card_named(rank + suit) for suit in SUITS] for rank in dict.fromkeys(ranks)]
        choices = (combinations(four, ranks.count(four[0][0])) for four in cards)
        for chosen in product(*choices):
            hand = tuple(chain.from_iterable(chosen))
            pattern = "".join(ranks), len(cards) == 5 and len(set(map(of_suit, hand))) == 1
            if pattern not in found:
                found[pattern] = hand, Counter()
            found[pattern][1][rank_best(hand)] += 1
    return found


@AT_NIGHT
def test_only_ranks_and_one_suit_decide(every_hand: dict[Pattern, tuple[Sequence[Card], Counter[int]]]) -> None:
    """All hands of a pattern have the same rank, and every pattern has a rank of its own: 7,462 of them."""
    assert all(len(counts) == 1 for _, counts in every_hand.values())
    assert len(every_hand) == 7462
    assert len({rank for _, counts in every_hand.values() for rank in counts}) == 7462


@AT_NIGHT
def test_categories_are_as_frequent_as_published(
    every_hand: dict[Pattern, tuple[Sequence[Card], Counter[int]]],
) -> None:
    """The 2,598,960 hands fall into the ten categories in the published numbers."""
    counted: Counter[str] = Counter()
    for _, counts in every_hand.values():
        for rank, count in counts.items():
            counted[category_of(rank).name] += count
    assert counted == FIVE_CARD_FREQUENCIES
    assert counted.total() == 2_598_960


def test_hands_are_ordered_as_the_obvious_way_orders_them(hands: list[list[Card]]) -> None:
    """Sorted by rank or by the obvious standing, the hands stand in one and the same order."""
    assert 7462 == len(hands) == len(set(map(rank_five, hands)))
    assert sorted(hands, key=rank_five) == sorted(hands, key=standing)


def test_hands_are_ordered_as_a_published_evaluator_orders_them(hands: list[list[Card]]) -> None:
    """PH Evaluator numbers the 7,462 hands from 1 for a royal flush; the ranks count the same hands the other way."""
    assert [evaluate_cards(*hand) for hand in sorted(hands, key=rank_five, reverse=True)] == list(range(1, 7463))


def no_flush(ranks: Sequence[str]) -> list[Card]:
    """Return cards of these ranks, of which at most two are of one suit."""
    return [card_named(rank + SUITS[place % 4]) for place, rank in enumerate(sorted(ranks))]


def test_seven_cards_without_a_flush_are_ranked_by_their_best_five() -> None:
    """All 49,205 multisets of seven ranks stand where the best of their 21 fives stands."""
    known: dict[tuple[str, ...], int] = {
        ranks: rank_five(no_flush(ranks))
        for ranks in combinations_with_replacement(sorted(RANKS), 5)
        if ranks[0] != ranks[4]
    }
    seen = 0
    for ranks in combinations_with_replacement(sorted(RANKS), 7):
        if max(Counter(ranks).values()) > 4:
            continue
        seen += 1
        assert max(known[five] for five in combinations(ranks, 5)) == rank_best(no_flush(ranks))
    assert seen == 49_205


@AT_NIGHT
def test_seven_card_categories_are_as_frequent_as_published() -> None:
    """All 133,784,560 hands of seven cards, counted by patterns, fall into the published numbers."""
    counted: Counter[str] = Counter()
    flushes: defaultdict[tuple[str, ...], int] = defaultdict(int)
    for size in (5, 6, 7):
        for suited in combinations(sorted(RANKS), size):
            # Beside the cards of the suit, the others come from the three other suits.
            for others in combinations_with_replacement(sorted(RANKS), 7 - size):
                ways = 4 * prod(comb(3, count) for count in Counter(others).values())
                flushes[tuple(sorted(suited + others))] += ways
                cards = [*(card_named(rank + "s") for rank in suited), *no_flush_beside_spades(others)]
                counted[category_of(rank_best(cards)).name] += ways
    for ranks in combinations_with_replacement(sorted(RANKS), 7):
        ways = prod(comb(4, count) for count in Counter(ranks).values())
        if ways:
            counted[category_of(rank_best(no_flush(ranks))).name] += ways - flushes[ranks]
    assert counted == SEVEN_CARD_FREQUENCIES
    assert counted.total() == comb(52, 7)


def no_flush_beside_spades(ranks: Sequence[str]) -> list[Card]:
    """Return up to two cards of these ranks that are no spades."""
    return [card_named(rank + suit) for rank, suit in zip(ranks, "hd", strict=False)]


@pytest.mark.parametrize(
    ("cards", "category", "values"),
    [
        ("As Ks Qs Js Ts", Category.royal_flush, (14,)),
        ("Ks Qs Js Ts 9s", Category.straight_flush, (13,)),
        ("As 2s 3s 4s 5s", Category.straight_flush, (5,)),
        ("7s 7h 7d 7c Kd", Category.four_of_a_kind, (7, 13)),
        ("9s 9d 9h 4c 4h", Category.full_house, (9, 4)),
        ("2h 9h 7h Kh 4h", Category.flush, (13, 9, 7, 4, 2)),
        ("Ah 2s 3d 4c 5s", Category.straight, (5,)),
        ("Ah Ks Qd Jc Ts", Category.straight, (14,)),
        ("Qh Ks Ad 2c 3s", Category.high_card, (14, 13, 12, 3, 2)),
        ("3s 3d Ah 3c 2s", Category.three_of_a_kind, (3, 14, 2)),
        ("3s 3d Ah Ac 2s", Category.two_pair, (14, 3, 2)),
        ("9s 9d Ah Kc 2s", Category.pair, (9, 14, 13, 2)),
    ],
)
def test_a_rank_tells_its_category_and_what_decides_inside_it(
    cards: str, category: Category, values: tuple[int, ...]
) -> None:
    """The category, then the values in the order in which they decide, can be read from a rank and written into one."""
    rank = rank_five([card for card in standard_deck() if card in cards.split()])
    assert (category, values) == (category_of(rank), values_of(rank))
    assert rank == pack(category, values)


def test_the_best_five_are_found_among_seven() -> None:
    """Two pair with the best kicker; the third pair does not play."""
    assert best_five(["2c", "Ah", "Kd", "As", "Kc", "9h", "9d"]) == ("Ah", "Kd", "As", "Kc", "9h")


def test_five_of_a_kind_is_above_everything() -> None:
    """With a wild card five of a kind exists, and beats a royal flush."""
    assert pack(Category.five_of_a_kind, (2,)) > rank_five(["As", "Ks", "Qs", "Js", "Ts"])


@pytest.mark.parametrize("cards", [["As"] * 4, ["As", "Ks", "Qs", "Js", "Ts", "9s"]])
def test_five_cards_are_five_cards(cards: list[Card]) -> None:
    """Another number than five is refused with the number."""
    with pytest.raises(ValueError, match=f"not {len(cards)}"):
        rank_five(cards)


@pytest.mark.parametrize("number", [4, 8])
def test_the_best_hand_needs_five_to_seven_cards(number: int) -> None:
    """Fewer than five and more than seven cards are refused with the number."""
    with pytest.raises(ValueError, match=f"not {number}"):
        rank_best(standard_deck()[:number])


def test_a_joker_has_no_standard_rank() -> None:
    """A joker is refused by its name: what it stands for is another ranking's business."""
    with pytest.raises(ValueError, match="'Jk' is not a card of a standard deck"):
        rank_five(["As", "Ks", "Qs", "Js", "Jk"])


def test_the_obvious_way_tries_every_five() -> None:
    """The second opinion sees the flush that the first five cards hide."""
    assert best_standing(["2c", "Ah", "Kh", "Qh", "Kc", "9h", "2h"])[0] == Category.flush
