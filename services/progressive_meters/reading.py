"""Reads the tables: pools as they stand, their terms, what moved them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, func, literal_column, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.configuration import Pools, PoolVersion
from services.progressive_meters.domain import Pool
from services.progressive_meters.tables import movements, pool_versions, pools
from shared.contracts.meter_events import Movement, PoolTerms
from shared.journal import bulk
from shared.journal.bulk import keyed

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

_POOLS: Final = bulk.select(pools)
_LOCKED_POOLS: Final = bulk.select(pools, lock=True)
_REVISION: Final = ("property", "table_name", "round_id", "revision")
_MOVEMENTS: Final = bulk.select(
    movements,
    (*_REVISION, "document"),
    by=_REVISION,
    where=movements.c.kind == literal_column("'round'"),  # as the index has it
)


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
    if not (wanted := set(keys)):
        return {}
    statement = _LOCKED_POOLS if lock else _POOLS
    found = await statement.read(connection, keyed(statement, wanted))
    return {(row.property, row.pool): row for row in found}


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
    """Return what these revisions of rounds did to pools."""
    if not keys:
        return {}
    found: dict[RoundKey, list[Movement]] = {}
    for row in await _MOVEMENTS.read(connection, keyed(_MOVEMENTS, set(keys))):
        key = RoundKey(row.property, row.table_name, row.round_id, row.revision)
        found.setdefault(key, []).append(Movement.model_validate(row.document))
    return {key: tuple(moved) for key, moved in found.items()}
