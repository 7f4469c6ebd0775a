"""A month of messages from a pool of rounds: each is what the service publishes, all of them are a journal."""

import json
from collections import defaultdict
from datetime import UTC, date, datetime
from hashlib import sha256
from itertools import islice
from typing import Any, Final

import pytest

from loadtest.floor.games import pit
from loadtest.traffic.casino import Casino, casino
from loadtest.traffic.synthetic_month import month
from services.round_settlement.domain.settling import EffectiveSubmission, RoundHistory, settle_event
from shared.contracts.properties import property_hash
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.settlements import SettlementPosted, SubmissionRef
from shared.contracts.submissions import submission_hash
from shared.contracts.tables import READER as TABLE_EVENTS
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import SETTLEMENTS
from shared.rules import compile_rules

DAYS: Final = (date(2026, 5, 8), date(2026, 5, 9))
ROUNDS: Final = 45
TABLES: Final = 24
READER: Final = Reader(SETTLEMENTS, SettlementPosted)
PLAYED: Final = (
    *("property", "table", "game", "gaming_day", "round_id"),
    *("regulation", "opened_at", "closed_at", "dealer_id", "account_funded"),
)


@pytest.fixture(scope="module")
def where() -> Casino:
    """A casino of two dozen tables."""
    return casino("bayside", pit(TABLES), DAYS[0])


def messages(where: Casino, seed: int = 7) -> list[tuple[bytes, bytes]]:
    """Return two short days."""
    stream = month(where, gaming_days=DAYS, rounds_per_table_day=ROUNDS, seed=seed, rounds_in_pool=20, shards=5)
    return list(stream)


@pytest.fixture(scope="module")
def sent(where: Casino) -> list[tuple[bytes, bytes]]:
    """What the month sends."""
    return messages(where)


@pytest.fixture(scope="module")
def events(sent: list[tuple[bytes, bytes]]) -> list[Any]:
    """The messages as a consumer reads them."""
    return [READER.decode(value) for _, value in sent]


def test_each_table_plays_each_round_of_each_day_once(events: list[Any]) -> None:
    """The round ids say so, and the gaming days."""
    rounds = {(event.data.table, event.data.gaming_day, event.data.round_id) for event in events}
    assert TABLES * ROUNDS * len(DAYS) == len(events) == len(rounds)
    assert set(DAYS) == {day for _, day, _ in rounds}
    assert all(round_id.startswith(f"{table}-{day:%Y%m%d}-") for table, day, round_id in rounds)


def test_shards_are_dense_and_in_the_order_of_time(sent: list[tuple[bytes, bytes]], events: list[Any]) -> None:
    """Sequences from 1 in each of the shards, keyed by them; nothing closes before what was sent before it."""
    streams = defaultdict(list)
    for (key, _), event in zip(sent, events, strict=True):
        assert key.decode() == event.source
        streams[event.source].append(event)
    assert 5 == len(streams)
    for stream in streams.values():
        assert list(range(1, len(stream) + 1)) == [event.sequence for event in stream]
    moments = [event.recordedat for event in events]
    assert sorted(moments) == moments
    assert all(event.data.opened_at < event.data.closed_at == event.time < event.recordedat for event in events)


def test_hashes_chain(sent: list[tuple[bytes, bytes]], events: list[Any]) -> None:
    """Each is that of the one before and of the data."""
    heads: dict[str, str] = defaultdict(str)
    for (_, value), event in zip(sent, events, strict=True):
        data = value.partition(b',"data":')[2].removesuffix(b"}")
        expected = sha256(heads[event.source].encode() + data).hexdigest()
        assert expected == event.entryhash
        heads[event.source] = expected


def test_each_message_carries_what_the_service_records_of_its_round(
    where: Casino, sent: list[tuple[bytes, bytes]], events: list[Any]
) -> None:
    """The round goes through settlement under the approved property and submissions, and comes out byte for byte."""
    place = PropertySnapshot.of(where.property)
    approved = {
        one.game: EffectiveSubmission(
            one, SubmissionRef(version=one.version, hash=one.hash), compile_rules(one.regulation, one.submission)
        )
        for one in where.submissions
    }
    games, electronic = set(), 0
    for (_, value), event in zip(sent[: 10 * TABLES], events, strict=False):
        data, said = event.data, json.loads(value)["data"]
        completed = {
            "specversion": "1.0",
            "id": data.round_id,
            "source": event.subject,
            "type": "round.completed",
            "time": event.time.isoformat(),
            "sequence": 1,
            "data": {name: said[name] for name in PLAYED if name in said} | {"round": said["record"]},
        }
        event_of_table: Any = TABLE_EVENTS.decode(json.dumps(completed).encode())
        outcome = settle_event(
            event_of_table,
            RoundHistory(),
            lambda *_: place,
            lambda _, game, *__: approved[game],
        )
        [recording] = outcome.recordings
        assert value.endswith(b'"data":' + recording.fact.encode() + b"}")
        games.add(data.game)
        electronic += len(data.account_funded)
    assert approved.keys() == games
    assert electronic > 0


def test_nobody_deals_at_two_tables_at_once(events: list[Any]) -> None:
    """Dealers move from table to table, and come and go with the shift."""
    by_round: dict[str, list[str]] = defaultdict(list)
    for event in events:
        by_round[event.data.round_id.partition("-")[2]].append(event.data.dealer_id)
    assert all(len(set(dealers)) == TABLES for dealers in by_round.values())
    at_first_table = {event.data.dealer_id for event in events if event.data.table == "BJ01"}
    assert len(at_first_table) > 2


def test_the_same_seed_sends_the_same_bytes(where: Casino, sent: list[tuple[bytes, bytes]]) -> None:
    """And another one sends others."""
    assert sent == messages(where)
    assert sent != messages(where, seed=8)


def test_property_and_submissions_are_in_effect_before_the_first_round(where: Casino) -> None:
    """They are approved by others than filed them, and their hashes are those that the registry would give."""
    first = datetime.combine(DAYS[0], datetime.min.time(), UTC)
    facts: list[Any] = [where.property, *where.submissions]
    for fact in facts:
        assert fact.filed_by != fact.approved_by
        assert fact.filed_at < fact.approved_at < fact.effective_from < first.replace(hour=10)
    assert property_hash(where.property, 1) == where.property.hash
    assert [submission_hash(one, 1) for one in where.submissions] == [one.hash for one in where.submissions]
    assert [plan.name for plan in where.plans] == [table.table for table in where.property.tables]


def test_a_casino_of_two_hundred_tables_begins_at_once() -> None:
    """Nothing is held but the pool: the first messages of a month of 7.5 million come after the pool is played."""
    large = casino("bayside", pit(200), DAYS[0])
    stream = month(large, gaming_days=[DAYS[0]] * 30, rounds_per_table_day=1250, seed=1, rounds_in_pool=2)
    tables = [READER.decode(value).data.table for _, value in islice(stream, 200)]
    assert [plan.name for plan in large.plans] == tables
