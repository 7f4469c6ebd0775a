"""Commits whose answers are lost, and connections lost before the commit: nothing is missing, nothing twice."""

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.stage import Door, Stage
from tests.faults.subject import Subject
from tests.faults.subjects import SUBJECTS
from tests.support import AnyBroker, Databases
from tests.support.services import running
from tests.support.wire import Commit, Wire


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_many_commits_end_with_a_lost_connection(
    subject: Subject, fresh_broker: AnyBroker, databases: Databases, tmp_path: Path, rng: random.Random
) -> None:
    """One in five of consumers, commands and relay, half of them after the server had committed: the same books."""
    stage = Stage(subject, fresh_broker.bootstrap_servers, databases)
    lost: Counter[str] = Counter()

    def at_commit(commit: Commit) -> bool:
        chance = rng.random()
        if chance < 0.1:
            lost["before"] += 1
            return False
        commit.happen()
        lost["after"] += chance > 0.9
        return chance <= 0.9

    with (
        stage.database(commands=False) as url,
        Wire(url, at_commit) as wire,
        Door(subject, tmp_path) as door,
    ):
        with running(**stage.options(wire.url, **door.settings)) as worker:
            door.ready(worker)
            answers = door.ask_all(subject.commands)
            stage.tell()
            stage.wait(url, worker)
            assert answers == door.ask_all(subject.commands)
        assert lost["before"]
        assert lost["after"]
        stage.check(url)
