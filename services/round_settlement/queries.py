"""Reads rounds: where they stand, and everything that was recorded about one, in the order of recording."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from urllib.parse import quote

from sqlalchemy import Row, Select, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain.history import (
    CheckpointItem,
    RecordedEntry,
    RoundDocument,
    RoundItem,
    data_of,
    round_document,
    submission_named,
)
from services.round_settlement.tables import journal, rounds, submissions
from shared.contracts.envelope import table_source
from shared.contracts.submissions import SubmissionApproved
from shared.journal.entry import Entry
from shared.journal.proving import covering_checkpoint
from shared.journal.reading import read_entry
from shared.journal.verification import read_shards

RoundKey = tuple[str, str]
"""(table, round id)"""


async def rounds_after(
    connection: AsyncConnection,
    property_name: str,
    gaming_day: date,
    *,
    table: str | None,
    after: RoundKey | None,
    limit: int,
) -> list[RoundItem]:
    """Return the rounds of a gaming day, by table and id."""
    c = rounds.c
    query = select(rounds).where(c.property == property_name, c.gaming_day == gaming_day)
    if table is not None:
        query = query.where(c.table_name == table)
    if after is not None:
        query = query.where(tuple_(c.table_name, c.round_id) > tuple_(*after))
    return [_item(row) for row in await connection.execute(query.order_by(c.table_name, c.round_id).limit(limit))]


async def rounds_with_history(
    connection: AsyncConnection, round_id: str, *, property_name: str | None = None, table: str | None = None
) -> Sequence[RoundDocument]:
    """Return the rounds with this id, with their histories: one, unless several tables use the same ids."""
    query = select(rounds).where(rounds.c.round_id == round_id).order_by(rounds.c.property, rounds.c.table_name)
    if property_name is not None:
        query = query.where(rounds.c.property == property_name)
    if table is not None:
        query = query.where(rounds.c.table_name == table)
    found = (await connection.execute(query)).all()
    names = {shard.shard: shard.name for shard in await read_shards(connection, journal)} if found else {}
    documents: list[RoundDocument] = []
    for row in found:
        places = (await connection.execute(_places(row))).all()
        entries = [await read_entry(connection, journal, place.shard, place.seq) for place in places]
        recorded = [await _recorded(connection, row, entry, names) for entry in entries]
        documents.append(round_document(_item(row), recorded))
    return documents


async def entry_about(
    connection: AsyncConnection, property_name: str, table: str, round_id: str, *, shard: int, seq: int
) -> Entry | None:
    """Return one entry about a round; None where there is no such entry, or it is about something else."""
    key = (rounds.c.round_id == round_id) & (rounds.c.property == property_name) & (rounds.c.table_name == table)
    row = (await connection.execute(select(rounds).where(key))).one_or_none()
    e = journal.entries.c
    if row is None or not (await connection.execute(_places(row).where(e.shard == shard, e.seq == seq))).all():
        return None
    return await read_entry(connection, journal, shard, seq)


async def submission(connection: AsyncConnection, property_name: str, game: str, version: int) -> SubmissionApproved:
    """Return the approved submission under which a round settled. Raises: LookupError."""
    key = (submissions.c.property == property_name) & (submissions.c.game == game) & (submissions.c.version == version)
    document = (await connection.execute(select(submissions.c.document).where(key))).scalar_one_or_none()
    if document is None:
        raise LookupError(f"there is no submission {property_name}/{game} version {version}")
    return SubmissionApproved.model_validate(document)


def _places(row: Row[Any]) -> Select[tuple[int, int]]:
    e = journal.entries.c
    return (
        select(e.shard, e.seq)
        .where(
            e.source == table_source(row.property, row.table_name),
            e.sequence.in_(row.sequences),
            e.kind.startswith("settlement."),
        )
        .order_by(e.recorded_at, e.seq)
    )


async def _recorded(connection: AsyncConnection, row: Row[Any], entry: Entry, names: dict[int, str]) -> RecordedEntry:
    data = data_of(entry)
    named = submission_named(data)
    covering = await covering_checkpoint(connection, journal, entry.shard, entry.seq)
    path = f"/rounds/{row.property}/{row.table_name}/{quote(row.round_id)}/proofs/{entry.shard}/{entry.seq}"
    return RecordedEntry(
        names[entry.shard],
        entry,
        data,
        None if named is None else await submission(connection, *named),
        None if covering is None else CheckpointItem(size=covering[0], note=covering[1], proof=path),
    )


def _item(row: Row[Any]) -> RoundItem:
    return RoundItem(
        property=row.property,
        table=row.table_name,
        round_id=row.round_id,
        game=row.game,
        gaming_day=row.gaming_day,
        status="void" if row.seq is None else "posted",
        revision=row.revision,
        shard=row.shard,
        seq=row.seq,
    )
