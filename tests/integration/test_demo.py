"""`pitledger demo`, small: the same path, the same checks, nothing left running."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from loadtest.bench.processes import Process, processes_below
from loadtest.traffic.reports import rows_of, total_of
from services.cli.demo.tables import show_identities
from services.cli.services import NAMES
from tests.support.nightly import AT_NIGHT
from tests.support.polling import eventually
from tests.support.turns import WHOLE_STACK, turn

ROUNDS = 144
NEIGHBOR_ROUNDS = ROUNDS // 12
TABLES = 12
SEED = 8
"""A day on which a player banks early."""
PITLEDGER = (sys.executable, "-P", "-m", "services.cli.main")


@pytest.fixture(scope="module")
def demo(run_directory: Path) -> dict[str, Any]:
    """The document of a short demo, which the processes of a run of the tests play once."""
    played = run_directory / "demo.json"
    with turn(run_directory / WHOLE_STACK):
        if not played.exists():
            played.write_text(play())
    document: dict[str, Any] = json.loads(played.read_text())
    return document


def play() -> str:
    ended = subprocess.run(
        [*PITLEDGER, "demo", "--json", f"--rounds={ROUNDS}", f"--tables={TABLES}", f"--seed={SEED}"],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert 0 == ended.returncode, ended.stderr
    return ended.stdout


def test_every_figure_is_what_the_simulator_computed(demo: dict[str, Any]) -> None:
    """The win as settled, by table and wager and in all, equals the sums of the simulator's own settlements."""
    assert [] == demo["differences"]
    total, expected = total_of(demo["win_as_settled"], "tables"), demo["expected"]
    assert expected["handle"] == total["handle_cents"] > 0
    assert expected["payout"] == total["payout_cents"] > 0
    # One round is void, one was refused.
    assert ROUNDS - 2 == expected["rounds"] == total["rounds_counted"]
    tables = [f"BJ0{number}" for number in range(1, 7)] + ["DJ01", "FU01", "OU01", "PG01", "TH01", "TH02"]
    assert tables == [table["table"] for table in rows_of(demo["win_as_settled"], "tables")]


def test_a_round_that_a_player_banked_is_apart(demo: dict[str, Any]) -> None:
    """What was wagered against the bank is no handle; the house's vigorish and its own stake there are its win."""
    total, expected = total_of(demo["win_as_settled"], "tables"), demo["expected"]
    assert expected["banked_handle"] == total["banked_handle_cents"] > 0
    assert expected["house_in_bank"] == total["house_in_bank_cents"] != 0
    assert total["win_cents"] == (
        total["handle_cents"] - total["payout_cents"] + total["vigorish_cents"] + total["house_in_bank_cents"]
    )


def test_everything_that_was_sent_is_accounted_for(demo: dict[str, Any]) -> None:
    """Void, correction, duplicate and malformed bytes come on top of the rounds; each plant leaves its exception."""
    assert ROUNDS + 4 == sum(demo["sent"].values())
    assert ROUNDS + 4 + NEIGHBOR_ROUNDS == demo["records"]
    found = Counter((each["kind"], each["status"], each.get("table")) for each in demo["exceptions"])
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


def test_the_journals_verify_and_are_signed(demo: dict[str, Any]) -> None:
    """No problem in any shard, accounts that sum to zero, and a signed checkpoint of every shard with entries."""
    assert set(NAMES) == {each["service"] for each in demo["journals"]}
    for each in demo["journals"]:
        assert [] == each["problems"]
        assert each["checkpoints"] > 0 or each["entries"] == 0
    zero = dict.fromkeys((service.replace("-", "_") for service in NAMES), 0)
    assert {"bayside": zero, "narragansett": zero} == demo["trial_balances_cents"]


def test_two_properties_play_under_their_own_law_and_clock(demo: dict[str, Any]) -> None:
    """Each has its own gaming day and figures; those of one are nowhere among those of the other."""
    own, neighbor = demo["properties"]
    assert ("bayside", "Pennsylvania", "06:00") == (own["property"], own["law"], own["gaming_day_begins"])
    assert ("narragansett", "Rhode Island", "03:00") == (
        neighbor["property"],
        neighbor["law"],
        neighbor["gaming_day_begins"],
    )
    assert (ROUNDS - 2, NEIGHBOR_ROUNDS) == (own["rounds"], neighbor["rounds"])
    assert own["handle_cents"] == total_of(demo["win_as_settled"], "tables")["handle_cents"]
    assert 0 < neighbor["handle_cents"]
    assert 0 < neighbor["vigorish_cents"]


def test_every_identity_holds_and_none_is_empty(demo: dict[str, Any]) -> None:
    """Win, chips, inventory, drop, tips, vigorish, banks, accounts and meters: both sides are there, and equal."""
    sides = {each["identity"]: (each["left_cents"], each["right_cents"]) for each in demo["identities"]}
    assert all(left == right for left, right in sides.values())
    assert all(each["holds"] for each in demo["identities"])
    assert ["Trial balance"] == [identity for identity, (left, _) in sides.items() if left == 0]


def test_the_planted_variance_is_found_and_resolved(demo: dict[str, Any]) -> None:
    """A hundred dollars are missing at the shift count of the first table, and nothing anywhere else."""
    [variance] = demo["variances"]
    assert ("BJ01", "shift", -100_00) == (variance["table"], variance["what"], variance["cents"])
    assert ("resolved", "demo.revenue_auditor") == (variance["status"], variance["owner"])
    assert ("final", -100_00) == (demo["win"]["status"], demo["win"]["total"]["inventory_variance_cents"])


def test_what_happens_between_the_rounds_is_in_the_books(demo: dict[str, Any]) -> None:
    """Counter checks are drop, coupons are not; vigorish was waived, and what was taken too much went back."""
    win, vigorish = demo["win"]["total"], total_of(demo["vigorish"], "tables")
    assert win["drop_cents"] == win["currency_cents"] + win["counter_checks_cents"]
    assert win["counter_checks_cents"] > 0 < win["coupons_cents"]
    assert vigorish["waived_cents"] > 0 < vigorish["returned_cents"]
    assert 0 == vigorish["outstanding_cents"]


def test_what_is_late_is_noted(demo: dict[str, Any]) -> None:
    """A slip that was entered from paper, and cards that were changed after they were due; nothing is open."""
    found = sorted((each["kind"], each["status"], each["table"]) for each in demo["desk_exceptions"])
    assert [("equipment", "noted", "BJ06"), ("slip_late", "noted", "BJ02"), ("variance", "resolved", "BJ01")] == found


def test_the_identities_are_printed_one_a_line(demo: dict[str, Any]) -> None:
    """On a terminal of 110 columns no label is broken over two lines."""
    console = Console(width=110, file=StringIO(), markup=False, highlight=False)
    with console.capture() as printed:
        console.print(*show_identities(demo["identities"]), sep="\n")
    lines = printed.get().splitlines()
    for each in demo["identities"]:
        assert 1 == sum(all(each[label] in line for label in ("identity", "left", "right")) for line in lines)


def test_electronic_wagers_leave_what_is_owed_to_players(demo: dict[str, Any]) -> None:
    """Players buy in, wager and are paid out; who still plays has a balance, and the liability is their sum."""
    accounts = demo["accounts"]
    assert accounts["authorized"] > 0 < accounts["staked"]
    owed = accounts["bought_in"] - accounts["staked"] + accounts["credited"] - accounts["cashed_out"]
    owed += accounts["granted"]
    assert owed == total_of(accounts["liability"], "balances")["balance_cents"] > 0


def test_the_cage_pays_returns_and_reports(demo: dict[str, Any]) -> None:
    """A check is paid, another comes back unpaid and is owed; currency is reported; a grant waits in a wallet."""
    checks, currency = demo["cage"]["counter-checks"], demo["cage"]["currency"]
    assert ["redeemed in full", "deposited in full", "returned unpaid"] == [
        row["what"] for row in rows_of(checks, "cage")
    ]
    assert [("in", 2, 11_500_00)] == [
        (row["direction"], row["movements"], row["cents"])
        for row in rows_of(currency, "reportable")
        if row["person"] == "P-1001"
    ]
    liability = demo["accounts"]["liability"]
    assert 50_00 == total_of(liability, "promotional")["closing_cents"]


def test_the_linked_progressive_is_hit(demo: dict[str, Any]) -> None:
    """Both of its tables put money onto it; the hit takes all of it, and the meter begins again."""
    [pool] = [each for each in demo["meters"]["pools"] if each["pool"] == "blackjack-link"]
    assert demo["meters"]["balanced"]
    assert 1 == pool["hits"]
    assert 0 == pool["readings_different"]
    [hit] = [each for each in rows_of(demo["progressives"], "hits") if each["pool"] == "blackjack-link"]
    assert (int(pool["award_cents"]), "BJ03") == (hit["award_cents"], hit["table"])
    contributions = rows_of(demo["progressives"], "contributions")
    fed = {each["table"] for each in contributions if each["pool"] == "blackjack-link"}
    assert {"BJ03", "BJ04"} == fed


def test_the_example_is_the_corrected_round(demo: dict[str, Any]) -> None:
    """It was posted, taken back and posted again, under two names."""
    assert ["settlement.posted", "settlement.reversed", "settlement.posted"] == [
        entry["kind"] for entry in demo["round"]["entries"]
    ]


@AT_NIGHT
@pytest.mark.usefixtures("whole_stack")
def test_ctrl_c_in_the_middle_leaves_nothing_running() -> None:
    """Interrupted while it plays, the demo ends everything that it started, with the exit code that says so."""
    command = [*PITLEDGER, "demo", "--rounds=200000", "--tables=2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stderr is not None
            said = next(line for line in process.stderr if "playing" in line or process.poll() is not None)
            assert "200,000 rounds" in said
            started = processes_below(process.pid)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            process.kill()
    assert 130 == process.returncode
    eventually(lambda: not still_running(started), because="what the demo started has ended")


def still_running(processes: Sequence[Process]) -> list[int]:
    return [process.pid for process in processes if process.words and exists(process.pid)]


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@AT_NIGHT
@pytest.mark.usefixtures("whole_stack")
def test_throughput_is_measured_from_produced_to_committed() -> None:
    """The harness plays a stack of its own and gives its figures beside a raw COPY of the same rows."""
    started = time.monotonic()
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "loadtest",
            "--rounds=300",
            "--tables=3",
            "--latency-rate=20",
            "--latency-seconds=2",
            "--json",
        ],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    elapsed = time.monotonic() - started
    assert 0 == ended.returncode, ended.stderr
    document = json.loads(ended.stdout)
    figures = document["throughput"]
    assert 300 == figures["rounds"]
    assert 300 / elapsed < figures["rounds_per_second"], "what is measured is less than the whole run"
    assert document["raw_copy_entries_per_second"] > 0
    assert figures["cpu_seconds"]["round-settlement"] > 0
    waits = document["latency"]["milliseconds"]
    assert 0 < waits["50"] <= waits["95"] <= waits["99"] <= waits["100"]
