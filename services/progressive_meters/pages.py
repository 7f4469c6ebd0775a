"""Reads what the routes list, page by page."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from pydantic import TypeAdapter
from pydantic_core import to_json
from sqlalchemy import Row, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.configuration import Pools, PoolVersion
from services.progressive_meters.domain import Terms
from services.progressive_meters.exact import exact_text, share, shown
from services.progressive_meters.reading import version_of
from services.progressive_meters.reports import (
    ChangeItem,
    FeedTerms,
    HitItem,
    MovementItem,
    PoolStatus,
    SignReading,
)
from services.progressive_meters.submissions import Submissions
from services.progressive_meters.tables import changes, hits, movements, pool_versions, pools
from shared.contracts.meters import Movement
from shared.contracts.rejection import Reason, Rejected

T = TypeVar("T")
KeyT = TypeVar("KeyT")


def cursor_of(key: Sequence[Any]) -> str:
    """The cursor of what follows an item with this key."""
    return urlsafe_b64encode(to_json(list(key))).decode()


def key_of(cursor: str | None, adapter: TypeAdapter[KeyT]) -> KeyT | None:
    """The key in a cursor. Raises: Rejected for one that is not this service's."""
    if cursor is None:
        return None
    try:
        return adapter.validate_json(urlsafe_b64decode(cursor))
    except ValueError as error:
        raise Rejected(
            Reason.CURSOR_UNKNOWN, f"cursor {cursor!r} is not one of this service; begin without one"
        ) from error


def page(found: Sequence[T], limit: int, key: Callable[[T], Sequence[Any]]) -> tuple[list[T], str | None]:
    """The items of a page, and the cursor of the next; one more than the limit was asked for."""
    return list(found[:limit]), cursor_of(key(found[limit - 1])) if len(found) > limit else None


def sign(row: Row[Any]) -> SignReading:
    """What a sign shows of a pool."""
    return SignReading(
        property=row.property, pool=row.pool, display_cents=shown(int(row.display)), number=row.number, at=row.at
    )


async def signs(connection: AsyncConnection, property_name: str, pool: str | None = None) -> list[SignReading]:
    """What the signs of a property show, or that of one pool."""
    query = select(pools).where(pools.c.property == property_name).order_by(pools.c.pool)
    if pool is not None:
        query = query.where(pools.c.pool == pool)
    return [sign(row) for row in await connection.execute(query)]


def status_of(row: Row[Any], approved: Pools, known: Submissions, at: datetime) -> PoolStatus:
    """A pool as it stands."""
    terms = approved.in_effect(row.property, row.pool, at)
    return PoolStatus(
        property=row.property,
        pool=row.pool,
        terms=terms,
        feeds=_feeds(terms, known, at),
        number=row.number,
        at=row.at,
        display=exact_text(int(row.display)),
        display_cents=shown(int(row.display)),
        reserve=exact_text(int(row.reserve)),
        overflow=exact_text(int(row.overflow)),
        in_count=row.in_count,
        in_cents=row.in_cents,
        hits=row.hits,
        wins_cents=row.wins_cents,
    )


def _feeds(terms: PoolVersion | None, known: Submissions, at: datetime) -> list[FeedTerms]:
    if terms is None:
        return []
    found: list[FeedTerms] = []
    for feed in terms.feeds:
        meter: Terms | None = known.of_feed(terms.property, feed, at)
        rates: dict[str, str | None] = {}
        if meter is not None:
            rates = {
                "rate": exact_text(share(1, meter.rate)),
                "reserve_rate": None if meter.reserve_rate is None else exact_text(share(1, meter.reserve_rate)),
            }
        found.append(FeedTerms(**feed.model_dump(), **rates))
    return found


async def pools_after(
    connection: AsyncConnection, property_name: str | None, after: tuple[str, str] | None, limit: int
) -> list[Row[Any]]:
    """Pools in the order of their names."""
    c = pools.c
    query = select(pools).order_by(c.property, c.pool).limit(limit)
    if property_name is not None:
        query = query.where(c.property == property_name)
    if after is not None:
        query = query.where(tuple_(c.property, c.pool) > tuple_(*after))
    return list(await connection.execute(query))


async def versions_after(
    connection: AsyncConnection, property_name: str, pool: str, after: tuple[int] | None, limit: int
) -> list[PoolVersion]:
    """The versions of a pool's terms, oldest first."""
    c = pool_versions.c
    query = select(pool_versions).where(c.property == property_name, c.pool == pool).order_by(c.version).limit(limit)
    if after is not None:
        query = query.where(c.version > after[0])
    return [version_of(row) for row in await connection.execute(query)]


async def movements_after(
    connection: AsyncConnection, property_name: str, pool: str, after: tuple[int] | None, limit: int
) -> list[MovementItem]:
    """The movements of a pool in their order."""
    c = movements.c
    query = select(movements).where(c.property == property_name, c.pool == pool).order_by(c.number).limit(limit)
    if after is not None:
        query = query.where(c.number > after[0])
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
        for row in await connection.execute(query)
    ]


async def changes_after(
    connection: AsyncConnection, property_name: str, status: str | None, after: tuple[int] | None, limit: int
) -> list[ChangeItem]:
    """The changes of a property's pools in the order of their numbers."""
    c = changes.c
    query = select(changes).where(c.property == property_name).order_by(c.change).limit(limit)
    if status is not None:
        query = query.where(c.status == status)
    if after is not None:
        query = query.where(c.change > after[0])
    return [_change(row) for row in await connection.execute(query)]


def _change(row: Row[Any]) -> ChangeItem:
    said = dict(row.document)
    moved = said.pop("movements", None)
    before = said.pop("display_before", None)
    return ChangeItem(**said, status=row.status, before=before, after=moved[0]["display"] if moved else None)


async def hits_after(
    connection: AsyncConnection,
    property_name: str,
    *,
    pool: str | None,
    gaming_day: date | None,
    after: tuple[str, int, int] | None,
    limit: int,
) -> list[tuple[tuple[str, int, int], HitItem]]:
    """The awards of a property with their keys, by pool in their order."""
    c = hits.c
    key = (c.pool, c.number, c.line)
    query = select(hits).where(c.property == property_name).order_by(*key).limit(limit)
    if pool is not None:
        query = query.where(c.pool == pool)
    if gaming_day is not None:
        query = query.where(c.gaming_day == gaming_day)
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
