"""Hold 'Em, DJ Wild and Over/Under on the floor: the order of the cards, the decisions, and all that may happen."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, cast

import pytest

from loadtest.floor.deck import Deck
from loadtest.floor.dj_wild import DJ_WILD, RAISES_WITH_AN_ACE, is_raised
from loadtest.floor.game import Dealing, FloorGame
from loadtest.floor.holdem import FOLDS, HOLDEM, is_folded, is_wagered_on
from loadtest.floor.over_under import OVER_UNDER, SURRENDERS, decide
from loadtest.floor.players import Player
from shared.cards import Card, StandardCard, standard_deck
from shared.rules import compile_rules, parse_submission
from shared.rules.dj_wild import DjWildRound
from shared.rules.holdem import HoldemRound
from shared.rules.over_under.record import OverUnderRound
from tests.support.cards import cards_named, standard_cards_named


class Unshuffled(Random):
    """Chance that leaves cards as they lie."""

    def shuffle(self, x: Any) -> None:
        """Does nothing."""


def table(game: FloorGame, chance: Random) -> Dealing:
    """Return a table of the first offer of a game."""
    return game.open_table(parse_submission(next(iter(game.offers.values()))), chance)


def players(count: int, *habits: str, **side_bets: int) -> list[Player]:
    """Players on the first seats, with the same wagers and habits."""
    return [
        Player(f"p{seat}", f"a{seat}", seat, wager=1000, side_bets=side_bets, habits=frozenset(habits))
        for seat in range(1, count + 1)
    ]


def test_a_deck_holds_each_card_once_a_round() -> None:
    """Drawn cards do not come again before the next shuffle; there are no more than the deck has."""
    deck: Deck[Card] = Deck(standard_deck(jokers=1), Random(1))
    for number in (1, 2):
        assert number == deck.number
        deck.shuffle()
        assert set(standard_deck(jokers=1)) == {*deck.draw(50), *deck.draw(3)}
        with pytest.raises(AssertionError, match="1 cards wanted, 0 left"):
            deck.draw(1)
        deck.collect()


def test_holdem_is_dealt_one_card_at_a_time_with_a_card_burned_before_each_street() -> None:
    """Around the table and to the dealer, twice; then burn and Flop, burn and Turn card, burn and River card."""
    record = table(HOLDEM, Unshuffled(1)).play(players(2), {})
    assert isinstance(record, HoldemRound)
    deck = standard_deck()
    assert [(deck[0], deck[3]), (deck[1], deck[4])] == [seat.cards for seat in record.seats]
    assert record.dealer is not None
    assert (deck[2], deck[5]) == record.dealer.cards
    assert (*deck[7:10], deck[11], deck[13]) == record.community


@pytest.mark.parametrize(
    ("hand", "expected"),
    [("2s 3d", True), ("7d 2c", True), ("2s 8d", False), ("2s 7s", False), ("2s 2d", False), ("3s 4d", False)],
)
def test_a_deuce_with_an_unsuited_low_card_is_folded(hand: str, expected: bool) -> None:
    """Everything else sees the Flop."""
    assert expected == is_folded(standard_cards_named(hand))


@pytest.mark.parametrize(
    ("hand", "community", "expected"),
    [
        ("As 7d", "Ad 9s 2c", True),
        ("As 7d", "9d 9s 2c", False),
        ("As 7d", "9d 9s 2c 2d", False),
        ("As 9h", "9d 9s 2c 2d", True),
        ("6s 6d", "9d 9s 2c", True),
        ("As 7d", "Kd 9s 2c", False),
        ("As 7s", "Ks 9s 2s", True),
        ("8s 7d", "6d 5s 4c Kd", True),
        ("As Kd", "9d 9s 9c", False),
        ("As Kd", "9d 9s 9c 9h", False),
    ],
)
def test_a_player_wagers_on_what_the_community_cards_are_not(hand: str, community: str, expected: bool) -> None:
    """A pair or better counts where the hand has a part in it."""
    assert expected == is_wagered_on(standard_cards_named(hand), standard_cards_named(community))


def test_a_round_of_holdem_that_everyone_folds_ends_with_the_flop() -> None:
    """Three community cards lie on the layout, and no wager follows the Ante Wager; the round settles."""
    game = table(HOLDEM, Random(2))
    rules = compile_rules(HOLDEM.regulation, parse_submission(next(iter(HOLDEM.offers.values()))))
    meters = {"progressive_payout": 1_000_000, "five_card_hand_bonus": 1_000_000}
    ended = 0
    for _ in range(400):
        record = game.play(players(1, FOLDS), meters)
        assert isinstance(record, HoldemRound)
        (seat,) = record.seats
        assert (3 if seat.folded else 5) == len(record.community)
        assert seat.folded == ("flop" not in seat.wagers)
        rules.settle(record)
        ended += seat.folded
    assert ended > 0


def test_holdem_selects_magic_cards_and_lucky_positions_now_and_then() -> None:
    """Both are selected in some rounds, all seven positions among them, and not in others."""
    game = table(HOLDEM, Random(3))
    records = [cast("HoldemRound", game.play(players(1), {})) for _ in range(400)]
    assert {1, 2, 3, 4, 5, 6, "dealer", None} == {record.lucky_position for record in records}
    magic = Counter(record.magic_card is not None for record in records)
    assert 0 < magic[True] < magic[False]


def test_dj_wild_is_dealt_in_stacks_of_five() -> None:
    """From the dealer's left, then the dealer, then the card that may replace the joker, if somebody wagered for it."""
    deck = standard_deck(jokers=1)
    record = table(DJ_WILD, Unshuffled(1)).play(players(2, progressive_bonus=100), {"progressive_bonus": 200_000})
    assert isinstance(record, DjWildRound)
    assert [deck[:5], deck[5:10]] == [seat.cards for seat in record.seats]
    assert deck[10:15] == record.dealer.cards
    assert deck[15] == record.spare_card
    without = table(DJ_WILD, Unshuffled(1)).play(players(2), {"progressive_bonus": 200_000})
    assert isinstance(without, DjWildRound)
    assert without.spare_card is None


@pytest.mark.parametrize(
    ("hand", "habits", "expected"),
    [
        ("Ks Kd 9c 5h 3s", (), True),
        ("Ks 9d 7c 5h 2s", (), True),
        ("Ks 9d 7c 5h Jk", (), True),
        ("Ks Qs 9s 5s 3s", (), True),
        ("As Kd 9c 5h 3s", (), False),
        ("As Kd 9c 5h 3s", (RAISES_WITH_AN_ACE,), True),
        ("Ks Qd 9c 5h 3s", (RAISES_WITH_AN_ACE,), False),
    ],
)
def test_a_pair_or_better_is_raised(hand: str, habits: Sequence[str], expected: bool) -> None:
    """Wild cards make a pair; some players raise with an ace too."""
    assert expected == is_raised(cards_named(hand), with_an_ace=RAISES_WITH_AN_ACE in habits)


def test_a_raise_is_twice_the_ante() -> None:
    """Who raises wagers twice the Ante Wager; who folds wagers nothing more."""
    game = table(DJ_WILD, Random(4))
    seen = Counter[bool]()
    for _ in range(50):
        record = game.play(players(6), {"progressive_bonus": 200_000})
        assert isinstance(record, DjWildRound)
        for seat in record.seats:
            seen[seat.folded] += 1
            raised = {} if seat.folded else {"raise": 2000}
            assert {"ante": 1000, "blind": 1000} | raised == seat.wagers
    assert min(seen[True], seen[False]) > 0


def test_over_under_deals_one_card_each_and_then_two_a_hand() -> None:
    """After the burned card: the first cards around the table, then both further cards of each hand in turn."""
    shoe = standard_deck(decks=6)
    record = table(OVER_UNDER, Unshuffled(1)).play(players(2), {})
    assert isinstance(record, OverUnderRound)
    assert [(shoe[1], shoe[3], shoe[4]), (shoe[2], shoe[5], shoe[6])] == [seat.cards for seat in record.seats]


@pytest.mark.parametrize(
    ("first", "habits", "expected"),
    [
        ("2s", (), "under_18"),
        ("5d", (), "under_18"),
        ("6d", (), "over_23"),
        ("Ks", (), "over_23"),
        ("Ah", (SURRENDERS,), "over_23"),
        ("4h", (SURRENDERS,), "under_18"),
        ("5h", (SURRENDERS,), "surrender"),
        ("6h", (SURRENDERS,), "surrender"),
    ],
)
def test_the_first_card_decides_the_side(first: StandardCard, habits: Sequence[str], expected: str) -> None:
    """Low cards go under, high ones over; some players give up the hardest ones."""
    assert expected == decide(first, surrenders=SURRENDERS in habits)
