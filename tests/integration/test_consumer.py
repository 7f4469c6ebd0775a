"""The consume-commit loop on a real database: duplicates, gaps, reordering, two owners, lost answers."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

from services.round_settlement.handlers import Submissions
from shared.contracts.envelope import Event
from shared.journal.topic_identity import TopicIdentity
from shared.runtime.errors import FatalServiceError
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.kafka import TopicLog
from tests.support import Databases
from tests.support.nightly import sampled
from tests.support.rounds import (
    BLACKJACK,
    LOSING,
    NEXT_DAY,
    TABLES,
    completed,
    corrected,
    encoded,
    record,
    submission,
    voided,
)
from tests.support.services import query, settled_database
from tests.support.table import NOON, POSTED, Table, chips, kinds, play_at, quarantine

T1 = TABLES[0]


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement that has the submission."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


def test_the_same_event_twice_is_posted_once(url: str) -> None:
    """In one batch, in a later batch, and after a restart."""

    async def play(table: Table) -> None:
        event = completed(T1, 1)
        owner = await table.owner()
        await owner.handle(table.records(event, event))
        await owner.handle(table.records(event))
        await (await table.owner()).handle(table.records(event))
        assert 3 == table.metrics.duplicates.labels("table.events")._value.get()

    play_at(url, play)
    assert [(POSTED, 1)] == kinds(url)


def test_an_event_that_led_to_no_entry_is_dropped_when_it_comes_again(url: str) -> None:
    """A relay that crashed publishes again what a service only copied: no entry tells, and none is needed."""

    async def play(table: Table) -> None:
        reader = table.consumer(handler=Submissions())
        await reader.assigned([0])
        again = encoded(submission())
        await reader.handle([InputRecord("submissions", 0, offset, None, again, NOON) for offset in (1, 2)])
        assert 2 == table.metrics.duplicates.labels("submissions")._value.get()

    play_at(url, play)
    assert [] == kinds(url)


def test_what_takes_long_is_prepared_outside_any_transaction(url: str) -> None:
    """PostgreSQL ends a session that waits in a transaction for a minute."""
    open_then: list[int] = []

    async def play(table: Table) -> None:
        class Slow(Submissions):
            async def prepare(self, events: Sequence[Event[Any]]) -> None:
                assert 1 == len(events)
                state = "state = 'idle in transaction' AND datname = current_database()"
                open_then.append(len(query(url, f"SELECT pid FROM pg_stat_activity WHERE {state}")))

        reader = table.consumer(handler=Slow())
        await reader.assigned([0])
        await reader.handle([InputRecord("submissions", 0, 1, None, encoded(submission()), NOON)])

    play_at(url, play)
    assert [0] == open_then


def test_a_batch_delivered_again_is_dropped(url: str) -> None:
    """A rebalance hands over records that the database already has."""

    async def play(table: Table) -> None:
        records = table.records(*(completed(T1, n) for n in range(1, 6)))
        await (await table.owner()).handle(records[:3])
        fresh = table.consumer()
        await fresh.assigned([0])
        fresh._partitions[0].fetched = 0  # as after an assignment that was read before the first batch was committed
        await fresh.handle(records)

    play_at(url, play)
    assert [(POSTED, n) for n in range(1, 6)] == kinds(url)


def test_another_event_at_the_same_place_is_quarantined(url: str) -> None:
    """A sequence that was used for another event is an error of the table, not a duplicate."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle(table.records(completed(T1, 1)))
        await owner.handle(table.records(completed(T1, 1, "other") | {"id": "other"}))

    play_at(url, play)
    assert "conflict: sequence 1 of " in quarantine(url)[0][0]


def test_the_sequence_alone_tells_events_apart(url: str) -> None:
    """The same id at another sequence is another event; the same round there is refused, and the reason says why."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle(table.records(completed(T1, 1, "a") | {"id": "x"}, completed(T1, 2, "b") | {"id": "x"}))
        await owner.handle(table.records(completed(T1, 3, "a")))

    play_at(url, play)
    assert [(POSTED, 1), (POSTED, 2)] == kinds(url)[:2]
    [(reason, _, _)] = quarantine(url)
    assert "round a was completed by event 1 of this table" in reason


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

    play_at(url, play)
    late = [(kind, n) for n in (3, 4, 2) for kind in ("gap.filled", POSTED)]
    assert [(POSTED, 1), ("gap.opened", 2), (POSTED, 5), *late] == kinds(url)


STORY = [
    completed(T1, 1, "a", record(LOSING)),
    completed(T1, 2, "b", record(BLACKJACK)),
    corrected(T1, 3, "a", record(BLACKJACK)),
    voided(T1, 4, "b"),
    corrected(T1, 5, "a", record(LOSING, cents=500)),
]


@sampled(2)
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

    play_at(url, play)
    assert 500 == chips(url)
    assert [("a", True), ("b", False)] == query(
        url, "SELECT round_id, seq IS NOT NULL FROM round_settlement.rounds ORDER BY round_id"
    )
    assert [] == query(url, "SELECT * FROM round_settlement.gaps")


def test_a_correction_reverses_and_replaces_and_both_stay(url: str) -> None:
    """The first posting is taken back on its own gaming day; the new one stands beside it."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle(table.records(completed(T1, 1, "a", record(LOSING))))
        await owner.handle(table.records(corrected(T1, 2, "a", record(BLACKJACK), **NEXT_DAY)))

    play_at(url, play)
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


def test_what_is_taken_back_is_the_negative_of_what_was_posted(url: str) -> None:
    """Corrected twice and voided: each posting has the next revision, what takes it back its totals, negated."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        changes = [corrected(T1, 2, "a", record(BLACKJACK)), corrected(T1, 3, "a", record()), voided(T1, 4, "a")]
        await owner.handle(table.records(completed(T1, 1, "a", record(LOSING)), *changes))

    play_at(url, play)
    rows = query(url, "SELECT kind, data FROM round_settlement.entries ORDER BY shard, seq")
    assert [(kind, number) for number in (1, 2, 3) for kind in (POSTED, "settlement.reversed")] == [
        (kind, data["revision"]) for kind, data in rows
    ]
    for (_, posted), (_, taken_back) in zip(rows[::2], rows[1::2], strict=True):
        there, back = ({one["wager"]: one for one in data["totals"]} for data in (posted, taken_back))
        assert there.keys() == back.keys() == {"blackjack"}
        for name in ("handle_cents", "payout_cents"):
            assert there["blackjack"].get(name, 0) == -back["blackjack"].get(name, 0), name


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

    play_at(url, play)
    assert [(POSTED, n) for n in range(1, 41)] == kinds(url)


def test_a_stale_owner_is_sent_back(url: str) -> None:
    """A consumer whose place the database does not confirm reads again from where the database stands."""

    async def play(table: Table) -> None:
        records = table.records(*(completed(T1, n) for n in range(1, 7)))
        stale = await table.owner()
        await (await table.owner()).handle(records[:2])
        stale._partitions[0].fetched = 4  # it had been handed records up to there and lost them
        assert {0: 0} == await stale.handle(records[4:])
        assert {} == await (await table.owner()).handle(records[2:])

    play_at(url, play)
    assert [(POSTED, n) for n in range(1, 7)] == kinds(url)


def test_what_another_process_has_read_is_not_deleted_unread(url: str) -> None:
    """A log may begin where the database stands, wherever its reader believes to be; beyond it records are lost."""
    known = TopicIdentity("table.events", "cluster", "topic")

    def begins_at(first: int) -> TopicLog:
        return TopicLog(known.cluster, known.topic_id, {0: (first, 9)})

    async def play(table: Table) -> None:
        stale = await table.owner()
        await (await table.owner()).handle(table.records(*(completed(T1, n) for n in range(1, 4))))
        assert {0: 0} == stale.positions
        await stale.compare(known, begins_at(3), stale.positions)
        assert {} == stale.stopped.reasons
        await stale.compare(known, begins_at(4), stale.positions)
        assert "is to be read from offset 3 and begins at 4" in stale.stopped.reasons[0]

    play_at(url, play)


class FailsOnce:
    """Fails the first time that a step is reached."""

    def __init__(self, step: str, error: Exception) -> None:
        self._step = step
        self._error: Exception | None = error

    def __call__(self, name: str) -> None:
        if name == self._step and self._error is not None:
            error, self._error = self._error, None
            raise error


@sampled(3)
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
        owner = await table.owner(step=FailsOnce(step, error))
        await owner.handle(table.records(*(completed(T1, n) for n in range(1, 4))))
        await owner.handle(table.records(completed(T1, 4)))

    play_at(url, play)
    assert [(POSTED, n) for n in range(1, 5)] == kinds(url)


@pytest.mark.parametrize("lost", ["sources", "gaps"])
def test_a_stream_is_known_whole_or_not_at_all(url: str, lost: str) -> None:
    """A session that ends while streams are read leaves none known in part: what comes late then is taken."""
    ended: list[str] = []

    def end_session(_: Any, __: Any, statement: str, *___: Any) -> None:
        if not ended and f"FROM round_settlement.{lost} " in " ".join(statement.split()):
            ended.append(lost)
            others = "datname = current_database() AND pid <> pg_backend_pid()"
            query(url, f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE {others}")

    async def play(table: Table) -> None:
        await (await table.owner()).handle(table.records(completed(T1, 1), completed(T1, 3)))
        owner = await table.owner()
        event.listen(table.engine.sync_engine, "before_cursor_execute", end_session)
        await owner.handle(table.records(completed(T1, 2), completed(T1, 4)))

    play_at(url, play)
    assert [lost] == ended
    assert [] == quarantine(url)
    taken = [(POSTED, 1), ("gap.opened", 2), (POSTED, 3), ("gap.filled", 2), (POSTED, 2), (POSTED, 4)]
    assert taken == kinds(url)


def test_a_database_that_stays_away_ends_the_service(url: str) -> None:
    """After the deadline the service gives up, and says why."""

    async def play(table: Table) -> None:
        def step(name: str) -> None:
            if name == "derived":
                raise psycopg.OperationalError("connection refused")

        owner = await table.owner(step=step, seconds=0.3)
        with pytest.raises(FatalServiceError, match=r"has not been usable for 0 s: connection refused"):
            await owner.handle(table.records(completed(T1, 1)))

    play_at(url, play)
    assert [] == kinds(url)


def test_a_bug_is_not_swallowed(url: str) -> None:
    """An error that nobody foresaw ends the service; nothing of the batch is recorded."""

    async def play(table: Table) -> None:
        owner = await table.owner(step=FailsOnce("before commit", ZeroDivisionError("bug")))
        with pytest.raises(ZeroDivisionError):
            await owner.handle(table.records(completed(T1, 1)))

    play_at(url, play)
    assert [] == kinds(url)


def test_a_log_that_starts_again_is_noticed(url: str) -> None:
    """A broker that lost its records starts again at 0: going on would leave rounds out."""

    async def play(table: Table) -> None:
        records = table.records(*(completed(T1, n) for n in range(1, 4)))
        await (await table.owner()).handle(records)
        owner = await table.owner()
        assert {} == await owner.handle(records[:1])
        assert {0: "it was read up to offset 3, and starts again at 0"} == owner.stopped.reasons
        assert 1 == table.metrics.partitions_stopped.labels("table.events")._value.get()
        await owner.handle([replace(records[0], offset=3)])

    play_at(url, play)
