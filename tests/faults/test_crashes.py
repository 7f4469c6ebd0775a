"""Services are killed at durable steps, and come to the same books as if nothing had happened.

A service is killed at every step of its mechanism, one life after the other in one story; a service that shares the
mechanism of another at one step drawn by chance.
"""

import random
from collections.abc import Sequence

import pytest

from tests.faults.books import check_order
from tests.faults.stage import Stage
from tests.faults.subject import Subject, counted
from tests.faults.subjects import MECHANISMS, OTHERS, READING
from tests.support import AnyBroker, Databases, brokers
from tests.support.nightly import sampled
from tests.support.services import Worker, create_topics, running
from tests.support.worker import Orders

pytestmark = pytest.mark.any_broker

_LOOP = ("consumed", "derived", "before commit", "after commit", "handled")
_RELAY = ("relay sent", "relay marked")


def _steps(subject: Subject) -> tuple[str, ...]:
    """Return the durable steps of a service."""
    return _LOOP * bool(subject.records) + _RELAY * (subject.manifest.publishes is not None)


@pytest.fixture(scope="module")
def told(request: pytest.FixtureRequest, databases: Databases) -> Stage:
    """The stage on which the whole story of a subject, the parameter, is told; the subject's tests share it."""
    broker: AnyBroker = request.getfixturevalue("module_broker")
    brokers.empty(broker.bootstrap_servers)
    stage = Stage(request.param, broker.bootstrap_servers, databases)
    stage.tell()
    return stage


@sampled(1, of="killed at steps")
@pytest.mark.parametrize("told", READING, ids=lambda subject: subject.name, indirect=True)
def test_the_undisturbed_run_is_what_it_should_be(told: Stage) -> None:
    """The reference itself: every kind of entry, and the books of a process that nothing disturbs."""
    kinds = counted(row["kind"] for row in told.undisturbed["entries"] if "@" in row["shard"])
    assert told.subject.kinds == kinds
    with told.database() as url:
        with running(**told.options(url)) as worker:
            told.wait(url, worker)
        told.check(url)


@sampled(1, of="killed at steps")
@pytest.mark.parametrize("told", MECHANISMS, ids=lambda subject: subject.name, indirect=True)
def test_killed_at_every_step(told: Stage) -> None:
    """kill -9 in each life when the next durable step is reached, those of the loop the second time; then left alone:
    same entries, money, rows and hashes; downstream each entry once."""
    _killed_at(told, [(step, 2 if step in _LOOP else 1) for step in _steps(told.subject)])


@sampled(1)
@pytest.mark.parametrize(
    "told", [one for one in OTHERS if one.records], ids=lambda subject: subject.name, indirect=True
)
def test_killed_somewhere_and_started_again(told: Stage, rng: random.Random) -> None:
    """The same for each other service that reads, at a step that is drawn: first, in the next life the third time."""
    step = rng.choice(_steps(told.subject))
    _killed_at(told, [(step, 1), (step, 3)])


def _killed_at(told: Stage, lives: Sequence[tuple[str, int]]) -> None:
    prefix = "killed."
    if topics := {prefix + topic.name: 1 for topic in told.subject.manifest.published}:
        create_topics(told.servers, topics)
    with told.database() as url:
        for step, times in lives:
            orders = Orders(topic_prefix=prefix, kill_at=step, times=times)
            killed = Worker(**told.options(url, orders, PITLEDGER_BATCH_RECORDS_MAX="4"))
            try:
                assert -9 == killed.wait(), killed.log()[-4000:]
            finally:
                killed.kill()
            check_order(told.subject, url)
        with running(**told.options(url, Orders(topic_prefix=prefix))) as worker:
            told.wait(url, worker)
        told.check(url, prefix)
