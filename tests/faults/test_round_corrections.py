"""Round settlement is killed while a correction of a round is approved and takes effect: it is posted, and once."""

import json
import os
import signal
from dataclasses import replace
from typing import Any

import httpx
import pytest

from tests.faults.books import check_order, check_published
from tests.faults.stage import Door, Stage
from tests.faults.subject import Ask
from tests.faults.subjects.round_settlement import SUBJECT
from tests.support import AnyBroker, Databases, eventually
from tests.support.nightly import sampled
from tests.support.processes import alive
from tests.support.rounds import BLACKJACK, LOSING, TABLES, completed, record
from tests.support.services import Worker, produce, query, read_topic, running
from tests.support.wire import Commit, Wire, pass_on

pytestmark = pytest.mark.any_broker

_ROUND = f"/rounds/riverside/{TABLES[0]}/{TABLES[0]}-r1"
_PEOPLE = {"floor.lee": ["rounds.correct"], "audit.kim": ["rounds.correct.approve"]}
_PROPOSED = {"replaces": 1, "round": record(BLACKJACK), "reason": "the ace was misread"}
_PROPOSE = Ask(person="floor.lee", path=f"{_ROUND}/corrections", body=_PROPOSED, status=201)
_OWN = Ask(person="floor.lee", path="/corrections/riverside/1/approve", status=403)
_APPROVE = Ask(person="audit.kim", path="/corrections/riverside/1/approve")
_STANDING = "SELECT revision, seq IS NOT NULL FROM round_settlement.rounds WHERE table_name = 'BJ-01'"
_POSTED = """
    SELECT count(*), coalesce(sum(p.cents), 0)::bigint FROM round_settlement.postings p
    JOIN round_settlement.accounts a USING (account) WHERE a.leg = 'payout'"""


@sampled(1)
@pytest.mark.parametrize("happens", [True, False], ids=["after the commit", "before the commit"])
@pytest.mark.parametrize("writes", ["idempotency", "correction_outcomes"], ids=["approval", "settlement"])
def test_killed_around_a_correction(writes: str, happens: bool, fresh_broker: AnyBroker, databases: Databases) -> None:
    """kill -9 at the commit of the approval or of the settlement, a restart, and the event once more by somebody."""
    stories: dict[str, Any] = {"table.events": [completed(TABLES[0], 1, play=record(LOSING)), completed(TABLES[1], 1)]}
    stage = Stage(replace(SUBJECT, records=stories, people=_PEOPLE), fresh_broker.bootstrap_servers, databases)
    doomed: list[int] = []

    def kill(commit: Commit) -> bool:
        if not doomed or not commit.writes(writes):
            return pass_on(commit)
        if happens:
            commit.happen()
        pid = doomed.pop()
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: not alive(pid), because="the process is dead")
        return False

    with stage.database(commands=False) as url, Wire(url, kill) as wire, Door(stage.subject) as door:
        options = stage.options(wire.url, **door.settings)
        worker = Worker(**options)
        try:
            door.ready(worker)
            stage.tell()
            stage.wait(url, worker)
            door.ask_all([_PROPOSE, _OWN])
            doomed.append(worker.pid)
            if writes == "idempotency":
                with pytest.raises(httpx.TransportError):
                    door.send(_APPROVE, "k-2")
            else:
                door.ask_all([_APPROVE], first=2)
            assert -9 == worker.wait()
        finally:
            worker.kill()
        with running(**options) as worker:
            door.ready(worker)
            door.ask_all([_APPROVE], first=2)
            eventually(lambda: [(2, True)] == query(url, _STANDING), because="the correction takes effect")
            sent = [one for one in read_topic(stage.servers, "table.events") if b"correction_approved" in one.value]
            produce(stage.servers, "table.events", [(sent[0].key, sent[0].value)])
            stage.wait(url, worker)
        # The payout of the blackjack at 3 to 2 with its stake, beside that of the other table: nothing was paid before.
        assert [(2, 25000 + 20000)] == query(url, _POSTED)
        assert {1} == {json.loads(one.value)["sequence"] for one in sent}
        check_order(stage.subject, url)
        check_published(stage.subject, url, stage.servers)
