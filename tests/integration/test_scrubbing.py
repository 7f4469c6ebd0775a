"""A guard looks back: old entries are verified again in rotation, and what was verified survives a restart."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.signed_note import Signer
from shared.journal.verification import verify_shard
from shared.runtime.audit import journal_verifier as guards
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from tests.support import Databases
from tests.support.guarding import (
    NOON,
    ORIGIN,
    PAUSE,
    REPLICA,
    REWRITE,
    Clock,
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


MOVED = (
    REPLICA,
    "UPDATE round_settlement.entries SET cents = ARRAY[cents[1] - 100, cents[2] + 100] WHERE seq = 2",
)
"""100 cents moved between two lines of an old entry."""

REHASHED = (
    REPLICA,
    """UPDATE round_settlement.entries SET data = '{"n":1}', hash = sha256('another') WHERE seq = 2""",
)
DELETED = (REPLICA, "DELETE FROM round_settlement.entries WHERE seq = 2")


@pytest.mark.parametrize("altered", [MOVED, REHASHED, DELETED], ids=["moved", "rehashed", "deleted"])
def test_an_old_entry_that_was_altered_is_found(url: str, notary: CheckpointSigner, altered: tuple[str, ...]) -> None:
    """What was verified is verified again: a superuser's change is found, logged, shown and never signed."""

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 3)
        clock = Clock()
        guard = guard_of(engine, notary, clock)
        await clock.watch(guard)
        assert [] == guard.problems
        await as_owner(url, *altered)
        await clock.watch(guard)
        assert 2 == guard.problems[0].seq
        assert 0 == guard.context.metrics.registry.get_sample_value("pitledger_verification_ok")
        await record_entries(engine, 4, 4)
        await clock.watch(guard)
        assert [3] == notary.store.sizes(ORIGIN)

    run_on(url, work)


def test_what_cannot_be_kept_is_verified_all_the_same(url: str, notary: CheckpointSigner) -> None:
    """The directory of the checkpoints cannot be written: the service is ready, looks back, and signs when it can."""
    in_the_way = notary.store.path / quote(ORIGIN, safe="") / ".unfinished"

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 3)
        clock = Clock()
        guard = guard_of(engine, notary, clock)
        in_the_way.mkdir(parents=True)
        await clock.watch(guard, times=2)
        assert (True, None, []) == (guard.begun, guard.signed_at, guard.problems)
        assert guard.verified_at == clock.now
        in_the_way.rmdir()
        await clock.watch(guard)
        assert ([3], clock.now) == (notary.store.sizes(ORIGIN), guard.signed_at)
        in_the_way.mkdir()
        await record_entries(engine, 4, 4)
        await as_owner(url, *MOVED)
        await clock.watch(guard)
        assert [2] == [problem.seq for problem in guard.problems]

    run_on(url, work)


REWRITTEN = (
    "UPDATE round_settlement.entries SET hash = sha256(hash) WHERE seq = 3",
    "UPDATE round_settlement.shards SET head = sha256(head)",
)
CUT = (
    "DELETE FROM round_settlement.entries WHERE seq = 3",
    "UPDATE round_settlement.shards SET next_seq = 3, head = (SELECT hash FROM round_settlement.entries WHERE seq = 2)",
)


@pytest.mark.parametrize("altered", [REWRITTEN, CUT], ids=["rewritten", "cut"])
def test_a_chain_that_was_rewritten_is_found(url: str, notary: CheckpointSigner, altered: tuple[str, ...]) -> None:
    """At the next watch, whatever the rotation does: what was verified last is not there any more."""

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 3)
        guard = guard_of(engine, notary)  # its clock stands still: nothing old is due
        await guard.watch()
        await as_owner(url, REPLICA, *altered)
        await guard.watch()
        assert [3] == [problem.seq for problem in guard.problems]

    run_on(url, work)


def test_the_rotation_comes_to_every_entry_in_its_time(
    url: str, notary: CheckpointSigner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A little at a time: an alteration anywhere is found within one pass, and the age says when the last one ended."""
    monkeypatch.setattr(guards, "SCRUBBED_A_SECOND", 4 / PAUSE.total_seconds())

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 10)
        clock = Clock()
        guard = guard_of(engine, notary, clock)
        ended: list[datetime | None] = []
        for _ in range(6):
            await clock.watch(guard)
            ended.append(guard.scrubbed_at)
        first, second = NOON + 3 * PAUSE, NOON + 6 * PAUSE
        assert [NOON + PAUSE] * 2 + [first] * 3 + [second] == ended
        assert 0 == guard.context.metrics.registry.get_sample_value("pitledger_scrub_age_seconds")
        await clock.watch(guard)  # the first four entries, before they are altered
        await as_owner(url, *MOVED)
        found: list[int] = []
        while not guard.problems:
            await clock.watch(guard)
            found.append(len(guard.problems))
        assert [0, 0, 1] == found  # the rest of this pass, and the beginning of the next

    run_on(url, work)


def test_what_was_verified_survives_a_restart(url: str, notary: CheckpointSigner) -> None:
    """The next process verifies what is new, goes on with the rotation, and finds what was altered in between."""

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 3)
        clock = Clock()
        await clock.watch(guard_of(engine, notary, clock))
        await record_entries(engine, 4, 4)
        after = guard_of(engine, notary, clock)
        read: list[int] = []
        verify = verify_shard

        def verifying(*given: Any, **options: Any) -> Any:
            read.append(given[3].seq)
            return verify(*given, **options)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(guards, "verify_shard", verifying)
            await clock.watch(after)
        assert ([3], []) == (read, after.problems)
        await as_owner(url, *MOVED)
        for _ in range(2):  # what was found is not marked as verified: it is found again
            again = guard_of(engine, notary, clock)
            await clock.watch(again)
            assert [2] == [problem.seq for problem in again.problems]

    run_on(url, work)


def test_a_mark_is_relied_on_only_with_the_key_of_the_service(
    url: str, notary: CheckpointSigner, tmp_path: Path
) -> None:
    """Whoever writes a mark that says that all was verified gains nothing: every entry is verified again."""

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 3)
        elsewhere = CheckpointSigner(
            "round-settlement", Signer.generate("pitledger/round-settlement"), DirectoryStore(tmp_path / "elsewhere")
        )
        await guard_of(engine, elsewhere).watch()
        await as_owner(url, *MOVED)
        guard = guard_of(engine, notary)
        await guard.watch()
        assert [2] == [problem.seq for problem in guard.problems]

    run_on(url, work)


def test_a_shard_that_is_gone_is_found(url: str, notary: CheckpointSigner) -> None:
    """Live, and after a restart by the checkpoints outside."""

    async def work(engine: AsyncEngine) -> None:
        await record_entries(engine, 1, 3)
        live = guard_of(engine, notary)
        await live.watch()
        await as_owner(url, REPLICA, *REWRITE, "DELETE FROM round_settlement.verified")
        for guard in (live, guard_of(engine, notary)):
            await guard.watch()
            assert ["the shard is gone: 3 entries of it were verified"] == [each.what for each in guard.problems]

    run_on(url, work)
