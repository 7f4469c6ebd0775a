"""A service watches its own journal: it signs what it verified, and never what somebody rewrote."""

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
from shared.journal.verification import read_shards
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


def _guard(engine: AsyncEngine, notary: Notary | None) -> Guard:
    """A guard as a service has it after a start."""
    context = RuntimeContext(
        service="round-settlement", settings=Settings(), engine=engine, ledger=Ledger(journal), clock=lambda: NOON
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
        assert [(True, []), (True, [])] == rests
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


REWRITE = (
    "DELETE FROM round_settlement.postings",
    "DELETE FROM round_settlement.entries",
    "DELETE FROM round_settlement.shards",
    "DELETE FROM round_settlement.relay",
)
SWITCH = tuple(f"ALTER TABLE round_settlement.{table} {{}} TRIGGER ALL" for table in ("postings", "entries", "shards"))


@pytest.mark.parametrize("entries", [3, 2, 7], ids=["as many", "fewer", "more"])
def test_a_journal_rewritten_while_the_service_was_down(url: str, notary: Notary, entries: int) -> None:
    """Rows, chain and head rewritten together are caught by the checkpoint that lies outside."""

    async def work(engine: AsyncEngine) -> None:
        await _record(engine, 1, 3)
        await _guard(engine, notary).watch()
        off, on = ([line.format(word) for line in SWITCH] for word in ("DISABLE", "ENABLE"))
        await _as_owner(url, *off, *REWRITE, *on)
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
