"""Texas Hold 'Em Bonus Poker as it is played best: published figures, and whole deals settled."""

from fractions import Fraction
from itertools import combinations
from math import comb, sqrt
from random import Random
from typing import Any

import pytest

from shared.cards import RANKS, SUITS
from shared.counting.holdem import count_flop, kind_of
from shared.rules import catalogue, compile_rules, parse_round, parse_submission, play
from shared.rules.holdem.play import deals, folded
from shared.rules.submission import select

REGULATION = "pa-647a"
SEED = 20_261_123
DECK = [rank + suit for rank in RANKS for suit in SUITS]


def submission(pays_on: str) -> Any:
    """A submission whose Ante Wager pays on this hand and better."""
    return parse_submission({"options": {"ante_pays_on": pays_on}})


@pytest.mark.parametrize(
    ("pays_on", "house_edge", "of_all", "folds"),
    [
        ("straight", "2.04%", "0.53%", {"32o", "42o", "52o", "62o", "72o"}),
        ("flush", "5.59%", "1.47%", {"32o", "42o", "43o", "52o", "62o", "72o"}),
    ],
)
def test_the_house_edge_and_the_folds_of_both_ante_paytables(
    pays_on: str, house_edge: str, of_all: str, folds: set[str]
) -> None:
    """Analysts publish 2.04% of the Ante Wager and 0.53% of all wagers where straights pay, and these folds."""
    found = play(REGULATION, "ante", submission(pays_on))
    selection = select(catalogue(REGULATION), submission(pays_on))
    assert (house_edge, of_all) == (f"{float(found.house_edge):.2%}", f"{float(found.edge_of_all_staked):.2%}")
    assert folds == folded(selection, selection.offers["ante"])
    assert 6 * 2 * len(folds) * Fraction(1, comb(52, 2)) == found.probability("folded")


@pytest.mark.parametrize(
    ("hand", "equity"), [("AA", "85.20%"), ("KK", "82.40%"), ("AKs", "67.04%"), ("72o", "34.58%"), ("32o", "32.30%")]
)
def test_hands_win_against_a_random_hand_as_published(hand: str, equity: str) -> None:
    """Wins and half of the ties, whichever wagers are made: the best known figures of the two-card hands."""
    lost, tied = (sum(row[place] for row in deals()[hand]) for place in (0, 1))
    every = sum(map(sum, deals()[hand]))
    assert equity == f"{float(1 - Fraction(2 * lost + tied, 2 * every)):.2%}"


def test_a_flush_that_pays_later_costs_what_straights_win() -> None:
    """Counted anew from the ends: the higher threshold only turns wins of the Ante Wager into its return."""
    straight, flush = (play(REGULATION, "ante", submission(on)) for on in ("straight", "flush"))
    assert straight.probability("won") > flush.probability("won")
    assert straight.house_edge < flush.house_edge
    assert straight.wagers == flush.wagers == ("ante", "flop", "turn", "river")


def test_whole_deals_that_are_settled_come_to_what_was_counted() -> None:
    """On some flops, hands are dealt, decided as counting says and settled; the mean net lies within 4 standard errors.

    The expected net of each flop is that of its exact counts, and the standard error is of the hands dealt on it.
    """
    rules, chance = compile_rules(REGULATION, submission("straight")), Random(SEED)
    selection = select(catalogue(REGULATION), submission("straight"))
    folds = folded(selection, selection.offers["ante"])
    deviation = variance = 0.0
    for _ in range(4):
        flop = chance.sample(DECK, 3)
        counts = count_flop(flop)  # type: ignore[arg-type]
        left = [card for card in DECK if card not in flop]
        nets = []
        for _ in range(400):
            cards = chance.sample(left, 6)
            nets.append(settled(rules, counts, flop, cards, folds))
        mean, expected = sum(nets) / len(nets), expected_on(counts, folds)
        deviation += mean - expected
        variance += sum((net - mean) ** 2 for net in nets) / len(nets) ** 2
    assert abs(deviation) < 4 * sqrt(variance), f"seed {SEED}"


def settled(rules: Any, counts: Any, flop: list[str], cards: list[str], folds: frozenset[str]) -> int:
    """Settle one deal: two cards of the player, two of the dealer, turn and river; return the net of all lines."""
    own, dealer, (turn, river) = cards[:2], cards[2:4], cards[4:]
    hole = next(place for place, held in enumerate(counts.holes) if {*held} == {*own})
    seat: dict[str, Any] = {"seat": 1, "player": "p", "cards": own, "wagers": {"ante": 1}}
    if kind_of(own) in folds:  # type: ignore[arg-type]
        seat["folded"] = True
    else:
        seat["wagers"]["flop"] = 2
        if counts.turn_wager[hole]:
            seat["wagers"]["turn"] = 1
        if counts.river_wager[counts.turns.index(turn), hole]:
            seat["wagers"]["river"] = 1
    community = [*flop, turn, river] if "flop" in seat["wagers"] else flop
    record = {"seats": [seat], "dealer": {"cards": dealer}, "community": community}
    return sum(line.net for line in rules.settle(parse_round(REGULATION, record)).lines)


def expected_on(counts: Any, folds: frozenset[str]) -> float:
    """Return the expected net on a flop from its counts the obvious way; straights pay the Ante Wager."""
    net = every = 0
    for hole, turn, ends in zip(counts.holes, counts.turn_wager, counts.ends, strict=True):
        every += int(ends.sum())
        if kind_of(hole) in folds:
            net -= int(ends.sum())
            continue
        for river in (0, 1):
            raised = 2 + int(turn) + river
            lost, _, *won = (int(deals) for deals in ends[river])
            net += raised * sum(won) + sum(won[4:]) - (1 + raised) * lost
    return net / every


def test_every_hand_of_two_cards_has_its_deals() -> None:
    """169 kinds."""
    assert {kind_of(hole) for hole in combinations(DECK, 2)} == set(deals())  # type: ignore[arg-type]
