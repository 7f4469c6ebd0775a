"""Paybacks against published figures, and against counting every deal one card at a time."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from shared.rules import parse_submission, payback

NEW, OLD = "pa-633a-2024", "pa-633a-2011"
RANKS = "23456789TJQKA"
ONE_DECK = [rank + suit for rank in RANKS for suit in "shdc"]


def counted(wager: str, decks: int, regulation: str = NEW, options: Any = None, **entry: Any) -> Fraction:
    """Return the payback that the rules count."""
    document = {"decks": decks, "wagers": {} if wager == "insurance" else {wager: entry}, "options": options or {}}
    return payback(regulation, wager, parse_submission(document))


@pytest.mark.parametrize(
    ("wager", "decks", "entry", "house_edge"),
    [
        ("twenty_point_bonus", 6, {}, "17.64"),
        ("match_the_dealer", 6, {}, "4.06"),
        ("match_the_dealer", 8, {}, "3.67"),
        ("royal_match_21", 1, {"paytable": "A"}, "3.77"),
        ("royal_match_21", 6, {"paytable": "D"}, "6.67"),
        ("three_card_poker", 6, {"paytable": "A"}, "3.24"),
        ("insurance", 6, {}, "7.40"),
        ("insurance", 8, {}, "7.47"),
    ],
)
def test_house_edges_are_the_published_ones(wager: str, decks: int, entry: dict[str, Any], house_edge: str) -> None:
    """Analysts publish the edge of these paytables in percent, two decimals."""
    assert house_edge == f"{float(100 * (1 - counted(wager, decks, **entry))):.2f}"


def height(card: str) -> int:
    """Return 2 to 14, the ace high."""
    return RANKS.index(card[0]) + 2


def points(*cards: str) -> int:
    """Return the total of two cards."""
    values = sorted({"A": 11, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or int(card[0]) for card in cards)
    return 12 if values == [11, 11] else sum(values)


def by_every_deal(decks: int, cards: int, returns: Callable[..., Fraction | int]) -> Fraction:
    """Return the mean of what deals return; each card of the decks is its own, and orders count alike."""
    deck = dict.fromkeys(ONE_DECK, decks)
    back: Fraction | int = 0
    ways = 0

    def deal(dealt: tuple[str, ...], count: int) -> None:
        nonlocal back, ways
        if len(dealt) == cards:
            ways += count
            back += count * returns(*dealt)
            return
        for card, left in deck.items():
            copies = left - dealt.count(card)
            if copies:
                deal((*dealt, card), count * copies)

    deal((), 1)
    return Fraction(back, ways)


def lucky_ladies(a: str, b: str) -> int:
    """Return what the Twenty Point Bonus pays without the row for a dealer Blackjack, stake included."""
    if points(a, b) != 20:
        return 0
    if a == b:
        return 201 if a == "Qh" else 26
    return 11 if a[1] == b[1] else 5


def kings(a: str, b: str) -> int:
    """Return what King's Bounty pays without the row for a dealer Blackjack, stake included."""
    if points(a, b) != 20:
        return 0
    if a == b:
        return 201 if a == "Ks" else 51 if a[0] == "K" else 26
    if a[1] == b[1]:
        return 10
    return 7 if a[0] == b[0] == "K" else 5


def dealer_blackjack_beside(card: str, decks: int) -> Fraction:
    """Return the chance of a dealer Blackjack when two copies of a ten value are gone."""
    aces, tens, left = 4 * decks, 16 * decks - 2, 52 * decks - 2
    assert points(card, card) == 20
    return Fraction(2 * aces * tens, left * (left - 1))


@pytest.mark.parametrize("decks", [2, 6])
@pytest.mark.parametrize(
    ("wager", "card", "returns"), [("twenty_point_bonus", "Qh", lucky_ladies), ("kings_bounty", "Ks", kings)]
)
def test_a_top_row_with_a_dealer_blackjack_is_counted_exactly(
    decks: int, wager: str, card: str, returns: Callable[..., int]
) -> None:
    """The pair pays 200 to 1, and 800 more with the chance of a dealer Blackjack beside it."""
    pair = Fraction(decks * (decks - 1), 52 * decks * (52 * decks - 1))
    expected = by_every_deal(decks, 2, returns) + pair * 800 * dealer_blackjack_beside(card, decks)
    assert expected == counted(wager, decks)


@pytest.mark.parametrize(
    ("decks", "paytable", "royal", "suited"),
    [(1, "A", 10, 3), (1, "B", 5, 3), (2, "C", 30, "2.5"), (6, "D", 25, "2.5"), (8, "E", 50, 2)],
)
def test_royal_match_by_every_deal(decks: int, paytable: str, royal: int, suited: int | str) -> None:
    """Every paytable, with each deal of two cards counted."""

    def returns(a: str, b: str) -> Fraction | int:
        if a[1] != b[1]:
            return 0
        return 1 + (royal if {a[0], b[0]} == {"K", "Q"} else Fraction(suited))

    assert by_every_deal(decks, 2, returns) == counted("royal_match_21", decks, paytable=paytable)


def test_a_crown_treasure_adds_its_chance() -> None:
    """Player and dealer both hold king and queen of one suit: 1,000 for 1 on top."""
    decks = 2
    left = 52 * decks - 2
    player = Fraction(2 * 4 * decks * decks, 52 * decks * (52 * decks - 1))
    ways = 3 * decks * decks + (decks - 1) ** 2
    both = player * Fraction(2 * ways, left * (left - 1))
    plain = counted("royal_match_21", decks, paytable="C")
    assert plain + 1000 * both == counted("royal_match_21", decks, paytable="C", crown_treasure=True)


@pytest.mark.parametrize(
    ("decks", "paytable", "suited", "pairs"), [(1, "A", 0, 15), (2, "B", 25, 10), (4, "C", 15, 10), (8, "D", 12, 10)]
)
def test_bet_the_set_by_every_deal(decks: int, paytable: str, suited: int, pairs: int) -> None:
    """Two cards of one rank, of one suit too."""

    def returns(a: str, b: str) -> int:
        return 0 if a[0] != b[0] else 1 + (suited if a == b else pairs)

    assert by_every_deal(decks, 2, returns) == counted("bet_the_set_21", decks, paytable=paytable)


@pytest.mark.parametrize(("decks", "flush"), [(1, 5), (6, 4)])
def test_house_money_by_every_deal(decks: int, flush: int) -> None:
    """Pairs, neighbors with the ace at both ends, and ace-king suited."""

    def returns(a: str, b: str) -> int:
        if a[0] == b[0]:
            return 4
        if abs(height(a) - height(b)) not in (1, 12):
            return 0
        if a[1] != b[1]:
            return 2
        return 10 if {a[0], b[0]} == {"A", "K"} else 1 + flush

    assert by_every_deal(decks, 2, returns) == counted("house_money", decks)


def in_between(a: str, b: str, up: str) -> int:
    """Return what In Between pays, stake included."""
    low, high = sorted((height(a), height(b)))
    if low == height(up) == high:
        return 31
    if not low < height(up) < high:
        return 0
    return {1: 11, 2: 7, 3: 5}.get(high - low - 1, 2)


def match_six(a: str, b: str, up: str) -> int:
    """Return what Match-the-Dealer pays with six decks, stake included."""
    won = sum(11 if card == up else 4 for card in (a, b) if card[0] == up[0])
    return won + 1 if won else 0


def poker(*cards: str) -> int:
    """Return what Three Card Poker pays, Paytable B, stake included."""
    heights = sorted(height(card) for card in cards)
    suited = len({card[1] for card in cards}) == 1
    if len(set(heights)) == 1:
        return 21
    if heights in ([low, low + 1, low + 2] for low in range(2, 13)) or heights == [2, 3, 14]:
        return 31 if suited else 11
    return 6 if suited else 0


@pytest.mark.parametrize(
    ("wager", "entry", "returns"),
    [
        ("in_between", {}, in_between),
        ("match_the_dealer", {}, match_six),
        ("three_card_poker", {"paytable": "B"}, poker),
    ],
)
def test_wagers_on_the_up_card_by_every_deal(wager: str, entry: dict[str, Any], returns: Callable[..., int]) -> None:
    """Six decks, two cards to the player and one to the dealer."""
    assert by_every_deal(6, 3, returns) == counted(wager, 6, **entry)


@pytest.mark.parametrize(("decks", "rows"), [(6, (40, 8, 5, 1)), (8, (50, 7, 5, 1))])
def test_super_match_by_the_combinations_of_ranks(decks: int, rows: tuple[int, ...]) -> None:
    """Four cards counted by hand: choose the ranks, then the cards of each."""
    four, two_pair, three, pair = rows
    copies = 4 * decks

    def choose(number: int, of: int) -> int:
        result = Fraction(1)
        for step in range(number):
            result *= Fraction(of - step, step + 1)
        return int(result)

    ways = choose(4, 52 * decks)
    back = (
        13 * choose(4, copies) * (four + 1)
        + choose(2, 13) * choose(2, copies) ** 2 * (two_pair + 1)
        + 13 * 12 * choose(3, copies) * copies * (three + 1)
        + 13 * len(list(combinations(range(12), 2))) * choose(2, copies) * copies**2 * (pair + 1)
    )
    assert Fraction(back, ways) == counted("super_match", decks, options={"switch": True})


def test_the_same_paytables_pay_back_the_same_in_2011() -> None:
    """The text of 2011 has the same odds."""
    assert counted("kings_bounty", 6) == counted("kings_bounty", 6, OLD)
