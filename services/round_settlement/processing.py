"""What round settlement reads: table events, which it settles under its copy of the rules submissions."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Text, bindparam, func, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain import POSTED, InEffect, Known, Standing, settle_event
from services.round_settlement.tables import SCHEMA, journal, rounds, submissions
from shared.contracts import table_events
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.tables import TableEvent
from shared.journal.entry import Draft, Entry
from shared.journal.reading import read_entry
from shared.journal.statements import copy_rows, copy_text
from shared.rules import compile_rules
from shared.rules.errors import Refused
from shared.runtime.consume.handler import Record
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
        new: list[Values] = []
        changed: list[Values] = []
        for key, source in self._touched.items():
            known, before = self._known[key], self._rows.get(key)
            shard = seq = None
            if known.standing is not None:
                entry = posted.get((source, known.standing.sequence))
                if entry is not None:
                    shard, seq = entry.shard, entry.seq
                elif before is not None:
                    shard, seq = before.shard, before.seq
            values = (*key, list(known.sequences), known.completed, known.revision, shard, seq)
            (new if before is None else changed).append(values)
        await write_rounds(connection, new, changed)


_COLUMNS = ("property", "table_name", "round_id", "sequences", "completed", "revision", "shard", "seq")

Values = tuple[str, str, str, list[int], int | None, int, int | None, int | None]
"""A row of the table of rounds: its key, and what is known of the round."""


async def write_rounds(connection: AsyncConnection, new: Iterable[Values], changed: Iterable[Values]) -> None:
    """Writes rounds: those that are not there yet, and those that are."""
    added = "".join(map(_copy_row, new))
    if added:
        await copy_rows(connection, f"{SCHEMA}.rounds", _COLUMNS, added)
    rows = [dict(zip(_COLUMNS, values, strict=True)) for values in changed]
    if rows:
        statement = upsert(rounds)
        await connection.execute(
            statement.on_conflict_do_update(
                index_elements=_COLUMNS[:3], set_={name: statement.excluded[name] for name in _COLUMNS[3:]}
            ),
            rows,
        )


def _key(event: TableEvent) -> RoundKey:
    return (event.data.property, event.data.table, event.data.round_id)


def _copy_row(values: Values) -> str:
    fields = (f"{{{','.join(map(str, value))}}}" if isinstance(value, list) else value for value in values)
    return "\t".join("\\N" if field is None else copy_text(str(field)) for field in fields) + "\n"


async def _rounds(connection: AsyncConnection, events: Sequence[TableEvent]) -> dict[RoundKey, _Row]:
    """What the database has of the rounds of these events, with the money that stands; nothing of a new round."""
    keys = {_key(event) for event in events}
    if not keys:
        return {}
    found: dict[RoundKey, _Row] = {}
    columns = zip(*keys, strict=True)
    wanted = {name: list(values) for name, values in zip(("properties", "tables", "round_ids"), columns, strict=True)}
    for row in (await connection.execute(_ROUNDS, wanted)).all():
        name = (row.property, row.table_name, row.round_id)
        known = Known(tuple(row.sequences), row.completed, row.revision)
        if row.seq is not None:
            entry = await read_entry(connection, journal, row.shard, row.seq)
            known = replace(known, standing=_standing(entry, row.revision))
        found[name] = _Row(known, row.shard, row.seq)
    return found


# A join on arrays finds the rounds by their key however many there are; a long IN list is planned anew each time.
_wanted = (
    func.unnest(
        bindparam("properties", type_=ARRAY(Text)),
        bindparam("tables", type_=ARRAY(Text)),
        bindparam("round_ids", type_=ARRAY(Text)),
    )
    .table_valued("property", "table_name", "round_id", name="wanted")
    .render_derived()
)
_ROUNDS = select(rounds).join(
    _wanted,
    (rounds.c.property == _wanted.c.property)
    & (rounds.c.table_name == _wanted.c.table_name)
    & (rounds.c.round_id == _wanted.c.round_id),
)


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
