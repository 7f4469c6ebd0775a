"""Read the books of a gaming day: sums before, on and after it, readings that differ, accounts."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import date
from fractions import Fraction
from typing import Any

from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.domain.comparison import Difference, MeterOfTable, Reading, Step, differences
from services.progressive_meters.domain.pools import HELD, PARTS, Delta, Pool
from services.progressive_meters.domain.reconciling import (
    Day,
    ExceptionItem,
    PoolBooks,
    pool_day,
    reading_exception,
    wrong_with,
)
from services.progressive_meters.queries.pools import pool_of
from services.progressive_meters.tables import hits, movements, pool_days, pools, readings, reconciliations
from shared.contracts.exact import exact_text, nanocents, share
from shared.runtime.rows import rows_of, thing_of


async def day_of(connection: AsyncConnection, property_name: str, gaming_day: date) -> Day:
    """Return all of a day; the pools are those that something moved on it or before."""
    books = await _books(connection, property_name, gaming_day)
    read = await _readings(connection, property_name, gaming_day)
    different = await _differences(connection, property_name, read)
    rows = []
    found: list[ExceptionItem] = []
    for one in books:
        of_pool = different.get(one.pool.name, ())
        rows.append(pool_day(one, readings=len(read.get(one.pool.name, ())), different=len(of_pool)))
        found += map(reading_exception, of_pool)
    found += await _findings(connection, property_name, gaming_day)
    return Day(
        rows=tuple(rows),
        wrong=tuple(wrong for one in books for wrong in wrong_with(one)),
        exceptions=tuple(sorted(found, key=lambda item: item.key)),
    )


async def last_reconciled(connection: AsyncConnection, property_name: str, gaming_day: date) -> str | None:
    """Return the hash of the rows that were last reconciled for a day."""
    c = reconciliations.c
    query = rows_of(reconciliations, property=property_name, gaming_day=gaming_day).order_by(c.seq.desc()).limit(1)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else str(row.rows_sha256)


async def _books(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[PoolBooks]:
    d = pool_days.c
    when = case((d.gaming_day < gaming_day, "before"), (d.gaming_day == gaming_day, "day"), else_="later")
    names = ("movements", *PARTS, *(f"{leg}_account" for leg in HELD))
    query = select(d.pool, when.label("when"), *(func.sum(d[name]).label(name) for name in names))
    query = query.where(d.property == property_name).group_by(d.pool, when)
    sums: dict[str, dict[str, Mapping[str, int]]] = {}
    for row in await connection.execute(query):
        sums.setdefault(row.pool, {})[row.when] = {name: int(row._mapping[name]) for name in names}
    listed = await _listed(connection, property_name, gaming_day)
    by_hits = await _hits(connection, property_name)
    rows = await connection.execute(rows_of(pools, property=property_name).order_by(pools.c.pool))
    return [
        _books_of(pool_of(row), sums[row.pool], listed.get(row.pool, (0, 0, 0, 0)), by_hits.get(row.pool, 0))
        for row in rows
        if sums.get(row.pool, {}).keys() & {"before", "day"}
    ]


def _books_of(
    pool: Pool, sums: Mapping[str, Mapping[str, int]], listed: tuple[int, int, int, int], hits_cents: int
) -> PoolBooks:
    moved = {when: Delta(*(of[name] for name in PARTS)) for when, of in sums.items()}
    return PoolBooks(
        pool=pool,
        **{when: moved.get(when, Delta()) for when in ("before", "day", "later")},
        movements=sum(of["movements"] for of in sums.values()),
        movements_of_day=sums["day"]["movements"] if "day" in sums else 0,
        listed=listed,
        accounts={leg: sum(of[f"{leg}_account"] for of in sums.values()) for leg in HELD},
        hits_cents=hits_cents,
    )


async def _listed(
    connection: AsyncConnection, property_name: str, gaming_day: date
) -> dict[str, tuple[int, int, int, int]]:
    """Return what the movements of a day come to one by one, by pool."""
    m = movements.c
    held = (_display(m), m.reserved - m.reserve_used, m.overflow - m.released)
    query = select(m.pool, func.count(), *(func.sum(one) for one in held))
    query = query.where(m.property == property_name, m.gaming_day == gaming_day).group_by(m.pool)
    return {pool: (count, int(a), int(b), int(c)) for pool, count, a, b, c in await connection.execute(query)}


async def _hits(connection: AsyncConnection, property_name: str) -> dict[str, int]:
    c = hits.c
    query = select(c.pool, func.sum(c.cents).label("cents")).where(c.property == property_name, c.standing)
    return {row.pool: int(row.cents) for row in await connection.execute(query.group_by(c.pool))}


async def _readings(connection: AsyncConnection, property_name: str, gaming_day: date) -> dict[str, list[Reading]]:
    """Return what tables said of their meters on a day, by pool."""
    c = readings.c
    query = select(*(c[field.name] for field in fields(Reading)))  # a casino's day has a hundred thousand of them
    query = query.where(c.property == property_name, c.gaming_day == gaming_day, c.standing)
    rows = await connection.execute(query.where(c.before_cents.is_not(None)).order_by(c.pool, c.number))
    found: dict[str, list[Reading]] = {}
    for row in rows:
        found.setdefault(row.pool, []).append(Reading(*row))
    return found


def _display(m: Any) -> Any:
    return m.contribution + m.reset + m.seed + m.transfer + m.released - m.award_cents * nanocents(1)


async def _differences(
    connection: AsyncConnection, property_name: str, read: Mapping[str, Sequence[Reading]]
) -> dict[str, list[Difference]]:
    """Return the readings that differ from the ledger, by pool."""
    if not read:
        return {}
    first = min(reading.opened_at for of_pool in read.values() for reading in of_pool)
    last = max(reading.closed_at for of_pool in read.values() for reading in of_pool)
    m = movements.c
    here = (m.property == property_name) & m.pool.in_(read)
    query = select(m.pool, func.sum(_display(m)).label("display")).where(here, m.at < first).group_by(m.pool)
    before = {row.pool: int(row.display) for row in await connection.execute(query)}
    columns = (m.pool, m.at, m.number, m.table, m.round_id, _display(m).label("display"))
    steps: dict[str, list[Step]] = {pool: [] for pool in read}
    for row in await connection.execute(select(*columns).where(here, m.at >= first, m.at <= last)):
        steps[row.pool].append(Step(row.at, row.number, row.table, row.round_id, int(row.display)))
    return {pool: differences(of_pool, before.get(pool, 0), steps[pool]) for pool, of_pool in read.items()}


async def _findings(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[ExceptionItem]:
    query = rows_of(readings, property=property_name, gaming_day=gaming_day, standing=True)
    found: list[ExceptionItem] = []
    for row in await connection.execute(query.where(func.cardinality(readings.c.findings) > 0)):
        for kind in row.findings:
            more: dict[str, Any] = {"reset_cents": row.reset_cents}
            if kind == "contribution":
                rated = exact_text(share(row.in_cents, Fraction(row.rate)))
                more = {"settled_cents": row.settled_cents, "rated_cents": rated}
            found.append(ExceptionItem(kind=kind, **dict(thing_of(MeterOfTable, row)), **more))
    return found
