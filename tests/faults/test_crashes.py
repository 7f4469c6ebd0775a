"""Every service is killed at every durable step, and comes to the same books as if nothing had happened."""

from collections.abc import Iterator

import pytest

from tests.faults.books import check_order
from tests.faults.stage import Stage
from tests.faults.subject import counted
from tests.faults.subjects import READING, SUBJECTS
from tests.support import AnyBroker, Databases, brokers
from tests.support.services import Worker, create_topics, running
from tests.support.worker import Orders

_LOOP = ("consumed", "derived", "before commit", "after commit", "handled")
_RELAY = ("relay sent", "relay marked")


def _kills() -> Iterator[object]:
    """Subject, step, and the how many-th time that it is reached; one that only publishes does so all at once."""
    for subject in SUBJECTS:
        steps = _LOOP * bool(subject.records) + _RELAY * bool(subject.decode)
        for step in steps:
            for times in (1, 3) if subject.records else (1,):
                yield pytest.param(subject, step, times, id=f"{subject.name}-{step}-{times}")


@pytest.fixture(scope="module")
def told(request: pytest.FixtureRequest, databases: Databases) -> Stage:
    """The stage on which the whole story of a subject, the parameter, is told; the subject's tests share it."""
    broker: AnyBroker = request.getfixturevalue("module_broker")
    brokers.empty(broker.bootstrap_servers)
    stage = Stage(request.param, broker.bootstrap_servers, databases)
    stage.tell()
    return stage


@pytest.mark.parametrize("told", READING, ids=lambda subject: subject.name, indirect=True)
def test_the_undisturbed_run_is_what_it_should_be(told: Stage) -> None:
    """The reference itself: every kind of entry, and the books of a process that nothing disturbs."""
    kinds = counted(row["kind"] for row in told.undisturbed["entries"] if "@" in row["shard"])
    assert told.subject.kinds == kinds
    with told.database() as url:
        with running(**told.options(url)) as worker:
            told.wait(url, worker)
        told.check(url)


@pytest.mark.parametrize(("told", "step", "times"), list(_kills()), indirect=["told"])
def test_killed_and_started_again(told: Stage, step: str, times: int) -> None:
    """kill -9 at a durable step, then a restart: same entries, money, rows and hashes; downstream each entry once."""
    topic = f"{told.subject.schema}-{step.replace(' ', '-')}-{times}"
    create_topics(told.servers, {topic: 1})
    with told.database() as url:
        killed = Worker(**told.options(url, Orders(topic=topic, kill_at=step, times=times)))
        try:
            assert -9 == killed.wait(), killed.log()[-4000:]
        finally:
            killed.kill()
        check_order(told.subject, url)
        with running(**told.options(url, Orders(topic=topic))) as worker:
            told.wait(url, worker)
        told.check(url, topic)
