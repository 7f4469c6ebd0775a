"""Read pools, their terms, the rules submissions of their feeds, and the movements of rounds."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row, func
from sqlalchemy import select as select_from
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.domain.pools import Pool
from services.progressive_meters.domain.rounds import Terms, meters_of
from services.progressive_meters.domain.versions import Pools, PoolVersion
from services.progressive_meters.tables import movements, pool_versions, pools, submissions
from shared.contracts.meters import Feed, Movement
from shared.contracts.settlements import RoundKey
from shared.journal.bulk import compiled, given, keyed, same, select
from shared.runtime.commands.version_rows import document_of
from shared.runtime.ingest.submission_copies import ApprovedSubmissions
from shared.runtime.rows import find_row, rows_of

PoolKey = tuple[str, str]
"""(property, pool)"""


_POOLS: Final = select(pools)

_ROUND: Final = RoundKey._fields
_rows: Final = given(movements, _ROUND)
_OF_ROUNDS: Final = compiled(
    select_from(*(movements.c[name] for name in (*_ROUND, "movement")))
    .join_from(movements, _rows, same(movements, _rows, _ROUND))
    .where(movements.c.kind == "round")
    .order_by(movements.c.property, movements.c.pool, movements.c.number),
    _ROUND,
)


def pool_of(row: Row[Any]) -> Pool:
    """Return the current state of a pool from its row."""
    meters = {name: int(row._mapping[name]) for name in Pool.__slots__ if name in pools.c}
    return Pool(row.property, row.pool, **meters)


async def pools_of(connection: AsyncConnection, keys: Iterable[PoolKey]) -> dict[PoolKey, Pool]:
    """Return the state of pools by (property, pool); pools without movements are missing."""
    wanted = sorted(set(keys))
    rows = await _POOLS.read(connection, keyed(_POOLS, wanted)) if wanted else ()
    return {(row.property, row.pool): pool_of(row) for row in rows}


async def pools_at(connection: AsyncConnection, property_name: str) -> dict[str, Pool]:
    """Return the state of a property's pools by name; pools without movements are missing."""
    rows = await connection.execute(rows_of(pools, property=property_name))
    return {row.pool: pool_of(row) for row in rows}


def version_of(row: Row[Any]) -> PoolVersion:
    """Return a version of a pool's terms from its row."""
    return PoolVersion.model_validate(document_of(row))


async def find_version(connection: AsyncConnection, property_name: str, pool: str, version: int) -> PoolVersion:
    """Return a version of a pool's terms. Raises: Rejected if there is no such version."""
    missing = f"there is no version {version} of pool {pool} at {property_name}"
    return version_of(
        await find_row(connection, pool_versions, missing, property=property_name, pool=pool, version=version)
    )


async def approved_at(connection: AsyncConnection, property_name: str) -> Pools:
    """Return the approved terms of the pools of a property."""
    query = rows_of(pool_versions, property=property_name, status="approved")
    return Pools([version_of(row) for row in await connection.execute(query)])


class ApprovedPools:
    """A cache of the approved terms of all pools, reloaded after further approvals."""

    def __init__(self) -> None:
        self._count = -1
        self._pools = Pools()

    async def refresh(self, connection: AsyncConnection) -> Pools:
        """Return the terms, reloaded if the number of approved versions has changed; approved versions never change."""
        approved = pool_versions.c.status == "approved"
        query = select_from(func.count()).select_from(pool_versions).where(approved)
        count = (await connection.execute(query)).scalar_one()
        if count != self._count:
            rows = await connection.execute(select_from(pool_versions).where(approved))
            self._pools, self._count = Pools([version_of(row) for row in rows]), count
        return self._pools


class Submissions(ApprovedSubmissions[tuple[Terms, ...]]):
    """A cache of the meters' terms in approved rules submissions, of one property or of all."""

    def __init__(self, property_name: str | None = None) -> None:
        super().__init__(submissions, meters_of, property_name)

    def meters(self, digest: str) -> Sequence[Terms] | None:
        """Return the meters' terms in the submission with this hash, or None if the submission is unknown."""
        return self.under(digest)

    def ever(self, property_name: str, game: str) -> Sequence[Terms]:
        """Return the terms of the meters in all versions of a game's submissions."""
        return [terms for version in self.versions(property_name, game) for terms in version]

    def of_feed(self, property_name: str, feed: Feed, moment: datetime) -> Terms | None:
        """Return the terms of a feed's meter in the submission in effect at a moment; None if it is not offered."""
        version = self.in_effect(property_name, feed.game, feed.table, moment) or ()
        return next((terms for terms in version if terms.meter == feed.meter), None)


async def submissions_of(connection: AsyncConnection, property_name: str) -> Submissions:
    """Load and return the approved submissions of a property."""
    found = Submissions(property_name)
    await found.refresh(connection)
    return found


async def movements_of_rounds(
    connection: AsyncConnection, keys: Sequence[RoundKey]
) -> dict[RoundKey, tuple[Movement, ...]]:
    """Return the movements of pools caused by these revisions of rounds; revisions without movements are missing."""
    found: dict[RoundKey, list[Movement]] = {}
    rows = await _OF_ROUNDS.read(connection, keyed(_OF_ROUNDS, sorted(set(keys)))) if keys else ()
    for row in rows:
        key = RoundKey(*(row._mapping[name] for name in _ROUND))
        found.setdefault(key, []).append(Movement.model_validate(row.movement))
    return {key: tuple(moved) for key, moved in found.items()}
