"""What the database enforces on a journal, and what verification finds when somebody gets past it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import psycopg
import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

import services.round_settlement
from services.round_settlement.tables import journal
from shared.journal import ledger as ledgers
from shared.journal.checkpoint import Checkpoint
from shared.journal.entry import Account, Draft, Posting
from shared.journal.ledger import Fenced, Ledger, Shard
from shared.journal.merkle import Frontier
from shared.journal.reading import balances, read_entry
from shared.journal.verification import Problem, Verified, read_shards, verify_shard
from shared.runtime.database import create_engine
from shared.runtime.service.migrations import upgrade
from tests.support import Databases

MIGRATIONS = Path(services.round_settlement.__file__).parent / "migrations"
SHARD = "table.events/0@test"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = date(2026, 11, 20)
T = TypeVar("T")

HANDLE, CHIPS = Account("riverside", "BJ-01", "blackjack", "handle"), Account("riverside", "BJ-01", "", "chips")


NINTH = """
    INSERT INTO round_settlement.entries SELECT 1, 9, kind, source, 99, event_id, "offset", gaming_day,
    occurred_at, recorded_at, data, previous, hash FROM round_settlement.entries WHERE seq = 1"""
"""Adds an entry that does not follow."""


def _draft(sequence: int, cents: int = 10000, *, hours: int = 0, day: date = DAY) -> Draft:
    return Draft(
        kind="settlement.posted",
        source="/properties/riverside/tables/BJ-01",
        sequence=sequence,
        event_id=f"e-{sequence}",
        offset=sequence - 1,
        gaming_day=day,
        occurred_at=NOON + timedelta(hours=hours),
        data=f'{{"n": {sequence}, "text": "back\\\\slash \\u00a7\\ttab"}}'.encode(),
        postings=(Posting(HANDLE, -cents), Posting(CHIPS, cents)),
    )


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the journal of round settlement."""
    databases.prepare("round-settlement", lambda url: upgrade("round-settlement", MIGRATIONS, url))
    url = databases.create("round-settlement")
    yield url
    databases.drop(url)


@pytest.fixture(params=[1, 1000], ids=["copied", "together"])
def _each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries are written in one of the two ways."""
    monkeypatch.setattr(ledgers, "COPY_FROM", request.param)


in_each_way = pytest.mark.usefixtures("_each_way")


def _run(url: str, work: Callable[[AsyncEngine], Awaitable[T]], *, role: str | None = "round_settlement") -> T:
    async def main() -> T:
        engine = create_engine(url, role=role) if role is not None else create_async_engine(url)
        try:
            return await work(engine)
        finally:
            await engine.dispose()

    return asyncio.run(main())


async def _append(engine: AsyncEngine, *drafts: Draft, recorded_at: datetime = NOON) -> Shard:
    ledger = Ledger(journal)
    await ledger.know_accounts(engine, {HANDLE, CHIPS})
    async with engine.begin() as connection:
        shard = await ledger.open_shard(connection, SHARD)
        _, after = await ledger.append(
            connection, shard, drafts, next_offset=shard.next_offset + len(drafts), recorded_at=recorded_at
        )
    return after


async def _problems(
    connection: AsyncConnection, reached: Verified | None = None, checkpoints: tuple[Checkpoint, ...] = ()
) -> list[Problem]:
    found: list[Problem] = []
    for shard in await read_shards(connection, journal):
        start = reached or Verified(shard.name)
        found += [problem async for problem in verify_shard(connection, journal, shard, start, checkpoints)]
    return found


@in_each_way
def test_entries_come_back_as_they_were_recorded(url: str) -> None:
    """Every field, the data byte for byte, and the postings in order."""

    async def work(engine: AsyncEngine) -> None:
        await _append(engine, _draft(1), _draft(2))
        async with engine.connect() as connection:
            entry = await read_entry(connection, journal, 1, 2)
            assert _draft(2) == entry.draft
            assert await _problems(connection) == []

    _run(url, work)


async def _refused(engine: AsyncEngine, statement: str, message: str) -> None:
    async with engine.begin() as connection:
        with pytest.raises(DBAPIError, match=message):
            await connection.execute(text(statement))


@pytest.mark.parametrize("role", ["round_settlement", None], ids=["service", "owner"])
def test_nothing_recorded_can_be_changed_or_removed(url: str, role: str | None) -> None:
    """Neither the service nor the owner can update, delete or truncate."""

    async def work(engine: AsyncEngine) -> None:
        for table in ("entries", "postings", "accounts", "checkpoints", "shards"):
            await _refused(engine, f"DELETE FROM round_settlement.{table}", "append-only|permission denied")
            await _refused(engine, f"TRUNCATE round_settlement.{table} CASCADE", "append-only|permission denied")
        for change in (
            "entries SET data = '{}'",
            "entries SET hash = hash WHERE false",
            "postings SET cents = cents * 2",
            "accounts SET leg = 'payout'",
            "checkpoints SET note = ''",
        ):
            await _refused(engine, f"UPDATE round_settlement.{change}", "append-only|permission denied")

    _run(url, lambda engine: _append(engine, _draft(1)))
    _run(url, work, role=role)


def test_the_service_cannot_alter_its_journal(url: str) -> None:
    """The service's role owns nothing."""

    async def work(engine: AsyncEngine) -> None:
        for statement in (
            "ALTER TABLE round_settlement.entries DISABLE TRIGGER ALL",
            "ALTER TABLE round_settlement.entries DROP COLUMN data",
            "DROP TABLE round_settlement.postings",
            "DROP FUNCTION round_settlement.append_only() CASCADE",
            "CREATE TABLE round_settlement.more (n int)",
        ):
            await _refused(engine, statement, "must be owner|permission denied")

    _run(url, work)


def test_temporary_tables_do_not_stand_in_for_the_journal(url: str) -> None:
    """The rules look at the service's own schema, whatever tables of the same names a session has made for itself."""

    async def work(engine: AsyncEngine) -> None:
        async with engine.begin() as connection:
            await connection.execute(text("CREATE TEMP TABLE shards AS SELECT 1 AS shard, 9::bigint AS next_seq"))
            with pytest.raises(DBAPIError, match="expects entry 3"):
                await connection.execute(text(NINTH))

    _run(url, lambda engine: _append(engine, _draft(1), _draft(2)))
    _run(url, work)


@in_each_way
@pytest.mark.parametrize(
    "postings",
    [
        (Posting(HANDLE, -10000), Posting(CHIPS, 9999)),
        (Posting(HANDLE, 1),),
    ],
)
def test_the_database_refuses_what_does_not_balance(url: str, postings: tuple[Posting, ...]) -> None:
    """Postings that do not sum to zero are refused, with the whole batch."""

    async def work(engine: AsyncEngine) -> None:
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="do not sum to zero"):
            await _append(engine, _draft(1), replace(_draft(2), postings=postings))
        async with engine.connect() as connection:
            assert (await connection.execute(select(journal.entries.c.seq))).all() == []

    _run(url, work)


@in_each_way
def test_two_wrongs_do_not_balance_each_other(url: str) -> None:
    """Each entry balances on its own, not the batch as a whole."""

    async def work(engine: AsyncEngine) -> None:
        over = replace(_draft(1), postings=(Posting(HANDLE, -5), Posting(CHIPS, 6)))
        under = replace(_draft(2), postings=(Posting(HANDLE, -6), Posting(CHIPS, 5)))
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="do not sum to zero"):
            await _append(engine, over, under)

    _run(url, work)


@pytest.mark.parametrize("role", ["round_settlement", None], ids=["service", "owner"])
def test_the_ledger_only_grows_at_its_end(url: str, role: str | None) -> None:
    """No posting joins an old entry, no entry leaves a hole, no shard goes back."""
    refused = {
        "INSERT INTO round_settlement.postings VALUES (1, 1, 7, 1, 5), (1, 1, 8, 2, -5)": "together with their entry",
        NINTH: "expects entry 3",
        "UPDATE round_settlement.shards SET next_seq = 1": "goes forward only",
        "UPDATE round_settlement.shards SET next_offset = 0": "goes forward only",
        "UPDATE round_settlement.shards SET head = '\\x00'": "goes forward only",
        "UPDATE round_settlement.shards SET next_seq = 9, head = '\\x00'": "is not the hash of entry",
    }

    async def work(engine: AsyncEngine) -> None:
        for statement, message in refused.items():
            await _refused(engine, statement, message)

    _run(url, lambda engine: _append(engine, _draft(1), _draft(2)))
    _run(url, work, role=role)


@in_each_way
def test_one_event_is_recorded_once(url: str) -> None:
    """The same place of a stream cannot be recorded twice, whatever the application believes."""

    async def work(engine: AsyncEngine) -> None:
        await _append(engine, _draft(1))
        with pytest.raises(psycopg.errors.UniqueViolation):
            await _append(engine, _draft(1))

    _run(url, work)


@in_each_way
def test_a_stale_writer_is_fenced_off(url: str) -> None:
    """Two writers read the same shard: the one that comes second changes nothing."""

    async def work(engine: AsyncEngine) -> None:
        ledger = Ledger(journal)
        await ledger.know_accounts(engine, {HANDLE, CHIPS})
        async with engine.begin() as connection:
            read_early = await ledger.open_shard(connection, SHARD)
        await _append(engine, _draft(1))
        with pytest.raises(Fenced, match="stands at offset 1, entry 2; this consumer read offset 0, entry 1"):
            async with engine.begin() as connection:
                await ledger.append(connection, read_early, [_draft(2)], next_offset=1, recorded_at=NOON)
        async with engine.connect() as connection:
            assert list((await connection.execute(select(journal.entries.c.seq))).scalars()) == [1]

    _run(url, work)


@in_each_way
def test_two_writers_at_the_same_moment(url: str) -> None:
    """Of two that write at once, one waits for the other and is then fenced off."""

    async def work(engine: AsyncEngine) -> None:
        ledger = Ledger(journal)
        await ledger.know_accounts(engine, {HANDLE, CHIPS})
        async with engine.begin() as connection:
            shard = await ledger.open_shard(connection, SHARD)

        async def write(sequence: int) -> None:
            async with engine.begin() as connection:
                await ledger.append(connection, shard, [_draft(sequence)], next_offset=1, recorded_at=NOON)

        outcomes = await asyncio.gather(write(1), write(2), return_exceptions=True)
        assert [Fenced, type(None)] == sorted((type(outcome) for outcome in outcomes), key=lambda kind: kind.__name__)

    _run(url, work)


def test_books_on_both_time_axes(url: str) -> None:
    """A late fact belongs to its day, and is not in the books as they were known before it came."""

    async def work(engine: AsyncEngine) -> None:
        next_day = DAY + timedelta(days=1)
        await _append(engine, _draft(1, 100), recorded_at=NOON)
        await _append(engine, _draft(2, 1000, hours=24, day=next_day), recorded_at=NOON + timedelta(hours=24))
        await _append(engine, _draft(3, 7, hours=1), recorded_at=NOON + timedelta(hours=48))

        async def chips(as_of: date | None = None, known_at: datetime | None = None) -> int:
            async with engine.connect() as connection:
                found = await balances(connection, journal, as_of=as_of, known_at=known_at)
            assert sum(balance.cents for balance in found) == 0
            return sum(balance.cents for balance in found if balance.account == CHIPS)

        assert await chips() == 1107
        assert await chips(as_of=DAY) == 107
        assert await chips(as_of=DAY, known_at=NOON + timedelta(hours=47)) == 100
        assert await chips(as_of=NOON) == 100
        assert await chips(as_of=NOON + timedelta(hours=1)) == 107
        assert await chips(known_at=NOON + timedelta(hours=24)) == 1100

    _run(url, work)


TAMPERING = {
    "data": ("entries", "UPDATE {} SET data = '{{\"n\": 9}}' WHERE seq = 2", 2),
    "whitespace in the data": ("entries", "UPDATE {} SET data = (data::text || ' ')::json WHERE seq = 2", 2),
    "gaming day": ("entries", "UPDATE {} SET gaming_day = gaming_day + 1 WHERE seq = 2", 2),
    "moment of recording": ("entries", "UPDATE {} SET recorded_at = recorded_at + '1us' WHERE seq = 2", 2),
    "cents": ("postings", "UPDATE {} SET cents = cents * 2 WHERE seq = 2", 2),
    "account": ("accounts", "UPDATE {} SET wager = 'super_match' WHERE leg = 'handle'", 1),
    "last entry": ("entries", "DELETE FROM {} WHERE seq = 3", 3),
    "middle entry": ("entries", "DELETE FROM {} WHERE seq = 2", 2),
    "posting": ("postings", "DELETE FROM {} WHERE seq = 2 AND line = 1", 2),
}


@pytest.mark.parametrize("name", sorted(TAMPERING))
def test_verification_finds_what_an_administrator_changed(url: str, name: str) -> None:
    """Whoever switches the triggers off and edits a row is found out, at that row."""
    table, statement, seq = TAMPERING[name]

    async def tamper(engine: AsyncEngine) -> None:
        async with engine.begin() as connection:
            await connection.execute(text(f"ALTER TABLE round_settlement.{table} DISABLE TRIGGER ALL"))
            await connection.execute(text(statement.format(f"round_settlement.{table}")))

    async def verify(engine: AsyncEngine) -> list[Problem]:
        async with engine.connect() as connection:
            return await _problems(connection)

    _run(url, lambda engine: _append(engine, _draft(1), _draft(2), _draft(3)))
    assert _run(url, verify) == []
    _run(url, tamper, role=None)
    assert seq == _run(url, verify)[0].seq


def test_a_journal_written_anew_contradicts_its_checkpoint(url: str, databases: Databases) -> None:
    """Rows, chain and head rewritten together verify; only the signed root outside the database gives it away."""

    async def root(engine: AsyncEngine) -> Checkpoint:
        async with engine.connect() as connection:
            hashes = (
                await connection.execute(select(journal.entries.c.hash).order_by(journal.entries.c.seq))
            ).scalars()
            frontier = Frontier().extend(hashes)
        return Checkpoint("pitledger/round-settlement/test", frontier.size, frontier.root())

    async def verify(engine: AsyncEngine) -> list[Problem]:
        async with engine.connect() as connection:
            assert await _problems(connection) == []
            return await _problems(connection, checkpoints=(signed,))

    _run(url, lambda engine: _append(engine, _draft(1), _draft(2)))
    signed = _run(url, root)
    assert _run(url, verify) == []

    forged = databases.create("round-settlement")
    _run(forged, lambda engine: _append(engine, _draft(1), _draft(2, 99)))
    assert "not those of the signed checkpoint" in _run(forged, verify)[0].what

    shortened = databases.create("round-settlement")
    _run(shortened, lambda engine: _append(engine, _draft(1)))
    assert "covers 2 entries; there are 1" in _run(shortened, verify)[0].what
