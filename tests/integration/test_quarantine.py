"""Refused records over HTTP: read, asked about by one person, decided by another: replayed or dismissed."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from services.round_settlement.manifest import MANIFEST as SETTLEMENT
from services.vigorish.manifest import MANIFEST as VIGORISH
from shared.runtime.commands.command import Answered, Command, Commands
from shared.runtime.commands.record_replay import KafkaOutbox, NotSent, Replay
from shared.runtime.database import create_engine
from shared.runtime.ingest import ingest_facts as facts
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.kafka import cluster_id
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.projections.rebuild import rebuild
from shared.runtime.projector import Transaction
from shared.runtime.service.manifest import Manifest
from shared.runtime.settings import Settings
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.brokers import AnyBroker
from tests.support.desk import Desk, desk_of
from tests.support.lost_answer import LostAnswer
from tests.support.nightly import sampled
from tests.support.outbox import Outbox
from tests.support.properties import property_event
from tests.support.rebuilding import compared, execute
from tests.support.rounds import DAY, LOSING, TABLES, completed, record, source, submission
from tests.support.services import create_topics, read_topic, settled_database
from tests.unit.vigorish.rounds import NOON, TABLE, collected, rules

PEOPLE = {
    "kim": ["quarantine.mend", "quarantine.approve"],
    "ann": ["quarantine.approve"],
    "lee": ["quarantine.read"],
    "mia": ["quarantine.read"],
    "carl": ["reports.read"],
}
PROPERTIES = {"mia": ["riverside", "lakeside"]}


class Office:
    """A service with records in quarantine, and those who look after it."""

    def __init__(self, desk: Desk, outbox: Outbox) -> None:
        self.desk = desk
        self.outbox = outbox

    def show(self, number: int = 1) -> dict[str, Any]:
        """Return a record as it is shown."""
        found: dict[str, Any] = self.desk.get(f"/quarantine/{number}", person="lee").json()
        return found

    def ask(self, what: str, number: int = 1, *, person: str = "kim", **body: Any) -> Any:
        """Ask for a replay or a dismissal."""
        return self.desk.post(f"/quarantine/{number}/{what}", {"reason": "card reader fault"} | body, person=person)

    def decide(self, what: str, request: int = 1, *, person: str = "ann", key: str | None = None, **body: Any) -> Any:
        """Approve or reject a request about the first record."""
        return self.desk.post(f"/quarantine/1/requests/{request}/{what}", body or None, person=person, key=key)


@pytest.fixture
def urls(databases: Databases) -> Iterator[dict[str, str]]:
    """A database of each service."""
    urls = {name: settled_database(databases, name) for name in ("vigorish", "round-settlement")}
    yield urls
    for url in urls.values():
        databases.drop(url)


def _office(manifest: Manifest, url: str) -> Iterator[Office]:
    outbox = Outbox()
    with desk_of(manifest, url, people=PEOPLE, properties=PROPERTIES, clock=lambda: NOON, outbox=outbox) as desk:
        yield Office(desk, outbox)


@pytest.fixture
def vigorish(urls: dict[str, str]) -> Iterator[Office]:
    """Vigorish, which has refused the first event of a pit."""
    for office in _office(VIGORISH, urls["vigorish"]):
        office.desk.feed("properties", property_event())
        office.desk.feed("submissions", rules())
        office.desk.feed("pit.events", _misread())
        yield office


@pytest.fixture
def settlement(urls: dict[str, str]) -> Iterator[Office]:
    """Round settlement, which has refused two records that are no events."""
    for office in _office(SETTLEMENT, urls["round-settlement"]):
        office.desk.feed("properties", property_event())
        office.desk.feed("submissions", submission())
        office.desk.feed("table.events", b"\xff\xfe", b"not an event")
        yield office


MENDED = collected(1, 1, 1, 75)


def _misread() -> dict[str, Any]:
    return MENDED | {"data": MENDED["data"] | {"cents": -75}}


def test_a_refused_pit_event_is_mended_and_replayed(vigorish: Office) -> None:
    """One asks, another approves; it goes to its topic, names what it replaces, and the record is closed by it."""
    shown = vigorish.show()
    assert ("pit.events", MENDED["source"], 1) == (shown["topic"], shown["source"], shown["sequence"])
    assert _misread() == json.loads(shown["value_text"])
    assert_problem(vigorish.ask("replay"), 422, "it would be refused again")
    assert {"quarantine": 1, "request": 1, "action": "replay", "decision": "asked"} == vigorish.ask(
        "replay", mended=MENDED
    ).json()
    assert_problem(vigorish.decide("approve", person="kim"), 403, "kim asked for request 1 about record 1")
    assert 200 == vigorish.decide("approve", key="once").status_code
    [replay] = vigorish.outbox.sent
    assert ("pit.events", 0, MENDED["source"].encode()) == (replay.topic, replay.partition, replay.key)
    assert {
        "content-type": "application/cloudevents+json",
        facts.QUARANTINE_ID: "vigorish/1",
        facts.MENDED_BY: "kim",
        facts.MENDED_REASON: "card reader fault",
    } == dict(replay.headers)
    vigorish.desk.deliver(replay)
    assert {(TABLE, "player", "collected"): 75, (TABLE, "player", "outstanding"): -75} == vigorish.desk.balances()
    shown = vigorish.show()
    assert "resolved_at" in shown
    [request] = shown["requests"]
    assert (MENDED, "kim", "approved", "ann") == tuple(
        request[name] for name in ("mended", "asked_by", "decision", "decided_by")
    )
    assert_problem(vigorish.decide("approve"), 409, "was approved already")


def test_an_approval_that_is_sent_again_sends_the_record_again(vigorish: Office) -> None:
    """Where the cluster was away the answer is to try again; a record that comes twice counts once."""
    vigorish.ask("replay", mended=MENDED)
    vigorish.outbox.failures = 1
    assert_problem(vigorish.decide("approve", key="once"), 503, "try again with the same Idempotency-Key")
    first = vigorish.decide("approve", key="once")
    assert (200, first.json()) == (200, vigorish.decide("approve", key="once").json())
    assert 2 == len(vigorish.outbox.sent)
    for replay in vigorish.outbox.sent:
        vigorish.desk.deliver(replay)
    assert 1 == len(vigorish.desk.facts("record.mended"))
    assert 75 == vigorish.desk.balances()[TABLE, "player", "collected"]
    assert 1 == len(vigorish.desk.facts("quarantine.replay_approved"))


def test_a_dismissal_takes_two_people_and_is_rebuilt(settlement: Office, urls: dict[str, str]) -> None:
    """The record is closed by a fact that names both; what was asked for follows from the journal alone."""
    shown = settlement.show()
    assert ("fffe", None) == (shown["value_hex"], shown.get("value_text"))
    assert "not an event" == settlement.show(2)["value_text"]
    assert 201 == settlement.ask("dismissal").status_code
    assert "approved" == settlement.decide("approve").json()["decision"]
    assert [] == settlement.outbox.sent
    [dismissed] = settlement.desk.facts("quarantine.dismissed")
    assert ("kim", "ann", 1) == (
        dismissed.correction.entered_by,  # type: ignore[attr-defined]
        dismissed.correction.approved_by,  # type: ignore[attr-defined]
        dismissed.quarantine,  # type: ignore[attr-defined]
    )
    assert_problem(settlement.ask("dismissal"), 409, "record 1 was resolved at")
    settlement.ask("replay", 2, mended=completed(TABLES[0], 1, play=record(LOSING)))
    compared = asyncio.run(_rebuilt(SETTLEMENT, urls["round-settlement"]))
    rows = {one.table: one.rows for one in compared}
    assert {"rounds": 0, "corrections": 0, "quarantine_requests": 2, "quarantine": 2}.items() <= rows.items()
    assert [] == [one.table for one in compared if one.different]


FORGED = {
    "another record": "UPDATE round_settlement.quarantine SET value = 'what was never sent' WHERE id = 1",
    "closed by nobody": "UPDATE round_settlement.quarantine SET resolved_at = now() WHERE id = 1",
    "gone": "DELETE FROM round_settlement.quarantine WHERE id = 1",
    "another sender": "UPDATE round_settlement.quarantine SET source = '/properties/p/tables/t' WHERE id = 1",
    "added": """
        INSERT INTO round_settlement.quarantine
            (shard, seq, topic, partition, "offset", value, reason, stops, quarantined_at, listed_under)
        SELECT shard, seq + 100, topic, partition, "offset" + 100, value, reason, stops, quarantined_at, listed_under
        FROM round_settlement.quarantine WHERE id = 1""",
}


@sampled(1)
@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_record_in_quarantine_is_found(settlement: Office, urls: dict[str, str], forged: str) -> None:
    """The journal has the hash of the bytes, where they came from, and what was decided about them."""
    url = urls["round-settlement"]
    assert (0, "") == ((found := compared("round-settlement", url)).different, found.first)
    execute(url, FORGED[forged])
    [one] = [one for one in compared("round-settlement", url).tables if one.different]
    assert ("quarantine", 1) == (one.table, one.different)


def test_a_dismissed_record_that_is_reopened_is_found(settlement: Office, urls: dict[str, str]) -> None:
    """Whoever compares sees it as it was, though projecting the journal again closes it; a rebuild leaves it closed."""
    url = urls["round-settlement"]
    assert 201 == settlement.ask("dismissal").status_code
    assert 200 == settlement.decide("approve").status_code
    assert "" == compared("round-settlement", url).first
    execute(url, "UPDATE round_settlement.quarantine SET resolved_at = NULL WHERE id = 1")
    for _ in range(2):  # to look changes nothing
        found = compared("round-settlement", url)
        [one] = [one for one in found.tables if one.different]
        assert ("quarantine", 1, [["resolved_at"]]) == (one.table, one.different, [row.columns for row in one.first])
    [one] = [one for one in asyncio.run(_rebuilt(SETTLEMENT, url)) if one.different]
    assert ("quarantine", 1) == (one.table, one.different)
    assert "" == compared("round-settlement", url).first


async def _rebuilt(manifest: Manifest, url: str) -> Sequence[Any]:
    engine = create_engine(url, role="postgres")
    try:
        return (await rebuild(engine, manifest, Settings(), check=False)).tables
    finally:
        await engine.dispose()


def test_one_request_waits_at_a_time_and_may_be_taken_back(settlement: Office) -> None:
    """Who asked may reject; after that somebody asks again, under the next number."""
    settlement.ask("dismissal")
    assert_problem(settlement.ask("dismissal"), 409, "request 1 about record 1 waits")
    rejected = settlement.decide("reject", person="kim", reason="found the record")
    assert (200, "rejected") == (rejected.status_code, rejected.json()["decision"])
    mended = completed(TABLES[0], 1, play=record(LOSING))
    assert 2 == settlement.ask("replay", mended=mended).json()["request"]
    assert 200 == settlement.decide("approve", 2).status_code
    [replay] = settlement.outbox.sent
    assert (source(TABLES[0]).encode(), None) == (replay.key, replay.partition)  # no table has reported yet
    settlement.desk.deliver(replay)
    assert ["settlement.posted", "record.mended"] == [
        entry.draft.kind for entry in settlement.desk.entries() if entry.draft.source == source(TABLES[0])
    ]


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ([], "no approved version of property 'riverside' is in effect"),
        ([property_event(tables=["BJ-09"])], f"table '{TABLES[0]}' is not among the tables of riverside"),
    ],
)
def test_a_round_of_an_unknown_place_is_replayed_as_it_is_once_that_is_filed(
    urls: dict[str, str], before: Sequence[dict[str, Any]], reason: str
) -> None:
    """A property or a table: the reason says what to file, and then the same bytes are settled."""
    for office in _office(SETTLEMENT, urls["round-settlement"]):
        office.desk.feed("submissions", submission())
        office.desk.feed("properties", *before)
        office.desk.feed("table.events", completed(TABLES[0], 1))
        [refused] = office.desk.quarantined()
        assert reason in refused
        assert "file and approve" in refused
        begins = (DAY - timedelta(hours=1)).isoformat()
        office.desk.feed("properties", property_event(version=2, sequence=len(before) + 1, effective_from=begins))
        office.ask("replay")
        office.decide("approve")
        for replay in office.outbox.sent:
            office.desk.deliver(replay)
        assert [] == office.desk.quarantined()
        assert ["settlement.posted"] == [
            type(fact).KIND.name for fact in office.desk.facts("settlement.posted", "record.quarantined")[1:]
        ]


def test_what_is_not_there_is_a_problem(settlement: Office) -> None:
    """An unknown record, an unknown request."""
    assert_problem(settlement.desk.get("/quarantine/9", person="lee"), 404, "there is no record 9")
    assert_problem(settlement.ask("dismissal", 9), 404, "there is no record 9")
    assert_problem(settlement.decide("approve"), 404, "there is no request 1 about record 1")


def test_records_are_listed_page_by_page_for_those_who_may(settlement: Office) -> None:
    """Those that wait, or all; by topic; not to everybody."""
    first = settlement.desk.get("/quarantine?limit=1", person="lee").json()
    second = settlement.desk.get(f"/quarantine?limit=1&cursor={first['next']}", person="kim").json()
    assert [1, 2] == [item["quarantine"] for page in (first, second) for item in page["items"]]
    assert "next" not in second
    settlement.ask("dismissal")
    settlement.decide("approve")
    for query_, expected in (("", [2]), ("?status=all", [1, 2]), ("?status=all&topic=pit.events", [])):
        found = settlement.desk.get(f"/quarantine{query_}", person="ann").json()["items"]
        assert expected == [item["quarantine"] for item in found]
    assert_problem(settlement.desk.get("/quarantine", person="carl"), 403, "carl does not have the role")
    assert_problem(settlement.ask("dismissal", 2, person="lee"), 403, "lee does not have the role")
    assert_problem(settlement.decide("approve", person="lee"), 403, "lee does not have the role")


def test_records_are_listed_under_the_properties_that_they_name(settlement: Office) -> None:
    """Of two properties, those of one; with those of none for whoever sees these at all; a third is refused."""
    for names in (["riverside"], ["lakeside"], ["riverside", "lakeside"], ["bayside"]):
        said = {"source": f"/properties/{names[0]}/tables/BJ-01", "data": {"property": names[-1]}}
        settlement.desk.feed("table.events", json.dumps(said).encode())

    def listed(person: str, asked: str) -> dict[int, list[str]]:
        items = settlement.desk.get(f"/quarantine{asked}", person=person).json()["items"]
        return {item["quarantine"]: item["listed_under"] for item in items}

    both = ["lakeside", "riverside"]
    of_none: dict[int, list[str]] = {1: [], 2: []}
    assert {3: ["riverside"], 4: ["lakeside"], 5: both} == listed("mia", "")
    assert {3: ["riverside"], 5: both} == listed("mia", "?listed_under=riverside")
    assert {4: ["lakeside"], 5: both} == listed("mia", "?listed_under=lakeside")
    assert of_none | {4: ["lakeside"], 5: both} == listed("lee", "?listed_under=lakeside")
    known = "&known=riverside&known=lakeside"
    assert of_none | {3: ["riverside"], 5: both, 6: ["bayside"]} == listed("lee", f"?listed_under=riverside{known}")
    assert {3: ["riverside"], 5: both} == listed("mia", f"?listed_under=riverside{known}")
    assert ["riverside"] == settlement.show(3)["listed_under"]
    refused = settlement.desk.get("/quarantine?listed_under=bayside", person="mia")
    assert_problem(refused, 403, "mia does not work for property bayside")


def test_a_service_that_decides_commands_together_decides_these_alone(urls: dict[str, str]) -> None:
    """What its own commands load does not reach the commands about its quarantine."""

    async def ask_all(transaction: Transaction, commands: Sequence[Command]) -> Answered:
        raise AssertionError(f"not asked for: {commands}")

    together = replace(SETTLEMENT, commands=Commands(ask_all=ask_all))
    for office in _office(together, urls["round-settlement"]):
        office.desk.feed("table.events", b"not an event")
        office.ask("dismissal")
        assert "approved" == office.decide("approve").json()["decision"]
        assert [] == office.desk.quarantined()


async def _sent_in_the_end(outbox: KafkaOutbox, replay: Replay) -> tuple[int, int]:
    """Where a record is, asked by somebody who sends the command again once."""
    try:
        return await outbox.send(replay)
    except NotSent:
        return await outbox.send(replay)


def test_a_replay_goes_to_kafka(fresh_broker: AnyBroker) -> None:
    """To its partition, with its headers; a cluster that does not answer says so."""
    servers = fresh_broker.bootstrap_servers
    create_topics(servers)
    outbox = KafkaOutbox(KafkaSettings(KAFKA_BOOTSTRAP_SERVERS=servers), "vigorish")
    assert cluster_id(KafkaSettings(KAFKA_BOOTSTRAP_SERVERS=servers)) == asyncio.run(outbox.cluster_id())
    placed = asyncio.run(outbox.send(Replay("pit.events", 3, b"key", b"value", [("a", "b")])))
    [sent] = read_topic(servers, "pit.events")
    assert (InputRecord("pit.events", *placed, b"key", b"value", sent.taken_at), 3) == (sent, placed[0])
    with LostAnswer(servers) as line:  # the embedded broker does not say then where a record is; Apache Kafka does
        behind = KafkaOutbox(KafkaSettings(KAFKA_BOOTSTRAP_SERVERS=line.bootstrap_servers), "vigorish")
        told = asyncio.run(_sent_in_the_end(behind, Replay("pit.events", 2, b"key", b"value", [])))
        there = [(each.partition, each.offset) for each in read_topic(servers, "pit.events")]
        assert (1, True) == (line.lost, told in there)
    nowhere = KafkaOutbox(KafkaSettings(KAFKA_BOOTSTRAP_SERVERS="127.0.0.1:1"), "vigorish")
    with pytest.raises(NotSent, match="does not answer"):
        asyncio.run(nowhere.cluster_id())
