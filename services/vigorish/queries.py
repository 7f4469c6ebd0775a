"""Read what seats owe, and the lines behind it, each report in one snapshot."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from sqlalchemy import Row, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.vigorish.domain.reports import UNKNOWN, LineItem, Owed
from services.vigorish.tables import SUMS, lines, owed, shifts
from shared.contracts.settlements import RoundKey
from shared.contracts.vigorish import AssessedLine
from shared.journal import bulk
from shared.journal.bulk import keyed
from shared.runtime.rows import thing_of

_OF_ROUNDS: Final = bulk.select(lines, by=("property", "table_name", "round_id", "revision"))


_OF_LINES: Final = ("lines", "disagreeing", "stake_cents", "base_cents", "exact_cents")


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
    seat = (n.table_name, n.round_id, n.seat, n.bank)
    assessed = (
        select(
            *seat,
            func.count().label("lines"),
            func.count().filter(~n.agrees).label("disagreeing"),
            func.sum(n.stake_cents).label("stake_cents"),
            func.sum(n.base_cents).label("base_cents"),
            func.sum(n.base_cents * n.rate).label("exact_cents"),
        )
        .where(n.property == property_name, n.gaming_day == gaming_day, n.standing)
        .group_by(*seat)
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
    query = (
        select(
            o.table_name.label("table"),
            *(o.round_id, o.seat, o.bank, o.closed_at, o.settled_at, o.claimed_day),
            *(o[name] for name in SUMS),
            *(func.coalesce(o[name], UNKNOWN).label(name) for name in ("game", "owed_by")),
            func.coalesce(o.dealer_id, o.settled_dealer_id, UNKNOWN).label("dealer"),
            func.coalesce(o.shift, at_work, UNKNOWN).label("shift"),
            *(func.coalesce(a[name], 0).label(name) for name in _OF_LINES),
        )
        .join_from(owed, assessed, and_(*(a[column.name] == o[column.name] for column in seat)), isouter=True)
        .where(o.property == property_name, o.gaming_day == gaming_day)
        .where(or_(*(o[name] != 0 for name in SUMS)))
        .order_by(o.table_name, o.closed_at, o.round_id, o.seat, o.bank)
    )
    if table is not None:
        query = query.where(o.table_name == table)
    return [Owed.model_validate(row, from_attributes=True) for row in await connection.execute(query)]


def line_of(row: Row[Any]) -> LineItem:
    """Return a line that assessed, from its row."""
    return thing_of(LineItem, row, table=row.table_name, dealer=row.dealer_id, assessed=row.document)
