"""An entry of every kind, as it is stored and published: one line of JSON each, frozen with its release."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, Final

from shared.contracts.catalog import decode_fact
from shared.contracts.envelope import shard_source
from shared.contracts.facts import KINDS, EventKind
from shared.contracts.pit import EVENTS
from shared.contracts.topic_reader import kind_of
from shared.journal.entry import Account, Entry, EntryDraft, Posting, genesis, seal
from shared.journal.recording import Causation, FactWithPostings, draft
from shared.runtime.outbox.relay import Outgoing, entry_message
from tests.unit.contracts.examples import EXAMPLES

Line = dict[str, Any]

_NOON: Final = datetime(2026, 11, 20, 12, tzinfo=UTC)
_SHARD: Final = "table.events/0@archive"
_EVERYBODY: Final = "round-settlement"
"""Whose journal shows what every journal may hold."""
_MONEY: Final = tuple(
    Posting(Account("riverside", "BJ-01", wager, leg), cents)
    for wager, leg, cents in (("blackjack", "handle", -10000), ("", "chips", 10000))
)


def lines() -> Iterator[Line]:
    """Yield an entry of each kind of fact and an event of each other kind; of `pit.recorded`, one of each pit event."""
    for name, example in sorted(EXAMPLES.items()):
        kind = KINDS[name]
        if not kind.is_fact:
            assert kind.topic is not None
            yield {"type": kind.type, "topic": kind.topic.name, "event": json.dumps(example, ensure_ascii=False)}
            continue
        yield _line(kind, example["data"])
        if name == "pit.recorded":
            for event in map(kind_of, EVENTS):
                yield _line(kind, example["data"] | {"event": event, "data": EXAMPLES[event]["data"]})


def _line(kind: EventKind, data: Mapping[str, Any]) -> Line:
    fact = decode_fact(kind.type, json.dumps(data).encode())
    cause = Causation("/properties/riverside/tables/BJ-01", 7, "e-7", 41, _NOON, bytes(range(32)))
    made = draft(FactWithPostings(fact=fact, postings=_MONEY if kind.moves_money else ()), cause)
    [entry] = seal([made], shard=1, shard_name=_SHARD, next_seq=1, head=genesis(_SHARD), recorded_at=_NOON)
    publisher = _EVERYBODY if kind.topic is None else str(kind.topic.publisher)
    message = entry_message(shard_source(publisher, 1), 1, Outgoing.of(entry))
    return {
        "type": kind.type,
        "publisher": publisher,
        "topic": None if kind.topic is None else kind.topic.name,
        "entry": _as_json(entry),
        "event": message.decode(),
    }


def _as_json(entry: Entry) -> Line:
    """Return all that an entry's hash covers, and the hash."""
    said = entry.draft
    return {
        "shard": _SHARD,
        "seq": entry.seq,
        "previous": entry.previous.hex(),
        "kind": said.kind,
        "source": said.source,
        "sequence": said.sequence,
        "event_id": said.event_id,
        "offset": said.offset,
        "record_hash": None if said.record_hash is None else said.record_hash.hex(),
        "gaming_day": None if said.gaming_day is None else said.gaming_day.isoformat(),
        "occurred_at": said.occurred_at.isoformat(),
        "recorded_at": entry.recorded_at.isoformat(),
        "data": said.data.decode(),
        "postings": [[*account, cents] for account, cents in said.postings],
        "hash": entry.hash.hex(),
    }


def entry_of(line: Line) -> Entry:
    """Return the entry that a line says, to the byte."""
    said = line["entry"]
    return Entry(
        shard=1,
        seq=said["seq"],
        draft=EntryDraft(
            kind=said["kind"],
            source=said["source"],
            sequence=said["sequence"],
            event_id=said["event_id"],
            offset=said["offset"],
            record_hash=None if said["record_hash"] is None else bytes.fromhex(said["record_hash"]),
            gaming_day=None if said["gaming_day"] is None else date.fromisoformat(said["gaming_day"]),
            occurred_at=datetime.fromisoformat(said["occurred_at"]),
            data=said["data"].encode(),
            postings=tuple(Posting(Account(*account), cents) for *account, cents in said["postings"]),
        ),
        recorded_at=datetime.fromisoformat(said["recorded_at"]),
        previous=bytes.fromhex(said["previous"]),
        hash=bytes.fromhex(said["hash"]),
    )


def rehashed(entry: Entry) -> Entry:
    """Return the entry with the hash that this release's code takes of it."""
    first = replace(entry, hash=b"")
    [again] = seal(
        [first.draft],
        shard=first.shard,
        shard_name=_SHARD,
        next_seq=first.seq,
        head=first.previous,
        recorded_at=first.recorded_at,
    )
    return again


def as_text(found: Iterator[Line]) -> str:
    """Return lines as the text of a file."""
    return "".join(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n" for line in found)


def read(text: str) -> list[Line]:
    """Return the lines of a file."""
    return [json.loads(line) for line in text.splitlines()]
