"""Samples Pai Gow Poker: seven hands from one deck and joker, set by the house way, compared with each other.

There are 154,143,080 hands with 53,524,680 opposing hands each, too many pairs to count. Instead, each deal of seven
hands gives 42 ordered pairs. If both hands are set by the same rule, both orders are equally likely, so only copies,
which are rare, cause sampling error. The error is computed from the sums of squares by deal.

In Face Up Pai Gow Poker the player sees the dealer's hand, and sets the hand to win if any correct setting wins, and
otherwise to tie if possible.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Final, NamedTuple

from shared.cards import standard_deck
from shared.cards.ranking.pai_gow import CardSet, HighHands, Wheel, card_set, low_rank
from shared.rules.face_up_pai_gow.ace_high import is_ace_high
from shared.rules.set_hands.hands import HAND, OUTCOMES, SetHand, compare
from shared.rules.set_hands.house_way import HouseWay, house_way
from shared.rules.set_hands.sampled import WAY, Moments

HANDS: Final = 7
"""The number of hands in each deal, including the dealer's."""
_NONE: Final = Moments(0, 0, 0, 0, 0, 0)


class Sample(NamedTuple):
    """The results of a sample of deals.

    `compared` counts ordered pairs of hands by the comparison of the first hand with the second. `pairs` has the
    moments of the wins and losses among the 42 pairs of a deal. `banks` and `bank_pairs` are keyed by the number of
    opposing hands. `banks` counts banks by their net win at equal wagers. `bank_pairs` has the moments, over the seven
    banks of a deal, of the net wins of winning banks and the net losses of losing banks.
    """

    compared: Counter[str]
    pairs: Moments
    banks: dict[int, Counter[int]]
    bank_pairs: dict[int, Moments]


class FaceUpSample(NamedTuple):
    """The results of a sample of deals in which the player sees the dealer's hand.

    `ended` counts pairs of hands by outcome; `pairs` has the moments of wins and losses among the pairs of a deal.
    """

    ended: Counter[str]
    pairs: Moments


def sample_hidden(deals: int, seed: int, wheel: Wheel) -> Sample:
    """Sample a number of deals: set all seven hands by the house way, and compare every two hands of the same deal."""
    ranking = HighHands(wheel)
    way = house_way(WAY, ranking, "")
    compared: Counter[str] = Counter()
    pairs, banks, bank_pairs = _NONE, {size: Counter[int]() for size in _OTHERS}, dict.fromkeys(_OTHERS, _NONE)
    for dealt in _deals(deals, seed):
        hands = [_set(way, seven) for seven in dealt]
        net = [[0] * HANDS for _ in range(HANDS)]
        wins = losses = 0
        for bank, against in enumerate(hands):
            for player, hand in enumerate(hands):
                if player == bank:
                    continue
                how = compare(hand, against)
                compared[how] += 1
                net[bank][player] = _BANK[OUTCOMES[how]]
                wins += OUTCOMES[how] == "win"
                losses += OUTCOMES[how] == "lose"
        pairs = pairs.plus(wins, losses)
        for size in _OTHERS:
            ahead = behind = 0
            for bank in range(HANDS):
                total = sum(net[bank][(bank + step) % HANDS] for step in range(1, size + 1))
                banks[size][total] += 1
                ahead += max(total, 0)
                behind += max(-total, 0)
            bank_pairs[size] = bank_pairs[size].plus(ahead, behind)
    return Sample(compared, pairs, banks, bank_pairs)


def sample_face_up(deals: int, seed: int) -> FaceUpSample:
    """Sample a number of deals: each of the seven hands plays against every other one as the dealer's.

    The dealer's hand is set by the house way. The player sees it and then sets the player's hand optimally.
    """
    ranking = HighHands()
    way = house_way(WAY, ranking, "")
    ended: Counter[str] = Counter()
    pairs = _NONE
    for dealt in _deals(deals, seed):
        settings = [_settings(ranking, seven) for seven in dealt]
        wins = losses = 0
        for dealer, seven in enumerate(dealt):
            if is_ace_high(seven):
                ended["dealer_ace_high"] += HANDS - 1
                continue
            against = _set(way, seven)
            for player, ways in enumerate(settings):
                if player == dealer:
                    continue
                outcome = _best_outcome(ways, against)
                ended[outcome] += 1
                wins += outcome == "win"
                losses += outcome == "lose"
        pairs = pairs.plus(wins, losses)
    return FaceUpSample(ended, pairs)


_OTHERS: Final = range(1, HANDS)
_BANK: Final = {"win": -1, "lose": 1, "push": 0}


def _deals(deals: int, seed: int) -> Iterator[tuple[CardSet, ...]]:
    chance, deck = Random(seed), standard_deck(jokers=1)
    for _ in range(deals):
        cards = chance.sample(deck, HANDS * HAND)
        yield tuple(card_set(cards[first : first + HAND]) for first in range(0, len(cards), HAND))


def _set(way: HouseWay, seven: CardSet) -> SetHand:
    low = way.low(seven)
    return SetHand(seven, way.ranking.rank(seven ^ low), low_rank(low), None)


def _settings(ranking: HighHands, seven: CardSet) -> list[tuple[int, int]]:
    """Return (rank of the high hand, rank of the low hand) for each correct setting of seven cards."""
    bits = [1 << place for place in range(seven.bit_length()) if seven >> place & 1]
    lows = [one | other for one, other in combinations(bits, 2)]
    ranks = [(ranking.rank(seven ^ low), low_rank(low)) for low in lows]
    return [(high, low) for high, low in ranks if high >= low]


def _best_outcome(settings: Sequence[tuple[int, int]], dealer: SetHand) -> str:
    """Return the best outcome among these settings against a visible dealer's hand; the dealer wins copies."""
    ties = False
    for high, low in settings:
        if high > dealer.high:
            if low > dealer.low:
                return "win"
            ties = True
        elif low > dealer.low:
            ties = True
    return "push" if ties else "lose"
