"""The daily win as a document: totals, hash, entity tag, CSV."""

import csv
import io
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from services.reporting.documents import DailyWin, GameDay, Sums, WagerDay, as_csv, daily_win, etag
from services.reporting.domain import RoundCounts

WAGERS = [
    WagerDay("BJ-01", "blackjack", "blackjack", Sums(2, 40000, 20000, 0)),
    WagerDay("BJ-01", "blackjack", "insurance", Sums(1, 5000, 15000, 250)),
    WagerDay("BJ-02", "switch", "blackjack", Sums(0, 0, 0, 0)),
]
GAMES = [
    GameDay("BJ-01", "blackjack", RoundCounts(posted=4, corrected=1, reversed=2, voided=1)),
    GameDay("BJ-02", "switch", RoundCounts(posted=1, reversed=1)),
]


def _report(**changes: Any) -> DailyWin:
    given: dict[str, Any] = {
        "property_name": "riverside",
        "gaming_day": date(2026, 11, 20),
        "table": None,
        "game": None,
        "wagers": WAGERS,
        "games": GAMES,
        "through": [],
        "exceptions_open": 0,
        "system_version": "1.2.3",
        "generated_at": datetime(2026, 11, 21, 6, tzinfo=UTC),
        "generated_by": "audit.kim",
    }
    return daily_win(**(given | changes))


def test_totals_are_those_of_their_rows() -> None:
    """Each table, each game and the whole sum up the rows and rounds that belong to them."""
    report = _report()
    assert [("BJ-01", 45000, 10250, 2), ("BJ-02", 0, 0, 0)] == [
        (one.table, one.handle_cents, one.win_cents, one.rounds.counted) for one in report.tables
    ]
    assert [("blackjack", 10250), ("switch", 0)] == [(one.game, one.win_cents) for one in report.games]
    assert (45000, 10250, "22.7778") == (
        report.total.handle_cents,
        report.total.win_cents,
        report.total.hold_percent,
    )
    assert {"counted": 2, "posted": 5, "corrected": 1, "reversed": 3, "voided": 1} == report.total.rounds.model_dump()


def test_a_banked_round_shows_who_paid_whom() -> None:
    """What went against the bank is no handle; vigorish and what the house won in the bank are win."""
    banked = [
        WagerDay("PG-01", "pai-gow", "bank", Sums(1, vigorish=550, bank_paid=11000, bank_vigorish=550)),
        WagerDay("PG-01", "pai-gow", "dealer_wager", Sums(1, house_in_bank=-5000)),
        WagerDay("PG-01", "pai-gow", "pai_gow_poker", Sums(1, vigorish=200, banked_handle=14000, banked_payout=8000)),
    ]
    total = _report(wagers=banked, games=[GameDay("PG-01", "pai-gow", RoundCounts(posted=1))]).total
    assert (0, 0, 750 - 5000, None) == (total.handle_cents, total.payout_cents, total.win_cents, total.hold_percent)
    assert (750, 200, 550) == (total.vigorish_cents, total.player_vigorish_cents, total.bank_vigorish_cents)
    assert (14000, 8000, 0, 11000, -5000) == (
        total.banked_handle_cents,
        total.banked_payout_cents,
        total.bank_collected_cents,
        total.bank_paid_cents,
        total.house_in_bank_cents,
    )


def test_hold_of_nothing_wagered_is_null() -> None:
    """A row without handle has no hold."""
    assert None is _report().rows[2].hold_percent


def test_the_hash_is_golden() -> None:
    """The bytes that are hashed never change unnoticed."""
    assert "d01c84f734578c63a54da7dda3ba434ea01d82db6aaeba29a8bf7e9aae3e9e6b" == _report().rows_sha256


def test_the_hash_is_of_the_rows_alone() -> None:
    """Who asks, and when, does not change it; a cent does."""
    other = _report(generated_by="games.ray", exceptions_open=3)
    assert _report().rows_sha256 == other.rows_sha256
    dearer = [replace(WAGERS[0], sums=WAGERS[0].sums._replace(handle=40001)), *WAGERS[1:]]
    assert _report().rows_sha256 != _report(wagers=dearer).rows_sha256


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"generated_by": "games.ray"}, True),
        ({"generated_at": datetime(2026, 11, 22, tzinfo=UTC)}, True),
        ({"exceptions_open": 1}, False),
        ({"table": "BJ-01"}, False),
        ({"wagers": WAGERS[:2]}, False),
        ({"games": GAMES[:1]}, False),
        ({"system_version": "1.2.4"}, False),
    ],
    ids=str,
)
def test_the_entity_tag_stands_for_what_is_said(change: dict[str, Any], same: bool) -> None:
    """It stays while figures, rounds and exceptions do."""
    assert same is (etag(_report(), "application/json") == etag(_report(**change), "application/json"))


def test_csv_is_rfc_4180() -> None:
    """Lines end with CR LF, every line has as many fields as the header, amounts stand in cents and in dollars."""
    text = as_csv(_report())
    assert text.endswith("\r\n")
    assert text.count("\n") == text.count("\r\n") == 4
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    assert {len(header)} == {len(line) for line in lines}
    first = dict(zip(header, lines[1], strict=True))
    assert ("insurance", "5000", "50.00", "-9750", "-97.50", "-195.0000") == (
        first["wager"],
        first["handle_cents"],
        first["handle_dollars"],
        first["win_cents"],
        first["win_dollars"],
        first["hold_percent"],
    )
    assert "" == lines[2][-1]
