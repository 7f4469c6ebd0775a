"""Read corrections at the desk: their content and outcomes, and which corrections have not taken effect yet."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Row, exists, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain.corrections import CorrectionItem, Effect
from services.round_settlement.tables import correction_outcomes, corrections, journal
from shared.contracts.catalog import decode_fact
from shared.contracts.corrections import CorrectionApproved, CorrectionProposed, desk_source, event_of
from shared.contracts.envelope import table_source
from shared.journal.reading import read_entry
from shared.runtime.commands.approval import Decision
from shared.runtime.rows import find_row, thing_of
from shared.runtime.service.approved_events import ApprovedEvent, dismissed_events, require_approved

_C = corrections.c
_O = correction_outcomes.c
_OUTCOME = exists().where(_O.property == _C.property, _O.correction == _C.correction)


async def find_correction(connection: AsyncConnection, property_name: str, correction: int) -> Row[Any]:
    """Return the row of a correction. Raises: Rejected if there is no such correction."""
    missing = f"there is no correction {correction} at {property_name}"
    return await find_row(connection, corrections, missing, property=property_name, correction=correction)


async def content_of(connection: AsyncConnection, row: Row[Any]) -> CorrectionProposed:
    """Return a correction's content from the journal: its approval if it is approved, else its proposal."""
    entry = await read_entry(connection, journal, row.shard, row.seq)
    fact = decode_fact(entry.draft.kind, entry.draft.data)
    assert isinstance(fact, CorrectionProposed), f"entry {row.shard}/{row.seq} is {entry.draft.kind}"
    return fact


async def approved_corrections(
    connection: AsyncConnection, keys: Collection[tuple[str, int]], *, sealed: bool = True
) -> dict[tuple[str, int], CorrectionApproved]:
    """Return the given corrections that are approved, by (property, number).

    With `sealed`, the service's seal of each approval is verified; otherwise the caller must have verified the journal.
    Raises: Rejected if an approval is not as it was recorded.
    """
    if not keys:
        return {}
    rows = await connection.execute(select(corrections).where(tuple_(_C.property, _C.correction).in_(keys)))
    entries = {
        (row.property, row.correction): await read_entry(connection, journal, row.shard, row.seq) for row in rows.all()
    }
    if sealed:
        await require_approved(connection, journal, entries.values())
    found = {key: decode_fact(entry.draft.kind, entry.draft.data) for key, entry in entries.items()}
    return {key: fact for key, fact in found.items() if isinstance(fact, CorrectionApproved)}


async def items_of(connection: AsyncConnection, rows: Sequence[Row[Any]]) -> list[CorrectionItem]:
    """Return corrections for display, each with its outcome."""
    approved = [row for row in rows if row.status == Decision.APPROVED]
    keys = [(row.property, row.correction) for row in approved]
    query = select(correction_outcomes).where(tuple_(_O.property, _O.correction).in_(keys))
    posted = {(one.property, one.correction): one.posted for one in await connection.execute(query)} if keys else {}
    left = [row for row in approved if (row.property, row.correction) not in posted]
    dismissed = await _dismissed(connection, left)

    def effect(row: Row[Any]) -> Effect | None:
        if row.status != Decision.APPROVED:
            return None
        key = (row.property, row.correction)
        if key in posted:
            return "posted" if posted[key] else "superseded"
        return "dismissed" if key in dismissed else "waiting"

    return [thing_of(CorrectionItem, row, table=row.table_name, effect=effect(row)) for row in rows]


async def next_number(connection: AsyncConnection, property_name: str) -> int:
    """Return the number of the next correction at a property."""
    query = select(func.count()).select_from(corrections).where(_C.property == property_name)
    return (await connection.execute(query)).scalar_one() + 1


async def next_sequence(connection: AsyncConnection, property_name: str, table: str) -> int:
    """Return the sequence of the next approved correction in the desk stream of a table."""
    query = select(func.count(_C.sequence)).where(_C.property == property_name, _C.table_name == table)
    return (await connection.execute(query)).scalar_one() + 1


async def approved_of(
    connection: AsyncConnection, property_name: str, table: str, round_id: str, replaces: int
) -> int | None:
    """Return the number of an approved correction of this revision that has not taken effect yet, or None."""
    query = select(corrections).where(
        *(_C.property == property_name, _C.table_name == table, _C.round_id == round_id, _C.replaces == replaces),
        *(_C.status == Decision.APPROVED, ~_OUTCOME),
    )
    rows = (await connection.execute(query.order_by(_C.correction))).all()
    dismissed = await _dismissed(connection, rows)
    return next((row.correction for row in rows if (row.property, row.correction) not in dismissed), None)


async def waiting_corrections(connection: AsyncConnection) -> list[CorrectionApproved]:
    """Return the approved corrections that have not taken effect yet, in the order of their desk streams."""
    query = select(corrections).where(_C.status == Decision.APPROVED, ~_OUTCOME)
    rows = (await connection.execute(query.order_by(_C.property, _C.table_name, _C.sequence))).all()
    return await _approvals(connection, rows)


def approved_event(correction: CorrectionApproved) -> ApprovedEvent:
    """Return the event that will put an approved correction into effect."""
    return ApprovedEvent(event_of(correction), table_source(correction.property, correction.table))


async def _dismissed(connection: AsyncConnection, rows: Sequence[Row[Any]]) -> set[tuple[str, int]]:
    """Return the (property, number) of approved corrections whose event was refused and then dismissed."""
    approvals = await _approvals(connection, rows)
    places = await dismissed_events(connection, journal, [approved_event(one) for one in approvals])
    return {
        (one.property, one.correction)
        for one in approvals
        if (desk_source(one.property, one.table), one.sequence) in places
    }


async def _approvals(connection: AsyncConnection, rows: Sequence[Row[Any]]) -> list[CorrectionApproved]:
    found = [await content_of(connection, row) for row in rows]
    return [fact for fact in found if isinstance(fact, CorrectionApproved)]
