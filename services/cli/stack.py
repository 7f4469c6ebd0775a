"""The whole stack on one machine: database, broker, topics, schemas, and every service as a process of its own."""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from infra.topics import apply as apply_topics
from services.cli.database import explained
from services.cli.environment import variable_of
from services.cli.exits import CommandError, ExitCode, NotThere
from services.cli.home import Home
from services.cli.services import NAMES, load, migrations, roles_of_services
from services.cli.topics import explained_topics
from shared.local import LocalStackError, Stack
from shared.local.ports import LOOPBACK, free_port, port_is_free
from shared.local.process import LeashedProcess, ProcessConfig
from shared.runtime.service.migrations import upgrade
from shared.runtime.settings import Settings

POSTGRES_PORT = 5432
BROKER_PORT = 9092
_READY_SECONDS_MAX = 90.0
_POLL_SECONDS = 0.1
_PROBE_SECONDS_MAX = 5.0

Command = Callable[[str], Sequence[str]]
"""The command line that runs a service."""


def run_service(service: str) -> Sequence[str]:
    """Return the command line of `pitledger run`."""
    return [sys.executable, "-P", "-m", "services.cli.main", "run", service]


@dataclass(frozen=True, slots=True)
class Ended:
    """A part of the stack that is no longer running, with the last that it had to say."""

    name: str
    exit_code: int | None
    log_tail: str


class StackEnded(CommandError):
    """A part of the stack ended by itself."""

    def __init__(self, ended: Ended) -> None:
        code = ended.exit_code
        how = "" if code is None else f" with exit code {code}" if code < 128 else f", killed by signal {code - 128}"
        super().__init__(f"{ended.name} ended by itself{how}; the end of its log stands above")
        self.details = ended.log_tail
        self.exit_code = ExitCode.NOT_THERE if code == ExitCode.NOT_THERE else ExitCode.BUG


class RunningStack:
    """Everything that Pitledger needs, for the length of a `with` block; afterwards nothing of it runs.

    `DATABASE_URL` and `KAFKA_BOOTSTRAP_SERVERS` in `environment` (the process's own by default) name servers to be used
    instead of embedded ones; what else it holds is passed on to the services, and `settings` on top of it.
    `directory` keeps the data between runs; without it they are temporary. `usual_ports` takes the ports of production
    where they are free, otherwise all ports are free ones. `report` is told each step in a few words.
    """

    def __init__(
        self,
        *,
        directory: Path | None = None,
        environment: Mapping[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
        services: Sequence[str] = NAMES,
        partitions: Mapping[str, int] | None = None,
        postgres_settings: Mapping[str, str] | None = None,
        usual_ports: bool = False,
        command: Command = run_service,
        report: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._given = dict(os.environ if environment is None else environment)
        self._settings = dict(settings or {})
        self._directory = directory
        self._partitions = dict(partitions or {})
        self._postgres_settings = postgres_settings
        self._usual_ports = usual_ports
        self._command = command
        self._report = report
        self.services: tuple[str, ...] = tuple(services)
        self._ports: dict[str, int] = {}
        self._processes: dict[str, LeashedProcess] = {}
        self._running = ExitStack()

    # --- what it is ---

    home: Home
    """The directory of the run, once it is entered."""

    @property
    def urls(self) -> Mapping[str, str]:
        """Return where each service listens: `{"reporting": "http://127.0.0.1:8103"}`."""
        return {service: f"http://{LOOPBACK}:{port}" for service, port in self._ports.items()}

    @property
    def database_url(self) -> str:
        """Return the database, as a SQLAlchemy URL."""
        return self._servers.database_url

    @property
    def bootstrap_servers(self) -> str:
        """Return the addresses of the Kafka brokers."""
        return self._servers.bootstrap_servers

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the environment for commands that work on this stack: `{**os.environ, **stack.environment}`."""
        return {
            "DATABASE_URL": self.database_url,
            "KAFKA_BOOTSTRAP_SERVERS": self.bootstrap_servers,
            **self.home.environment,
        }

    def environment_of(self, service: str) -> Mapping[str, str]:
        """Return the whole environment of a service's process."""
        return {
            **self._given,
            **self.environment,
            "PITLEDGER_HTTP_HOST": LOOPBACK,
            "PITLEDGER_HTTP_PORT": str(self._ports[service]),
            **self._settings,
        }

    def settings_for(self, service: str) -> Settings:
        """Return the settings with which a service runs here."""
        given = self.environment_of(service)
        values = {}
        for name, field in Settings.model_fields.items():
            variable = variable_of(name, field)
            if variable in given:
                values[variable if field.validation_alias else name] = given[variable]
        return Settings.model_validate(values)

    # --- start and end ---

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            self._start(starting)
            self._running = starting.pop_all()
        return self

    def __exit__(self, *reason: object) -> None:
        self._running.close()

    def _start(self, starting: ExitStack) -> None:
        self.home = Home(self._directory, starting)
        self._report("starting PostgreSQL and the Kafka broker")
        try:
            self._servers = starting.enter_context(self._new_servers())
        except LocalStackError as error:
            raise NotThere(str(error)) from error
        self._manifests = {service: load(service) for service in self.services}
        self.home.write_tokens(roles_of_services(list(self._manifests.values())))
        self.home.write_keys(self.services)
        self.home.write_environment(self.environment)
        self._report("creating topics and schemas")
        self._prepare()
        self._report(f"starting {', '.join(self.services)}")
        starting.callback(self._stop_all)
        for service in self.services:
            self.start(service)
        self.wait_until_ready()

    def _new_servers(self) -> Stack:
        def usual(port: int, what: str) -> int | None:
            return self._usual(port, what) if self._usual_ports else None

        return Stack(
            environment=self._given,
            directory=None if self._directory is None else self._directory / "postgres",
            postgres_port=None if self._given.get("DATABASE_URL") else usual(POSTGRES_PORT, "PostgreSQL"),
            broker_port=None if self._given.get("KAFKA_BOOTSTRAP_SERVERS") else usual(BROKER_PORT, "the broker"),
            postgres_settings=self._postgres_settings,
        )

    def _usual(self, port: int, what: str) -> int:
        """Return the port, or a free one where somebody else has it."""
        if port_is_free(port):
            return port
        other = free_port()
        self._report(f"port {port} is taken: {what} listens on {other}")
        return other

    def _prepare(self) -> None:
        with ThreadPoolExecutor() as pool:
            topics = pool.submit(apply_topics, self.bootstrap_servers, partitions=self._partitions)
            with explained(self.database_url):
                for service in self.services:
                    upgrade(service, migrations(service), self.database_url)
            with explained_topics():
                topics.result()

    def _stop_all(self) -> None:
        with ThreadPoolExecutor() as pool:
            list(pool.map(self.stop, list(self._processes)))

    # --- the services' processes ---

    def start(self, service: str) -> None:
        """Start a service's process; a service that ran before keeps its port."""
        if service not in self._ports:
            usual = self._manifests[service].port
            self._ports[service] = self._usual(usual, service) if self._usual_ports else free_port()
        self._processes[service] = LeashedProcess(
            ProcessConfig(
                command=self._command(service),
                directory=self.home.path,
                log=self.home.logs / f"{service}.log",
                environment=self.environment_of(service),
                grace_seconds=30.0,
                remove_when_orphaned=self.home.path if self._directory is None else None,
            )
        )

    def stop(self, service: str) -> None:
        """End a service in good order."""
        process = self._processes.pop(service, None)
        if process is not None:
            process.stop()

    def kill(self, service: str) -> None:
        """End a service at once, as `kill -9` does."""
        process = self._processes.pop(service, None)
        if process is not None:
            process.kill()

    def log_tail(self, service: str) -> str:
        """Return the last 4 KiB of a service's log."""
        process = self._processes.get(service)
        return "" if process is None else process.log_tail()

    def ended(self) -> Ended | None:
        """Return the first part of the stack found to have ended by itself."""
        for name, process in self._processes.items():
            if not process.running:
                return Ended(name, process.exit_code, process.log_tail())
        for name, server in (("PostgreSQL", self._servers.postgres), ("the Kafka broker", self._servers.broker)):
            if server is not None and server.pid is None:
                return Ended(name, None, "")
        return None

    def wait_until_ready(self, *, seconds_max: float = _READY_SECONDS_MAX) -> None:
        """Wait until every service that was started says that it is ready.

        Raises: StackEnded when one ends instead; NotThere when one is not ready in time, with its own reasons.
        """
        deadline = time.monotonic() + seconds_max
        waiting = set(self._processes)
        while waiting:
            found = {service: self.not_ready(service) for service in sorted(waiting)}
            waiting = {service for service, reason in found.items() if reason is not None}
            if (ended := self.ended()) is not None:
                raise StackEnded(ended)
            if waiting and time.monotonic() > deadline:
                reasons = "; ".join(f"{service}: {found[service]}" for service in sorted(waiting))
                raise NotThere(f"not ready after {seconds_max:g} s: {reasons}")
            time.sleep(_POLL_SECONDS if waiting else 0)

    def not_ready(self, service: str) -> str | None:
        """Return why a service is not ready, or None when it is."""
        try:
            with urllib.request.urlopen(f"{self.urls[service]}/readyz", timeout=_PROBE_SECONDS_MAX):  # noqa: S310
                return None
        except urllib.error.HTTPError as error:
            with error:
                return str(json.load(error).get("detail", error.reason))
        except OSError as error:
            return f"does not answer ({error})"
