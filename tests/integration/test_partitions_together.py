"""Partitions that come in one batch are committed together; where that fails, each alone, and everything just once."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg
import pytest

from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import InputRecord
from tests.integration.test_consumer import FailsOnce
from tests.support import Databases
from tests.support.nightly import sampled
from tests.support.rounds import TABLES, completed, encoded
from tests.support.services import query, settled_database
from tests.support.table import NOON, POSTED, Table, kinds, play_at, quarantine

PARTITIONS = range(3)


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement that has the submission."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


async def owner(table: Table, **options: Any) -> Consumer:
    consumer = table.consumer(**options)
    await consumer.assigned(PARTITIONS)
    return consumer


def records(partition: int, first: int, *events: Mapping[str, Any]) -> list[InputRecord]:
    """Records of a partition from an offset on."""
    return [
        InputRecord("table.events", partition, offset, event["source"].encode(), encoded(event), NOON)
        for offset, event in enumerate(events, first)
    ]


def rounds(*numbers: int) -> list[InputRecord]:
    """Rounds with these sequences of one table in each partition, in disorder of partitions."""
    return [
        record
        for number in numbers
        for partition in reversed(PARTITIONS)
        for record in records(partition, number - 1, completed(TABLES[partition], number))
    ]


def posted(url: str) -> Counter[tuple[str, int]]:
    found = query(url, f"SELECT source, sequence FROM round_settlement.entries WHERE kind = '{POSTED}'")
    return Counter((source, sequence) for source, sequence in found)


def once_each(*numbers: int) -> Counter[tuple[str, int]]:
    return Counter((completed(TABLES[partition], n)["source"], n) for partition in PARTITIONS for n in numbers)


def test_a_batch_of_several_partitions_is_one_transaction(url: str) -> None:
    """One commit, and each partition stands behind its own records."""
    commits: list[str] = []

    async def play(table: Table) -> None:
        consumer = await owner(table, step=commits.append)
        assert {} == await consumer.handle(rounds(1, 2))
        assert dict.fromkeys(PARTITIONS, 2) == consumer.positions
        assert {} == await consumer.handle(rounds(3))

    play_at(url, play)
    assert 2 == commits.count("after commit")
    assert once_each(1, 2, 3) == posted(url)


@sampled(3)
@pytest.mark.parametrize("step", ["derived", "before commit", "after commit"])
@pytest.mark.parametrize(
    "error",
    [
        psycopg.OperationalError("server closed the connection unexpectedly"),
        psycopg.errors.DeadlockDetected("deadlock detected"),
        psycopg.errors.CheckViolation("new row violates check constraint"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_each_goes_alone_where_together_failed(url: str, step: str, error: Exception) -> None:
    """Whether the commit happened or not, every event is recorded exactly once."""

    async def play(table: Table) -> None:
        consumer = await owner(table, step=FailsOnce(step, error))
        assert {} == await consumer.handle(rounds(1, 2))
        assert {} == await consumer.handle(rounds(3))

    play_at(url, play)
    assert once_each(1, 2, 3) == posted(url)
    assert [] == quarantine(url)


def test_one_partition_that_went_on_elsewhere_keeps_no_other(url: str) -> None:
    """Another process has recorded some of one partition: the others are recorded, that one from where it stands."""

    async def play(table: Table) -> None:
        consumer = await owner(table)
        other = await owner(table)
        await other.handle([record for record in rounds(1, 2) if record.partition == 1])
        assert {} == await consumer.handle(rounds(1, 2, 3))

    play_at(url, play)
    assert once_each(1, 2, 3) == posted(url)


def test_a_partition_of_which_records_are_missing_is_read_again(url: str) -> None:
    """It is sent back to where the database stands; what came of the others is recorded."""

    async def play(table: Table) -> None:
        consumer = await owner(table)
        consumer._partitions[2].fetched = 1  # it had been handed a record and lost it
        assert {2: 0} == await consumer.handle([one for one in rounds(1, 2) if (one.partition, one.offset) != (2, 0)])
        assert {} == await consumer.handle(records(2, 0, *(completed(TABLES[2], number) for number in (1, 2))))

    play_at(url, play)
    assert once_each(1, 2) == posted(url)


@pytest.mark.parametrize("first", [0, 1])
def test_a_stream_in_two_partitions_is_recorded_once(url: str, first: int) -> None:
    """A table that is sent under the wrong key: what comes second is a duplicate, or another event at a taken place."""
    one = completed(TABLES[0], 1)

    def claimed(events: Sequence[Mapping[str, Any]]) -> list[InputRecord]:
        return [*records(first, 0, events[0]), *records(1 - first, 0, events[1])]

    async def play(table: Table) -> None:
        await (await owner(table)).handle(claimed([one, one | {"id": "another"}]))

    play_at(url, play)
    assert 1 == kinds(url).count((POSTED, 1))
    [(reason, _, is_open)] = quarantine(url)
    assert is_open
    assert "was taken by other content" in reason
