"""Services while the broker, PostgreSQL or their own processes come and go: everything once, nothing lost."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Lock

import pytest

from shared.local import KafkaServer, PostgresServer
from tests.faults.stage import Door, Stage
from tests.faults.subject import Subject
from tests.faults.subjects import MECHANISMS
from tests.faults.subjects.round_settlement import SUBJECT as ROUND_SETTLEMENT
from tests.support import AnyBroker, Databases, eventually
from tests.support.nightly import sampled
from tests.support.rounds import TABLES, completed, source
from tests.support.services import produce, query, running
from tests.support.wire import Commit, Wire, pass_on

EACH = pytest.mark.parametrize("subject", MECHANISMS, ids=lambda subject: subject.name)

_CRASHES = (2, 4)
"""Of the commits that record entries, those during which PostgreSQL is killed; the first of them does not happen."""


@pytest.fixture(scope="module")
def durable() -> Iterator[PostgresServer]:
    """A PostgreSQL with the durability of production, to be killed; the tests of the module share it."""
    with PostgresServer() as server:
        yield server


@pytest.mark.on_kafka
@sampled(1)
@pytest.mark.parametrize("subject", [one for one in MECHANISMS if one.records], ids=lambda subject: subject.name)
def test_a_second_process_joins_and_the_first_is_killed(
    subject: Subject, fresh_broker: AnyBroker, databases: Databases
) -> None:
    """Partitions move to a process that joins, and back when the other dies without a word."""
    stage = Stage(subject, fresh_broker.bootstrap_servers, databases)
    with stage.database() as url:
        options = stage.options(url, PITLEDGER_KAFKA_GROUP_PREFIX="together")
        with ExitStack() as stack:
            first = stack.enter_context(running(**options))
            stage.tell(1, 3)
            stage.wait(url, first)
            second = stack.enter_context(running(**options))
            eventually(
                lambda: '"partitions assigned"' in second.log(), seconds=60, because="the second process has partitions"
            )
            stage.tell(2, 3)
            stage.wait(url, first, second)
            first.kill()
            stage.tell(3, 3)
            stage.wait(url, second)
        stage.check(url)


@pytest.mark.on_kafka
@sampled(1)
@EACH
def test_two_processes_that_both_do_everything(subject: Subject, fresh_broker: AnyBroker, databases: Databases) -> None:
    """Both believe that every partition is theirs, and both get every command: one of them records it."""
    stage = Stage(subject, fresh_broker.bootstrap_servers, databases)
    with (
        stage.database(commands=False) as url,
        Door(subject) as one,
        Door(subject) as other,
        ThreadPoolExecutor(2) as clients,
    ):
        with (
            running(**stage.options(url, **one.settings)) as first,
            running(**stage.options(url, **other.settings)) as second,
        ):
            other.shown = one.shown
            one.ready(first)
            other.ready(second)
            for number, ask in enumerate(subject.commands):
                sent = [clients.submit(door.ask_all, [ask], number) for door in (one, other)]
                assert sent[0].result() == sent[1].result()
            for part in range(1, 6):
                stage.tell(part, 5)
            stage.wait(url, first, second)
        stage.check(url)


@sampled(1)
@pytest.mark.any_broker
@EACH
def test_postgresql_is_killed_and_started_again(
    subject: Subject, fresh_broker: AnyBroker, durable: PostgresServer
) -> None:
    """In the middle of commits: what was committed stays, what was not is done again."""
    durable.start()
    stage = Stage(subject, fresh_broker.bootstrap_servers, Databases(durable.url))
    turn, commits = Lock(), list[Commit]()

    def crash(commit: Commit) -> bool:
        if not commit.writes(".entries"):
            return pass_on(commit)
        with turn:
            commits.append(commit)
            if len(commits) not in _CRASHES:
                return pass_on(commit)
            if len(commits) != _CRASHES[0]:
                commit.happen()
            durable.kill()
            durable.start()
            return False

    with (
        stage.database(commands=False) as url,
        Wire(url, crash) as wire,
        Door(subject) as door,
    ):
        with running(**stage.options(wire.url, **door.settings)) as worker:
            door.ready(worker)
            door.ask_all(subject.commands)
            stage.tell()
            stage.wait(url, worker)
        assert len(commits) >= _CRASHES[-1]
        stage.check(url)


@pytest.mark.on_kafka
@sampled(1)
@EACH
def test_kafka_is_killed_and_started_again(subject: Subject, apache_kafka: KafkaServer, databases: Databases) -> None:
    """Commands are answered while the broker is away; what is published before and after is complete and in order."""
    stage = Stage(subject, apache_kafka.bootstrap_servers, databases)
    half = len(subject.commands) // 2
    with stage.database(commands=False) as url, Door(subject) as door:
        with running(**stage.options(url, **door.settings)) as worker:
            door.ready(worker)
            if subject.commands:
                door.ask_all(subject.commands[:half])
                apache_kafka.kill()
                door.ask_all(subject.commands[half:], first=half)
                apache_kafka.start()
            if subject.records:
                stage.tell(1, 2)
                some = f"SELECT max(next_offset) > 0 FROM {subject.schema}.shards"
                eventually(lambda: query(url, some) == [(True,)], seconds=60, because="some is read")
                apache_kafka.kill()
                apache_kafka.start()
                stage.tell(2, 2)
            stage.wait(url, worker)
        stage.check(url)


def test_ten_megabytes_that_are_no_event(fresh_broker: AnyBroker, databases: Databases) -> None:
    """Through the broker: quarantined with its bytes, and the partition goes on."""
    stage = Stage(ROUND_SETTLEMENT, fresh_broker.bootstrap_servers, databases)
    noise, table = bytes(range(256)) * 40_000, TABLES[0]
    with stage.database() as url:
        with running(**stage.options(url)) as worker:
            rounds = [completed(table, number) for number in range(1, 7)]
            produce(stage.servers, "table.events", [*rounds[:3], (source(table).encode(), noise), *rounds[3:]])
            stage.wait(url, worker)
        posted = "SELECT count(*) FROM round_settlement.entries WHERE kind = 'settlement.posted'"
        assert [(6,)] == query(url, posted)
        assert [(10_240_000, True)] == query(
            url, "SELECT length(value), reason LIKE '%JSON%' FROM round_settlement.quarantine"
        )
