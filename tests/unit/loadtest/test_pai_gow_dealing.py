"""Seven hands from one deck with a joker: dealt around the table, and set by the house way or against a hand."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final

import pytest

from loadtest.floor.deck import Deck
from loadtest.floor.set_hands import Setting, deal, generated, shake, starting_position
from shared.cards import Card, standard_deck
from shared.rules import parse_submission
from shared.rules.set_hands.house_way import named_ways
from tests.support.set_hands import correct_lows, high_of, is_fouled, rank_high, rank_low

DECK: Final = 53


@pytest.mark.parametrize(
    ("drawn", "first", "position"), [(8, 0, 0), (14, 0, 1), (1, 0, 0), (2, 0, 6), (1, 4, 4), (3, 1, 6)]
)
def test_positions_are_counted_counterclockwise(drawn: int, first: int, position: int) -> None:
    """From the dealer, or from a bank, who is number one; after the dealer's far left comes the dealer."""
    assert position == starting_position(drawn, first=first)


def test_dice_total_three_to_eighteen(rng: Random) -> None:
    """Ten and eleven are the most frequent of their 216 ways."""
    totals = Counter(shake(rng) for _ in range(20_000))
    assert set(range(3, 19)) == set(totals)
    assert totals[10] + totals[11] == pytest.approx(20_000 * 54 / 216, rel=0.1)


def test_a_generator_shows_one_to_seven(rng: Random) -> None:
    """Each about as often."""
    numbers = Counter(generated(rng) for _ in range(7_000))
    assert set(range(1, 8)) == set(numbers)
    assert max(abs(count - 1000) for count in numbers.values()) < 200


@pytest.mark.parametrize("start", [0, 3, 6])
def test_a_shoe_gives_one_card_at_a_time(start: int) -> None:
    """Clockwise from the starting position; the dealer comes after the far right, and the far left after the dealer."""
    cards = shuffled(seed=7)
    hands = deal(deck_of_53(Random(7)), start, stacks=False)
    in_turn = [(start + step) % 7 for step in range(7)]
    assert list(cards[:49]) == [hands[position][number] for number in range(7) for position in in_turn]


@pytest.mark.parametrize("start", [0, 3, 6])
def test_an_automated_shoe_gives_stacks(start: int) -> None:
    """The first seven cards go to the starting position, the next seven to the one at its left."""
    cards = shuffled(seed=7)
    hands = deal(deck_of_53(Random(7)), start, stacks=True)
    for step in range(7):
        assert cards[step * 7 : step * 7 + 7] == hands[(start + step) % 7]


def test_every_round_has_a_shuffle_of_its_own(rng: Random) -> None:
    """Seven hands of seven, no card twice, the joker about as often as any other; shuffles are counted."""
    deck = deck_of_53(rng)
    jokers = 0
    for number in range(1, 501):
        assert number == deck.number
        cards = [card for hand in deal(deck, 0, stacks=False).values() for card in hand]
        assert (49, 49) == (len(cards), len(set(cards)))
        jokers += "Jk" in cards
    assert jokers / 500 == pytest.approx(49 / DECK, abs=0.06)


def deck_of_53(chance: Random) -> Deck[Card]:
    """Return a deck with a joker."""
    return Deck(standard_deck(jokers=1), chance)


def shuffled(seed: int) -> tuple[Card, ...]:
    """Return the order of the cards in the deck of a seed."""
    deck = deck_of_53(Random(seed))
    deck.shuffle()
    return deck.draw(DECK)


SETTING: Final = Setting.of("pa-645a-2011", parse_submission({}))


def test_the_house_way_sets_hands_correctly(rng: Random) -> None:
    """Two cards of the seven go low, and the high hand is not below them, by another ranking."""
    for cards in hands(rng, 300):
        hand = SETTING.set(cards)
        assert cards == hand.cards
        assert set(hand.low) <= set(cards)
        assert not is_fouled(cards, hand.low)


def test_an_option_ranks_ace_to_five_lowest() -> None:
    """Both the setting and the ranks follow Rhode Island's option: the joker completes deuce to six then."""
    cards: tuple[Card, ...] = ("2s", "3d", "4h", "5c", "Jk", "Kd", "Qs")
    usual = Setting.of("ri-pai-gow", parse_submission({})).set(cards)
    lowest = Setting.of("ri-pai-gow", parse_submission({"options": {"low_straights_lowest": True}})).set(cards)
    assert {"Kd", "Qs"} == set(usual.low) == set(lowest.low)
    assert lowest.high_rank < usual.high_rank


def test_a_submissions_own_house_way_is_used() -> None:
    """A way that lays the low pair away, where the customary one splits nothing."""
    cards: tuple[Card, ...] = ("4s", "4d", "3h", "3c", "Ah", "Jd", "9s")
    usual = SETTING.set(cards)
    text = named_ways()["standard"].replace("two pair, single K or higher: two highest singles\n", "")
    own = Setting.of("pa-645a-2011", parse_submission({"options": {"house_way": text}})).set(cards)
    assert {"Ah", "Jd"} == set(usual.low)
    assert {"3h", "3c"} == set(own.low)


def test_who_sees_the_dealers_hand_gets_the_best_out_of_it(rng: Random) -> None:
    """A setting that wins is found wherever there is one, else one that ties; the house way where it does as well."""
    improved = 0
    for _ in range(200):
        dealt = shuffled(rng.randrange(2**32))
        cards, dealers = dealt[:7], dealt[7:14]
        dealer = SETTING.set(dealers)
        found, usual = SETTING.set_against(cards, dealer), SETTING.set(cards)
        best = max(outcome(cards, low, dealers, dealer.low) for low in correct_lows(cards))
        assert best == outcome(cards, found.low, dealers, dealer.low)
        if outcome(cards, usual.low, dealers, dealer.low) == best:
            assert usual == found
        else:
            improved += 1
    assert improved > 0


def hands(rng: Random, count: int) -> list[tuple[Card, ...]]:
    """Hands of seven cards, each from a deck of its own."""
    return [shuffled(rng.randrange(2**32))[:7] for _ in range(count)]


def outcome(cards: Sequence[str], low: Sequence[str], dealers: Sequence[str], dealers_low: Sequence[str]) -> int:
    """1 for a win, 0 for a tie, -1 for a loss, by another ranking."""
    high_above = rank_high(high_of(cards, low)) > rank_high(high_of(dealers, dealers_low))
    return high_above + (rank_low(low) > rank_low(dealers_low)) - 1
