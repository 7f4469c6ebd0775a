"""The simulated floor: the same seed plays the same day, every round can have happened, and all of it settles."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any

import pytest

from loadtest.floor.blackjack import BLACKJACK
from loadtest.floor.floor_day import DEALER_ROUNDS, SECONDS_PER_ROUND, Dealt, initial_meters, opening, table_rounds
from loadtest.floor.game import TablePlan
from loadtest.floor.games import GAMES, pit, rules_submissions
from shared.cards import Card
from shared.rules import catalogue, compile_rules, game_of, parse_submission, returns, validate_submission
from shared.rules.blackjack import BlackjackRound
from shared.rules.submission import select

DAY = date(2026, 5, 9)
ROUNDS = 400
PIT = pit(12)
PLANS = {
    offer: TablePlan(
        name=f"{game.code}01",
        game=offer,
        kind=game,
        submission=parse_submission(selection),
        seats=5 if offer == "blackjack-switch" else game.seats,
        minimum_cents=1500,
    )
    for game in GAMES
    for offer, selection in game.offers.items()
}


@pytest.fixture(scope="module")
def seed(pytestconfig: pytest.Config) -> int:
    """The session's seed: every run plays other days, and a failing one can be repeated."""
    found: int = pytestconfig.getoption("--seed")
    return found


@pytest.fixture(scope="module", params=PLANS)
def plan(request: pytest.FixtureRequest) -> TablePlan:
    """A table of everything that the floor can play."""
    return PLANS[request.param]


@pytest.fixture(scope="module")
def dealt(plan: TablePlan, seed: int) -> list[Dealt]:
    """The first rounds of the table."""
    return list(islice(rounds_of(plan, seed), ROUNDS))


def rounds_of(plan: TablePlan, seed: int) -> Iterator[Dealt]:
    return table_rounds(property_name="bayside", plan=plan, gaming_day=DAY, seed=seed)


def cards_of(played: Dealt) -> list[Card]:
    """Return all cards that lie on the table, whatever the game."""
    record: Any = played.data.round
    hands = [hand for seat in record.seats for hand in getattr(seat, "hands", [seat])]
    hands += [hand for hand in [getattr(record, "dealer", None)] if hand is not None]
    spare = [card for card in [getattr(record, "spare_card", None)] if card is not None]
    return [*(card for hand in hands for card in hand.cards), *getattr(record, "community", ()), *spare]


def test_the_same_seed_plays_the_same_day(plan: TablePlan, dealt: list[Dealt], seed: int) -> None:
    """Rounds are equal to the last card; another seed plays other rounds."""
    assert [each.data for each in dealt[:50]] == [each.data for each in islice(rounds_of(plan, seed), 50)]
    assert dealt[0].data.round != next(rounds_of(plan, seed + 1)).data.round


def test_a_table_plays_the_same_whatever_stands_beside_it(seed: int) -> None:
    """The day of a table follows from its name and the seed, not from the size of the pit."""
    alone, among = pit(1)[0], pit(12)[0]
    assert next(rounds_of(alone, seed)).data == next(rounds_of(among, seed)).data


def test_no_shoe_deals_a_card_more_often_than_it_holds_it(plan: TablePlan, dealt: list[Dealt]) -> None:
    """Over all rounds between two shuffles, each card comes at most once for each deck."""
    shoes: dict[int, Counter[Card]] = {}
    for each in dealt:
        shoes.setdefault(each.shoe, Counter()).update(cards_of(each))
    assert len(shoes) > 5
    for number, cards in shoes.items():
        assert max(cards.values()) <= (plan.submission.decks or 1), f"shoe {number}"


def test_every_record_settles_to_what_the_table_carries_along(plan: TablePlan, dealt: list[Dealt]) -> None:
    """The rules accept each round under the submission of its table, and come to the same lines."""
    rules = compile_rules(plan.regulation, plan.submission)
    for each in dealt:
        assert each.settlement.lines == rules.settle(each.data.round).lines


def test_meter_readings_chain(plan: TablePlan, dealt: list[Dealt]) -> None:
    """A meter begins at its reset amount, and each record shows what the round before left."""
    showing = dict(initial_meters(plan))
    for each in dealt:
        assert showing == each.data.round.meters
        showing = dict(each.settlement.meters)


def test_rounds_follow_each_other_at_about_sixty_an_hour(dealt: list[Dealt]) -> None:
    """The first round opens with the table; none opens before the one before it was closed."""
    assert opening(DAY) == dealt[0].data.opened_at
    for before, after in pairwise(dealt):
        assert before.data.opened_at < before.data.closed_at < after.data.opened_at
    hours = (dealt[-1].data.opened_at - dealt[0].data.opened_at) / timedelta(hours=1)
    assert (ROUNDS - 1) / hours == pytest.approx(3600 / SECONDS_PER_ROUND, rel=0.05)


def test_dealers_take_turns(dealt: list[Dealt]) -> None:
    """A dealer deals a stretch of rounds, then another one does."""
    turns = [each.data.dealer_id for each in dealt[::DEALER_ROUNDS]]
    assert 4 == len(set(turns))
    assert all(one != other for one, other in pairwise(turns))


@pytest.mark.parametrize("offer", ["blackjack-progressive", "holdem-bonus"])
def test_electronic_wagers_are_funded_by_accounts(offer: str, seed: int) -> None:
    """Each wager on the electronic wagering system, and nothing else, comes from a game account in full."""
    plan = PLANS[offer]
    found = 0
    for each in islice(rounds_of(plan, seed), 100):
        staked = {
            (seat.seat, wager): cents
            for seat in each.data.round.seats
            for wager, cents in seat.wagers.items()
            if wager in plan.kind.electronic
        }
        assert staked == {(funded.seat, funded.wager): funded.cents for funded in each.data.account_funded}
        found += len(staked)
    assert found > 0


def test_the_submissions_are_what_the_catalogue_allows() -> None:
    """Every game of the pit can be approved, for all of its tables and no table twice."""
    submissions = rules_submissions("bayside", PIT, opening(DAY))
    for each in submissions:
        validate_submission(each.regulation, each.submission)
    assert sorted(plan.name for plan in PIT) == sorted(table for each in submissions for table in each.tables)


def test_every_regulation_in_force_is_played() -> None:
    """The floor plays all games; of the two texts on Blackjack the one in effect."""
    assert {"blackjack", "dj_wild", "face_up_pai_gow", "holdem", "over_under", "pai_gow"} == {
        catalogue(game.regulation).game for game in GAMES
    }
    for plan in PLANS.values():
        validate_submission(plan.regulation, plan.submission)


def test_a_day_of_blackjack_has_everything_that_players_do() -> None:
    """Splits, doubles, surrenders, even money, Insurance, switches, added House Money, Blackjacks on both sides."""
    seen: Counter[str] = Counter()
    for plan in (plan for plan in PLANS.values() if plan.kind is BLACKJACK):
        for each in islice(rounds_of(plan, seed=7), 600):
            assert isinstance(each.data.round, BlackjackRound)
            seen["dealer blackjack"] += any(
                line.wager == "insurance" and line.outcome == "win" for line in each.settlement.lines
            )
            for seat in each.data.round.seats:
                seen["split"] += len(seat.hands) > (2 if plan.game == "blackjack-switch" else 1)
                seen["double"] += any(hand.double for hand in seat.hands)
                seen["surrender"] += any(hand.surrendered for hand in seat.hands)
                seen["even money"] += any(hand.even_money for hand in seat.hands)
                seen["insurance"] += "insurance" in seat.wagers
                seen["switch"] += seat.switched
                seen["house money"] += seat.house_money_added > 0
    missing = {what for what, count in seen.items() if count == 0}
    assert set() == missing


def test_what_the_cards_alone_decide_wins_as_it_is_counted(plan: TablePlan, dealt: list[Dealt]) -> None:
    """Each win has the category of a counted hit, and brings back so much of each cent."""
    offers = select(catalogue(plan.regulation), plan.submission).offers
    hits = {
        wager: {(hit.won.category, hit.won.back) for hit in returns(plan.regulation, wager, plan.submission).hits}
        for wager in game_of(plan.regulation).counts.keys() & offers.keys()
    }
    won = [
        (line.wager, line.category, Fraction(line.payout + line.stake_returned, line.stake))
        for one in dealt
        for line in one.settlement.lines
        if line.wager in hits and line.outcome == "win"
    ]
    assert won
    assert [] == [each for each in won if each[1:] not in hits[each[0]]]
