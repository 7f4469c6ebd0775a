"""The daily win as a document: totals, hash, CSV."""

import csv
import io
from typing import Any

from services.reporting.domain.daily_win import DailyWin, GameDay, RoundCounts, WagerDay, as_csv, daily_win
from shared.contracts.wager_totals import WagerTotals
from tests.unit.reporting.entries import HEADER, total


def _day(table: str, game: str, wager: str, count: int = 1, **figures: int) -> WagerDay:
    return WagerDay(table, game, WagerTotals(**(total(wager, **figures) | {"count": count})))


WAGERS = [
    _day("BJ-01", "blackjack", "blackjack", 2, handle=40000, payout=20000),
    _day("BJ-01", "blackjack", "insurance", handle=5000, payout=15000, vigorish=250),
    _day("BJ-02", "switch", "blackjack", 0),
]
GAMES = [
    GameDay("BJ-01", "blackjack", RoundCounts(posted=4, corrected=1, reversed=2, voided=1)),
    GameDay("BJ-02", "switch", RoundCounts(posted=1, reversed=1)),
]


def _report(wagers: list[WagerDay] = WAGERS, games: list[GameDay] = GAMES, **changes: Any) -> DailyWin:
    return daily_win(wagers, games, **(HEADER | changes))


def test_totals_are_those_of_their_rows() -> None:
    """Each table, each game and the whole sum up the rows and rounds that belong to them."""
    report = _report()
    assert [("BJ-01", 45000, 10250, 2), ("BJ-02", 0, 0, 0)] == [
        (one.table, one.handle_cents, one.win_cents, one.rounds.counted) for one in report.tables
    ]
    assert [("blackjack", 10250), ("switch", 0)] == [(one.game, one.win_cents) for one in report.games]
    assert (45000, 10250, "22.78") == (
        report.total.handle_cents,
        report.total.win_cents,
        report.total.win_percent,
    )
    assert {"counted": 2, "posted": 5, "corrected": 1, "reversed": 3, "voided": 1} == report.total.rounds.model_dump()


def test_a_banked_round_shows_who_paid_whom() -> None:
    """What went against the bank is no handle; vigorish and what the house won in the bank are win."""
    banked = [
        _day("PG-01", "pai-gow", "bank", vigorish=550, bank_paid=11000),
        _day("PG-01", "pai-gow", "dealer_wager", house_in_bank=-5000),
        _day("PG-01", "pai-gow", "pai_gow_poker", vigorish=200, banked_handle=14000, banked_payout=8000),
    ]
    total = _report(wagers=banked, games=[GameDay("PG-01", "pai-gow", RoundCounts(posted=1))]).total
    assert (0, 0, 750 - 5000, None) == (total.handle_cents, total.payout_cents, total.win_cents, total.win_percent)
    assert (750, 200, 550) == (total.vigorish_cents, total.player_vigorish_cents, total.bank_vigorish_cents)
    assert (14000, 8000, 0, 11000, -5000) == (
        total.banked_handle_cents,
        total.banked_payout_cents,
        total.bank_collected_cents,
        total.bank_paid_cents,
        total.house_in_bank_cents,
    )


def test_win_percent_of_nothing_wagered_is_null() -> None:
    """A row without handle has none."""
    assert None is _report().rows[2].win_percent


def test_the_hash_is_golden() -> None:
    """The bytes that are hashed never change unnoticed."""
    assert "339e798bf08c3e44a3b6fb9298cdfe52beb4b790a1e3cc038976b2d7970770d9" == _report().rows_sha256


def test_the_hash_is_of_the_rows_alone() -> None:
    """Who asks, and when, does not change it; a cent does."""
    other = _report(generated_by="games.ray", exceptions_open=3)
    assert _report().rows_sha256 == other.rows_sha256
    dearer = [_day("BJ-01", "blackjack", "blackjack", 2, handle=40001, payout=20000), *WAGERS[1:]]
    assert _report().rows_sha256 != _report(dearer).rows_sha256


def test_csv_is_rfc_4180() -> None:
    """Lines end with CR LF, every line has as many fields as the header, amounts stand in cents and in dollars."""
    text = as_csv(_report())
    assert text.endswith("\r\n")
    assert text.count("\n") == text.count("\r\n") == 4
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    assert {len(header)} == {len(line) for line in lines}
    first = dict(zip(header, lines[1], strict=True))
    assert ("insurance", "5000", "50.00", "-9750", "-97.50", "-195.00") == (
        first["wager"],
        first["handle_cents"],
        first["handle_dollars"],
        first["win_cents"],
        first["win_dollars"],
        first["win_percent"],
    )
    empty = dict(zip(header, lines[2], strict=True))
    assert ("BJ-02", "0.00", "") == (empty["table"], empty["win_dollars"], empty["win_percent"])
