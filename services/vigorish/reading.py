"""Reads what seats owe, and the lines behind it, each report in one snapshot."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from fractions import Fraction

from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.vigorish.reports import UNKNOWN, LineItem, Owed
from services.vigorish.tables import journal, lines, owed, shifts
from shared.contracts.vigorish_events import AssessedLine

LineKey = tuple[str, str, int, int]
"""(table, round, revision, line)"""


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection on which every query sees the same state."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection


async def owed_on(
    connection: AsyncConnection, property_name: str, gaming_day: date, table: str | None = None
) -> list[Owed]:
    """What seats owe of the rounds of a day, by table and round.

    A shift is the one in whose time it was collected or waived, or else the one that was at work when the round closed.
    """
    o, n, s = owed.c, lines.c, shifts.c
    assessed = (
        select(
            n.property,
            n.table_name,
            n.round_id,
            n.seat,
            n.bank,
            func.count().label("lines"),
            func.count().filter(~n.agrees).label("disagreeing"),
            func.sum(n.stake).label("stake"),
            func.sum(n.base).label("base"),
            func.sum(n.base * n.rate).label("exact"),
        )
        .where(n.property == property_name, n.gaming_day == gaming_day, n.standing)
        .group_by(n.property, n.table_name, n.round_id, n.seat, n.bank)
        .subquery()
    )
    at_work = (
        select(s.shift)
        .where(s.property == o.property, s.table_name == o.table_name, s.at <= o.closed_at)
        .order_by(s.at.desc())
        .limit(1)
        .correlate(owed)
        .scalar_subquery()
    )
    a = assessed.c
    same = (a.table_name == o.table_name) & (a.round_id == o.round_id) & (a.seat == o.seat) & (a.bank == o.bank)
    query = (
        select(owed, func.coalesce(o.shift, at_work).label("at_work"), a.lines, a.disagreeing, a.stake, a.base, a.exact)
        .join_from(owed, assessed, same, isouter=True)
        .where(o.property == property_name, o.gaming_day == gaming_day)
        .where((o.assessed != 0) | (o.collected != 0) | (o.waived != 0) | (o.returned != 0))
        .order_by(o.table_name, o.closed_at, o.round_id, o.seat, o.bank)
    )
    if table is not None:
        query = query.where(o.table_name == table)
    return [
        Owed(
            table=row.table_name,
            round_id=row.round_id,
            seat=row.seat,
            bank=row.bank,
            game=row.game or UNKNOWN,
            owed_by=row.owed_by or UNKNOWN,
            dealer=row.dealer_id or row.settled_dealer_id or UNKNOWN,
            shift=row.at_work or UNKNOWN,
            closed_at=row.closed_at,
            settled_at=row.settled_at,
            assessed=row.assessed,
            collected=row.collected,
            waived=row.waived,
            returned=row.returned,
            lines=row.lines or 0,
            disagreeing=row.disagreeing or 0,
            stake_cents=int(row.stake or 0),
            base_cents=int(row.base or 0),
            exact=Fraction(row.exact or 0),
        )
        for row in await connection.execute(query)
    ]


async def input_open(connection: AsyncConnection) -> int:
    """How many events have not come or were refused, of whatever property."""
    gaps, quarantine = journal.gaps.c, journal.quarantine.c
    missing = select(func.coalesce(func.sum(gaps.last - gaps.first + 1), 0)).scalar_subquery()
    refused = select(func.count()).where(quarantine.resolved_at.is_(None)).scalar_subquery()
    row = (await connection.execute(select(missing.label("missing"), refused.label("refused")))).one()
    return int(row.missing) + int(row.refused)


async def lines_after(
    connection: AsyncConnection,
    property_name: str,
    gaming_day: date,
    *,
    table: str | None,
    after: LineKey | None,
    limit: int,
) -> list[tuple[LineKey, LineItem]]:
    """The lines that assessed, with their keys."""
    c = lines.c
    key = (c.table_name, c.round_id, c.revision, c.line)
    query = select(lines).where(c.property == property_name, c.gaming_day == gaming_day).order_by(*key).limit(limit)
    if table is not None:
        query = query.where(c.table_name == table)
    if after is not None:
        query = query.where(tuple_(*key) > tuple_(*after))
    return [
        (
            (row.table_name, row.round_id, row.revision, row.line),
            LineItem(
                table=row.table_name,
                game=row.game,
                gaming_day=row.gaming_day,
                round_id=row.round_id,
                revision=row.revision,
                closed_at=row.closed_at,
                dealer=row.dealer_id,
                standing=row.standing,
                assessed=AssessedLine.model_validate(row.document),
                shard=row.shard,
                seq=row.seq,
            ),
        )
        for row in await connection.execute(query)
    ]
