"""Simulated Face Up Pai Gow Poker: players who read the dealer's cards do better, an Ace High Pai Gow ties with all."""

from collections import Counter
from datetime import date
from functools import cache
from itertools import islice
from random import Random
from typing import Final

import pytest

from loadtest.floor.face_up import ENVY, FACE_UP_PAI_GOW, READS_THE_DEALER, SURRENDERS, WILD, FaceUpTable
from loadtest.floor.floor_day import Dealt, initial_meters, table_rounds
from loadtest.floor.game import TablePlan
from loadtest.floor.players import Player
from shared.cards.ranking.pai_gow import card_set
from shared.rules import Settlement, compile_rules, parse_submission, validate_submission
from shared.rules.face_up_pai_gow import FaceUpRound
from shared.rules.face_up_pai_gow.ace_high import is_ace_high

OFFERS: Final = (ENVY, WILD)
MAIN: Final = "face_up_pai_gow_poker"
ROUNDS: Final = 1_500
SEED: Final = 688


def plan(offer: str) -> TablePlan:
    """Return a table of an offer."""
    game = FACE_UP_PAI_GOW
    submission = parse_submission(game.offers[offer])
    return TablePlan(name="FU01", game=offer, kind=game, submission=submission, seats=6, minimum_cents=1500)


@cache
def dealt(offer: str) -> list[Dealt]:
    """Return the first rounds of the table."""
    rounds = table_rounds(property_name="bayside", plan=plan(offer), gaming_day=date(2026, 5, 9), seed=SEED)
    return list(islice(rounds, ROUNDS))


def played(offer: str) -> list[tuple[FaceUpRound, Settlement]]:
    """Return the records of the rounds with what they come to."""
    found = []
    for each in dealt(offer):
        assert isinstance(each.data.round, FaceUpRound)
        found.append((each.data.round, each.settlement))
    return found


@pytest.mark.parametrize("offer", OFFERS)
def test_the_registry_accepts_what_is_offered(offer: str) -> None:
    """Each offer is a rules submission that the catalogue allows."""
    validate_submission(plan(offer).regulation, plan(offer).submission)


@pytest.mark.parametrize("offer", OFFERS)
def test_meter_readings_chain(offer: str) -> None:
    """The meter begins at the seed of its paytable; each record shows what the round before left."""
    showing = dict(initial_meters(plan(offer)))
    assert {"progressive_payout"} == set(showing)
    for record, settlement in played(offer):
        assert showing == record.meters
        showing = dict(settlement.meters)


@pytest.mark.parametrize("offer", OFFERS)
def test_everything_that_is_offered_is_wagered_and_won(offer: str) -> None:
    """Each optional wager wins and loses within the run; no vigorish is ever taken, and no hand reset."""
    seen = set()
    for _, settlement in played(offer):
        seen |= {(line.wager, line.outcome) for line in settlement.lines}
        assert 0 == sum(line.vigorish for line in settlement.lines)
        assert () == settlement.notices
    for wager in (MAIN, *plan(offer).submission.wagers):
        assert {(wager, "win"), (wager, "lose")} <= seen
    assert {("envy_bonus", "win"), (MAIN, "push"), (MAIN, "surrender")} <= seen


@pytest.mark.parametrize("offer", OFFERS)
def test_nobody_surrenders_what_an_ace_high_pai_gow_returns(offer: str) -> None:
    """With one every main wager is a tie; surrendered are losing hands without optional wagers, against other hands."""
    seen = Counter[str]()
    for record, settlement in played(offer):
        ended = {line.outcome for line in settlement.lines if line.wager == MAIN}
        if is_ace_high(card_set(record.dealer.cards)):
            assert {"push"} == ended
            seen["ace high"] += 1
        for seat in record.seats:
            if seat.surrendered:
                assert {MAIN} == set(seat.wagers)
                seen["surrendered"] += 1
    assert {"ace high", "surrendered"} == set(seen)


def outcomes(*habits: str) -> Counter[str]:
    """Return how the main wagers of a full table end where every player has these habits."""
    submission = plan(ENVY).submission
    table, rules = FaceUpTable(submission, Random(SEED)), compile_rules(FACE_UP_PAI_GOW.regulation, submission)
    players = [
        Player(name=f"p{seat}", account=f"a{seat}", seat=seat, wager=2500, side_bets={}, habits=frozenset(habits))
        for seat in range(1, 7)
    ]
    found = Counter[str]()
    for _ in range(400):
        settlement = rules.settle(table.play(players, {"progressive_payout": 1_000_000}))
        found.update(line.outcome for line in settlement.lines)
    return found


def test_reading_the_dealers_cards_pays() -> None:
    """On the same deals more hands win and fewer lose than with the house way."""
    blind, reading = outcomes(), outcomes(READS_THE_DEALER)
    assert blind.total() == reading.total()
    assert reading["win"] > blind["win"]
    assert reading["lose"] < blind["lose"]


def test_surrendering_gives_up_losses_alone() -> None:
    """Wins and ties remain what they are for players who give up about half of the hands that lose."""
    blind, giving_up = outcomes(), outcomes(SURRENDERS)
    assert blind["lose"] == pytest.approx(giving_up["lose"] + giving_up["surrender"], rel=0.1)
    assert giving_up["surrender"] == pytest.approx(giving_up["lose"], rel=0.2)
