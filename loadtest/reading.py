"""Reporting alone, on servers of its own: for measuring how it reads a month that is there already, and reports it."""

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Final

import httpx
import psycopg
import yaml
from confluent_kafka import Producer

from loadtest.casino import Casino
from loadtest.watch import TooSlow
from shared.contracts.envelope import shard_source
from shared.contracts.topics import PROPERTIES, SUBMISSIONS, Topic
from shared.local import Stack
from shared.local.ports import LOOPBACK, free_port
from shared.local.process import LeashedProcess, ProcessConfig
from shared.runtime.publish.relay import entry_message
from shared.runtime.web.access import token_hash

_COMMAND: Final = (sys.executable, "-P", "-m", "services.cli.main")
_SERVICE: Final = "reporting"
_REGISTRY: Final = "paytable-registry"
_READER: Final = "loadtest.reader"
_READY_SECONDS: Final = 120.0
_FLUSH_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.02
_READ: Final = "SELECT coalesce(sum(next_offset), 0)::bigint FROM reporting.shards WHERE name LIKE '{}/%'"


class Reporting:
    """Servers with the topics and the schema of reporting; its processes run when they are asked to.

    `processes` says how many of them share the partitions.
    """

    def __init__(self, servers: Stack, home: Path, settings: Mapping[str, str]) -> None:
        self._home = home
        self._token = secrets.token_urlsafe(24)
        tokens = home / "api-tokens.yaml"
        known = [{"person": _READER, "token_sha256": token_hash(self._token), "roles": ["reports.read"]}]
        tokens.write_text(yaml.safe_dump(known))
        self.bootstrap_servers = servers.bootstrap_servers
        self.conninfo = servers.database_url.replace("postgresql+psycopg://", "postgresql://", 1)
        self._environment = {
            **os.environ,
            **settings,
            "DATABASE_URL": servers.database_url,
            "KAFKA_BOOTSTRAP_SERVERS": servers.bootstrap_servers,
            "PITLEDGER_API_TOKENS_FILE": str(tokens),
        }
        self._url = ""
        for words in (["topics", "apply"], ["db", "upgrade", f"--service={_SERVICE}"]):
            subprocess.run([*_COMMAND, *words], env=self._environment, check=True, stdout=sys.stderr)  # noqa: S603 - ours

    @contextmanager
    def running(self, processes: int = 1) -> Iterator[Sequence[int]]:
        """Run the service in so many processes, each ready; give their ids."""
        started: list[LeashedProcess] = []
        try:
            ports = [free_port() for _ in range(processes)]
            for number, port in enumerate(ports):
                environment = {"PITLEDGER_HTTP_HOST": LOOPBACK, "PITLEDGER_HTTP_PORT": str(port)}
                config = ProcessConfig(
                    command=[*_COMMAND, "run", _SERVICE],
                    directory=self._home,
                    log=self._home / f"{_SERVICE}-{number}.log",
                    environment=self._environment | environment,
                )
                started.append(LeashedProcess(config))
            self._url = f"http://{LOOPBACK}:{ports[0]}"
            _until(lambda: all(map(_alive, ports)), _READY_SECONDS, "reporting has not started")
            yield [one.pid for one in started]
        finally:
            for one in started:
                one.stop()

    def client(self) -> httpx.Client:
        """Return a client of the process that was started first, as somebody who may read reports."""
        headers = {"authorization": f"Bearer {self._token}"}
        return httpx.Client(base_url=self._url, headers=headers, timeout=_READY_SECONDS, trust_env=False)

    def file(self, where: Casino) -> None:
        """Publish the property and its submissions as the registry does, and wait until they are known."""
        approved = ((PROPERTIES, [where.property]), (SUBMISSIONS, where.submissions))
        for topic, facts in approved:
            self.publish(topic, (_entry(fact, number) for number, fact in enumerate(facts, 1)))
        submissions = len(where.submissions)
        self.wait_for(SUBMISSIONS, submissions, seconds=_READY_SECONDS)

    def publish(self, topic: Topic, messages: Iterable[tuple[bytes, bytes]]) -> int:
        """Publish messages, each a key and a value; return how many, once the broker has all of them."""
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "compression.type": "lz4", "linger.ms": 20})
        count = 0
        for key, value in messages:
            while True:
                try:
                    producer.produce(topic.name, key=key, value=value)
                    break
                except BufferError:
                    producer.poll(_POLL_SECONDS)
            producer.poll(0)
            count += 1
        if left := producer.flush(_FLUSH_SECONDS):
            raise TooSlow(f"the broker has not taken {left} messages of {topic.name}")
        return count

    def wait_for(self, topic: Topic, records: int, *, seconds: float) -> list[tuple[float, int]]:
        """Wait until so many records of a topic are in the read model; return how many there were at which moments.

        Moments are seconds of `time.monotonic`; the first one is that of the first commit seen.
        """
        seen: list[tuple[float, int]] = []
        with psycopg.connect(self.conninfo, autocommit=True) as connection:

            def read() -> bool:
                row = connection.execute(_READ.format(topic.name).encode()).fetchone()
                assert row is not None
                if row[0] and (not seen or seen[-1][1] != row[0]):
                    seen.append((time.monotonic(), row[0]))
                return bool(row[0] >= records)

            _until(read, seconds, f"not all of {records} records of {topic.name} were read")
        return seen


@contextmanager
def reporting_stack(settings: Mapping[str, str]) -> Iterator[Reporting]:
    """Give servers for reporting, with these settings of the service; nothing of them runs afterwards."""
    with TemporaryDirectory(prefix="pitledger-") as home, Stack() as servers:
        yield Reporting(servers, Path(home), settings)


def _alive(port: int) -> bool:
    try:
        return httpx.get(f"http://{LOOPBACK}:{port}/readyz", trust_env=False).status_code != httpx.codes.NOT_FOUND
    except httpx.HTTPError:
        return False


def _entry(fact: Any, number: int) -> tuple[bytes, bytes]:
    """Return what the registry publishes of something that was approved."""
    row = SimpleNamespace(
        seq=number,
        kind=type(fact).KIND.name,
        source=shard_source(_REGISTRY, 1),
        occurred_at=fact.approved_at,
        recorded_at=fact.approved_at,
        hash=fact.hash,
        data=fact.encode().decode(),
    )
    source = shard_source(_REGISTRY, 1)
    return source.encode(), entry_message(source, 1, row)


def _until(done: Callable[[], bool], seconds: float, otherwise: str) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise TooSlow(f"{otherwise} after {seconds:.0f} s")
        time.sleep(_POLL_SECONDS)
