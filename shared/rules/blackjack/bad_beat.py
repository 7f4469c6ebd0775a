"""The return of the Bad Beat Progressive as a function of its meter, if the Blackjack Wager is played by its card.

A hand that is not split is counted exactly: every card of the player and of the dealer comes from full decks and is
not put back. Of hands that are split, the first two cards and the dealer's are; whether one of them makes 20 is drawn
from the shoe without the pair and the up card, each card put back.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import perm
from typing import Final, NamedTuple, TypeAlias

from shared.rules.blackjack.dealer import DealerHand
from shared.rules.blackjack.hand_ends import hands_of_split, split_ends
from shared.rules.blackjack.hit_and_run import CARD_OF
from shared.rules.blackjack.progressives import BadBeat
from shared.rules.blackjack.shoe import (
    STANDS_ON,
    TEN,
    VALUES_OF_CARDS,
    add,
    full_shoe,
    is_natural,
    points,
    shares,
    two_cards,
    without,
)
from shared.rules.blackjack.strategy import TWO_CARDS, Strategy, Terms, additional_splits, strategy_against
from shared.rules.blackjack.totals import MOST, VALUES, total
from shared.rules.progressive import Hands, Progressive, with_bonus
from shared.rules.submission import Offer, Selection

ASSUMED: Final = (
    "the Blackjack Wager is played by its card; a hand that is split draws its cards as if all but the pair and the up "
    "card were in the shoe again, all other cards come from full decks; one winner has all of the meter; where "
    "offered, a Magic Card of 52 and a lucky seat are selected in every round, each as likely"
)

_TWENTY: Final = MOST - 1
_MOST_CARDS: Final = 7
_PARTS: Final = 10**12
_NONE: Final = (0,) * (TEN + 1)

Cards: TypeAlias = tuple[int, ...]
"""How many cards of each value; place 0 is empty."""


class Drawn(NamedTuple):
    """Cards, their total as a state, and in how many orders they come (or that times a probability)."""

    cards: Cards
    state: int
    orders: int | Fraction


def bad_beat(selection: Selection, offer: Offer, terms: Terms) -> Progressive:
    """Return the Bad Beat Progressive as a function of its meter, for a single player."""
    assert selection.decks is not None
    rows = BadBeat(offer)
    hands: list[Hands] = []
    for dealer, chance in twenties(selection.decks, terms).items():
        hands.append((chance, rows.row_of(dealer)))
    hands.append((1 - sum((chance for chance, _ in hands), Fraction(0)), None))
    cards = 52 * selection.decks
    twins = Fraction(selection.decks - 1, cards - 1)
    hands = with_bonus(hands, rows.rows.get("magic_card"), (2 - twins) / 52)
    hands = with_bonus(hands, rows.rows.get("lucky_player"), Fraction(1, selection.catalogue.seats.most))
    return Progressive.counted(offer, hands, ASSUMED, by_model=True)


def twenties(decks: int, terms: Terms) -> Mapping[DealerHand, Fraction]:
    """Return the probability of a player's 20 with each of the dealer's hands that differ in what it wins.

    One hand represents all dealer's hands of 21 with that number of cards, and one all other totals.
    """
    shoe = full_shoe(decks)
    found: defaultdict[DealerHand, Fraction] = defaultdict(Fraction)
    for up in VALUES_OF_CARDS:
        strategy = strategy_against(up, tuple(without(shoe, up)), terms)
        played = list(_played(strategy, without(shoe, up)))
        beaten = Fraction(0)
        made = _sum(_together(shoe, played, [_hand(up)]))
        for natural, against in _dealers(up):
            hands = played
            if natural and not terms.from_hand:
                hands = _DEALT
                made += _sum(_together(shoe, _DEALT, against)) - _sum(_together(shoe, played, against))
            chances = _together(shoe, hands, against)
            beaten += _sum(chances)
            for number, chance in chances.items():
                found[_dealer(natural, number)] += chance
        found[_OTHER] += made - beaten
    return found


def grown(starts: Mapping[Cards, int], draws: Callable[[int], bool]) -> Iterator[Drawn]:
    """Yield the completed hands that grow from unfinished ones, with their orders."""
    waiting: Mapping[Cards, int] = starts
    while waiting:
        more: Counter[Cards] = Counter()
        for cards, orders in waiting.items():
            state = _state(cards)
            if draws(state):
                for value in VALUES_OF_CARDS:
                    more[_plus(cards, value)] += orders
            else:
                yield Drawn(cards, state, orders)
        waiting = more


def _played(strategy: Strategy, left: Sequence[int]) -> Iterator[Drawn]:
    """Yield the hands of 20 played by the card; for split hands, the pair, weighted by its probability."""
    starts: Counter[Cards] = Counter()
    for first, second in TWO_CARDS:
        if is_natural(first, second):
            continue
        begun = _hand(first, second)
        match strategy.first(first, second):
            case "double":
                for value in VALUES_OF_CARDS:
                    cards = _plus(begun.cards, value)
                    if points(_state(cards)) == _TWENTY:
                        yield Drawn(cards, _state(cards), begun.orders)
            case "split":
                yield begun._replace(orders=_split(first, strategy, left))
            case "hit" | "stand":
                assert isinstance(begun.orders, int)
                starts[begun.cards] = begun.orders
            case "surrender":
                pass
    for drawn in grown(starts, strategy.draws.__getitem__):
        if points(drawn.state) == _TWENTY:
            yield drawn


def _split(value: int, strategy: Strategy, left: Sequence[int]) -> Fraction:
    """Return the probability of a 20 among the hands from a pair."""
    drawn = shares(without(left, value, value))
    others, pairs = hands_of_split(value, strategy, drawn)
    again = drawn[value]
    made, of_pair = others.finished(_TWENTY), pairs.finished(_TWENTY)
    ends = split_ends(
        {0: 1 - again - made, 1: made},
        {0: again - of_pair, 1: of_pair},
        again,
        additional_splits(strategy.terms, left[value]),
    )
    return Fraction(round((1 - ends[0]) * _PARTS), _PARTS)


def _dealers(up: int) -> Iterator[tuple[bool, list[Drawn]]]:
    """Yield the dealer's hands of 21 from an up card, Blackjacks (True) and others."""
    holes = [value for value in VALUES_OF_CARDS if is_natural(up, value)]
    yield True, [_hand(up, value)._replace(orders=1) for value in holes]
    starts = {_hand(up, value).cards: 1 for value in VALUES_OF_CARDS if value not in holes}
    drawn = grown(starts, lambda state: points(state) < STANDS_ON)
    yield False, [hand for hand in drawn if points(hand.state) == MOST]


def _together(shoe: Sequence[int], hands: Sequence[Drawn], dealers: Sequence[Drawn]) -> dict[int, Fraction]:
    """Return the probability that one of the hands meets one of the dealer's, by the number of the dealer's cards.

    More than seven cards count as seven.
    """
    ways = [[perm(copies, number) for number in range(MOST + 1)] for copies in shoe]
    found: defaultdict[tuple[int, int], int | Fraction] = defaultdict(int)
    for dealer in dealers:
        number = sum(dealer.cards)
        for hand in hands:
            orders = hand.orders * dealer.orders
            for copies, own, other in zip(ways, hand.cards, dealer.cards, strict=True):
                if own or other:
                    orders *= copies[own + other]
            found[number, sum(hand.cards) + number] += orders
    chances: dict[int, Fraction] = {}
    for (number, cards), orders in found.items():
        key = min(number, _MOST_CARDS)
        chances[key] = chances.get(key, Fraction(0)) + Fraction(orders) / perm(sum(shoe), cards)
    return chances


def _sum(chances: Mapping[int, Fraction]) -> Fraction:
    return sum(chances.values(), Fraction(0))


def _hand(*values: int) -> Drawn:
    """Return up to two cards as dealt, in either order."""
    cards = _NONE
    for value in values:
        cards = _plus(cards, value)
    return Drawn(cards, _state(cards), 2 if len(set(values)) > 1 else 1)


def _plus(cards: Cards, value: int) -> Cards:
    return (*cards[:value], cards[value] + 1, *cards[value + 1 :])


def _state(cards: Cards) -> int:
    """Return the total as a state; it does not depend on the order of the cards."""
    state = 0
    for value in VALUES_OF_CARDS:
        for _ in range(cards[value]):
            state = add(state, value)
    return state


def _dealer(natural: bool, number: int) -> DealerHand:
    """Return a dealer's hand of 21 with this number of cards."""
    low = {2: (1, 10), 3: (4, 7, 10), 4: (2, 4, 5, 10), 5: (2, 2, 3, 4, 10), 6: (1, 2, 2, 3, 3, 10)}
    values = low.get(number, (1, 1, 2, 2, 2, 3, 10))
    cards = tuple(CARD_OF[11 if value == 1 else value] for value in values)
    return DealerHand(cards, cards[0], cards[1], total(cards), natural)


_DEALT: Final = [_hand(first, second) for first, second in TWO_CARDS if points(two_cards(first, second)) == _TWENTY]
_OTHER: Final = DealerHand((card := CARD_OF[10], card), card, card, 2 * VALUES[card], False)
