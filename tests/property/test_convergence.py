"""Over a long run every wager returns what counting says: the simulator deals fairly, and settlement pays what it must.

Each offer of the floor plays with every seat taken and a fixed seed, at meters that show their reset amounts; players
bank where they may. The mean of each figure over all hands must be as near to the exact one as Bennett's inequality
promises. Over all figures together, one choice of the seed in a million raises a false alarm: each of fewer than two
hundred may do so in one of two hundred million.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import comb, inf, log, sqrt
from random import Random
from typing import Any, Final

import pytest

from loadtest.floor.blackjack import INSURES
from loadtest.floor.game import FloorGame
from loadtest.floor.games import GAMES
from loadtest.floor.pai_gow import BANKS, CLASSIC, CO_BANKS, PAI_GOW, RHODE_ISLAND_PAI_GOW
from loadtest.floor.players import Player
from shared.rules import Round, Rules, Settlement, catalogue, compile_rules, parse_submission
from shared.rules.submission import Selection, select
from tests.property.figures import CUT, Figure, figures, seven_card_rows
from tests.support.nightly import AT_NIGHT, sampled
from tests.support.returns import allowed, sum_reached

SEED: Final = 20_261_120
ROUNDS: Final = 3_000
ROUNDS_OF_BLACKJACK: Final = 6_000
"""Its returns vary more: of fewer rounds too little would be promised."""
FALSE_ALARM: Final = 5e-9
NEAR: Final = 0.5
"""A figure without high returns of which no more is promised than that would show nothing."""

GAME_OF: Final = {offer: game for game in GAMES for offer in game.offers}


@dataclass(slots=True)
class Measured:
    """Hands, the sum of their deviations from the mean, and the sum of the squares of the sums of each round."""

    hands: int = 0
    deviations: float = 0.0
    squares: float = 0.0

    def add(self, deviations: Sequence[float]) -> None:
        """Add the hands of one round."""
        total = sum(deviations)
        self.hands += len(deviations)
        self.deviations += total
        self.squares += total**2


def selected(game: FloorGame, offer: str) -> Selection:
    """Return what an offer of the floor selects."""
    return select(catalogue(game.regulation), parse_submission(game.offers[offer]))


@cache
def figures_of(offer: str) -> tuple[Figure, ...]:
    """Return every figure of an offer."""
    return tuple(figures(selected(GAME_OF[offer], offer)))


def play(game: FloorGame, offer: str) -> Iterator[tuple[Round, Settlement]]:
    """Yield rounds with every seat taken, settled at meters that show their reset amounts when awards are paid."""
    submission = parse_submission(game.offers[offer])
    rules = compile_rules(game.regulation, submission)
    meters = {name: each.meter.reset for name, each in selected(game, offer).offers.items() if each.meter is not None}
    dealing = game.open_table(submission, Random(f"{SEED}/{offer}"))
    players = [
        Player(
            name=f"p{seat}",
            account=f"a{seat}",
            seat=seat,
            wager=2500,
            side_bets={wager: min(amounts) for wager, amounts in dealing.side_bets.items()},
            habits=frozenset({INSURES, BANKS, CO_BANKS} if seat % 2 else {INSURES, BANKS}),
        )
        for seat in range(1, game.seats + 1)
    ]
    for _ in range(ROUNDS_OF_BLACKJACK if game.code == "BJ" else ROUNDS):
        record = dealing.play(players, meters)
        settlement = rules.settle(record)
        if any(line.from_meter for line in settlement.lines):
            settlement = _before_contributions(record, settlement, rules)
        yield record, settlement


def _before_contributions(record: Round, settlement: Settlement, rules: Rules[Any]) -> Settlement:
    """Settle the same round at meters that show what they did only after its wagers have added to them."""
    before = dict(record.meters)
    for each in settlement.contributions:
        before[each.meter] -= each.cents
    return rules.settle(record.model_copy(update={"meters": before}))


def measure(rounds: Iterable[tuple[Round, Settlement]], expected: Sequence[Figure]) -> list[Measured]:
    """Return what came back on all hands, figure by figure."""
    found = [Measured() for _ in expected]
    for record, settlement in rounds:
        for figure, measured in zip(expected, found, strict=True):
            mean, cut = figure.expected.mean, figure.expected.cut
            measured.add([min(back, cut) - mean for back in figure.backs(record, settlement)])
    return found


def judge(expected: Sequence[Figure], found: Sequence[Measured]) -> dict[str, str]:
    """Return the figures that differ by more than chance allows, or that promise too little, and by how much."""
    wrong = {}
    for figure, measured in zip(expected, found, strict=True):
        returns = figure.expected
        below, above = allowed(returns, measured.hands, measured.squares, FALSE_ALARM)
        below, above = below + figure.tolerance, above + figure.tolerance
        deviation = measured.deviations / measured.hands
        if not -below <= deviation <= above or (returns.most <= CUT and above > NEAR):
            name = figure.name if returns.cut == inf else f"{figure.name} up to {returns.cut:g}"
            wrong[name] = (
                f"{measured.hands} hands return {returns.mean + deviation:.4f}, exactly {returns.mean:.4f}; "
                f"chance allows {returns.mean - below:.4f} to {returns.mean + above:.4f}"
            )
    return wrong


@sampled(2)
@pytest.mark.parametrize("offer", GAME_OF)
def test_wagers_return_what_counting_says(offer: str) -> None:
    """On average over all hands, each wager with an exact payback comes as near to it as chance allows."""
    expected = figures_of(offer)
    assert {} == judge(expected, measure(play(GAME_OF[offer], offer), expected))


@AT_NIGHT
def test_fewer_than_two_hundred_figures_share_the_false_alarms() -> None:
    """The stated rate holds for all of them together."""
    assert 60 < sum(len(figures_of(offer)) for offer in GAME_OF) < 200


def test_a_paytable_that_pays_otherwise_is_noticed() -> None:
    """Rounds of Over/Under, held against a Bonus Wager that pays 4 to 1 where it pays 1 to 1, raise the alarm."""
    (game,) = (game for game in GAMES if game.regulation == "pa-686a")
    selection = selected(game, "over-under")
    offer = selection.offers["bonus"]
    rows = [row.model_copy(update={"odds": "4 to 1"}) if row.odds == "1 to 1" else row for row in offer.paytable.rows]
    other = replace(offer, paytable=offer.paytable.model_copy(update={"rows": tuple(rows)}))
    expected = list(figures(replace(selection, offers={**selection.offers, "bonus": other})))
    assert {"bonus", "bonus up to 50"} == set(judge(expected, measure(play(game, "over-under"), expected)))


def test_many_small_deviations_are_held_to_the_normal_distribution() -> None:
    """Where no hand weighs much the bound is sqrt(2 V log(1 / p)); rare high returns widen it."""
    narrow = sum_reached(10_000.0, 0.001, 1e-8)
    assert sqrt(2 * 10_000 * log(1e8)) == pytest.approx(narrow, rel=1e-4)
    assert narrow < sum_reached(10_000.0, 1000.0, 1e-8)


def test_the_rows_of_pennsylvanias_progressive_come_to_the_published_payback() -> None:
    """The published frequencies of what the text pays, a Royal Match as a royal flush, a dollar for each chance."""
    selection = selected(PAI_GOW, CLASSIC)
    rows = seven_card_rows(selection, selection.offers["progressive_payout"])
    meter = 5_000
    pays = {228: meter, 1_128: meter // 10, 26_092: 500, 184_644: 100, 307_472: 75, 4_188_528: 4}
    back = Fraction(sum(hands * dollars for hands, dollars in pays.items()), comb(53, 7))
    assert back == sum((probability * returns for probability, returns in rows), Fraction())


@AT_NIGHT
def test_rhode_islands_hand_types_are_the_published_hands_together() -> None:
    """Everything from three-of-a-kind on wins, whichever way the two hands are formed."""
    (offer,) = RHODE_ISLAND_PAI_GOW.offers
    selection = selected(RHODE_ISLAND_PAI_GOW, offer)
    rows = seven_card_rows(selection, selection.offers["progressive_payout"])
    assert Fraction(29_586_884, comb(53, 7)) == sum((probability for probability, _ in rows), Fraction())
