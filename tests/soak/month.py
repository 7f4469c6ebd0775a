"""Plays days on services whose clock is ahead by as many days, and looks at each day's end at all that might grow."""

import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import make_url

from services.cli.services import load
from shared.journal.signed_note import Signer
from shared.local import Broker, PostgresServer
from shared.local.account import temporary_directory
from tests.support.answers import get
from tests.support.polling import eventually
from tests.support.properties import OF_ANY_AGE, property_event
from tests.support.rounds import BLACKJACK, LOSING, TABLES, completed, record, submission
from tests.support.services import create_topics, migrate, produce, query, read_topic
from tests.twin.process import OwnProcess

DAY_SECONDS: Final = 86_400
LOG_BYTES_A_DAY: Final = 2_000
"""What a process that has nothing to say may log each day all the same."""
_HOUSE: Final = ZoneInfo("America/New_York")
"""Where the property is; its gaming day begins at four."""
WAIT_SECONDS: Final = 240.0
_SIZES: Final = """
    SELECT schemaname || '.' || relname, pg_relation_size(relid), pg_indexes_size(relid),
           pg_total_relation_size(relid) - pg_relation_size(relid) - pg_indexes_size(relid)
    FROM pg_stat_user_tables"""
_WAL: Final = "SELECT (pg_current_wal_lsn() - '0/0')::bigint"
_OPEN: Final = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name <> ''"
_UNSIGNED: Final = """
    SELECT count(*) FROM {0}.shards s WHERE next_seq > 1 AND NOT EXISTS (
        SELECT FROM {0}.checkpoints c WHERE c.shard = s.shard AND c.size = s.next_seq - 1)"""
_READ: Final = "SELECT coalesce(sum(next_offset), 0) FROM {0}.shards WHERE name LIKE '{1}/%'"


@dataclass(frozen=True, slots=True)
class Held:
    """What one process holds at a day's end: KiB of memory, open files, threads, series of metrics, bytes of log."""

    memory_kib: int
    files: int
    threads: int
    series: int
    log_bytes: int


@dataclass(frozen=True, slots=True)
class Evening:
    """What there is when the rounds of a day are settled, published, read and signed."""

    rounds: int
    processes: dict[str, Held]
    connections: int
    checkpoint_files: int
    checkpoint_bytes: int
    wal_bytes: int
    tables: dict[str, tuple[int, int, int]]
    """Of each table its bytes, those of its indexes, and the rest."""


@dataclass
class Month:
    """A stack of which each service is a process of its own; `play` plays the next day."""

    services: Sequence[str]
    processes: dict[str, OwnProcess]
    database_url: str
    bootstrap_servers: str
    checkpoints: Path
    evenings: list[Evening] = field(default_factory=list)
    rounds: int = 0

    def play(self, rounds_of_table: int) -> Evening:
        """Play so many rounds at each of the tables on the next day, and wait until nothing of them is left to do."""
        number = len(self.evenings)
        for process in self.processes.values():
            process.shift(number * DAY_SECONDS)
        now = datetime.now(UTC) + timedelta(days=number)
        day = (now.astimezone(_HOUSE) - timedelta(hours=4)).date().isoformat()
        moment = now.isoformat()
        events = []
        for table in TABLES:
            for one in range(rounds_of_table):
                sequence = number * rounds_of_table + one + 1
                played = record(BLACKJACK if one % 3 else LOSING)
                said = {"gaming_day": day, "opened_at": moment, "closed_at": moment}
                events.append(completed(table, sequence, f"{day}-{one}", played, **said) | {"time": moment})
        produce(self.bootstrap_servers, "table.events", events)
        self.rounds += len(events)
        eventually(self._is_read, because=f"day {number + 1} is read", seconds=WAIT_SECONDS)
        for service in self.services:
            signed = partial(self._is_signed, service)
            eventually(signed, because=f"{service} signed day {number + 1}", seconds=WAIT_SECONDS)
        for service in self.services:
            refused = query(self.database_url, f"SELECT reason FROM {schema(service)}.quarantine LIMIT 3")
            assert [] == refused, f"{service}: {refused}"
        self.evenings.append(self._look())
        return self.evenings[-1]

    def _number(self, statement: str) -> int:
        return int(query(self.database_url, statement)[0][0])

    def _is_signed(self, service: str) -> bool:
        return self._number(_UNSIGNED.format(schema(service))) == 0

    def _is_read(self) -> bool:
        """Whether every service has read all that there is for it, and says that it has nothing left to do."""
        settled = self._number(_READ.format("round_settlement", "table.events"))
        if settled != self.rounds:
            return False
        for service in self.services[1:]:
            if self._number(_READ.format(schema(service), "settlements")) < self.rounds:
                return False
        return all(self._lag(process) == 0 for process in self.processes.values())

    @staticmethod
    def _lag(process: OwnProcess) -> float:
        lags = re.findall(r"^pitledger_consumer_lag_records\{.*\} (.+)$", metrics(process), re.MULTILINE)
        return sum(map(float, lags))

    def _look(self) -> Evening:
        files = [file for file in self.checkpoints.rglob("*") if file.is_file()]
        return Evening(
            rounds=self.rounds,
            processes={name: held(process) for name, process in self.processes.items()},
            connections=self._number(_OPEN),
            checkpoint_files=len(files),
            checkpoint_bytes=sum(file.stat().st_size for file in files),
            wal_bytes=self._number(_WAL),
            tables={name: (table, indexes, rest) for name, table, indexes, rest in query(self.database_url, _SIZES)},
        )

    def topic_bytes(self, topic: str) -> int:
        """Keys and values on a topic, without what the broker adds and before what it compresses."""
        return sum(len(one.key or b"") + len(one.value) for one in read_topic(self.bootstrap_servers, topic))


def schema(service: str) -> str:
    """Return the schema of a service."""
    return service.replace("-", "_")


def metrics(process: OwnProcess) -> str:
    """Return the open metrics of a process."""
    return get(f"{process.url}/metrics", timeout=30).text


def held(process: OwnProcess) -> Held:
    """Look at a process."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    said = dict(re.findall(r"^(VmRSS|Threads):\s+(\d+)", status, re.MULTILINE))
    lines = [line for line in metrics(process).splitlines() if line and not line.startswith("#")]
    return Held(
        memory_kib=int(said["VmRSS"]),
        files=len(os.listdir(f"/proc/{process.pid}/fd")),  # noqa: PTH208 - it is no directory of ours
        threads=int(said["Threads"]),
        series=len(lines),
        log_bytes=process.log.stat().st_size,
    )


@contextmanager
def month(services: Sequence[str]) -> Iterator[Month]:
    """A stack of these services, round settlement the first, that knows a property and its rules."""
    home = temporary_directory("pitledger-soak-", None)
    checkpoints = home / "checkpoints"
    checkpoints.mkdir()
    with ExitStack() as running:
        running.callback(shutil.rmtree, home)
        postgres, broker = running.enter_context(PostgresServer()), running.enter_context(Broker())
        create_topics(broker.bootstrap_servers)
        for service in services:
            migrate(postgres.url, service)
        produce(broker.bootstrap_servers, "properties", [property_event(plausibility=OF_ANY_AGE)])
        produce(broker.bootstrap_servers, "submissions", [submission()])
        processes: dict[str, OwnProcess] = {}
        for number, service in enumerate(services):
            key = Ed25519PrivateKey.generate()
            file = home / f"{service}.pem"
            file.write_bytes(
                key.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
                )
            )
            file.chmod(0o600)
            verifiers = home / f"{service}.txt"
            verifiers.write_text(f"{Signer(f'pitledger/{service}', key).verifier}\n")
            processes[service] = OwnProcess(service, number, home)
            processes[service].start(
                {
                    **os.environ,
                    "DATABASE_URL": make_url(postgres.url).render_as_string(hide_password=False),
                    "KAFKA_BOOTSTRAP_SERVERS": broker.bootstrap_servers,
                    "PITLEDGER_MESSAGE_AUTHENTICATION": "off",
                    "PITLEDGER_CHECKPOINT_DIRECTORY": str(checkpoints),
                    "PITLEDGER_CHECKPOINT_KEY_FILE": str(file),
                    "PITLEDGER_CHECKPOINT_VERIFIERS_FILE": str(verifiers),
                    "PITLEDGER_CHECKPOINT_SECONDS": "1",
                    "PITLEDGER_VERIFICATION_SECONDS": "1",
                    "PITLEDGER_COMPARISON_SECONDS": "5",
                }
            )
            running.callback(processes[service].stop)
        found = Month(services, processes, postgres.url, broker.bootstrap_servers, checkpoints)
        for process in processes.values():
            eventually(process.ready, because=f"{process.name} is ready", seconds=WAIT_SECONDS)
        yield found


def unbounded(evenings: Sequence[Evening]) -> list[str]:
    """Return what has grown with time, from when a third of the days were over, so that all is loaded, to the last."""
    early, late = evenings[len(evenings) // 3], evenings[-1]
    found = []

    def bounded(what: str, before: float, after: float, most: float) -> None:
        if after > most:
            found.append(f"{what}: {before:,.0f} after a third of the days, {after:,.0f} in the end")

    bounded("connections to the database", early.connections, late.connections, early.connections + 4)
    bounded("files of checkpoints", early.checkpoint_files, late.checkpoint_files, early.checkpoint_files)
    for name, before in early.processes.items():
        after = late.processes[name]
        bounded(f"{name}: open files", before.files, after.files, before.files + 12)
        bounded(f"{name}: threads", before.threads, after.threads, before.threads + 8)
        bounded(f"{name}: series of metrics", before.series, after.series, before.series * 1.05)
        most = before.log_bytes + LOG_BYTES_A_DAY * (len(evenings) - 1 - len(evenings) // 3)
        bounded(f"{name}: bytes of log", before.log_bytes, after.log_bytes, most)
        bounded(f"{name}: KiB of memory", before.memory_kib, after.memory_kib, before.memory_kib * 1.25 + 16_384)
    return found


def growth(evenings: Sequence[Evening], topics: dict[str, int]) -> Iterator[str]:
    """Yield what a million rounds add, in MB, in Markdown; of topics all that is on them counts."""
    early, late = evenings[len(evenings) // 3], evenings[-1]
    rounds = late.rounds - early.rounds

    def of_million(size: float, over: int = rounds) -> str:
        return f"{size / over:,.0f}"

    yield "| what | MB a million rounds |"
    yield "|---|---|"
    added = {
        name: tuple(now - before for now, before in zip(sizes, early.tables.get(name, (0, 0, 0)), strict=True))
        for name, sizes in late.tables.items()
    }
    for name, sizes in sorted(added.items(), key=lambda one: -sum(one[1])):
        if sum(sizes) > 8 * rounds:  # 8 bytes a round
            yield f"| table `{name}`, with {of_million(sizes[1])} of indexes | {of_million(sum(sizes))} |"
    yield f"| all tables | {of_million(sum(map(sum, added.values())))} |"
    yield f"| WAL | {of_million(late.wal_bytes - early.wal_bytes)} |"
    for topic, size in topics.items():
        yield f"| topic `{topic}` | {of_million(size, late.rounds)} |"
    logs = sum(now.log_bytes - early.processes[name].log_bytes for name, now in late.processes.items())
    yield f"| logs, in {len(evenings) - len(evenings) // 3 - 1} days | {logs / 1e6:,.2f} in all |"
    yield f"| files of checkpoints | {early.checkpoint_files}, and {late.checkpoint_files} in the end |"


def as_json(evenings: Sequence[Evening]) -> str:
    """Return the evenings as JSON lines."""
    return "".join(json.dumps(asdict(one)) + "\n" for one in evenings)


def names() -> list[str]:
    """Return the services that follow from rounds, round settlement the first."""
    return ["round-settlement", *(name for name in ("table-inventory", "reporting", "vigorish") if load(name))]
