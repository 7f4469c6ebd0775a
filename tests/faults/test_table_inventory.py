"""The table-inventory ledger is killed at every durable step, and comes to the same books as if it had not been."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from shared.contracts.inventory_events import decode
from tests.support import AnyBroker, Databases, eventually
from tests.support.pit import Rounds, Table, at, chips
from tests.support.services import Worker, consume_all, create_topics, produce, query, running, settled_database
from tests.support.worker import Orders

SERVICE = "table-inventory"
OPENER = chips(c500=1000)


def _pit() -> list[Mapping[str, Any] | tuple[bytes | None, bytes]]:
    events: list[Mapping[str, Any] | tuple[bytes | None, bytes]] = []
    for name in ("BJ-01", "BJ-02", "BJ-03", "BJ-04"):
        table = Table(name)
        events.append(table.opened(at(0), OPENER))
        events += [table.sold(at(1 + n / 100), 100 * (n + 1)) for n in range(8)]
        events.append(table.event("tips.collected", at(2), cents=500, collected_by="tips.jo", observed_by="floor.fay"))
        events += table.box_off(at(7))
        events.append(table.closed(at(8), OPENER))
    late = Table("BJ-05")
    first, second, third = (late.sold(at(n), 100) for n in range(3))
    return [
        *events,
        first,
        (b"nobody", b"not an event"),
        third,  # the second comes late
        first,  # delivered twice
        second,
        late.event("fill.carried", at(4), number=7, carried_by="sec.gus"),  # refused: that slip was never prepared
    ]


def _rounds() -> list[Mapping[str, Any]]:
    table, rounds = Table("BJ-01"), Rounds()
    posted = [rounds.posted(table, at(3), f"r-{n}", handle=1000 + n, payout=400) for n in range(20)]
    return [*posted, rounds.reversed(table, at(9), "r-3", handle=1003, payout=400), rounds.voided(table, at(4), "r-99")]


PIT, ROUNDS = _pit(), _rounds()

ENTRIES = """
    SELECT s.name, e.seq, e.kind, e.source, e.sequence, e.event_id, e."offset", e.gaming_day, e.occurred_at,
           e.recorded_at, e.data::text, encode(e.hash, 'hex')
    FROM table_inventory.entries e JOIN table_inventory.shards s USING (shard) ORDER BY s.name, e.seq"""
POSTINGS = """
    SELECT s.name, p.seq, p.line, a.property, a."table", a.wager, a.leg, p.cents
    FROM table_inventory.postings p JOIN table_inventory.shards s USING (shard)
    JOIN table_inventory.accounts a USING (account) ORDER BY s.name, p.seq, p.line"""
MOVEMENTS = """
    SELECT s.name, m.seq, m.table_name, m.at, m.movement, m.cause, m.cents, m.rounds, m.ref
    FROM table_inventory.movements m JOIN table_inventory.shards s USING (shard) ORDER BY s.name, m.seq, m.line"""
COUNTS = "SELECT table_name, sequence, at, purpose, cents FROM table_inventory.counts ORDER BY 1, 2"
STREAMS = "SELECT source, last_sequence FROM table_inventory.sources ORDER BY source"
DONE = """
    SELECT coalesce(sum(next_offset), 0),
           (SELECT count(*) FROM table_inventory.relay r JOIN table_inventory.shards s USING (shard)
            WHERE r.published_seq < s.next_seq - 1)
    FROM table_inventory.shards WHERE name <> 'commands'"""
HASHES = "SELECT shard, seq, encode(hash, 'hex') FROM table_inventory.entries"


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, databases: Databases) -> Any:
    """A broker with the events, and what an undisturbed run makes of them."""
    broker: AnyBroker = request.getfixturevalue("module_broker")
    servers = broker.bootstrap_servers
    create_topics(servers)
    produce(servers, "pit.events", PIT)
    produce(servers, "settlements", ROUNDS)
    url = settled_database(databases, SERVICE)
    with running(SERVICE, database_url=url, bootstrap_servers=servers):
        _wait(url)
    return broker, _books(url)


def _wait(url: str, worker: Worker | None = None) -> None:
    def done() -> bool:
        assert worker is None or worker.exit_code is None, worker.log()[-4000:]
        return query(url, DONE) == [(len(PIT) + len(ROUNDS), 0)]

    eventually(done, seconds=60, because="every event is recorded and published")


def _books(url: str) -> dict[str, Any]:
    texts = {"entries": ENTRIES, "postings": POSTINGS, "movements": MOVEMENTS, "counts": COUNTS, "streams": STREAMS}
    return {name: query(url, text) for name, text in texts.items()}


def test_the_undisturbed_run_is_what_it_should_be(played: Any) -> None:
    """The reference itself: every event an entry, the trial balance zero, nothing left open but what is refused."""
    _, books = played
    kinds: dict[str, int] = {}
    for row in books["entries"]:
        kinds[row[2]] = kinds.get(row[2], 0) + 1
    assert {
        "pit.recorded": 4 * 13 + 3,
        "round.counted": 21,
        "settlement.passed": 1,
        "record.quarantined": 2,
        "gap.opened": 1,
        "gap.filled": 1,
    } == kinds
    assert 0 == sum(row[-1] for row in books["postings"])
    assert 8 == len(books["counts"])


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize(
    "step", ["consumed", "derived", "before commit", "after commit", "handled", "relay sent", "relay marked"]
)
def test_killed_and_started_again(played: Any, databases: Databases, step: str, times: int) -> None:
    """kill -9 at a durable step, then a restart: same entries, postings, rows, hashes; downstream each entry once."""
    broker, books = played
    servers = broker.bootstrap_servers
    topic = f"inventory-{step.replace(' ', '-')}-{times}"
    create_topics(servers, {topic: 4})
    url = settled_database(databases, SERVICE)
    options: dict[str, Any] = {"database_url": url, "bootstrap_servers": servers}
    killed = Worker(
        SERVICE,
        orders=Orders(topic=topic, kill_at=step, times=times),
        settings={"PITLEDGER_KAFKA_GROUP_PREFIX": topic},
        **options,
    )
    try:
        assert -9 == killed.wait(), killed.log()[-4000:]
    finally:
        killed.kill()
    again = {"PITLEDGER_KAFKA_GROUP_PREFIX": f"{topic}-again"}  # the dead member's place in its group is not waited for
    with running(SERVICE, orders=Orders(topic=topic), settings=again, **options) as worker:
        _wait(url, worker)
    assert books == _books(url)
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for _, value in consume_all(servers, topic):
        document = json.loads(value)
        decode(value)
        assert found.setdefault((document["source"], document["sequence"]), document) == document
    hashes = {(f"/{SERVICE}/shards/{shard}", seq): digest for shard, seq, digest in query(url, HASHES)}
    assert hashes == {place: document["entryhash"] for place, document in found.items()}
