"""Read the vigorish owed by seats, and the lines assessed by revisions of rounds."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.vigorish.domain.seats import UNKNOWN, SeatOfRound
from services.vigorish.tables import SUMS, lines, owed
from shared.contracts.settlements import RoundKey
from shared.contracts.vigorish import AssessedLine
from shared.journal import bulk
from shared.journal.bulk import keyed
from shared.runtime.rows import things_of

_OF_ROUNDS: Final = bulk.select(lines, by=("property", "table_name", "round_id", "revision"))


async def assessed_lines(
    connection: AsyncConnection, keys: Sequence[RoundKey]
) -> dict[RoundKey, tuple[AssessedLine, ...]]:
    """Return the vigorish lines that were assessed on these revisions of rounds, by revision."""
    if not keys:
        return {}
    found: dict[RoundKey, list[AssessedLine]] = {}
    for row in await _OF_ROUNDS.read(connection, keyed(_OF_ROUNDS, sorted(set(keys)))):
        of_round = RoundKey(row.property, row.table_name, row.round_id, row.revision)
        found.setdefault(of_round, []).append(AssessedLine.model_validate(row.document))
    return {of_round: tuple(assessed) for of_round, assessed in found.items()}


async def seats_of(
    connection: AsyncConnection, property_name: str, gaming_day: date, table: str | None = None
) -> list[SeatOfRound]:
    """Return the seats of a gaming day's rounds whose vigorish may need a follow-up, at one table or at all tables."""
    o = owed.c
    outstanding = o.assessed_cents - o.collected_cents - o.waived_cents + o.returned_cents
    query = (
        select(
            o.table_name.label("table"),
            *(o.round_id, o.seat, o.bank, o.closed_at, o.settled_at),
            *(o[name] for name in SUMS),
            outstanding.label("outstanding_cents"),
            *(func.coalesce(o[name], UNKNOWN).label(name) for name in ("game", "owed_by")),
            func.coalesce(o.dealer_id, o.settled_dealer_id, UNKNOWN).label("dealer"),
        )
        .where(o.property == property_name, o.gaming_day == gaming_day)
        .where(or_(*(o[name] != 0 for name in SUMS)))
        .where(or_(outstanding != 0, o.returned_cents > o.collected_cents, o.settled_at > o.closed_at))
    )
    if table is not None:
        query = query.where(o.table_name == table)
    return await things_of(SeatOfRound, connection, query)
