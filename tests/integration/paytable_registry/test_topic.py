"""What the running registry publishes on its topics, as a consumer that knows nothing of its code sees it."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import httpx
import pytest
from confluent_kafka import Consumer, Message, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # it has no `__all__`

from services.cli.subjects import HASH
from services.paytable_registry.manifest import MANIFEST
from shared.contracts.properties import PropertyApproved
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import PROPERTIES, SUBMISSIONS
from shared.local.issuer import TOKEN_LIFE, DevelopmentIssuer
from shared.local.ports import free_port
from shared.runtime.process.run import serve
from shared.runtime.settings import Settings
from tests.support import Databases, eventually
from tests.support.asgi import assert_problem
from tests.support.brokers import AnyBroker
from tests.support.openapi import approvals_of
from tests.support.registry import APPROVE, FILE, blackjack, riverbend
from tests.support.services import settled_database

pytestmark = pytest.mark.broker

TOPICS = ("submissions", "properties")
NOW = datetime.now(UTC)
PEOPLE = {"ann": [*FILE, *APPROVE], "bob": APPROVE}
TOKENS: dict[str, str] = {}
"""Person -> the token of the running test."""


@pytest.fixture
def settings(databases: Databases, fresh_broker: AnyBroker) -> Iterator[Settings]:
    """The settings of a registry with a database, the compacted topics, and people."""
    url = settled_database(databases, "paytable-registry")
    admin = AdminClient({"bootstrap.servers": fresh_broker.bootstrap_servers})
    topics = [
        NewTopic(name, num_partitions=1, replication_factor=1, config={"cleanup.policy": "compact"}) for name in TOPICS
    ]
    for made in admin.create_topics(topics).values():
        made.result(timeout=20)
    with DevelopmentIssuer() as issuer:
        TOKENS.update({person: issuer.token(person, roles) for person, roles in PEOPLE.items()})
        yield Settings(
            DATABASE_URL=url,
            KAFKA_BOOTSTRAP_SERVERS=fresh_broker.bootstrap_servers,
            http_port=free_port(),
            oidc_issuer=issuer.url,
            oidc_token_seconds_max=TOKEN_LIFE.total_seconds(),
        )
    databases.drop(url)


async def start(settings: Settings) -> "asyncio.Task[None]":
    """The service, once it has started."""
    ready = asyncio.Event()
    service = asyncio.create_task(serve(MANIFEST, settings, started=ready.set))
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait({service, waiting}, timeout=60, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if service.done():
        service.result()
    return service


def client_of(settings: Settings) -> httpx.AsyncClient:
    """A client of the service."""
    return httpx.AsyncClient(base_url=f"http://127.0.0.1:{settings.http_port}", timeout=60)


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """The service from its start to its end, and a client of it."""
    service = await start(settings)
    try:
        async with client_of(settings) as client:
            yield client
    finally:
        service.cancel()
        with suppress(asyncio.CancelledError):
            await service


async def command(client: httpx.AsyncClient, path: str, body: Any = None, *, person: str) -> httpx.Response:
    """Sends a command of a person; who approves something looks at it before."""
    headers = {"Authorization": f"Bearer {TOKENS[person]}", "Idempotency-Key": f"{datetime.now(UTC).timestamp()}"}
    subject = approvals_of(MANIFEST.name).subject_of(path, body)
    if subject is not None:
        body = {HASH: (await client.get(subject, headers=headers)).json()["sha256"]}
    return await client.post(path, json=body, headers=headers)


async def open_property(client: httpx.AsyncClient, **changes: Any) -> list[int]:
    """A version of the property, approved at the second attempt; gives the statuses of the answers."""
    filed = await command(client, "/properties", riverbend(**changes), person="ann")
    path = f"{filed.headers['location']}/approve"
    return [filed.status_code, *[(await command(client, path, person=person)).status_code for person in ("ann", "bob")]]


async def some_history(client: httpx.AsyncClient) -> list[int]:
    """One version approved at the second attempt, one returned; gives the statuses of the answers."""
    assert [201, 403, 200] == await open_property(client)
    one, two = "/submissions/riverbend/blackjack/1", "/submissions/riverbend/blackjack/2"
    steps = [
        ("/submissions", blackjack(NOW), "ann"),
        (f"{one}/approve", None, "ann"),
        (f"{one}/approve", None, "ann"),
        (f"{one}/approve", None, "bob"),
        ("/submissions", blackjack(NOW + timedelta(hours=1)), "ann"),
        (f"{two}/return", {"reason": "eight decks were agreed § 633a.3"}, "bob"),
    ]
    return [(await command(client, path, body, person=person)).status_code for path, body, person in steps]


KINDS = [
    "submission.filed",
    "command.refused",
    "command.refused",
    "submission.approved",
    "submission.filed",
    "submission.returned",
]


def read(settings: Settings, enough: Callable[[list[Message]], bool], topic: str = "submissions") -> list[Message]:
    """The records of a topic from its beginning, until there are enough of them."""
    consumer = Consumer({"bootstrap.servers": settings.kafka_bootstrap_servers, "group.id": "reader"})
    found: list[Message] = []

    def poll() -> bool:
        message = consumer.poll(0.1)
        if message is not None:
            assert message.error() is None, message.error()
            found.append(message)
        return enough(found)

    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        eventually(poll, seconds=30, every=0, because="the records are on the topic")
    finally:
        consumer.close()
    return found


def count(number: int) -> Callable[[list[Message]], bool]:
    """Enough are so many."""
    return lambda messages: len(messages) >= number


@pytest.fixture
def published(settings: Settings) -> list[Message]:
    """The records that some history leaves on the topic."""

    async def scenario() -> list[Message]:
        async with running(settings) as client:
            assert [201, 403, 403, 200, 201, 200] == await some_history(client)
            return await asyncio.to_thread(read, settings, count(len(KINDS)))

    return asyncio.run(scenario())


def test_every_record_is_a_cloud_event(published: list[Message]) -> None:
    """Structured mode of the Kafka binding, version 1.0: content type, required attributes, names of extensions."""
    for message in published:
        headers = dict(message.headers() or ())
        assert b"application/cloudevents+json" == headers["content-type"]
        event = json.loads(message.value() or b"")
        assert "1.0" == event["specversion"]
        assert all(isinstance(event[name], str) and event[name] for name in ("id", "source", "type", "subject", "time"))
        assert datetime.fromisoformat(event["time"]).tzinfo is not None
        assert all(re.fullmatch("[a-z0-9]{1,20}", name) for name in event)
        assert "application/json" == event["datacontenttype"]
    assert len(published) == len({(event["source"], event["id"]) for event in map(document, published)})


def document(message: Message) -> dict[str, Any]:
    """The JSON of a record."""
    found: dict[str, Any] = json.loads(message.value() or b"")
    return found


def test_the_stream_is_dense(published: list[Message]) -> None:
    """Everything that was recorded is published, in order, as one stream."""
    events = [document(message) for message in published]
    assert KINDS == [event["type"] for event in events]
    assert list(range(1, len(KINDS) + 1)) == [event["sequence"] for event in events]
    assert 1 == len({event["source"] for event in events})


def test_compaction_removes_nothing(published: list[Message]) -> None:
    """No two records have the same key; those of a version begin with its name."""
    keys = [(message.key() or b"").decode() for message in published]
    shard = document(published[0])["source"].rpartition("/")[2]
    assert [
        "riverbend/blackjack/1/submission.filed",
        f"command.refused/{shard}/2",
        f"command.refused/{shard}/3",
        "riverbend/blackjack/1/submission.approved",
        "riverbend/blackjack/2/submission.filed",
        "riverbend/blackjack/2/submission.returned",
    ] == keys


def test_an_outsider_can_compute_the_hash(published: list[Message]) -> None:
    """SHA-256 over the canonical JSON of eight members of the data, with nothing but a JSON library."""
    approved = next(event["data"] for event in map(document, published) if event["type"] == "submission.approved")
    names = ("property", "game", "regulation", "tables", "effective_from", "submission", "version", "stated_paybacks")
    content = {name: approved[name] for name in names}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert approved["hash"] == sha256(canonical.encode()).hexdigest()
    assert ("ann", "bob") == (approved["filed_by"], approved["approved_by"])


def test_who_copies_approved_versions_passes_over_the_rest(published: list[Message]) -> None:
    """Consumers name what they know; everything else on the topic is none of their business, and no gap."""
    reader = Reader(SUBMISSIONS, SubmissionApproved)
    events = [reader.decode(message.value() or b"") for message in published]
    assert [1] == [event.data.version for event in events if isinstance(event.data, SubmissionApproved)]
    assert list(range(1, len(KINDS) + 1)) == [event.sequence for event in events]


def test_refusals_at_the_door_are_a_stream_of_their_own(settings: Settings) -> None:
    """Commands and refusals are numbered apart, and even so no two records have the same key."""

    async def scenario() -> list[Message]:
        async with running(settings) as client:
            assert [201, 403, 200] == await open_property(client)
            one = "/submissions/riverbend/blackjack/1"
            steps = [
                ("/submissions", blackjack(NOW), "ann"),
                ("/submissions", blackjack(NOW), "bob"),
                (f"{one}/approve", None, "ann"),
                ("/submissions", {}, "ann"),
            ]
            answers = [(await command(client, path, body, person=person)).status_code for path, body, person in steps]
            assert [201, 403, 403, 422] == answers
            return await asyncio.to_thread(read, settings, count(len(steps)))

    messages = asyncio.run(scenario())
    refused = [document(message) for message in messages if document(message)["type"] == "command.refused"]
    assert {("ann", "same-person", 2), ("bob", "role-missing", 1), ("ann", "malformed", 2)} == {
        (event["data"]["by"], event["data"]["reason"], event["sequence"]) for event in refused
    }
    assert 2 == len({event["source"] for event in refused})
    assert len(messages) == len({message.key() for message in messages})


def test_properties_are_a_stream_of_their_own(settings: Settings) -> None:
    """On a topic of their own, dense by themselves; compaction removes no version, whoever reads it later."""
    later = (NOW + timedelta(days=1)).isoformat()

    async def scenario() -> tuple[list[Message], list[Message]]:
        async with running(settings) as client:
            await some_history(client)
            assert [201, 403, 200] == await open_property(client, effective_from=later, title="Riverbend II")
            kinds = await asyncio.to_thread(read, settings, count(6), "properties")
            return kinds, await asyncio.to_thread(read, settings, count(len(KINDS)))

    properties, submissions = asyncio.run(scenario())
    events = [document(message) for message in properties]
    assert ["property.filed", "command.refused", "property.approved"] * 2 == [event["type"] for event in events]
    assert list(range(1, 7)) == [event["sequence"] for event in events]
    assert KINDS == [document(message)["type"] for message in submissions]
    [source], [other] = ({document(one)["source"] for one in found} for found in (properties, submissions))
    assert source != other
    shard = source.rpartition("/")[2]
    assert [
        "riverbend/1/property.filed",
        f"command.refused/{shard}/2",
        "riverbend/1/property.approved",
        "riverbend/2/property.filed",
        f"command.refused/{shard}/5",
        "riverbend/2/property.approved",
    ] == [(message.key() or b"").decode() for message in properties]
    reader = Reader(PROPERTIES, PropertyApproved)
    known = [reader.decode(message.value() or b"").data for message in properties]
    assert [1, 2] == [data.version for data in known if isinstance(data, PropertyApproved)]


def test_a_start_without_the_broker_takes_no_commands(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """How far the journal was published is not known then: nothing is recorded, and the same key works afterwards."""
    # A relay that is ended waits for its last answer.
    monkeypatch.setattr("shared.runtime.outbox.relay.FLUSH_SECONDS", 1.0)
    nowhere = settings.model_copy(update={"kafka_bootstrap_servers": f"127.0.0.1:{free_port()}"})

    async def scenario() -> list[Message]:
        async with running(nowhere) as client:
            waiting = await command(client, "/submissions", blackjack(NOW), person="ann")
            assert_problem(waiting, 503, "try again with the same Idempotency-Key")
        async with running(settings) as client:
            assert [201, 403, 403, 200, 201, 200] == await some_history(client)
            return await asyncio.to_thread(read, settings, count(len(KINDS)))

    assert KINDS == [document(message)["type"] for message in asyncio.run(scenario())]
