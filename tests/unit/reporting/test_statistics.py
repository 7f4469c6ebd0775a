"""Tests of figures: what is expected is exact, what is dishonest is found, and honest play raises few alarms."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb, isclose
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.reporting.domain.evidence import Evidence
from services.reporting.domain.statistics import (
    HONEST_SHORT,
    SHOE_TOLERANCE,
    Wagers,
    against_expectation,
    binomial_tail,
    observe_count,
    observe_hits,
    observe_returns,
    rows_too_often,
)
from shared.rules import Returns, parse_submission, returns
from shared.rules.returns import Won

STAKE: Final = 500
ROYAL_MATCH: Final = returns(
    "pa-633a-2024",
    "royal_match_21",
    parse_submission({"decks": 6, "wagers": {"royal_match_21": {"paytable": "D"}}}),
)
COIN: Final = Returns.counted([(1, Won("heads", Fraction(2))), (1, None)])


def wins(chance: Random, of: Returns, number: int) -> Sequence[Won | None]:
    """Return what so many hands win, by the exact probabilities."""
    weights = list(accumulate(float(hit.probability) for hit in of.hits))
    return chance.choices([*(hit.won for hit in of.hits), None], cum_weights=[*weights, 1.0], k=number)


def back_cents(won: Won | None) -> int:
    """Return what comes back of `STAKE` cents."""
    return 0 if won is None else int(STAKE * won.back)


def test_what_is_expected_is_exact() -> None:
    """100 wagers of $5 and one of $100 on a coin that pays even: 60,000 cents back, give or take 11,180.34."""
    wagers = Wagers.of([500] * 100) + Wagers.of([10_000])
    found = against_expectation(COIN, wagers, 77_000)
    assert (101, Fraction(60_000), Fraction(125_000_000)) == (found.number, found.expected_cents, found.variance)
    assert ("+1.52", "0.128") == (found.z_shown, f"{found.p:.3f}")
    assert not found.finding().alarm
    assert against_expectation(COIN, wagers, 10_000).finding().alarm


def test_z_scores_of_honest_play_are_standard() -> None:
    """Of 200 samples of 2,000 hands, about 1 in 20 lies beyond 1.96 standard deviations; no more than 1 in 12."""
    chance = Random(633)
    beyond = 0
    for _ in range(200):
        paid = sum(map(back_cents, wins(chance, ROYAL_MATCH, 2000)))
        beyond += against_expectation(ROYAL_MATCH, Wagers(2000, 2000 * STAKE, 2000 * STAKE**2), paid).p < 0.05
    assert 200 / 50 <= beyond <= 200 / 12


@given(st.integers(1, 60), st.fractions(Fraction(1, 100), Fraction(99, 100)), st.data())
def test_the_binomial_tail_is_the_sum_of_all_ways(number: int, probability: Fraction, data: st.DataObject) -> None:
    """Against the exact sum of fractions."""
    hits = data.draw(st.integers(0, number))
    expected = sum(
        comb(number, count) * probability**count * (1 - probability) ** (number - count)
        for count in range(hits, number + 1)
    )
    assert isclose(float(expected), binomial_tail(hits, number, probability), rel_tol=1e-9, abs_tol=1e-12)


def test_the_binomial_tail_of_millions() -> None:
    """Half of seven million is no surprise; a thousand standard deviations are."""
    assert isclose(0.5, binomial_tail(3_500_000, 7_000_000, Fraction(1, 2)), rel_tol=1e-3)
    assert binomial_tail(5_000_000, 7_000_000, Fraction(1, 2)) == 0.0


def test_a_row_that_is_hit_twice_as_often_as_it_should_be_is_found() -> None:
    """40 Royal Matches where 20 are expected, and suited hands as they should be."""
    royal, suited = (ROYAL_MATCH.probability(name) for name in ("royal_match", "suited_match"))
    number = round(20 / royal)
    found = rows_too_often(ROYAL_MATCH, {"royal_match": 40, "suited_match": round(number * suited)}, number)
    assert {"royal_match": True, "suited_match": False} == {name: row.alarm for name, row in found.items()}
    assert isclose(0.0005, found["royal_match"].threshold)
    assert not any(row.alarm for row in rows_too_often(ROYAL_MATCH, {}, number).values())
    assert {} == rows_too_often(Returns.counted([(1, Won(None, Fraction(2))), (1, None)]), {}, number)


def hit_blocks(chance: Random, probability: float, rounds: int) -> Iterator[tuple[int, int]]:
    """Yield hits and wagers of rounds with one to seven wagers that share their luck half of the time."""
    for _ in range(rounds):
        seats = chance.randint(1, 7)
        if chance.random() < 0.5:
            yield (seats if chance.random() < probability else 0), seats
        else:
            yield sum(chance.random() < probability for _ in range(seats)), seats


def test_honest_hits_raise_alarms_no_more_often_than_stated() -> None:
    """300 tables of 150 rounds, whose seats hit together half of the time; one false alarm in twenty allowed."""
    chance, alarms = Random(645), 0
    for _ in range(300):
        evidence = Evidence()
        for hits, number in hit_blocks(chance, float(ROYAL_MATCH.hit_frequency), 150):
            evidence = observe_hits(evidence, ROYAL_MATCH.hit_frequency, hits, number)
        alarms += evidence.finding(Fraction(1, 20)).alarm
    assert 1 <= alarms <= 15


def test_a_row_that_is_hit_half_as_often_again_is_found_in_a_few_thousand_rounds() -> None:
    """A Royal Match Wager that wins three hands of eight instead of one in four."""
    chance, evidence = Random(647), Evidence()
    rounds = 0
    while not evidence.finding().alarm:
        rounds += 1
        hit = chance.random() < 1.5 * ROYAL_MATCH.hit_frequency
        evidence = observe_hits(evidence, ROYAL_MATCH.hit_frequency, int(hit), 1, tolerance=SHOE_TOLERANCE)
        assert rounds < 1000
    assert rounds == evidence.n


def test_a_player_who_wagers_only_what_wins_is_found_after_a_few_wagers() -> None:
    """Whoever knows the cards and wagers on hits alone is found in a dozen wagers, by hits and by what they return."""
    chance = Random(686)
    known = [won for won in wins(chance, ROYAL_MATCH, 200) if won is not None][:12]
    hits = returned = Evidence()
    for won in known:
        hits = observe_hits(hits, ROYAL_MATCH.hit_frequency, 1, 1, tolerance=SHOE_TOLERANCE)
        returned = observe_returns(returned, ROYAL_MATCH, Wagers.of([STAKE]), back_cents(won))
    assert (12, True, True) == (len(known), hits.finding().alarm, returned.finding().alarm)


def test_honest_returns_raise_alarms_no_more_often_than_stated() -> None:
    """300 tables of 200 wagers, with what a jackpot row returns among it; one false alarm in twenty allowed."""
    chance, alarms = Random(687), 0
    for _ in range(300):
        evidence = Evidence()
        for won in wins(chance, ROYAL_MATCH, 200):
            evidence = observe_returns(evidence, ROYAL_MATCH, Wagers.of([STAKE]), back_cents(won))
        alarms += evidence.finding(Fraction(1, 20)).alarm
    assert alarms <= 15


def test_no_wager_is_no_observation() -> None:
    """A round in which nobody made the wager says nothing."""
    assert Evidence() == observe_hits(Evidence(), Fraction(1, 4), 0, 0)
    assert Evidence() == observe_returns(Evidence(), COIN, Wagers.of([]), 0)


@pytest.mark.parametrize(("hits", "number"), [(2, 1), (-1, 3)])
def test_more_hits_than_wagers_are_a_mistake(hits: int, number: int) -> None:
    """It is said, not counted."""
    with pytest.raises(AssertionError, match=f"{hits} hits of {number} wagers"):
        observe_hits(Evidence(), Fraction(1, 4), hits, number)


def test_a_dealer_who_overpays_is_found_after_twenty_counts_that_are_short() -> None:
    """Counts that are off are short each time, by any amount; counts without a variance in between change nothing."""
    evidence = Evidence()
    for number in range(1, 21):
        assert not evidence.finding().alarm
        evidence = observe_count(observe_count(evidence, 0), -100 * number)
    assert (20, True) == (evidence.n, evidence.finding().alarm)


def test_honest_mistakes_at_counts_raise_alarms_no_more_often_than_stated() -> None:
    """400 dealers of 100 counts that are off, two of three short: the most that is honest. One in twenty allowed."""
    chance, alarms = Random(688), 0
    for _ in range(400):
        evidence = Evidence()
        for _ in range(100):
            short = chance.random() < HONEST_SHORT
            evidence = observe_count(evidence, chance.choice((100, 500, 2500)) * (-1 if short else 1))
        alarms += evidence.finding(Fraction(1, 20)).alarm
    assert 2 <= alarms <= 20


def test_hits_by_row_follow_the_distribution() -> None:
    """What is sampled here is what was counted: the frequencies of 100,000 hands are near."""
    found = Counter(won.category for won in wins(Random(1), ROYAL_MATCH, 100_000) if won is not None)
    for hit in ROYAL_MATCH.hits:
        assert isclose(hit.probability * 100_000, found[hit.won.category], rel_tol=0.1)
