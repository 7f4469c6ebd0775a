"""Paybacks of the wagers that the initial cards decide: exact, by counting the cards of full decks."""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Final, cast

from shared.cards import RANKS, SUITS, StandardCard, standard_deck
from shared.rules.blackjack.hands import Pair
from shared.rules.blackjack.insurance import INSURANCE
from shared.rules.blackjack.side_bets import SIDE_BETS, Four, SideBet, side_bet
from shared.rules.blackjack.totals import VALUES
from shared.rules.game import Payback
from shared.rules.paytable import DealerHandName, Row, average_return, rows_by_category
from shared.rules.submission import Offer, Selection

_DECK: Final = cast("tuple[StandardCard, ...]", standard_deck())


def _of_insurance(selection: Selection, offer: Offer) -> Fraction:
    """Count the hole card under the ace, all other cards unknown."""
    assert selection.decks is not None
    tens = sum(VALUES[card] == 10 for card in _DECK) * selection.decks
    odds = rows_by_category(offer)["dealer_blackjack"].odds
    return Fraction(tens, len(_DECK) * selection.decks - 1) * odds.returns


def _of_side_bet(selection: Selection, offer: Offer) -> Fraction:
    bet, decks = side_bet(offer), selection.decks
    assert decks is not None
    if bet.by_four_cards is not None:
        return _of_four_cards(bet, decks)
    return _of_two_cards(bet, decks) if bet.by_two_cards is not None else _with_up_card(bet, decks)


PAYBACKS: Final[Mapping[str, Payback]] = {INSURANCE: _of_insurance} | dict.fromkeys(SIDE_BETS, _of_side_bet)


def _of_two_cards(bet: SideBet, decks: int) -> Fraction:
    ways, back = 0, Fraction(0)
    for pair, count in _pairs(decks):
        ways += count
        row = bet.row(pair, None, pair[0])
        if row is not None:
            back += count * _row_returns(row, pair, decks)
    return back / ways


def _row_returns(row: Row, pair: Pair, decks: int) -> Fraction:
    """Return what the row returns on average over the dealer's hands that are possible beside the player's pair."""
    back = row.odds.returns
    if row.instead is not None:
        better = row.instead.odds.returns - back
        back += _dealer_has(row.instead.dealer, pair, decks) * better
    if row.bonus is not None:
        back += _dealer_has(row.bonus.dealer, pair, decks) * row.bonus.odds.returns
    return back


def _dealer_has(hand: DealerHandName | None, pair: Pair, decks: int) -> Fraction:
    left = Counter(_DECK * decks)
    left.subtract(pair)
    aces = sum(count for card, count in left.items() if card[0] == "A")
    tens = sum(count for card, count in left.items() if VALUES[card] == 10)
    match hand:
        case "blackjack":
            ways = aces * tens
        case "royal_match":
            kings = [left[cast("StandardCard", "K" + suit)] for suit in SUITS]
            queens = [left[cast("StandardCard", "Q" + suit)] for suit in SUITS]
            ways = sum(king * queen for king, queen in zip(kings, queens, strict=True))
        case None:
            raise AssertionError("a row that builds on another names the dealer's hand")
    return Fraction(ways, comb(left.total(), 2))


def _with_up_card(bet: SideBet, decks: int) -> Fraction:
    return average_return(
        (count * (decks - pair.count(up)), bet.row(pair, None, up)) for pair, count in _pairs(decks) for up in _DECK
    )


def _of_four_cards(bet: SideBet, decks: int) -> Fraction:
    """Count the ranks, each with one suit standing for all: Super Match looks at ranks only."""
    hands = []
    for ranks in combinations_with_replacement(RANKS, 4):
        ways = prod(comb(len(SUITS) * decks, copies) for copies in Counter(ranks).values())
        first, second, third, fourth = cast("Four", tuple(rank + SUITS[0] for rank in ranks))
        hands.append((ways, bet.row((first, second), (third, fourth), first)))
    return average_return(hands)


def _pairs(decks: int) -> Iterator[tuple[Pair, int]]:
    """Yield each unordered pair of cards with the number of ways in which full decks deal it."""
    for pair in combinations_with_replacement(_DECK, 2):
        yield pair, comb(decks, 2) if pair[0] == pair[1] else decks * decks
