"""Reads the tables: pools as they stand, their terms, what moved them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from sqlalchemy import Integer, Row, Text, bindparam, column, func, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import TypeEngine

from services.progressive_meters.configuration import Pools, PoolVersion
from services.progressive_meters.domain import Pool
from services.progressive_meters.tables import movements, pool_versions, pools
from shared.contracts.meters import Movement, PoolTerms

PoolKey = tuple[str, str]
"""(property, pool)"""


class RoundKey(NamedTuple):
    """A revision of a round."""

    property: str
    table: str
    round_id: str
    revision: int


_COUNTERS: Final = ("number", "in_count", "in_cents", "hits", "wins_cents")
_EXACT: Final = ("display", "reserve", "overflow")


def pool_of(row: Row[Any], terms: PoolTerms) -> Pool:
    """A pool as it stands, under its terms."""
    meters: dict[str, Any] = {name: int(row._mapping[name]) for name in (*_COUNTERS, *_EXACT)}
    return replace(new_pool(terms), **meters)


def new_pool(terms: PoolTerms) -> Pool:
    """A pool that nothing has moved yet."""
    return under(Pool(property_name=terms.property, name=terms.pool, reset_cents=terms.reset_cents), terms)


def under(pool: Pool, terms: PoolTerms) -> Pool:
    """A pool with the terms under which it moves next."""
    return replace(
        pool,
        reset_cents=terms.reset_cents,
        limit_cents=terms.limit_cents,
        unreasonable_contribution_cents=terms.unreasonable_contribution_cents,
    )


def version_of(row: Row[Any]) -> PoolVersion:
    """A version of a pool's terms as it stands."""
    columns = ("status", "approved_by", "approved_at", "rejected_by", "rejected_at", "rejection_reason")
    return PoolVersion.model_validate({**row.document, **{name: row._mapping[name] for name in columns}})


async def pool_rows(
    connection: AsyncConnection, keys: Iterable[PoolKey], *, lock: bool = False
) -> dict[PoolKey, Row[Any]]:
    """What the pools' meters show; with `lock` nobody else moves them until the transaction ends."""
    wanted = sorted(set(keys))
    if not wanted:
        return {}
    came = (
        func.unnest(
            bindparam("properties", [key[0] for key in wanted], type_=ARRAY(Text)),
            bindparam("pools", [key[1] for key in wanted], type_=ARRAY(Text)),
        )
        .table_valued(column("property", Text), column("pool", Text))
        .render_derived(name="wanted")
    )
    query = (
        select(pools)
        .join(came, (came.c.property == pools.c.property) & (came.c.pool == pools.c.pool))
        .order_by(pools.c.property, pools.c.pool)
    )
    if lock:
        query = query.with_for_update(of=pools)
    return {(row.property, row.pool): row for row in await connection.execute(query)}


class ApprovedPools:
    """The approved terms of all pools; read again when there are more."""

    def __init__(self) -> None:
        self._count = -1
        self.pools = Pools()

    async def refresh(self, connection: AsyncConnection) -> Pools:
        """Reads them again if their number has changed; a version, once approved, never changes."""
        t = pool_versions
        approved = t.c.status == "approved"
        count = (await connection.execute(select(func.count()).select_from(t).where(approved))).scalar_one()
        if count != self._count:
            rows = await connection.execute(select(t).where(approved))
            self.pools = Pools([version_of(row) for row in rows])
            self._count = count
        return self.pools


async def movements_of_rounds(
    connection: AsyncConnection, keys: Sequence[RoundKey]
) -> dict[RoundKey, tuple[Movement, ...]]:
    """What these revisions of rounds did to pools."""
    if not keys:
        return {}
    wanted = sorted(set(keys))
    types: dict[str, TypeEngine[Any]] = {"property": Text(), "table": Text(), "round_id": Text(), "revision": Integer()}
    arrays = (
        bindparam(name, [getattr(key, name) for key in wanted], type_=ARRAY(kind)) for name, kind in types.items()
    )
    columns = (column(name, kind) for name, kind in types.items())
    came = func.unnest(*arrays).table_valued(*columns).render_derived(name="wanted")
    t = movements
    query = (
        select(t.c.property, t.c.table_name, t.c.round_id, t.c.revision, t.c.document)
        .join(
            came,
            (came.c.property == t.c.property)
            & (came.c.table == t.c.table_name)
            & (came.c.round_id == t.c.round_id)
            & (came.c.revision == t.c.revision),
        )
        .where(t.c.kind == "round")
        .order_by(t.c.property, t.c.pool, t.c.number)
    )
    found: dict[RoundKey, list[Movement]] = {}
    for row in await connection.execute(query):
        key = RoundKey(row.property, row.table_name, row.round_id, row.revision)
        found.setdefault(key, []).append(Movement.model_validate(row.document))
    return {key: tuple(moved) for key, moved in found.items()}
