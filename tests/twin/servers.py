"""The two servers of the twin, behind lines that can be cut, and standbys of PostgreSQL that can take over."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import psycopg
from sqlalchemy import make_url

from loadtest.traffic.target import conninfo_of
from shared.local import KafkaServer, PostgresServer
from shared.local._kafka import LISTENER
from shared.local.account import give_to, remove, unprivileged_account
from shared.local.ports import LOOPBACK, free_port
from tests.support.metadata import KafkaLine
from tests.support.wire import Wire
from tests.twin.patience import PATIENT_SECONDS, in_time

STANDBY: Final = "twin_standby"
DISK_MIB: Final = 1_500
_SETTINGS: Final = {"max_wal_size": "256MB", "min_wal_size": "32MB", "wal_keep_size": "128MB"}


class Primary(PostgresServer):
    """A PostgreSQL that may take long to start."""

    _start_seconds_max = PATIENT_SECONDS


class Broker(KafkaServer):
    """An Apache Kafka that may take long to start."""

    _start_seconds_max = PATIENT_SECONDS


class Standby(Primary):
    """A copy of a primary in a directory of its own, which follows it and may take over."""

    def __init__(self, primary: PostgresServer, directory: Path) -> None:
        super().__init__(directory=directory, port=free_port(), settings=_SETTINGS)
        self._passwords = dict(primary._passwords)
        primary.base_backup(directory)
        url = make_url(primary.url)
        login = f"user={url.username} password={url.password} application_name={STANDBY}"
        with (self._data / "postgresql.auto.conf").open("a") as settings:
            settings.write(f"primary_conninfo = 'host={url.host} port={url.port} {login}'\n")
        (self._data / "standby.signal").touch()

    def promote(self) -> None:
        """Take over, and return when it has."""
        with superuser(self) as connection:
            [(promoted,)] = connection.execute("SELECT pg_promote(true, %s)", [int(PATIENT_SECONDS)]).fetchall()
        assert promoted, "the standby takes over"

    def _trouble(self, port: int) -> Exception | None:
        try:
            with psycopg.connect(f"{conninfo_of(self.url)}?connect_timeout=5") as connection:
                [(follows,)] = connection.execute("SELECT pg_is_in_recovery()").fetchall()
        except psycopg.OperationalError as error:
            return error
        return None if follows else super()._trouble(port)


@contextmanager
def superuser(server: PostgresServer) -> Iterator[psycopg.Connection[Any]]:
    """Give a connection to a server itself, not through the line."""
    with psycopg.connect(conninfo_of(server.url), autocommit=True) as connection:
        yield connection


class Servers:
    """PostgreSQL and Apache Kafka for the length of a `with` block, each on a disk of its own where that is wanted."""

    def __init__(self, directory: Path, *, small_disks: bool) -> None:
        self.directory = directory
        self.small_disks = small_disks
        self._running = ExitStack()
        self._standbys = 0

    def __enter__(self) -> "Servers":
        with ExitStack() as starting:
            self.primary: Primary = Primary(directory=self.disk(starting, "postgres"), settings=_SETTINGS)
            starting.callback(lambda: self.primary.close())
            self.primary.start()
            self.line = starting.enter_context(KafkaLine())
            settings = {"advertised.listeners": f"{LISTENER}://{LOOPBACK}:{self.line.port}"}
            self.kafka = starting.enter_context(Broker(directory=self.disk(starting, "kafka"), settings=settings))
            self.line.leads_to = (LOOPBACK, self.kafka.port)
            self.wire = starting.enter_context(Wire(self.primary.owner_url))
            self._running = starting.pop_all()
        return self

    def __exit__(self, *reason: object) -> None:
        self._running.close()

    def disk(self, running: ExitStack, name: str) -> Path:
        """Return a new directory for a server: a small disk of its own where that is wanted."""
        directory = self.directory / name
        directory.mkdir()
        if self.small_disks:
            mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=755", "tmpfs", str(directory)]
            subprocess.run(mount, check=True)
            running.callback(subprocess.run, ["umount", "--lazy", str(directory)], check=True)
        give_to(unprivileged_account(), directory)
        return directory / "server"

    @contextmanager
    def standby(self, *, synchronous: bool) -> Iterator[Standby]:
        """Give a standby that follows the primary; it is ended and deleted unless it has taken over."""
        self._standbys += 1
        before = self.primary
        one = Standby(before, self.disk(self._running, f"standby-{self._standbys}"))
        try:
            one.start()
            if synchronous:
                _set(before, "synchronous_standby_names", STANDBY)
            wanted = "sync" if synchronous else "async"
            in_time(lambda: _follows(before) == wanted, because=f"the standby follows, {wanted}")
            yield one
        finally:
            gone = before if self.primary is one else one
            gone.kill()
            gone.close()
            remove(gone._home)
            if gone is one and synchronous:
                with suppress(psycopg.OperationalError):
                    _set(before, "synchronous_standby_names", "")

    def lead_to(self, server: Primary) -> None:
        """Have clients reach another PostgreSQL, at the port that they know."""
        self.primary = server
        self.wire.lead_to(server.owner_url)


def can_mount(directory: Path) -> bool:
    """Return whether this process may mount a file system."""
    place = directory / "tried"
    place.mkdir()
    try:
        tried = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], check=False, capture_output=True
        )
        if tried.returncode == 0:
            subprocess.run(["umount", str(place)], check=True)
        return tried.returncode == 0
    except FileNotFoundError:
        return False
    finally:
        place.rmdir()


def _set(server: PostgresServer, name: str, value: str) -> None:
    with superuser(server) as connection:
        connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())
        connection.execute("SELECT pg_reload_conf()")


def _follows(primary: PostgresServer) -> str | None:
    """Return how the standby follows its primary; None while it does not."""
    query = "SELECT sync_state FROM pg_stat_replication WHERE application_name = %s AND state = 'streaming'"
    with superuser(primary) as connection:
        row = connection.execute(query, [STANDBY]).fetchone()
    return None if row is None else str(row[0])
