"""Table inventory or vigorish is killed while a pit event is changed at the desk: it takes effect, and once in each."""

import json
import os
import signal

import httpx
import pytest

from tests.faults.books import check_order, check_published
from tests.faults.stage import Door, Stage
from tests.faults.subject import Ask, Subject
from tests.support import AnyBroker, Databases, eventually
from tests.support.nightly import sampled
from tests.support.pit import PROPERTY, Table, at, chips
from tests.support.processes import alive
from tests.support.properties import property_event
from tests.support.services import migrate, produce, query, read_topic, running
from tests.support.wire import Commit, Wire, pass_on

pytestmark = pytest.mark.any_broker

_TABLE = Table("BJ-01")
_OPENED = _TABLE.opened(at(0), chips(c500=1000))
_TAKEN = _TABLE.event("vigorish.collected", at(1), cents=900_00, round_id="r-1", seat=1, by="dealer.dan")
_EVENT = f"/pit-events/{PROPERTY}/BJ-01/{_TAKEN['sequence']}"
_INSTEAD = {"at": _TAKEN["time"], "instead": _TAKEN["data"] | {"cents": 90_00}}
_PEOPLE = {"floor.mia": ["pit.correct"], "audit.ned": ["pit.correct.approve"]}
_PROPOSE = Ask(
    person="floor.mia",
    path=f"{_EVENT}/changes",
    body={"replaces": 1, "reason": "typed wrong", **_INSTEAD},
    status=201,
)
_APPROVE = Ask(person="audit.ned", path=f"/pit-changes/{PROPERTY}/1/approve")

INVENTORY = Subject(
    name="table-inventory",
    references={"properties": [property_event(PROPERTY, ("BJ-01",))]},
    records={"pit.events": [_OPENED, _TAKEN]},
    people=_PEOPLE,
)
VIGORISH = Subject(name="vigorish", records=INVENTORY.records)

_EFFECT = "SELECT effect FROM table_inventory.pit_change_outcomes"
_COLLECTED = "SELECT sum(collected_cents)::int FROM vigorish.owed"
_REVISION = "SELECT revision, seq IS NOT NULL FROM {}.pit_events WHERE sequence = 2"
_POSTED = """
    SELECT sum(p.cents)::int FROM vigorish.postings p JOIN vigorish.accounts a USING (account)
    WHERE a.leg = 'collected'"""

_WRITES = {
    "proposal": "pit_changes",
    "approval": "idempotency",
    "record": "pit_change_outcomes",
    "vigorish": "vigorish.pit_events",
}
"""A table into which only the commit of a step inserts, once what comes before it is done."""


@sampled(1)
@pytest.mark.parametrize("happens", [True, False], ids=["after the commit", "before the commit"])
@pytest.mark.parametrize("step", _WRITES)
def test_killed_around_a_change(step: str, happens: bool, fresh_broker: AnyBroker, databases: Databases) -> None:
    """kill -9 at the commit of each step, a restart, and the event once more by somebody.

    Before its record was committed the event was sent already: the next process sends it again.
    """
    stage, beside = (Stage(one, fresh_broker.bootstrap_servers, databases) for one in (INVENTORY, VIGORISH))
    doomed: list[int] = []

    def kill(commit: Commit) -> bool:
        if not doomed or not commit.writes(_WRITES[step]):
            return pass_on(commit)
        if happens:
            commit.happen()
        pid = doomed.pop()
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: not alive(pid), because="the process is dead")
        return False

    with stage.database(commands=False) as url, Wire(url, kill) as wire, Door(INVENTORY) as door:
        migrate(url, "vigorish")
        options = stage.options(wire.url, **door.settings), beside.options(wire.url)
        stage.tell()
        with running(**options[0]) as inventory, running(**options[1]) as vigorish:
            door.ready(inventory)
            stage.wait(url, inventory)
            beside.wait(url, vigorish)
            victim = vigorish if step == "vigorish" else inventory
            for number, (ask, what) in enumerate(((_PROPOSE, "proposal"), (_APPROVE, "approval"))):
                if step != what:
                    if what == "approval":
                        doomed.append(victim.pid)
                    door.ask_all([ask], first=number)
                    continue
                doomed.append(victim.pid)
                with pytest.raises(httpx.TransportError):
                    door.send(ask, f"k-{number}")
                break
            assert -9 == victim.wait()
        with running(**options[0]) as inventory, running(**options[1]) as vigorish:
            door.ready(inventory)
            door.ask_all([_PROPOSE, _APPROVE])
            eventually(lambda: [("recorded",)] == query(url, _EFFECT), because="the change takes effect")
            eventually(lambda: [(90_00,)] == query(url, _COLLECTED), because="vigorish has taken the change")
            sent = [one for one in read_topic(stage.servers, "pit.events") if b"change_approved" in one.value]
            produce(stage.servers, "pit.events", [(sent[0].key, sent[0].value)])
            stage.wait(url, inventory)
            beside.wait(url, vigorish)
        assert {1} == {json.loads(one.value)["sequence"] for one in sent}
        assert [(90_00,)] == query(url, _POSTED)
        for subject in (INVENTORY, VIGORISH):
            assert [(2, True)] == query(url, _REVISION.format(subject.schema))
            assert [(0,)] == query(url, f"SELECT count(*) FROM {subject.schema}.quarantine")
            check_order(subject, url)
            check_published(subject, url, stage.servers)
