"""The check of the demo: it must see every difference between the reports and what the simulator computed."""

from copy import deepcopy
from functools import partial
from typing import Any, get_args

import pytest

from loadtest.floor.books import Books, Wagered, wagered
from loadtest.floor.messages import Kind
from loadtest.traffic.reports import Reports, differences
from shared.rules import Line, Settlement


def books() -> Books:
    """One table with a wager and its meter, and every kind of exception once."""
    found = Books()
    found.rounds = 10
    found.by_table_and_wager["BJ01", "blackjack"] = Wagered(rounds=10, handle=50_000, payout=48_000)
    found.by_table_and_wager["BJ01", "bad_beat_progressive"] = Wagered(
        rounds=4, handle=400, payout=100, meter_contribution=80
    )
    for kind in get_args(Kind):
        found.messages[kind] = 1
    found.notices = 1
    return found


def money(handle: int, payout: int, contribution: int = 0) -> dict[str, int]:
    return {
        "handle_cents": handle,
        "payout_cents": payout,
        "vigorish_cents": 0,
        "win_cents": handle - payout,
        "meter_contribution_cents": contribution,
        "meter_payout_cents": 0,
        "meter_reset_cents": 0,
        "banked_handle_cents": 0,
        "banked_payout_cents": 0,
        "bank_collected_cents": 0,
        "bank_paid_cents": 0,
        "house_in_bank_cents": 0,
    }


def reports() -> dict[str, Any]:
    """What reporting must say of these books."""
    return {
        "win_as_settled": {
            "content": {
                "sections": [
                    {
                        "name": "wagers",
                        "rows": [
                            {"table": "BJ01", "wager": "bad_beat_progressive", "count": 4, **money(400, 100, 80)},
                            {"table": "BJ01", "wager": "blackjack", "count": 10, **money(50_000, 48_000)},
                        ],
                    },
                    {"name": "tables", "total": {"rounds_counted": 10, **money(50_400, 48_100, 80)}},
                ],
                "identities": [
                    {"name": "handle", "says": "it is what was staked", "left": 504, "right": 504, "holds": True}
                ],
            }
        },
        "exceptions": [
            {"kind": "reversed", "status": "noted"},
            {"kind": "reversed", "status": "noted"},
            {"kind": "gap", "status": "filled"},
            {"kind": "gap", "status": "open"},
            {"kind": "quarantined", "status": "open"},
            {"kind": "quarantined", "status": "open"},
            {"kind": "notice", "status": "noted"},
        ],
    }


def found(documents: dict[str, Any]) -> list[str]:
    return list(differences(books(), Reports(documents["win_as_settled"], tuple(documents["exceptions"]))))


def wagers(documents: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = documents["win_as_settled"]["content"]["sections"][0]["rows"]
    return rows


def test_reports_that_agree_have_no_difference() -> None:
    """Equal figures and the expected exceptions: nothing to say."""
    assert [] == found(reports())


@pytest.mark.parametrize("column", ["count", *money(0, 0)])
def test_any_figure_of_any_row_that_is_off_is_named(column: str) -> None:
    """One unit too much in one cell is told with table, wager, column and both values."""
    documents = deepcopy(reports())
    row = wagers(documents)[1]
    row[column] += 1
    expected = f"table BJ01, blackjack: {column} is {row[column]} in the report and must be {row[column] - 1}"
    assert [expected] == found(documents)


def test_a_total_that_is_off_is_named() -> None:
    """The sum of the day is compared by itself, and so is the number of rounds."""
    documents = deepcopy(reports())
    total = documents["win_as_settled"]["content"]["sections"][1]["total"]
    total["win_cents"] -= 1
    total["rounds_counted"] += 1
    assert [
        "the day: count is 11 in the report and must be 10",
        "the day: win_cents is 2299 in the report and must be 2300",
    ] == found(documents)


def test_an_identity_that_fails_is_named() -> None:
    """What a report itself finds wrong is a difference."""
    documents = deepcopy(reports())
    documents["win_as_settled"]["content"]["identities"][0] |= {"right": 505, "holds": False}
    assert ["handle: 504 is not 505, but it is what was staked"] == found(documents)


def test_rows_that_are_missing_or_nobody_expects_are_named() -> None:
    """A wager without its row, and a row of a table that sent nothing, are differences."""
    documents = deepcopy(reports())
    wagers(documents)[0]["table"] = "BJ02"
    said = found(documents)
    assert "table BJ01, bad_beat_progressive: handle_cents is 0 in the report and must be 400" in said
    assert "table BJ02, bad_beat_progressive: handle_cents is 400 in the report and must be 0" in said


def test_exceptions_are_counted_by_kind_and_status() -> None:
    """One that is missing and one that nobody planted are told."""
    documents = deepcopy(reports())
    documents["exceptions"][2] = {"kind": "superseded", "status": "noted"}
    assert [
        "exceptions: 0 of kind gap, status filled, and there must be 1",
        "exceptions: 1 of kind superseded, status noted, and there must be 0",
    ] == found(documents)


def settled(*lines: Line) -> Settlement:
    """A settlement without meters."""
    return Settlement(lines=lines, meters={}, contributions=(), meter_resets={}, meters_before={})


def test_a_banked_round_is_in_the_books_without_handle() -> None:
    """What is wagered against a bank is apart; the house wins vigorish, and in the bank with its own stakes."""
    against = partial(Line, wager="pai_gow_poker", paragraph="§", paid_by="bank")
    found = wagered(
        settled(
            Line(seat=0, wager="dealer_wager", outcome="win", stake=500, payout=500, stake_returned=500, paragraph="§"),
            against(seat=1, outcome="win", stake=1000, payout=1000, stake_returned=1000, vigorish=50),
            against(seat=2, outcome="lose", stake=4000, payout=0, stake_returned=0),
            against(seat=3, outcome="void", stake=7000, payout=0, stake_returned=7000),
            Line(
                seat=4,
                wager="bank",
                outcome="win",
                stake=0,
                payout=1250,
                stake_returned=0,
                vigorish=63,
                paragraph="§",
                house_share=1250,
            ),
        )
    )
    assert found == {
        "dealer_wager": Wagered(rounds=1, house_in_bank=500),
        "pai_gow_poker": Wagered(rounds=1, vigorish=50, banked_handle=5000, banked_payout=2000),
        "bank": Wagered(rounds=1, vigorish=63, bank_paid=1250, house_in_bank=1250),
    }
    assert [500, 50, 1313] == [each.win for each in found.values()]


def test_wins_are_before_meters() -> None:
    """Win is handle and vigorish less payouts; what goes onto a meter is not in it."""
    assert 300 == Wagered(rounds=1, handle=400, payout=100, meter_contribution=80).win
