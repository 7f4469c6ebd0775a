"""What round settlement reads: table events, which it settles under its copy of the rules submissions."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain import POSTED, InEffect, Known, Standing, settle_event
from services.round_settlement.tables import journal, rounds, submissions
from shared.contracts import table_events
from shared.contracts.submission_events import SubmissionApproved
from shared.contracts.table_events import TableEvent
from shared.journal import bulk
from shared.journal.bulk import Row
from shared.journal.entry import Draft, Entry
from shared.journal.reading import read_entry
from shared.rules import compile_rules
from shared.rules.errors import Refused
from shared.runtime.consume.processing import Record
from shared.runtime.consume.submissions import ApprovedSubmissions

RoundKey = tuple[str, str, str]
"""(property, table, round id)"""


def _compiled(approved: SubmissionApproved) -> InEffect:
    return InEffect(approved, compile_rules(approved.regulation, approved.submission))


class TableEvents:
    """Settles what happens at the tables."""

    topic = table_events.TOPIC

    def __init__(self) -> None:
        self._submissions = ApprovedSubmissions(submissions, _compiled)

    def decode(self, record: Record) -> TableEvent:
        event = table_events.decode(record.value)
        if record.key != event.source.encode():
            key = None if record.key is None else record.key.decode(errors="replace")
            raise Refused(f"the Kafka key is {key!r}; it must be the source {event.source!r}")
        return event

    async def open(self, connection: AsyncConnection, events: Sequence[TableEvent]) -> "_Batch":
        await self._submissions.refresh(connection)
        return _Batch(await _rounds(connection, events), self._submissions)


@dataclass(frozen=True, slots=True)
class _Row:
    """A round as the database has it, with the entry whose money stands."""

    known: Known
    shard: int | None = None
    seq: int | None = None


class _Batch:
    """One batch of table events."""

    def __init__(self, rows: dict[RoundKey, _Row], known: ApprovedSubmissions[InEffect]) -> None:
        self._rows = rows
        self._submissions = known
        self._known = {key: row.known for key, row in rows.items()}
        self._touched: dict[RoundKey, str] = {}

    def derive(self, event: TableEvent, record: Record) -> Sequence[Draft]:
        key = _key(event)
        outcome = settle_event(event, record.offset, self._known.get(key, Known()), self._submissions.in_effect)
        self._known[key] = outcome.known
        self._touched[key] = event.source
        return outcome.drafts

    async def save(self, connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        posted = {(entry.draft.source, entry.draft.sequence): entry for entry in entries if entry.draft.kind == POSTED}
        new: list[Row] = []
        changed: list[Row] = []
        for key, source in self._touched.items():
            known, before = self._known[key], self._rows.get(key)
            shard = seq = None
            if known.standing is not None:
                entry = posted.get((source, known.standing.sequence))
                if entry is not None:
                    shard, seq = entry.shard, entry.seq
                elif before is not None:
                    shard, seq = before.shard, before.seq
            row = round_row(key, known.sequences, known.completed, known.revision, (shard, seq))
            (new if before is None else changed).append(row)
        await write_rounds(connection, new, changed)


def round_row(
    key: RoundKey,
    sequences: Iterable[int],
    completed: int | None,
    revision: int,
    standing: tuple[int | None, int | None],
) -> Row:
    """Return what is known of a round as a row; `standing` is the (shard, seq) of the entry whose money stands."""
    property_name, table, round_id = key
    shard, seq = standing
    return {
        "property": property_name,
        "table_name": table,
        "round_id": round_id,
        "sequences": list(sequences),
        "completed": completed,
        "revision": revision,
        "shard": shard,
        "seq": seq,
    }


_CHANGE_ROUNDS = bulk.update(rounds)
FIND_ROUNDS = bulk.select(rounds)


async def write_rounds(connection: AsyncConnection, new: Sequence[Row], changed: Sequence[Row]) -> None:
    """Write rounds: those that are not there yet, and those that are."""
    await bulk.copy(connection, rounds, new)
    await _CHANGE_ROUNDS.write(connection, changed)


def _key(event: TableEvent) -> RoundKey:
    return (event.data.property, event.data.table, event.data.round_id)


async def _rounds(connection: AsyncConnection, events: Sequence[TableEvent]) -> dict[RoundKey, _Row]:
    """What the database has of the rounds of these events, with the money that stands; nothing of a new round."""
    keys = {_key(event) for event in events}
    if not keys:
        return {}
    found: dict[RoundKey, _Row] = {}
    for row in await FIND_ROUNDS.read(connection, bulk.keyed(FIND_ROUNDS, keys)):
        name = (row.property, row.table_name, row.round_id)
        known = Known(tuple(row.sequences), row.completed, row.revision)
        if row.seq is not None:
            entry = await read_entry(connection, journal, row.shard, row.seq)
            known = replace(known, standing=_standing(entry, row.revision))
        found[name] = _Row(known, row.shard, row.seq)
    return found


def _standing(entry: Entry, revision: int) -> Standing:
    data = json.loads(entry.draft.data)
    assert entry.draft.gaming_day is not None
    return Standing(
        entry.draft.sequence,
        revision,
        entry.draft.gaming_day,
        data["game"],
        data["submission"],
        entry.draft.postings,
        tuple(data["totals"]),
        tuple(data.get("account_credits", ())),
    )
