"""Where a service's story is told, whatever happens meanwhile: a broker, databases, processes, people at the door."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import count
from typing import Any, Self

import httpx
import psycopg

from shared.local.issuer import DevelopmentIssuer
from shared.local.ports import LOOPBACK, free_port
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.kafka import cluster_id
from shared.runtime.kafka_settings import KafkaSettings
from tests.faults.books import Books, books_of, check_order, check_published, without_places
from tests.faults.in_process import database, read
from tests.faults.subject import Ask, Subject
from tests.support import Databases, eventually
from tests.support.identities import name_of
from tests.support.services import Worker, create_topics, produce, query, read_topic
from tests.support.subjects import Shown
from tests.support.worker import MOMENT, Orders

_STANDING = """
    SELECT s.name, s.next_offset, s.next_seq - 1 - r.published_seq
    FROM {schema}.shards s JOIN {schema}.relay r USING (shard)"""
"""How far each shard has read, and how many of its entries are not published."""

_SECONDS_MAX = 60.0


class Stage:
    """A broker that has the topics of the services and what the subject reads for reference, and databases."""

    def __init__(self, subject: Subject, servers: str, databases: Databases) -> None:
        self.subject = subject
        self.servers = servers
        self._databases = databases
        create_topics(servers)
        self._processes = count(1)
        self._cluster_id = cluster_id(KafkaSettings(KAFKA_BOOTSTRAP_SERVERS=servers))
        for topic, messages in subject.references.items():
            produce(servers, topic, messages)

    def tell(self, part: int = 1, parts: int = 1) -> None:
        """Produces the records of the story, or one part of so many."""
        for topic, messages in self.subject.records.items():
            first, last = (len(messages) * end // parts for end in (part - 1, part))
            produce(self.servers, topic, messages[first:last])

    def records(self) -> list[InputRecord]:
        """Everything that the broker holds for the service."""
        topics = (*self.subject.references, *self.subject.records)
        return [record for topic in topics for record in read_topic(self.servers, topic)]

    @contextmanager
    def database(self, *, commands: bool = True) -> Iterator[str]:
        """A database (its URL) as the records find it: after the commands, or, without them, just migrated."""
        url = database(self.subject, self._databases, commands=commands)
        yield url
        self._databases.drop(url)

    @cached_property
    def undisturbed(self) -> Books:
        """What the service comes to when nothing happens to it: the books of a run in this process."""
        with self.database() as url:
            read(self.subject, url, self.records(), cluster_id=self._cluster_id)
            return books_of(self.subject, url)

    @property
    def _scale(self) -> int:
        """How many times the batches of the setting the largest ones of the service are."""
        return max((handler.batch_scale for handler in self.subject.manifest.handlers), default=1)

    def options(self, url: str, orders: Orders | None = None, /, **settings: str) -> dict[str, Any]:
        """The options of a process of the service.

        Its batches are small, so that there are many. Its consumer group is its own unless settings say otherwise: it
        does not wait for the place of a dead member, and believes that every partition is its own.
        """
        return {
            "service": self.subject.name,
            "database_url": url,
            "bootstrap_servers": self.servers,
            "orders": orders,
            "settings": {
                "PITLEDGER_BATCH_RECORDS_MAX": str(max(1, 8 // self._scale)),
                "PITLEDGER_KAFKA_GROUP_PREFIX": f"process-{next(self._processes)}",
            }
            | settings,
        }

    def wait(self, url: str, *workers: Worker) -> None:
        """Waits until everything that the broker holds is recorded and everything that is recorded is published.

        The processes that are named run all the while, and have started.
        """
        ends: dict[str, int] = {}
        for record in self.records():
            ends[f"{record.topic}/{record.partition}@{self._cluster_id}"] = record.offset + 1
        statement, publishes = _STANDING.format(schema=self.subject.schema), self.subject.manifest.publishes is not None

        def done() -> bool:
            for worker in workers:
                assert worker.exit_code is None, worker.log()[-4000:]
                if '"started"' not in worker.log():
                    return False
            standing = query(url, statement)
            read = {name: next_offset for name, next_offset, _ in standing}
            return ends.items() <= read.items() and not (publishes and any(left for _, _, left in standing))

        because = "every record is recorded and every entry is published"
        eventually(done, seconds=_SECONDS_MAX, every=0.2, because=because, retry_on=psycopg.OperationalError)

    def check(self, url: str, topic_prefix: str = "") -> None:
        """The books are those of the undisturbed run and in order; so is what was published.

        Where the entries stand in other shards than undisturbed, only their places and hashes may differ.
        """
        expected, found = self.undisturbed, books_of(self.subject, url)
        if {shard["name"] for shard in expected["shards"]} != {shard["name"] for shard in found["shards"]}:
            expected, found = without_places(expected), without_places(found)
        for table in expected:
            assert expected[table] == found[table], table
        assert expected.keys() == found.keys()
        check_order(self.subject, url)
        if self.subject.manifest.published:
            check_published(self.subject, url, self.servers, topic_prefix)


class Door:
    """The HTTP interface of a service, which one process after the other opens on the same port."""

    def __init__(self, subject: Subject) -> None:
        self._port = free_port()
        self.shown = Shown(subject.name)
        self._issuer = DevelopmentIssuer()
        self._tokens = {
            person: self._issuer.token(name_of(person), roles, at=MOMENT) for person, roles in subject.people.items()
        }
        self.settings: Mapping[str, str] = {"PITLEDGER_HTTP_PORT": str(self._port), **self._issuer.settings}
        self._client = httpx.Client(base_url=f"http://{LOOPBACK}:{self._port}", timeout=20)

    def __enter__(self) -> Self:
        self._issuer.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()
        self._issuer.close()

    def ready(self, worker: Worker, path: str = "/readyz") -> None:
        """Waits until the process is ready, or, for `/healthz`, until it answers."""

        def done() -> bool:
            assert worker.exit_code is None, worker.log()[-4000:]
            return self._client.get(path).status_code == httpx.codes.OK

        eventually(done, seconds=_SECONDS_MAX, because="the service is ready", retry_on=httpx.TransportError)

    def send(self, ask: Ask, key: str) -> httpx.Response:
        """Sends a command once. Raises: httpx.TransportError where it is not answered."""
        headers = ask.headers(key, self._tokens[ask.person])
        body = self.shown.with_subject(partial(self._client.get, headers=headers), ask.path, ask.body, key)
        return self._client.post(ask.path, json=body, headers=headers)

    def token(self, person: str, *roles: str) -> str:
        """A token of somebody with these roles."""
        return self._issuer.token(person, roles, at=MOMENT)

    def get(self, path: str, token: str, *, seconds: float | None = None) -> httpx.Response:
        """Reads something once, and leaves after so many seconds. Raises: httpx.ReadTimeout where it has left."""
        headers = {"Authorization": f"Bearer {token}"}
        return self._client.get(path, headers=headers, timeout=seconds or self._client.timeout)

    def ask_all(self, asks: Sequence[Ask], first: int = 0) -> dict[str, str]:
        """Sends commands one after the other, each until it is answered, under the keys that they have in the story.

        Gives the answers by key.
        """
        answers = {}
        for number, ask in enumerate(asks, first):
            key = f"k-{number}"
            because = f"{ask.path} is answered"
            got = eventually(partial(self._answer, ask, key), seconds=_SECONDS_MAX, because=because)
            assert ask.status == got.status_code, (ask, got.text)
            answers[key] = got.text
        return answers

    def _answer(self, ask: Ask, key: str) -> httpx.Response | None:
        with contextlib.suppress(httpx.TransportError):
            got = self.send(ask, key)
            if got.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                return got
        return None
