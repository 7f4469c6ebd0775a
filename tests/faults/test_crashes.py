"""Services are killed at durable steps, and come to the same books as if nothing had happened.

Every step of every mechanism is killed once; of the services that share a mechanism, one step drawn by chance.
"""

import random

import pytest

from tests.faults.books import check_order
from tests.faults.stage import Stage
from tests.faults.subject import Subject, counted
from tests.faults.subjects import MECHANISMS, OTHERS, READING
from tests.support import AnyBroker, Databases, brokers
from tests.support.services import Worker, create_topics, running
from tests.support.worker import Orders

_LOOP = ("consumed", "derived", "before commit", "after commit", "handled")
_RELAY = ("relay sent", "relay marked")


def _steps(subject: Subject) -> tuple[str, ...]:
    """Return the durable steps of a service."""
    return _LOOP * bool(subject.records) + _RELAY * (subject.manifest.publishes is not None)


_KILLS = [
    pytest.param(subject, step, id=f"{subject.name}-{step}") for subject in MECHANISMS for step in _steps(subject)
]


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


@pytest.mark.parametrize(("told", "step"), _KILLS, indirect=["told"])
def test_killed_and_started_again(told: Stage, step: str) -> None:
    """kill -9 when a durable step is reached first, and in the next life the third time; then left alone: same entries,
    money, rows and hashes; downstream each entry once."""
    _killed_at(told, step)


@pytest.mark.parametrize("told", OTHERS, ids=lambda subject: subject.name, indirect=True)
def test_killed_somewhere_and_started_again(told: Stage, rng: random.Random) -> None:
    """The same for each other service, at a step that the seed draws."""
    _killed_at(told, rng.choice(_steps(told.subject)))


def _killed_at(told: Stage, step: str) -> None:
    topic = f"{told.subject.schema}-{step.replace(' ', '-')}"
    create_topics(told.servers, {topic: 1})
    with told.database() as url:
        for times in (1, 3) if told.subject.records else (1,):  # what only publishes does so all at once
            killed = Worker(**told.options(url, Orders(topic=topic, kill_at=step, times=times)))
            try:
                assert -9 == killed.wait(), killed.log()[-4000:]
            finally:
                killed.kill()
            check_order(told.subject, url)
        with running(**told.options(url, Orders(topic=topic))) as worker:
            told.wait(url, worker)
        told.check(url, topic)
