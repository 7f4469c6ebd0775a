"""The rankings of Pai Gow Poker: high and low hands with the joker, and the combinations that decide bonus wagers.

Hands are card sets as bit masks, so that the high hand is `seven ^ low`, and `hand & card` tests for a card. The rank
of a high or low hand has the layout of a standard rank (`category_of` reads both), so a hand is set correctly if the
rank of its high hand is not below the rank of its low hand. The joker is an ace, or completes a straight, a flush, a
straight flush or a royal flush, whichever ranks the hand highest.
"""

from collections.abc import Iterable
from enum import IntFlag
from typing import Final, Literal, TypeAlias, cast, get_args

from shared.cards._deck import JOKER, SUITS
from shared.cards._names import Card, StandardCard
from shared.cards.ranking.standard import ACE, VALUES, Category, pack

CardSet: TypeAlias = int
"""A set of cards of one deck with one joker, as a bit mask: one bit for each card."""

Wheel: TypeAlias = Literal["second_highest", "lowest"]
"""The rank of A-2-3-4-5: the second highest straight and the highest straight flush, or the lowest of both."""


class Formed(IntFlag):
    """Combinations that cards can form. Each one also sets the flags it implies: four of a kind also sets `pair`."""

    seven_card_straight_flush = 1 << 0
    """Seven cards of one suit in sequence, without the joker."""
    seven_card_straight_flush_with_joker = 1 << 1
    royal_flush_and_ace_king = 1 << 2
    """A royal flush, with or without the joker, and a natural ace and king of another suit."""
    royal_flush_and_king_queen = 1 << 3
    """A royal flush, with or without the joker, and a natural king and queen of another suit."""
    five_aces = 1 << 4
    five_of_a_kind = 1 << 5
    natural_royal_flush = 1 << 6
    royal_flush = 1 << 7
    straight_flush = 1 << 8
    four_of_a_kind = 1 << 9
    full_house = 1 << 10
    flush = 1 << 11
    straight = 1 << 12
    three_of_a_kind = 1 << 13
    three_pair = 1 << 14
    two_pair = 1 << 15
    pair = 1 << 16


_WIDTH: Final = 16
_SUIT: Final = (1 << _WIDTH) - 1
_JOKER_AT: Final = _WIDTH * len(SUITS)
_BITS: Final[dict[Card, CardSet]] = {
    card: 1 << _WIDTH * SUITS.index(card[1]) + VALUES[card[0]]
    for card in cast(tuple[StandardCard, ...], get_args(StandardCard))
}
_BITS[JOKER] = 1 << _JOKER_AT

_BY_VALUE: Final = tuple(
    (value, sum(1 << _WIDTH * suit + value for suit in range(len(SUITS))) | (_BITS[JOKER] if value == ACE else 0))
    for value in range(ACE, 1, -1)
)

_ACE: Final = 1 << ACE
_ROYAL: Final = sum(1 << value for value in range(10, ACE + 1))
_ACE_KING: Final = _ACE | 1 << ACE - 1
_KING_QUEEN: Final = 1 << ACE - 1 | 1 << ACE - 2


def card_set(cards: Iterable[Card]) -> CardSet:
    """Return the set of these cards; duplicates count once."""
    cards_held = 0
    for card in cards:
        cards_held |= _BITS[card]
    return cards_held


def cards_of(hand: CardSet) -> tuple[Card, ...]:
    """Return the cards of a set: spades first, ranks descending, the joker last.

    >>> cards_of(card_set(["9h", "Jk", "Ah", "2s"]))
    ('2s', 'Ah', '9h', 'Jk')
    """
    return tuple(card for card, bit in _BITS.items() if hand & bit)


def holds_joker(hand: CardSet) -> bool:
    """Return whether the joker is among the cards."""
    return hand >> _JOKER_AT != 0


def by_value(hand: CardSet) -> dict[int, tuple[CardSet, ...]]:
    """Return value -> the cards of that value, each as a set; highest value first, the joker among the aces.

    >>> {value: len(cards) for value, cards in by_value(card_set(["9h", "Jk", "9d", "2s"])).items()}
    {14: 1, 9: 2, 2: 1}
    """
    found: dict[int, tuple[CardSet, ...]] = {}
    for value, mask in _BY_VALUE:
        held = hand & mask
        if held:
            cards = []
            while held:
                card = held & -held
                cards.append(card)
                held ^= card
            found[value] = tuple(cards)
    return found


def top_value(hand: CardSet) -> int:
    """Return the value of the highest card, 14 for an ace or the joker.

    >>> top_value(card_set(["9s", "4d"]))
    9
    """
    if hand >> _JOKER_AT:
        return ACE
    ranks = hand | hand >> 2 * _WIDTH
    return ((ranks | ranks >> _WIDTH) & _SUIT).bit_length() - 1


def low_rank(hand: CardSet) -> int:
    """Return the rank of a two-card low hand: a pair, or else the higher card, then the lower. The joker is an ace."""
    halves = hand | hand >> 2 * _WIDTH
    ranks = (halves | halves >> _WIDTH) & _SUIT
    if hand >> _JOKER_AT:
        if ranks & _ACE:
            return _PAIR | _FALLING[_ACE]
        ranks |= _ACE
    falling = _FALLING[ranks]
    return falling if ranks & ranks - 1 else _PAIR | falling


class HighHands:
    """The ranking of five-card high hands; `wheel` is the place of A-2-3-4-5 among the straights."""

    __slots__ = ("_straights", "_suited", "wheel")

    def __init__(self, wheel: Wheel = "second_highest") -> None:
        """Tabulate the ranks of all straights, natural or completed by the joker, by the values present."""
        self.wheel = wheel
        self._straights: Final[dict[int, int]] = {}
        self._suited: Final[dict[int, int]] = {}
        for top in range(5, ACE + 1):
            low_ace = top == 5 and wheel == "second_highest"
            # A-2-3-4-5 ranks between A-K-Q-J-10 and K-Q-J-10-9, so the latter and all lower straights rank one lower.
            place = ACE - 1 if low_ace else top if top == ACE or wheel == "lowest" else top - 1
            straight = pack(Category.straight, (place,))
            if top == ACE:
                suited = pack(Category.royal_flush, (top,))
            else:
                suited = pack(Category.straight_flush, (ACE if low_ace else top,))
            window = sum(1 << (value if value > 1 else ACE) for value in range(top - 4, top + 1))
            for held in (window, *(window ^ 1 << value for value in range(2, ACE + 1) if window >> value & 1)):
                self._straights[held] = max(straight, self._straights.get(held, 0))
                self._suited[held] = max(suited, self._suited.get(held, 0))

    def rank(self, hand: CardSet) -> int:
        """Return the rank of exactly five cards; the higher rank wins, equal ranks are a copy (tie).

        >>> high = HighHands().rank
        >>> high(card_set(["As", "2d", "3d", "4d", "5c"])) > high(card_set(["Ks", "Qd", "Jd", "Td", "9c"]))
        True
        """
        spades, hearts = hand & _SUIT, hand >> _WIDTH & _SUIT
        diamonds, clubs = hand >> 2 * _WIDTH & _SUIT, hand >> 3 * _WIDTH & _SUIT
        joker = hand >> _JOKER_AT
        major, minor = spades | hearts, diamonds | clubs
        ranks, pairs = major | minor, spades & hearts | diamonds & clubs | major & minor
        if not pairs:
            if ranks in (spades, hearts, diamonds, clubs):
                rank = self._suited.get(ranks)
                if rank is not None:
                    return rank
                if joker:
                    ranks |= _highest_not_in(ranks)
                return _FLUSH | _FALLING[ranks]
            rank = self._straights.get(ranks)
            if rank is not None:
                return rank
            if not joker:
                return _FALLING[ranks]
        threes, fours = spades & hearts & minor | diamonds & clubs & major, spades & hearts & diamonds & clubs
        if joker:
            if fours & _ACE:
                return _FIVE_ACES
            fours |= threes & _ACE
            threes |= pairs & _ACE
            pairs |= ranks & _ACE
            ranks |= _ACE
        if fours:
            return _FOUR_OF_A_KIND | _FALLING[fours] | _FALLING[ranks ^ fours] >> 4
        if threes:
            if pairs != threes:
                return _FULL_HOUSE | _FALLING[threes] | _FALLING[pairs ^ threes] >> 4
            return _THREE_OF_A_KIND | _FALLING[threes] | _FALLING[ranks ^ threes] >> 4
        if not pairs:
            return _FALLING[ranks]
        if pairs & pairs - 1:
            return _TWO_PAIR | _FALLING[pairs] | _FALLING[ranks ^ pairs] >> 8
        return _PAIR | _FALLING[pairs] | _FALLING[ranks ^ pairs] >> 4


def formed(hand: CardSet, *, wild_joker: bool = False) -> int:
    """Return the combinations that five to seven cards can form, as flags of `Formed`; 0 if there are none.

    With `wild_joker` the joker may be any card, otherwise an ace or the card that completes a straight or a flush.

    >>> Formed(formed(card_set(["Ks", "Kd", "Jk", "9s", "5h", "4d", "2c"]))).name
    'pair'
    """
    suits = hand & _SUIT, hand >> _WIDTH & _SUIT, hand >> 2 * _WIDTH & _SUIT, hand >> 3 * _WIDTH & _SUIT
    spades, hearts, diamonds, clubs = suits
    joker = hand >> _JOKER_AT
    major, minor = spades | hearts, diamonds | clubs
    ranks, pairs = major | minor, spades & hearts | diamonds & clubs | major & minor
    found = 0
    for suit in suits:
        if suit.bit_count() + joker >= 5:
            found = _formed_suited(suit, suits, joker)
            break
    if _spans(ranks, joker):
        found |= _STRAIGHT_FORMED
    if not pairs and not joker:
        return found
    threes, fours = spades & hearts & minor | diamonds & clubs & major, spades & hearts & diamonds & clubs
    if not joker:
        return found | _formed_of_kinds(pairs, threes, fours)
    if wild_joker:
        for value in range(2, ACE + 1):
            found |= _joined(1 << value, ranks, pairs, threes, fours)
        return found
    return found | _joined(_ACE, ranks, pairs, threes, fours)


def _formed_suited(suit: int, suits: Iterable[int], joker: int) -> int:
    """Return the combinations in a suit that has a flush, and its royal flush with two cards of another suit."""
    found = int(Formed.flush)
    natural = (suit & _ROYAL).bit_count()
    if natural + joker >= 5:
        found |= Formed.royal_flush | Formed.straight_flush
        if natural == 5:
            found |= Formed.natural_royal_flush
        for other in suits:
            if other != suit:
                if other & _ACE_KING == _ACE_KING:
                    found |= Formed.royal_flush_and_ace_king
                if other & _KING_QUEEN == _KING_QUEEN:
                    found |= Formed.royal_flush_and_king_queen
    elif _spans(suit, joker):
        found |= Formed.straight_flush
    if suit.bit_count() + joker == 7 and _spans(suit, joker, length=7):
        found |= Formed.seven_card_straight_flush_with_joker if joker else Formed.seven_card_straight_flush
    return int(found)


def _spans(ranks: int, joker: int, length: int = 5) -> bool:
    """Return whether `length` ranks are in sequence, with the joker for one of them; an ace is high or low."""
    ranks |= ranks >> ACE << 1
    run, run_with_gap = ranks, -1
    for step in range(1, length):
        next_rank = ranks >> step
        run_with_gap = run_with_gap & next_rank | run
        run &= next_rank
    starts = (1 << ACE + 2 - length) - 2
    return (run | run_with_gap if joker else run) & starts != 0


def _joined(rank: int, ranks: int, pairs: int, threes: int, fours: int) -> int:
    """Return the combinations of equal ranks if the joker counts as a card of `rank`; all arguments are bit masks."""
    found = _formed_of_kinds(pairs | ranks & rank, threes | pairs & rank, fours | threes & rank)
    if fours & rank:
        found |= _FIVE_ACES_FORMED if rank == _ACE else _FIVE_OF_A_KIND_FORMED
    return found


def _formed_of_kinds(pairs: int, threes: int, fours: int) -> int:
    """Return the combinations of equal ranks, given bit masks of the ranks with at least two, three and four cards."""
    number = pairs.bit_count()
    found = _PAIRS_FORMED[number]
    if threes:
        found |= _THREE_OF_A_KIND_FORMED
        if number > 1:
            found |= _FULL_HOUSE_FORMED
        if fours:
            found |= _FOUR_OF_A_KIND_FORMED
    return found


def _highest_not_in(ranks: int) -> int:
    """Return the bit of the highest rank that is not among `ranks`."""
    return next(1 << value for value in range(ACE, 1, -1) if not ranks >> value & 1)


class _Falling(dict[int, int]):
    """Bit mask of ranks -> rank of the high-card hand of the five highest; computed on first use."""

    def __missing__(self, ranks: int) -> int:
        packed = self[ranks] = pack(
            Category.high_card, [value for value in range(ACE, 1, -1) if ranks >> value & 1][:5]
        )
        return packed


_FALLING: Final = _Falling()

_PAIR: Final = pack(Category.pair, ())
_TWO_PAIR: Final = pack(Category.two_pair, ())
_THREE_OF_A_KIND: Final = pack(Category.three_of_a_kind, ())
_FLUSH: Final = pack(Category.flush, ())
_FULL_HOUSE: Final = pack(Category.full_house, ())
_FOUR_OF_A_KIND: Final = pack(Category.four_of_a_kind, ())
_FIVE_ACES: Final = pack(Category.five_of_a_kind, (ACE,))

# Flags as integers, because combining enumeration members costs more than ranking a hand.
_STRAIGHT_FORMED: Final = int(Formed.straight)
_FIVE_OF_A_KIND_FORMED: Final = int(Formed.five_of_a_kind)
_FIVE_ACES_FORMED: Final = int(Formed.five_of_a_kind | Formed.five_aces)
_THREE_OF_A_KIND_FORMED: Final = int(Formed.three_of_a_kind)
_FULL_HOUSE_FORMED: Final = int(Formed.full_house)
_FOUR_OF_A_KIND_FORMED: Final = int(Formed.four_of_a_kind)
_PAIRS_FORMED: Final = (
    0,
    int(Formed.pair),
    int(Formed.pair | Formed.two_pair),
    int(Formed.pair | Formed.two_pair | Formed.three_pair),
)
