"""Commits whose answers are lost, and connections lost before the commit: nothing is missing, nothing twice."""

import random
from threading import Lock

import pytest

from tests.faults.stage import Door, Stage
from tests.faults.subject import Subject
from tests.faults.subjects import MECHANISMS
from tests.support import AnyBroker, Databases
from tests.support.nightly import sampled
from tests.support.services import running
from tests.support.wire import Commit, Wire

pytestmark = pytest.mark.any_broker


@sampled(1)
@pytest.mark.parametrize("subject", MECHANISMS, ids=lambda subject: subject.name)
def test_many_commits_end_with_a_lost_connection(
    subject: Subject, fresh_broker: AnyBroker, databases: Databases, rng: random.Random
) -> None:
    """Of every twelve commits of consumers, commands and relay, one is lost before and one after the server did it."""
    stage = Stage(subject, fresh_broker.bootstrap_servers, databases)
    turn, fates, lost = Lock(), list[str](), set[str]()

    def at_commit(commit: Commit) -> bool:
        with turn:
            if not fates:
                fates.extend(rng.sample(["before", "after", *["answered"] * 10], 12))
            fate = fates.pop()
        lost.add(fate)
        if fate != "before":
            commit.happen()
        return fate == "answered"

    with (
        stage.database(commands=False) as url,
        Wire(url, at_commit) as wire,
        Door(subject) as door,
    ):
        with running(**stage.options(wire.url, **door.settings)) as worker:
            door.ready(worker)
            answers = door.ask_all(subject.commands)
            stage.tell()
            stage.wait(url, worker)
            assert answers == door.ask_all(subject.commands)
        assert {"before", "after", "answered"} == lost
        stage.check(url)
