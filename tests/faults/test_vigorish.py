"""Vigorish is killed at every durable step, and comes to the same books as if nothing had happened."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from services.vigorish.tables import PROJECTIONS
from shared.contracts.vigorish_events import decode
from tests.support import AnyBroker, Databases, eventually
from tests.support.services import Worker, consume_all, create_topics, produce, query, running, settled_database
from tests.support.worker import Orders
from tests.unit.vigorish.rounds import bank_line, collected, line, opened, posted, reversed_round, rules, waived

RULES = rules()
SHARD = b"/round-settlement/shards/1"
ROUNDS = [posted(n, RULES, [line(1, 400 + n, 25), bank_line(4, 1000 + 10 * n, 75)]) for n in range(1, 31)]
SETTLEMENTS: list[Mapping[str, Any] | tuple[bytes | None, bytes]] = [
    *ROUNDS,
    reversed_round(31, ROUNDS[10]),
    posted(32, RULES, [line(2, 500, 25)], round_id="r-11", revision=2),
    (SHARD, b"not a settlement"),
    ROUNDS[3],  # delivered twice
    posted(35, RULES, [line(1, 500, 25)]),  # 33 and 34 come late
    reversed_round(34, posted(99, RULES, [line(1, 500, 25)])),  # refused: never recorded
    posted(33, RULES, [line(1, 500, 25)]),
]
PIT: list[Mapping[str, Any]] = [
    opened(1, -60),
    *(collected(n + 1, n, 1, 25) for n in range(1, 31)),
    *(waived(n + 31, n, 4, 75, bank=True) for n in range(1, 11)),
]

ENTRIES = """
    SELECT s.name, e.seq, e.kind, e.source, e.sequence, e."offset", e.data::text, encode(e.hash, 'hex')
    FROM vigorish.entries e JOIN vigorish.shards s USING (shard) ORDER BY s.name, e.seq"""
POSTINGS = """
    SELECT s.name, p.seq, p.line, a."table", a.wager, a.leg, p.cents
    FROM vigorish.postings p JOIN vigorish.shards s USING (shard)
    JOIN vigorish.accounts a USING (account) ORDER BY s.name, p.seq, p.line"""
DONE = """
    SELECT coalesce(sum(next_offset) FILTER (WHERE name LIKE 'settlements/%'), 0),
           coalesce(sum(next_offset) FILTER (WHERE name LIKE 'pit.events/%'), 0),
           (SELECT count(*) FROM vigorish.relay r JOIN vigorish.shards s USING (shard)
            WHERE r.published_seq < s.next_seq - 1)
    FROM vigorish.shards"""
HASHES = "SELECT shard, seq, encode(hash, 'hex') FROM vigorish.entries"


def _wait(url: str, worker: Worker) -> None:
    def done() -> bool:
        assert worker.exit_code is None, worker.log()[-4000:]
        return query(url, DONE) == [(len(SETTLEMENTS), len(PIT), 0)]

    eventually(done, seconds=60, because="every event is recorded and published")


def _books(url: str) -> dict[str, Any]:
    """Entries, postings and projections, without the numbers that shards happen to have."""
    projections = {
        str(table): [
            {name: value for name, value in json.loads(row).items() if name != "shard"}
            for (row,) in query(url, f"SELECT to_jsonb(t)::text FROM {table} t ORDER BY t.*::text")
        ]
        for table in PROJECTIONS
    }
    return {"entries": query(url, ENTRIES), "postings": query(url, POSTINGS)} | {
        name: sorted(rows, key=lambda row: json.dumps(row, sort_keys=True)) for name, rows in projections.items()
    }


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, databases: Databases) -> Any:
    """A broker with the events, and what an undisturbed run makes of them."""
    broker: AnyBroker = request.getfixturevalue("module_broker")
    servers = broker.bootstrap_servers
    create_topics(servers)
    produce(servers, "submissions", [RULES])
    produce(servers, "settlements", SETTLEMENTS)
    produce(servers, "pit.events", PIT)
    url = settled_database(databases, "vigorish")
    with running("vigorish", database_url=url, bootstrap_servers=servers) as worker:
        _wait(url, worker)
    return broker, _books(url)


def test_the_undisturbed_run_is_what_it_should_be(played: Any) -> None:
    """The reference itself: every kind of entry, books that balance, nothing refused but what must be."""
    _, books = played
    kinds: dict[str, int] = {}
    for row in books["entries"]:
        kinds[row[2]] = kinds.get(row[2], 0) + 1
    assert {
        "vigorish.assessed": 33,
        "vigorish.taken_back": 1,
        "vigorish.collection": 30,
        "vigorish.waiver": 10,
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
    """kill -9 at a durable step, then a restart: same entries, money and sums; downstream each entry once."""
    broker, books = played
    servers = broker.bootstrap_servers
    topic = f"vigorish-{step.replace(' ', '-')}-{times}"
    create_topics(servers, {topic: 1})
    url = settled_database(databases, "vigorish")
    options: dict[str, Any] = {"database_url": url, "bootstrap_servers": servers}
    killed = Worker(
        "vigorish",
        orders=Orders(topic=topic, kill_at=step, times=times),
        settings={"PITLEDGER_KAFKA_GROUP_PREFIX": topic},
        **options,
    )
    try:
        assert -9 == killed.wait(), killed.log()[-4000:]
    finally:
        killed.kill()
    again = {"PITLEDGER_KAFKA_GROUP_PREFIX": f"{topic}-again"}  # the dead member's place in its group is not waited for
    with running("vigorish", orders=Orders(topic=topic), settings=again, **options) as worker:
        _wait(url, worker)
    assert books == _books(url)
    published: dict[tuple[str, int], Any] = {}
    for _, value in consume_all(servers, topic):
        event = decode(value)
        assert event == published.setdefault((event.source, event.sequence), event)
    hashes = {(f"/vigorish/shards/{shard}", seq): digest for shard, seq, digest in query(url, HASHES)}
    assert hashes == {place: event.entryhash for place, event in published.items()}
