"""Stored roots of the complete tiles of a shard's Merkle tree, so that a proof reads only two tiles of hashes.

The roots are computed when a checkpoint is listed, and are stored with it. A missing root is recomputed from the
entries. A proof that uses an altered root fails, because it does not lead to the signed root.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.checkpoint_store import TILE_ENTRIES
from shared.journal.merkle import HASH_BYTES, Frontier, inclusion_path, left_size, node_hash
from shared.journal.tables import JournalTables

_AT_ONCE: Final = 4096
"""The number of hashes read and hashed at once, which blocks requests for some milliseconds."""


async def new_tile_roots(connection: AsyncConnection, tables: JournalTables, shard: int, size: int) -> bytes:
    """Return the concatenated roots of the complete tiles, within the first `size` entries, that are not stored yet."""
    kept = await _kept(connection, tables, shard)
    roots = [
        await _root_of(connection, tables, shard, tile)
        for tile in range(max(kept, default=-1) + 1, size // TILE_ENTRIES)
    ]
    return b"".join(roots)


async def path_to_root(
    connection: AsyncConnection, tables: JournalTables, shard: int, index: int, size: int
) -> tuple[bytes, ...]:
    """Return the path from the leaf at `index` to the root of the shard's first `size` entries.

    Raises: ProofError if there is no such leaf.
    """
    whole, roots = size // TILE_ENTRIES, await _kept(connection, tables, shard)
    for tile in range(whole):
        if tile not in roots:
            roots[tile] = await _root_of(connection, tables, shard, tile)
    leaves = {
        tile: [leaf async for part in _leaves(connection, tables, shard, tile, size) for leaf in part]
        for tile in {index // TILE_ENTRIES, whole}
    }

    def root(low: int, high: int) -> bytes:
        if high - low > TILE_ENTRIES:
            middle = low + left_size(high - low)
            return node_hash(root(low, middle), root(middle, high))
        tile, start = divmod(low, TILE_ENTRIES)
        if high - low == TILE_ENTRIES:
            return roots[tile]
        return Frontier().extend(leaves[tile][start : start + high - low]).root()

    return inclusion_path(index, size, root)


async def _kept(connection: AsyncConnection, tables: JournalTables, shard: int) -> dict[int, bytes]:
    """Return tile number -> stored root, for the tiles whose roots are stored with listed checkpoints."""
    c = tables.checkpoints.c
    query = select(c.size, c.tile_roots).where(c.shard == shard, c.tile_roots.is_not(None)).order_by(c.size)
    found: dict[int, bytes] = {}
    for size, kept in await connection.execute(query):
        roots = [kept[at : at + HASH_BYTES] for at in range(0, len(kept), HASH_BYTES)]
        found |= dict(enumerate(roots, size // TILE_ENTRIES - len(roots)))  # the last of them is the tile before `size`
    return found


async def _root_of(connection: AsyncConnection, tables: JournalTables, shard: int, tile: int) -> bytes:
    frontier = Frontier()
    async for part in _leaves(connection, tables, shard, tile, (tile + 1) * TILE_ENTRIES):
        frontier = frontier.extend(part)
        await asyncio.sleep(0)
    return frontier.root()


async def _leaves(
    connection: AsyncConnection, tables: JournalTables, shard: int, tile: int, size: int
) -> AsyncIterator[list[bytes]]:
    """Yield the entry hashes of a tile, up to the shard's first `size` entries, in parts."""
    e, end = tables.entries.c, min((tile + 1) * TILE_ENTRIES, size)
    for first in range(tile * TILE_ENTRIES, end, _AT_ONCE):
        part = (e.shard == shard, e.seq > first, e.seq <= min(first + _AT_ONCE, end))
        yield list((await connection.scalars(select(e.hash).where(*part).order_by(e.seq))).all())
