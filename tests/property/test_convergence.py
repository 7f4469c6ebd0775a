"""Over a long run every wager returns what counting says: the simulator deals fairly, and settlement pays what it must.

Each game plays with every seat taken and a fixed seed, at meters that show their reset amounts. What comes back of each
cent staked, on average over all hands, must be as near to the exact payback as Bennett's inequality promises: from the
exact variance of one hand (the payback of the same paytable with every return squared) and its highest return, both
times the design effect where hands of one round depend on each other. Wagers with rare high rows are measured once more
with no return above `CUT`, which shows the frequent rows sharply. Over all figures together, one choice of the seed in
a million raises a false alarm: each of fewer than a hundred figures may do so in one of a hundred million.

Every offer of a game in `PAYBACKS` is measured, on every wager whose payback is counted from the cards. `MORE` has the
wagers with a meter, and those whose payback follows from what the players do. The games with set hands, where players
may bank, have a module of their own.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, log, log1p, sqrt
from random import Random
from typing import Final

import pytest

from loadtest.blackjack import INSURES
from loadtest.game import AnyRound, FloorGame
from loadtest.games import GAMES
from loadtest.over_under import decide
from loadtest.players import Player
from shared.rules import Refused, Rules, Settlement, catalogue, compile_rules, parse_submission
from shared.rules.blackjack import BLACKJACK
from shared.rules.dj_wild import DJ_WILD, progressive_at_reset
from shared.rules.holdem import HOLDEM
from shared.rules.over_under import OVER_UNDER
from shared.rules.over_under.totals import CHOICES, VALUES, wins
from shared.rules.submission import Offer, Selection, select
from tests.support.returns import Payback, Returns, counted, row_returns

SEED: Final = 20_261_120
ROUNDS: Final = 12_000
FALSE_ALARM: Final = 1e-8
CUT: Final = 50.0
NEAR: Final = 0.35
"""A figure without high returns of which no more is promised than that would show nothing."""

PAYBACKS: Final[Mapping[str, Payback]] = {
    "blackjack": BLACKJACK.payback,
    "dj_wild": DJ_WILD.payback,
    "holdem": HOLDEM.payback,
    "over_under": OVER_UNDER.payback,
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A wager that is measured: the lines whose stakes and payouts count, with or without what came off a meter."""

    wager: str
    lines: frozenset[str]
    expected: Returns
    meters_count: bool = True


@dataclass(slots=True)
class Measured:
    """Hands, the sum of their deviations from the mean, and the sum of the squares of the sums of each round."""

    hands: int = 0
    deviations: float = 0.0
    squares: float = 0.0

    def add(self, deviations: Sequence[float]) -> None:
        """Adds the hands of one round."""
        total = sum(deviations)
        self.hands += len(deviations)
        self.deviations += total
        self.squares += total**2


# --- what is expected ---

More = Callable[[Selection, Offer, float], Iterator[Figure]]


def figures(regulation: str, selection: Selection) -> Iterator[Figure]:
    """Every wager of a selection whose returns are known exactly, and once more where it has high returns."""
    for name, offer in selection.offers.items():
        more = MORE.get((regulation, name), _by_the_cards)
        for figure in more(selection, offer, inf):
            yield figure
            if figure.expected.most > CUT:
                yield from (each for each in more(selection, offer, CUT) if each.wager == figure.wager)


def _by_the_cards(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    beside = {row.line for row in offer.paytable.rows if row.line is not None and row.of is not None}
    try:
        expected = counted(selection, offer, PAYBACKS[selection.catalogue.game], cut=cut)
    except Refused:  # decided by how hands are played, or by a meter
        return
    yield Figure(offer.name, frozenset({offer.name, *beside}), expected)


def at_reset(payback: Callable[[Selection], Fraction]) -> More:
    """A wager with a meter, by a function that counts what it returns while the meter shows its reset amount."""

    def figure(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
        expected = counted(selection, offer, lambda other, _: payback(other), cut=cut)
        yield Figure(offer.name, frozenset({offer.name}), expected)

    return figure


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


def _of_five_cards(offer: Offer, cut: float, *, meters: bool = True) -> Returns:
    rows = [row for row in offer.paytable.rows if row.option is None and (meters or row.meter is None)]
    return Returns.of(
        ((Fraction(FIVE_CARDS[row.category], 2_598_960), row_returns(offer, row)) for row in rows), cut=cut
    )


def _progressive_payout(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    """Nobody folds here: a player who does is not eligible."""
    del selection
    yield Figure(offer.name, frozenset({offer.name}), _of_five_cards(offer, cut))


def _five_card_hand_bonus(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    """The jackpot on the dealer's hand is shared by all who wagered on it: there only what the odds pay is measured."""
    del selection
    player, dealer = f"{offer.name}_player", f"{offer.name}_dealer"
    yield Figure(player, frozenset({player}), _of_five_cards(offer, cut))
    yield Figure(dealer, frozenset({dealer}), _of_five_cards(offer, cut, meters=False), meters_count=False)


def _ante_with_its_side(selection: Selection, offer: Offer, cut: float) -> Iterator[Figure]:
    """The Ante Wager with the Over 23 or Under 18 Wager, for players who take the likelier side."""
    assert selection.decks is not None
    chances = [_chance_of(decide(first, surrenders=False), VALUES[first], selection.decks) for first in VALUES]
    expected = Returns.of([(sum(chances, Fraction()) / len(chances), Fraction(2))], cut=cut)
    yield Figure(offer.name, frozenset({offer.name, *CHOICES}), expected)


def _chance_of(choice: str, first: int, decks: int) -> Fraction:
    """How likely two further cards from full decks make `choice` win."""
    left = Counter({value: decks * copies for value, copies in Counter(VALUES.values()).items()})
    left[first] -= 1
    won = sum(
        left[second] * (left[third] - (second == third))
        for second in left
        for third in left
        if wins(choice, first + second + third)
    )
    return Fraction(won, left.total() * (left.total() - 1))


MORE: Final[Mapping[tuple[str, str], More]] = {
    ("pa-647a", "five_card_hand_bonus"): _five_card_hand_bonus,
    ("pa-647a", "progressive_payout"): _progressive_payout,
    ("pa-686a", "ante"): _ante_with_its_side,
    ("pa-687a", "progressive_bonus"): at_reset(progressive_at_reset),
}


# --- what is measured ---


def play(game: FloorGame, offer: str) -> Iterator[Settlement]:
    """Rounds with every seat taken, each settled at meters that show their reset amounts when awards are paid."""
    submission = parse_submission(game.offers[offer])
    rules = compile_rules(game.regulation, submission)
    selection = select(catalogue(game.regulation), submission)
    reset = {name: each.meter.reset for name, each in selection.offers.items() if each.meter is not None}
    dealing = game.open_table(submission, Random(f"{SEED}/{offer}"))
    players = [
        Player(
            name=f"p{seat}",
            account=f"a{seat}",
            seat=seat,
            wager=1000,
            side_bets={wager: min(amounts) for wager, amounts in dealing.side_bets.items()},
            habits=frozenset({INSURES}),
        )
        for seat in range(1, game.seats + 1)
    ]
    for _ in range(ROUNDS):
        record = dealing.play(players, reset)
        settlement = rules.settle(record)
        if any(line.from_meter for line in settlement.lines):
            settlement = _before_contributions(record, settlement, rules)
        yield settlement


def _before_contributions(record: AnyRound, settlement: Settlement, rules: Rules[AnyRound]) -> Settlement:
    """The same round at meters that show what they did only after its wagers have added to them."""
    before = dict(record.meters)
    for each in settlement.contributions:
        before[each.meter] -= each.cents
    return rules.settle(record.model_copy(update={"meters": before}))


def measure(settlements: Iterable[Settlement], expected: Sequence[Figure]) -> list[Measured]:
    """What came back on all hands, figure by figure."""
    found = [Measured() for _ in expected]
    for settlement in settlements:
        for figure, measured in zip(expected, found, strict=True):
            staked: dict[int, int] = defaultdict(int)
            back: dict[int, int] = defaultdict(int)
            for line in settlement.lines:
                if line.wager in figure.lines:
                    staked[line.seat] += line.stake
                    back[line.seat] += line.payout + line.stake_returned
                    if not figure.meters_count:
                        back[line.seat] -= line.from_meter
            wanted = figure.expected
            measured.add([min(back[seat] / stake, wanted.cut) - wanted.mean for seat, stake in staked.items()])
    return found


# --- what may differ ---


def allowed(expected: Returns, measured: Measured) -> tuple[float, float]:
    """How far the mean of the hands may lie below and above the exact one, by Bennett's inequality.

    P(sum of deviations >= t) <= exp(-V / B^2 h(tB / V)) with h(u) = (1 + u) log(1 + u) - u, for the variance V of the
    sum and deviations of B at most.
    """
    effect = max(1.0, measured.squares / (measured.hands * expected.variance))
    variance = measured.hands * expected.variance * effect
    below = sum_reached(variance, expected.mean * effect, FALSE_ALARM / 2)
    above = sum_reached(variance, (expected.most - expected.mean) * effect, FALSE_ALARM / 2)
    return below / measured.hands, above / measured.hands


def sum_reached(variance: float, most: float, probability: float) -> float:
    """The sum of deviations that is reached with this probability at most."""
    wanted = -log(probability) * most**2 / variance
    low, high = 0.0, 1.0
    while _h(high) < wanted:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _h(middle) < wanted else (low, middle)
    return high * variance / most


def _h(u: float) -> float:
    return (1 + u) * log1p(u) - u


def judge(expected: Sequence[Figure], found: Sequence[Measured]) -> dict[str, str]:
    """The figures that differ by more than chance allows, or of which too little is promised; and by how much."""
    wrong = {}
    for figure, measured in zip(expected, found, strict=True):
        returns = figure.expected
        below, above = allowed(returns, measured)
        deviation = measured.deviations / measured.hands
        if not -below <= deviation <= above or (returns.most <= CUT and above > NEAR):
            name = figure.wager if returns.cut == inf else f"{figure.wager} up to {returns.cut:g}"
            wrong[name] = (
                f"{measured.hands} hands return {returns.mean + deviation:.4f}, exactly {returns.mean:.4f}; "
                f"chance allows {returns.mean - below:.4f} to {returns.mean + above:.4f}"
            )
    return wrong


OFFERS: Final = [
    (game, offer) for game in GAMES if catalogue(game.regulation).game in PAYBACKS for offer in game.offers
]


def figures_of(game: FloorGame, offer: str) -> list[Figure]:
    return list(figures(game.regulation, select(catalogue(game.regulation), parse_submission(game.offers[offer]))))


@pytest.mark.parametrize(("game", "offer"), OFFERS, ids=[offer for _, offer in OFFERS])
def test_wagers_return_what_counting_says(game: FloorGame, offer: str) -> None:
    """On average over all hands, each wager with an exact payback comes as near to it as chance allows."""
    expected = figures_of(game, offer)
    assert {} == judge(expected, measure(play(game, offer), expected))


def test_fewer_than_a_hundred_figures_share_the_false_alarms() -> None:
    """The stated rate holds for all of them together."""
    assert 20 < sum(len(figures_of(game, offer)) for game, offer in OFFERS) < 100


def test_a_paytable_that_pays_otherwise_is_noticed() -> None:
    """Rounds of Over/Under, held against a Bonus Wager that pays 4 to 1 where it pays 1 to 1, raise the alarm."""
    (game,) = (game for game in GAMES if game.regulation == "pa-686a")
    selection = select(catalogue(game.regulation), parse_submission(game.offers["over-under"]))
    offer = selection.offers["bonus"]
    rows = [row.model_copy(update={"odds": "4 to 1"}) if row.odds == "1 to 1" else row for row in offer.paytable.rows]
    other = replace(offer, paytable=offer.paytable.model_copy(update={"rows": tuple(rows)}))
    expected = list(figures(game.regulation, replace(selection, offers={**selection.offers, "bonus": other})))
    assert {"bonus", "bonus up to 50"} == set(judge(expected, measure(play(game, "over-under"), expected)))


def test_many_small_deviations_are_held_to_the_normal_distribution() -> None:
    """Where no hand weighs much the bound is sqrt(2 V log(1 / p)); rare high returns widen it."""
    narrow = sum_reached(10_000.0, 0.001, 1e-8)
    assert sqrt(2 * 10_000 * log(1e8)) == pytest.approx(narrow, rel=1e-4)
    assert narrow < sum_reached(10_000.0, 1000.0, 1e-8)
