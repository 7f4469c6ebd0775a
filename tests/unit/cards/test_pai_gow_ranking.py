"""Pai Gow rankings against slow, obvious ones that try every card for the joker."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.cards import JOKER, Card, standard_deck
from shared.cards.ranking.pai_gow import Formed, HighHands, Wheel, card_set, cards_of, formed, low_rank, top_value
from shared.cards.ranking.standard import VALUES, Category, category_of, rank_best
from tests.support.cards import cards_named
from tests.support.nightly import AT_NIGHT, examples

DECK = standard_deck()
DECK_WITH_JOKER = standard_deck(jokers=1)
HIGH = HighHands()
HIGH_WHEEL_LOWEST = HighHands("lowest")
MATCHED = (Formed.royal_flush_and_ace_king, Formed.royal_flush_and_king_queen)
SEVEN_CARD = (Formed.seven_card_straight_flush, Formed.seven_card_straight_flush_with_joker)

Key = tuple[int, ...]


def obvious_key(values: Sequence[int], suits: Sequence[str], wheel: Wheel) -> Key:
    """Return the category of five natural cards, then what decides inside it; the values of a straight by its place."""
    groups = sorted(((count, value) for value, count in Counter(values).items()), reverse=True)
    order = tuple(value for _, value in groups)
    shape = tuple(count for count, _ in groups)
    flush = len(set(suits)) == 1
    in_sequence = sorted(values) in ([*range(low, low + 5)] for low in range(2, 11))
    low_ace = sorted(values) == [2, 3, 4, 5, 14]
    if shape[0] == 5:
        return (Category.five_of_a_kind, *order)
    if len(shape) == 5 and (in_sequence or low_ace):
        if not flush:
            place = max(values) if in_sequence else 13.5 if wheel == "second_highest" else 5
            return Category.straight, int(2 * place)
        if min(values) == 10:
            return (Category.royal_flush,)
        place = max(values) if in_sequence else 14 if wheel == "second_highest" else 5
        return Category.straight_flush, int(2 * place)
    if shape == (4, 1):
        return (Category.four_of_a_kind, *order)
    if shape == (3, 2):
        return (Category.full_house, *order)
    if flush:
        return (Category.flush, *order)
    named = {
        (3, 1, 1): Category.three_of_a_kind,
        (2, 2, 1): Category.two_pair,
        (2, 1, 1, 1): Category.pair,
        (1, 1, 1, 1, 1): Category.high_card,
    }
    return (named[shape], *order)


def obvious_high(cards: Sequence[Card], wheel: Wheel) -> Key:
    """Try the joker as an ace of no suit, and as every card that completes a straight or a flush."""
    natural = [card for card in cards if card != JOKER]
    values, suits = [VALUES[card[0]] for card in natural], [card[1] for card in natural]
    if len(natural) == len(cards):
        return obvious_key(values, suits, wheel)
    completes = {Category.straight, Category.flush, Category.straight_flush, Category.royal_flush}
    keys = [obvious_key([*values, 14], [*suits, "joker"], wheel)]
    for card in DECK:
        if card not in cards:
            key = obvious_key([*values, VALUES[card[0]]], [*suits, card[1]], wheel)
            if key[0] in completes:
                keys.append(key)
    return max(keys)


def obvious_low(cards: Sequence[Card]) -> Key:
    """Return a pair, or the higher card and the other; the joker is an ace."""
    values = sorted((14 if card == JOKER else VALUES[card[0]] for card in cards), reverse=True)
    return (1, values[0]) if values[0] == values[1] else (0, *values)


def seeded_hands(number: int, size: int, seed: int, *, joker: bool) -> list[tuple[Card, ...]]:
    """Return hands from a shuffled deck, the joker among them or not."""
    random = Random(seed)
    dealt = [random.sample(DECK, size - joker) for _ in range(number)]
    return [(*hand, JOKER) if joker else tuple(hand) for hand in dealt]


def assert_ordered_alike(ranked: list[tuple[int, Key]]) -> None:
    """Assert that ranks and obvious keys put hands in the same order, and tie the same hands."""
    by_rank: dict[int, set[Key]] = {}
    for rank, key in ranked:
        by_rank.setdefault(rank, set()).add(key)
    assert {len(keys) for keys in by_rank.values()} == {1}
    keys = [next(iter(by_rank[rank])) for rank in sorted(by_rank)]
    assert sorted(set(keys)) == keys


@AT_NIGHT
def test_every_natural_hand_but_the_wheel_ranks_as_standard() -> None:
    """All 2,598,960 five-card hands rank exactly as the standard ranking where the straights have the same place."""
    rank = HIGH_WHEEL_LOWEST.rank
    hands = zip(combinations(DECK, 5), combinations([card_set([card]) for card in DECK], 5), strict=True)
    assert all(rank_best(hand) == rank(sum(cards)) for hand, cards in hands)


def test_every_hand_with_the_joker_is_rated_at_its_best() -> None:
    """Each of 270,725 sets of four cards with the joker, by one hand of each pattern of suits and ranks."""
    by_rank = sorted(DECK, key=lambda card: VALUES[card[0]])
    rankings = (HIGH, HIGH_WHEEL_LOWEST)
    seen: dict[tuple[bool, str], tuple[tuple[Card, ...], list[int]]] = {}
    for four in combinations(by_rank, 4):
        one, other, third, fourth = four
        pattern = one[1] == other[1] == third[1] == fourth[1], one[0] + other[0] + third[0] + fourth[0]
        hand = card_set((*four, JOKER))
        found = [ranking.rank(hand) for ranking in rankings]
        assert found == seen.setdefault(pattern, ((*four, JOKER), found))[1]
    natural = seeded_hands(10_000, 5, 7, joker=False)
    for place, ranking in enumerate(rankings):
        ranked = [(found[place], obvious_high(five, ranking.wheel)) for five, found in seen.values()]
        ranked += [(ranking.rank(card_set(five)), obvious_high(five, ranking.wheel)) for five in natural]
        assert_ordered_alike(ranked)


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("As Ah Ad Ac Jk", "As Ks Qs Js Ts"),
        ("Ks Qs Js Ts Jk", "As 2s 3s 4s 5s"),
        ("As 2s 3s 4s Jk", "Ks Qs Js Ts 9s"),
        ("2s 3s 4s 5s Jk", "Ks Qs Js Ts 9s"),
        ("3h 4h 5h 6h 7h", "2h 3h 4h 5h 6h"),
        ("Kd Qc Js Th Ad", "Ad 2c 3s 4h 5d"),
        ("2c 3s 4h 5d Jk", "Kd Qc Js Th 9d"),
        ("Ah Jk 9h 5h 3h", "As Qs Js 8s 2s"),
        ("2s 2h 2d 3c 4c", "Ks Kh Jk 5c 4c"),
        ("As Ah Jk Kd Kc", "Ks Kh Kd Qc Qd"),
        ("Ks Kh Qd Qc Jk", "Ks Kh Qd Qc Js"),
    ],
)
def test_named_hands_rank_in_the_order_of_the_text(higher: str, lower: str) -> None:
    """Five aces, royal flush, the highest straight flush and so on down to two pair with the joker as an ace."""
    assert HIGH.rank(card_set(cards_named(higher))) > HIGH.rank(card_set(cards_named(lower)))


def test_the_lowest_wheel_makes_the_joker_a_six() -> None:
    """Where A-2-3-4-5 is the lowest straight, 2-3-4-5 and the joker are a straight to the six, and a copy of one."""
    joker, natural = card_set(["2d", "3d", "4d", "5d", "Jk"]), card_set(["2h", "3h", "4h", "5h", "6h"])
    assert HIGH_WHEEL_LOWEST.rank(natural) == HIGH_WHEEL_LOWEST.rank(joker)
    assert HIGH.rank(natural) < HIGH.rank(joker)


def test_every_low_hand_ranks_by_pair_and_cards() -> None:
    """All 1,378 two-card hands, those with the joker as an ace."""
    assert_ordered_alike([(low_rank(card_set(two)), obvious_low(two)) for two in combinations(DECK_WITH_JOKER, 2)])


@pytest.mark.parametrize(
    ("high", "low", "correct"),
    [
        ("7s 7h 9d 5c 4c", "7d 7c", True),
        ("Ad Qs 9h 7c 5c", "As Kd", False),
        ("Ad Ks 9h 7c 5c", "As Kd", True),
        ("Kd Qs 9h 7c 5c", "3s 3d", False),
        ("3h 3c Kd Qs 9h", "3s 3d", True),
        ("Ah Ks Qd Js 9h", "Jk Kd", True),
        ("Ah Qs Jd Ts 8h", "Jk Ac", False),
    ],
)
def test_a_low_hand_compares_with_a_high_hand(high: str, low: str, correct: bool) -> None:
    """A pair with a pair, then the three other cards make the high hand higher; without a pair card by card."""
    assert correct == (HIGH.rank(card_set(cards_named(high))) >= low_rank(card_set(cards_named(low))))


@cache
def obvious_five_card_forms(five: tuple[Card, ...], *, wild: bool) -> Formed:
    """Return what exactly these five cards make, by trying every card for the joker."""
    natural = [card for card in five if card != JOKER]
    values, suits = [VALUES[card[0]] for card in natural], [card[1] for card in natural]
    flags = Formed(0)
    if len(natural) == 5:
        keys = [obvious_key(values, suits, "second_highest")]
    else:
        as_ace = obvious_key([*values, 14], [*suits, "joker"], "second_highest")
        completed = [
            obvious_key([*values, VALUES[card[0]]], [*suits, card[1]], "second_highest")
            for card in DECK
            if card not in five
        ]
        in_sequence_or_suit = {Category.straight, Category.flush, Category.straight_flush, Category.royal_flush}
        keys = [as_ace, *(key for key in completed if wild or key[0] in in_sequence_or_suit)]
        if wild:
            keys.extend(obvious_key([*values, value], [*suits, "joker"], "second_highest") for value in values)
        if as_ace[0] == Category.five_of_a_kind:
            flags |= Formed.five_aces
    for key in keys:
        flags |= Formed[Category(key[0]).name] if key[0] != Category.high_card else Formed(0)
        if key[0] == Category.royal_flush and len(natural) == 5:
            flags |= Formed.natural_royal_flush
    return flags


IMPLIED = {
    Formed.royal_flush: Formed.straight_flush,
    Formed.straight_flush: Formed.straight | Formed.flush,
    Formed.five_of_a_kind: Formed.four_of_a_kind,
    Formed.four_of_a_kind: Formed.three_of_a_kind,
    Formed.full_house: Formed.three_of_a_kind | Formed.two_pair,
    Formed.three_of_a_kind: Formed.pair,
    Formed.two_pair: Formed.pair,
}


def obvious_forms(seven: Sequence[Card], *, wild: bool) -> Formed:
    """Return what seven cards can form: every five of them, and the hands of seven."""
    flags = Formed(0)
    for five in combinations(seven, 5):
        made = obvious_five_card_forms(five, wild=wild)
        flags |= made
        rest = [card for card in seven if card not in five]
        if made & Formed.royal_flush and JOKER not in rest and rest[0][1] == rest[1][1]:
            match = {card[0] for card in rest}
            flags |= Formed.royal_flush_and_ace_king if match == {"A", "K"} else Formed(0)
            flags |= Formed.royal_flush_and_king_queen if match == {"K", "Q"} else Formed(0)
    for formed_hand, contained in IMPLIED.items():
        if flags & formed_hand:
            flags |= contained
    for joker_as in DECK if JOKER in seven else [None]:
        cards = [joker_as if card == JOKER else card for card in seven]
        present = {VALUES[card[0]] for card in cards if card is not None}
        values = present | ({1} if 14 in present else set())
        one_suit = len({card[1] for card in cards if card is not None}) == 1
        if one_suit and len(present) == 7 and any(set(range(low, low + 7)) <= values for low in range(1, 9)):
            flags |= Formed.seven_card_straight_flush_with_joker if joker_as else Formed.seven_card_straight_flush
    ranks = [card[0] for card in seven if card != JOKER]
    for joker_rank in ranks if wild else ["A"]:
        held = Counter([*ranks, joker_rank] if JOKER in seven else ranks)
        if sum(count >= 2 for count in held.values()) >= 3:
            flags |= Formed.three_pair
    return flags


def structured_sevens() -> list[tuple[Card, ...]]:
    """Return hands that random deals hardly ever hold: long suits, all aces, royal flushes with matches."""
    hands: list[tuple[Card, ...]] = []
    suit = [card for card in DECK if card[1] == "d"]
    for held in [suit[low : low + 8] for low in range(6)] + [[suit[0], *suit[6:]]]:
        hands.extend(
            (*six, extra) for six in [*combinations(held, 6)][::3] for extra in (*cards_named("Jk As"), held[0])
        )
    royal = cards_named("As Ks Qs Js Ts Jk")
    others = cards_named("Ah Kh Qh Kd Qc Ac 9s 8s Jk")
    hands.extend((*five, *two) for five in combinations(royal, 5) for two in combinations(others, 2))
    equal = cards_named("As Ah Ad Ac Ks Kh Kd Qs Qh 2c Jk")
    hands.extend(combinations(equal, 7))
    return [hand for hand in hands if len(set(hand)) == 7]


@pytest.mark.parametrize("wild", [False, True])
def test_what_seven_cards_form_by_trying_everything(wild: bool) -> None:
    """Structured and seeded hands form exactly what trying every five cards and every joker finds."""
    hands = structured_sevens() + seeded_hands(200, 7, 11, joker=False) + seeded_hands(100, 7, 12, joker=True)
    assert len(hands) > 700
    for hand in hands:
        found = Formed(formed(card_set(hand), wild_joker=wild))
        assert obvious_forms(hand, wild=wild) == found, hand


@settings(max_examples=examples(100))
@given(st.permutations(DECK_WITH_JOKER).map(lambda deck: tuple(deck[:7])), st.booleans())
def test_any_seven_cards_form_what_trying_everything_finds(hand: tuple[Card, ...], wild: bool) -> None:
    """Any seven cards of the deck, with either kind of joker."""
    assert obvious_forms(hand, wild=wild) == Formed(formed(card_set(hand), wild_joker=wild))


@settings(max_examples=examples(200))
@given(st.permutations(DECK_WITH_JOKER).map(lambda deck: tuple(deck[:7])))
def test_a_set_of_cards_holds_each_of_them(hand: tuple[Card, ...]) -> None:
    """A set gives its cards back, takes the low hand away, and knows its highest card."""
    seven, low = card_set(hand), card_set(hand[:2])
    assert set(hand) == set(cards_of(seven))
    assert set(hand[2:]) == set(cards_of(seven ^ low))
    assert max(14 if card == JOKER else VALUES[card[0]] for card in hand) == top_value(seven)


def test_categories_are_read_as_of_standard_ranks() -> None:
    """A rank tells its category whether it is that of a high hand or of a low hand."""
    assert category_of(HIGH.rank(card_set(["As", "Ah", "Ad", "Ac", "Jk"]))) is Category.five_of_a_kind
    assert category_of(low_rank(card_set(["As", "Jk"]))) is Category.pair
