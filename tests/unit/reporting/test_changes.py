"""What entries change in the list of exceptions."""

import json
from typing import Any

import pytest

from services.reporting.domain.changes import Changes
from services.reporting.ingest.journals import Settlements
from shared.rules.errors import Refused
from tests.unit.reporting.entries import NOON, Shard, entry_hash, total

SHARD = Shard()
decode = Settlements.reader.decode


def _changes(*events: dict[str, Any]) -> Changes:
    changes = Changes("round-settlement")
    for event in events:
        changes.add(decode(json.dumps(event).encode()))  # type: ignore[arg-type]
    return changes


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


@pytest.mark.parametrize(("stream", "found"), [("/pit", ("riverside", "BJ-01")), ("/wheel", (None, None))])
def test_the_pit_of_a_table_is_of_its_property(stream: str, found: tuple[str | None, str | None]) -> None:
    """Its gaps, and what is refused of it; of a stream that nobody knows, nothing is guessed."""
    said = SHARD.gap(1, "BJ-01", 3, 6)
    said["data"]["source"] += stream
    refused = SHARD.quarantined(2, None, None, "not JSON", f"{SHARD.table('BJ-01')}{stream}")
    for event in (said, refused):
        [noticed] = _changes(event).noticed
        assert found == (noticed.property, noticed.table_name)


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
