"""Nobody speaks for a table but its devices: what others write is quarantined, and what people mend is theirs."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from joserfc import jws
from joserfc.jwk import OKPKey
from joserfc.registry import HeaderParameter

from services.round_settlement.manifest import MANIFEST
from services.vigorish.manifest import MANIFEST as VIGORISH
from shared.contracts.device_signatures import HEADER
from shared.journal.signed_batch import BatchVerifier, signer_name
from shared.journal.signed_note import Signer
from shared.journal.topic_identity import cluster_of
from shared.runtime.database import create_engine
from shared.runtime.ingest import ingest_facts as facts
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.rederivation.independent_reader import Records
from shared.runtime.rederivation.journal_rederivation import rederive
from shared.runtime.rederivation.replay_spec import Topics
from shared.runtime.rederivation.replay_state import ReplayState
from tests.support import AnyBroker, Databases, eventually
from tests.support.desk import Desk, desk_of
from tests.support.devices import TERMINAL, base64url, device, key_of, registered, system
from tests.support.outbox import Outbox
from tests.support.properties import property_event
from tests.support.rebuilding import execute
from tests.support.rounds import DAY, LOSING, TABLES, completed, encoded, record, submission
from tests.support.services import create_topics, produce, query, running, settled_database
from tests.unit.vigorish.rounds import NOON, TABLE, collected, rules

SERVICE = Signer.generate(signer_name("round-settlement"))
REGISTRY = Signer.generate(signer_name("paytable-registry"))
OTHER = Signer.generate(signer_name("table-inventory"))
PEOPLE = {"kim": ["quarantine.mend"], "ann": ["quarantine.approve"]}
T1 = TABLES[0]
REQUIRED = "2026-11-20T10:00:00Z"
POSTED = "SELECT source, sequence FROM round_settlement.entries WHERE kind = 'settlement.posted' ORDER BY 1, 2"


def requiring(*keys: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The property, which requires signatures; the terminal of a table has these keys."""
    at_tables: dict[str, Any] = {table: {} for table in TABLES} | {T1: {"devices": [device(*keys)]}, TABLE: {}}
    return property_event(tables=at_tables, **({"signatures_required_from": REQUIRED} | changes))


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement and of the vigorish ledger."""
    url = settled_database(databases, "round-settlement", "vigorish")
    yield url
    databases.drop(url)


@pytest.fixture
def outbox() -> Outbox:
    """Where replays go."""
    return Outbox()


@pytest.fixture
def desk(url: str, outbox: Outbox) -> Iterator[Desk]:
    """Round settlement, with what a property and a submission say, and the keys of all services."""
    now = [DAY + timedelta(hours=1)]

    def clock() -> datetime:
        now[0] += timedelta(seconds=1)
        return now[0]

    with desk_of(MANIFEST, url, people=PEOPLE, clock=clock, outbox=outbox, signer=SERVICE) as desk:
        verifier = BatchVerifier([SERVICE.verifier, REGISTRY.verifier, OTHER.verifier])
        desk.context = replace(desk.context, verifier=verifier)
        desk.feed("properties", requiring(), signer=REGISTRY)
        desk.feed("submissions", submission(), signer=REGISTRY)
        yield desk


def counted(desk: Desk, name: str = "not_from_device", topic: str = "table.events") -> float:
    """The value of a counter of a topic."""
    return float(getattr(desk.context.metrics, name).labels(topic)._value.get())


def kinds(desk: Desk) -> list[tuple[str, int]]:
    """What the journal has of tables, in order."""
    return [(one.draft.kind, one.draft.sequence) for one in desk.entries() if one.draft.source.startswith("/prop")]


def test_only_a_device_speaks_for_its_table(desk: Desk) -> None:
    """The attack: a well-formed round, with the next sequence, of whoever can write to the topic."""
    forged = completed(T1, 1, "forged")
    desk.feed("table.events", forged)
    desk.feed("table.events", forged, device="BJ-02-terminal")
    desk.feed("table.events", b"no event")
    [unsigned, unknown, unread] = desk.quarantined()
    assert unsigned.startswith(f"not from a device of table {T1} of riverside: it has no signature, which is required")
    assert "'BJ-02-terminal' is no key of version 1 of riverside" in unknown
    assert not unread.startswith("not from a device"), "its key is no text that names a table"
    assert (2, 0) == (counted(desk), counted(desk, "not_authentic"))

    desk.feed("table.events", completed(T1, 1), completed(T1, 2), device=TERMINAL)
    desk.feed("table.events", completed(T1, 2), device=TERMINAL)
    assert [("settlement.posted", 1), ("settlement.posted", 2)] == kinds(desk)
    assert 3 == len(desk.quarantined()), "the true record mends no forged one"
    desk.feed("table.events", completed(T1, 2))
    assert (3, 1) == (counted(desk), counted(desk, "duplicates")), "without its signature it is no duplicate either"


def test_a_copy_under_another_key_is_a_duplicate_once_the_event_was_taken(desk: Desk) -> None:
    """A client without a key copies what was signed; what was not taken yet is refused, and so are other bytes."""
    events = [completed(T1, number) for number in (1, 2, 3)]
    desk.feed("table.events", *events[:2], device=TERMINAL)
    desk.feed("table.events", *map(encoded, events[:2]), device=TERMINAL)
    assert ([], 2) == (desk.quarantined(), counted(desk, "duplicates"))
    assert [("settlement.posted", 1), ("settlement.posted", 2)] == kinds(desk)

    desk.feed("table.events", encoded(events[2]), device=TERMINAL)
    desk.feed("table.events", encoded(completed(T1, 2, "other")), device=TERMINAL)
    early, conflict = desk.quarantined()
    assert "the Kafka key is None; it must be '/properties/riverside/tables/" in early
    assert conflict.startswith("conflict: sequence 2 of ")
    desk.feed("table.events", events[2], device=TERMINAL)
    assert ("settlement.posted", 3) == kinds(desk)[-2], "the event itself is taken, and closes its early copy"
    assert ("record.mended", 3) == kinds(desk)[-1]
    assert [] == derived_again(desk)


def test_a_key_is_rotated_and_revoked(desk: Desk) -> None:
    """Two keys at once; then the old one is revoked, from the moment on that two people say."""
    old, new = registered(), registered("new", valid_from=REQUIRED)
    begins = (DAY + timedelta(hours=1)).isoformat()
    desk.feed("properties", requiring(old, new, version=2, sequence=2, effective_from=begins), signer=REGISTRY)
    desk.feed("table.events", completed(T1, 1), device=TERMINAL)
    desk.feed("table.events", completed(T1, 2), device="new")
    revoked = registered(revoked_at=(DAY + timedelta(hours=1, seconds=2)).isoformat())
    # It takes effect tomorrow; the revocation holds as soon as it is known.
    later = requiring(revoked, new, version=3, sequence=3, effective_from=(DAY + timedelta(days=1)).isoformat())
    desk.feed("properties", later, signer=REGISTRY)
    desk.feed("table.events", completed(T1, 3), device=TERMINAL)
    desk.feed("table.events", completed(T1, 3), device="new")
    assert [("settlement.posted", n) for n in (1, 2, 3)] == kinds(desk)
    [reason] = desk.quarantined()
    assert f"key '{TERMINAL}' was revoked at 2026-11-20T11:00:02+00:00" in reason
    assert [] == derived_again(desk)


def test_what_two_people_mend_is_theirs_and_nobody_elses(desk: Desk, outbox: Outbox) -> None:
    """It carries the signature of the service that they told, over what it replaces too; no header alone lets in."""
    mended = completed(T1, 1, play=record(LOSING))
    desk.feed("table.events", completed(T1, 1) | {"time": "never"}, device=TERMINAL)
    names = {facts.QUARANTINE_ID: b"round_settlement/1", facts.MENDED_BY: b"kim", facts.MENDED_REASON: b"misread"}
    desk.feed("table.events", mended, headers=names)
    desk.feed("table.events", mended, device=TERMINAL, headers={facts.QUARANTINE_ID: b"table_inventory/1"})
    assert [] == kinds(desk)
    _, forged, other = desk.quarantined()
    assert "not authentic: round-settlement did not send it in place of round_settlement/1: it has no sig" in forged
    assert "not authentic: table-inventory did not send it in place of table_inventory/1" in other

    assert desk.post("/quarantine/1/replay", {"reason": "misread", "mended": mended}, person="kim").is_success
    assert desk.post("/quarantine/1/requests/1/approve", person="ann").is_success
    [replay] = outbox.sent
    assert HEADER not in dict(replay.headers), "what its device signed is not what it says now"
    for name in (facts.QUARANTINE_ID, facts.MENDED_BY, facts.MENDED_REASON):
        moved = [(each, "round_settlement/2" if each == name else text) for each, text in replay.headers]
        desk.deliver(replace(replay, headers=moved))
    desk.deliver(replace(replay, value=encoded(completed(T1, 1))))
    assert [] == kinds(desk)
    desk.deliver(replay)
    assert [("settlement.posted", 1), ("record.mended", 1)] == kinds(desk)
    assert 6 == len(desk.quarantined())
    assert [] == derived_again(desk) == derived_again(desk, verified=False)


def test_nothing_is_taken_without_a_device_under_an_altered_copy(desk: Desk, url: str) -> None:
    """Who alters the copy of the property, so that nothing need be signed, lets nothing in: the partition stops."""
    desk.feed("table.events", completed(T1, 1), device=TERMINAL)
    assert [] == derived_again(desk)
    execute(url, "UPDATE round_settlement.properties SET document = document - 'signatures_required_from'")
    desk.restart()
    desk.feed("table.events", completed(T1, 2))
    assert [("settlement.posted", 1)] == kinds(desk)
    assert "is not what this service took from its topic" in desk.consumer("table.events").stopped.reasons[0]


def test_what_was_taken_without_a_device_is_found_again(desk: Desk, url: str) -> None:
    """Who has the key of the service as well, and has the altered copy believed, has the topics against him."""
    desk.feed("table.events", completed(T1, 1), device=TERMINAL)
    assert [] == derived_again(desk)
    execute(url, "UPDATE round_settlement.properties SET document = document - 'signatures_required_from'")
    desk.context.pools.sign_by(None)
    desk.restart()
    desk.feed("table.events", completed(T1, 2))
    assert [("settlement.posted", 1), ("settlement.posted", 2)] == kinds(desk)
    altered, taken = derived_again(desk)
    assert "the copy of the document riverside/1 is another one on its topic" in altered
    assert "record.quarantined follows from the record at offset" in taken


def test_the_ledgers_that_read_the_pit_ask_the_same(url: str) -> None:
    """One door: a system that speaks for all tables signs pit events, of vigorish collected here."""
    with desk_of(VIGORISH, url, people=PEOPLE, clock=lambda: NOON) as desk:
        desk.feed("properties", requiring(systems=[system("pit-system", tables=[TABLE])]))
        desk.feed("submissions", rules())
        desk.feed("pit.events", collected(1, 1, 1, 50))
        desk.feed("pit.events", collected(1, 1, 1, 50), device="pit-system")
        assert [("vigorish.collection", 1)] == kinds(desk)
        assert 1 == counted(desk, topic="pit.events")


class Held:
    """What the cluster holds, in place of a client."""

    cluster_id = "test"

    def __init__(self, records: list[InputRecord]) -> None:
        self._records = records

    def read(self, topic: str, partition: int, first: int, end: int) -> Iterator[list[InputRecord]]:
        found = [one for one in self._records if one.topic == topic and first <= one.offset < end]
        yield from ([one] for one in found if one.partition == partition)


def derived_again(desk: Desk, *, verified: bool = True) -> list[str]:
    """What does not follow from what was read; unless `verified`, without the keys of the services."""
    return problems(
        desk.client.run, desk.context.pools.background, Held(desk.records), desk.context.verifier if verified else None
    )


def problems(run: Any, engine: Any, topics: Topics, verifier: BatchVerifier | None = None) -> list[str]:
    """What of round settlement's re-derivation mismatch from topics."""

    async def work() -> list[str]:
        assert MANIFEST.rederived is not None
        again = MANIFEST.rederived()
        async with engine.connect() as connection:
            with ReplayState() as memory:
                found = rederive(connection, MANIFEST.journal, MANIFEST.name, again, topics, memory, verifier=verifier)
                return [f"{one.shard} {one.seq}: {one.what}" async for one in found]

    found: list[str] = run(work())
    return found


def by_joserfc(value: bytes) -> tuple[str, bytes]:
    """The header that a table system makes with a library of its own."""
    private = {"d": base64url(key_of(TERMINAL).private_bytes_raw()), "x": registered()["public_key"]}
    key = OKPKey.import_key({"kty": "OKP", "crv": "Ed25519"} | private)
    topic = HeaderParameter("the Kafka topic", "str")
    registry = jws.JWSRegistry(header_registry={"topic": topic}, algorithms=["Ed25519"])
    header = {"alg": "Ed25519", "b64": False, "crit": ["b64"], "kid": TERMINAL, "topic": "table.events"}
    # The library wants a payload that it could have put between the dots.
    return HEADER, signed_detached(header, value, key, registry)


def signed_detached(header: dict[str, Any], value: bytes, key: OKPKey, registry: jws.JWSRegistry) -> bytes:
    """A detached JWS over any bytes: joserfc's flattened form, put into the compact one (RFC 7515, appendix F)."""
    made = jws.serialize_json({"protected": header}, value, key, registry=registry)
    return f"{made['protected']}..{made['signature']}".encode()


@pytest.mark.broker
def test_a_service_at_work_takes_what_a_device_signed(url: str, fresh_broker: AnyBroker) -> None:
    """Through the broker: signed by a library that is not ours, read by two clients, and derived again to the same."""
    servers = fresh_broker.bootstrap_servers
    create_topics(servers)
    since = {"effective_from": datetime(2020, 1, 1, tzinfo=UTC).isoformat()}
    produce(servers, "properties", [requiring(**since)])
    produce(servers, "submissions", [submission()])
    with running("round-settlement", database_url=url, bootstrap_servers=servers):
        produce(servers, "table.events", [completed(T1, 1), completed(T1, 2)], header=by_joserfc)
        produce(servers, "table.events", [completed(T1, 3)])
        source = completed(T1, 1)["source"]
        quarantined = "SELECT reason FROM round_settlement.quarantine"
        eventually(lambda: [(source, 1), (source, 2)] == query(url, POSTED), because="what the device signed is posted")
        eventually(lambda: 1 == len(query(url, quarantined)), because="what it did not is quarantined")
    [(reason,)] = query(url, quarantined)
    assert "it has no signature, which is required since 2026-11-20T10:00:00+00:00" in reason
    engine = create_engine(url, role="round_settlement")
    with Records(KafkaSettings(KAFKA_BOOTSTRAP_SERVERS=servers)) as records:
        [(name, *_), *_] = query(url, "SELECT name FROM round_settlement.shards WHERE name LIKE 'table.events/%'")
        assert records.cluster_id in cluster_of(name)
        assert [] == problems(lambda work: asyncio.run(_then(work, engine)), engine, records)


async def _then(work: Any, engine: Any) -> Any:
    try:
        return await work
    finally:
        await engine.dispose()
