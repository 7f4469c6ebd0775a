"""Read the figures of a gaming day: sums before, on and after it, differing readings, accounts, exceptions."""

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from sqlalchemy import Row, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.domain.compared import Compared
from services.progressive_meters.domain.comparison import Difference, MeterOfTable, Reading
from services.progressive_meters.domain.pools import HELD, PARTS, Delta, Pool
from services.progressive_meters.domain.reconciling import (
    Day,
    ExceptionItem,
    PoolBooks,
    ReadingItem,
    pool_day,
    wrong_with,
)
from services.progressive_meters.queries import statements
from services.progressive_meters.queries.comparing import compare_all, compare_moved, different_of
from services.progressive_meters.queries.pools import pool_of
from services.progressive_meters.tables import hits, pool_days, pools, readings, reconciliations
from shared.contracts.exact import displayed, exact_text, share
from shared.contracts.meters import PoolDay
from shared.runtime.rows import rows_of, thing_of


async def day_of(connection: AsyncConnection, property_name: str, gaming_day: date, *, again: bool = True) -> Day:
    """Return the reconciliation of a gaming day, for the pools that had moved by then.

    With `again`, every movement and reading of the day is compared. Otherwise stored results are reused for the hours
    that have not changed since.
    """
    sums = await _sums(connection, property_name, gaming_day)
    compare = compare_all if again else compare_moved
    compared = await compare(connection, property_name, gaming_day, _totals(sums))
    by_hits = await _hits(connection, property_name)
    rows: list[PoolDay] = []
    wrong: list[str] = []
    for row in await connection.execute(rows_of(pools, property=property_name).order_by(pools.c.pool)):
        if not sums.get(row.pool, {}).keys() & {"before", "day"}:
            continue
        of_pool = compared.get(row.pool, Compared())
        books = _books_of(pool_of(row), sums[row.pool], of_pool.listed, by_hits.get(row.pool, 0))
        rows.append(pool_day(books, readings=of_pool.readings, different=len(of_pool.different)))
        wrong += wrong_with(books)
    found = await _exceptions(connection, property_name, gaming_day, compared)
    return Day(rows=tuple(rows), wrong=tuple(wrong), exceptions=tuple(found))


async def exceptions_of(
    connection: AsyncConnection, property_name: str, gaming_day: date, *, again: bool = True
) -> list[ExceptionItem]:
    """Return the exceptions of a gaming day; for `again` see `day_of`."""
    totals = await displays(connection, property_name)
    compare = compare_all if again else compare_moved
    compared = await compare(connection, property_name, gaming_day, totals)
    return await _exceptions(connection, property_name, gaming_day, compared)


async def _exceptions(
    connection: AsyncConnection, property_name: str, gaming_day: date, compared: Mapping[str, Compared]
) -> list[ExceptionItem]:
    found = [item for of_pool in compared.values() for item in of_pool.different]
    found += await _findings(connection, property_name, gaming_day)
    found += await awards_above_the_meter(connection, property_name, gaming_day=gaming_day)
    return sorted(found, key=lambda item: item.key)


async def displays(connection: AsyncConnection, property_name: str) -> dict[str, int]:
    """Return the current display of each pool of a property, as the sum of its movements (nanocents)."""
    return _totals(await _sums(connection, property_name, date.max))


async def readings_beside_ledger(
    connection: AsyncConnection, property_name: str, rows: Sequence[Row[Any]]
) -> list[ReadingItem]:
    """Return rows of the table `readings` for display, each beside the ledger's reading."""
    read: dict[str, list[Reading]] = {}
    for row in rows:
        if row.before_cents is not None:
            read.setdefault(row.pool, []).append(thing_of(Reading, row))
    different: dict[tuple[str, int], Difference] = {}
    if read:
        totals = await displays(connection, property_name)
        found = await different_of(connection, property_name, read, totals)
        different = {(one.reading.pool, one.reading.number): one for one in found}
    items = []
    for row in rows:
        one = different.get((row.pool, row.number))
        ledger = (row.before_cents, row.after_cents)
        if one is not None:
            ledger = (one.ledger_before_cents, one.ledger_after_cents)
        more = {
            "reported_before_cents": row.before_cents,
            "reported_after_cents": row.after_cents,
            "ledger_before_cents": ledger[0],
            "ledger_after_cents": ledger[1],
        }
        items.append(thing_of(ReadingItem, row, **more, different=one is not None))
    return items


async def last_reconciled(connection: AsyncConnection, property_name: str, gaming_day: date) -> str | None:
    """Return the hash of the rows that were last recorded for a gaming day, or None."""
    c = reconciliations.c
    query = rows_of(reconciliations, property=property_name, gaming_day=gaming_day).order_by(c.seq.desc()).limit(1)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else str(row.rows_sha256)


async def _sums(
    connection: AsyncConnection, property_name: str, gaming_day: date
) -> dict[str, dict[str, Mapping[str, int]]]:
    """Return sums by pool, period relative to the gaming day (`before`, `day` or `later`) and column."""
    d = pool_days.c
    when = case((d.gaming_day < gaming_day, "before"), (d.gaming_day == gaming_day, "day"), else_="later")
    names = ("movements", *PARTS, *(f"{leg}_account" for leg in HELD))
    query = select(d.pool, when.label("when"), *(func.sum(d[name]).label(name) for name in names))
    query = query.where(d.property == property_name).group_by(d.pool, when)
    sums: dict[str, dict[str, Mapping[str, int]]] = {}
    for row in await connection.execute(query):
        sums.setdefault(row.pool, {})[row.when] = {name: int(row._mapping[name]) for name in names}
    return sums


def _totals(sums: Mapping[str, Mapping[str, Mapping[str, int]]]) -> dict[str, int]:
    return {pool: sum(_moved(of).on_display for of in when.values()) for pool, when in sums.items()}


def _moved(sums: Mapping[str, int]) -> Delta:
    return Delta(*(sums[name] for name in PARTS))


def _books_of(
    pool: Pool, sums: Mapping[str, Mapping[str, int]], listed: tuple[int, int, int, int], hits_cents: int
) -> PoolBooks:
    moved = {when: _moved(of) for when, of in sums.items()}
    return PoolBooks(
        pool=pool,
        **{when: moved.get(when, Delta()) for when in ("before", "day", "later")},
        movements=sum(of["movements"] for of in sums.values()),
        movements_of_day=sums["day"]["movements"] if "day" in sums else 0,
        listed=listed,
        accounts={leg: sum(of[f"{leg}_account"] for of in sums.values()) for leg in HELD},
        hits_cents=hits_cents,
    )


async def _hits(connection: AsyncConnection, property_name: str) -> dict[str, int]:
    c = hits.c
    query = select(c.pool, func.sum(c.cents).label("cents")).where(c.property == property_name, c.standing)
    return {row.pool: int(row.cents) for row in await connection.execute(query.group_by(c.pool))}


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


async def awards_above_the_meter(
    connection: AsyncConnection,
    property_name: str,
    *,
    gaming_day: date | None = None,
    pool: str | None = None,
    number: int | None = None,
) -> list[ExceptionItem]:
    """Return an exception for each award above its meter, on a gaming day or in one movement of a pool.

    Awards that two people have accepted are left out.
    """
    asked = {"property": property_name, "gaming_day": gaming_day, "pool": pool, "number": number}
    found: list[ExceptionItem] = []
    for row in await connection.execute(statements.AWARDS, asked):
        short_cents = row.award_cents - displayed(int(row.available))
        if short_cents > 0:
            more = {"award_cents": row.award_cents, "short_cents": short_cents, "number": row.number}
            found.append(ExceptionItem(kind="award", **dict(thing_of(MeterOfTable, row)), **more))
    return found
