"""Counting Texas Hold 'Em Bonus Poker: against playing every deal out with another evaluator, and against the files."""

from collections import Counter
from functools import cache
from itertools import combinations
from math import comb
from random import Random
from typing import Any

import numpy as np
import pytest
from phevaluator import evaluate_cards

from services.cli.codegen.generate import ROOT
from shared.cards import RANKS
from shared.counting import holdem_tables
from shared.counting.holdem import OUTCOMES, Flop, count_flop, deck, flops, kind_of
from shared.counting.holdem_tables import DEALS, FLOPS, FlopSums, count_deals, sums
from shared.rules.holdem import play
from shared.rules.packaged import parsed
from tests.support.nightly import sampled

KEPT: dict[str, Any] = parsed((ROOT / DEALS).read_text())
BY_FLOP: dict[str, list[int]] = parsed((ROOT / FLOPS).read_text())["flops"]


@cache
def strength(cards: frozenset[str]) -> int:
    """Return the rank of seven cards by another evaluator; the greater wins."""
    return -int(evaluate_cards(*cards))


CATEGORIES = (
    (1, "royal_flush"),
    (10, "straight_flush"),
    (166, "four_of_a_kind"),
    (322, "full_house"),
    (1599, "flush"),
    (1609, "straight"),
    (2467, "three_of_a_kind"),
    (3325, "two_pair"),
    (6185, "pair"),
    (7462, "high_card"),
)
"""The last of the other evaluator's 7,462 ranks in each category, best first."""


def category(rank: int) -> str:
    """Return the category of a rank of the other evaluator."""
    return next(name for last, name in CATEGORIES if -rank <= last)


def played_out(hole: tuple[str, str], flop: tuple[str, ...], ranks: str) -> tuple[bool, list[list[int]]]:
    """Play every deal on a flop: whether the Turn Wager is made, and how deals end without and with the River Wager."""
    left = [card for card in deck(ranks) if card not in {*hole, *flop}]
    ends = [[0] * len(OUTCOMES), [0] * len(OUTCOMES)]
    ahead = 0
    for turn in left:
        of_turn: Counter[str] = Counter()
        for river in left:
            if river == turn:
                continue
            board = frozenset({*flop, turn, river})
            own = strength(board | {*hole})
            rest = [card for card in left if card not in (turn, river)]
            for dealer in combinations(rest, 2):
                other = strength(board | {*dealer})
                of_turn["lose" if own < other else "tie" if own == other else category(own)] += 1
        lead = of_turn.total() - of_turn["tie"] - 2 * of_turn["lose"]
        ahead += lead
        for outcome, deals in of_turn.items():
            ends[lead > 0][OUTCOMES.index(outcome)] += deals
    return ahead > 0, ends


@pytest.mark.parametrize("flop", [("As", "Ks", "Th"), ("Qs", "Js", "9s"), ("Jh", "Jd", "9c")])
def test_a_small_deck_is_counted_as_it_is_played_out(flop: Any) -> None:
    """Four suits of six ranks: some of the hands on a flop, with all turns, rivers and hands of the dealer."""
    counts = count_flop(flop, "AKQJT9")
    for number in range(0, len(counts.holes), 29):
        turn_wager, ends = played_out(counts.holes[number], flop, "AKQJT9")
        assert (turn_wager, ends) == (bool(counts.turn_wager[number]), counts.ends[number].tolist())


def test_the_whole_deck_is_counted_as_other_ranks_say() -> None:
    """On chosen cards up to the turn, all rivers and hands of the dealer decide whether the River Wager is made."""
    chance = Random(20_261_123)
    cards = chance.sample(deck(RANKS), 3)
    counts = count_flop(cards)
    for _ in range(3):
        hole, turn = chance.choice(counts.holes), chance.choice(counts.turns)
        if turn in hole:
            continue
        lead = 0
        left = [card for card in counts.turns if card not in {*hole, turn}]
        for river in left:
            board = frozenset({*cards, turn, river})
            own = strength(board | {*hole})
            others = (strength(board | {*dealer}) for dealer in combinations([c for c in left if c != river], 2))
            lead += sum((own > other) - (own < other) for other in others)
        place = counts.turns.index(turn), counts.holes.index(hole)
        assert (lead > 0) == bool(counts.river_wager[place])


def test_flops_stand_for_all_flops() -> None:
    """1,755 of them, as is well known, stand for 22,100."""
    found = list(flops())
    assert (1_755, comb(52, 3)) == (len(found), sum(flop.ways for flop in found))
    assert [holdem_tables.name_of(flop.cards) for flop in found] == list(BY_FLOP)


@sampled(1)
@pytest.mark.parametrize("place", range(100, 1_755, 331))
def test_a_part_counted_again_is_as_kept(place: int) -> None:
    """Flops from all over the list, with all that can follow them."""
    name = list(BY_FLOP)[place]
    ways, *kept = BY_FLOP[name]
    assert FlopSums(*kept) == sums(count_flop(name.split()))  # type: ignore[arg-type]
    assert ways in (4, 12, 24)


def test_what_is_kept_by_flop_and_by_hand_is_the_same() -> None:
    """The sums over all flops are those over all hands, so that no hand's counts change unnoticed by the flops'."""
    rows = np.array([np.array(table).sum(axis=0) for table in zip(*KEPT["hands"].values(), strict=True)])
    by_hand = FlopSums(rows.sum(), rows[2:].sum(), rows[[1, 3]].sum(), rows[:, 2:].sum(), rows[:, 1].sum())
    by_flop = [sum(ways * row[field] for ways, *row in BY_FLOP.values()) for field in range(len(FlopSums._fields))]
    assert by_flop == [int(number) for number in by_hand]
    assert KEPT["counted"]["deals"] == by_flop[0] == 1_326 * comb(50, 3) * 47 * 46 * comb(45, 2)
    assert str(holdem_tables.VERSION) == KEPT["counted"]["counter"].rpartition(" ")[2]


def test_every_hand_is_dealt_as_often_as_its_cards_are() -> None:
    """A pair in 6 ways, two suited ranks in 4, others in 12; the two modules name the outcomes alike."""
    ways = Counter(kind_of(hole) for hole in combinations(deck(RANKS), 2))
    deals = {hand: sum(map(sum, rows)) for hand, rows in KEPT["hands"].items()}
    assert {hand: number * comb(50, 3) * 47 * 46 * comb(45, 2) for hand, number in ways.items()} == deals
    assert OUTCOMES == play.OUTCOMES


def test_counts_add_up_over_flops() -> None:
    """Two flops counted together, as a recount of everything adds them, with the flops that they stand for."""
    chosen = [Flop(("As", "Ah", "Ks"), 12), Flop(("Qs", "Js", "Ts"), 4)]
    deals = count_deals("AKQJT", only=chosen)
    parts = [sums(count_flop(flop.cards, "AKQJT")) for flop in chosen]
    assert dict(zip(chosen, parts, strict=True)) == deals.by_flop
    wins = sum(int(table[:, :, 2:].sum()) for table in deals.by_hand.values())
    assert 12 * parts[0].wins + 4 * parts[1].wins == wins
