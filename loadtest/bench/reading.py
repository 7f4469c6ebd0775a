"""Run only the reporting service, on separate servers, to measure its reading and its reports of a generated month."""

import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from itertools import islice
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
import psycopg
from confluent_kafka import Producer

from loadtest.traffic.casino import Casino
from loadtest.traffic.journal import Journal, Published
from loadtest.traffic.progress import TooSlow
from loadtest.traffic.target import conninfo_of
from shared.contracts.properties import PropertyApproved, PropertyFiled
from shared.contracts.submissions import SubmissionApproved, SubmissionFiled
from shared.contracts.topics import PROPERTIES, TOPICS, Topic
from shared.contracts.versions import fields_of
from shared.journal.signed_batch import HEADER, message_bytes, sign_batch, signer_name
from shared.journal.signed_note import Signer
from shared.local import Stack
from shared.local.issuer import DevelopmentIssuer
from shared.local.ports import LOOPBACK, free_port
from shared.local.process import ManagedProcess, ProcessConfig
from shared.runtime.http.roles import READ_PATRON_REPORTS, READ_REPORTS

_COMMAND: Final = (sys.executable, "-P", "-m", "services.cli.main")
_SERVICE: Final = "reporting"
_REGISTRY: Final = "paytable-registry"
_READER: Final = "loadtest.reader"
_ROLES: Final = (READ_REPORTS.name, READ_PATRON_REPORTS.name)
_READY_SECONDS: Final = 120.0
_FLUSH_SECONDS: Final = 120.0
_SIGNED_TOGETHER: Final = 500
"""The number of messages signed together, as a relay does."""
_NOBODY: Final = SSLContext(PROTOCOL_TLS_CLIENT)
"""A TLS context without certificates, to save loading the trust store for each request; no request uses TLS."""
_POLL_SECONDS: Final = 0.02
_READ: Final = "SELECT coalesce(sum(next_offset), 0)::bigint FROM reporting.shards WHERE name LIKE '{}/%'"


class Reporting:
    """Servers with reporting's topics and schema, and reporting processes that are started on request."""

    def __init__(self, servers: Stack, issuer: DevelopmentIssuer, home: Path, settings: Mapping[str, str]) -> None:
        self._home = home
        publishers = {_SERVICE, *(topic.publisher for topic in TOPICS if topic.publisher is not None)}
        self._signers = {service: Signer.generate(signer_name(service)) for service in publishers}
        key, verifiers = home / f"{_SERVICE}.pem", home / "verifiers.txt"
        self._signers[_SERVICE].to_pem(key)
        verifiers.write_text("".join(f"{signer.verifier}\n" for signer in self._signers.values()))
        self._token = issuer.token(_READER, _ROLES)
        self.bootstrap_servers = servers.bootstrap_servers
        self.conninfo = conninfo_of(servers.database_url)
        self.administrator = self.conninfo if servers.postgres is None else conninfo_of(servers.postgres.url)
        self._environment = {
            **os.environ,
            **settings,
            "DATABASE_URL": servers.database_url,
            "KAFKA_BOOTSTRAP_SERVERS": servers.bootstrap_servers,
            "PITLEDGER_MESSAGE_AUTHENTICATION": "required",
            "PITLEDGER_CHECKPOINT_KEY_FILE": str(key),
            "PITLEDGER_CHECKPOINT_DIRECTORY": str(home / "checkpoints"),
            "PITLEDGER_CHECKPOINT_VERIFIERS_FILE": str(verifiers),
            **issuer.settings,
        }
        self._url = ""
        self.published: Counter[Topic] = Counter()
        self.pitledger("topics", "apply")
        self.pitledger("db", "upgrade", f"--service={_SERVICE}")

    @contextmanager
    def running(self, processes: int = 1) -> Iterator[Sequence[int]]:
        """Run reporting in this number of processes; yield the process ids once all are ready."""
        started: list[ManagedProcess] = []
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
                started.append(ManagedProcess(config))
            self._url = f"http://{LOOPBACK}:{ports[0]}"
            _until(lambda: _answer(started, ports), _READY_SECONDS, "reporting has not started")
            yield [one.pid for one in started]
        finally:
            for one in started:
                one.stop()

    def client(self) -> httpx.Client:
        """Return a client of the first process, with a token that may read reports."""
        headers = {"authorization": f"Bearer {self._token}"}
        return httpx.Client(base_url=self._url, headers=headers, timeout=_READY_SECONDS, trust_env=False)

    def file(self, where: Casino) -> None:
        """Publish the facts that file and approve the property and its submissions, as the registry would."""
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
        """Publish messages, signed with their services' keys; return their number once the broker has all of them."""
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "compression.type": "lz4", "linger.ms": 20})
        count = 0
        for (topic, key, value), proof in self._signed(messages):
            while True:
                try:
                    producer.produce(topic.name, key=key, value=value, headers=[(HEADER, proof)])
                    break
                except BufferError:
                    producer.poll(_POLL_SECONDS)
            producer.poll(0)
            self.published[topic] += 1
            count += 1
        if left := producer.flush(_FLUSH_SECONDS):
            raise TooSlow(f"the broker has not taken {left} messages")
        return count

    def _signed(self, messages: Iterable[Published]) -> Iterator[tuple[Published, bytes]]:
        """Yield messages with their signatures; consecutive messages of one publisher are signed together."""
        left = iter(messages)
        while part := list(islice(left, _SIGNED_TOGETHER)):
            of: defaultdict[str, list[Published]] = defaultdict(list)
            for message in part:
                of[str(message.topic.publisher)].append(message)
            proofs = {
                publisher: iter(sign_batch(self._signers[publisher], [_bytes_of(message) for message in own]))
                for publisher, own in of.items()
            }
            for message in part:
                yield message, next(proofs[str(message.topic.publisher)])

    @property
    def records(self) -> int:
        """Return the number of published messages, except on `properties`, which every process reads completely."""
        return sum(count for topic, count in self.published.items() if topic is not PROPERTIES)

    def progress(self, *, seconds: float) -> Iterator[tuple[float, int]]:
        """Yield a time and the number of `records` read into the read model at every change, until all are read.

        The time is in seconds of `time.monotonic`. Raises: TooSlow.
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

    def wait_until_read(self, *, seconds: float) -> float:
        """Wait until all `records` are in the read model; return the elapsed seconds. Raises: TooSlow."""
        started = time.monotonic()
        for _ in self.progress(seconds=seconds):
            pass
        return time.monotonic() - started

    def wait_until_tested(self, property_name: str, days: Sequence[date], *, seconds: float) -> float:
        """Wait until the fairness tests of these sealed days have run; return the elapsed seconds. Raises: TooSlow."""
        started = time.monotonic()
        with psycopg.connect(self.conninfo, autocommit=True) as connection:

            def tested() -> bool:
                row = connection.execute(_TESTED, (property_name, list(days))).fetchone()
                return row is not None and row[0] == len(days)

            _until(tested, seconds, "not all of the sealed days were tested")
        return time.monotonic() - started

    def pitledger(self, *words: str) -> None:
        """Run a `pitledger` command as the owner of the database. Raises: CalledProcessError."""
        command = [*_COMMAND, *words]
        subprocess.run(command, env=self._environment, check=True, stdout=sys.stderr)  # noqa: S603 - ours


_TESTED: Final = (
    "SELECT count(DISTINCT gaming_day) FROM reporting.evidence_days WHERE property = %s AND gaming_day = ANY(%s)"
)


@contextmanager
def reporting_stack(settings: Mapping[str, str]) -> Iterator[Reporting]:
    """Yield servers for reporting, with these service settings; everything is stopped afterwards.

    An embedded database gets a quarter of the memory as shared buffers, as on a dedicated server.
    """
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    pages = {"shared_buffers": f"{memory // 4 // 2**20}MB"}
    with TemporaryDirectory(prefix="pitledger-") as home, ExitStack() as running:
        issuer = running.enter_context(DevelopmentIssuer())
        yield Reporting(running.enter_context(Stack(postgres_settings=pages)), issuer, Path(home), settings)


def _bytes_of(message: Published) -> bytes:
    return message_bytes(message.topic.name, message.key, message.value)


def _answer(processes: Sequence[ManagedProcess], ports: Iterable[int]) -> bool:
    """Return whether all processes respond. Raises: TooSlow if a process has ended, with the end of its log."""
    for process in processes:
        if not process.running:
            raise TooSlow(f"reporting has not started:\n{process.log_tail()}")
    return all(map(_alive, ports))


def _alive(port: int) -> bool:
    try:
        ready = httpx.get(f"http://{LOOPBACK}:{port}/readyz", trust_env=False, verify=_NOBODY)
        return ready.status_code != httpx.codes.NOT_FOUND
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
