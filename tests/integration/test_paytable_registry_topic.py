"""What the running registry publishes on `submissions`, as a consumer that knows nothing of its code sees it."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from confluent_kafka import Consumer, Message, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # it has no `__all__`
from sqlalchemy import MetaData

from services.paytable_registry import SERVICE
from shared.contracts.submissions import decode
from shared.local.ports import free_port
from shared.runtime.consume.consumer import Step, no_step
from shared.runtime.consume.handler import Record
from shared.runtime.consume.submissions import Copies, submissions_table
from shared.runtime.service.run import serve
from shared.runtime.settings import Settings
from shared.runtime.web.access import token_hash
from tests.support import Databases, eventually
from tests.support.brokers import AnyBroker
from tests.support.registry import blackjack, migrate

pytestmark = pytest.mark.broker

TOPIC = "submissions"
NOW = datetime.now(UTC)
PEOPLE = {"ann": ["submit", "approve"], "bob": ["approve"]}


@pytest.fixture
def settings(databases: Databases, fresh_broker: AnyBroker, tmp_path: Path) -> Iterator[Settings]:
    """The settings of a registry with a database, the compacted topic, and people."""
    databases.prepare("paytable-registry", migrate)
    url = databases.create("paytable-registry")
    admin = AdminClient({"bootstrap.servers": fresh_broker.bootstrap_servers})
    topic = NewTopic(TOPIC, num_partitions=1, replication_factor=1, config={"cleanup.policy": "compact"})
    admin.create_topics([topic])[TOPIC].result(timeout=20)
    tokens = tmp_path / "tokens.yaml"
    tokens.write_text(
        "\n".join(
            f"- {{person: {person}, token_sha256: {token_hash(person)}, roles: [{', '.join(roles)}]}}"
            for person, roles in PEOPLE.items()
        )
    )
    yield Settings(
        DATABASE_URL=url,
        KAFKA_BOOTSTRAP_SERVERS=fresh_broker.bootstrap_servers,
        http_port=free_port(),
        api_tokens_file=tokens,
    )
    databases.drop(url)


async def start(settings: Settings, step: Step = no_step) -> "asyncio.Task[None]":
    """The service, once it has started."""
    ready = asyncio.Event()
    service = asyncio.create_task(serve(SERVICE, settings, step=step, started=ready.set))
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait({service, waiting}, timeout=60, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if service.done():
        service.result()
    return service


def client_of(settings: Settings) -> httpx.AsyncClient:
    """A client of the service."""
    return httpx.AsyncClient(base_url=f"http://127.0.0.1:{settings.http_port}")


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
    """Sends a command of a person."""
    headers = {"Authorization": f"Bearer {person}", "Idempotency-Key": f"{datetime.now(UTC).timestamp()}"}
    return await client.post(f"/submissions{path}", json=body, headers=headers)


async def some_history(client: httpx.AsyncClient) -> list[int]:
    """One version approved at the second attempt, one rejected; gives the statuses of the answers."""
    one, two = "/riverbend/blackjack/1", "/riverbend/blackjack/2"
    steps = [
        ("", blackjack(NOW), "ann"),
        (f"{one}/approve", None, "ann"),
        (f"{one}/approve", None, "ann"),
        (f"{one}/approve", None, "bob"),
        ("", blackjack(NOW + timedelta(hours=1)), "ann"),
        (f"{two}/reject", {"reason": "eight decks were agreed § 633a.3"}, "bob"),
    ]
    return [(await command(client, path, body, person=person)).status_code for path, body, person in steps]


KINDS = [
    "submission.filed",
    "submission.approval_refused",
    "submission.approval_refused",
    "submission.approved",
    "submission.filed",
    "submission.rejected",
]


def read(settings: Settings, enough: Callable[[list[Message]], bool]) -> list[Message]:
    """The records of the topic from its beginning, until there are enough of them."""
    consumer = Consumer({"bootstrap.servers": settings.kafka_bootstrap_servers, "group.id": "reader"})
    found: list[Message] = []

    def poll() -> bool:
        message = consumer.poll(0.1)
        if message is not None:
            assert message.error() is None, message.error()
            found.append(message)
        return enough(found)

    try:
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        eventually(poll, seconds=30, every=0, because="the records are on the topic")
    finally:
        consumer.close()
    return found


def count(number: int) -> Callable[[list[Message]], bool]:
    """Enough are so many."""
    return lambda messages: len(messages) >= number


def end(settings: Settings) -> int:
    """The number of records that the topic has taken."""
    consumer = Consumer({"bootstrap.servers": settings.kafka_bootstrap_servers, "group.id": "end"})
    try:
        return int(consumer.get_watermark_offsets(TopicPartition(TOPIC, 0), timeout=20)[1])
    finally:
        consumer.close()


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
    assert [
        "riverbend/blackjack/1/submission.filed",
        "riverbend/blackjack/1/submission.approval_refused/2",
        "riverbend/blackjack/1/submission.approval_refused/3",
        "riverbend/blackjack/1/submission.approved",
        "riverbend/blackjack/2/submission.filed",
        "riverbend/blackjack/2/submission.rejected",
    ] == keys


def test_an_outsider_can_compute_the_hash(published: list[Message]) -> None:
    """SHA-256 over the canonical JSON of seven members of the data, with nothing but a JSON library."""
    approved = next(event["data"] for event in map(document, published) if event["type"] == "submission.approved")
    names = ("property", "game", "regulation", "tables", "effective_from", "submission", "version")
    content = {name: approved[name] for name in names}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert approved["hash"] == sha256(canonical.encode()).hexdigest()
    assert ("ann", "bob") == (approved["filed_by"], approved["approved_by"])


def test_consumers_can_decode_every_record(published: list[Message]) -> None:
    """The contract covers every kind that is relayed."""
    events = [decode(message.value() or b"") for message in published]
    assert KINDS == [event.type for event in events]


def test_refusals_at_the_door_are_a_stream_of_their_own(settings: Settings) -> None:
    """They have keys of their own, and whoever copies the approved versions passes over them."""

    async def scenario() -> list[Message]:
        async with running(settings) as client:
            steps = [("", blackjack(NOW), "bob"), ("", blackjack(NOW), "ann"), ("", {}, "ann")]
            answers = [(await command(client, path, body, person=person)).status_code for path, body, person in steps]
            assert [403, 201, 422] == answers
            return await asyncio.to_thread(read, settings, count(len(steps)))

    messages = asyncio.run(scenario())
    refused = [message for message in messages if document(message)["type"] == "request.refused"]
    assert [b"request.refused/1", b"request.refused/2"] == [message.key() for message in refused]
    assert [("bob", 403), ("ann", 422)] == [
        (document(message)["data"]["by"], document(message)["data"]["status"]) for message in refused
    ]
    events = [decode(message.value() or b"") for message in messages]
    assert {"submission.filed": [1], "request.refused": [1, 2]} == {
        kind: [event.sequence for event in events if event.type == kind]
        for kind in ("submission.filed", "request.refused")
    }
    assert 2 == len({event.source for event in events})
    copies = Copies(submissions_table(MetaData(), "copy"), lambda: NOW)
    for event, message in zip(events, messages, strict=True):
        assert () == copies.derive(event, Record(TOPIC, 0, 0, message.key(), message.value() or b"", NOW))
    assert [] == copies.approved


def test_a_restart_publishes_nothing_again(settings: Settings) -> None:
    """What was published and marked stays as it is; what comes next follows on."""

    async def scenario() -> None:
        async with running(settings) as client:
            await some_history(client)
            await asyncio.to_thread(read, settings, count(len(KINDS)))
        async with running(settings) as client:
            third = await command(client, "", blackjack(NOW + timedelta(hours=2)), person="ann")
            assert (201, 3) == (third.status_code, third.json()["version"])
            messages = await asyncio.to_thread(read, settings, count(len(KINDS) + 1))
        assert [*range(1, len(KINDS) + 2)] == [document(message)["sequence"] for message in messages]

    asyncio.run(scenario())
    assert len(KINDS) + 1 == end(settings)


class Crashed(Exception):
    """The process ended here."""


def test_a_crash_between_sending_and_marking_publishes_the_same_again(settings: Settings) -> None:
    """At least once: the same bytes under the same key, id and sequence, which consumers drop."""

    def crash(name: str) -> None:
        if name == "relay sent":
            raise Crashed

    async def until_the_crash() -> None:
        service = await start(settings, crash)
        async with client_of(settings) as client:
            await command(client, "", blackjack(NOW), person="ann")
        await asyncio.wait_for(service, 30)

    async def restarted() -> list[Message]:
        async with running(settings):
            return await asyncio.to_thread(read, settings, count(2))

    with pytest.raises(Crashed):
        asyncio.run(until_the_crash())
    first, second = asyncio.run(restarted())
    assert (first.key(), first.value()) == (second.key(), second.value())


def test_commands_work_while_the_broker_is_away(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Filing and approving need the database alone; what was recorded is published once the broker is there."""
    # A relay that is ended waits for its last answer.
    monkeypatch.setattr(
        "shared.runtime.publish.relay.FLUSH_SECONDS", 1.0
    )  # a relay that is ended waits for its last answer
    nowhere = settings.model_copy(update={"kafka_bootstrap_servers": f"127.0.0.1:{free_port()}"})

    async def scenario() -> list[Message]:
        async with running(nowhere) as client:
            assert [201, 403, 403, 200, 201, 200] == await some_history(client)
        async with running(settings):
            return await asyncio.to_thread(read, settings, count(len(KINDS)))

    assert KINDS == [document(message)["type"] for message in asyncio.run(scenario())]
