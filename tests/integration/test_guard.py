"""A service watches its own journal: it signs what it verified, never what somebody rewrote, and looks back."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.journal.checkpoint import open_note
from shared.journal.shard import Shard
from shared.journal.signed_note import Signer
from shared.journal.verification import Verified, read_shards
from shared.runtime.audit import journal_verifier as guards
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from tests.support import Databases
from tests.support.guarding import (
    NOON,
    ORIGIN,
    REWRITE,
    as_owner,
    guard_of,
    notary_in,
    record_entries,
    run_on,
)
from tests.support.services import settled_database


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with an empty journal."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


@pytest.fixture
def notary(tmp_path: Path) -> CheckpointSigner:
    """A key, and a directory outside the database."""
    return notary_in(tmp_path / "checkpoints")


def test_what_was_verified_is_signed(url: str, notary: CheckpointSigner) -> None:
    """A checkpoint a growth; the note opens with the public key, and lies in the database and outside."""

    async def work(engine: AsyncEngine) -> None:
        guard = guard_of(engine, notary)
        for last in (3, 5):
            await record_entries(engine, last - 2 if last == 3 else 4, last)
            await guard.watch()
        await guard.watch()
        assert [] == guard.problems
        assert [3, 5] == notary.store.sizes(ORIGIN)
        note = notary.store.load(ORIGIN, 5)
        assert (ORIGIN, 5) == ((opened := open_note(note, [notary.signer.verifier])).origin, opened.size)
        async with engine.connect() as connection:
            kept = await connection.execute(text("SELECT note FROM round_settlement.checkpoints ORDER BY size"))
            assert note == kept.scalars().all()[-1]

    run_on(url, work)


def test_a_long_journal_is_verified_with_rests(
    url: str, notary: CheckpointSigner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watching leaves room for working, and work begins after the first part; all of it is verified, then signed."""
    monkeypatch.setattr(guards, "ENTRIES_AT_ONCE", 4)

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 10)
        guard = guard_of(engine, notary)
        rests: list[tuple[bool, list[str]]] = []

        async def rest(seconds: float) -> None:
            assert seconds > 0
            rests.append((guard.begun, notary.store.origins()))

        monkeypatch.setattr(asyncio, "sleep", rest)
        await guard.watch()
        assert [(True, [])] * 2 + [(True, [ORIGIN])] * 2 == rests  # verified, then signed, then verified again
        assert (NOON, [10]) == (guard.verified_at, notary.store.sizes(ORIGIN))

    run_on(url, work)


def test_an_edited_entry_is_found_and_never_signed(url: str, notary: CheckpointSigner) -> None:
    """Once something was found, nothing of that shard is signed any more."""

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 3)
        await as_owner(
            url,
            "ALTER TABLE round_settlement.entries DISABLE TRIGGER ALL",
            "UPDATE round_settlement.entries SET data = '{\"n\":1}' WHERE seq = 2",
            "ALTER TABLE round_settlement.entries ENABLE TRIGGER ALL",
        )
        guard = guard_of(engine, notary)
        await guard.watch()
        await record_entries(engine, 4, 5)
        await guard.watch()
        assert [2] == [problem.seq for problem in guard.problems]
        assert [] == notary.store.origins()

    run_on(url, work)


SWITCH = tuple(f"ALTER TABLE round_settlement.{table} {{}} TRIGGER ALL" for table in ("entries", "shards"))


@pytest.mark.parametrize("marks", [(), ("DELETE FROM round_settlement.verified",)], ids=["marked", "unmarked"])
@pytest.mark.parametrize("entries", [3, 2, 7], ids=["as many", "fewer", "more"])
def test_a_journal_rewritten_while_the_service_was_down(
    url: str, notary: CheckpointSigner, entries: int, marks: tuple[str, ...]
) -> None:
    """Rows, chain and head rewritten together are caught by the mark, or by the checkpoint that lies outside."""

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 3)
        await guard_of(engine, notary).watch()
        off, on = ([line.format(word) for line in SWITCH] for word in ("DISABLE", "ENABLE"))
        await as_owner(url, *off, *REWRITE, *marks, *on)
        await record_entries(engine, 1, entries, cents=1)
        after = guard_of(engine, notary)
        await after.watch()
        assert 1 == len(after.problems)
        assert [3] == notary.store.sizes(ORIGIN)

    run_on(url, work)


def test_a_forged_checkpoint_is_found(url: str, notary: CheckpointSigner) -> None:
    """A note that was not signed with the service's key is a problem, not a checkpoint."""

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 3)
        forger = CheckpointSigner("round-settlement", Signer.generate("pitledger/round-settlement"), notary.store)
        await guard_of(engine, forger).watch()
        guard = guard_of(engine, notary)
        await guard.watch()
        assert 1 == len(guard.problems)

    run_on(url, work)


def test_a_process_that_is_overtaken_finds_nothing(url: str, notary: CheckpointSigner) -> None:
    """Another process of the service signs more between the look and the signature: that contradicts nothing."""

    async def work(engine: AsyncEngine) -> None:
        other = guard_of(engine, notary)

        class Slow(guards.JournalVerifier):
            async def _sign(self, shard: Shard, reached: Verified) -> None:
                if reached.seq == 3:
                    await record_entries(engine, 4, 5)
                    await other.watch()
                await super()._sign(shard, reached)

        await record_entries(engine, 1, 3)
        slow = Slow(other.context, notary)
        for _ in range(2):
            await slow.watch()
            assert [] == slow.problems
        assert [5] == notary.store.sizes(ORIGIN)
        assert NOON == slow.signed_at

    run_on(url, work)


def test_without_a_key_the_journal_is_verified_all_the_same(url: str) -> None:
    """Checkpoints are optional, verification is not."""

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 3)
        guard = guard_of(engine, None)
        await guard.watch()
        assert (NOON, []) == (guard.verified_at, guard.problems)

    run_on(url, work)


def test_a_database_that_does_not_answer_is_asked_again_soon(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only after the interval: a service is not ready before its journal was looked at."""
    monkeypatch.setattr(guards, "_RETRY_SECONDS", 0.01)
    refusals = [psycopg.OperationalError("the server closed the connection")]
    asked_again = asyncio.Event()

    async def reading(*given: Any) -> Any:
        if refusals:
            raise refusals.pop()
        asked_again.set()
        return await read_shards(*given)

    monkeypatch.setattr(guards, "read_shards", reading)

    async def work(engine: AsyncEngine) -> None:
        watching = asyncio.create_task(guard_of(engine, None).run())
        await asyncio.wait_for(asked_again.wait(), 30)
        watching.cancel()
        await asyncio.wait([watching])  # it gives its connection back before the engine is disposed of

    run_on(url, work)
