"""Returns of the wagers decided by the initial cards: exact, by counting the cards of full decks."""

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
from shared.rules.game import CountReturns
from shared.rules.paytable import DealerHandName, Row, count_returns, rows_by_category
from shared.rules.returns import Returns, Won
from shared.rules.submission import Offer, Selection

_DECK: Final = cast("tuple[StandardCard, ...]", standard_deck())


def _of_insurance(selection: Selection, offer: Offer) -> Returns:
    """Return the returns of Insurance, by counting the possible hole cards; only the up card, an ace, is known."""
    assert selection.decks is not None
    tens = sum(VALUES[card] == 10 for card in _DECK) * selection.decks
    others = len(_DECK) * selection.decks - 1 - tens
    return count_returns([(tens, rows_by_category(offer)["dealer_blackjack"]), (others, None)])


def _of_side_bet(selection: Selection, offer: Offer) -> Returns:
    bet, decks = side_bet(offer), selection.decks
    assert decks is not None
    if bet.by_four_cards is not None:
        return _of_four_cards(bet, decks)
    return _of_two_cards(bet, decks) if bet.by_two_cards is not None else _with_up_card(bet, decks)


COUNTS: Final[Mapping[str, CountReturns]] = {INSURANCE: _of_insurance} | dict.fromkeys(SIDE_BETS, _of_side_bet)


def _of_two_cards(bet: SideBet, decks: int) -> Returns:
    return Returns.counted(
        (count * share, won)
        for pair, count in _pairs(decks)
        for share, won in _with_dealer(bet.row(pair, None, pair[0]), pair, decks)
    )


def _with_dealer(row: Row | None, pair: Pair, decks: int) -> Iterator[tuple[int | Fraction, Won | None]]:
    """Yield (probability, win) for each payout of a row that depends on the dealer's hand; `pair` is the player's."""
    if row is None:
        yield 1, None
        return
    rest, usual = Fraction(1), row.won
    if row.instead is not None:
        share = _dealer_has(row.instead.dealer, pair, decks)
        rest -= share
        yield share, row.instead.won
    if row.bonus is not None:
        assert row.instead is None or row.instead.dealer != row.bonus.dealer
        share = _dealer_has(row.bonus.dealer, pair, decks)
        rest -= share
        yield share, usual._replace(back=usual.back + row.bonus.odds.returns, bonus=row.bonus.category)
    yield rest, usual


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


def _with_up_card(bet: SideBet, decks: int) -> Returns:
    return count_returns(
        (count * (decks - pair.count(up)), bet.row(pair, None, up)) for pair, count in _pairs(decks) for up in _DECK
    )


def _of_four_cards(bet: SideBet, decks: int) -> Returns:
    """Return the returns of a wager on four cards, by counting ranks only, which alone decide Super Match."""
    hands = []
    for ranks in combinations_with_replacement(RANKS, 4):
        ways = prod(comb(len(SUITS) * decks, copies) for copies in Counter(ranks).values())
        first, second, third, fourth = cast("Four", tuple(rank + SUITS[0] for rank in ranks))
        hands.append((ways, bet.row((first, second), (third, fourth), first)))
    return count_returns(hands)


def _pairs(decks: int) -> Iterator[tuple[Pair, int]]:
    """Yield each unordered pair of cards with the number of ways in which full decks can deal it."""
    for pair in combinations_with_replacement(_DECK, 2):
        yield pair, comb(decks, 2) if pair[0] == pair[1] else decks * decks
