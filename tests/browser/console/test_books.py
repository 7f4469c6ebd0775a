"""The books of the gaming day that `pitledger demo` plays, on the stack of the console: what `--json` prints."""

import json
from collections import Counter
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from loadtest.traffic.reports import rows_of, total_of
from services.cli.demo.tables import show_identities
from services.cli.services import NAMES
from tests.support.demo import ROUNDS, RunningDemo

NEIGHBOR_ROUNDS = ROUNDS // 12


@pytest.fixture
def day(demo: RunningDemo) -> dict[str, Any]:
    """The document of the day, as it is printed."""
    document: dict[str, Any] = json.loads(json.dumps(demo.day, default=str))
    return document


def test_every_figure_is_what_the_simulator_computed(day: dict[str, Any]) -> None:
    """The win as settled, by table and wager and in all, equals the sums of the simulator's own settlements."""
    assert [] == day["differences"]
    total, expected = total_of(day["win_as_settled"], "tables"), day["expected"]
    assert expected["handle"] == total["handle_cents"] > 0
    assert expected["payout"] == total["payout_cents"] > 0
    # One round is void, one was refused.
    assert ROUNDS - 2 == expected["rounds"] == total["rounds_counted"]
    tables = [f"BJ0{number}" for number in range(1, 7)] + ["DJ01", "FU01", "OU01", "PG01", "TH01", "TH02"]
    assert tables == [table["table"] for table in rows_of(day["win_as_settled"], "tables")]


def test_a_round_that_a_player_banked_is_apart(day: dict[str, Any]) -> None:
    """What was wagered against the bank is no handle; the house's vigorish and its own stake there are its win."""
    total, expected = total_of(day["win_as_settled"], "tables"), day["expected"]
    assert expected["banked_handle"] == total["banked_handle_cents"] > 0
    assert expected["house_in_bank"] == total["house_in_bank_cents"] != 0
    assert total["win_cents"] == (
        total["handle_cents"] - total["payout_cents"] + total["vigorish_cents"] + total["house_in_bank_cents"]
    )


def test_everything_that_was_sent_is_accounted_for(day: dict[str, Any]) -> None:
    """Void, correction, duplicate and malformed bytes come on top of the rounds; each plant leaves its exception."""
    assert ROUNDS + 4 == sum(day["sent"].values())
    assert ROUNDS + 4 + NEIGHBOR_ROUNDS == day["records"]
    found = Counter((each["kind"], each["status"], each.get("table")) for each in day["exceptions"])
    expected = Counter(
        [
            ("gap", "filled", "BJ05"),
            ("gap", "open", "BJ02"),
            ("notice", "noted", "FU01"),
            ("quarantined", "dismissed", "BJ01"),  # no JSON: its key says whose it is
            ("quarantined", "dismissed", "BJ02"),
            ("reversed", "noted", "BJ01"),
            ("reversed", "noted", "BJ02"),
        ]
    )
    assert expected == found


def test_the_journals_verify_and_are_signed(day: dict[str, Any]) -> None:
    """No problem in any shard, accounts that sum to zero, and a signed checkpoint of every shard with entries."""
    assert set(NAMES) == {each["service"] for each in day["journals"]}
    for each in day["journals"]:
        assert [] == each["problems"]
        assert each["checkpoints"] > 0 or each["entries"] == 0
    zero = dict.fromkeys((service.replace("-", "_") for service in NAMES), 0)
    assert {"bayside": zero, "narragansett": zero} == day["trial_balances_cents"]


def test_two_properties_play_under_their_own_law_and_clock(day: dict[str, Any]) -> None:
    """Each has its own gaming day and figures; those of one are nowhere among those of the other."""
    own, neighbor = day["properties"]
    assert ("bayside", "Pennsylvania", "06:00") == (own["property"], own["law"], own["gaming_day_begins"])
    assert ("narragansett", "Rhode Island", "03:00") == (
        neighbor["property"],
        neighbor["law"],
        neighbor["gaming_day_begins"],
    )
    assert (ROUNDS - 2, NEIGHBOR_ROUNDS) == (own["rounds"], neighbor["rounds"])
    assert own["handle_cents"] == total_of(day["win_as_settled"], "tables")["handle_cents"]
    assert 0 < neighbor["handle_cents"]
    assert 0 < neighbor["vigorish_cents"]


def test_every_identity_holds_and_none_is_empty(day: dict[str, Any]) -> None:
    """Win, chips, inventory, drop, tips, vigorish, banks, accounts and meters: both sides are there, and equal."""
    sides = {each["identity"]: (each["left_cents"], each["right_cents"]) for each in day["identities"]}
    assert all(left == right for left, right in sides.values())
    assert all(each["holds"] for each in day["identities"])
    assert ["Trial balance"] == [identity for identity, (left, _) in sides.items() if left == 0]


def test_the_planted_variance_is_found_and_resolved(day: dict[str, Any]) -> None:
    """A hundred dollars are missing at the shift count of the first table, and nothing anywhere else."""
    [variance] = day["variances"]
    assert ("BJ01", "shift", -100_00) == (variance["table"], variance["what"], variance["cents"])
    assert ("resolved", "demo.revenue_auditor") == (variance["status"], variance["owner"])
    assert ("final", -100_00) == (day["win"]["status"], day["win"]["total"]["inventory_variance_cents"])


def test_what_happens_between_the_rounds_is_in_the_books(day: dict[str, Any]) -> None:
    """Counter checks are drop, coupons are not; vigorish was waived, and what was taken too much went back."""
    win, vigorish = day["win"]["total"], total_of(day["vigorish"], "tables")
    assert win["drop_cents"] == win["currency_cents"] + win["counter_checks_cents"]
    assert win["counter_checks_cents"] > 0 < win["coupons_cents"]
    assert vigorish["waived_cents"] > 0 < vigorish["returned_cents"]
    assert 0 == vigorish["outstanding_cents"]


def test_what_is_late_is_noted(day: dict[str, Any]) -> None:
    """A slip that was entered from paper, and cards that were changed after they were due; nothing is open."""
    found = sorted((each["kind"], each["status"], each["table"]) for each in day["desk_exceptions"])
    assert [("equipment", "noted", "BJ06"), ("slip_late", "noted", "BJ02"), ("variance", "resolved", "BJ01")] == found


def test_the_identities_are_printed_one_a_line(day: dict[str, Any]) -> None:
    """On a terminal of 110 columns no label is broken over two lines."""
    console = Console(width=110, file=StringIO(), markup=False, highlight=False)
    with console.capture() as printed:
        console.print(*show_identities(day["identities"]), sep="\n")
    lines = printed.get().splitlines()
    for each in day["identities"]:
        assert 1 == sum(all(each[label] in line for label in ("identity", "left", "right")) for line in lines)


def test_electronic_wagers_leave_what_is_owed_to_players(day: dict[str, Any]) -> None:
    """Players buy in, wager and are paid out; who still plays has a balance, and the liability is their sum."""
    accounts = day["accounts"]
    assert accounts["authorized"] > 0 < accounts["staked"]
    owed = accounts["bought_in"] - accounts["staked"] + accounts["credited"] - accounts["cashed_out"]
    owed += accounts["granted"]
    assert owed == total_of(accounts["liability"], "balances")["balance_cents"] > 0


def test_the_cage_pays_returns_and_reports(day: dict[str, Any]) -> None:
    """A check is paid, one comes back unpaid and is owed, one is paid in part; currency is reported; a grant waits."""
    checks, currency = day["cage"]["counter-checks"], day["cage"]["currency"]
    assert ["redeemed in full", "deposited in full", "returned unpaid", "redeemed in part"] == [
        row["what"] for row in rows_of(checks, "cage")
    ]
    assert [("in", 2, 11_500_00)] == [
        (row["direction"], row["movements"], row["cents"])
        for row in rows_of(currency, "reportable")
        if row["person"] == "P-1001"
    ]
    liability = day["accounts"]["liability"]
    assert 50_00 == total_of(liability, "promotional")["closing_cents"]


def test_the_linked_progressive_is_hit(day: dict[str, Any]) -> None:
    """Both of its tables put money onto it; the hit takes all of it, and the meter begins again."""
    [pool] = [each for each in day["meters"]["pools"] if each["pool"] == "blackjack-link"]
    assert day["meters"]["balanced"]
    assert 1 == pool["hits"]
    assert 0 == pool["readings_different"]
    [hit] = [each for each in rows_of(day["progressives"], "hits") if each["pool"] == "blackjack-link"]
    assert (int(pool["award_cents"]), "BJ03") == (hit["award_cents"], hit["table"])
    contributions = rows_of(day["progressives"], "contributions")
    fed = {each["table"] for each in contributions if each["pool"] == "blackjack-link"}
    assert {"BJ03", "BJ04"} == fed


def test_the_example_is_the_corrected_round(day: dict[str, Any]) -> None:
    """It was posted, taken back and posted again, under two names."""
    assert ["settlement.posted", "settlement.reversed", "settlement.posted"] == [
        entry["kind"] for entry in day["round"]["entries"]
    ]
