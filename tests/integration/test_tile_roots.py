"""A proof of an entry reads two tiles of the shard, however long that is: of the others the roots are kept."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select
from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement.tables import journal
from shared.journal.merkle import EvidenceError, inclusion_proof
from shared.journal.proof import verify_document
from shared.journal.proof_builder import covering_checkpoint, prove_entry
from shared.journal.reading import read_entry
from shared.journal.tile_roots import path_to_root
from tests.support import Databases
from tests.support.guarding import REPLICA, Clock, as_owner, guard_of, notary_in, record_entries, run_on
from tests.support.services import settled_database

SHARD, NAME, TILE = 1, "table.events/0@test", 4


@pytest.fixture
def url(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A database with an empty journal, where a tile has few entries."""
    for module in ("checkpoint_store", "proof_builder", "tile_roots"):
        monkeypatch.setattr(f"shared.journal.{module}.TILE_ENTRIES", TILE)
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


async def hashes(engine: AsyncEngine) -> list[bytes]:
    """The hashes of all entries."""
    async with engine.connect() as connection:
        query = select(journal.entries.c.hash).where(journal.entries.c.shard == SHARD).order_by(journal.entries.c.seq)
        return list((await connection.scalars(query)).all())


def test_every_path_is_that_of_all_leaves(url: str, tmp_path: Path) -> None:
    """Of every entry to every size, by roots that were kept when a checkpoint was listed, and where some are gone."""

    async def work(engine: AsyncEngine) -> None:
        guard, clock, length = guard_of(engine, notary_in(tmp_path)), Clock(), 0
        for more in (3, 1, 2, 7, 1, 12):  # within a tile, to its end, over one end, and over several at once
            await record_entries(engine, length + 1, length + more)
            length += more
            await clock.watch(guard)
        leaves = await hashes(engine)
        for gone in ("false", "size > 4 AND size < 10", "true"):
            await as_owner(url, REPLICA, f"DELETE FROM round_settlement.checkpoints WHERE {gone}")
            async with engine.connect() as connection:
                for size in range(1, length + 1):
                    for index in range(size):
                        path = await path_to_root(connection, journal, SHARD, index, size)
                        assert inclusion_proof(leaves, index, size) == path

    run_on(url, work)


def test_a_proof_reads_two_tiles_of_a_shard_of_any_length(url: str, tmp_path: Path) -> None:
    """So many hashes, and a root of each other tile; the document verifies with the public key of the service."""
    read: list[int] = []

    def note(connection: Any, cursor: Any, statement: str, *others: object) -> None:
        del connection, others
        if "entries" in statement and "ORDER BY" in statement:
            read.append(cursor.rowcount)

    async def work(engine: AsyncEngine) -> None:
        notary, clock, length = notary_in(tmp_path), Clock(), 0
        guard = guard_of(engine, notary, clock)
        for until in (9, 42, 203):
            while length < until:
                length += 1
                await record_entries(engine, length, length)
                if length % 2 or length == until:
                    await clock.watch(guard)
            async with engine.connect() as connection:
                for seq in (1, until // 2, until):
                    covering = await covering_checkpoint(connection, journal, SHARD, seq)
                    assert covering is not None
                    size, signed = covering
                    entry = await read_entry(connection, journal, SHARD, seq)
                    read.clear()
                    event.listen(engine.sync_engine, "after_cursor_execute", note)
                    document = await prove_entry(connection, journal, entry, shard_name=NAME, size=size, note=signed)
                    event.remove(engine.sync_engine, "after_cursor_execute", note)
                    assert sum(read) <= 2 * TILE
                    proven = verify_document(document, [notary.signer.verifier])
                    assert seq - 1 == proven.index

    run_on(url, work)


def test_an_altered_root_proves_nothing(url: str, tmp_path: Path) -> None:
    """A proof with it is not given; without it the entries are read."""

    async def work(engine: AsyncEngine) -> None:
        notary, clock = notary_in(tmp_path), Clock()
        guard = guard_of(engine, notary, clock)
        await record_entries(engine, 1, 9)
        await clock.watch(guard)

        async def prove() -> str:
            async with engine.connect() as connection:
                covering = await covering_checkpoint(connection, journal, SHARD, 9)
                assert covering is not None
                entry = await read_entry(connection, journal, SHARD, 9)
                return await prove_entry(
                    connection, journal, entry, shard_name=NAME, size=covering[0], note=covering[1]
                )

        before = await prove()
        changed = "UPDATE round_settlement.checkpoints SET tile_roots = {}"
        await as_owner(url, REPLICA, changed.format("sha256('a') || sha256('b')"))
        with pytest.raises(EvidenceError, match="leaf 8 of 9 leads to root"):
            await prove()
        await as_owner(url, REPLICA, changed.format("NULL"))
        assert before == await prove()

    run_on(url, work)
