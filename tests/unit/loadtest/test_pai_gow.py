"""Simulated Pai Gow Poker: who banks, what the dealer wagers, who surrenders, what is picked; all of it settles."""

from collections import Counter
from datetime import date
from functools import cache
from itertools import islice
from random import Random
from typing import Final

import pytest

import loadtest.floor.pai_gow
from loadtest.floor.floor_day import Dealt, initial_meters, table_rounds
from loadtest.floor.game import TablePlan
from loadtest.floor.pai_gow import BANKS, CLASSIC, EMPERORS, PAI_GOW, RHODE_ISLAND_PAI_GOW, PaiGowTable
from loadtest.floor.players import Player
from shared.rules import Settlement, catalogue, parse_submission, validate_submission
from shared.rules.pai_gow import PaiGowRound

(RHODE_ISLANDS,) = RHODE_ISLAND_PAI_GOW.offers
GAMES: Final = {offer: game for game in (PAI_GOW, RHODE_ISLAND_PAI_GOW) for offer in game.offers}
BANKING: Final = (CLASSIC, RHODE_ISLANDS)
ROUNDS: Final = 2_500
SEED: Final = 645


def plan(offer: str) -> TablePlan:
    """Return a table of an offer."""
    game = GAMES[offer]
    submission = parse_submission(game.offers[offer])
    return TablePlan(
        name=f"{game.code}01", game=offer, kind=game, submission=submission, seats=game.seats, minimum_cents=1500
    )


@cache
def dealt(offer: str) -> list[Dealt]:
    """Return the first rounds of the table."""
    rounds = table_rounds(property_name="bayside", plan=plan(offer), gaming_day=date(2026, 5, 9), seed=SEED)
    return list(islice(rounds, ROUNDS))


def played(offer: str) -> list[tuple[PaiGowRound, Settlement]]:
    """Return the records of the rounds with what they come to."""
    found = []
    for each in dealt(offer):
        assert isinstance(each.data.round, PaiGowRound)
        found.append((each.data.round, each.settlement))
    return found


@pytest.mark.parametrize("offer", GAMES)
def test_the_registry_accepts_what_is_offered(offer: str) -> None:
    """Each offer is a rules submission that the catalogue allows."""
    validate_submission(plan(offer).regulation, plan(offer).submission)


@pytest.mark.parametrize("offer", GAMES)
def test_meter_readings_chain(offer: str) -> None:
    """The meters begin at their reset amounts; each record shows what the round before left."""
    showing = dict(initial_meters(plan(offer)))
    for record, settlement in played(offer):
        assert showing == record.meters
        showing = dict(settlement.meters)
    assert bool(showing) == (offer != EMPERORS)


@pytest.mark.parametrize("offer", GAMES)
def test_hands_are_set_by_the_house_way(offer: str) -> None:
    """No hand of a dealer or a bank is ever reset, and no player's is set wrongly."""
    text = catalogue(plan(offer).regulation).paragraphs
    fouled = {text["low_above_high"], text["not_two_cards"]}
    for _, settlement in played(offer):
        assert () == settlement.notices
        assert fouled.isdisjoint(line.paragraph for line in settlement.lines)


@pytest.mark.parametrize("offer", BANKING)
def test_nobody_banks_who_may_not(offer: str) -> None:
    """Not in the first round, not twice in a row, not without a wager in the last round that the house banked."""
    against_dealer: dict[str, int] = {}
    before = None
    banked = 0
    for record, _ in played(offer):
        by = {seat.seat: seat.player for seat in record.seats}
        if record.bank is None:
            against_dealer = {seat.player: seat.wagers["pai_gow_poker"] for seat in record.seats}
            before = None
            continue
        banked += 1
        player = by[record.bank.seat]
        assert player in against_dealer
        assert player != before
        assert len(record.seats) > 1
        assert record.bank.dealer_wager in (0, against_dealer[player] // 2, against_dealer[player])
        before = player
    assert banked > ROUNDS / 50


@pytest.mark.parametrize("offer", BANKING)
def test_the_dealers_cards_count_only_against_somebody(offer: str) -> None:
    """Seven cards with a wager against the bank or without a bank; collected unseen otherwise, also in co-banking."""
    seen = Counter[str]()
    for record, _ in played(offer):
        plays = record.bank is None or record.bank.dealer_wager > 0
        assert (7, 2) == (len(record.dealer.cards), len(record.dealer.low)) if plays else record.dealer.cards == ()
        if record.bank is not None:
            assert not (record.bank.co and plays)
            seen["co-bank" if record.bank.co else "dealer wagers" if plays else "no dealer wager"] += 1
    assert {"co-bank", "dealer wagers", "no dealer wager"} == set(seen)


def test_no_bank_where_it_is_not_offered() -> None:
    """A submission without banking sees none."""
    assert {None} == {record.bank for record, _ in played(EMPERORS)}


@pytest.mark.parametrize("offer", GAMES)
def test_only_losing_hands_without_optional_wagers_are_surrendered(offer: str) -> None:
    """Rhode Island lets a player with a bonus or additional wager surrender, Pennsylvania does not."""
    beside = set[str]()
    surrendered = 0
    for record, settlement in played(offer):
        for seat in record.seats:
            if seat.surrendered:
                surrendered += 1
                beside |= seat.wagers.keys()
        lines = [line for line in settlement.lines if line.wager == "pai_gow_poker"]
        assert sum(seat.surrendered for seat in record.seats) == sum(line.outcome == "surrender" for line in lines)
    assert surrendered > 0
    allowed = {"pai_gow_poker", "bonus", "starting_position"} if offer == RHODE_ISLANDS else {"pai_gow_poker"}
    assert allowed == beside


def test_numbers_are_picked_and_drawn() -> None:
    """One or two numbers with the same amount each; the number drawn is one to seven and decides the deal."""
    picked = Counter[int]()
    for record, _ in played(RHODE_ISLANDS):
        assert record.starting_position in range(1, 8)
        for seat in record.seats:
            assert sum(seat.picks.values()) == seat.wagers.get("starting_position", 0)
            if seat.picks:
                assert 1 == len(set(seat.picks.values()))
                assert record.bank is None or record.bank.seat != seat.seat
                picked[len(seat.picks)] += 1
    assert {1, 2} == set(picked)


def test_pennsylvania_throws_dice() -> None:
    """Their totals are recorded."""
    totals = {record.starting_position for record, _ in played(CLASSIC)}
    assert set(range(3, 19)) == totals


@pytest.mark.parametrize("offer", BANKING)
def test_the_vigorish_is_taken_in_quarters(offer: str) -> None:
    """From players who win and from banks with a surplus, never less than 5%."""
    taken = Counter[str]()
    for _, settlement in played(offer):
        for line in settlement.lines:
            if line.vigorish:
                assert 0 == line.vigorish % 25
                assert 0 <= line.vigorish * 20 - line.payout < 500
                taken[line.wager] += 1
    assert {"pai_gow_poker", "bank"} == set(taken)


@pytest.mark.parametrize("offer", GAMES)
def test_everything_that_is_offered_is_wagered_and_won(offer: str) -> None:
    """Each optional wager wins and loses within the run, and Envy Bonuses are paid."""
    seen = {(line.wager, line.outcome) for _, settlement in played(offer) for line in settlement.lines}
    for wager in plan(offer).submission.wagers:
        assert {(wager, "win"), (wager, "lose")} <= seen
    assert ("envy_bonus", "win") in seen


def test_the_first_offer_moves_on_when_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counterclockwise from the dealer's far right, and around again, when everybody takes the bank who may."""
    monkeypatch.setattr(loadtest.floor.pai_gow, "BANKS_WHEN_OFFERED", 1.0)
    table = PaiGowTable(PAI_GOW.regulation, plan(CLASSIC).submission, Random(SEED))
    players = [player(seat, habits=frozenset({BANKS})) for seat in (2, 4, 5)]
    banks = [table.play(players, {}).bank for _ in range(6)]
    assert [None, 5, 4, 2, 5, 4] == [bank and bank.seat for bank in banks]


def test_a_taken_second_offer_does_not_move_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the far right passes, it is asked first again."""
    monkeypatch.setattr(loadtest.floor.pai_gow, "BANKS_WHEN_OFFERED", 1.0)
    table = PaiGowTable(PAI_GOW.regulation, plan(CLASSIC).submission, Random(SEED))
    players = [player(seat, habits=frozenset({BANKS} if seat < 5 else set())) for seat in (2, 4, 5)]
    banks = [table.play(players, {}).bank for _ in range(5)]
    assert [None, 4, 2, 4, 2] == [bank and bank.seat for bank in banks]


def test_a_player_alone_does_not_bank(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nobody to play against but the dealer."""
    monkeypatch.setattr(loadtest.floor.pai_gow, "BANKS_WHEN_OFFERED", 1.0)
    table = PaiGowTable(PAI_GOW.regulation, plan(CLASSIC).submission, Random(SEED))
    assert [None] * 5 == [table.play([player(3, habits=frozenset({BANKS}))], {}).bank for _ in range(5)]


def player(seat: int, *, habits: frozenset[str]) -> Player:
    """Somebody without side bets."""
    return Player(name=f"p{seat}", account=f"a{seat}", seat=seat, wager=2500, side_bets={}, habits=habits)
