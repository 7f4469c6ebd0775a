"""What settled rounds show: stakes, wins and rows as the lines say, on every game of the simulated floor."""

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

import pytest

from loadtest.casino import Casino, casino
from loadtest.fast import month
from loadtest.games import pit
from services.reporting.domain.evidence import Evidence
from services.reporting.domain.observed import Observed, Stake, bonus_lines, observed, stakes
from services.reporting.domain.statistics import Wagers, against_expectation, observe_hits
from shared.contracts.reading import Reader
from shared.contracts.settlements import SettlementPosted
from shared.contracts.topics import SETTLEMENTS
from shared.rules import Refused, Returns, compile_rules, parse_round, parse_submission, returns

DAY: Final = date(2026, 5, 8)
READER: Final = Reader(SETTLEMENTS, SettlementPosted)


@pytest.fixture(scope="module")
def where() -> Casino:
    """A casino with one table of each offer of the pit."""
    return casino("bayside", pit(12), DAY)


@pytest.fixture(scope="module")
def rounds(where: Casino) -> list[SettlementPosted]:
    """Two hundred rounds of each table, no two alike."""
    stream = month(where, gaming_days=[DAY], rounds_per_table_day=200, seed=3, rounds_in_pool=200)
    return [READER.decode(value).data for _, value in stream]


def test_stakes_and_payouts_are_those_of_the_totals(where: Casino, rounds: list[SettlementPosted]) -> None:
    """Handle and payout by wager type, with what bonuses on top paid under the wager that earns them."""
    bonuses = {one.game: bonus_lines(one) for one in where.submissions}
    for one in rounds:
        totals: Counter[tuple[str, str]] = Counter()
        for total in one.totals:
            wager = bonuses[one.game].get(total.wager, total.wager)
            totals["handle", wager] += total.handle_cents
            totals["payout", wager] += total.payout_cents
        for wager, found in observed(one.lines, bonuses[one.game]).items():
            assert totals["handle", wager] == found.wagers.cents == found.together.cents
            assert totals["payout", wager] == found.payout_cents
            assert found.wins <= found.wagers.number


def test_what_the_cards_decide_is_near_its_expectation(where: Casino, rounds: list[SettlementPosted]) -> None:
    """Every wager with exact returns: no alarm of one in a million by its hits, and hits of rows that it has."""
    approved = {one.game: one for one in where.submissions}
    bonuses = {one.game: bonus_lines(one) for one in where.submissions}
    exact: dict[tuple[str, str], Returns | None] = {}
    evidence: dict[tuple[str, str], Evidence] = {}
    for one in rounds:
        for wager, found in observed(one.lines, bonuses[one.game]).items():
            key = (one.game, wager)
            if key not in exact:
                exact[key] = _returns(one.regulation, wager, approved[one.game].submission)
            known = exact[key]
            if known is not None and wager != "insurance":
                number = found.wagers.number
                evidence[key] = observe_hits(evidence.get(key, Evidence()), known.hit_frequency, found.wins, number)
                assert all(known.probability(category) for category in found.hits)
    assert len(evidence) > 8
    assert not any(one.finding().statistic > 6 for one in evidence.values())


def _returns(regulation: str, wager: str, submission: Any) -> Returns | None:
    try:
        return returns(regulation, wager, submission)
    except Refused:
        return None


def settled(seats: list[dict[str, Any]], dealer: list[str], **terms: Any) -> list[Mapping[str, Any]]:
    """Return the lines of a Blackjack round."""
    document = {"seats": seats, "dealer": {"cards": dealer}}
    rules = compile_rules("pa-633a-2024", parse_submission({"decks": 6, **terms}))
    return [line.as_document() for line in rules.settle(parse_round("pa-633a-2024", document)).lines]


CROWN: Final = {"royal_match_21": {"paytable": "E", "crown_treasure": True}}
SUITED: Final = {
    "seat": 2,
    "player": "p2",
    "wagers": {"blackjack": 1000, "royal_match_21": 500},
    "dealt": ["Ks", "Qs"],
    "hands": [{"cards": ["Ks", "Qs"]}],
}


def test_a_bonus_on_top_is_paid_on_the_wager_that_earns_it() -> None:
    """$5 on a Royal Match with a Crown Treasure: 50 to 1 and 1,000 for 1, on one stake."""
    lines = settled([SUITED], ["Kh", "Qh"], wagers=CROWN)
    found = observed(lines, {"crown_treasure": "royal_match_21"})["royal_match_21"]
    assert Observed([500], 500 * (51 + 1000), 1, Counter(royal_match=1, crown_treasure=1)) == found
    exact = returns("pa-633a-2024", "royal_match_21", parse_submission({"decks": 6, "wagers": CROWN}))
    assert against_expectation(exact, found.wagers, found.payout_cents).z > 50


def test_a_stake_is_what_was_wagered_before_the_cards() -> None:
    """A double that wins is a stake of half; one that comes out even is left out."""
    doubled = {
        "seat": 3,
        "player": "p3",
        "wagers": {"blackjack": 1000},
        "dealt": ["6d", "5d"],
        "hands": [{"cards": ["6d", "5d", "Td"], "double": 1000}],
    }
    lines = settled([SUITED, doubled], ["Kh", "Qh"], wagers=CROWN)
    record = {"seats": [SUITED, doubled]}
    assert [Stake(2, "p2", "royal_match_21", 500, True), Stake(3, "p3", "blackjack", 1000, True)] == list(
        stakes(record, lines)
    )


def test_stakes_that_share_a_card_are_one_wager() -> None:
    """Three insured seats win or lose together."""
    one = Observed([500, 500, 1000])
    assert (Wagers(3, 2000, 1_500_000), Wagers(1, 2000, 4_000_000)) == (one.wagers, one.together)
    assert Wagers(0, 0, 0) == Observed().together
