"""The number of deals in which the dealer, the player or both have an Ace High Pai Gow: exact, over pairs of hands.

An Ace High Pai Gow has seven different ranks. A pair of such hands is therefore a set of ranks for each hand, with
suits such that neither hand has a flush and both have different suits in every common rank. Pairs of rank sets are
counted by their number of common ranks.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb, factorial
from typing import Final, NamedTuple, cast

from shared.cards import JOKER, RANKS, SUITS, Card
from shared.cards.ranking.pai_gow import card_set
from shared.rules.face_up_pai_gow.ace_high import is_ace_high

_DECK: Final = len(RANKS) * len(SUITS) + 1
_HAND: Final = 7

Suited = tuple[int, ...]
"""The number of cards of each suit in a hand."""


class AceHighCounts(NamedTuple):
    """The number of pairs of a dealer's and a player's hand from one deck, by who has an Ace High Pai Gow."""

    both: int
    only_dealer_with_joker: int
    only_dealer_no_joker: int
    all_pairs: int


class Kind(NamedTuple):
    """Ace High hands with or without the joker; `cards` is their number of natural cards.

    `most_of_a_suit` is the largest number of cards of one suit that does not make a flush.
    """

    cards: int
    most_of_a_suit: int
    joker: bool


_NATURAL: Final = Kind(cards=7, most_of_a_suit=4, joker=False)
_JOKER: Final = Kind(cards=6, most_of_a_suit=3, joker=True)


@cache
def ace_high_counts() -> AceHighCounts:
    """Count all pairs of seven-card hands from 52 cards and a joker."""
    with_joker = _pairs(_JOKER, _NATURAL)
    no_joker = _pairs(_NATURAL, _NATURAL) + _pairs(_NATURAL, _JOKER)
    players_hands = comb(_DECK - _HAND, _HAND)
    return AceHighCounts(
        both=with_joker + no_joker,
        only_dealer_with_joker=hands(_JOKER) * players_hands - with_joker,
        only_dealer_no_joker=hands(_NATURAL) * players_hands - no_joker,
        all_pairs=comb(_DECK, _HAND) * players_hands,
    )


def hands(kind: Kind) -> int:
    """Return the number of Ace High hands of one kind."""
    return len(_rank_sets(kind)) * _suitings(kind, kind.cards, (0,) * len(SUITS))


def _pairs(dealer: Kind, player: Kind) -> int:
    """Return the number of pairs of a dealer's and a player's Ace High hand that one deck can deal."""
    common = Counter((one & other).bit_count() for one in _rank_sets(dealer) for other in _rank_sets(player))
    return sum(count * disjoint_suitings(dealer, player, ranks) for ranks, count in common.items())


@cache
def _rank_sets(kind: Kind) -> tuple[int, ...]:
    """Return the sets of ranks, as bits, that form an Ace High hand if there is no flush."""
    jokers: tuple[Card, ...] = (JOKER,) if kind.joker else ()
    found = []
    for ranks in combinations(range(len(RANKS)), kind.cards):
        # Suits in turn give at most two cards of each suit, so there is no flush.
        cards = [cast("Card", RANKS[rank] + SUITS[place % len(SUITS)]) for place, rank in enumerate(ranks)]
        if is_ace_high(card_set([*cards, *jokers])):
            found.append(sum(1 << rank for rank in ranks))
    return tuple(found)


def disjoint_suitings(one: Kind, other: Kind, common: int) -> int:
    """Return the number of ways to assign suits to two hands with `common` common ranks, without flush or common card.

    The number is found by inclusion and exclusion over the common ranks that have the same suit in both hands.
    """
    ways = 0
    for same in range(common + 1):
        sign = -1 if same % 2 else 1
        for suited in _splits(same):
            both = _suitings(one, one.cards - same, suited) * _suitings(other, other.cards - same, suited)
            ways += sign * comb(common, same) * _orders(suited) * both
    return ways


@cache
def _suitings(kind: Kind, cards: int, held: Suited) -> int:
    """Return the number of ways to assign suits to `cards` more cards without a flush, given the suits `held`."""
    return sum(
        _orders(suited)
        for suited in _splits(cards)
        if all(more + have <= kind.most_of_a_suit for more, have in zip(suited, held, strict=True))
    )


def _splits(cards: int, suits: int = len(SUITS)) -> Iterator[Suited]:
    """Yield all distributions of `cards` cards over `suits` suits, each as the number of cards by suit."""
    if suits == 1:
        yield (cards,)
        return
    for first in range(cards + 1):
        for rest in _splits(cards - first, suits - 1):
            yield (first, *rest)


def _orders(suited: Suited) -> int:
    """Return the number of ways to assign suits to different ranks, with these numbers of cards by suit."""
    ways = factorial(sum(suited))
    for count in suited:
        ways //= factorial(count)
    return ways
