"""Corrections of rounds at the desk: proposed by one person, seen with what they change, decided by another."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from services.round_settlement.desk import corrections_sender
from services.round_settlement.manifest import MANIFEST
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.runtime.commands.record_replay import NotSent, Replay
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import InputRecord
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.corrections import PEOPLE, ROUND, decide, propose, take_effect
from tests.support.desk import Desk, desk_of
from tests.support.outbox import Outbox
from tests.support.properties import property_event
from tests.support.rederiving import Books
from tests.support.rounds import (
    BLACKJACK,
    DAY,
    LOSING,
    TABLES,
    completed,
    corrected,
    correction_approved,
    encoded,
    record,
    submission,
    voided,
)
from tests.support.services import settled_database

T1 = TABLES[0]


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


@pytest.fixture
def outbox() -> Outbox:
    """Where approved corrections go."""
    return Outbox()


@pytest.fixture
def desk(url: str, outbox: Outbox) -> Iterator[Desk]:
    """The service, after two rounds at a table."""
    with desk_of(MANIFEST, url, people=PEOPLE, clock=lambda: DAY + timedelta(days=1), outbox=outbox) as desk:
        desk.feed("properties", property_event())
        desk.feed("submissions", submission())
        desk.feed("table.events", completed(T1, 1, "a", record(LOSING)), completed(T1, 2, "b", record(LOSING)))
        yield desk


def shown(desk: Desk, number: int = 1) -> dict[str, Any]:
    """A correction with what it changes."""
    response = desk.get(f"/corrections/riverside/{number}", person="kim")
    assert 200 == response.status_code, response.text
    found: dict[str, Any] = response.json()
    return found


def stands(desk: Desk) -> tuple[int, int]:
    """The revision of the round, and what its payout is in cents."""
    found = desk.get(ROUND, person="ann").json()
    return found["revision"], found["totals"][0]["payout_cents"]


def test_who_approves_sees_what_would_change(desk: Desk) -> None:
    """Lines, postings and gaming day before and after; nothing is changed by looking or proposing."""
    proposed = propose(desk)
    assert (201, "/corrections/riverside/1") == (proposed.status_code, proposed.headers["location"])
    found = shown(desk)
    assert (True, ["2026-11-20"]) == (found["stands"], found["restates"])
    [line] = found["lines"]
    assert ("lose", 0) == (line["before"]["outcome"], line["before"]["payout"])
    assert (True, "win", 15000) == (line["changed"], line["after"]["outcome"], line["after"]["payout"])
    # $100 at 3 to 2: the table pays $250 where it kept $100.
    changes = {(one["wager"], one["leg"]): one["difference_cents"] for one in found["postings"]}
    assert {("blackjack", "handle"): 0, ("blackjack", "payout"): 25000, ("", "chips"): -25000} == changes
    assert (1, 0) == stands(desk)
    assert [1] == [
        one["correction"]
        for one in desk.get("/corrections?property=riverside&status=asked", person="ann").json()["items"]
    ]


def test_what_was_shown_is_what_is_posted(desk: Desk, outbox: Outbox) -> None:
    """Approved by somebody else it takes effect through the topic, with both people, exactly as it was shown."""
    propose(desk)
    after = shown(desk)["after"]
    assert "waiting" == decide(desk, "approve").json()["effect"]
    [sent] = take_effect(desk, outbox)
    assert ("table.events", f"/properties/riverside/tables/{T1}".encode()) == (sent.topic, sent.key)
    found = desk.get(ROUND, person="ann").json()
    assert (2, after["lines"]) == (found["revision"], found["lines"])
    assert after["postings"] == found["postings"]
    kinds = ["settlement.posted", "settlement.reversed", "settlement.posted"]
    assert kinds == [entry["kind"] for entry in found["entries"]]
    people = {"reason": "the ace was misread", "entered_by": "lee", "approved_by": "kim"}
    assert [people, people] == [entry["data"]["correction"] for entry in found["entries"][1:]]
    assert (1, True) == (found["entries"][2]["data"]["desk_correction"], found["entries"][2]["settles_again"])
    assert ("approved", "posted", False) == tuple(shown(desk)[name] for name in ("status", "effect", "stands"))


def test_it_takes_effect_once(desk: Desk, outbox: Outbox) -> None:
    """Where Kafka is away, when a process dies between approval and sending, and when it is delivered twice."""
    propose(desk)
    decide(desk, "approve")
    outbox.failures = 1
    with pytest.raises(NotSent):
        desk.client.run(corrections_sender(desk.context).send())
    assert (1, 0) == stands(desk)
    [sent] = take_effect(desk, outbox)
    desk.restart()
    desk.feed("table.events", completed(T1, 3, "c", record(LOSING)))
    desk.deliver(sent)
    assert [] == take_effect(desk, outbox)
    assert (2, 25000) == stands(desk)
    assert 4 == len(desk.facts("settlement.posted"))
    assert [] == desk.quarantined()


def test_nobody_decides_their_own_and_nobody_without_the_role(desk: Desk) -> None:
    """Who proposed may take it back, and neither approve it nor decide it twice."""
    assert_problem(propose(desk, person="kim"), 403, "rounds.correct")
    assert_problem(propose(desk, person="ann"), 403, "rounds.correct")
    propose(desk, person="both")
    assert_problem(decide(desk, "approve", person="lee"), 403, "rounds.correct.approve")
    assert_problem(decide(desk, "approve", person="both"), 403, "somebody else must approve it")
    assert 200 == decide(desk, "reject", person="both", reason="the ace was read right").status_code
    assert_problem(decide(desk, "approve"), 409, "was rejected already")
    assert_problem(decide(desk, "approve", 2), 404, "no correction 2")
    found = shown(desk)
    assert ("rejected", "both", "the ace was read right") == tuple(
        found[name] for name in ("status", "decided_by", "decision_reason")
    )


def test_a_correction_of_what_does_not_stand_is_refused(desk: Desk) -> None:
    """Another revision or a void came meanwhile: 409 says which, for approving as for proposing."""
    propose(desk)
    desk.feed("table.events", corrected(T1, 3, "a", record(LOSING, cents=500)))
    assert shown(desk)["stands"] is False
    assert_problem(decide(desk, "approve"), 409, "stands at revision 2, and correction 1 at riverside is of revision 1")
    assert_problem(propose(desk), 409, "stands at revision 2")
    propose(desk, replaces=2)
    assert 200 == decide(desk, "approve", 2).status_code
    assert_problem(
        propose(desk, replaces=2, play=record(LOSING)), 409, "correction 2 of revision 2 of round a is approved"
    )
    desk.feed("table.events", voided(T1, 4, "b"))
    assert_problem(propose(desk, path=f"/rounds/riverside/{T1}/b"), 409, "it is void")


def test_a_revision_between_approval_and_effect_supersedes_it(desk: Desk, outbox: Outbox) -> None:
    """What the table says first stands; the correction is kept on record and moves no money."""
    propose(desk)
    decide(desk, "approve")
    desk.feed("table.events", corrected(T1, 3, "a", record(LOSING, cents=500)))
    take_effect(desk, outbox)
    assert (2, 0) == stands(desk)
    assert "superseded" == shown(desk)["effect"]
    [kept] = desk.facts("settlement.superseded")
    assert 1 == getattr(kept, "desk_correction", None)


def test_the_table_may_correct_what_the_desk_corrected(desk: Desk, outbox: Outbox) -> None:
    """A later event of the table takes back what the desk posted; an earlier one that comes late does not."""
    desk.feed("table.events", completed(T1, 4, "d", record(LOSING)))
    propose(desk)
    decide(desk, "approve")
    take_effect(desk, outbox)
    desk.feed("table.events", corrected(T1, 5, "a", record(LOSING, cents=700)))
    assert (3, 0) == stands(desk)
    propose(desk, replaces=3)
    decide(desk, "approve", 2)
    take_effect(desk, outbox)
    desk.feed("table.events", corrected(T1, 3, "a", record(LOSING, cents=900)))
    assert (4, 25000) == stands(desk)


def test_what_the_table_and_the_desk_correct_at_once_is_taken_back_once(desk: Desk, url: str, outbox: Outbox) -> None:
    """The desk's is recorded from another partition, for the table moved, after the table's was derived: that waits."""
    propose(desk)
    decide(desk, "approve")
    desk.client.run(corrections_sender(desk.context).send())
    [sent] = outbox.sent
    desk.restart()
    event = corrected(T1, 3, "a", record(LOSING, cents=500))
    [handler] = [one for one in (of() for of in MANIFEST.handlers) if one.topic == "table.events"]
    derived: list[str] = []
    with desk_of(MANIFEST, url, people=PEOPLE, clock=desk.context.clock) as other, ThreadPoolExecutor(1) as pool:

        def told(step: str) -> None:
            if step == "derived" and not derived:
                derived.append(step)
                pool.submit(other.deliver, replace(sent, partition=1)).result()

        async def read() -> None:
            consumer = Consumer(replace(desk.context, step=told), handler, "test")
            offset = (await consumer.assigned([0]))[0]
            key, now = str(event["source"]).encode(), desk.context.clock()
            await consumer.handle([InputRecord("table.events", 0, offset, key, encoded(event), now)])

        desk.client.run(read())
    assert ["derived"] == derived
    # The desk's stands, or, behind it, the table's: each posting but the last is taken back, once.
    facts = desk.facts("settlement.posted", "settlement.reversed")
    posted = [one.revision for one in facts if isinstance(one, SettlementPosted) and one.round_id == "a"]
    taken_back = [one.revision for one in facts if isinstance(one, SettlementReversed)]
    assert (sorted(posted)[:-1], []) == (sorted(taken_back), desk.quarantined())


def test_a_record_that_cannot_be_is_refused_with_every_place(desk: Desk) -> None:
    """Form: each mistake with its pointer. Rules: the paragraph. And a record that is on record already."""
    wrong = record(BLACKJACK) | {"dealer": {"cards": ["9d", "Zz"]}, "colour": "red"}
    problem = propose(desk, play=wrong)
    assert_problem(problem, 422, "2 mistakes")
    assert {"/round/colour", "/round/dealer/cards/1"} == {one["pointer"] for one in problem.json()["problems"]}
    many = record(BLACKJACK)
    many["seats"][0]["wagers"]["insurance"] = 9000
    assert propose(desk, play=many).json()["paragraph"].startswith("§ 633a.")
    assert_problem(propose(desk, play=record(LOSING)), 422, "recorded like that already")
    assert [] == desk.get("/corrections?property=riverside", person="ann").json()["items"]


@pytest.mark.parametrize("forged", [{"correction": 2}, {"round_id": "b"}], ids=["not approved", "another round"])
def test_an_event_of_nobodys_correction_moves_nothing(desk: Desk, outbox: Outbox, forged: dict[str, Any]) -> None:
    """Whoever writes to the topic can have nothing corrected that the journal does not say was approved."""
    propose(desk)
    event = correction_approved(T1, 1, **({"round_id": "a"} | forged))
    key = f"/properties/riverside/tables/{T1}".encode()
    desk.deliver(Replay("table.events", 0, key, encoded(event), []))
    [why] = desk.quarantined()
    assert "was not approved as this record says" in why
    assert (1, 0) == stands(desk)


def test_the_journal_follows_again_from_the_topic(desk: Desk, outbox: Outbox, url: str) -> None:
    """What people proposed and approved stands in the shard of commands, what it led to follows from the topic."""
    propose(desk)
    decide(desk, "approve")
    propose(desk, path=f"/rounds/riverside/{T1}/b")
    decide(desk, "approve", 2)
    desk.feed("table.events", corrected(T1, 3, "b", record(LOSING, cents=500)))
    take_effect(desk, outbox)
    assert [] == Books(url, desk.records).problems()
