"""Entries: the bytes under the hash, and the chain."""

from dataclasses import fields, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

import pytest

from shared.journal.entry import (
    Account,
    EntryDraft,
    Posting,
    entry_hash,
    entry_record,
    genesis,
    record_digest,
    reversal,
    seal,
)

DRAFT = EntryDraft(
    kind="settlement.posted",
    source="/properties/riverside/tables/BJ-01",
    sequence=7,
    event_id="e-7",
    offset=41,
    record_hash=bytes(range(32)),
    gaming_day=date(2026, 11, 20),
    occurred_at=datetime(2026, 11, 20, 14, 30, 15, 250000, UTC),
    data='{"round_id":"BJ-01-7","note":"§ 633a.13(a)"}'.encode(),
    postings=(
        Posting(Account("riverside", "BJ-01", "blackjack", "handle"), -10000),
        Posting(Account("riverside", "BJ-01", "", "chips"), 10000),
    ),
)
RECORDED = datetime(2026, 11, 20, 14, 30, 16, 1, UTC)
GENESIS = genesis("table.events/3@c1")


def _hash(draft: EntryDraft, seq: int = 1, recorded_at: datetime = RECORDED, previous: bytes = GENESIS) -> str:
    return entry_hash(draft, shard_name="table.events/3@c1", seq=seq, recorded_at=recorded_at, previous=previous).hex()


def test_genesis_has_golden_bytes() -> None:
    """The head of an empty shard depends on its name alone, and never changes."""
    assert GENESIS.hex() == "8b35754a7690aa0a2ba5e8bb7337ff2b674c01613695fcfad6f3d1b24ed47751"


def test_entry_hash_has_golden_bytes() -> None:
    """The hash of an entry never changes: recorded journals must verify for ever."""
    assert _hash(DRAFT) == "5ea784f0f20ed2bd1aae4369985771d2623aa1982eea341a07604af0df158f36"


def test_record_is_readable_without_this_code() -> None:
    """The bytes under the hash are fields, each as its length in eight bytes and its content."""
    record = entry_record(DRAFT, shard_name="table.events/3@c1", seq=1, recorded_at=RECORDED, previous=GENESIS)
    found, rest = [], record
    while rest:
        length = int.from_bytes(rest[:8], "big")
        found.append(rest[8 : 8 + length])
        rest = rest[8 + length :]
    expected = [
        b"pitledger-entry-v1", GENESIS, b"table.events/3@c1", b"1", b"settlement.posted",
        b"/properties/riverside/tables/BJ-01", b"7", b"e-7", b"41", bytes(range(32)), b"2026-11-20",
        b"1795185015250000", b"1795185016000001", DRAFT.data, b"2",
        b"riverside", b"BJ-01", b"blackjack", b"handle", b"-10000",
        b"riverside", b"BJ-01", b"", b"chips", b"10000",
    ]  # fmt: skip
    assert expected == found
    assert sha256(record).hexdigest() == _hash(DRAFT)


def test_the_hash_of_a_record_has_golden_bytes() -> None:
    """What a sender wrote is hashed the same for ever; what is absent is not the same as what is empty."""
    value, empty = sha256(b"v").digest(), sha256(b"").digest()
    digest = record_digest(b"k", value, [("a", None), ("b", b"c")])
    assert digest.hex() == "ec4c406e63c3c90578107cb4a0fbd820cb0f39e385e8df4cd1fbe4effd76827f"
    others = {
        record_digest(None, value),
        record_digest(b"", value),
        record_digest(b"v", empty),
        record_digest(b"", empty, []),
    }
    assert 4 == len(others)
    assert record_digest(b"k", value, [("a", None)]) != record_digest(b"k", value, [("a", b"")])


CHANGES: dict[str, Any] = {
    "kind": "settlement.reversed",
    "source": "/properties/riverside/tables/BJ-02",
    "sequence": 8,
    "event_id": "e-8",
    "offset": None,
    "record_hash": bytes(32),
    "gaming_day": None,
    "occurred_at": datetime(2026, 11, 20, 14, 30, 15, 250001, UTC),
    "data": b'{"round_id":"BJ-01-7"}',
    "postings": (),
}


def test_every_field_of_a_draft_has_a_change() -> None:
    """A new field must be added to the test below, and with it to the hash; `fact` is what `data` says, in memory."""
    assert {field.name for field in fields(EntryDraft)} == {*CHANGES, "fact"}


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_every_field_enters_the_hash(name: str) -> None:
    """A change of any field changes the hash."""
    assert _hash(replace(DRAFT, **{name: CHANGES[name]})) != _hash(DRAFT)


@pytest.mark.parametrize("part", range(4))
def test_every_part_of_an_account_enters_the_hash(part: int) -> None:
    """Money cannot move to another account unnoticed."""
    account = list(DRAFT.postings[0].account)
    account[part] += "x"
    postings = (Posting(Account(*account), -10000), DRAFT.postings[1])
    assert _hash(replace(DRAFT, postings=postings)) != _hash(DRAFT)


def test_place_time_and_predecessor_enter_the_hash() -> None:
    """An entry cannot be moved, dated otherwise or hung elsewhere."""
    others = {
        _hash(DRAFT, seq=2),
        _hash(DRAFT, recorded_at=datetime(2026, 11, 20, 14, 30, 16, 2, UTC)),
        _hash(DRAFT, previous=bytes(32)),
        _hash(DRAFT),
    }
    assert len(others) == 4


def test_fields_cannot_run_into_each_other() -> None:
    """Lengths keep 'ab' + 'c' apart from 'a' + 'bc'."""
    one = replace(DRAFT, source="/ab", event_id="c")
    two = replace(DRAFT, source="/a", event_id="bc")
    assert _hash(one) != _hash(two)


def test_seal_chains_entries() -> None:
    """Each sealed entry names the hash of the one before it."""
    entries = seal(
        [DRAFT, replace(DRAFT, sequence=8)],
        shard=3,
        shard_name="table.events/3@c1",
        next_seq=5,
        head=GENESIS,
        recorded_at=RECORDED,
    )
    assert [(5, GENESIS), (6, entries[0].hash)] == [(entry.seq, entry.previous) for entry in entries]


def test_reversal_takes_everything_back() -> None:
    """A reversal and what it reverses sum to nothing on every account."""
    back = reversal(DRAFT.postings)
    assert [(posting.account, 0) for posting in DRAFT.postings] == [
        (one.account, one.cents + two.cents) for one, two in zip(DRAFT.postings, back, strict=True)
    ]
