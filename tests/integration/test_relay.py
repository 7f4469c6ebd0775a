"""What the relay sends from memory is what the database has, and the database is read for what memory lacks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import update
from structlog.testing import capture_logs

from services.round_settlement.manifest import MANIFEST
from shared.contracts.envelope import shard_source
from shared.journal.entry import Entry
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.context import RuntimeContext
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.outbox.relay import NotDelivered, Outgoing, Relay, entry_message
from shared.runtime.process import health
from shared.runtime.projections.drift_monitor import DriftMonitor
from tests.support import Databases
from tests.support.rebuilding import execute
from tests.support.rounds import TABLES, completed, encoded
from tests.support.services import settled_database
from tests.support.table import NOON, Table, play_at

ROUNDS = 3
APPENDED = """
    INSERT INTO round_settlement.entries
    SELECT shard, seq + 1, sequence + 1000, "offset", occurred_at, recorded_at, gaming_day, kind, source, 'forged',
        record_hash, data, hash, hash, accounts, cents
    FROM round_settlement.entries WHERE (shard, seq) = (SELECT shard, next_seq - 1 FROM round_settlement.shards
        WHERE name LIKE 'table.events/0@%')"""
FORGED_GONE = "DELETE FROM round_settlement.entries WHERE event_id = 'forged'"
MOVED = "UPDATE round_settlement.shards SET next_seq = next_seq + {} WHERE name LIKE 'table.events/0@%'"


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement that has the submission."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


class _Reads(Relay):
    """A relay that keeps what it sends, and counts how often it reads the database for it."""

    def __init__(self, context: RuntimeContext) -> None:
        super().__init__(context, lambda _: "settlements")
        self.reads = 0
        self.messages: list[bytes] = []

    async def _read(self, *place: Any) -> Sequence[Outgoing]:
        self.reads += 1
        return await super()._read(*place)

    async def _send(self, topics: Mapping[int, str], batches: Mapping[int, Sequence[Outgoing]]) -> None:
        for shard in topics:
            source = shard_source("round-settlement", shard)
            self.messages += [entry_message(source, shard, entry) for entry in batches[shard]]


def _records() -> list[InputRecord]:
    """Rounds whose moments have an offset of their own, on two partitions."""
    events = [
        (partition, completed(TABLES[partition], number)) for partition in (0, 1) for number in range(1, ROUNDS + 1)
    ]
    for _, event in events:
        event["time"] = NOON.astimezone(timezone(timedelta(hours=-5))).isoformat()
    offsets = [number for _ in (0, 1) for number in range(ROUNDS)]
    return [
        InputRecord("table.events", partition, offset, event["source"].encode(), encoded(event), NOON)
        for (partition, event), offset in zip(events, offsets, strict=True)
    ]


@pytest.mark.parametrize("lost", [0, 1, 2 * ROUNDS], ids=["nothing lost", "one lost", "after a restart"])
def test_memory_says_what_the_database_says(url: str, lost: int) -> None:
    """Byte for byte; where anything is missing of a shard, that shard is read."""

    async def play(table: Table) -> None:
        committed: list[Entry] = []
        consumer = table.consumer()
        consumer.context = context = replace(consumer.context, wake=committed.extend)
        await consumer.assigned((0, 1))
        await consumer.handle(_records())
        assert 2 * ROUNDS == len(committed)
        from_memory, from_database = _Reads(context), _Reads(context)
        from_memory.wake(committed[lost:])
        assert 2 * ROUNDS == await from_memory.publish()
        assert {0: 0, 1: 1, 2 * ROUNDS: 2}[lost] == from_memory.reads
        assert 0 == await from_memory.publish()
        async with context.pools.background.begin() as connection:
            await connection.execute(update(context.tables.relay).values(published_seq=0))
        assert 2 * ROUNDS == await from_database.publish()
        assert 2 == from_database.reads
        assert from_database.messages == from_memory.messages

    play_at(url, play)


def test_what_is_in_memory_is_not_read_again_because_more_was_committed(url: str) -> None:
    """The relay is told of commits a moment later, and publishes meanwhile what it was told of."""

    async def play(table: Table) -> None:
        committed: list[Entry] = []
        consumer = table.consumer()
        consumer.context = context = replace(consumer.context, wake=committed.extend)
        await consumer.assigned([0])
        await consumer.handle([record for record in _records() if record.partition == 0])
        relay = _Reads(context)
        relay.wake(committed[:2])
        assert (2, 0) == (await relay.publish(), relay.reads)
        relay.wake(committed[2:])
        assert (ROUNDS - 2, 0) == (await relay.publish(), relay.reads)
        assert ROUNDS == len(relay.messages)

    play_at(url, play)


def test_how_long_nothing_could_be_published_is_known(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first attempt that failed until one has not, and readiness says so; what is recorded changes nothing."""
    monkeypatch.setattr(health, "RESPONSE_AGE_SECONDS_MAX", 0.0)

    class Away(_Reads):
        is_away = True

        async def _send(self, topics: Mapping[int, str], batches: Mapping[int, Sequence[Outgoing]]) -> None:
            if self.is_away:
                raise NotDelivered("the broker is away")
            await super()._send(topics, batches)

    async def play(table: Table) -> None:
        consumer = table.consumer()
        await consumer.assigned([0, 1])
        relay, context = Away(consumer.context), consumer.context
        watched = health.Health(context, JournalVerifier(context), DriftMonitor(context, MANIFEST), relay=relay)
        await relay.publish()
        assert (0, None) == (relay.waiting_seconds, await watched.checks["broker"]())
        first, *rest = _records()
        await consumer.handle([first])
        for records in ([], rest):
            if records:
                await consumer.handle(records)
            with pytest.raises(NotDelivered):
                await relay.publish()
            assert relay.waiting_seconds > 0
            assert "what is recorded could not be published" in str(await watched.checks["broker"]())
        relay.is_away = False
        await relay.publish()
        assert (0, None) == (relay.waiting_seconds, await watched.checks["broker"]())

    play_at(url, play)


def test_nothing_is_signed_of_a_shard_that_was_moved_without_the_service(url: str) -> None:
    """An entry that a superuser appends does not go out as if the service had said it; other shards do."""

    async def play(table: Table) -> None:
        consumer = table.consumer()
        await consumer.assigned((0, 1))
        records = _records()
        await consumer.handle([record for record in records if record.partition == 0])
        relay = _Reads(consumer.context)
        assert ROUNDS == await relay.publish()
        execute(url, "SET session_replication_role = replica", APPENDED, MOVED.format(1))
        await consumer.handle([record for record in records if record.partition == 1])
        with capture_logs() as logs:
            assert [ROUNDS, 0, 0] == [await relay.publish() for _ in range(3)]
        assert ["shard not published"] == [line["event"] for line in logs if line["log_level"] == "error"]
        assert not any("forged" in message.decode() or '"sequence":4' in message.decode() for message in relay.messages)
        execute(url, "SET session_replication_role = replica", FORGED_GONE, MOVED.format(-1))
        assert 0 == await relay.publish()

    play_at(url, play)


AHEAD = "UPDATE round_settlement.relay SET published_seq = 2"
AHEAD_UNSIGNED = "UPDATE round_settlement.relay SET published_seq = 2, signature = NULL"


@pytest.mark.parametrize("moved", [AHEAD, AHEAD_UNSIGNED], ids=["moved", "unsigned"])
@pytest.mark.parametrize("restarted", [False, True], ids=["running", "started"])
@pytest.mark.parametrize("published", [0, 1], ids=["nothing published", "one published"])
def test_a_mark_that_was_moved_ahead_keeps_nothing_back(url: str, published: int, restarted: bool, moved: str) -> None:
    """Every entry goes out, from the last mark that this process knows on, and the mark is signed again."""

    async def play(table: Table) -> None:
        consumer = table.consumer()
        await consumer.assigned((0,))
        records = [record for record in _records() if record.partition == 0]
        await consumer.handle(records[:published])
        relay = _Reads(consumer.context)
        assert published == await relay.publish()
        await consumer.handle(records[published:])
        execute(url, moved)
        relay = _Reads(consumer.context) if restarted else relay
        with capture_logs() as logs:
            while await relay.publish():
                pass
        assert {"stored publish position has no valid signature, republishing entries"} == {
            line["event"] for line in logs if line["log_level"] == "error"
        }
        sent = [int(message.decode().split('"sequence":')[1].split(",")[0]) for message in relay.messages]
        assert [*range(1, ROUNDS + 1)] == sent
        assert 0 == await _Reads(consumer.context).publish()

    play_at(url, play)
