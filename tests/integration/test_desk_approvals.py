"""What two people approve at a desk, on its way through a topic that others write and a database that others reach.

Of every service that sends approved events: rounds and events of the pit.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Text, cast, literal

from services.round_settlement.desk import corrections_sender
from services.round_settlement.manifest import MANIFEST as ROUNDS
from services.table_inventory.desk import changes_sender
from shared.contracts.envelope import pit_source
from shared.contracts.pit import desk_source
from shared.journal.entry import seal
from shared.journal.reading import read_entries
from shared.journal.verification import read_shards
from shared.runtime.commands.record_replay import Replay
from shared.runtime.database import create_engine
from tests.integration.table_inventory.day import OPENER
from tests.support import Databases, corrections, pit_changes
from tests.support.desk import Desk, desk_of
from tests.support.nightly import sampled
from tests.support.outbox import Outbox
from tests.support.pit import PROPERTY, Table, at, inventory_desk
from tests.support.properties import property_event
from tests.support.rounds import (
    BLACKJACK,
    DAY,
    LOSING,
    TABLES,
    completed,
    correction_approved,
    encoded,
    record,
    submission,
)
from tests.support.services import ROOT, settled_database

QUARANTINE = {"mender": ["quarantine.mend"], "manager": ["quarantine.approve"]}


@dataclass(frozen=True)
class Case:
    """A desk, and what is done at it. `figure` is the money that an approved event changes, cents."""

    desk: Desk
    outbox: Outbox
    sender: Callable[[Any], Any]
    propose: Callable[..., Any]
    """Propose what should have been said, with more members."""
    approve: Callable[[int], Any]
    shown: Callable[[int], dict[str, Any]]
    figure: Callable[[], int]
    forged: Replay
    after: int
    """What the figure is once an approved event has taken effect."""

    def approved(self, number: int = 1) -> None:
        """Propose something and approve it."""
        assert 201 == (answer := self.propose()).status_code, answer.text
        assert 200 == (answer := self.approve(number)).status_code, answer.text

    def send(self) -> list[Replay]:
        """Send what is approved as a process that has just begun does."""
        before = len(self.outbox.sent)
        self.desk.client.run(self.sender(self.desk.context).send())
        return self.outbox.sent[before:]

    def take_effect(self) -> None:
        """Send what is approved, and read it."""
        for one in self.send():
            self.desk.deliver(one)


@contextmanager
def rounds(url: str) -> Iterator[Case]:
    """Round settlement, after a round."""
    outbox, table = Outbox(), TABLES[0]
    people = corrections.PEOPLE | QUARANTINE
    with desk_of(ROUNDS, url, people=people, clock=lambda: DAY + timedelta(days=1), outbox=outbox) as desk:
        desk.feed("properties", property_event())
        desk.feed("submissions", submission())
        desk.feed("table.events", completed(table, 1, "a", record(LOSING)))
        key = f"/properties/riverside/tables/{table}".encode()
        yield Case(
            desk,
            outbox,
            corrections_sender,
            lambda **more: corrections.propose(desk, play=record(BLACKJACK) | more),
            lambda number: corrections.decide(desk, "approve", number),
            lambda number: desk.get(f"/corrections/riverside/{number}", person="kim").json(),
            lambda: desk.get(corrections.ROUND, person="ann").json()["totals"][0]["payout_cents"],
            Replay("table.events", 0, key, encoded(correction_approved(table, 1, "a", correction=7)), []),
            25_000,
        )


@contextmanager
def pit(url: str) -> Iterator[Case]:
    """Table inventory, after a sale of chips."""
    outbox, table = Outbox(), Table("BJ-01")
    with inventory_desk(url, outbox) as desk:
        opened, sale = table.opened(at(0), OPENER), table.sold(at(1), 900_00)
        desk.pit(opened, sale)
        less = sale["data"] | {"cents": 90_00}
        said = {"property": PROPERTY, "table": "BJ-01", "change": 7}
        forged = {
            "specversion": "1.0",
            "id": "pit-change-7",
            "source": desk_source(PROPERTY, "BJ-01"),
            "type": "pit_event.change_approved",
            "time": at(2).isoformat(),
            "sequence": 1,
            "data": said,
        }
        yield Case(
            desk.desk,
            outbox,
            changes_sender,
            lambda **more: pit_changes.propose(desk, sale, sale | {"data": less | more}),
            lambda number: pit_changes.decide(desk, "approve", number),
            lambda number: desk.get(f"/pit-changes/{PROPERTY}/{number}", person="audit.ned").json(),
            lambda: desk.balances()[("BJ-01", "currency", "box")],
            Replay("pit.events", 0, pit_source(PROPERTY, "BJ-01").encode(), encoded(forged), []),
            90_00,
        )


DESKS = {"round_settlement": rounds, "table_inventory": pit}


@pytest.fixture(params=DESKS)
def url(request: pytest.FixtureRequest, databases: Databases) -> Iterator[str]:
    """A database of the service."""
    url = settled_database(databases, request.param.replace("_", "-"))
    yield url
    databases.drop(url)


@pytest.fixture
def case(request: pytest.FixtureRequest, url: str) -> Iterator[Case]:
    """The desk of the service."""
    with DESKS[request.node.callspec.params["url"]](url) as found:
        yield found


def test_every_desk_is_tried() -> None:
    """Whatever sends approved events is among them."""
    senders = {path.parent.name for path in (ROOT / "services").glob("*/*.py") if "ApprovedSender(" in path.read_text()}
    assert senders == DESKS.keys()


@sampled(1)
@pytest.mark.parametrize("dismissed", [False, True])
def test_a_record_at_the_place_of_an_approved_event_does_not_keep_it_back(case: Case, *, dismissed: bool) -> None:
    """Whoever writes to the topic sends something under the next place of the desk: it holds nothing up, ever."""
    before = case.figure()
    case.desk.deliver(case.forged)
    assert 1 == len(case.desk.quarantined())
    if dismissed:
        dismiss(case.desk)
    case.approved()
    case.take_effect()
    assert before != case.figure() == case.after
    assert [] == case.desk.quarantined()


@sampled(2)
@pytest.mark.parametrize("key", [None, b"somewhere else"])
@pytest.mark.parametrize("dismissed", [False, True])
def test_a_copy_of_an_approved_event_under_another_key_keeps_nothing_back(
    case: Case, key: bytes | None, *, dismissed: bool
) -> None:
    """Whoever copies it to the topic before it is read gets a copy into quarantine: it is sent and read all the same.

    Nor is the event dismissed with its copy, so that it could be approved a second time while it is on its way.
    """
    case.approved()
    [event] = case.send()
    case.desk.deliver(replace(event, key=key))
    assert 1 == len(case.desk.quarantined())
    if dismissed:
        dismiss(case.desk)
    assert ("waiting", 409) == (case.shown(1)["effect"], case.propose().status_code)
    assert [event] == case.send()
    case.desk.deliver(event)
    assert (case.after, []) == (case.figure(), case.desk.quarantined())
    assert case.shown(1)["effect"] not in ("waiting", "dismissed")


def test_a_dismissed_event_frees_what_it_was_about(case: Case) -> None:
    """What was approved and cannot be recorded waits for two people; once they dismiss it, it can be proposed again."""
    before = case.figure()
    case.approved()
    [event] = case.send()
    case.desk.deliver(event, received_at=case.desk.context.clock() - timedelta(hours=1))
    [reason] = case.desk.quarantined()
    assert "more than 15 minutes after its receipt" in reason
    assert [] == case.send()
    assert ("waiting", 409) == (case.shown(1)["effect"], case.propose().status_code)
    dismiss(case.desk)
    assert ("dismissed", before) == (case.shown(1)["effect"], case.figure())
    case.approved(2)
    case.take_effect()
    assert (case.after, []) == (case.figure(), case.desk.quarantined())


def dismiss(desk: Desk) -> None:
    """Have two people dismiss the record that waits in quarantine."""
    [one] = desk.get("/quarantine", person="mender").json()["items"]
    path = f"/quarantine/{one['quarantine']}"
    assert 201 == desk.post(f"{path}/dismissal", {"reason": "nobody approved it"}, person="mender").status_code
    number = len(desk.get(path, person="mender").json()["requests"])
    assert 200 == desk.post(f"{path}/requests/{number}/approve", person="manager").status_code


@sampled(2)
@pytest.mark.parametrize("chained", [True, False], ids=["with the chain", "in its place"])
def test_nothing_takes_effect_that_was_approved_otherwise(case: Case, url: str, *, chained: bool) -> None:
    """A superuser rewrites what two people approved, its hash and the chain after it: nothing is recorded."""
    before = case.figure()
    case.approved()
    sent = case.send()
    assert 1 == len(sent)
    rewrite(case.desk, url, chained=chained)
    for one in sent:
        case.desk.deliver(one)
    [why] = case.desk.consumer(sent[0].topic).stopped.reasons.values()
    assert "is not as the service recorded it" in why
    assert before == case.figure()


def rewrite(desk: Desk, url: str, *, chained: bool) -> None:
    """Write another reason into the approval, as whoever has the whole database does, and no key."""

    async def work() -> None:
        tables = desk.manifest.journal
        e, s = tables.entries, tables.shards
        engine = create_engine(url, role="postgres")
        async with engine.begin() as connection:
            await connection.exec_driver_sql("SET session_replication_role = replica")
            for shard in await read_shards(connection, tables):
                head = None
                async for entry in read_entries(connection, tables, shard.shard):
                    draft = entry.draft
                    if "approved" in draft.kind and not draft.kind.startswith("property"):
                        draft = replace(draft, data=draft.data.replace(b'"reason":"', b'"reason":"not '))
                        assert draft != entry.draft
                        head = entry.previous
                    if head is None:
                        continue
                    [again] = seal(
                        [draft],
                        shard=shard.shard,
                        shard_name=shard.name,
                        next_seq=entry.seq,
                        head=head,
                        recorded_at=entry.recorded_at,
                    )
                    said = cast(literal(draft.data.decode(), Text), e.c.data.type)
                    values = {"hash": again.hash, "previous": again.previous, "data": said}
                    of_entry = (e.c.shard == shard.shard, e.c.seq == entry.seq)
                    await connection.execute(e.update().where(*of_entry).values(values))
                    head = again.hash
                    if not chained:
                        break
                if head is not None and chained:
                    await connection.execute(s.update().where(s.c.shard == shard.shard).values(head=head))
        await engine.dispose()

    desk.client.run(work())


def test_of_very_many_mistakes_it_is_said_how_many(case: Case) -> None:
    """Each takes a while to be told, while nobody else is served, and is kept with the answer."""
    answer = case.propose(**{f"unknown_{number}": 1 for number in range(5_000)})
    assert 422 == answer.status_code
    assert "5000 mistakes, too many to list" in answer.text
    assert len(answer.content) < 1_000
