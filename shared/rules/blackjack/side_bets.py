"""The wagers decided by the initial cards, § 633a.7(g): which row of the paytable a deal wins."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from shared.cards import RANKS, StandardCard
from shared.rules.blackjack.dealer import DealerHand
from shared.rules.blackjack.hands import Pair
from shared.rules.blackjack.totals import VALUES
from shared.rules.line import Line
from shared.rules.odds import Odds
from shared.rules.paytable import Row, lost, rows_by_category
from shared.rules.submission import Offer

Four: TypeAlias = tuple[StandardCard, StandardCard, StandardCard, StandardCard]
ByTwoCards: TypeAlias = Callable[[StandardCard, StandardCard], str | None]
ByUpCard: TypeAlias = Callable[[StandardCard, StandardCard, StandardCard], str | None]
ByFourCards: TypeAlias = Callable[[Four], str | None]

HEIGHTS: Final = {rank: len(RANKS) + 1 - place for place, rank in enumerate(RANKS)}
"""The height of each rank: 2 as 2, the ace high as 14."""

_SAME, _OTHER = "matching_card_of_the_same_suit", "matching_card_of_a_different_suit"


@cache
def twenty_point_bonus(first: StandardCard, second: StandardCard) -> str | None:
    """Return the category of two cards with a total of 20 (Lucky Ladies); an ace and a nine are 20."""
    if VALUES[first] + VALUES[second] != 20:
        return None
    if first == second:
        return "queen_of_hearts_pair" if first == "Qh" else "matched_20"
    return "suited_20" if first[1] == second[1] else "any_20"


@cache
def royal_match_21(first: StandardCard, second: StandardCard) -> str | None:
    """Return the category of two cards of one suit; a king and a queen are the Royal Match."""
    if first[1] != second[1]:
        return None
    return "royal_match" if {first[0], second[0]} == {"K", "Q"} else "suited_match"


@cache
def bet_the_set_21(first: StandardCard, second: StandardCard) -> str | None:
    """Return the category of two cards of one rank; suited pairs have a category of their own."""
    if first[0] != second[0]:
        return None
    return "suited_pairs" if first == second else "pairs"


@cache
def kings_bounty(first: StandardCard, second: StandardCard) -> str | None:
    """Return the category of two cards with a total of 20; kings rank highest."""
    if VALUES[first] + VALUES[second] != 20:
        return None
    if first == second:
        if first[0] != "K":
            return "suited_queens_jacks_or_10s_pair"
        return "king_of_spades_pair" if first == "Ks" else "suited_kings_pair"
    if first[1] == second[1]:
        return "suited_20"
    return "pair_of_kings" if first[0] == second[0] == "K" else "any_20"


@cache
def house_money(first: StandardCard, second: StandardCard) -> str | None:
    """Return the category of two cards that are consecutive, a pair, or an ace and a king of one suit."""
    suited = first[1] == second[1]
    if first[0] == second[0]:
        return "pair"
    if not is_two_card_straight(first, second):
        return None
    if not suited:
        return "two_card_straight"
    return "ace_king_suited" if {first[0], second[0]} == {"A", "K"} else "two_card_straight_flush"


def is_two_card_straight(first: StandardCard, second: StandardCard) -> bool:
    """Return whether two cards are consecutive in rank; an ace is adjacent to the king and to the 2."""
    apart = abs(HEIGHTS[first[0]] - HEIGHTS[second[0]])
    return apart in (1, len(RANKS) - 1)


def match_the_dealer(first: StandardCard, second: StandardCard, up: StandardCard) -> str | None:
    """Return the category of the initial cards that have the rank of the up card; a king does not match a queen."""
    one = None if first[0] != up[0] else _SAME if first[1] == up[1] else _OTHER
    other = None if second[0] != up[0] else _SAME if second[1] == up[1] else _OTHER
    if one is None or other is None:
        return one or other
    return two_matches(one, other)


def two_matches(one: str, other: str) -> str:
    """Return the category of two initial cards that both match the up card, given the category of each."""
    return f"two_{one.replace('card', 'cards')}" if one == other else f"{_SAME}_and_one_of_a_different_suit"


def in_between(first: StandardCard, second: StandardCard, up: StandardCard) -> str | None:
    """Return the category of an up card between the initial cards (ace high only), or of three equal ranks."""
    low, middle, high = HEIGHTS[first[0]], HEIGHTS[up[0]], HEIGHTS[second[0]]
    if low == middle == high:
        return "triple_match"
    if low > high:
        low, high = high, low
    if not low < middle < high:
        return None
    spread = high - low - 1
    return ("one_card_spread", "two_card_spread", "three_card_spread", "all_others")[min(spread, 4) - 1]


def three_card_poker(first: StandardCard, second: StandardCard, up: StandardCard) -> str | None:
    """Return the Poker hand of the initial cards and the up card; a straight may be ace-2-3 or queen-king-ace."""
    low, middle, high = sorted((HEIGHTS[first[0]], HEIGHTS[second[0]], HEIGHTS[up[0]]))
    if low == high:
        return "three_of_a_kind"
    flush = first[1] == second[1] == up[1]
    if low + 2 == middle + 1 == high or (low, middle, high) == (2, 3, 14):
        return "straight_flush" if flush else "straight"
    return "flush" if flush else None


def super_match(cards: Four) -> str | None:
    """Return the category of equal ranks among the first four cards at Blackjack Switch, before any switch."""
    counts = sorted(Counter(card[0] for card in cards).values(), reverse=True)
    if counts[0] == 4:
        return "four_of_a_kind"
    if counts[0] == 3:
        return "three_of_a_kind"
    if counts[0] == 1:
        return None
    return "two_pair" if counts[1] == 2 else "pair"


BY_TWO_CARDS: Final[Mapping[str, ByTwoCards]] = {
    "twenty_point_bonus": twenty_point_bonus,
    "royal_match_21": royal_match_21,
    "bet_the_set_21": bet_the_set_21,
    "kings_bounty": kings_bounty,
    "house_money": house_money,
}
BY_UP_CARD: Final[Mapping[str, ByUpCard]] = {
    "match_the_dealer": match_the_dealer,
    "in_between": in_between,
    "three_card_poker": three_card_poker,
}
BY_FOUR_CARDS: Final[Mapping[str, ByFourCards]] = {"super_match": super_match}

SIDE_BETS: Final = frozenset({*BY_TWO_CARDS, *BY_UP_CARD, *BY_FOUR_CARDS})
"""The names of the wagers that this module decides."""


@dataclass(frozen=True, slots=True)
class SideBet:
    """An offered wager that the initial cards decide, with the rows of its paytable by category."""

    name: str
    rows: Mapping[str, Row]
    decided: str
    by_two_cards: ByTwoCards | None
    by_up_card: ByUpCard | None
    by_four_cards: ByFourCards | None

    def row(self, initial: Pair, second_initial: Pair | None, up: StandardCard) -> Row | None:
        """Return the winning row, regardless of the dealer's hand (see `improved`); None if no row wins.

        Interpretation: at Blackjack Switch the two initial cards are those of the first hand as it was dealt.
        """
        category: str | None
        if self.by_two_cards is not None:
            category = self.by_two_cards(*initial)
        elif self.by_up_card is not None:
            category = self.by_up_card(*initial, up)
        else:
            assert self.by_four_cards is not None
            assert second_initial is not None
            category = self.by_four_cards((*initial, *second_initial))
        # A paytable may lack the row of a category: with one deck, Bet the Set 21 has no suited pairs.
        return None if category is None else self.rows.get(category)

    def lost(self, seat: int, stake: int) -> Line:
        """Return the line of the wager if no row wins."""
        return lost(seat, self.name, stake, self.decided)


def improved(row: Row, dealer: DealerHand) -> Row:
    """Return the row to pay against the dealer's hand: the row for a dealer's Blackjack if it applies, else `row`."""
    if row.instead is not None and dealer.blackjack:
        return row.instead
    return row


def side_bet(offer: Offer) -> SideBet:
    """Compile an offered wager of `SIDE_BETS` for settlement."""
    rows = rows_by_category(offer)
    if offer.name == "match_the_dealer":
        rows |= _sums(rows)
    return SideBet(
        name=offer.name,
        rows=rows,
        decided=offer.wager.decided,
        by_two_cards=BY_TWO_CARDS.get(offer.name),
        by_up_card=BY_UP_CARD.get(offer.name),
        by_four_cards=BY_FOUR_CARDS.get(offer.name),
    )


def _sums(rows: Mapping[str, Row]) -> dict[str, Row]:
    """Return the rows for two matching cards, whose odds are the sum of the odds of each, § 633a.7(g)(2)."""
    sums = {}
    for one, other in ((_SAME, _SAME), (_OTHER, _OTHER), (_SAME, _OTHER)):
        category = two_matches(one, other)
        odds: Odds = rows[one].odds.plus(rows[other].odds)
        sums[category] = Row(wager=rows[one].wager, category=category, odds=odds, paragraph=rows[one].paragraph)
    return sums
