"""The consume-commit loop on a real database: duplicates, gaps, reordering, two owners, lost answers, bad input."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement import tables as settlement_tables
from services.round_settlement.processing import TableEvents
from services.round_settlement.tables import journal
from shared.journal.ledger import Ledger
from shared.journal.verification import Verified, read_shards, verify_shard
from shared.runtime.consume import facts
from shared.runtime.consume.consumer import Consumer, Step, no_step
from shared.runtime.consume.handler import Processor, Record
from shared.runtime.consume.submissions import RulesSubmissions
from shared.runtime.database import create_engine
from shared.runtime.errors import Stop
from shared.runtime.metrics import Metrics
from tests.support import Databases
from tests.support.rounds import (
    BLACKJACK,
    LOSING,
    TABLES,
    completed,
    corrected,
    encoded,
    record,
    source,
    submission,
    two_people,
    voided,
)
from tests.support.services import query, settled_database

T1, T2 = TABLES[:2]
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement that has the submission."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


class Table:
    """A partition of `table.events`, and what consumes it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.metrics = Metrics()
        self._offset = 0

    def consumer(
        self, *, step: Step = no_step, processor: Processor[Any] | None = None, seconds: float = 10
    ) -> Consumer:
        """A consumer of the partition, as one process has it."""
        return Consumer(
            processor=processor or TableEvents(),
            ledger=Ledger(journal),
            engine=self.engine,
            metrics=self.metrics,
            clock=lambda: NOON,
            cluster_id="test",
            retry_seconds_max=seconds,
            step=step,
        )

    def records(self, *events: Mapping[str, Any] | bytes) -> list[Record]:
        """The next records of the partition."""
        made = []
        for event in events:
            key = None if isinstance(event, bytes) else event["source"].encode()
            value = event if isinstance(event, bytes) else encoded(event)
            made.append(Record("table.events", 0, self._offset, key, value, NOON))
            self._offset += 1
        return made

    async def learn(self, *submissions: Mapping[str, Any]) -> None:
        """Reads rules submissions."""
        reader = self.consumer(processor=RulesSubmissions(settlement_tables.submissions, lambda: NOON))
        await reader.assigned([0])
        await reader.handle(
            [
                Record("submissions", 0, offset, None, encoded(document), NOON)
                for offset, document in enumerate(submissions)
            ]
        )

    async def owner(self, **options: Any) -> Consumer:
        """A consumer that owns the partition."""
        consumer = self.consumer(**options)
        await consumer.assigned([0])
        return consumer


def _play(url: str, play: Callable[[Table], Awaitable[None]]) -> None:
    async def main() -> None:
        engine = create_engine(url, role="round_settlement")
        try:
            table = Table(engine)
            await table.learn(submission())
            await play(table)
            async with engine.connect() as connection:
                for shard in await read_shards(connection, journal):
                    found = [p async for p in verify_shard(connection, journal, shard, Verified(shard.name))]
                    assert [] == found
        finally:
            await engine.dispose()

    asyncio.run(main())


def _kinds(url: str) -> list[tuple[str, int]]:
    """The entries in order: what they are, and the sequence that caused them."""
    rows = query(url, "SELECT kind, sequence FROM round_settlement.entries ORDER BY shard, seq")
    return [(kind, sequence) for kind, sequence in rows]


def _quarantine(url: str) -> list[tuple[str, bytes, bool]]:
    """Reason, bytes and whether it is open, of every record in quarantine."""
    statement = "SELECT reason, value, resolved_at IS NULL FROM round_settlement.quarantine ORDER BY id"
    return [(reason, bytes(value), is_open) for reason, value, is_open in query(url, statement)]


def _chips(url: str) -> int:
    """What the tables gained in chips, cents."""
    statement = """SELECT coalesce(sum(cents), 0)::bigint FROM round_settlement.postings
                   JOIN round_settlement.accounts USING (account) WHERE leg = 'chips'"""
    return int(query(url, statement)[0][0])


POSTED = "settlement.posted"


def test_the_same_event_twice_is_posted_once(url: str) -> None:
    """In one batch, in a later batch, and after a restart."""

    async def play(table: Table) -> None:
        event = completed(T1, 1)
        owner = await table.owner()
        await owner.handle(table.records(event, event))
        await owner.handle(table.records(event))
        await (await table.owner()).handle(table.records(event))
        assert 3 == table.metrics.duplicates.labels("table.events")._value.get()

    _play(url, play)
    assert [(POSTED, 1)] == _kinds(url)


def test_an_event_that_led_to_no_entry_is_dropped_when_it_comes_again(url: str) -> None:
    """A relay that crashed publishes again what a service only copied: no entry tells, and none is needed."""

    async def play(table: Table) -> None:
        reader = table.consumer(processor=RulesSubmissions(settlement_tables.submissions, lambda: NOON))
        await reader.assigned([0])
        again = encoded(submission())
        await reader.handle([Record("submissions", 0, offset, None, again, NOON) for offset in (1, 2)])
        assert 2 == table.metrics.duplicates.labels("submissions")._value.get()

    _play(url, play)
    assert [] == _kinds(url)


def test_a_batch_delivered_again_is_dropped(url: str) -> None:
    """A rebalance hands over records that the database already has."""

    async def play(table: Table) -> None:
        records = table.records(*(completed(T1, n) for n in range(1, 6)))
        await (await table.owner()).handle(records[:3])
        fresh = table.consumer()
        await fresh.assigned([0])
        fresh._partitions[0].fetched = 0  # as after an assignment that was read before the first batch was committed
        await fresh.handle(records)

    _play(url, play)
    assert [(POSTED, n) for n in range(1, 6)] == _kinds(url)


def test_another_event_at_the_same_place_is_quarantined(url: str) -> None:
    """A sequence that was used for another event is an error of the table, not a duplicate."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle(table.records(completed(T1, 1)))
        await owner.handle(table.records(completed(T1, 1, "other") | {"id": "other"}))

    _play(url, play)
    assert f"sequence 1 of {source(T1)} was taken by event 'BJ-01-1'" == _quarantine(url)[0][0]


def test_a_gap_is_recorded_and_filled_later(url: str) -> None:
    """Missing events are known by number; each that comes late is posted, and takes its number off the gap."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle(table.records(completed(T1, 1), completed(T1, 5)))
        assert [(2, 4)] == query(url, "SELECT first, last FROM round_settlement.gaps")
        await owner.handle(table.records(completed(T1, 3)))
        assert [(2, 2), (4, 4)] == query(url, "SELECT first, last FROM round_settlement.gaps ORDER BY first")
        await (await table.owner()).handle(table.records(completed(T1, 4), completed(T1, 2)))
        assert [] == query(url, "SELECT first, last FROM round_settlement.gaps")

    _play(url, play)
    late = [(kind, n) for n in (3, 4, 2) for kind in ("gap.filled", POSTED)]
    assert [(POSTED, 1), ("gap.opened", 2), (POSTED, 5), *late] == _kinds(url)


STORY = [
    completed(T1, 1, "a", record(LOSING)),
    completed(T1, 2, "b", record(BLACKJACK)),
    corrected(T1, 3, "a", record(BLACKJACK)),
    voided(T1, 4, "b"),
    corrected(T1, 5, "a", record(LOSING, cents=500)),
]


@pytest.mark.parametrize(
    "order", [(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 0, 4, 3, 1), (3, 1, 4, 2, 0), (1, 4, 0, 3, 2)], ids=str
)
@pytest.mark.parametrize("together", [True, False], ids=["one batch", "one by one"])
def test_the_order_of_arrival_does_not_change_the_books(url: str, order: Sequence[int], together: bool) -> None:
    """Corrected twice, voided once, in any order: the latest event of the table counts."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        records = table.records(*(STORY[index] for index in order))
        if together:
            await owner.handle(records)
        else:
            for one in records:
                await owner.handle([one])

    _play(url, play)
    assert 500 == _chips(url)
    assert [("a", True), ("b", False)] == query(
        url, "SELECT round_id, seq IS NOT NULL FROM round_settlement.rounds ORDER BY round_id"
    )
    assert [] == query(url, "SELECT * FROM round_settlement.gaps")


def test_a_correction_reverses_and_replaces_and_both_stay(url: str) -> None:
    """The first posting is taken back on its own gaming day; the new one stands beside it."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle(table.records(completed(T1, 1, "a", record(LOSING))))
        await owner.handle(table.records(corrected(T1, 2, "a", record(BLACKJACK), gaming_day="2026-11-21")))

    _play(url, play)
    rows = query(
        url,
        """SELECT e.kind, e.gaming_day::text, sum(p.cents) FILTER (WHERE a.leg = 'chips')
           FROM round_settlement.entries e JOIN round_settlement.postings p USING (shard, seq)
           JOIN round_settlement.accounts a USING (account) GROUP BY e.shard, e.seq ORDER BY e.shard, e.seq""",
    )
    assert [
        (POSTED, "2026-11-20", 10000),
        ("settlement.reversed", "2026-11-20", -10000),
        (POSTED, "2026-11-21", -15000),
    ] == [(kind, day, int(cents)) for kind, day, cents in rows]
    submissions = query(url, "SELECT data->'submission' FROM round_settlement.entries ORDER BY shard, seq")
    assert [1, 1, 1] == [named["version"] for (named,) in submissions]


def test_two_owners_of_one_partition(url: str) -> None:
    """Two consumers that both believe they own a partition record every event once between them."""

    async def play(table: Table) -> None:
        records = table.records(*(completed(T1, n) for n in range(1, 41)))
        first, second = await table.owner(), await table.owner()

        async def consume(consumer: Consumer, size: int) -> None:
            position = 0
            while position < len(records):
                rewind = await consumer.handle(records[position : position + size])
                position = rewind.get(0, position + size)

        await asyncio.gather(consume(first, 7), consume(second, 3))

    _play(url, play)
    assert [(POSTED, n) for n in range(1, 41)] == _kinds(url)


def test_a_stale_owner_is_sent_back(url: str) -> None:
    """A consumer whose place the database does not confirm reads again from where the database stands."""

    async def play(table: Table) -> None:
        records = table.records(*(completed(T1, n) for n in range(1, 7)))
        stale = await table.owner()
        await (await table.owner()).handle(records[:2])
        stale._partitions[0].fetched = 4  # it had been handed records up to there and lost them
        assert {0: 0} == await stale.handle(records[4:])
        assert {} == await (await table.owner()).handle(records[2:])

    _play(url, play)
    assert [(POSTED, n) for n in range(1, 7)] == _kinds(url)


class Once:
    """Fails the first time that a step is reached."""

    def __init__(self, step: str, error: Exception) -> None:
        self._step = step
        self._error: Exception | None = error

    def __call__(self, name: str) -> None:
        if name == self._step and self._error is not None:
            error, self._error = self._error, None
            raise error


@pytest.mark.parametrize("step", ["derived", "before commit", "after commit"])
@pytest.mark.parametrize(
    "error",
    [
        psycopg.OperationalError("server closed the connection unexpectedly"),
        psycopg.errors.AdminShutdown("terminating connection due to administrator command"),
        psycopg.errors.SerializationFailure("could not serialize access"),
        ConnectionResetError("reset"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_commit_whose_answer_is_lost(url: str, step: str, error: Exception) -> None:
    """Whether the commit happened or not, the shard row says so, and the batch is recorded exactly once."""

    async def play(table: Table) -> None:
        owner = await table.owner(step=Once(step, error))
        await owner.handle(table.records(*(completed(T1, n) for n in range(1, 4))))
        await owner.handle(table.records(completed(T1, 4)))

    _play(url, play)
    assert [(POSTED, n) for n in range(1, 5)] == _kinds(url)


def test_a_database_that_stays_away_ends_the_service(url: str) -> None:
    """After the deadline the service gives up, and says why."""

    async def play(table: Table) -> None:
        def step(name: str) -> None:
            if name == "derived":
                raise psycopg.OperationalError("connection refused")

        owner = await table.owner(step=step, seconds=0.3)
        with pytest.raises(Stop, match=r"has not been usable for 0 s: connection refused"):
            await owner.handle(table.records(completed(T1, 1)))

    _play(url, play)
    assert [] == _kinds(url)


def test_a_bug_is_not_swallowed(url: str) -> None:
    """An error that nobody foresaw ends the service; nothing of the batch is recorded."""

    async def play(table: Table) -> None:
        owner = await table.owner(step=Once("before commit", ZeroDivisionError("bug")))
        with pytest.raises(ZeroDivisionError):
            await owner.handle(table.records(completed(T1, 1)))

    _play(url, play)
    assert [] == _kinds(url)


def test_a_log_that_starts_again_is_noticed(url: str) -> None:
    """A broker that lost its records starts again at 0: going on would leave rounds out."""

    async def play(table: Table) -> None:
        records = table.records(*(completed(T1, n) for n in range(1, 4)))
        await (await table.owner()).handle(records)
        with pytest.raises(Stop, match="was to be read from offset 3, but the broker starts again at 0"):
            await (await table.owner()).handle(records[:1])

    _play(url, play)


GOOD = completed(T1, 1)


def _changed(path: str, value: Any) -> dict[str, Any]:
    """The good event with one thing changed; a path such as `data.round.seats.0.wagers.blackjack`."""
    document = json.loads(json.dumps(GOOD))
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
    place = document
    for part in parents:
        place = place[part]
    place[last] = value
    return dict(document)


SEAT = "data.round.seats.0"
BAD: dict[str, tuple[bytes | dict[str, Any], str]] = {
    "nothing": (b"", "JSON"),
    "not JSON": (b"\x00\xff\xfe garbage", "JSON"),
    "half an event": (encoded(GOOD)[:200], "JSON"),
    "another JSON": (b"[1, 2, 3]", ""),
    "10 MB of garbage": (b"\x07" * 10_000_000, "JSON"),
    "10 MB of JSON": (b'{"specversion": "' + b"1" * 10_000_000 + b'"}', ""),
    "deep JSON": (b"[" * 100_000, "JSON"),
    "unknown event type": (_changed("type", "round.imagined"), "round.imagined"),
    "unknown version of CloudEvents": (_changed("specversion", "0.3"), "specversion"),
    "sequence 0": (_changed("sequence", 0), "sequence"),
    "sequence as text": (_changed("sequence", "1"), "sequence"),
    "time without offset": (_changed("time", "2026-11-20T10:00:00"), "time"),
    "unknown field": (_changed("data.note", "vip"), "note"),
    "unknown field of a seat": (_changed(f"{SEAT}.note", "vip"), "note"),
    "another table's stream": (_changed("data.table", "BJ-02"), "source"),
    "unknown table": (completed("XX-99", 1), "table XX-99 is not in submission riverside/blackjack version 1"),
    "unknown game": (_changed("data.game", "roulette"), "no rules submission of riverside for roulette"),
    "before any submission": (_changed("data.opened_at", "2020-01-01T00:00:00Z"), "was in effect at 2020-01-01"),
    "another regulation": (_changed("data.regulation", "pa-633a-2011"), "is under pa-633a-2024"),
    "unknown regulation": (_changed("data.regulation", "xx-1"), "regulation"),
    "closed before opened": (_changed("data.closed_at", "2026-11-20T10:00:59Z"), "was closed at"),
    "no such card": (_changed(f"{SEAT}.dealt.0", "1s"), "1s"),
    "a card too many": (_changed(f"{SEAT}.hands.0.cards", ["Ts", "9d", "2c", "Ah"]), "21"),
    "a wager not offered": (_changed(f"{SEAT}.wagers.kings_bounty", 500), "kings_bounty"),
    "negative amount": (_changed(f"{SEAT}.wagers.blackjack", -100), "blackjack"),
    "no amount": (_changed(f"{SEAT}.wagers.blackjack", 0), "blackjack"),
    "fractional amount": (_changed(f"{SEAT}.wagers.blackjack", 100.5), "blackjack"),
    "amount as text": (_changed(f"{SEAT}.wagers.blackjack", "100"), "blackjack"),
    "huge amount": (_changed(f"{SEAT}.wagers.blackjack", 10**30), "blackjack"),
    "amount not a number": (_changed(f"{SEAT}.wagers.blackjack", True), "blackjack"),
    "NUL in a name": (_changed("data.round_id", "a\x00b"), "round_id"),
    "one person twice": (
        voided(T1, 1, "a", correction=two_people() | {"approved_by": "floor.lee"}),
        "floor.lee both entered and approved the change",
    ),
    "more from an account than was staked": (
        _changed("data.account_funded", [{"seat": 1, "wager": "blackjack", "account": "a-1", "cents": 10001}]),
        "10001 of wager 'blackjack' came from an account, but only 10000 was staked",
    ),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_input_is_quarantined_and_the_partition_goes_on(url: str, name: str) -> None:
    """The record is kept with its bytes and a clear reason; what stands before and behind it is posted."""
    bad, reason = BAD[name]

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle(table.records(completed(T2, 1), bad, completed(T2, 2)))
        await owner.handle(table.records(completed(T2, 3)))

    _play(url, play)
    assert [(POSTED, 1), (facts.QUARANTINED, 1), (POSTED, 2), (POSTED, 3)] == _kinds(url)
    [(said, kept, is_open)] = _quarantine(url)
    assert (True, bad if isinstance(bad, bytes) else encoded(bad)) == (is_open, kept)
    assert reason in said
    assert len(said) <= 1000


def test_a_wrong_key_is_quarantined(url: str) -> None:
    """A record that is not keyed by its table could overtake the others of that table."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle([Record("table.events", 0, 0, b"elsewhere", encoded(GOOD), NOON)])

    _play(url, play)
    assert f"the Kafka key is 'elsewhere'; it must be the source '{source(T1)}'" == _quarantine(url)[0][0]


def test_a_mended_record_takes_its_place(url: str) -> None:
    """What was refused left a gap; the mended record fills it, and the quarantine is resolved, with who and why."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        bad = _changed(f"{SEAT}.wagers.blackjack", -100)
        await owner.handle(table.records(bad, completed(T1, 2)))
        [mended] = table.records(GOOD)
        headers = ((facts.QUARANTINE_ID, b"1"), (facts.MENDED_BY, b"audit.kim"), (facts.MENDED_REASON, b"sign"))
        await owner.handle([Record("table.events", 0, mended.offset, mended.key, mended.value, NOON, headers)])

    _play(url, play)
    assert [
        (facts.QUARANTINED, 0),
        (facts.GAP_OPENED, 1),
        (POSTED, 2),
        (facts.GAP_FILLED, 1),
        (POSTED, 1),
        (facts.MENDED, 1),
    ] == _kinds(url)
    assert [False] == [is_open for _, _, is_open in _quarantine(url)]
    [(data,)] = query(url, f"SELECT data::text FROM round_settlement.entries WHERE kind = '{facts.MENDED}'")
    [(shard, seq)] = query(url, "SELECT shard, seq FROM round_settlement.quarantine")
    closed = {"quarantine": [1], "entries": [{"shard": shard, "seq": seq}]}
    assert {"source": source(T1), "sequence": 1, "by": "audit.kim", "reason": "sign"} | closed == json.loads(data)


def test_a_record_replaces_only_what_is_in_quarantine(url: str) -> None:
    """A header that names no open record closes nothing, whatever it names."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        for number, named in enumerate((b"7", b"9" * 30, b"one"), 1):
            [record] = table.records(completed(T1, number))
            headers = ((facts.QUARANTINE_ID, named),)
            await owner.handle([Record("table.events", 0, record.offset, record.key, record.value, NOON, headers)])

    _play(url, play)
    assert [(POSTED, 1), (POSTED, 2), (POSTED, 3)] == _kinds(url)


def test_a_record_the_database_refuses_is_found_by_halving(url: str) -> None:
    """One record that only the database can refuse does not take its batch with it."""
    poisoned = completed(T1, 3, round_id="r3")

    async def play(table: Table) -> None:
        async with table.engine.begin() as connection:
            await connection.execute(text("SELECT 1"))
        owner = await table.owner()
        await owner.handle(table.records(completed(T1, 1), completed(T1, 2), poisoned, completed(T1, 4)))

    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("ALTER TABLE round_settlement.rounds ADD CONSTRAINT poison CHECK (round_id <> 'r3')")
    _play(url, play)
    assert [(POSTED, 1), (POSTED, 2), (facts.QUARANTINED, 2), (facts.GAP_OPENED, 3), (POSTED, 4)] == _kinds(url)
    assert "the database refuses it" in _quarantine(url)[0][0]
