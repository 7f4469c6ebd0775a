"""A stream that comes over several partitions, with copies: each event counts once, and nothing is taken for missing.

A client without a key, two clients that place keys differently, or partitions that were added do that to a stream.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any, Final

import psycopg
import pytest
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.round_settlement.manifest import MANIFEST
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.rederivation.journal_rederivation import rederive
from shared.runtime.rederivation.replay_state import ReplayState
from tests.support import Databases
from tests.support.properties import property_event
from tests.support.rederiving import Books, Topics
from tests.support.rounds import BLACKJACK, LOSING, TABLES, completed, corrected, encoded, record, submission, voided
from tests.support.services import query, settled_database
from tests.support.table import NOON, POSTED, Table, play_at, quarantine

PARTITIONS: Final = 3
ROUNDS: Final = 8
Said = Mapping[str, Any]


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement that has the submission."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


@dataclass
class Log:
    """The partitions of `table.events`, as their records come."""

    records: list[InputRecord] = field(default_factory=list)
    read: Counter[int] = field(default_factory=Counter)

    def put(self, partition: int, *events: Said) -> None:
        """Append events to a partition."""
        for event in events:
            offset = len(self.of(partition))
            key = event["source"].encode()
            self.records.append(InputRecord("table.events", partition, offset, key, encoded(event), NOON))

    def of(self, partition: int) -> list[InputRecord]:
        """All records of a partition."""
        return [one for one in self.records if one.partition == partition]

    def next(self, partition: int, records: int) -> list[InputRecord]:
        """The next records of a partition, some of them."""
        found = self.of(partition)[self.read[partition] :][:records]
        self.read[partition] += len(found)
        return found

    async def hand_all(self, owners: Mapping[int, Consumer], chance: random.Random) -> None:
        """Hand all records to the owners of their partitions: two of them at once, in batches as they come."""
        while any(self.read[number] < len(self.of(number)) for number in owners):
            batches: dict[int, list[InputRecord]] = {}
            for number in sorted(owners, key=lambda _: chance.random())[: chance.randint(1, len(owners))]:
                batches.setdefault(id(owners[number]), []).extend(self.next(number, chance.randint(1, 5)))
            by_id = {id(owner): owner for owner in owners.values()}
            rewound = await asyncio.gather(*(by_id[one].handle(batch) for one, batch in batches.items() if batch))
            assert [{}] * len(rewound) == rewound


def story(table: str) -> list[Said]:
    """The stream of a table: rounds, of which one is corrected and one is void."""
    rounds: list[Said] = [
        completed(table, number, f"r{number}", record(BLACKJACK if number % 2 else LOSING))
        for number in range(1, ROUNDS + 1)
    ]
    return [*rounds, corrected(table, ROUNDS + 1, "r2", record(BLACKJACK)), voided(table, ROUNDS + 2, "r3")]


def money(url: str) -> list[Any]:
    """What each table is worth, by wager and leg."""
    return query(
        url,
        """SELECT a."table", a.wager, a.leg, sum(p.cents)::bigint FROM round_settlement.postings p
           JOIN round_settlement.accounts a USING (account)
           GROUP BY 1, 2, 3 HAVING sum(p.cents) <> 0 ORDER BY 1, 2, 3""",
    )


def problems(url: str, log: Log) -> list[str]:
    """What re-derivation finds."""
    known = [
        InputRecord(topic, 0, 0, None, encoded(document), NOON)
        for topic, document in (("properties", property_event()), ("submissions", submission()))
    ]

    async def work(engine: AsyncEngine, connection: AsyncConnection) -> list[str]:
        assert MANIFEST.rederived is not None
        held, agains = Topics([*known, *log.records]), MANIFEST.rederived()
        with ReplayState() as memory:
            found = rederive(connection, MANIFEST.journal, MANIFEST.name, agains, held, memory)
            return [f"{problem.shard}/{problem.seq}: {problem.what}" async for problem in found]

    return Books(url, log.records).run(work)


def two_processes(table: Table) -> list[Consumer]:
    """Consumers of two processes whose clocks go on with each batch; all documents were there long before."""
    ticks = count(1)
    return [table.consumer(clock=lambda: NOON + timedelta(hours=1, seconds=next(ticks))) for _ in range(2)]


async def owners_of(consumers: Sequence[Consumer]) -> dict[int, Consumer]:
    """Who owns which partition: the first has one, the second the rest."""
    owners = {number: consumers[0 if number == 0 else 1] for number in range(PARTITIONS)}
    for number, owner in owners.items():
        await owner.assigned([number])
    return owners


@pytest.mark.parametrize("seed", range(8))
def test_every_event_counts_once_wherever_it_comes_from(url: str, databases: Databases, seed: int) -> None:
    """Two processes, three partitions, streams strewn over them with copies: the books are those of one partition."""
    chance = random.Random(seed)
    log, straight = Log(), Log()
    sent = [event for table in TABLES[:2] for event in story(table)]
    waiting = {table: story(table) for table in TABLES[:2]}
    copies = 0
    while any(waiting.values()):
        table = chance.choice([name for name, left in waiting.items() if left])
        event = waiting[table].pop(0)
        log.put(chance.randrange(PARTITIONS), event)
        straight.put(0, event)
        if chance.random() < 0.4:
            log.put(chance.randrange(PARTITIONS), chance.choice(sent[: sent.index(event) + 1]))
            copies += 1
    duplicates: list[float] = []

    async def play(table: Table) -> None:
        await log.hand_all(await owners_of(two_processes(table)), chance)
        duplicates.append(table.metrics.duplicates.labels("table.events")._value.get())

    async def play_straight(table: Table) -> None:
        owner = await table.owner()
        await straight.hand_all({0: owner}, chance)

    play_at(url, play)
    other = settled_database(databases, "round-settlement")
    try:
        play_at(other, play_straight)
        assert money(other) == money(url)
    finally:
        databases.drop(other)
    assert [] == quarantine(url)
    assert [] == query(url, "SELECT source, first, last FROM round_settlement.gaps")
    taken = "SELECT source, generate_series(first, last) FROM round_settlement.taken WHERE source LIKE '/properties/%'"
    assert Counter((event["source"], event["sequence"]) for event in sent) == Counter(query(url, taken))
    assert [copies] == duplicates
    assert [] == problems(url, log)


@pytest.mark.parametrize("partitions", [(0, 1, 2), (2, 0, 1)])
def test_a_copy_on_another_partition_is_a_duplicate(url: str, partitions: Sequence[int]) -> None:
    """Whoever copies what was signed changes nothing, whichever process reads it, and from whichever partition."""
    log = Log()

    async def play(table: Table) -> None:
        owners = await owners_of(two_processes(table))
        for partition in partitions:
            log.put(partition, *(completed(TABLES[0], number) for number in range(1, 5)))
            await owners[partition].handle(log.next(partition, 9))
        assert 8 == table.metrics.duplicates.labels("table.events")._value.get()

    play_at(url, play)
    assert [(POSTED, number) for number in range(1, 5)] == query(
        url, "SELECT kind, sequence FROM round_settlement.entries ORDER BY shard, seq"
    )
    assert [] == quarantine(url)
    assert [] == problems(url, log)


@pytest.mark.parametrize("seed", range(8))
def test_what_another_partition_took_is_why_a_record_was_refused(url: str, seed: int) -> None:
    """Rounds that come twice, other content at a place, and jumps beyond the limit follow again as they were judged."""
    chance = random.Random(seed)
    log = Log()
    for table in TABLES[:2]:
        wrong = [completed(table, 10_000 + chance.randint(2, ROUNDS), "far")]
        wrong += [completed(table, 100 + number, f"r{number}") for number in range(1, 4)]
        wrong += [completed(table, number, "other") | {"id": "other"} for number in range(2, 5)]
        for event in sorted([*story(table), *wrong], key=lambda event: event["sequence"] % 100 + chance.random() * 3):
            log.put(chance.randrange(PARTITIONS), event)

    async def play(table: Table) -> None:
        await log.hand_all(await owners_of(two_processes(table)), chance)

    play_at(url, play)
    assert quarantine(url)
    assert [] == problems(url, log)


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)])
def test_what_a_stream_had_not_yet_is_why_a_record_was_refused(url: str, first: int, second: int) -> None:
    """A jump that was too far when it came is refused again, though other partitions have filled it since."""
    log = Log()

    async def play(table: Table) -> None:
        owners = await owners_of(two_processes(table))
        log.put(first, *(completed(TABLES[0], number) for number in range(1, 6)))
        log.put(second, completed(TABLES[0], 10_004))
        await owners[first].handle(log.next(first, 2))
        await owners[second].handle(log.next(second, 1))
        await owners[first].handle(log.next(first, 3))

    play_at(url, play)
    [(reason, _, _)] = quarantine(url)
    assert "at most 10000 may be missing" in reason
    assert [] == problems(url, log)


def test_a_key_that_moves_takes_its_stream_along(url: str) -> None:
    """As when partitions were added: what is left on the old partition fills its places, the new one goes on."""
    log = Log()
    steps: list[str] = []

    async def play(table: Table) -> None:
        consumers = [table.consumer(step=steps.append) for _ in range(2)]
        owners = await owners_of(consumers)
        log.put(0, *(completed(TABLES[0], number) for number in range(1, 6)))
        log.put(1, *(completed(TABLES[0], number) for number in range(6, 9)))
        await owners[0].handle(log.next(0, 3))
        await owners[1].handle(log.next(1, 1))
        assert [(4, 5)] == query(url, "SELECT first, last FROM round_settlement.gaps")
        await owners[0].handle(log.next(0, 2))
        for _ in range(2):
            await owners[1].handle(log.next(1, 1))
        last = "SELECT name, spread FROM round_settlement.sources JOIN round_settlement.shards USING (shard)"
        assert ("table.events/1@test", True) in query(url, last)

    play_at(url, play)
    assert [] == query(url, "SELECT source, first, last FROM round_settlement.gaps")
    assert [] == quarantine(url)
    assert [] == problems(url, log)


@pytest.mark.parametrize(
    "change",
    ["UPDATE {}.taken SET version = 99 - version", "UPDATE {}.taken SET version = 99", "DELETE FROM {}.taken"],
)
def test_an_order_that_was_altered_is_found(url: str, change: str) -> None:
    """Deriving again ends, whatever the database says about who took which place when, and names what differs."""
    log = Log()

    async def play(table: Table) -> None:
        owners = await owners_of(two_processes(table))
        for number in range(1, 5):
            log.put(number % 2, completed(TABLES[0], number))
            await owners[number % 2].handle(log.next(number % 2, 1))

    play_at(url, play)
    assert [] == problems(url, log)
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(change.format("round_settlement").encode())
    assert problems(url, log)


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)])
def test_other_content_on_another_partition_says_where_the_stream_is(url: str, first: int, second: int) -> None:
    """Two clients write one stream, each counting by itself: the reason names both partitions and the way out."""
    log = Log()

    async def play(table: Table) -> None:
        owners = await owners_of(two_processes(table))
        log.put(first, completed(TABLES[0], 1))
        log.put(second, completed(TABLES[0], 1, "other") | {"id": "other"})
        await owners[first].handle(log.next(first, 1))
        await owners[second].handle(log.next(second, 1))

    play_at(url, play)
    [(reason, _, is_open)] = quarantine(url)
    assert is_open
    assert "conflict: sequence 1 of" in reason
    last = f"from which the stream came last (table.events/{first})"
    assert f"table.events/{second} is not the partition {last}" in reason
    assert [] == problems(url, log)
