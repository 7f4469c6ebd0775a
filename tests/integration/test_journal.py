"""What the database enforces on a journal."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta

import psycopg
import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement.tables import journal
from shared.journal import ledger as ledgers
from shared.journal.entry import Posting
from shared.journal.ledger import Fenced, Ledger
from shared.journal.reading import balances, read_entry
from tests.support import Databases
from tests.support.journals import CHIPS, DAY, HANDLE, NOON, SHARD, append, draft_of, problems_of, run
from tests.support.services import settled_database

NINTH = """
    INSERT INTO round_settlement.entries
    SELECT 1, 9, 99, "offset", occurred_at, recorded_at, gaming_day, kind, source, event_id, record_hash, data,
        previous, hash, accounts, cents
    FROM round_settlement.entries WHERE seq = 1"""
"""Add an entry that does not follow."""


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the journal of round settlement."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


@pytest.fixture(params=[1, 1000], ids=["copied", "together"])
def _each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries are written in one of the two ways."""
    monkeypatch.setattr(ledgers, "COPY_FROM", request.param)


in_each_way = pytest.mark.usefixtures("_each_way")


@in_each_way
def test_entries_come_back_as_they_were_recorded(url: str) -> None:
    """Every field, the data byte for byte, and the postings in order."""

    async def work(engine: AsyncEngine) -> None:
        await append(engine, draft_of(1), draft_of(2))
        async with engine.connect() as connection:
            entry = await read_entry(connection, journal, 1, 2)
            assert draft_of(2) == entry.draft
            assert await problems_of(connection) == []

    run(url, work)


async def _refused(engine: AsyncEngine, statement: str, message: str) -> None:
    async with engine.begin() as connection:
        with pytest.raises(DBAPIError, match=message):
            await connection.execute(text(statement))


@pytest.mark.parametrize("role", ["round_settlement", None], ids=["service", "owner"])
def test_nothing_recorded_can_be_changed_or_removed(url: str, role: str | None) -> None:
    """Neither the service nor the owner can update, delete or truncate."""

    async def work(engine: AsyncEngine) -> None:
        for table in ("entries", "accounts", "checkpoints", "shards"):
            if table != "checkpoints":  # of those of a tile the first stays, and the latest of all: the service deletes
                await _refused(engine, f"DELETE FROM round_settlement.{table}", "append-only|permission denied")
            await _refused(engine, f"TRUNCATE round_settlement.{table} CASCADE", "append-only|permission denied")
        for change in (
            "entries SET data = '{}'",
            "entries SET hash = hash WHERE false",
            "entries SET cents = '{}', accounts = '{}'",
            "accounts SET leg = 'payout'",
            "checkpoints SET note = ''",
        ):
            await _refused(engine, f"UPDATE round_settlement.{change}", "append-only|permission denied")

    run(url, lambda engine: append(engine, draft_of(1)))
    run(url, work, role=role)


def test_the_service_cannot_alter_its_journal(url: str) -> None:
    """The service's role owns nothing."""

    async def work(engine: AsyncEngine) -> None:
        for statement in (
            "ALTER TABLE round_settlement.entries DISABLE TRIGGER ALL",
            "ALTER TABLE round_settlement.entries DROP COLUMN data",
            "DROP VIEW round_settlement.postings",
            "DROP FUNCTION round_settlement.append_only() CASCADE",
            "CREATE TABLE round_settlement.more (n int)",
        ):
            await _refused(engine, statement, "must be owner|permission denied")

    run(url, work)


def test_temporary_tables_do_not_stand_in_for_the_journal(url: str) -> None:
    """The rules look at the service's own schema, whatever tables of the same names a session has made for itself."""

    async def work(engine: AsyncEngine) -> None:
        async with engine.begin() as connection:
            await connection.execute(text("CREATE TEMP TABLE shards AS SELECT 1 AS shard, 9::bigint AS next_seq"))
            with pytest.raises(DBAPIError, match="expects entry 3"):
                await connection.execute(text(NINTH))

    run(url, lambda engine: append(engine, draft_of(1), draft_of(2)))
    run(url, work)


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
        with pytest.raises(psycopg.errors.CheckViolation, match="entries_balance"):
            await append(engine, draft_of(1), replace(draft_of(2), postings=postings))
        async with engine.connect() as connection:
            assert (await connection.execute(select(journal.entries.c.seq))).all() == []

    run(url, work)


@in_each_way
def test_two_wrongs_do_not_balance_each_other(url: str) -> None:
    """Each entry balances on its own, not the batch as a whole."""

    async def work(engine: AsyncEngine) -> None:
        over = replace(draft_of(1), postings=(Posting(HANDLE, -5), Posting(CHIPS, 6)))
        under = replace(draft_of(2), postings=(Posting(HANDLE, -6), Posting(CHIPS, 5)))
        with pytest.raises(psycopg.errors.CheckViolation, match="entries_balance"):
            await append(engine, over, under)

    run(url, work)


@pytest.mark.parametrize("role", ["round_settlement", None], ids=["service", "owner"])
def test_the_ledger_only_grows_at_its_end(url: str, role: str | None) -> None:
    """No posting joins an old entry, no entry leaves a hole, no shard goes back."""
    refused = {
        "INSERT INTO round_settlement.postings VALUES (1, 1, 7, 1, 5), (1, 1, 8, 2, -5)": "into view|denied",
        NINTH: "expects entry 3",
        "UPDATE round_settlement.shards SET next_seq = 1": "goes forward only",
        "UPDATE round_settlement.shards SET next_offset = 0": "goes forward only",
        "UPDATE round_settlement.shards SET head = '\\x00'": "goes forward only",
        "UPDATE round_settlement.shards SET next_seq = 9, head = '\\x00'": "is not the hash of entry",
    }

    async def work(engine: AsyncEngine) -> None:
        for statement, message in refused.items():
            await _refused(engine, statement, message)

    run(url, lambda engine: append(engine, draft_of(1), draft_of(2)))
    run(url, work, role=role)


@in_each_way
def test_one_event_is_recorded_once(url: str) -> None:
    """The same place of a stream cannot be recorded twice, whatever the application believes."""

    async def work(engine: AsyncEngine) -> None:
        await append(engine, draft_of(1))
        with pytest.raises(psycopg.errors.UniqueViolation):
            await append(engine, draft_of(1))

    run(url, work)


@in_each_way
def test_a_stale_writer_is_fenced_off(url: str) -> None:
    """Two writers read the same shard: the one that comes second changes nothing."""

    async def work(engine: AsyncEngine) -> None:
        ledger = Ledger(journal)
        await ledger.ensure_accounts(engine, {HANDLE, CHIPS})
        async with engine.begin() as connection:
            read_early = await ledger.open_shard(connection, SHARD)
        await append(engine, draft_of(1))
        with pytest.raises(Fenced, match="stands at offset 1, entry 2; this consumer read offset 0, entry 1"):
            async with engine.begin() as connection:
                await ledger.append(connection, read_early, [draft_of(2)], next_offset=1, recorded_at=NOON)
        async with engine.connect() as connection:
            assert list((await connection.execute(select(journal.entries.c.seq))).scalars()) == [1]

    run(url, work)


@in_each_way
def test_two_writers_at_the_same_moment(url: str) -> None:
    """Of two that write at once, one waits for the other and is then fenced off."""

    async def work(engine: AsyncEngine) -> None:
        ledger = Ledger(journal)
        await ledger.ensure_accounts(engine, {HANDLE, CHIPS})
        async with engine.begin() as connection:
            shard = await ledger.open_shard(connection, SHARD)

        async def write(sequence: int) -> None:
            async with engine.begin() as connection:
                await ledger.append(connection, shard, [draft_of(sequence)], next_offset=1, recorded_at=NOON)

        outcomes = await asyncio.gather(write(1), write(2), return_exceptions=True)
        assert [Fenced, type(None)] == sorted((type(outcome) for outcome in outcomes), key=lambda kind: kind.__name__)

    run(url, work)


def test_books_on_both_time_axes(url: str) -> None:
    """A late fact belongs to its day, and is not in the books as they were known before it came."""

    async def work(engine: AsyncEngine) -> None:
        next_day = DAY + timedelta(days=1)
        await append(engine, draft_of(1, 100), recorded_at=NOON)
        await append(engine, draft_of(2, 1000, hours=24, day=next_day), recorded_at=NOON + timedelta(hours=24))
        await append(engine, draft_of(3, 7, hours=1), recorded_at=NOON + timedelta(hours=48))

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

    run(url, work)
