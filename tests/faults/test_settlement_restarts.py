"""Round settlement while the broker, PostgreSQL or its own processes come and go: every round once, none lost."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

from shared.local import PostgresServer
from tests.support import AnyBroker, ApacheKafka, Databases, eventually
from tests.support.rounds import TABLES, completed, source, submission
from tests.support.services import Worker, consume_all, create_topics, produce, query, running, settled_database

POSTED = (
    "SELECT count(*), count(DISTINCT (source, sequence)) FROM round_settlement.entries WHERE kind = 'settlement.posted'"
)
OTHERS = "SELECT kind FROM round_settlement.entries WHERE kind <> 'settlement.posted'"
BACKLOG = """SELECT sum(s.next_seq - 1 - r.published_seq)::int
             FROM round_settlement.relay r JOIN round_settlement.shards s USING (shard)"""


def _rounds(first: int, last: int) -> list[dict[str, Any]]:
    """Rounds `first` to `last` of every table."""
    return [completed(table, number) for number in range(first, last + 1) for table in TABLES]


def _posted(url: str, rounds: int, *workers: Worker) -> None:
    """Waits until so many rounds of every table are posted and published, each once, and nothing else."""

    def done() -> bool:
        for worker in workers:
            assert worker.exit_code is None, worker.log()[-4000:]
        return query(url, POSTED) == [(rounds * len(TABLES), rounds * len(TABLES))] and query(url, BACKLOG) == [(0,)]

    eventually(done, seconds=90, because=f"{rounds} rounds of every table are posted and published")
    assert [] == query(url, OTHERS)


def _some(url: str, more_than: int) -> bool:
    return bool(query(url, POSTED)[0][0] > more_than)


@pytest.fixture
def prepared(fresh_broker: AnyBroker, databases: Databases) -> Iterator[tuple[str, str]]:
    """A broker with topics and the submission, and a database: (bootstrap servers, database URL)."""
    create_topics(fresh_broker.bootstrap_servers)
    produce(fresh_broker.bootstrap_servers, "submissions", [submission()])
    url = settled_database(databases, "round-settlement")
    yield fresh_broker.bootstrap_servers, url
    databases.drop(url)


def test_a_second_process_joins_and_the_first_is_killed(prepared: tuple[str, str]) -> None:
    """Partitions move to a process that joins, and back when the other dies without a word."""
    servers, url = prepared
    options: dict[str, Any] = {"database_url": url, "bootstrap_servers": servers}
    with ExitStack() as stack:
        first = stack.enter_context(running("round-settlement", **options))
        produce(servers, "table.events", _rounds(1, 10))
        _posted(url, 10, first)
        second = stack.enter_context(running("round-settlement", **options))
        eventually(lambda: '"assigned"' in second.log(), seconds=60, because="the second process has partitions")
        produce(servers, "table.events", _rounds(11, 20))
        _posted(url, 20, first, second)
        first.kill()
        produce(servers, "table.events", _rounds(21, 30))
        _posted(url, 30, second)


def test_two_processes_that_both_read_everything(prepared: tuple[str, str]) -> None:
    """Two processes in different groups both believe that every partition is theirs: the fence keeps order."""
    servers, url = prepared
    options: dict[str, Any] = {"database_url": url, "bootstrap_servers": servers}
    other = {"PITLEDGER_KAFKA_GROUP_PREFIX": "zombie"}
    with (
        running("round-settlement", **options) as first,
        running("round-settlement", settings=other, **options) as second,
    ):
        for worker in (first, second):
            eventually(lambda w=worker: '"assigned"' in w.log(), seconds=60, because="both have all partitions")
        for batch in range(10):
            produce(servers, "table.events", _rounds(10 * batch + 1, 10 * batch + 10))
        _posted(url, 100, first, second)


def test_postgresql_is_killed_and_started_again(fresh_broker: AnyBroker, durable_postgres: PostgresServer) -> None:
    """The service waits for the database and goes on; what was committed stays, what was not is done again."""
    servers = fresh_broker.bootstrap_servers
    create_topics(servers)
    produce(servers, "submissions", [submission()])
    databases = Databases(durable_postgres.url)
    url = settled_database(databases, "round-settlement")
    with running("round-settlement", database_url=url, bootstrap_servers=servers) as worker:
        for start in (1, 41, 81):
            produce(servers, "table.events", _rounds(start, start + 39))
            eventually(
                lambda n=start: query(url, POSTED)[0][0] > len(TABLES) * n, seconds=60, because="rounds are posted"
            )
            durable_postgres.kill()
            durable_postgres.start()
        _posted(url, 120, worker)


def test_kafka_is_killed_and_started_again(apache_kafka: ApacheKafka, databases: Databases) -> None:
    """The service waits for the broker and goes on; what it published before and after is complete and in order."""
    servers = apache_kafka.bootstrap_servers
    create_topics(servers)
    produce(servers, "submissions", [submission()])
    url = settled_database(databases, "round-settlement")
    with running("round-settlement", database_url=url, bootstrap_servers=servers) as worker:
        produce(servers, "table.events", _rounds(1, 20))
        eventually(partial(_some, url, 0), seconds=60, because="some rounds are posted")
        apache_kafka.kill()
        apache_kafka.start()
        produce(servers, "table.events", _rounds(21, 40))
        _posted(url, 40, worker)
    places = {(key, value[:120]) for key, value in consume_all(servers, "settlements")}
    assert 40 * len(TABLES) == len(places)


def test_ten_megabytes_of_garbage(prepared: tuple[str, str]) -> None:
    """Through the broker: quarantined with its bytes, and the partition goes on."""
    servers, url = prepared
    garbage = bytes(range(256)) * 40_000
    with running("round-settlement", database_url=url, bootstrap_servers=servers) as worker:
        key = source(TABLES[0]).encode()
        produce(servers, "table.events", [*_rounds(1, 3), (key, garbage), *_rounds(4, 6)])
        eventually(
            lambda: query(url, POSTED)[0][0] == 6 * len(TABLES) or worker.exit_code is not None,
            seconds=60,
            because="the rounds on both sides of the garbage are posted",
        )
    assert [(10_240_000, True)] == query(
        url, "SELECT length(value), reason LIKE '%JSON%' FROM round_settlement.quarantine"
    )
