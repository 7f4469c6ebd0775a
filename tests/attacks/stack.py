"""A durable stack as a user starts it, with a gaming day in its books: what is attacked, and how it is looked at."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

import httpx
import psycopg
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import make_url

from loadtest.traffic.target import Target
from services.cli.services import NAMES, TOKEN_VARIABLE
from shared.local.account import remove, temporary_directory, unprivileged_account
from shared.local.process import log_tail
from tests.attacks.pace import SETTINGS
from tests.attacks.prometheus import Prometheus
from tests.support import eventually
from tests.support.answers import get
from tests.support.up import Up, up

CANARY: Final = "a-secret-of-the-environment"
_MESSAGES: Final = 10
"""How many of the last messages of `pitledger up` are told of a service that is not ready."""
_READY_SECONDS: Final = 90.0
REVOKED: Final = "revoked.txt"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of ours that has ended: its exit code, all that it said, and how long it took."""

    code: int
    said: str
    seconds: float


class Attacked:
    """A running stack, in a directory that is deleted at the end."""

    up: Up
    command_seconds_max: ClassVar[float] = 180.0
    """How long a command of ours may take."""

    def __init__(self, prometheus: Prometheus | None) -> None:
        self.prometheus = prometheus
        self.directory = temporary_directory("pitledger-attacks-", unprivileged_account())
        self.revoked = self.directory / REVOKED
        self.revoked.write_text("[]\n")
        self._guests: dict[str, tuple[str, Path]] = {}
        self._running = ExitStack()

    def start(self) -> float:
        """Start the stack; return the seconds until every service was ready."""
        began = time.monotonic()
        self.begin()
        self.wait_until_ready()
        return time.monotonic() - began

    def begin(self) -> None:
        """Start the stack, as a process of its own, whether its services will be ready or not."""
        settings = SETTINGS | {"SOME_PASSWORD": CANARY, "PITLEDGER_OIDC_REVOKED_FILE": str(self.revoked)}
        self.up = self._running.enter_context(up(self.directory, settings=settings))
        if self.prometheus is not None:
            self.prometheus.look_at(self.urls)

    def stop(self) -> None:
        """Kill what runs; what was kept stays."""
        self._running.close()

    def close(self) -> None:
        """Kill what runs, and delete all."""
        self.stop()
        remove(self.directory)

    # --- what it is ---

    @property
    def urls(self) -> Mapping[str, str]:
        """Where each service listens, and who else runs beside them."""
        return {**self.up.document["services"], **{name: url for name, (url, _) in self._guests.items()}}

    @contextmanager
    def guest(self, name: str, url: str, log: Path) -> Iterator[None]:
        """Look at one more process, which is not of the stack, as long as the block lasts."""
        self._guests[name] = url, log
        if self.prometheus is not None:
            self.prometheus.look_at(self.urls)
        yield
        del self._guests[name]

    @property
    def servers(self) -> str:
        """The address of Kafka."""
        return self.up.servers

    @property
    def tokens(self) -> dict[str, str]:
        """Return the token of each person."""
        people = json.loads(Path(self.up.document["tokens_file"]).read_text())
        return {one["person"]: one["token"] for one in people}

    @property
    def target(self) -> Target:
        """Return the stack as the simulator knows it."""
        tokens = self.tokens
        return Target(
            bootstrap_servers=self.servers,
            database_url=self.up.environment["DATABASE_URL"],
            registry_url=self.urls["paytable-registry"],
            filer_token=tokens["demo.filer"],
            approver_token=tokens["demo.approver"],
        )

    @property
    def superuser_url(self) -> str:
        """Return the database as its superuser, whose password lies beside the data."""
        password = (self.directory / "postgres" / "superuser-password").read_text()
        url = make_url(self.up.environment["DATABASE_URL"]).set(username="postgres", password=password)
        return url.render_as_string(hide_password=False)

    @contextmanager
    def superuser(self) -> Iterator[psycopg.Connection[Any]]:
        """Give a connection past all triggers, committed at the end."""
        with psycopg.connect(self.superuser_url.replace("+psycopg", "")) as connection:
            connection.execute("SET session_replication_role = replica")
            yield connection

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.up.rows(statement)

    # --- what it says ---

    def metric(self, service: str, name: str, labels: Mapping[str, str] | None = None) -> float:
        """Return a figure of a service, added up over all labels but these."""
        text = get(f"{self.urls[service]}/metrics", timeout=30).raise_for_status().text
        wanted = (labels or {}).items()
        return sum(
            sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == name and sample.labels.items() >= wanted
        )

    def not_ready(self, service: str) -> str:
        """Return why a service is not ready, one reason a line; nothing where it is."""
        try:
            answer = get(f"{self.urls[service]}/readyz", timeout=30)
        except httpx.HTTPError as error:
            return f"does not answer: {error!r}"
        if answer.is_success:
            return ""
        document = answer.json()
        if "checks" not in document:  # a confidential service names what is not good, and not why
            return f"503 {document['detail']}"
        return "\n".join(f"503 {name}: {said}" for name, said in document["checks"].items() if said is not None)

    def wait_until_ready(self, *services: str, seconds: float = _READY_SECONDS) -> float:
        """Wait until services are ready, all unless told; return the seconds."""
        began = time.monotonic()
        for service in services or NAMES:
            try:
                eventually(partial(self._is_ready, service), because=f"{service} is ready", seconds=seconds)
            except AssertionError as late:
                told = "\n".join([*self.up.messages()[-_MESSAGES:], log_tail(self.log(service))])
                raise AssertionError(f"{late}: {self.not_ready(service)}\n{told}") from late
        return time.monotonic() - began

    def _is_ready(self, service: str) -> bool:
        return not self.not_ready(service)

    def log(self, service: str) -> Path:
        """Return the log of a service."""
        if service in self._guests:
            return self._guests[service][1]
        return Path(self.up.document["logs"]) / f"{service}.log"

    def command(self, *words: str, **environment: str | None) -> Command:
        """Run a command of ours in the environment of the stack, changed by this: None leaves a variable out."""
        of_stack = dict(os.environ) | dict(self.up.environment) | {"PITLEDGER_LOG_FORMAT": "json"}
        changed = of_stack | environment
        began = time.monotonic()
        ended = subprocess.run(
            [sys.executable, "-P", "-m", "services.cli.main", *words],
            env={name: value for name, value in changed.items() if value is not None} | {"COLUMNS": "400"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=self.command_seconds_max,
            check=False,
        )
        return Command(ended.returncode, ended.stdout, time.monotonic() - began)

    def command_as(self, person: str, *words: str) -> Command:
        """Run a command of ours with a person's token."""
        return self.command(*words, **{TOKEN_VARIABLE: self.tokens[person]})

    # --- what is done to it ---

    def kill(self, service: str) -> float:
        """Kill a service; return the seconds until it was started again, and ready."""
        began, pid = time.monotonic(), self.up.pid_of_service(service)
        os.kill(pid, signal.SIGKILL)
        eventually(partial(self._is_another, service, pid), because=f"{service} is started again")
        self.wait_until_ready(service)
        return time.monotonic() - began

    def _is_another(self, service: str, pid: int) -> bool:
        try:
            return self.up.pid_of_service(service) != pid and self.metric(service, "pitledger_info") == 1
        except (StopIteration, httpx.HTTPError):
            return False  # between two processes

    @contextmanager
    def mended(self, *services: str) -> Iterator[None]:
        """Keep all tables of services aside, and put them back after the block, whatever was done to them.

        Nothing may be recorded and signed in the block: what is put back would be a journal that was set back. A
        service holds what it has found against its journal as long as it lives: it is killed, and starts anew.
        """
        schemas = [service.replace("-", "_") for service in services]
        with self.superuser() as connection:
            for schema in schemas:
                _copy(connection, schema)
        yield
        for service, schema in zip(services, schemas, strict=True):
            with self.superuser() as connection:
                _put_back(connection, schema)
            self.kill(service)


def _tables(connection: psycopg.Connection[Any], schema: str) -> Sequence[str]:
    query = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s AND table_type = 'BASE TABLE'"
    return [name for (name,) in connection.execute(query, [schema])]


def _copy(connection: psycopg.Connection[Any], schema: str) -> None:
    aside = f"aside_{schema}"
    connection.execute(f"DROP SCHEMA IF EXISTS {aside} CASCADE".encode())
    connection.execute(f"CREATE SCHEMA {aside}".encode())
    for name in _tables(connection, schema):
        connection.execute(f'CREATE TABLE {aside}."{name}" AS TABLE {schema}."{name}"'.encode())


def _put_back(connection: psycopg.Connection[Any], schema: str) -> None:
    for name in _tables(connection, schema):
        table = f'{schema}."{name}"'
        connection.execute(f"DELETE FROM {table}".encode())
        connection.execute(f'INSERT INTO {table} OVERRIDING SYSTEM VALUE TABLE aside_{schema}."{name}"'.encode())
