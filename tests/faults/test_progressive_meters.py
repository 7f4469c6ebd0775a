"""The progressive meters are killed at every durable step, and show the same meters as if nothing had happened."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from services.progressive_meters.tables import PROJECTIONS
from shared.contracts.meter_events import decode, movements_of
from tests.support import AnyBroker, Databases, eventually
from tests.support.services import Worker, consume_all, create_topics, produce, query, running, settled_database
from tests.support.worker import Orders
from tests.unit.progressive_meters.office import an_office, feed
from tests.unit.progressive_meters.settlements import Shard, rules

RULES = rules()
SHARD = Shard(RULES)
ROUNDS = [
    SHARD.posted(n, before=500000, table=f"BJ-0{1 + n % 3}", stakes=(100 + n,), award=0 if n % 11 else 700)
    for n in range(1, 41)
]
EVENTS: list[Mapping[str, Any] | tuple[bytes | None, bytes]] = [
    *ROUNDS,
    SHARD.reversed(41, ROUNDS[10]),
    SHARD.posted(42, before=500000, round_id="r-1-11", revision=2, table=ROUNDS[10]["data"]["table"]),
    (SHARD.source.encode(), b"not a settlement"),
    ROUNDS[3],  # delivered twice
    SHARD.posted(45, before=500000),  # 43 and 44 come late
    SHARD.posted(44, before=500000, meter="bad_beat_progressive", table="BJ-08"),  # refused: feeds no pool
    SHARD.posted(43, before=500000),
]

ENTRIES = """
    SELECT s.name, e.seq, e.kind, e.source, e.sequence, e."offset", e.data::text, encode(e.hash, 'hex')
    FROM progressive_meters.entries e JOIN progressive_meters.shards s USING (shard) ORDER BY s.name, e.seq"""
POSTINGS = """
    SELECT s.name, p.seq, p.line, a."table", a.wager, a.leg, p.cents
    FROM progressive_meters.postings p JOIN progressive_meters.shards s USING (shard)
    JOIN progressive_meters.accounts a USING (account) ORDER BY s.name, p.seq, p.line"""
DONE = """
    SELECT coalesce(sum(next_offset), 0),
           (SELECT count(*) FROM progressive_meters.relay r JOIN progressive_meters.shards s USING (shard)
            WHERE r.published_seq < s.next_seq - 1)
    FROM progressive_meters.shards WHERE name LIKE 'settlements/%'"""
HASHES = "SELECT shard, seq, encode(hash, 'hex') FROM progressive_meters.entries"


def _prepared(databases: Databases) -> str:
    """A database with one pool of three tables and a limit."""
    url = settled_database(databases, "progressive-meters")
    with an_office(url) as office:
        office.learn(RULES)
        office.open_pool("major", *(feed(f"BJ-0{n}") for n in (1, 2, 3)), limit_cents=500500)
    return url


def _wait(url: str, worker: Worker | None = None) -> None:
    def done() -> bool:
        assert worker is None or worker.exit_code is None, worker.log()[-4000:]
        return query(url, DONE) == [(len(EVENTS), 0)]

    eventually(done, seconds=60, because="every settlement is counted and published")


def _books(url: str) -> dict[str, Any]:
    projections = {
        str(table): [
            {name: value for name, value in json.loads(row).items() if name != "shard"}
            for (row,) in query(url, f"SELECT to_jsonb(t)::text FROM {table} t ORDER BY 1")
        ]
        for table in PROJECTIONS
    }
    return {"entries": query(url, ENTRIES), "postings": query(url, POSTINGS)} | projections


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, databases: Databases) -> Any:
    """A broker with the settlements, and what an undisturbed run makes of them."""
    broker: AnyBroker = request.getfixturevalue("module_broker")
    servers = broker.bootstrap_servers
    create_topics(servers)
    produce(servers, "submissions", [RULES])
    produce(servers, "settlements", EVENTS)
    url = _prepared(databases)
    with running("progressive-meters", database_url=url, bootstrap_servers=servers) as worker:
        _wait(url, worker)
    return broker, _books(url)


def test_the_undisturbed_run_is_what_it_should_be(played: Any) -> None:
    """The reference itself: every kind of entry, books that balance, nothing refused but what must be."""
    _, books = played
    kinds: dict[str, int] = {}
    for row in books["entries"]:
        kinds[row[2]] = kinds.get(row[2], 0) + 1
    assert {
        "pool.filed": 1,
        "pool.approved": 1,
        "meter.counted": 43,
        "meter.taken_back": 1,
        "record.quarantined": 2,
        "gap.opened": 1,
        "gap.filled": 1,
    } == kinds
    assert 0 == sum(row[-1] for row in books["postings"])


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(
    "step", ["consumed", "derived", "before commit", "after commit", "handled", "relay sent", "relay marked"]
)
def test_killed_and_started_again(played: Any, databases: Databases, step: str, times: int) -> None:
    """kill -9 at a durable step, then a restart: same entries, money and meters; downstream each movement once."""
    broker, books = played
    servers = broker.bootstrap_servers
    topic = f"meters-{step.replace(' ', '-')}-{times}"
    create_topics(servers, {topic: 1})
    url = _prepared(databases)
    options: dict[str, Any] = {"database_url": url, "bootstrap_servers": servers}
    killed = Worker(
        "progressive-meters",
        orders=Orders(topic=topic, kill_at=step, times=times),
        settings={"PITLEDGER_KAFKA_GROUP_PREFIX": topic},
        **options,
    )
    try:
        assert -9 == killed.wait(), killed.log()[-4000:]
    finally:
        killed.kill()
    again = {"PITLEDGER_KAFKA_GROUP_PREFIX": f"{topic}-again"}  # the dead member's place in its group is not waited for
    with running("progressive-meters", orders=Orders(topic=topic), settings=again, **options) as worker:
        _wait(url, worker)
    assert books == _books(url)
    published: dict[tuple[str, int], Any] = {}
    for _, value in consume_all(servers, topic):
        event = decode(value)
        assert event == published.setdefault((event.source, event.sequence), event)
    hashes = {(f"/progressive-meters/shards/{shard}", seq): digest for shard, seq, digest in query(url, HASHES)}
    assert hashes == {place: event.entryhash for place, event in published.items()}
    numbers = sorted(one.number for event in published.values() for one in movements_of(event.data))
    assert list(range(1, len(numbers) + 1)) == numbers
