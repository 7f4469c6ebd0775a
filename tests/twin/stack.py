"""The stack of the twin: `pitledger up` on its own servers, and beside it processes that it may do things to."""

import os
import shutil
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Final

import psycopg

from loadtest.bench.stack import environment_of
from services.cli.exits import StackEnded
from services.cli.services import NAMES, load
from services.cli.stack.supervision import Part, Supervisor
from shared.local import KafkaServer, PostgresServer
from shared.local.errors import LocalStackError
from shared.local.server import KeptServer
from shared.runtime.database_names import role_of
from shared.runtime.kafka import topic_log
from shared.runtime.kafka_settings import KafkaSettings
from tests.attacks.pace import SETTINGS
from tests.attacks.stack import Attacked
from tests.support.up import up
from tests.twin.patience import PATIENT_SECONDS
from tests.twin.process import OwnProcess
from tests.twin.servers import Servers

POSTGRES: Final = PostgresServer.name
KAFKA: Final = KafkaServer.name
SETTLEMENT: Final = "round-settlement"
ACCOUNTS: Final = "wagering-accounts"
_LOOK_SECONDS: Final = 0.2

_UNPUBLISHED: Final = """
    SELECT coalesce(sum(s.next_seq - 1 - r.published_seq), 0) FROM {0}.shards s JOIN {0}.relay r USING (shard)"""
_READ: Final = """
    SELECT coalesce(sum(next_offset), 0) FROM {0}.shards WHERE name LIKE '{1}/%'"""


class Twin(Attacked):
    """All services but round settlement by `pitledger up`; that in two processes of the twin, accounts in one more.

    Whatever ends by itself is started again.
    """

    command_seconds_max = 2 * PATIENT_SECONDS

    def __init__(self, *, services: Sequence[str] = NAMES, small_disks: bool = False) -> None:
        super().__init__(None)
        self.services = services
        self.started_again: list[str] = []
        self.held: set[str] = set()
        """The servers that somebody else looks after for now."""
        self.both = Servers(self.directory / "servers", small_disks=small_disks)
        self._over = Event()
        self._kept = False

    def start(self) -> float:
        """Start everything; return the seconds until every service was ready."""
        began = time.monotonic()
        self.both.directory.mkdir()
        self.both.directory.chmod(0o755)
        self._running.enter_context(self.both)
        kept = self.directory / "stack"
        kept.mkdir()
        given = {
            "DATABASE_URL": self.both.wire.url,
            "KAFKA_BOOTSTRAP_SERVERS": f"127.0.0.1:{self.both.line.port}",
        }
        self.up = self._running.enter_context(
            up(
                kept,
                services=[one for one in self.services if one != SETTLEMENT],
                settings=SETTINGS | given,
            )
        )
        upgraded = self.command("db", "upgrade")
        assert upgraded.code == 0, upgraded.said
        self.pair = [self._own(SETTLEMENT, 1), self._own(SETTLEMENT, 2)]
        self.accounts = self._own(ACCOUNTS, 1)
        self._running.callback(self._end)
        self._supervising = Thread(target=self._supervise, daemon=True)
        self._supervising.start()
        for process in self.processes:
            process.wait_until_ready()
        self.wait_until_ready(*self.services, seconds=PATIENT_SECONDS)
        return time.monotonic() - began

    def _own(self, service: str, number: int) -> OwnProcess:
        keys = Path(self.up.document["verifiers_file"]).parent
        process = OwnProcess(service, number, self.directory)
        own = {"PITLEDGER_CHECKPOINT_KEY_FILE": str(keys / f"{service}.pem"), "PITLEDGER_LOG_FORMAT": "json"}
        process.start({**os.environ, **environment_of(dict(self.up.document)), **SETTINGS, **own})
        self._running.callback(process.stop)
        return process

    @property
    def processes(self) -> Sequence[OwnProcess]:
        """Return the processes of the twin's own."""
        return [*self.pair, self.accounts]

    @property
    def urls(self) -> Mapping[str, str]:
        """Where each service listens: round settlement with the first of its processes."""
        return {**super().urls, SETTLEMENT: self.pair[0].url, ACCOUNTS: self.accounts.url}

    def _end(self) -> None:
        self._over.set()
        self._supervising.join()

    def _supervise(self) -> None:
        parts = [Part(process.name, process.ended, process.start) for process in self.processes]
        for name in (POSTGRES, KAFKA):
            parts.append(Part(name, partial(self._server_ended, name), partial(self.start_server, name)))
        supervisor = Supervisor(parts, report=self.started_again.append)
        while not self._over.wait(_LOOK_SECONDS):
            supervisor.look()

    def server(self, name: str) -> KeptServer:
        """Return a server by its name."""
        return self.both.primary if name == POSTGRES else self.both.kafka

    def _server_ended(self, name: str) -> StackEnded | None:
        return StackEnded(name) if name not in self.held and self.server(name).pid is None else None

    def start_server(self, name: str) -> bool:
        """Start a server again that has ended. Raises: LocalStackError."""
        server = self.server(name)
        try:
            if server.pid is None:
                server.kill()  # what is left of it
                server.start()
        except (psycopg.Error, OSError) as error:  # its disk may be full
            raise LocalStackError(f"{name}: {error}") from error
        return True

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        """Look after a server by oneself, for the length of the block."""
        self.held.add(name)
        try:
            yield
        finally:
            self.held.discard(name)

    def kill_all(self, service: str) -> None:
        """Kill every process of a service, each of which is started again."""
        pids = [one.pid for one in self.processes if one.service == service]
        if service != SETTLEMENT:
            pids.append(self.up.pid_of_service(service))
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    # --- what is left of it ---

    def keep(self) -> Path:
        """Keep what it and its servers have written past its end; return where."""
        self._kept = True
        for name in (POSTGRES, KAFKA):
            log = self.log_of(name)
            with suppress(OSError):
                shutil.copy2(log, self.directory / log.name)
        return self.directory

    def log_of(self, name: str) -> Path:
        """Return the log of a server."""
        return self.server(name)._home / ("postgres.log" if name == POSTGRES else "broker.log")

    def close(self) -> None:
        """End all; delete what was not to be kept."""
        if self._kept:
            self.stop()
        else:
            super().close()

    # --- whether it is at rest ---

    def behind(self) -> list[str]:
        """Return what is not read, not published or not signed yet: nothing where all is at rest."""
        found = []
        kafka = KafkaSettings(KAFKA_BOOTSTRAP_SERVERS=self.servers)
        for service in self.services:
            manifest, schema = load(service), role_of(service)
            [(left,)] = self.rows(_UNPUBLISHED.format(schema)) if manifest.publishes is not None else [(0,)]
            if left:
                found.append(f"{service} has {left} entries to publish")
            for topic in (handler().topic for handler in manifest.handlers):
                end = sum(last for _, last in topic_log(kafka, topic).bounds.values())
                [(read,)] = self.rows(_READ.format(schema, topic))
                if read < end:
                    found.append(f"{service} has read {read} of {end} records of {topic}")
        return found
