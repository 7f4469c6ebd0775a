"""Simulates Blackjack from real shoes, played by a strategy card: an independent check of the exact counts.

It uses no code of the rules: it deals, totals, decides and pays by itself, for many rounds at once. Each round is dealt
from full decks without replacement. One player plays; the dealer checks for a Blackjack.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Ranks = npt.NDArray[np.int8]

CHUNK: Final = 1 << 15
"""The number of rounds dealt at once."""

_COLUMNS: Final = 10
_SOFT: Final = 40
_PAIR: Final = 70
_ROWS: Final = 81
_HIT, _STAND, _DOUBLE, _SPLIT, _SURRENDER = map(ord, "HSDPR")
_TEN: Final = 10
_KING: Final = 13


class CardToPlay(NamedTuple):
    """The strategy to play: `rows` of a basic strategy card, each with a letter for the up cards 2 to 10 and the ace.

    Blackjack Switch also needs expected wins, listed by up card in the same order. `worth` maps two card values (lower
    first, an ace is 1) to the expected win of a hand with these cards; `naturals` are the expected wins of a Blackjack.
    """

    rows: Mapping[str, Sequence[str]]
    resplits: int
    worth: Sequence[Mapping[tuple[int, int], float]] | None = None
    naturals: Sequence[float] = ()


@dataclass
class Rounds:
    """Results of rounds: number of rounds by net win in half wagers, and by row of the progressive paytables."""

    net: Counter[int] = field(default_factory=Counter)
    bad_beat: Counter[str] = field(default_factory=Counter)
    straight_jack: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Rounds") -> None:
        """Add the results of other rounds."""
        self.net.update(other.net)
        self.bad_beat.update(other.bad_beat)
        self.straight_jack.update(other.straight_jack)


class Shoes:
    """Shoes of full decks, one for each round. Ranks are 1 (an ace) to 13."""

    def __init__(self, decks: int, chance: np.random.Generator) -> None:
        """Fill the shoes. Each draw takes a random remaining card, so shuffling is unnecessary."""
        deck = np.repeat(np.arange(1, _KING + 1, dtype=np.int8), 4 * decks)
        self._size = len(deck)
        self._chance = chance
        self._cards: Ranks = np.tile(deck, CHUNK)
        self._drawn: Ints = np.zeros(CHUNK, dtype=np.int64)

    def refill(self) -> None:
        """Put all cards back."""
        self._drawn[:] = 0

    def draw(self, rounds: Ints) -> Ints:
        """Draw a card in each of these rounds (indexes); return their ranks."""
        drawn = self._drawn[rounds]
        first = rounds * self._size + drawn
        other = first + (self._chance.random(len(rounds)) * (self._size - drawn)).astype(np.int64)
        cards = self._cards[other]
        self._cards[other] = self._cards[first]
        self._cards[first] = cards
        self._drawn[rounds] = drawn + 1
        ranks: Ints = cards.astype(np.int64)
        return ranks


class Totals:
    """Running totals of many hands, updated with each added card."""

    def __init__(self, *cards: Ints) -> None:
        """Start with the initial cards: one array of ranks per card, with one element per hand."""
        self.low: Ints = np.zeros(len(cards[0]), dtype=np.int64)
        self.ace: Flags = np.zeros(len(cards[0]), dtype=np.bool_)
        everywhere = np.arange(len(cards[0]))
        for card in cards:
            self.add(everywhere, card)

    def add(self, at: Ints, cards: Ints) -> None:
        """Add a card to each of the hands at these indexes."""
        self.low[at] += np.minimum(cards, _TEN)
        self.ace[at] |= cards == 1

    def soft(self) -> Flags:
        """Return for each hand whether an ace counts 11."""
        soft: Flags = self.ace & (self.low <= 11)
        return soft

    def points(self) -> Ints:
        """Return the total of each hand."""
        points: Ints = self.low + 10 * self.soft()
        return points


class Straights:
    """The length of each round's straight: the first two cards, and the next cards while they extend the sequence."""

    def __init__(self, first: Ints, second: Ints) -> None:
        """Begin with the ranks of two cards; an ace is adjacent to a king and to a two."""
        self._low = np.minimum(first, second)
        self._high = np.maximum(first, second)
        around = (self._low == 1) & (self._high == _KING)
        self._low = np.where(around, _KING, self._low)
        self._high = np.where(around, _KING + 1, self._high)
        self._grows: Flags = self._high == self._low + 1
        self.length: Ints = np.where(self._grows, 2, 0)

    def add(self, at: Ints, cards: Ints, busts: Flags) -> None:
        """Add a card to the hands at these indexes; a card that breaks the sequence or busts ends the straight."""
        above = (cards == self._high[at] + 1) | ((cards == 1) & (self._high[at] == _KING))
        below = cards == self._low[at] - 1
        longer = self._grows[at] & (above | below) & ~busts
        self._grows[at] = longer
        self._high[at] += longer & above
        self._low[at] -= longer & below & ~above
        self.length[at] += longer


@dataclass
class Box:
    """The hands played from two initial cards, with splits: totals (0 if surrendered) and stakes, by hand and round."""

    points: Ints
    staked: Ints
    surrendered: Flags
    natural: Flags


class Table:
    """A table at which rounds are dealt and played."""

    def __init__(self, decks: int, card: CardToPlay, seed: int) -> None:
        """Set up a table of `decks` decks with a strategy card and a random seed."""
        self._card = card
        self._shoes = Shoes(decks, np.random.Generator(np.random.PCG64(seed)))
        may = ("HS", "HSD", "HSDP", "HSDPR" if card.worth is None else "HSDP")
        self._later, self._last, self._again, self._first = (_actions(card.rows, letters) for letters in may)
        self._worth = None if card.worth is None else _worth(card.worth, card.naturals)

    def play(self, rounds: int) -> Rounds:
        """Deal and play a number of rounds."""
        done = Rounds()
        for begun in range(0, rounds, CHUNK):
            done.add(self._chunk(min(CHUNK, rounds - begun)))
        return done

    def _chunk(self, rounds: int) -> Rounds:
        self._shoes.refill()
        every = np.arange(rounds)
        first, second, up, hole = (self._shoes.draw(every) for _ in range(4))
        column = (np.minimum(up, _TEN) - 2) % _COLUMNS
        blackjack = Totals(up, hole).points() == 21
        straights = Straights(first, second)
        if self._worth is None:
            boxes = [self._box(first, second, column, blackjack, straights, switched=np.zeros(rounds, dtype=np.bool_))]
        else:
            third, fourth = self._shoes.draw(every), self._shoes.draw(every)
            switched = _switches(self._worth, column, first, second, third, fourth)
            second, fourth = np.where(switched, fourth, second), np.where(switched, second, fourth)
            boxes = [
                self._box(*pair, column, blackjack, None, switched=switched)
                for pair in ((first, second), (third, fourth))
            ]
        dealer, number = self._dealer(up, hole, boxes, blackjack)
        net = np.sum([self._net(box, dealer, blackjack) for box in boxes], axis=0)
        done = Rounds(net=_counted(net))
        if self._worth is None:
            done.bad_beat = _bad_beats((boxes[0].points == 20).any(axis=0), dealer, number, blackjack)
            done.straight_jack = Counter({f"{size}": ways for size, ways in _counted(straights.length).items()})
        return done

    def _box(
        self,
        first: Ints,
        second: Ints,
        column: Ints,
        blackjack: Flags,
        straights: Straights | None,
        *,
        switched: Flags,
    ) -> Box:
        """Play two initial cards and the hands split from them; a round with a Blackjack on either side is skipped."""
        rounds, most = len(first), self._card.resplits + 2
        begun = Totals(first, second).points()
        natural = (begun == 21) & ~switched
        box = Box(np.zeros((most, rounds), dtype=np.int64), np.zeros((most, rounds), dtype=np.int64), natural, natural)
        box.surrendered = np.zeros(rounds, dtype=np.bool_)
        box.points[0], box.staked[0] = begun, 1
        hands = np.where(natural | blackjack, 0, 1)
        for place in range(most):
            at = np.nonzero(hands > place)[0]
            if not len(at):
                break
            one = first[at]
            other = second[at] if place == 0 else self._shoes.draw(at)
            while True:
                hand = Totals(one, other)
                pair = np.minimum(one, _TEN) == np.minimum(other, _TEN)
                action = self._decide(hand, pair, hands[at], column[at])
                split = np.nonzero(action == _SPLIT)[0]
                if not len(split):
                    break
                hands[at[split]] += 1
                other[split] = self._shoes.draw(at[split])
            kept = straights if place == 0 else None
            doubled = action == _DOUBLE
            draws = np.nonzero(doubled | (action == _HIT))[0]
            while len(draws):
                cards = self._shoes.draw(at[draws])
                hand.add(draws, cards)
                points = hand.points()[draws]
                if kept is not None:
                    whole = hands[at[draws]] == 1
                    kept.add(at[draws[whole]], cards[whole], points[whole] > 21)
                row = np.where(hand.soft()[draws], _SOFT, 0) + np.minimum(points, 22)
                draws = draws[(self._later[row, column[at[draws]]] == _HIT) & ~doubled[draws]]
            gone = action == _SURRENDER
            box.points[place, at] = np.where(gone, 0, hand.points())
            box.staked[place, at] = 1 + doubled
            box.surrendered[at] |= gone
        return box

    def _decide(self, hand: Totals, pair: Flags, hands: Ints, column: Ints) -> Ints:
        """Return the strategy letter for each two-card hand, given the number of hands split so far."""
        splits = pair & (hands <= self._card.resplits + 1)
        row = np.where(splits, _PAIR + hand.low // 2, np.where(hand.soft(), _SOFT, 0) + hand.points())
        last = np.where(splits, self._again[row, column], self._last[row, column])
        return np.where(hands == 1, self._first[row, column], last)

    def _dealer(self, up: Ints, hole: Ints, boxes: Sequence[Box], blackjack: Flags) -> tuple[Ints, Ints]:
        """Return the dealer's total and number of cards; the dealer draws only if a hand depends on it."""
        hand, number = Totals(up, hole), np.full(len(up), 2)
        left = np.zeros(len(up), dtype=np.bool_)
        for box in boxes:
            open_ = ((box.points > 0) & (box.points <= 21)).any(axis=0)
            left |= open_ & (~box.natural if self._worth is None else True)
        draws = np.nonzero(left & ~blackjack & (hand.points() < 17))[0]
        while len(draws):
            hand.add(draws, self._shoes.draw(draws))
            number[draws] += 1
            draws = draws[hand.points()[draws] < 17]
        return hand.points(), number

    def _net(self, box: Box, dealer: Ints, blackjack: Flags) -> Ints:
        """Return the net win of the hands, in half wagers."""
        own, busts = box.points, box.points > 21
        sign = np.where(busts, -1, np.where(dealer > 21, 1, np.sign(own - dealer)))
        won: Ints = (2 * box.staked * sign).sum(axis=0)
        natural: Ints | int = 3
        if self._worth is not None:
            stood = np.where(busts, -1, np.where(dealer == 22, 0, sign))
            won = (2 * box.staked * stood).sum(axis=0)
            natural = np.where(dealer == 21, 2, np.where(dealer == 22, 0, 3))
        won = np.where(box.surrendered, -1, won)
        won = np.where(box.natural, natural, won)
        return np.where(blackjack, np.where(box.natural, 0, -2), won)


def _actions(rows: Mapping[str, Sequence[str]], may: str) -> Ints:
    """Return the action by row and up card: the first of the card's letters that is in `may`; stand on 21 and above."""
    actions = np.full((_ROWS, _COLUMNS), _STAND)
    for name, letters in rows.items():
        kind, of = name.split()
        if kind == "pair" and "P" not in may:
            continue
        row = {"hard": 0, "soft": _SOFT, "pair": _PAIR}[kind] + (1 if of == "A" else int(of))
        actions[row] = [ord(next(letter for letter in each if letter in may)) for each in letters]
    return actions


def _worth(worth: Sequence[Mapping[tuple[int, int], float]], naturals: Sequence[float]) -> npt.NDArray[np.float64]:
    """Return an array of expected wins, indexed by up card and two card values; a Blackjack has the values (0, 0)."""
    table = np.zeros((_COLUMNS, _TEN + 1, _TEN + 1))
    for column, by_cards in enumerate(worth):
        for (one, other), each in by_cards.items():
            table[column, one, other] = table[column, other, one] = each
        table[column, 0, 0] = naturals[column]
    return table


def _switches(worth: npt.NDArray[np.float64], column: Ints, *cards: Ints) -> Flags:
    """Return for each round whether the two hands have a higher expected win with their second cards switched."""
    first, second, third, fourth = (np.minimum(each, _TEN) for each in cards)

    def dealt(one: Ints, other: Ints) -> npt.NDArray[np.float64]:
        natural = (np.minimum(one, other) == 1) & (np.maximum(one, other) == _TEN)
        found: npt.NDArray[np.float64] = np.where(natural, worth[column, 0, 0], worth[column, one, other])
        return found

    more: Flags = worth[column, first, fourth] + worth[column, third, second] > dealt(first, second) + dealt(
        third, fourth
    )
    return more


def _bad_beats(twenty: Flags, dealer: Ints, number: Ints, blackjack: Flags) -> Counter[str]:
    """Count the player's 20s by dealer hand: Blackjack, 21 by number of cards (7 means 7 or more), or other."""
    made = twenty & (dealer == 21) & ~blackjack
    found = Counter({f"{size}": ways for size, ways in _counted(np.minimum(number[made], 7)).items()})
    found["blackjack"] = int((twenty & blackjack).sum())
    found["other"] = int(twenty.sum()) - found.total()
    return found


def _counted(numbers: Ints) -> Counter[int]:
    values, ways = np.unique(numbers, return_counts=True)
    return Counter({int(value): int(number) for value, number in zip(values, ways, strict=True)})
