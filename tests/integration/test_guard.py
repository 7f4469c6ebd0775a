"""A service watches its own journal: it signs what it verified, never what somebody rewrote, and looks back."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement.tables import journal
from shared.journal.checkpoint import open_note
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.entry import Account, Draft, Posting
from shared.journal.ledger import Ledger
from shared.journal.signed_note import Signer
from shared.journal.verification import read_shards, verify_shard
from shared.runtime.context import RuntimeContext
from shared.runtime.database import create_engine
from shared.runtime.service import guard as guards
from shared.runtime.service.guard import Guard
from shared.runtime.service.notary import Notary
from shared.runtime.settings import Settings
from tests.support import Databases
from tests.support.services import settled_database

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ORIGIN = "pitledger/round-settlement/table.events/0@test"
PAUSE = timedelta(seconds=Settings().verification_seconds)
ACCOUNTS = [Account("p", "t", "blackjack", "handle"), Account("p", "t", "", "chips")]


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with an empty journal."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


@pytest.fixture
def notary(tmp_path: Path) -> Notary:
    """A key, and a directory outside the database."""
    return Notary(
        "round-settlement", Signer.generate("pitledger/round-settlement"), DirectoryStore(tmp_path / "checkpoints")
    )


class Clock:
    """A clock that the test sets; each guard of it watches as often as the settings say."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    async def watch(self, guard: Guard, times: int = 1) -> None:
        """Have a guard watch, each time after the pause between two verifications."""
        for _ in range(times):
            self.now += PAUSE
            await guard.watch()


def _guard(engine: AsyncEngine, notary: Notary | None, clock: Callable[[], datetime] = lambda: NOON) -> Guard:
    """A guard as a service has it after a start."""
    context = RuntimeContext(
        service="round-settlement", settings=Settings(), engine=engine, ledger=Ledger(journal), clock=clock
    )
    return Guard(context, notary)


def _run(url: str, work: Callable[[AsyncEngine], Awaitable[None]]) -> None:
    async def main() -> None:
        engine = create_engine(url, role="round_settlement")
        try:
            await work(engine)
        finally:
            await engine.dispose()

    asyncio.run(main())


async def _record(engine: AsyncEngine, first: int, last: int, cents: int = 100) -> None:
    ledger = Ledger(journal)
    await ledger.know_accounts(engine, ACCOUNTS)
    drafts = [
        Draft(
            kind="settlement.posted",
            source="/properties/p/tables/t",
            sequence=number,
            event_id=str(number),
            offset=number,
            gaming_day=None,
            occurred_at=NOON,
            data=b"{}",
            postings=(Posting(ACCOUNTS[0], -cents), Posting(ACCOUNTS[1], cents)),
        )
        for number in range(first, last + 1)
    ]
    async with engine.begin() as connection:
        shard = await ledger.open_shard(connection, "table.events/0@test")
        await ledger.append(
            connection, shard, drafts, next_offset=last + 1, recorded_at=NOON + timedelta(seconds=cents)
        )


async def _as_owner(url: str, *statements: str) -> None:
    engine = create_engine(url, role="postgres")
    async with engine.begin() as connection:
        for statement in statements:
            await connection.exec_driver_sql(statement)
    await engine.dispose()


def test_what_was_verified_is_signed(url: str, notary: Notary) -> None:
    """A checkpoint a growth; the note opens with the public key, and lies in the database and outside."""

    async def work(engine: AsyncEngine) -> None:
        guard = _guard(engine, notary)
        for last in (3, 5):
            await _record(engine, last - 2 if last == 3 else 4, last)
            await guard.watch()
        await guard.watch()
        assert [] == guard.problems
        assert [3, 5] == notary.store.sizes(ORIGIN)
        note = notary.store.load(ORIGIN, 5)
        assert (ORIGIN, 5) == ((opened := open_note(note, [notary.signer.verifier])).origin, opened.size)
        async with engine.connect() as connection:
            kept = await connection.execute(text("SELECT note FROM round_settlement.checkpoints ORDER BY size"))
            assert note == kept.scalars().all()[-1]

    _run(url, work)


def test_a_long_journal_is_verified_with_rests(url: str, notary: Notary, monkeypatch: pytest.MonkeyPatch) -> None:
    """Watching leaves room for working, and work begins after the first part; all of it is verified, then signed."""
    monkeypatch.setattr(guards, "ENTRIES_AT_ONCE", 4)

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 10)
        guard = _guard(engine, notary)
        rests: list[tuple[bool, list[str]]] = []

        async def rest(seconds: float) -> None:
            assert seconds > 0
            rests.append((guard.begun, notary.store.origins()))

        monkeypatch.setattr(asyncio, "sleep", rest)
        await guard.watch()
        assert [(True, [])] * 2 + [(True, [ORIGIN])] * 2 == rests  # verified, then signed, then verified again
        assert (NOON, [10]) == (guard.verified_at, notary.store.sizes(ORIGIN))

    _run(url, work)


def test_an_edited_entry_is_found_and_never_signed(url: str, notary: Notary) -> None:
    """Once something was found, nothing of that shard is signed any more."""

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 3)
        await _as_owner(
            url,
            "ALTER TABLE round_settlement.entries DISABLE TRIGGER ALL",
            "UPDATE round_settlement.entries SET data = '{\"n\":1}' WHERE seq = 2",
            "ALTER TABLE round_settlement.entries ENABLE TRIGGER ALL",
        )
        guard = _guard(engine, notary)
        await guard.watch()
        await _record(engine, 4, 5)
        await guard.watch()
        assert [2] == [problem.seq for problem in guard.problems]
        assert [] == notary.store.origins()

    _run(url, work)


REPLICA = "SET LOCAL session_replication_role = replica"
"""As a superuser alters rows past all triggers."""

MOVED = (
    REPLICA,
    "UPDATE round_settlement.postings SET cents = cents - 100 * (-1) ^ line WHERE seq = 2",
)
"""100 cents moved between two lines of an old entry."""

REHASHED = (
    REPLICA,
    """UPDATE round_settlement.entries SET data = '{"n":1}', hash = sha256('another') WHERE seq = 2""",
)
DELETED = (REPLICA, "DELETE FROM round_settlement.entries WHERE seq = 2")


@pytest.mark.parametrize("altered", [MOVED, REHASHED, DELETED], ids=["moved", "rehashed", "deleted"])
def test_an_old_entry_that_was_altered_is_found(url: str, notary: Notary, altered: tuple[str, ...]) -> None:
    """What was verified is verified again: a superuser's change is found, logged, shown and never signed."""

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 3)
        clock = Clock()
        guard = _guard(engine, notary, clock)
        await clock.watch(guard)
        assert [] == guard.problems
        await _as_owner(url, *altered)
        await clock.watch(guard)
        assert 2 == guard.problems[0].seq
        assert 0 == guard.context.metrics.registry.get_sample_value("pitledger_verification_ok")
        await _record(engine, 4, 4)
        await clock.watch(guard)
        assert [3] == notary.store.sizes(ORIGIN)

    _run(url, work)


REWRITTEN = (
    "UPDATE round_settlement.entries SET hash = sha256(hash) WHERE seq = 3",
    "UPDATE round_settlement.shards SET head = sha256(head)",
)
CUT = (
    "DELETE FROM round_settlement.entries WHERE seq = 3",
    "UPDATE round_settlement.shards SET next_seq = 3, head = (SELECT hash FROM round_settlement.entries WHERE seq = 2)",
)


@pytest.mark.parametrize("altered", [REWRITTEN, CUT], ids=["rewritten", "cut"])
def test_a_chain_that_was_rewritten_is_found(url: str, notary: Notary, altered: tuple[str, ...]) -> None:
    """At the next watch, whatever the rotation does: what was verified last is not there any more."""

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 3)
        guard = _guard(engine, notary)  # its clock stands still: nothing old is due
        await guard.watch()
        await _as_owner(url, REPLICA, *altered)
        await guard.watch()
        assert [3] == [problem.seq for problem in guard.problems]

    _run(url, work)


def test_the_rotation_comes_to_every_entry_in_its_time(
    url: str, notary: Notary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A little at a time: an alteration anywhere is found within one pass, and the age says when the last one ended."""
    monkeypatch.setattr(guards, "SCRUBBED_A_SECOND", 4 / PAUSE.total_seconds())

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 10)
        clock = Clock()
        guard = _guard(engine, notary, clock)
        ended: list[datetime | None] = []
        for _ in range(6):
            await clock.watch(guard)
            ended.append(guard.scrubbed_at)
        first, second = NOON + 3 * PAUSE, NOON + 6 * PAUSE
        assert [NOON + PAUSE] * 2 + [first] * 3 + [second] == ended
        assert 0 == guard.context.metrics.registry.get_sample_value("pitledger_scrub_age_seconds")
        await clock.watch(guard)  # the first four entries, before they are altered
        await _as_owner(url, *MOVED)
        found: list[int] = []
        while not guard.problems:
            await clock.watch(guard)
            found.append(len(guard.problems))
        assert [0, 0, 1] == found  # the rest of this pass, and the beginning of the next

    _run(url, work)


def test_what_was_verified_survives_a_restart(url: str, notary: Notary) -> None:
    """The next process verifies what is new, goes on with the rotation, and finds what was altered in between."""

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 3)
        clock = Clock()
        await clock.watch(_guard(engine, notary, clock))
        await _record(engine, 4, 4)
        after = _guard(engine, notary, clock)
        read: list[int] = []
        verify = verify_shard

        def verifying(*given: Any) -> Any:
            read.append(given[3].seq)
            return verify(*given)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(guards, "verify_shard", verifying)
            await clock.watch(after)
        assert ([3], []) == (read, after.problems)
        await _as_owner(url, *MOVED)
        for _ in range(2):  # what was found is not marked as verified: it is found again
            again = _guard(engine, notary, clock)
            await clock.watch(again)
            assert [2] == [problem.seq for problem in again.problems]

    _run(url, work)


def test_a_mark_is_relied_on_only_with_the_key_of_the_service(url: str, notary: Notary, tmp_path: Path) -> None:
    """Whoever writes a mark that says that all was verified gains nothing: all is verified anew."""

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 3)
        elsewhere = Notary(
            "round-settlement", Signer.generate("pitledger/round-settlement"), DirectoryStore(tmp_path / "elsewhere")
        )
        await _guard(engine, elsewhere).watch()
        await _as_owner(url, *MOVED)
        guard = _guard(engine, notary)
        await guard.watch()
        assert [2] == [problem.seq for problem in guard.problems]

    _run(url, work)


def test_a_shard_that_is_gone_is_found(url: str, notary: Notary) -> None:
    """Live, and after a restart by the checkpoints outside."""

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 3)
        live = _guard(engine, notary)
        await live.watch()
        await _as_owner(url, REPLICA, *REWRITE, "DELETE FROM round_settlement.verified")
        for guard in (live, _guard(engine, notary)):
            await guard.watch()
            assert ["the shard is gone: 3 entries of it were verified"] == [each.what for each in guard.problems]

    _run(url, work)


REWRITE = (
    "DELETE FROM round_settlement.postings",
    "DELETE FROM round_settlement.entries",
    "DELETE FROM round_settlement.shards",
    "DELETE FROM round_settlement.relay",
)
SWITCH = tuple(f"ALTER TABLE round_settlement.{table} {{}} TRIGGER ALL" for table in ("postings", "entries", "shards"))


@pytest.mark.parametrize("marks", [(), ("DELETE FROM round_settlement.verified",)], ids=["marked", "unmarked"])
@pytest.mark.parametrize("entries", [3, 2, 7], ids=["as many", "fewer", "more"])
def test_a_journal_rewritten_while_the_service_was_down(
    url: str, notary: Notary, entries: int, marks: tuple[str, ...]
) -> None:
    """Rows, chain and head rewritten together are caught by the mark, or by the checkpoint that lies outside."""

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 3)
        await _guard(engine, notary).watch()
        off, on = ([line.format(word) for line in SWITCH] for word in ("DISABLE", "ENABLE"))
        await _as_owner(url, *off, *REWRITE, *marks, *on)
        await _record(engine, 1, entries, cents=1)
        after = _guard(engine, notary)
        await after.watch()
        assert 1 == len(after.problems)
        assert [3] == notary.store.sizes(ORIGIN)

    _run(url, work)


def test_a_forged_checkpoint_is_found(url: str, notary: Notary) -> None:
    """A note that was not signed with the service's key is a problem, not a checkpoint."""

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 3)
        forger = Notary("round-settlement", Signer.generate("pitledger/round-settlement"), notary.store)
        await _guard(engine, forger).watch()
        guard = _guard(engine, notary)
        await guard.watch()
        assert 1 == len(guard.problems)

    _run(url, work)


def test_without_a_key_the_journal_is_verified_all_the_same(url: str) -> None:
    """Checkpoints are optional, verification is not."""

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 3)
        guard = _guard(engine, None)
        await guard.watch()
        assert (NOON, []) == (guard.verified_at, guard.problems)

    _run(url, work)


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
        watching = asyncio.create_task(_guard(engine, None).run())
        await asyncio.wait_for(asked_again.wait(), 30)
        watching.cancel()

    _run(url, work)
