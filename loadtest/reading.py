"""Reporting alone, on servers of its own: for measuring how it reads a month that is there already, and reports it."""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
import psycopg
from confluent_kafka import Producer

from loadtest.casino import Casino
from loadtest.journal import Journal, Published
from loadtest.watch import TooSlow
from shared.contracts.properties import PropertyApproved, PropertyFiled
from shared.contracts.submissions import SubmissionApproved, SubmissionFiled
from shared.contracts.topics import PROPERTIES, Topic
from shared.contracts.versions import fields_of
from shared.local import Stack
from shared.local.issuer import DevelopmentIssuer
from shared.local.ports import LOOPBACK, free_port
from shared.local.process import LeashedProcess, ProcessConfig
from shared.runtime.web.roles import READ_PATRON_REPORTS, READ_REPORTS

_COMMAND: Final = (sys.executable, "-P", "-m", "services.cli.main")
_SERVICE: Final = "reporting"
_REGISTRY: Final = "paytable-registry"
_READER: Final = "loadtest.reader"
_ROLES: Final = (READ_REPORTS.name, READ_PATRON_REPORTS.name)
_READY_SECONDS: Final = 120.0
_FLUSH_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.02
_READ: Final = "SELECT coalesce(sum(next_offset), 0)::bigint FROM reporting.shards WHERE name LIKE '{}/%'"


class Reporting:
    """Servers with the topics and the schema of reporting; its processes run when they are asked to.

    `processes` says how many of them share the partitions.
    """

    def __init__(self, servers: Stack, issuer: DevelopmentIssuer, home: Path, settings: Mapping[str, str]) -> None:
        self._home = home
        self._token = issuer.token(_READER, _ROLES)
        self.bootstrap_servers = servers.bootstrap_servers
        self.conninfo = servers.database_url.replace("postgresql+psycopg://", "postgresql://", 1)
        self._environment = {
            **os.environ,
            **settings,
            "DATABASE_URL": servers.database_url,
            "KAFKA_BOOTSTRAP_SERVERS": servers.bootstrap_servers,
            **issuer.settings,
        }
        self._url = ""
        self.published: Counter[Topic] = Counter()
        self.pitledger("topics", "apply")
        self.pitledger("db", "upgrade", f"--service={_SERVICE}")

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
        """Publish the property and its submissions as the registry does."""
        journal = Journal(_REGISTRY)
        said: list[Published] = []
        filed: PropertyFiled | SubmissionFiled
        facts: tuple[PropertyApproved | SubmissionApproved, ...] = (where.property, *where.submissions)
        for approved in facts:
            if isinstance(approved, PropertyApproved):
                filed = PropertyFiled(**fields_of(approved, PropertyFiled))
            else:
                filed = SubmissionFiled(**fields_of(approved, SubmissionFiled))
            said.append(journal.at_desk(filed, filed.filed_at))
            said.append(journal.at_desk(approved, approved.approved_at))
        self.publish(said)

    def publish(self, messages: Iterable[Published]) -> int:
        """Publish messages; return how many, once the broker has all of them."""
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "compression.type": "lz4", "linger.ms": 20})
        count = 0
        for topic, key, value in messages:
            while True:
                try:
                    producer.produce(topic.name, key=key, value=value)
                    break
                except BufferError:
                    producer.poll(_POLL_SECONDS)
            producer.poll(0)
            self.published[topic] += 1
            count += 1
        if left := producer.flush(_FLUSH_SECONDS):
            raise TooSlow(f"the broker has not taken {left} messages")
        return count

    @property
    def records(self) -> int:
        """Return how many were published, but for topics that every process reads: no shard says how far."""
        return sum(count for topic, count in self.published.items() if topic is not PROPERTIES)

    def progress(self, *, seconds: float) -> Iterator[tuple[float, int]]:
        """Yield how many of `records` are in the read model at which moments, until all of them are.

        Moments are seconds of `time.monotonic`. Raises: TooSlow.
        """
        deadline, before = time.monotonic() + seconds, -1
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            while before < self.records:
                if time.monotonic() > deadline:
                    raise TooSlow(f"{before} of {self.records} records were read after {seconds:.0f} s")
                count = sum(_records_read(connection, topic) for topic in self.published if topic is not PROPERTIES)
                if count != before:
                    yield time.monotonic(), count
                else:
                    time.sleep(_POLL_SECONDS)
                before = count

    def wait_until_tested(self, property_name: str, days: Sequence[date], *, seconds: float) -> float:
        """Wait until the sealed days of a property were tested; return how many seconds that took. Raises: TooSlow."""
        started = time.monotonic()
        with psycopg.connect(self.conninfo, autocommit=True) as connection:

            def tested() -> bool:
                row = connection.execute(_TESTED, (property_name, list(days))).fetchone()
                return row is not None and row[0] == len(days)

            _until(tested, seconds, "not all of the sealed days were tested")
        return time.monotonic() - started

    def pitledger(self, *words: str) -> None:
        """Run a command of ours as the owner of the database. Raises: CalledProcessError."""
        command = [*_COMMAND, *words]
        subprocess.run(command, env=self._environment, check=True, stdout=sys.stderr)  # noqa: S603 - ours


_TESTED: Final = (
    "SELECT count(DISTINCT gaming_day) FROM reporting.evidence_days WHERE property = %s AND gaming_day = ANY(%s)"
)


@contextmanager
def reporting_stack(settings: Mapping[str, str]) -> Iterator[Reporting]:
    """Give servers for reporting, with these settings of the service; nothing of them runs afterwards."""
    with TemporaryDirectory(prefix="pitledger-") as home, DevelopmentIssuer() as issuer, Stack() as servers:
        yield Reporting(servers, issuer, Path(home), settings)


def _alive(port: int) -> bool:
    try:
        return httpx.get(f"http://{LOOPBACK}:{port}/readyz", trust_env=False).status_code != httpx.codes.NOT_FOUND
    except httpx.HTTPError:
        return False


def _records_read(connection: psycopg.Connection[Any], topic: Topic) -> int:
    row = connection.execute(_READ.format(topic.name).encode()).fetchone()
    assert row is not None
    return int(row[0])


def _until(done: Callable[[], bool], seconds: float, otherwise: str) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise TooSlow(f"{otherwise} after {seconds:.0f} s")
        time.sleep(_POLL_SECONDS)
