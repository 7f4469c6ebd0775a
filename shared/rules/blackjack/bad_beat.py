"""The payback of the Bad Beat Progressive as a function of its meter; hands are played by basic strategy.

Hands that are not split are counted exactly: all cards of player and dealer come from full decks without replacement.
For split hands, only the pair and the dealer's cards are counted exactly; the probability that a split hand reaches 20
is computed with replacement, from the shoe without the pair and the up card.
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
"""The number of cards of each value, indexed by value; index 0 is unused."""


class Drawn(NamedTuple):
    """A hand: its cards, the state of their total (see `shoe`), and the number of orders in which to draw them.

    For split hands, `orders` is multiplied by a probability.
    """

    cards: Cards
    state: int
    orders: int | Fraction


def bad_beat(selection: Selection, offer: Offer, terms: Terms) -> Progressive:
    """Return the payback of the Bad Beat Progressive, for a single player, as a function of the meter reading."""
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
    """Return, for each kind of dealer's hand, the probability that the dealer has it and the player has a 20.

    The keys are examples: one hand for all hands of 21 with the same number of cards, and one for all other totals.
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
    """Yield all finished hands drawn from `starts` (cards -> orders); `draws` is whether a hand in a state draws."""
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
    """Yield the player's hands of 20 under a strategy, and each split pair, weighted by its probability of a 20."""
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
    """Return the probability that at least one of the hands from a split pair is a 20."""
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
    """Yield (is Blackjack, hands) for the dealer's hands of 21 from an up card: first Blackjacks, then the others."""
    holes = [value for value in VALUES_OF_CARDS if is_natural(up, value)]
    yield True, [_hand(up, value)._replace(orders=1) for value in holes]
    starts = {_hand(up, value).cards: 1 for value in VALUES_OF_CARDS if value not in holes}
    drawn = grown(starts, lambda state: points(state) < STANDS_ON)
    yield False, [hand for hand in drawn if points(hand.state) == MOST]


def _together(shoe: Sequence[int], hands: Sequence[Drawn], dealers: Sequence[Drawn]) -> dict[int, Fraction]:
    """Return the probability that one of `hands` meets one of `dealers`, keyed by the dealer's number of cards.

    Seven or more dealer's cards are counted as seven.
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
    """Return a hand of one or two cards as dealt, in either order."""
    cards = _NONE
    for value in values:
        cards = _plus(cards, value)
    return Drawn(cards, _state(cards), 2 if len(set(values)) > 1 else 1)


def _plus(cards: Cards, value: int) -> Cards:
    return (*cards[:value], cards[value] + 1, *cards[value + 1 :])


def _state(cards: Cards) -> int:
    """Return the total of the cards as a state, which does not depend on their order."""
    state = 0
    for value in VALUES_OF_CARDS:
        for _ in range(cards[value]):
            state = add(state, value)
    return state


def _dealer(natural: bool, number: int) -> DealerHand:
    """Return an example of a dealer's hand of 21 with this number of cards; if `natural`, a Blackjack."""
    low = {2: (1, 10), 3: (4, 7, 10), 4: (2, 4, 5, 10), 5: (2, 2, 3, 4, 10), 6: (1, 2, 2, 3, 3, 10)}
    values = low.get(number, (1, 1, 2, 2, 2, 3, 10))
    cards = tuple(CARD_OF[11 if value == 1 else value] for value in values)
    return DealerHand(cards, cards[0], cards[1], total(cards), natural)


_DEALT: Final = [_hand(first, second) for first, second in TWO_CARDS if points(two_cards(first, second)) == _TWENTY]
_OTHER: Final = DealerHand((card := CARD_OF[10], card), card, card, 2 * VALUES[card], False)
