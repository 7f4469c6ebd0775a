"""Rebuilding reporting: from its topics and its journal it comes to the same rows, whatever was changed by hand."""

import asyncio
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.manifest import MANIFEST
from shared.journal.tables import JournalTables
from shared.runtime.database import create_engine
from shared.runtime.differences import ComparedTable
from shared.runtime.errors import FatalServiceError
from shared.runtime.ingest import topic_replay as rereading
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.ingest.topic_replay import RecordsRead, TopicReplay, read_positions
from shared.runtime.kafka import TopicLog, cluster_id, topic_log
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.projections import incremental_comparison as comparing
from shared.runtime.projections.rebuild import rebuild
from shared.runtime.settings import Settings
from tests.faults.in_process import read
from tests.faults.subjects.reporting import SUBJECT
from tests.support import AnyBroker
from tests.support.nightly import sampled
from tests.support.rebuilding import compared
from tests.support.services import create_topics, produce, query, read_topic, states_of_others

pytestmark = sampled(2, of="rebuilds of reporting")

CHANGES = {
    "house_edges": "DELETE FROM reporting.house_edges",
    "facts": "DELETE FROM reporting.facts",
    "rounds": "UPDATE reporting.rounds SET dealer = 'nobody'",
    "won_lines": "DELETE FROM reporting.won_lines",
    "seat_wagers": "DELETE FROM reporting.seat_wagers",
    "wager_days": "UPDATE reporting.wager_days SET handle_cents = handle_cents + 1",
    "dealer_days": "UPDATE reporting.dealer_days SET handle_cents = handle_cents + 1",
    "play_days": "UPDATE reporting.play_days SET posted = posted + 1",
    "chip_hours": "UPDATE reporting.chip_hours SET chips_cents = chips_cents + 1",
    "pace_hours": "UPDATE reporting.pace_hours SET seats = seats + 1",
    "line_days": "DELETE FROM reporting.line_days",
    "day_moments": "UPDATE reporting.day_moments SET last_recorded = now()",
    "positions": "UPDATE reporting.positions SET seq = seq + 1",
    "exceptions": "UPDATE reporting.exceptions SET reason = 'nothing'",
    "filled_gaps": "DELETE FROM reporting.filled_gaps",
    "closings": "UPDATE reporting.closings SET by = 'nobody'",
}
"""What somebody does to each table."""


def _rows(url: str) -> dict[str, list[tuple[str]]]:
    return {table: query(url, f"SELECT t::text FROM reporting.{table} t ORDER BY 1") for table in CHANGES}


def _records(servers: str) -> list[InputRecord]:
    """Produce the story of the service; return what the broker holds of it."""
    create_topics(servers)
    topics = {**SUBJECT.references, **SUBJECT.records}
    for topic, messages in topics.items():
        produce(servers, topic, messages)
    return [record for topic in topics for record in read_topic(servers, topic)]


def _cluster(servers: str) -> dict[str, Any]:
    """What names the cluster and its topics."""
    settings = KafkaSettings(KAFKA_BOOTSTRAP_SERVERS=servers)
    return {"cluster_id": cluster_id(settings), "topic_id": lambda topic: topic_log(settings, topic).topic_id}


def _rebuild(url: str, servers: str, *, check: bool) -> Sequence[ComparedTable]:
    async def work() -> Sequence[ComparedTable]:
        engine = create_engine(url, role="reporting")
        try:
            compared = await rebuild(engine, MANIFEST, Settings(kafka_bootstrap_servers=servers), check=check)
            return [one for one in compared.tables if one.table in CHANGES]
        finally:
            await engine.dispose()

    return asyncio.run(work())


@pytest.mark.broker
def test_a_topic_that_holds_other_content_is_not_rebuilt_from(url: str, fresh_broker: AnyBroker) -> None:
    """What was taken of each place is known; a rebuild stops where the topic says anything else."""
    servers = fresh_broker.bootstrap_servers
    read(SUBJECT, url, _records(servers), **_cluster(servers))
    before = _rows(url)
    with psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)) as owner:
        owner.execute("SET session_replication_role = replica")
        owner.execute(
            "UPDATE reporting.taken SET digests = overlay(digests placing '\\x00'::bytea from 5 for 1) "
            "WHERE source LIKE '/round-settlement/%' AND first = 1"
        )
    with pytest.raises(FatalServiceError, match="holds other content than sequence 1 of /round-settlement/shards/"):
        _rebuild(url, servers, check=False)
    assert before == _rows(url)


@pytest.mark.broker
def test_a_topic_whose_first_records_are_gone_is_not_rebuilt_from(
    url: str, fresh_broker: AnyBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that follow from records which retention has deleted are kept: a rebuild stops, a check says why."""
    servers = fresh_broker.bootstrap_servers
    read(SUBJECT, url, _records(servers), **_cluster(servers))
    before = _rows(url)

    def cut_off(settings: KafkaSettings, topic: str) -> TopicLog:
        """Say that each partition of settlements begins with its second record."""
        found = topic_log(settings, topic)
        first = 1 if topic == "settlements" else 0
        return replace(found, bounds={number: (first, end) for number, (_, end) in found.bounds.items()})

    monkeypatch.setattr(rereading, "topic_log", cut_off)
    why = r"settlements/\d begins at offset 1: what came before was deleted by retention"
    with pytest.raises(FatalServiceError, match=why):
        _rebuild(url, servers, check=False)
    assert before == _rows(url)
    found = compared("reporting", url, Settings(kafka_bootstrap_servers=servers))
    [left] = found.uncompared
    assert ("what follows from topic settlements", False) == (left.what, left.altered)
    assert re.search(why, left.why)
    assert "house_edges" in {one.table for one in found.tables}  # of another topic
    assert 0 == found.different


@pytest.mark.broker
@pytest.mark.parametrize("meanwhile", [False, True])
def test_apache_kafka_deletes_records_before_or_while_they_are_read_again(
    url: str, real_kafka: AnyBroker, monkeypatch: pytest.MonkeyPatch, *, meanwhile: bool
) -> None:
    """A rebuild stops also where records are deleted after it has looked whether they are there."""
    servers = real_kafka.bootstrap_servers
    records = _records(servers)
    read(SUBJECT, url, records, **_cluster(servers))
    before, admin = _rows(url), AdminClient({"bootstrap.servers": servers})
    held = {one.partition for one in records if one.topic == "settlements"}
    places = [TopicPartition("settlements", number, 1) for number in held]

    def looked_at(settings: KafkaSettings, topic: str) -> TopicLog:
        """Delete the first record of each partition of settlements, before somebody looks or after."""
        found = topic_log(settings, topic)
        if topic != "settlements":
            return found
        for deleted in admin.delete_records(places).values():
            deleted.result(timeout=30)
        return found if meanwhile else topic_log(settings, topic)

    monkeypatch.setattr(rereading, "topic_log", looked_at)
    said = ": retention deleted records while it was read" if meanwhile else " begins at offset 1"
    with pytest.raises(FatalServiceError, match=rf"settlements/\d{said}"):
        _rebuild(url, servers, check=False)
    assert before == _rows(url)


@pytest.mark.broker
def test_no_transaction_waits_for_the_broker(
    url: str, fresh_broker: AnyBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Topics are read before a comparison begins one: a broker that is slow keeps no row from being cleaned up."""
    servers = fresh_broker.bootstrap_servers
    read(SUBJECT, url, _records(servers), **_cluster(servers))
    sessions: list[str] = []

    def seen() -> None:
        sessions.extend(states_of_others(url))

    def looked_at(settings: KafkaSettings, topic: str) -> TopicLog:
        seen()
        return topic_log(settings, topic)

    def batches(*given: Any) -> Iterator[Sequence[InputRecord]]:
        for batch in given_batches(*given):
            seen()
            yield batch

    given_batches = rereading._batches
    monkeypatch.setattr(rereading, "topic_log", looked_at)
    monkeypatch.setattr(rereading, "_batches", batches)
    found = compared("reporting", url, Settings(kafka_bootstrap_servers=servers))
    assert (0, ()) == (found.different, tuple(found.uncompared))
    assert {"idle"} == set(sessions)


@pytest.mark.broker
@sampled(1)
@pytest.mark.parametrize("times", [3, 1000], ids=["for a while", "always"])
def test_what_a_service_reads_while_its_topic_is_read_again(
    url: str, fresh_broker: AnyBroker, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """It is read on until nothing is missing; where that has no end, it is told, and is no alteration."""
    servers = fresh_broker.bootstrap_servers
    read(SUBJECT, url, _records(servers), **_cluster(servers))
    asked, left = itertools.count(), itertools.count(times, -1)
    given = TopicReplay.read

    async def positions(connection: AsyncConnection, journal: JournalTables, topic: str) -> Mapping[int, int]:
        """Say of settlements first, until it is caught up, that the service has not read the last record of each."""
        found = await read_positions(connection, journal, topic)
        less = int(topic == "settlements" and next(asked) < 2)
        return {number: end - less for number, end in found.items() if end > less}

    async def read_on(self: TopicReplay, begins: Any, ends: Any, *, ahead: int = 0) -> RecordsRead:
        """Read nothing that the service has read since, so many times."""
        found = await given(self, begins, ends, ahead=ahead)
        return replace(found, records=(), reached={}) if ahead and next(left) > 0 else found

    monkeypatch.setattr(comparing, "read_positions", positions)
    monkeypatch.setattr(TopicReplay, "read", read_on)
    found = compared("reporting", url, Settings(kafka_bootstrap_servers=servers))
    assert 0 == found.different
    assert next(left) < times  # it was behind
    told = ["what follows from topic settlements"] if times > 3 else []
    assert told == [one.what for one in found.uncompared]


@pytest.mark.broker
def test_the_reports_can_be_rebuilt(url: str, fresh_broker: AnyBroker) -> None:
    """A check finds what was changed in each table and leaves it; a rebuild makes the rows as they were."""
    servers = fresh_broker.bootstrap_servers
    read(SUBJECT, url, _records(servers), **_cluster(servers))
    before = _rows(url)
    assert [] == [table for table, rows in before.items() if not rows]
    services = query(url, "SELECT DISTINCT service FROM reporting.exceptions ORDER BY 1")
    assert [("reporting",), ("round-settlement",)] == services  # from the journal and from the topic
    checked = _rebuild(url, servers, check=True)
    assert {table: (len(rows), 0) for table, rows in before.items()} == {
        one.table: (one.rows, one.different) for one in checked
    }
    settings = Settings(kafka_bootstrap_servers=servers)
    assert (0, "") == ((alike := compared("reporting", url, settings)).different, alike.first)
    with psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)) as owner:
        for statement in CHANGES.values():
            owner.execute(statement)
    changed = _rows(url)
    differ = {one.table for one in compared("reporting", url, settings).tables if one.different}
    assert CHANGES.keys() <= differ
    assert [] == [one.table for one in _rebuild(url, servers, check=True) if not one.different]
    assert changed == _rows(url)
    _rebuild(url, servers, check=False)
    assert before == _rows(url)
