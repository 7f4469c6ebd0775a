"""What a known person is refused at the door lands in the journal of the service, whichever service it is."""

import hmac
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import httpx
import pytest
from pydantic import BaseModel
from shared.contracts.refusals import RequestRefused

from services.cli.services import ServiceName, load
from shared.contracts import account_events, inventory_events, meter_events, submission_events
from shared.journal.entry import Entry
from shared.journal.ledger import Ledger
from shared.journal.reading import read_entries
from shared.journal.verification import Verified, read_shards, verify_shard
from shared.runtime.database import create_engine, role_of
from shared.runtime.metrics import Metrics
from shared.runtime.publish.relay import entry_message
from shared.runtime.service.run import Parts, application
from shared.runtime.settings import Settings
from shared.runtime.web.access import Caller, token_hash
from shared.runtime.web.problems import PROBLEM
from tests.support import Databases
from tests.support.asgi import AppClient
from tests.support.registry import blackjack
from tests.support.services import settled_database

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = "2026-11-20"
CODE = "4711-kiwi"
READING = {"get", "head", "options"}

DECODERS: Mapping[ServiceName, Callable[[bytes], BaseModel]] = {
    ServiceName.PAYTABLE_REGISTRY: submission_events.decode,
    ServiceName.TABLE_INVENTORY: inventory_events.decode,
    ServiceName.WAGERING_ACCOUNTS: account_events.decode,
    ServiceName.PROGRESSIVE_METERS: meter_events.decode,
}
"""The services that take commands, with the contracts of what they publish."""


@dataclass(frozen=True, slots=True)
class Example:
    """A command of a service: the role that it takes, where it is sent, and what with; `other` has other content."""

    service: ServiceName
    role: str
    path: str
    body: dict[str, Any]
    other: dict[str, Any]


_SLIP = {"slip": "fill", "property": "riverbend", "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
_HOLD = {"table": "BJ-01", "round_id": "r-1", "seat": 1, "wager": "blackjack"}
_RECONCILED = {"property": "riverbend", "gaming_day": DAY}
_PATRON = {"property": "riverbend", "wallet": "W-1", "access_code": CODE}

EXAMPLES = [
    Example(
        ServiceName.PAYTABLE_REGISTRY,
        "submit",
        "/submissions",
        blackjack(NOON),
        {**blackjack(NOON), "tables": ["BJ-09"]},
    ),
    Example(
        ServiceName.TABLE_INVENTORY,
        "pit",
        "/requests",
        {**_SLIP, "contents": [{"kind": "chip", "cents": 500, "count": 10}]},
        {**_SLIP, "contents": [{"kind": "chip", "cents": 500, "count": 11}]},
    ),
    Example(
        ServiceName.WAGERING_ACCOUNTS,
        "accounts",
        "/patrons",
        {**_PATRON, "patron": "p-1"},
        {**_PATRON, "patron": "p-2"},
    ),
    Example(
        ServiceName.WAGERING_ACCOUNTS,
        "wager",
        "/accounts/riverbend/GA-1/holds",
        {**_HOLD, "cents": 500},
        {**_HOLD, "cents": 600},
    ),
    Example(
        ServiceName.PROGRESSIVE_METERS,
        "meter_reconcile",
        "/reconciliations",
        {**_RECONCILED, "reason": "the day is over"},
        {**_RECONCILED, "reason": "something late has come"},
    ),
]


class House:
    """One process of a service: ann has the role, bob has none."""

    def __init__(self, service: ServiceName, client: AppClient, parts: Parts, clock: list[datetime]) -> None:
        self.service = service
        self.client = client
        self.parts = parts
        self.clock = clock

    def send(
        self, path: str, body: Any, *, person: str | None = "ann", key: str | None = "k-1", method: str = "POST"
    ) -> httpx.Response:
        """Sends a command: JSON, or bytes that claim to be."""
        headers = {"Content-Type": "application/json"}
        if person is not None:
            headers["Authorization"] = f"Bearer token of {person}"
        if key is not None:
            headers["Idempotency-Key"] = key
        return self.client.request(method, path, content=encoded(body), headers=headers)

    def entries(self) -> list[Entry]:
        """All that the journal holds; it verifies, and what was refused is as the service's contract says."""

        async def read() -> list[Entry]:
            journal = self.parts.ledger.tables
            async with self.parts.engine.connect() as connection:
                shards = await read_shards(connection, journal)
                for shard in shards:
                    assert [] == [p async for p in verify_shard(connection, journal, shard, Verified(shard.name))]
                return [entry for shard in shards async for entry in read_entries(connection, journal, shard.shard)]

        return self.client.run(read())

    def refused(self) -> list[RequestRefused]:
        """The refusals at the door, in the order of their recording, as whoever reads the topic sees them."""
        found = []
        for entry in self.entries():
            if entry.draft.kind == "request.refused":
                event = DECODERS[self.service](entry_message("/source", entry.shard, _Row(entry)))
                found.append(RequestRefused.model_validate(event.model_dump()["data"]))
        return found


class _Row:
    """An entry as the relay reads it."""

    def __init__(self, entry: Entry) -> None:
        draft = entry.draft
        self.seq, self.kind, self.source, self.occurred_at = entry.seq, draft.kind, draft.source, draft.occurred_at
        self.recorded_at, self.hash, self.data = entry.recorded_at, entry.hash.hex(), draft.data.decode()


def encoded(body: Any) -> bytes:
    """The bytes of a body."""
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def digest_of(body: Any, person: str) -> str:
    """What the journal keeps of a body, as whoever has the tokens file computes it."""
    return hmac.digest(sha256(f"token of {person}".encode()).digest(), encoded(body), "sha256").hex()


@contextmanager
def a_house(service: ServiceName, url: str, *roles: str) -> Iterator[House]:
    """A process of a service on a database; its relay and its consumers do not run."""
    clock = [NOON]
    engine = create_engine(url, role=role_of(service))
    parts = Parts(Settings(), engine, Ledger(load(service).tables), Metrics(), lambda: clock[0], lambda: None)
    callers = [
        Caller(person=person, token_sha256=token_hash(f"token of {person}"), roles=frozenset(may))
        for person, may in {"ann": roles, "bob": ()}.items()
    ]
    with AppClient(application(load(service), parts, callers=callers)) as client:
        yield House(service, client, parts, clock)
        client.run(engine.dispose())


@pytest.fixture(params=EXAMPLES, ids=lambda example: f"{example.service} {example.path}")
def example(request: pytest.FixtureRequest) -> Example:
    """One command after the other."""
    found: Example = request.param
    return found


@pytest.fixture
def url(databases: Databases, example: Example) -> Iterator[str]:
    """A database with the schema of the service."""
    url = settled_database(databases, example.service)
    yield url
    databases.drop(url)


@pytest.fixture
def house(url: str, example: Example) -> Iterator[House]:
    """The service of the command, in which ann may send it."""
    with a_house(example.service, url, example.role) as house:
        yield house


def test_who_lacks_the_role_is_recorded(house: House, example: Example) -> None:
    """403: who, when, what, why, under which key, and what was sent as a keyed hash."""
    answer = house.send(example.path, example.body, person="bob")
    assert (403, PROBLEM) == (answer.status_code, answer.headers["content-type"])
    assert [
        RequestRefused(
            command=f"POST {example.path}",
            status=403,
            reason=f"bob does not have the role '{example.role}'",
            by="bob",
            at=NOON,
            key="k-1",
            content=digest_of(example.body, "bob"),
        )
    ] == house.refused()
    assert [("k-1", NOON)] == [(entry.draft.event_id, entry.draft.occurred_at) for entry in house.entries()]


@pytest.mark.parametrize(
    "body", [{}, {"access_code": CODE, CODE: CODE}, f'{{"access_code": "{CODE}"'.encode(), b"\xff"]
)
def test_what_is_malformed_is_recorded(house: House, example: Example, body: Any) -> None:
    """422, or 400 where it is no text at all; nothing of what was sent is in the journal."""
    answer = house.send(example.path, body)
    assert answer.status_code in (400, 422)
    [refused] = house.refused()
    assert ("ann", NOON, f"POST {example.path}") == (refused.by, refused.at, refused.command)
    assert (answer.status_code, digest_of(body, "ann")) == (refused.status, refused.content)
    [entry] = house.entries()
    assert CODE.encode() not in entry.draft.data


@pytest.mark.parametrize("key", [None, "", "two words", "k" * 129])
def test_what_has_no_valid_key_is_recorded(house: House, example: Example, key: str | None) -> None:
    """422; the entry has no key, and says that it was that."""
    assert 422 == house.send(example.path, example.body, key=key).status_code
    [refused] = house.refused()
    assert (422, "ann", None) == (refused.status, refused.by, refused.key)
    assert refused.reason.startswith("malformed: header.Idempotency-Key ")


def test_a_key_that_stands_for_another_command_is_recorded(house: House, example: Example) -> None:
    """409; the first command is what it was, and is answered again."""
    first = house.send(example.path, example.body)
    before = [entry.draft.kind for entry in house.entries()]
    answer = house.send(example.path, example.other)
    assert (409, PROBLEM) == (answer.status_code, answer.headers["content-type"])
    assert "Idempotency-Key 'k-1' was used for another command" in answer.json()["detail"]
    assert [
        RequestRefused(
            command=f"POST {example.path}",
            status=409,
            reason=answer.json()["detail"],
            by="ann",
            at=NOON,
            key="k-1",
            content=digest_of(example.other, "ann"),
        )
    ] == house.refused()
    again = house.send(example.path, example.body)
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert [*before, "request.refused"] == [entry.draft.kind for entry in house.entries()]


@pytest.mark.parametrize("person", [None, "eve"])
@pytest.mark.parametrize("body", [{}, b"{"])
def test_somebody_unknown_is_not_recorded(house: House, example: Example, person: str | None, body: Any) -> None:
    """401, whatever was sent: it is counted, and anybody could fill a journal that forgets nothing."""
    assert 401 == house.send(example.path, body, person=person).status_code
    assert [] == house.entries()
    counted = [
        sample.value
        for metric in house.parts.metrics.http_requests.collect()
        for sample in metric.samples
        if sample.name.endswith("_total") and "401" == sample.labels["status"]
    ]
    assert [1] == counted


def test_the_same_refusal_is_one_entry_a_day(house: House, example: Example) -> None:
    """A client that tries again and again; another person, key, content or day is another refusal."""
    for _ in range(3):
        assert 403 == house.send(example.path, example.body, person="bob").status_code
    assert 1 == len(house.refused())
    house.send(example.path, example.other, person="bob")
    house.send(example.path, example.body, person="bob", key="k-2")
    house.send(example.path, example.body, person="bob", key=None)
    house.send(example.path, {}, person="ann")
    assert 5 == len(house.refused())
    house.clock[0] += timedelta(hours=11, minutes=59)
    house.send(example.path, example.body, person="bob")
    assert 5 == len(house.refused())
    house.clock[0] += timedelta(minutes=1)
    house.send(example.path, example.body, person="bob")
    assert [NOON + timedelta(hours=12)] == [refused.at for refused in house.refused()[5:]]


def test_many_at_once_are_recorded_each_once(house: House, example: Example, url: str) -> None:
    """Two processes, the same refusals through both: none is lost, none is there twice."""
    with a_house(example.service, url, example.role) as other, ThreadPoolExecutor(8) as threads:
        answers = [
            threads.submit(process.send, example.path, example.body, person="bob", key=f"k-{number}")
            for number in range(12)
            for process in (house, other)
        ]
        assert {403} == {answer.result().status_code for answer in answers}
    assert {f"k-{number}" for number in range(12)} == {refused.key for refused in house.refused()}
    assert 12 == len(house.refused())


def test_no_secret_is_in_the_journal(house: House, example: Example) -> None:
    """Neither a token, nor its hash, nor an access code, nor a hash from which it could be guessed."""
    house.send(example.path, example.body)
    house.send(example.path, example.other)
    house.send(example.path, example.body, person="bob")
    written = b"".join(entry.draft.data + entry.draft.source.encode() for entry in house.entries())
    secrets = [CODE, *(f"token of {person}" for person in ("ann", "bob"))]
    hashes = [sha256(secret.encode()).hexdigest() for secret in secrets]
    plain = [sha256(encoded(body)).hexdigest() for body in (example.body, example.other)]
    assert [] == [secret for secret in (*secrets, *hashes, *plain) if secret.encode() in written]


def test_what_is_only_read_is_not_recorded(house: House, example: Example) -> None:
    """No command, no entry: neither a report without the role, nor a method that the path does not take."""
    for method, path in (("GET", example.path), ("DELETE", example.path), ("POST", "/nowhere")):
        assert house.send(path, b"", person="bob", method=method).status_code in (200, 403, 404, 405, 422)
    assert [] == house.entries()


@pytest.mark.parametrize("service", ServiceName)
def test_every_command_of_every_service(databases: Databases, service: ServiceName) -> None:
    """Whatever changes something takes a role, and a person without any is recorded; a service that takes commands
    publishes its refusals, and the others take none."""
    url = settled_database(databases, service)
    try:
        with a_house(service, url) as house:
            paths = house.client.get("/openapi.json").json()["paths"]
            commands = [(path, method) for path, methods in paths.items() for method in methods.keys() - READING]
            assert (service in DECODERS) == bool(commands)
            for path, method in commands:
                place = path.replace("{gaming_day}", DAY).replace("{", "").replace("}", "")
                assert house.send(place, {}, person="bob", method=method.upper()).status_code == 403, path
            refused = house.refused() if commands else []
            assert {403} >= {one.status for one in refused}
            assert len(commands) == len({one.command for one in refused})
    finally:
        databases.drop(url)
