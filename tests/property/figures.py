"""What every wager of the simulated floor must return over a long run, from exact counts.

Every offer of a game is measured on each wager whose payback is counted from the cards. `MORE` has the wagers with a
meter, and those whose payback follows from what the players do; Envy Bonuses are measured where a paytable has them.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb, inf
from typing import Final

from loadtest.floor.over_under import decide
from loadtest.floor.set_hands import SetHand
from shared.cards import Card
from shared.cards.ranking.pai_gow import HighHands, card_set, formed, low_rank
from shared.cards.ranking.seven_card_counts import count_seven_cards
from shared.rules import Round, Settlement, game_of
from shared.rules.catalogue import PaytableRow
from shared.rules.dj_wild import progressive_at_reset as dj_wild_progressive
from shared.rules.envy import ENVY_BONUS
from shared.rules.face_up_pai_gow.payback import progressive_at_reset as face_up_progressive
from shared.rules.face_up_pai_gow.record import FaceUpRound
from shared.rules.over_under.totals import CHOICES, VALUES, wins
from shared.rules.pai_gow.progressive import Progressive
from shared.rules.pai_gow.record import MAIN
from shared.rules.submission import Offer, Selection
from tests.support.returns import LEAST_STAKE, Payback, Returns, counted, row_returns

CUT: Final = 50.0
"""Wagers with rare high rows are measured again with no return above it, which shows the frequent rows sharply."""

PUBLISHED: Final = {"win": 0.2855, "push": 0.4147, "lose": 0.2998}
"""How the main wager of Pai Gow Poker ends where both sides follow the house way of one casino, by analysts."""
OTHER_HOUSE_WAY: Final = 0.025
"""As near as another house way lets these shares be."""

FIVE_CARDS: Final = {
    "royal_flush": 4,
    "straight_flush": 36,
    "four_of_a_kind": 624,
    "full_house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three_of_a_kind": 54_912,
}
"""How many of the 2,598,960 hands of five cards there are of each kind: published figures."""

Backs = Callable[[Round, Settlement], Iterable[float]]
"""Gives what came back of each cent staked, hand by hand."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that is measured: what is expected of one hand, and how a round tells it of its hands."""

    name: str
    expected: Returns
    backs: Backs
    tolerance: float = 0.0
    """How far the exact mean may lie from the expected one."""


def figures(selection: Selection) -> Iterator[Figure]:
    """Yield every figure of a selection that is known exactly."""
    for name, offer in selection.offers.items():
        more = MORE.get((selection.catalogue.id, name), _by_the_cards)
        for figure in more(selection, offer, inf):
            yield figure
            if figure.expected.most > CUT:
                yield from (each for each in more(selection, offer, CUT) if each.name == figure.name)
    if MAIN in selection.offers:
        yield from _main_wager(selection)


def paid(lines: frozenset[str], *, meters_count: bool = True) -> Backs:
    """Return how lines tell what came back of them at each seat, with or without what came off a meter."""

    def backs(round_: Round, settlement: Settlement) -> Iterator[float]:
        del round_
        staked: dict[int, int] = defaultdict(int)
        back: dict[int, int] = defaultdict(int)
        for line in settlement.lines:
            if line.wager in lines:
                staked[line.seat] += line.stake
                back[line.seat] += line.payout + line.stake_returned - (0 if meters_count else line.from_meter)
        return (back[seat] / stake for seat, stake in staked.items())

    return backs


More = Callable[[Selection, Offer, float], Iterator[Figure]]


def _by_the_cards(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    """Count a wager that the cards alone decide, its bonus lines and its Envy Bonuses."""
    count = game_of(selection.catalogue.id).counts.get(offer.name)
    if count is not None:

        def payback(selection: Selection, offer: Offer) -> Fraction:
            return count(selection, offer).mean

        on_top = {row.line for row in offer.paytable.rows if row.line is not None and row.of is not None}
        lines = frozenset({offer.name, *on_top})
        yield Figure(offer.name, counted(selection, offer, payback, cut=cut), paid(lines))
        yield from _envy(selection, offer, payback, cut)


def at_reset(progressive: Callable[[Selection], Fraction]) -> More:
    """Return the figures of a wager with a meter, by what it returns while the meter shows its reset amount."""

    def more(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
        def payback(selection: Selection, _: Offer) -> Fraction:
            return progressive(selection)

        yield Figure(offer.name, counted(selection, offer, payback, cut=cut), paid(frozenset({offer.name})))
        yield from _envy(selection, offer, payback, cut)

    return more


def _envy(selection: Selection, offer: Offer, payback: Payback, cut: float) -> Iterator[Figure]:
    """Count what each other hand earns a Qualifying Wager, dollars."""

    def dollars(row: PaytableRow) -> Fraction:
        return Fraction(row.envy or 0, 100)

    def backs(round_: Round, settlement: Settlement) -> Iterator[float]:
        earned: Counter[int] = Counter()
        for line in settlement.lines:
            if line.wager == ENVY_BONUS and line.paragraph == offer.paytable.paragraph:
                earned[line.seat] += line.payout
        others = len(round_.seats) - 1
        return (min(earned[seat.seat] / 100 / others, cut) for seat in round_.seats if offer.name in seat.wagers)

    if any(row.envy for row in offer.paytable.rows):
        expected = counted(selection, offer, payback, cut=inf, value=dollars)
        if cut == inf:
            yield Figure(f"{ENVY_BONUS} of {offer.name}", expected, backs)


def _of_five_cards(offer: Offer, cut: float, *, meters: bool = True) -> Returns:
    rows = [row for row in offer.paytable.rows if row.option is None and (meters or row.meter is None)]
    return Returns.of(
        ((Fraction(FIVE_CARDS[row.category], 2_598_960), row_returns(offer, row)) for row in rows), cut=cut
    )


def _progressive_payout(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    """Count two cards and the Flop. Nobody folds here: a player who does is not eligible."""
    del selection
    yield Figure(offer.name, _of_five_cards(offer, cut), paid(frozenset({offer.name})))


def _five_card_hand_bonus(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    """Count both wagers. The jackpot on the dealer's hand is shared by all who wagered on it: it does not count."""
    del selection
    for hand, meters in (("player", True), ("dealer", False)):
        wager = f"{offer.name}_{hand}"
        expected = _of_five_cards(offer, cut, meters=meters)
        yield Figure(wager, expected, paid(frozenset({wager}), meters_count=meters))


def _ante_with_its_side(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    """Count the Ante Wager with the Over 23 or Under 18 Wager, for players who take the likelier side."""
    assert selection.decks is not None
    chances = [_chance_of(decide(first, surrenders=False), VALUES[first], selection.decks) for first in VALUES]
    expected = Returns.of([(sum(chances, Fraction()) / len(chances), Fraction(2))], cut=cut)
    yield Figure(offer.name, expected, paid(frozenset({offer.name, *CHOICES})))


def _chance_of(choice: str, first: int, decks: int) -> Fraction:
    """Return how likely two further cards from full decks make `choice` win."""
    left = Counter({value: decks * copies for value, copies in Counter(VALUES.values()).items()})
    left[first] -= 1
    won = sum(
        left[second] * (left[third] - (second == third))
        for second in left
        for third in left
        if wins(choice, first + second + third)
    )
    return Fraction(won, left.total() * (left.total() - 1))


def _of_seven_cards(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    """Count the rows of a Progressive Payout Wager over all seven-card hands, at the reset amount."""
    rows = seven_card_rows(selection, offer)
    yield Figure(offer.name, Returns.of(rows, cut=cut), paid(frozenset({offer.name})))


def seven_card_rows(selection: Selection, offer: Offer) -> list[tuple[Fraction, Fraction]]:
    """Return the probability of each row of a Progressive Payout Wager with what it returns of one cent at reset."""
    regulation = selection.catalogue.id
    if regulation not in _SEVEN_CARDS:
        assert offer.meter is not None
        wager, stake, shown = Progressive(offer), offer.paytable.stake or LEAST_STAKE, offer.meter.reset

        def category(cards: tuple[Card, ...]) -> str | None:
            hand = card_set(cards)
            row = wager.row(hand, formed(hand), stake, shown)
            return None if row is None else row.category

        _SEVEN_CARDS[regulation] = count_seven_cards(category)
    hands = _SEVEN_CARDS[regulation]
    return [(Fraction(hands[row.category], comb(53, 7)), row_returns(offer, row)) for row in offer.paytable.rows]


_SEVEN_CARDS: Final[dict[str, Counter[str | None]]] = {}
"""How many hands win each row, by regulation: the floor offers one paytable of the wager in each."""


def _starting_position(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    """Count one number of seven."""
    ratio = selection.options["starting_position_odds"]
    assert isinstance(ratio, Fraction)
    yield Figure(offer.name, Returns.of([(Fraction(1, 7), ratio + 1)], cut=cut), paid(frozenset({offer.name})))


def _main_wager(selection: Selection) -> Iterator[Figure]:
    """Tell how the main wager ends against a hidden hand: as published, and each side above the other as often."""
    both_lower = selection.catalogue.paragraphs["both_lower"]

    def ended(outcome: str) -> Backs:
        return lambda _, settled: (line.outcome == outcome for line in settled.lines if line.wager == MAIN)

    def above(_: Round, settled: Settlement) -> Iterator[float]:
        ended = [line for line in settled.lines if line.wager == MAIN]
        return (1.0 + (line.outcome == "win") - (line.paragraph == both_lower) for line in ended)

    for outcome, share in PUBLISHED.items():
        yield Figure(f"{MAIN}: {outcome}", Returns(share, share, 1.0), ended(outcome), OTHER_HOUSE_WAY)
    yield Figure(f"{MAIN}: exchanged", EXCHANGED, above)


EXCHANGED: Final = Returns(mean=1.0, square=2.0, most=2.0)
"""Hands that are dealt from one deck and set in one way: 2 where the player's is above, 0 where it is below."""

_RANKING: Final = HighHands()


def _face_up_main_wager(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    """Tell how the cards of both sides compare, also where an Ace High Pai Gow ties with them all."""
    del selection, cut

    def above(round_: Round, _: Settlement) -> Iterator[float]:
        assert isinstance(round_, FaceUpRound)
        dealer = _set_hand(round_.dealer.cards, round_.dealer.low)
        hands = [_set_hand(seat.cards, seat.low) for seat in round_.seats]
        return (1.0 + hand.is_above(dealer) - dealer.is_above(hand) for hand in hands)

    yield Figure(f"{offer.name}: exchanged", EXCHANGED, above)


def _set_hand(cards: tuple[Card, ...], low: tuple[Card, ...]) -> SetHand:
    seven, below = card_set(cards), card_set(low)
    return SetHand(cards, low, _RANKING.rank(seven ^ below), low_rank(below))


MORE: Final[Mapping[tuple[str, str], More]] = {
    ("pa-645a-2011", "progressive_payout"): _of_seven_cards,
    ("pa-647a", "five_card_hand_bonus"): _five_card_hand_bonus,
    ("pa-647a", "progressive_payout"): _progressive_payout,
    ("pa-686a", "ante"): _ante_with_its_side,
    ("pa-687a", "progressive_bonus"): at_reset(dj_wild_progressive),
    ("pa-688a", "face_up_pai_gow_poker"): _face_up_main_wager,
    ("pa-688a", "progressive_payout"): at_reset(face_up_progressive),
    ("ri-pai-gow", "progressive_payout"): _of_seven_cards,
    ("ri-pai-gow", "starting_position"): _starting_position,
}
