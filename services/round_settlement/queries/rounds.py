"""Read rounds: their status, and every entry about a round in the order of recording."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from urllib.parse import quote

from pydantic_core import from_json
from sqlalchemy import Row, Select, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain.history import (
    CheckpointItem,
    EntryDocument,
    RoundDocument,
    RoundItem,
    entry_document,
    round_document,
)
from services.round_settlement.tables import corrections, journal, rounds, submissions
from shared.contracts.catalog import decode_fact
from shared.contracts.corrections import desk_source
from shared.contracts.envelope import table_source
from shared.contracts.settlements import SettlementPosted
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.upcasting import upcast_data
from shared.journal.entry import Entry, Posting
from shared.journal.proof_builder import covering_checkpoint
from shared.journal.reading import read_entry
from shared.journal.verification import read_shards
from shared.runtime.reference_search import references_like
from shared.runtime.rows import rows_of, thing_of


async def rounds_with_history(
    connection: AsyncConnection, round_id: str, *, property_name: str | None = None, table: str | None = None
) -> Sequence[RoundDocument]:
    """Return the rounds with this id and their histories: at most one, unless several tables use the same ids."""
    query = rows_of(rounds, round_id=round_id, property=property_name, table_name=table)
    found = (await connection.execute(query.order_by(rounds.c.property, rounds.c.table_name))).all()
    names = {shard.shard: shard.name for shard in await read_shards(connection, journal)} if found else {}
    documents: list[RoundDocument] = []
    for row in found:
        places = (await connection.execute(_places(row))).all()
        entries = [await read_entry(connection, journal, place.shard, place.seq) for place in places]
        recorded = [await _recorded(connection, row, entry, names) for entry in entries]
        documents.append(round_document(round_item(row), recorded))
    return documents


async def find_rounds(connection: AsyncConnection, property_name: str, round_id: str) -> list[RoundItem]:
    """Return the rounds of a property with this id: at most one, unless several tables use the same ids."""
    query = rows_of(rounds, round_id=round_id, property=property_name).order_by(rounds.c.table_name)
    return [round_item(row) for row in await connection.execute(query)]


async def find_rounds_like(connection: AsyncConnection, property_name: str, typed: str) -> list[RoundItem]:
    """Return a property's rounds whose id equals `typed` or ends with it, ignoring case; at most 20."""
    found = await connection.execute(references_like(rounds, "round_id", property_name, typed))
    return [round_item(row) for row in found]


async def find_by_hash(connection: AsyncConnection, property_name: str, day: date, digest: str) -> list[RoundItem]:
    """Return the rounds of a gaming day whose entry in force has a hash with this prefix.

    Entries are not indexed by hash, so all entries of the day are scanned, which takes up to a second for a busy day.
    """
    e = journal.entries.c
    query = (
        rows_of(rounds, property=property_name, gaming_day=day)
        .join(journal.entries, (rounds.c.shard == e.shard) & (rounds.c.seq == e.seq))
        .where(func.encode(e.hash, "hex").like(f"{digest}%"))
    )
    return [round_item(row) for row in await connection.execute(query)]


async def entry_about(
    connection: AsyncConnection, property_name: str, table: str, round_id: str, *, shard: int, seq: int
) -> Entry | None:
    """Return an entry about a round, or None if the entry does not exist or is not about this round."""
    query = rows_of(rounds, round_id=round_id, property=property_name, table_name=table)
    row = (await connection.execute(query)).one_or_none()
    e = journal.entries.c
    if row is None or not (await connection.execute(_places(row).where(e.shard == shard, e.seq == seq))).all():
        return None
    return await read_entry(connection, journal, shard, seq)


async def posted_revision(
    connection: AsyncConnection, property_name: str, table: str, round_id: str, revision: int
) -> tuple[SettlementPosted, Sequence[Posting]]:
    """Return a revision of a round as posted, and its postings. Raises: LookupError if there is no such revision."""
    query = rows_of(rounds, round_id=round_id, property=property_name, table_name=table)
    for place in await connection.execute(_places((await connection.execute(query)).one())):
        draft = (await read_entry(connection, journal, place.shard, place.seq)).draft
        fact = decode_fact(draft.kind, draft.data)
        if isinstance(fact, SettlementPosted) and fact.revision == revision:
            return fact, draft.postings
    raise LookupError(f"round {round_id} has no revision {revision}")


async def submission(connection: AsyncConnection, property_name: str, game: str, version: int) -> SubmissionApproved:
    """Return the approved submission of this version. Raises: LookupError if it does not exist."""
    query = rows_of(submissions, property=property_name, game=game, version=version)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise LookupError(f"there is no submission {property_name}/{game} version {version}")
    return SubmissionApproved.model_validate(row.document)


def _places(row: Row[Any]) -> Select[tuple[int, int]]:
    e, c = journal.entries.c, corrections.c
    at_table = [row.completed, *row.others]
    at_desk = select(c.sequence).where(
        c.property == row.property, c.table_name == row.table_name, c.round_id == row.round_id, c.sequence.is_not(None)
    )
    return (
        select(e.shard, e.seq)
        .where(
            or_(
                and_(e.source == table_source(row.property, row.table_name), e.sequence.in_(at_table)),
                and_(e.source == desk_source(row.property, row.table_name), e.sequence.in_(at_desk)),
            ),
            e.kind.startswith("settlement."),
        )
        .order_by(e.recorded_at, e.seq)
    )


async def _recorded(connection: AsyncConnection, row: Row[Any], entry: Entry, names: dict[int, str]) -> EntryDocument:
    data = from_json(upcast_data(entry.draft.kind, entry.draft.data))
    settled = entry.draft.kind in SettlementPosted.KIND.types
    named = (data["property"], data["game"], data["submission"]["version"]) if settled else None
    covering = await covering_checkpoint(connection, journal, entry.shard, entry.seq)
    path = f"/rounds/{row.property}/{row.table_name}/{quote(row.round_id)}/proofs/{entry.shard}/{entry.seq}"
    return entry_document(
        entry,
        data,
        shard_name=names[entry.shard],
        submission=None if named is None else await submission(connection, *named),
        checkpoint=None if covering is None else CheckpointItem(size=covering[0], note=covering[1], proof=path),
    )


def round_item(row: Row[Any]) -> RoundItem:
    """Return the status of a round from its row."""
    status = "void" if row.seq is None else "posted"
    return thing_of(RoundItem, row, table=row.table_name, status=status)
