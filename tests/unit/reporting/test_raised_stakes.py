"""Stakes raised after the outcome are found; whatever honest players do with their stakes, few alarms are raised."""

from collections.abc import Callable
from fractions import Fraction
from math import exp
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.reporting.domain.raised_stakes import _FACTORS, RaisedStakes

Stakes = Callable[[Random, int, bool], int]
"""(chance, the stake before, whether it was won) -> the next stake, cents."""


def doubles_after_losses(chance: Random, before: int, won: bool) -> int:
    """Double after each loss up to $320, and begin again with $10."""
    return 1000 if won or before >= 32_000 else 2 * before


def doubles_after_wins(chance: Random, before: int, won: bool) -> int:
    """Let winnings stand, up to $320."""
    return 2 * before if won and before < 32_000 else 1000


def as_the_mood_is(chance: Random, before: int, won: bool) -> int:
    """Wager anything."""
    return chance.choice((1000, 1500, 2500, 10_000))


@given(st.floats(0, 1))
def test_no_bet_gains_on_average_whatever_the_chance_to_win(probability: float) -> None:
    """Raised and other stakes that win equally often multiply no wealth."""
    for bet in range(len(_FACTORS[True, True])):
        average = sum(
            (probability if raised else 1 - probability)
            * (probability if other else 1 - probability)
            * exp(factors[bet])
            for (raised, other), factors in _FACTORS.items()
        )
        assert average <= 1 + 1e-12


@pytest.mark.parametrize("stakes", [doubles_after_losses, doubles_after_wins, as_the_mood_is])
def test_honest_players_raise_alarms_no_more_often_than_stated(stakes: Stakes) -> None:
    """200 players of 150 wagers who follow a system; one false alarm in twenty allowed."""
    chance, alarms = Random(7), 0
    for _ in range(200):
        known, stake = RaisedStakes(), 1000
        for _ in range(150):
            won = chance.random() < 0.45
            known = known.after(stake, won=won)
            stake = stakes(chance, stake, won)
        assert known.evidence.n > 10
        alarms += known.finding(Fraction(1, 20)).alarm
    assert alarms <= 10


def test_stakes_that_are_raised_on_wins_are_found() -> None:
    """A player adds chips to one winning wager in four: found within 300 wagers, for each of 20 seeds."""
    for seed in range(20):
        chance, known = Random(seed), RaisedStakes()
        for _ in range(300):
            won = chance.random() < 0.45
            known = known.after(6000 if won and chance.random() < 0.25 else 1000, won=won)
        assert known.finding().alarm


def test_a_stake_is_raised_above_the_median_of_those_before() -> None:
    """Once there are five of them; of equal stakes none is raised."""
    known = RaisedStakes()
    for stake in (1000, 1000, 3000, 1000, 2000):
        assert known.raises(10_000) is None
        known = known.after(stake, won=True)
    assert (False, True) == (known.raises(1000), known.raises(1001))


def test_outcomes_wait_for_one_of_the_other_kind() -> None:
    """Whichever comes first; nothing is compared twice, and no more than a hundred wait."""
    known = RaisedStakes()
    for _ in range(205):
        known = known.after(1000, won=False)
    assert (0, 100) == (known.evidence.n, len(known.waiting_others))
    known = known.after(2000, won=True)
    assert (1, 99, ()) == (known.evidence.n, len(known.waiting_others), known.waiting_raised)


def test_a_raised_stake_may_come_first() -> None:
    """It waits for one that is not."""
    known = RaisedStakes(earlier=(1000,) * 5).after(2000, won=True)
    assert ((True,), 0) == (known.waiting_raised, known.evidence.n)
    known = known.after(1000, won=False)
    assert ((), (), 1) == (known.waiting_raised, known.waiting_others, known.evidence.n)
