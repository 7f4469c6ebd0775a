"""Round settlement is killed at every durable step, and comes to the same books as if nothing had happened."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from shared.contracts.settlement_events import decode
from tests.support import AnyBroker, Databases, eventually
from tests.support.rounds import BLACKJACK, LOSING, TABLES, completed, corrected, record, submission, voided
from tests.support.services import Worker, consume_all, create_topics, produce, query, running, settled_database
from tests.support.worker import Orders

EVENTS: list[Mapping[str, Any] | tuple[bytes | None, bytes]] = []
for _round in range(1, 13):
    for _table in TABLES[:5]:
        EVENTS.append(completed(_table, _round, play=record(LOSING if _round % 3 else BLACKJACK, cents=100 * _round)))
EVENTS += [
    corrected(TABLES[0], 13, f"{TABLES[0]}-r5", record(BLACKJACK, cents=700)),
    voided(TABLES[1], 13, f"{TABLES[1]}-r6"),
    (b"nobody", b"not an event"),
    completed(TABLES[2], 13, f"{TABLES[2]}-r1"),  # refused: that round is posted
    completed(TABLES[3], 15),  # 13 and 14 come late
    completed(TABLES[3], 14),
    completed(TABLES[4], 12, play=record(LOSING, cents=1200)),  # delivered twice
    completed(TABLES[3], 13),
    corrected(TABLES[0], 14, f"{TABLES[0]}-r5", record(LOSING, cents=700)),
]

ENTRIES = """
    SELECT s.name, e.seq, e.kind, e.source, e.sequence, e.event_id, e."offset", e.gaming_day, e.occurred_at,
           e.recorded_at, e.data::text, encode(e.hash, 'hex')
    FROM round_settlement.entries e JOIN round_settlement.shards s USING (shard) ORDER BY s.name, e.seq"""
POSTINGS = """
    SELECT s.name, p.seq, p.line, a.property, a."table", a.wager, a.leg, p.cents
    FROM round_settlement.postings p JOIN round_settlement.shards s USING (shard)
    JOIN round_settlement.accounts a USING (account) ORDER BY s.name, p.seq, p.line"""
ROUNDS = """
    SELECT property, table_name, round_id, sequences, completed, revision, seq
    FROM round_settlement.rounds ORDER BY property, table_name, round_id"""
STREAMS = "SELECT source, last_sequence FROM round_settlement.sources ORDER BY source"
DONE = """
    SELECT coalesce(sum(next_offset), 0),
           (SELECT count(*) FROM round_settlement.relay r JOIN round_settlement.shards s USING (shard)
            WHERE r.published_seq < s.next_seq - 1)
    FROM round_settlement.shards WHERE name LIKE 'table.events/%'"""


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, databases: Databases) -> Any:
    """A broker with the events, and what an undisturbed run makes of them."""
    broker: AnyBroker = request.getfixturevalue("module_broker")
    servers = broker.bootstrap_servers
    create_topics(servers)
    produce(servers, "submissions", [submission()])
    produce(servers, "table.events", EVENTS)
    url = settled_database(databases, "round-settlement")
    with running("round-settlement", database_url=url, bootstrap_servers=servers):
        _wait(url)
    return broker, _books(url)


def _wait(url: str, worker: Worker | None = None) -> None:
    def done() -> bool:
        assert worker is None or worker.exit_code is None, worker.log()[-4000:]
        return query(url, DONE) == [(len(EVENTS), 0)]

    eventually(done, seconds=60, because="every event is settled and published")


def _books(url: str) -> dict[str, Any]:
    return {
        name: query(url, text) for name, text in (("entries", ENTRIES), ("postings", POSTINGS), ("rounds", ROUNDS))
    } | {"streams": query(url, STREAMS)}


def _published(servers: str, topic: str) -> dict[tuple[str, int], dict[str, Any]]:
    """What a consumer that drops duplicates gets, and an assertion that duplicates say the same."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for _, value in consume_all(servers, topic):
        document = json.loads(value)
        decode(value)
        place = (document["source"], document["sequence"])
        assert found.setdefault(place, document) == document
    return found


def test_the_undisturbed_run_is_what_it_should_be(played: Any) -> None:
    """The reference itself: every kind of entry, the right books, nothing left open but what is refused."""
    _, books = played
    kinds: dict[str, int] = {}
    for row in books["entries"]:
        kinds[row[2]] = kinds.get(row[2], 0) + 1
    assert {
        "settlement.posted": 60 + 2 + 3,
        "settlement.reversed": 3,
        "record.quarantined": 2,
        "gap.opened": 1,
        "gap.filled": 2,
    } == kinds
    assert 0 == sum(row[-1] for row in books["postings"])
    assert [("BJ-01-r5", [5, 13, 14], 3)] == [(row[2], row[3], row[5]) for row in books["rounds"] if len(row[3]) == 3]


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize(
    "step", ["consumed", "derived", "before commit", "after commit", "handled", "relay sent", "relay marked"]
)
def test_killed_and_started_again(played: Any, databases: Databases, step: str, times: int) -> None:
    """kill -9 at a durable step, then a restart: same entries, postings and hashes; downstream each entry once."""
    broker, books = played
    servers = broker.bootstrap_servers
    topic = f"settlements-{step.replace(' ', '-')}-{times}"
    create_topics(servers, {topic: 4})
    url = settled_database(databases, "round-settlement")
    options: dict[str, Any] = {"database_url": url, "bootstrap_servers": servers}
    group = {"PITLEDGER_KAFKA_GROUP_PREFIX": topic}

    killed = Worker(
        "round-settlement",
        orders=Orders(topic=topic, kill_at=step, times=times),
        settings=group,
        **options,
    )
    try:
        assert -9 == killed.wait(), killed.log()[-4000:]
    finally:
        killed.kill()
    again = {"PITLEDGER_KAFKA_GROUP_PREFIX": f"{topic}-again"}  # the dead member's place in its group is not waited for
    with running("round-settlement", orders=Orders(topic=topic), settings=again, **options) as worker:
        _wait(url, worker)
    assert books == _books(url)
    published = _published(servers, topic)
    hashes = {(f"/round-settlement/shards/{shard}", seq): digest for shard, seq, digest in query(url, HASHES)}
    assert hashes == {place: document["entryhash"] for place, document in published.items()}


HASHES = "SELECT shard, seq, encode(hash, 'hex') FROM round_settlement.entries"
