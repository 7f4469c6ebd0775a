"""Reads what seats owe, and the lines behind it, each report in one snapshot."""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Final, NamedTuple

from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.vigorish.domain.reports import UNKNOWN, LineItem, Owed
from services.vigorish.tables import lines, owed, shifts
from shared.contracts.vigorish import AssessedLine
from shared.journal import bulk
from shared.journal.bulk import keyed

LineKey = tuple[str, str, int, int]
"""(table, round, revision, line)"""


class RoundKey(NamedTuple):
    """A revision of a round."""

    property: str
    table: str
    round_id: str
    revision: int


_OF_ROUNDS: Final = bulk.select(lines, by=("property", "table_name", "round_id", "revision"))


async def assessed_lines(
    connection: AsyncConnection, keys: Sequence[RoundKey]
) -> dict[RoundKey, tuple[AssessedLine, ...]]:
    """Return what these revisions of rounds assessed."""
    if not keys:
        return {}
    found: dict[RoundKey, list[AssessedLine]] = {}
    for row in await _OF_ROUNDS.read(connection, keyed(_OF_ROUNDS, sorted(set(keys)))):
        of_round = RoundKey(row.property, row.table_name, row.round_id, row.revision)
        found.setdefault(of_round, []).append(AssessedLine.model_validate(row.document))
    return {of_round: tuple(assessed) for of_round, assessed in found.items()}


async def owed_on(
    connection: AsyncConnection, property_name: str, gaming_day: date, table: str | None = None
) -> list[Owed]:
    """Return what seats owe of the rounds of a day, by table and round.

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
            func.sum(n.stake_cents).label("stake"),
            func.sum(n.base_cents).label("base"),
            func.sum(n.base_cents * n.rate).label("exact"),
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
        .where((o.assessed_cents != 0) | (o.collected_cents != 0) | (o.waived_cents != 0) | (o.returned_cents != 0))
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
            assessed_cents=row.assessed_cents,
            collected_cents=row.collected_cents,
            waived_cents=row.waived_cents,
            returned_cents=row.returned_cents,
            lines=row.lines or 0,
            disagreeing=row.disagreeing or 0,
            stake_cents=int(row.stake or 0),
            base_cents=int(row.base or 0),
            exact=Fraction(row.exact or 0),
        )
        for row in await connection.execute(query)
    ]


async def lines_after(
    connection: AsyncConnection,
    property_name: str,
    gaming_day: date,
    *,
    table: str | None,
    after: LineKey | None,
    limit: int,
) -> list[tuple[LineKey, LineItem]]:
    """Return the lines that assessed, with their keys."""
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
