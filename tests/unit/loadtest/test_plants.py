"""Dishonest people on the simulated floor are found by the tests of reporting, within a stated number of rounds."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from fractions import Fraction
from itertools import islice
from typing import Final

import pytest

from loadtest.floor.cheating_scenarios import KnowsTheCards, PostsLate
from loadtest.floor.floor_day import Amend, Dealt, table_rounds
from loadtest.floor.games import pit
from loadtest.floor.messages import day
from loadtest.floor.pit import PitBook, PitDay
from loadtest.floor.pit_items import Overpaying
from services.reporting.domain.evidence import Evidence
from services.reporting.domain.raised_stakes import RaisedStakes
from services.reporting.domain.statistics import (
    SHOE_TOLERANCE,
    Wagers,
    against_expectation,
    observe_count,
    observe_hits,
)
from shared.rules import returns
from tests.support.nightly import AT_NIGHT, sampled

DAY: Final = date(2026, 5, 9)
TABLE: Final = pit(1)[0]
SEAT: Final = 3
SIDE_BET: Final = "royal_match_21"
RETURNS: Final = returns(TABLE.regulation, SIDE_BET, TABLE.submission)


def play(seed: int, rounds: int, amend: Amend | None = None) -> Iterator[Dealt]:
    """Play rounds of a Blackjack table."""
    dealt = table_rounds(property_name="bayside", plan=TABLE, gaming_day=DAY, seed=seed, amend=amend)
    return islice(dealt, rounds)


def side_bets(rounds: Iterator[Dealt], seat: int | None = None) -> tuple[Evidence, Wagers, int]:
    """Return the evidence of the side bets, at one seat or all of them, the wagers, and what they were paid."""
    evidence, wagers, paid = Evidence(), Wagers.of([]), 0
    for one in rounds:
        lines = [line for line in one.settlement.lines if line.wager == SIDE_BET and seat in (None, line.seat)]
        hits = sum(line.outcome == "win" for line in lines)
        evidence = observe_hits(evidence, RETURNS.hit_frequency, hits, len(lines), tolerance=SHOE_TOLERANCE)
        wagers += Wagers.of(line.stake for line in lines)
        paid += sum(line.payout + line.stake_returned for line in lines)
    return evidence, wagers, paid


def raised_stakes(rounds: Iterator[Dealt]) -> RaisedStakes:
    """Return what is known of the Blackjack Wagers at the seat."""
    known = RaisedStakes()
    for one in rounds:
        stakes = [seat.wagers["blackjack"] for seat in one.data.round.seats if seat.seat == SEAT]
        net = sum(line.net for line in one.settlement.lines if (line.seat, line.wager) == (SEAT, "blackjack"))
        if stakes and net:
            known = known.after(stakes[0], won=net > 0)
    return known


@pytest.mark.parametrize("seed", range(3))
def test_a_player_who_knows_the_cards_is_found_within_100_rounds(seed: int) -> None:
    """The seat wagers on Royal Match only where it wins: hits without a miss, which the money shows less sharply."""
    cheat = KnowsTheCards(TABLE, seat=SEAT, wager=SIDE_BET, cents=2500)
    evidence, wagers, paid = side_bets(play(seed, 100, cheat), SEAT)
    assert evidence.finding().alarm
    assert wagers.number >= 7
    assert against_expectation(RETURNS, wagers, paid).z > 2


@sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_stakes_that_are_raised_after_the_outcome_are_found_within_1500_rounds(seed: int) -> None:
    """Chips are added to one winning Blackjack Wager in three."""
    cheat = PostsLate(TABLE, seat=SEAT, wager="blackjack", share=1 / 3, seed=seed)
    assert raised_stakes(play(seed, 1500, cheat)).finding().alarm


@AT_NIGHT
def test_honest_tables_raise_alarms_no_more_often_than_stated() -> None:
    """60 tables of 150 rounds, side bets and stakes each: with one false alarm in ten allowed, six of either."""
    side_bet_alarms = stake_alarms = observations = 0
    for seed in range(60):
        rounds = list(play(100 + seed, 150))
        evidence, _, _ = side_bets(iter(rounds))
        side_bet_alarms += evidence.finding(Fraction(1, 10)).alarm
        stake_alarms += raised_stakes(iter(rounds)).finding(Fraction(1, 10)).alarm
        observations += evidence.n
    assert observations > 4000
    assert side_bet_alarms <= 6
    assert stake_alarms <= 6


def pit_days(days: int, overpaying: Overpaying | None) -> Iterator[PitDay]:
    """Play short days of two tables, with their counts."""
    for number in range(days):
        gaming_day = DAY + timedelta(number)
        plans = pit(2)
        book = PitBook("bayside", plans, gaming_day, overpaying=overpaying)
        messages = day(property_name="bayside", plans=plans, gaming_day=gaming_day, seed=5, rounds=8, plants=False)
        for message in messages:
            book.look(message)
        yield book.day()


def test_a_dealer_who_overpays_is_found_after_twenty_counts() -> None:
    """Both counts of each day are short at the dealer's table: ten days. At the other table all but one plant is
    right."""
    by_dealer: dict[str, Evidence] = {}
    for one in pit_days(10, Overpaying("dealer-BJ02-1", 5_00)):
        for counted in (count for counts in one.counts.values() for count in counts):
            for dealer in counted.dealers:
                known = by_dealer.get(dealer, Evidence())
                by_dealer[dealer] = observe_count(known, counted.variance_cents)
    assert {"dealer-BJ02-1"} == {name for name, evidence in by_dealer.items() if evidence.finding().alarm}
    assert 20 == by_dealer["dealer-BJ02-1"].n


def test_what_a_dealer_gives_away_is_missing_at_the_counts_and_nowhere_else() -> None:
    """Rounds, drop and fills are the same; the win is lower by what is missing."""
    [honest] = pit_days(1, None)
    [found] = pit_days(1, Overpaying("dealer-BJ02-1", 5_00))
    assert [-10_00, -10_00] == [count.variance_cents for count in found.counts["BJ02"]]
    assert honest.counts["BJ01"] == found.counts["BJ01"]
    before, after = honest.tables["BJ02"], found.tables["BJ02"]
    assert (before.rounds_win, before.drop, before.fills) == (after.rounds_win, after.drop, after.fills)
    assert before.win - 20_00 == after.win
    assert -20_00 == after.variance


def test_a_day_may_have_dishonest_people_at_its_tables() -> None:
    """They are at the table named, and nowhere else."""
    plans = pit(2)
    cheat = KnowsTheCards(plans[0], seat=SEAT, wager=SIDE_BET, cents=2500)

    def lines(amends: Mapping[str, Amend], table: str) -> list[tuple[int, str, str]]:
        sent = day(property_name="bayside", plans=plans, gaming_day=DAY, seed=5, rounds=60, plants=False, amends=amends)
        return [
            (line.stake, line.outcome, line.wager)
            for message in sent
            if message.table == table
            for _, settlement in message.books
            for line in settlement.lines
            if line.seat == SEAT
        ]

    planted = {plans[0].name: cheat}
    assert {"win"} == {outcome for stake, outcome, wager in lines(planted, "BJ01") if wager == SIDE_BET}
    assert lines({}, "BJ02") == lines(planted, "BJ02")
    assert lines({}, "BJ01") != lines(planted, "BJ01")
