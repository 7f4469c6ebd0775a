"""Build entry drafts from facts with their postings."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from shared.contracts.facts import Fact
from shared.journal.entry import Entry, EntryDraft, Posting

Recorded = tuple[Entry, Fact]
"""An entry with its decoded fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWithPostings:
    """A fact to be recorded, and its postings: signed cents by account, sum zero.

    `gaming_day` defaults to the fact's gaming day, and `occurred_at` to the time of the cause. `stream` is the
    entry's (stream, sequence), by default that of the cause.
    """

    fact: Fact
    postings: tuple[Posting, ...] = ()
    gaming_day: date | None = None
    occurred_at: datetime | None = None
    stream: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Causation:
    """The cause of an entry: an event of a stream, or a command (its key is the `event_id`, `offset` is None).

    `record_hash` is the hash of the event's record, or identifies the command (`command_digest`).
    """

    source: str
    sequence: int
    event_id: str
    offset: int | None
    at: datetime
    record_hash: bytes | None = None


def draft(recording: FactWithPostings, cause: Causation) -> EntryDraft:
    """Return the entry draft of a fact, with the fact encoded."""
    fact = recording.fact
    kind = type(fact).KIND
    assert kind.model is type(fact), f"{type(fact).__name__} is not declared as a fact"
    assert kind.moves_money or not recording.postings, f"{kind.name} is declared to move no money"
    source, sequence = recording.stream or (cause.source, cause.sequence)
    return EntryDraft(
        kind=kind.type,
        source=source,
        sequence=sequence,
        event_id=cause.event_id,
        offset=cause.offset,
        record_hash=cause.record_hash,
        gaming_day=recording.gaming_day or getattr(fact, "gaming_day", None),
        occurred_at=recording.occurred_at or cause.at,
        data=fact.encode(),
        postings=recording.postings,
        fact=fact,
    )


def recorded(entries: Sequence[Entry]) -> list[Recorded]:
    """Return entries with the facts of their drafts, for entries that this process has just appended."""
    return [(entry, entry.draft.fact) for entry in entries if entry.draft.fact is not None]
