"""Reads the history of a round: everything that was recorded about it, in the order in which it was recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.tables import journal, rounds, submissions
from shared.contracts.envelope import table_source
from shared.contracts.submissions import SubmissionApproved
from shared.journal.entry import Entry
from shared.journal.reading import read_entry


@dataclass(frozen=True, slots=True)
class History:
    """A round with its entries, oldest first; `standing` is the (shard, seq) whose money stands, if any does."""

    property: str
    table: str
    round_id: str
    standing: tuple[int, int] | None
    entries: tuple[Entry, ...]


async def history(
    connection: AsyncConnection, round_id: str, *, property_name: str | None = None, table: str | None = None
) -> Sequence[History]:
    """The histories of the rounds with this id: one, unless several tables use the same ids."""
    query = select(rounds).where(rounds.c.round_id == round_id).order_by(rounds.c.property, rounds.c.table_name)
    if property_name is not None:
        query = query.where(rounds.c.property == property_name)
    if table is not None:
        query = query.where(rounds.c.table_name == table)
    found: list[History] = []
    for row in (await connection.execute(query)).all():
        e = journal.entries
        places = await connection.execute(
            select(e.c.shard, e.c.seq)
            .where(
                e.c.source == table_source(row.property, row.table_name),
                e.c.sequence.in_(row.sequences),
                e.c.kind.startswith("settlement."),
            )
            .order_by(e.c.recorded_at, e.c.seq)
        )
        entries = [await read_entry(connection, journal, place.shard, place.seq) for place in places.all()]
        standing = None if row.seq is None else (row.shard, row.seq)
        found.append(History(row.property, row.table_name, row.round_id, standing, tuple(entries)))
    return found


async def submission(connection: AsyncConnection, property_name: str, game: str, version: int) -> SubmissionApproved:
    """The approved submission under which a round settled. Raises LookupError."""
    key = (submissions.c.property == property_name) & (submissions.c.game == game) & (submissions.c.version == version)
    document = (await connection.execute(select(submissions.c.document).where(key))).scalar_one_or_none()
    if document is None:
        raise LookupError(f"there is no submission {property_name}/{game} version {version}")
    return SubmissionApproved.model_validate(document)
