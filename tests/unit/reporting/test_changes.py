"""What settlement entries change in the reports."""

import json
from datetime import date, timedelta
from typing import Any

import pytest

from services.reporting.domain.changes import Changes, GameKey
from services.reporting.domain.daily_win import RoundCounts
from services.reporting.handlers import Settlements
from shared.contracts.wager_totals import FIGURES
from shared.rules.errors import Refused
from tests.unit.reporting.entries import NOON, Shard, entry_hash, shuffled, total

SHARD = Shard()
decode = Settlements.reader.decode
KEY = GameKey(date(2026, 11, 20), "riverside", "BJ-01", "blackjack")


def _changes(*events: dict[str, Any]) -> Changes:
    changes = Changes("round-settlement")
    for event in events:
        changes.add(decode(json.dumps(event).encode()))  # type: ignore[arg-type]
    return changes


def test_every_total_of_the_contract_is_added_up() -> None:
    """Each amount of a wager's total lands in its own sum; rounds with the wager are counted."""
    amounts = {
        "vigorish": 3,
        "meter_contribution": 4,
        "meter_payout": 5,
        "meter_reset": 6,
        "account_staked": 7,
        "account_credited": 8,
        "banked_handle": 9,
        "banked_payout": 10,
        "bank_collected": 11,
        "bank_paid": 12,
        "house_in_bank": 13,
    }
    one = SHARD.posted(1, "BJ-01", [total("blackjack", handle=1, payout=2, **amounts)])
    other = SHARD.posted(2, "BJ-01", [total(handle=10, payout=20)])
    assert {(*KEY, "blackjack"): (2, 11, 22, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)} == _changes(one, other).sums


def test_a_reversal_takes_back_what_was_posted() -> None:
    """Posting and reversal of a round come to zero, and are counted as one of each."""
    totals = [total(handle=100, payout=250, vigorish=5, meter_contribution=1)]
    changes = _changes(
        SHARD.posted(1, "BJ-01", totals, round_id="r-1"), SHARD.reversed(2, "BJ-01", totals, round_id="r-1")
    )
    assert {(*KEY, "blackjack"): (0,) * len(FIGURES)} == changes.sums
    assert {KEY: RoundCounts(posted=1, reversed=1)} == changes.rounds


def test_a_posting_with_a_correction_counts_as_corrected() -> None:
    """A corrected round is counted as posted and as corrected."""
    changes = _changes(SHARD.posted(3, "BJ-01", [], round_id="r-1", revision=2))
    assert {KEY: RoundCounts(posted=1, corrected=1)} == changes.rounds


def test_the_order_of_entries_does_not_matter() -> None:
    """Whatever the order, the sums are the same."""
    entries = [SHARD.posted(seq, f"BJ-0{seq % 3}", [total(handle=seq, payout=2 * seq)]) for seq in range(1, 30)]
    assert _changes(*entries).sums == _changes(*shuffled(entries)).sums


def test_a_game_changed_when_something_about_it_was_recorded_last() -> None:
    """Postings, reversals and voids count; what is superseded changes nothing."""
    changes = _changes(
        SHARD.voided(9, "BJ-01", "r-9"), SHARD.posted(4, "BJ-01", []), SHARD.superseded(12, "BJ-01", "r")
    )
    assert {KEY: NOON + timedelta(seconds=9)} == changes.changed


def test_an_exception_refers_to_the_entry_that_says_so() -> None:
    """What is noticed carries shard, sequence and hash of its entry, the reason and who stands for it."""
    [noticed] = _changes(SHARD.voided(7, "BJ-01", "r-9")).noticed
    assert ("round-settlement", 1, 7, entry_hash(7)) == noticed.entry[:4]
    assert ("voided", "r-9", "misread card") == (
        noticed.kind,
        noticed.round_id,
        noticed.reason,
    )
    assert ("floor.lee", "audit.kim") == (noticed.entered_by, noticed.approved_by)
    assert NOON < noticed.since == noticed.entry.recorded_at


def test_what_was_noticed_is_an_exception_beside_what_became_of_the_round() -> None:
    """That of a posting goes with its revision: a reversal takes it back. That of any other entry stays."""
    notice = {"code": "other_gaming_day", "paragraph": "property riverside version 1", "detail": "another day"}
    entries = {
        "posted": SHARD.posted(1, "BJ-01", [], revision=2),
        "reversed": SHARD.reversed(2, "BJ-01", [], round_id="r"),
        "voided": SHARD.voided(3, "BJ-01", "r"),
        "superseded": SHARD.superseded(4, "BJ-01", "r"),
    }
    found = {}
    for name, entry in entries.items():
        noticed = _changes(entry | {"data": entry["data"] | {"notices": [notice]}}).noticed[-1]
        found[name] = (noticed.kind, noticed.code, noticed.number, noticed.revision)
    of_posting, of_others = ("notice", "other_gaming_day", 1, 2), ("notice", "other_gaming_day", 1, None)
    assert {name: of_posting if name == "posted" else of_others for name in entries} == found


def test_a_gap_of_a_table_belongs_to_its_property() -> None:
    """Property and table are read from the stream."""
    [noticed] = _changes(SHARD.gap(1, "BJ-01", 3, 6)).noticed
    assert ("gap", "riverside", "BJ-01", 3, 6) == (
        noticed.kind,
        noticed.property,
        noticed.table_name,
        noticed.first,
        noticed.last,
    )


def test_an_unreadable_record_belongs_to_no_property() -> None:
    """A refused record without a stream is noticed with its place in the topic."""
    [noticed] = _changes(SHARD.quarantined(4, None, None, "not JSON")).noticed
    assert (None, None, "table.events", 4) == (noticed.property, noticed.stream, noticed.topic, noticed.offset)


@pytest.mark.parametrize(
    "change",
    [
        {"type": "settlement.guessed", "movesmoney": True},
        {"source": "/somebody/shards/1"},
        {"source": "/round-settlement/shards/one"},
        {"sequence": 0},
        {"entryhash": "abc"},
        {"recordedat": "2026-11-20T12:00:00"},
        {"data": {}},
    ],
    ids=str,
)
def test_what_is_no_settlement_entry_is_refused(change: dict[str, Any]) -> None:
    """An entry of an unknown kind with money, of another publisher or with a field that is wrong is not counted."""
    with pytest.raises(Refused):
        decode(json.dumps(SHARD.posted(1, "BJ-01", []) | change).encode())


def test_fields_that_the_publisher_adds_are_passed_over() -> None:
    """A newer publisher's fields do not stop the reports."""
    event = SHARD.posted(1, "BJ-01", [total(handle=5, tip=1)], jackpot_pool="east")
    assert (1, 5, 0) == _changes(event).sums[*KEY, "blackjack"][:3]


def test_the_handle_is_laid_to_the_submission_that_was_wagered_under() -> None:
    """Each version has its part; what is taken back is taken from the version that it was posted under."""
    second = {"version": 2, "hash": "b" * 64}
    changes = _changes(
        SHARD.posted(1, "BJ-01", [total(handle=500), total("insurance")], round_id="r-1"),
        SHARD.posted(2, "BJ-01", [total(handle=300)], submission=second),
        SHARD.posted(3, "BJ-01", [total(handle=70)], submission=second, round_id="r-3"),
        SHARD.reversed(4, "BJ-01", [total(handle=70)], submission=second, round_id="r-3"),
    )
    key = (*KEY, "blackjack")
    assert {(*key, 1, "a" * 64): 500, (*key, 2, "b" * 64): 300} == changes.handles


def test_notices_are_noticed_one_by_one() -> None:
    """Each notice of a posted round is an exception of its entry, with code, seat, paragraph and words."""
    notices = [
        {"code": "hand_reset", "seat": 0, "paragraph": "§ 645a.11(e)", "detail": "the dealer's hand was reset"},
        {"code": "hand_reset", "seat": 3, "paragraph": "§ 645a.11(f)", "detail": "the bank's hand was reset"},
    ]
    first, second = _changes(SHARD.posted(5, "PG-01", [total(handle=1)], round_id="r-5", notices=notices)).noticed
    assert (1, 2, first.entry) == (first.number, second.number, second.entry)
    assert ("notice", "PG-01", "r-5", 1) == (
        first.kind,
        first.table_name,
        first.round_id,
        first.revision,
    )
    assert ("hand_reset", 3, "§ 645a.11(f)", "the bank's hand was reset") == (
        second.code,
        second.seat,
        second.paragraph,
        second.detail,
    )
