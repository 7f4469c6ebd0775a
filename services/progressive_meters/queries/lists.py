"""Reads what the interface lists, each list in the order of its key."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from sqlalchemy import Row, Select, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.domain.documents import (
    ChangeItem,
    FeedTerms,
    HitItem,
    MovementItem,
    PoolStatus,
    SignReading,
)
from services.progressive_meters.domain.versions import Pools, PoolVersion
from services.progressive_meters.queries.pools import Submissions, pool_of, version_of
from services.progressive_meters.tables import changes, hits, movements, pool_versions, pools
from shared.contracts.exact import exact_text
from shared.contracts.meters import Movement

NumberKey = tuple[int]
PoolListKey = tuple[str, str]
"""(property, pool)"""
HitKey = tuple[str, int, int]
"""(pool, number of the movement, line)"""


async def signs(connection: AsyncConnection, property_name: str, pool: str | None = None) -> list[SignReading]:
    """Return what the signs of a property show, or that of one pool."""
    query = _where(select(pools), property=property_name, pool=pool).order_by(pools.c.pool)
    return [
        SignReading(
            property=row.property, pool=row.pool, shown_cents=pool_of(row).shown_cents, number=row.number, at=row.at
        )
        for row in await connection.execute(query)
    ]


async def pools_after(
    connection: AsyncConnection,
    known: Pools,
    offers: Submissions,
    at: datetime,
    *,
    property_name: str | None = None,
    pool: str | None = None,
    after: PoolListKey | None = None,
    limit: int | None = None,
) -> list[PoolStatus]:
    """Return pools as they stand at a moment, with their approved terms and what the submissions say of their feeds."""
    query = _where(select(pools), property=property_name, pool=pool)
    if after is not None:
        query = query.where(tuple_(pools.c.property, pools.c.pool) > tuple_(*after))
    rows = await connection.execute(query.order_by(pools.c.property, pools.c.pool).limit(limit))
    return [_status(row, known.in_effect(row.property, row.pool, at), offers, at) for row in rows]


def _status(row: Row[Any], terms: PoolVersion | None, offers: Submissions, at: datetime) -> PoolStatus:
    pool = pool_of(row)
    return PoolStatus(
        property=row.property,
        pool=row.pool,
        terms=terms,
        feeds=[] if terms is None else _feeds(terms, offers, at),
        number=row.number,
        at=row.at,
        display_cents=exact_text(pool.display),
        shown_cents=pool.shown_cents,
        reserve_cents=exact_text(pool.reserve),
        overflowed_cents=exact_text(pool.overflow),
        in_count=row.in_count,
        in_cents=row.in_cents,
        hits=row.hits,
        wins_cents=row.wins_cents,
    )


def _feeds(terms: PoolVersion, offers: Submissions, at: datetime) -> list[FeedTerms]:
    found: list[FeedTerms] = []
    for feed in terms.feeds:
        meter = offers.of_feed(terms.property, feed, at)
        rate, reserve_rate = (None, None) if meter is None else meter.rates
        found.append(FeedTerms(**dict(feed), rate=rate, reserve_rate=reserve_rate))
    return found


async def versions_after(
    connection: AsyncConnection, property_name: str, pool: str, after: NumberKey | None, limit: int
) -> list[PoolVersion]:
    """Return the versions of a pool's terms, oldest first."""
    c = pool_versions.c
    query = _where(select(pool_versions), property=property_name, pool=pool)
    query = query if after is None else query.where(c.version > after[0])
    return [version_of(row) for row in await connection.execute(query.order_by(c.version).limit(limit))]


async def movements_after(
    connection: AsyncConnection, property_name: str, pool: str, after: NumberKey | None, limit: int
) -> list[MovementItem]:
    """Return the movements of a pool in their order."""
    c = movements.c
    query = _where(select(movements), property=property_name, pool=pool)
    query = query if after is None else query.where(c.number > after[0])
    return [
        MovementItem(
            kind=row.kind,
            gaming_day=row.gaming_day,
            at=row.at,
            table=row.table_name,
            game=row.game,
            round_id=row.round_id,
            revision=row.revision,
            movement=Movement.model_validate(row.document),
            shard=row.shard,
            seq=row.seq,
        )
        for row in await connection.execute(query.order_by(c.number).limit(limit))
    ]


async def changes_after(
    connection: AsyncConnection, property_name: str, status: str | None, after: NumberKey | None, limit: int
) -> list[ChangeItem]:
    """Return the changes of a property's pools in the order of their numbers."""
    c = changes.c
    query = _where(select(changes), property=property_name, status=status)
    query = query if after is None else query.where(c.change > after[0])
    rows = await connection.execute(query.order_by(c.change).limit(limit))
    return [change_item(row.document, row.status, row.rejection) for row in rows]


def change_item(said: Mapping[str, Any], status: str, rejection: Mapping[str, Any] | None = None) -> ChangeItem:
    """Return a change from the data of the fact that requested or approved it, and of the one that rejected it."""
    rest = dict(said)
    moved = rest.pop("movements", None)
    if rejection is not None:
        rest |= {name: rejection[name] for name in ("rejected_by", "rejected_at")}
        rest["rejection_reason"] = rejection["reason"]
    return ChangeItem(**rest, status=status, display_after_cents=moved[0]["display_cents"] if moved else None)


async def hits_after(
    connection: AsyncConnection,
    property_name: str,
    *,
    pool: str | None,
    gaming_day: date | None,
    after: HitKey | None,
    limit: int,
) -> list[tuple[HitKey, HitItem]]:
    """Return the awards of a property with their keys, by pool in their order."""
    c = hits.c
    key = (c.pool, c.number, c.line)
    query = _where(select(hits), property=property_name, pool=pool, gaming_day=gaming_day).order_by(*key).limit(limit)
    if after is not None:
        query = query.where(tuple_(*key) > tuple_(*after))
    return [
        (
            (row.pool, row.number, row.line),
            HitItem(
                property=row.property,
                pool=row.pool,
                gaming_day=row.gaming_day,
                at=row.at,
                table=row.table_name,
                game=row.game,
                round_id=row.round_id,
                revision=row.revision,
                seat=row.seat,
                wager=row.wager,
                category=row.category,
                cents=row.cents,
                standing=row.standing,
                shard=row.shard,
                seq=row.seq,
            ),
        )
        for row in await connection.execute(query)
    ]


def _where(query: Select[Any], **columns: Any) -> Select[Any]:
    """Return the query for rows with these values; a value of None is not asked for."""
    [table] = query.get_final_froms()
    return query.where(*(table.c[name] == value for name, value in columns.items() if value is not None))
