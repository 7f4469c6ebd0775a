"""Counts Texas Hold 'Em Bonus Poker: results against the dealer by the player's two cards, and the wagers made.

The Turn and River Wagers only raise the stake, so each is made if the cards known at that time beat the dealer's hand
more often than they lose to it. No option of a submission affects this. The payouts of the Ante Wager affect only
whether the Flop Wager is made. That decision depends on the player's two cards, so the counts are grouped by these two
cards.

All deals of flop, turn, river and two dealer cards are counted. Flops that differ only by an exchange of suits are
counted once; for each flop, all two-card hands on all pairs of turn and river are counted at once. A hand beats the
hands that rank below it, except those that hold one of its own cards.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, cycle, permutations
from math import comb
from typing import Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from shared.cards import RANKS, SUITS, StandardCard
from shared.cards.ranking import Category, rank_best, rank_five
from shared.cards.ranking.standard import CATEGORY_SHIFT

Ints = npt.NDArray[np.int64]

OUTCOMES: Final = ("lose", "tie", *(category.name for category in Category if category < Category.five_of_a_kind))
"""The outcomes of a deal for the player: lost, tied, or won with a hand of that category."""

_LOSE: Final = 0
_TIE: Final = 1
_WIN: Final = 2
_KINDS: Final = 2 * len(RANKS)
_SUITED: Final = 3
_NO_HAND: Final = -1


class Flop(NamedTuple):
    """A flop that represents all flops that differ only by exchanging suits, and their number."""

    cards: tuple[StandardCard, ...]
    ways: int


class FlopCounts(NamedTuple):
    """The deals with one flop: the two-card hands that make the Turn and River Wagers, and the results.

    `holes` are the two-card hands. `turn_wager` is true for each hand that makes the Turn Wager. `river_wager` is true
    for each turn card (first axis, in the order of `turns`) and hand that makes the River Wager. `ends` counts deals
    by hand, by whether the River Wager is made, and by `OUTCOMES`.
    """

    holes: tuple[tuple[StandardCard, StandardCard], ...]
    turns: tuple[StandardCard, ...]
    turn_wager: npt.NDArray[np.bool_]
    river_wager: npt.NDArray[np.bool_]
    ends: Ints


def flops(ranks: str = RANKS) -> Iterator[Flop]:
    """Yield one flop for each class of flops that differ only by exchanging suits; the deck is four suits of `ranks`.

    >>> len(list(flops())), sum(flop.ways for flop in flops())
    (1755, 22100)
    """
    cards = deck(ranks)
    order = {card: place for place, card in enumerate(cards)}
    exchanges = [
        [order[cast("StandardCard", card[0] + suits[SUITS.index(card[1])])] for card in cards]
        for suits in permutations(SUITS)
    ]
    found: Counter[tuple[int, ...]] = Counter()
    for flop in combinations(range(len(cards)), 3):
        found[min(tuple(sorted([exchange[card] for card in flop])) for exchange in exchanges)] += 1
    for kind, ways in found.items():
        yield Flop(tuple(cards[card] for card in kind), ways)


def deck(ranks: str) -> tuple[StandardCard, ...]:
    """Return the cards of four suits of `ranks`."""
    return cast("tuple[StandardCard, ...]", tuple(rank + suit for rank in ranks for suit in SUITS))


def count_flop(flop: Sequence[StandardCard], ranks: str = RANKS) -> FlopCounts:
    """Count all deals of hand, turn, river and dealer's hand on a flop; the deck is four suits of `ranks`."""
    left = tuple(card for card in deck(ranks) if card not in flop)
    first, second = np.triu_indices(len(left), 1)
    hands = len(first)  # each pair of cards is both a hand and a (turn, river) pair
    boards = [_board((*flop, left[turn], left[river]), ranks) for turn, river in zip(first, second, strict=True)]
    alike = {suit: np.array([_likeness(card, suit) for card in left], np.int32) for suit in ("", *SUITS)}
    kinds = np.stack([alike[board.suit] for board in boards])
    place = kinds[:, first] * _KINDS + kinds[:, second] + np.arange(hands, dtype=np.int32)[:, None] * _KINDS**2
    held = np.zeros((len(left), hands), np.bool_)
    held[first, np.arange(hands)] = held[second, np.arange(hands)] = True
    alive = ~(held[first] | held[second])
    wins = np.concatenate([board.wins for board in boards]).take(place) * alive
    losses = np.concatenate([board.losses for board in boards]).take(place) * alive
    categories = np.concatenate([board.categories for board in boards]).take(place)
    # These sums are small enough to be exact as floating-point numbers.
    ahead = held.astype(np.float32) @ (wins - losses).astype(np.float32)
    river_wager = ahead > 0
    made = river_wager[first].astype(np.int8) + river_wager[second]
    won_with = categories + len(OUTCOMES) * np.arange(hands, dtype=np.int32)
    dealt = len(left) - 3  # rivers left after a turn and a hand are dealt
    ends = np.zeros((hands, 2, len(OUTCOMES)), np.int64)
    for wagered, times in enumerate((2 - made, made)):
        won = np.bincount(won_with.ravel(), (wins * times).ravel(), minlength=hands * len(OUTCOMES))
        ends[:, wagered] = won.reshape(hands, len(OUTCOMES))
        turns = ((river_wager == wagered) & ~held).sum(axis=0)
        ends[:, wagered, _LOSE] = (losses * times).sum(axis=0, dtype=np.int64)
        ends[:, wagered, _TIE] = turns * dealt * comb(dealt - 1, 2) - ends[:, wagered].sum(axis=1)
    holes = tuple((left[one], left[two]) for one, two in zip(first, second, strict=True))
    return FlopCounts(holes, left, ahead.sum(axis=0) > 0, river_wager, ends)


class _Board(NamedTuple):
    """The results of two-card hands on a board of five community cards, indexed by the classes of both cards.

    `suit` is the suit of three or more of the community cards, or empty. `wins` and `losses` are numbers of dealer
    hands; `categories` are the indexes in `OUTCOMES` of a win with the hand.
    """

    suit: str
    wins: npt.NDArray[np.int16]
    losses: npt.NDArray[np.int16]
    categories: npt.NDArray[np.int8]


def _likeness(card: StandardCard, suit: str) -> int:
    """Return a card's class, by its rank and by whether it is of `suit`, the only suit that can form a flush."""
    return RANKS.index(card[0]) + len(RANKS) * (card[1] == suit)


def _board(cards: Sequence[StandardCard], ranks: str) -> _Board:
    suit, number = Counter(card[1] for card in cards).most_common(1)[0]
    if number < _SUITED:
        suit = ""
    suited = "".join(sorted(card[0] for card in cards if card[1] == suit))
    others = "".join(sorted(card[0] for card in cards if card[1] != suit))
    return _count_board(suited, others, ranks)._replace(suit=suit)


@cache
def _count_board(suited: str, others: str, ranks: str) -> _Board:
    """Return the results of all hands on a board: `suited` are the ranks in the suit of three or more cards, if any."""
    flush, rest = (SUITS[0], SUITS[1:]) if suited else ("", SUITS)
    board = [rank + flush for rank in suited] + [rank + suit for rank, suit in zip(others, cycle(rest), strict=False)]
    left = [card for card in deck(ranks) if card not in board]
    first, second = np.triu_indices(len(left), 1)
    numbers = np.array([RANKS.index(card[0]) for card in left])
    rank = _without_flush("".join(sorted(suited + others)))[numbers[first], numbers[second]]
    if suited:
        bits = np.array([_bit(card[0]) if card[1] == flush else 0 for card in left])
        on_board = sum(_bit(rank) for rank in suited)
        rank = np.maximum(rank, _flushes()[on_board | bits[first] | bits[second]])
    wins, losses = _against(rank, first, second, len(left))
    kinds = np.array([_likeness(card, flush) for card in left])
    tables = np.zeros((3, _KINDS, _KINDS), np.int16)
    for table, values in zip(tables, (wins, losses, (rank >> CATEGORY_SHIFT) + _WIN), strict=True):
        table[kinds[first], kinds[second]] = table[kinds[second], kinds[first]] = values
    return _Board(flush, tables[0], tables[1], tables[2].astype(np.int8))


def _against(rank: Ints, first: Ints, second: Ints, cards: int) -> tuple[Ints, Ints]:
    """Return for each hand how many other hands it beats and loses to; hands that share a card with it are excluded."""
    values, place = np.unique(rank, return_inverse=True)
    size = len(values)
    keys = np.concatenate((first * size + place, second * size + place))
    with_card = np.bincount(keys, minlength=cards * size).reshape(cards, size)
    up_to = np.cumsum(with_card, axis=1)
    below = up_to - with_card
    above = up_to[:, -1:] - up_to
    all_below, all_above = below.sum(axis=0) // 2, above.sum(axis=0) // 2
    wins = all_below[place] - below[first, place] - below[second, place]
    losses = all_above[place] - above[first, place] - above[second, place]
    return wins, losses


@cache
def _without_flush(board: str) -> Ints:
    """Return the rank of the best hand without a flush, indexed by the ranks of the two hole cards."""
    table = np.full((len(RANKS), len(RANKS)), _NO_HAND, np.int64)
    for one, rank in enumerate(RANKS):
        for two, other in enumerate(RANKS[: one + 1]):
            ranks = sorted(board + rank + other)
            if max(Counter(ranks).values()) <= len(SUITS):
                cards = [value + SUITS[place % len(SUITS)] for place, value in enumerate(ranks)]
                table[one, two] = table[two, one] = rank_best(cast("list[StandardCard]", cards))
    return table


@cache
def _flushes() -> Ints:
    """Return the rank of the best flush, indexed by the bit mask of the ranks in the suit."""
    table = np.full(1 << len(RANKS), _NO_HAND, np.int64)
    for size in (5, 6, 7):
        for ranks in combinations(RANKS, size):
            cards = cast("list[StandardCard]", [rank + SUITS[0] for rank in ranks])
            table[sum(map(_bit, ranks))] = rank_best(cards) if size > 5 else rank_five(cards)
    return table


def _bit(rank: str) -> int:
    return 1 << RANKS.index(rank)


def kind_of(hole: Iterable[StandardCard]) -> str:
    """Return the class of two cards before the flop, such as `AKs`, `AKo` and `AA`.

    >>> kind_of(("2h", "Kh")), kind_of(("7c", "7d"))
    ('K2s', '77')
    """
    (high, suit), (low, other) = sorted(hole, key=lambda card: RANKS.index(card[0]))
    return high + low + ("" if high == low else "s" if suit == other else "o")
