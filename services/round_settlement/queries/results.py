"""Read the recorded and the voided results of counted tables."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain.results import ResultKey, Results, result_key
from services.round_settlement.tables import journal, result_voids
from shared.contracts.catalog import decode_fact
from shared.contracts.envelope import Event, table_source
from shared.contracts.settlements import ResultCounted
from shared.contracts.tables import RecordedResult, VoidedResult
from shared.journal.reading import read_entry
from shared.journal.tables import JournalTables


async def known_results(connection: AsyncConnection, events: Sequence[Event[Any]]) -> Results:
    """Return the recorded results, and the recorded voids of results, that a batch of events is about."""
    about = results_in(events)
    if not about:
        return Results()
    v = result_voids.c
    found = await connection.execute(
        select(result_voids).where(tuple_(v.property, v.table_name, v.result).in_(sorted(about)))
    )
    voids = {(row.property, row.table_name, row.result): row.sequence for row in found}
    voided = sorted(result_key(event) for event in events if isinstance(event.data, VoidedResult))
    themselves = await connection.execute(
        select(result_voids).where(tuple_(v.property, v.table_name, v.sequence).in_(voided))
    )
    are_voids = {(row.property, row.table_name, row.sequence): row.result for row in themselves}
    counted = {key: fact for key in voided if (fact := await _counted(connection, key)) is not None}
    return Results(counted, voids, are_voids)


def results_in(events: Sequence[Event[Any]]) -> set[ResultKey]:
    """Return the keys of the results that events record or void."""
    return {result_key(event) for event in events if isinstance(event.data, RecordedResult | VoidedResult)}


async def read_result(connection: AsyncConnection, tables: JournalTables, shard: int, seq: int) -> ResultCounted:
    """Return a result from its entry in a journal."""
    entry = await read_entry(connection, tables, shard, seq)
    fact = decode_fact(entry.draft.kind, entry.draft.data)
    assert isinstance(fact, ResultCounted), f"entry {shard}/{seq} is {entry.draft.kind}"
    return fact


async def _counted(connection: AsyncConnection, key: ResultKey) -> ResultCounted | None:
    """Return the result recorded at this key, or None."""
    property_name, table, sequence = key
    e = journal.entries.c
    query = select(e.shard, e.seq).where(
        e.source == table_source(property_name, table), e.sequence == sequence, e.kind == ResultCounted.KIND.name
    )
    place = (await connection.execute(query)).one_or_none()
    return None if place is None else await read_result(connection, journal, place.shard, place.seq)
