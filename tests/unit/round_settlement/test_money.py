"""The money of settled rounds: every golden round balances, and each leg says what the lines say."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from services.round_settlement.domain.money import Funding, postings_of, totals_of
from shared.contracts.wager_totals import WagerTotals
from shared.journal.entry import Account, Posting
from shared.rules import parse_cases, parse_round, parse_submission, settle
from shared.rules.line import Line
from shared.rules.settlement import Contribution, Settlement
from tests.support.records import read

GOLDEN = sorted((Path(__file__).parents[2] / "golden").glob("??-*/*.yaml"))

POT = ("banked_wagers", "banked_payouts", "bank_collected", "bank_paid", "bank_settlement")


def _legs(postings: tuple[Posting, ...]) -> Counter[str]:
    legs: Counter[str] = Counter()
    for account, cents in postings:
        legs[account.leg] += cents
    return legs


def _unlike_its_lines(settlement: Settlement) -> list[str]:
    """Return what the postings of a round say otherwise than its lines."""
    postings = postings_of("p", "t", totals_of(settlement, {}))
    legs = _legs(postings)
    lines = [line for line in settlement.lines if line.seat != 0]
    from_meters = sum(line.from_meter for line in lines)
    net = sum(line.payout + line.stake_returned - line.stake - line.vigorish for line in lines)
    moved = sum(settlement.meters.values()) - sum(settlement.meters_before.values())
    counted = [line for line in lines if line.outcome != "void" and line.wager != "bank"]
    by_bank = [line for line in counted if line.paid_by == "bank"]
    holds = {
        "the postings sum to zero": 0 == sum(legs.values()),
        "what players and bank put into a banked pot, they and the house take out": 0 == sum(legs[leg] for leg in POT),
        "chips are what the players lost, less what came off meters": from_meters - net == legs["chips"],
        "the attendant pays what comes off meters": -from_meters == legs["attendant"],
        "meters move as the settlement says": (
            -moved == legs["meter_contribution"] + legs["meter_payout"] + legs["meter_reset"]
        ),
        "the stakes are the handle": -sum(line.stake for line in counted) == legs["handle"] + legs["banked_wagers"],
        "the bank's wagers are banked": not by_bank or legs["banked_wagers"] != 0,
        "no posting is of nothing": all(cents for _, cents in postings),
    }
    return [name for name, true in holds.items() if not true]


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_golden_rounds_balance_and_tie_to_their_lines(file: Path) -> None:
    """Every identity holds in every case of a file; readers get each figure that postings come from, and no other."""
    wrong = {}
    for case in parse_cases(read(file)):
        if case.expect is None:
            continue
        round_ = parse_round(case.regulation, case.round)
        settlement = settle(case.regulation, round_, parse_submission(case.submission))
        wrong[case.id] = _unlike_its_lines(settlement)
        for totals in totals_of(settlement, {}):
            sent = WagerTotals.model_validate_json(totals.model_dump_json(exclude_defaults=True))
            wrong[case.id] += [f"{totals} is read as {sent}"] if totals != sent or totals.count != 1 else []
    assert {} == {case: identities for case, identities in wrong.items() if identities}


def _settlement(*lines: Line, **meters: Any) -> Settlement:
    return Settlement(
        lines=lines,
        meters=meters.get("after", {}),
        contributions=meters.get("contributions", ()),
        meter_resets=meters.get("resets", {}),
        meters_before=meters.get("before", {}),
    )


def _line(outcome: Any, stake: int, payout: int, returned: int, **more: Any) -> Line:
    return Line(1, "bad_beat_progressive", outcome, stake, payout, returned, "§ 633a.13(j)", **more)


def _postings(settlement: Settlement, funding: Funding) -> dict[str, int]:
    return {account.leg: cents for account, cents in postings_of("p", "t", totals_of(settlement, funding))}


def test_an_electronic_wager_never_touches_chips() -> None:
    """Stake from the account, winnings and stake back to it."""
    won = _settlement(_line("win", 500, 5000, 500))
    assert {"handle": -500, "payout": 5500, "account_funded": -5000} == _postings(
        won, {(1, "bad_beat_progressive"): 500}
    )


def test_a_share_of_a_meter_is_never_credited_to_an_account() -> None:
    """The attendant pays it, whoever paid for the wager."""
    jackpot = _settlement(
        _line("win", 100, 500_020, 0, from_meter=500_020),
        contributions=(Contribution(1, "bad_beat_progressive", "bad_beat_progressive", 20),),
        before={"bad_beat_progressive": 500_000},
        after={"bad_beat_progressive": 500_000},
        resets={"bad_beat_progressive": 500_000},
    )
    assert {
        "handle": -100,
        "meter_expense": 500_020,
        "meter_contribution": -20,
        "meter_reset": -500_000,
        "meter_payout": 500_020,
        "attendant": -500_020,
        "account_funded": 100,
    } == _postings(jackpot, {(1, "bad_beat_progressive"): 100})


def test_a_wager_paid_in_part_from_an_account_is_credited_in_part() -> None:
    """In proportion; a share of a cent stays in chips."""
    won = _settlement(_line("win", 300, 100, 300))
    # 400 x 200 / 300 = 266.67
    assert {"handle": -300, "payout": 400, "account_funded": 200 - 266, "chips": 100 - 134} == _postings(
        won, {(1, "bad_beat_progressive"): 200}
    )


def test_a_void_line_posts_nothing() -> None:
    """What did not count was not wagered."""
    assert {} == _postings(_settlement(_line("void", 500, 0, 500)), {(1, "bad_beat_progressive"): 500})


def test_accounts_are_named_by_table_wager_and_leg() -> None:
    """A posting can be found without reading its entry."""
    lost = _settlement(_line("lose", 500, 0, 0))
    assert (
        Posting(Account("p", "t", "bad_beat_progressive", "handle"), -500),
        Posting(Account("p", "t", "", "chips"), 500),
    ) == postings_of("p", "t", totals_of(lost, {}))


def test_a_player_banked_round_shows_who_paid_whom() -> None:
    """The bank takes seat 6 and the dealer's wager and pays seat 2; bank and winner each give 5%."""
    against_bank = partial(Line, wager="pai_gow_poker", paragraph="§ 645a.12(j)", paid_by="bank")
    settlement = _settlement(
        Line(
            seat=0,
            wager="dealer_wager",
            outcome="lose",
            stake=5000,
            payout=0,
            stake_returned=0,
            paragraph="§ 645a.12(i)",
        ),
        against_bank(seat=6, outcome="lose", stake=10000, payout=0, stake_returned=0),
        against_bank(seat=2, outcome="win", stake=4000, payout=4000, stake_returned=4000, vigorish=200),
        Line(seat=4, wager="bank", outcome="win", stake=0, payout=11000, stake_returned=0, vigorish=550, paragraph=""),
    )
    postings = postings_of("p", "t", totals_of(settlement, {}))
    assert {
        ("dealer_wager", "bank_settlement"): -5000,
        ("dealer_wager", "house_in_bank"): 5000,
        ("pai_gow_poker", "vigorish"): -200,
        ("pai_gow_poker", "banked_wagers"): -14000,
        ("pai_gow_poker", "banked_payouts"): 8000,
        ("bank", "vigorish"): -550,
        ("bank", "bank_paid"): 11000,
        ("", "chips"): -4250,
    } == {(account.wager, account.leg): cents for account, cents in postings}
