"""Read the lists that the API returns."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.domain.documents import ChangeItem, FeedTerms, PoolStatus, SignReading
from services.progressive_meters.domain.versions import Pools, PoolVersion
from services.progressive_meters.queries.pools import Submissions, pool_of
from services.progressive_meters.tables import changes, pools
from shared.contracts.exact import exact_text
from shared.runtime.rows import find_row, rows_of, thing_of


async def signs(connection: AsyncConnection, property_name: str, pool: str | None = None) -> list[SignReading]:
    """Return the displays of a property's signs, or of one pool's sign."""
    query = rows_of(pools, property=property_name, pool=pool).order_by(pools.c.pool)
    rows = await connection.execute(query)
    return [thing_of(SignReading, row, shown_cents=pool_of(row).shown_cents) for row in rows]


def status_of(row: Row[Any], known: Pools, offers: Submissions, at: datetime) -> PoolStatus:
    """Return the status of a pool, with the terms and the feeds' rates in effect at a moment."""
    pool, terms = pool_of(row), known.in_effect(row.property, row.pool, at)
    return thing_of(
        PoolStatus,
        row,
        terms=terms,
        feeds=[] if terms is None else _feeds(terms, offers, at),
        display_cents=exact_text(pool.display),
        shown_cents=pool.shown_cents,
        reserve_cents=exact_text(pool.reserve),
        overflowed_cents=exact_text(pool.overflow),
    )


def _feeds(terms: PoolVersion, offers: Submissions, at: datetime) -> list[FeedTerms]:
    found: list[FeedTerms] = []
    for feed in terms.feeds:
        meter = offers.of_feed(terms.property, feed, at)
        rate, reserve_rate = (None, None) if meter is None else meter.rates
        found.append(FeedTerms(**dict(feed), rate=rate, reserve_rate=reserve_rate))
    return found


async def find_change(connection: AsyncConnection, property_name: str, change: int) -> ChangeItem:
    """Return a change. Raises: Rejected if there is no such change."""
    missing = f"there is no change {change} at {property_name}"
    return change_of(await find_row(connection, changes, missing, property=property_name, change=change))


def change_of(row: Row[Any]) -> ChangeItem:
    """Return a change from its row."""
    return change_item(row.document, row.status, row.rejection)


def change_item(said: Mapping[str, Any], status: str, rejection: Mapping[str, Any] | None = None) -> ChangeItem:
    """Return a change for display; `said` is the data of its request or approval, `rejection` that of its rejection."""
    rest = dict(said)
    moved = rest.pop("movements", None)
    if rejection is not None:
        rest |= {name: rejection[name] for name in ("rejected_by", "rejected_at")}
        rest["rejection_reason"] = rejection["reason"]
    return ChangeItem(**rest, status=status, display_after_cents=moved[0]["display_cents"] if moved else None)
