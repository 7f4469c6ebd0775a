"""The embedded PostgreSQL server: a data directory, a loopback port; start, stop, crash and restart."""

import os
import secrets
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from signal import SIGINT, SIGQUIT
from typing import Any

import psycopg
from psycopg import sql
from psycopg.errors import ReadOnlySqlTransaction

from shared.local import _pgserver
from shared.local.account import (
    give_to,
    remove,
    require_reachable,
    unprivileged_account,
    write_private,
)
from shared.local.errors import LocalStackError
from shared.local.ports import LOOPBACK
from shared.local.process import ManagedProcess, ProcessConfig
from shared.local.server import KeptServer
from shared.runtime.retrying import wait_while

DATABASE = "pitledger"
_SUPERUSER = "postgres"
_OWNER = "pitledger"
_INITDB_SECONDS_MAX = 120.0
_BACKUP_SECONDS_MAX = 600.0
_PREDECESSOR_SECONDS_MAX = 10.0
_SETTINGS: Mapping[str, str] = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",  # a socket's path is limited to 100 bytes; the loopback port suffices
    "max_connections": "200",
    "scram_iterations": "1",  # passwords are 256 random bits; more iterations would only slow down connecting
    "track_commit_timestamp": "on",  # makes the time of commit available, not only that of recording
    "timezone": "UTC",
    "log_timezone": "UTC",
}


class PostgresServer(KeptServer):
    """A PostgreSQL server.

    `directory` keeps the data from one run to the next; without it the data are in a temporary directory that is
    deleted at the end. `settings` are server parameters (`{"fsync": "off"}`) that override the defaults. The server
    accepts connections only from this machine, and each login has its own random password. Only the superuser's
    password is kept, next to the data; the others are new at every start. If root starts it, the server runs under the
    account `nobody`. If it is killed, its sessions end, and it recovers from its log at the next start.
    """

    name = "PostgreSQL"
    _scratch_prefix = "pitledger-postgres-"
    _start_seconds_max = 60.0
    _poll_seconds = 0.02

    def __init__(
        self, *, directory: Path | None = None, port: int | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(directory=directory, port=port, account=unprivileged_account())
        self._settings = {**_SETTINGS, **(settings or {})}
        self._installation: Path | None = None
        self._passwords = {_OWNER: _new_password()}

    @property
    def url(self) -> str:
        """Return the SQLAlchemy URL of the database `pitledger`, as the server's superuser."""
        return self._url_of(_SUPERUSER)

    @property
    def owner_url(self) -> str:
        """Return the URL of the database as its owner, who may create roles but is not a superuser."""
        return self._url_of(_OWNER)

    def give_logins(self, roles: Iterable[str]) -> Mapping[str, str]:
        """Give each of these roles a login with its own password; return role -> its database URL."""
        with _connected(self.owner_url) as connection:
            for role in roles:
                self._passwords[role] = _new_password()
                _validate(connection, role, self._passwords[role])
        return {role: self._url_of(role) for role in roles}

    def base_backup(self, directory: Path) -> None:
        """Copy the data of the running server into another directory, from which they can be restored.

        The copy is in `directory/data`, next to the superuser's password, so `PostgresServer(directory=...)` can start
        on it. Raises: LocalStackError if the copy fails.
        """
        directory.mkdir(parents=True)
        give_to(self._account, directory)
        conninfo = self._url_of(_SUPERUSER).replace("+psycopg", "").removesuffix(f"/{DATABASE}")
        copying = ManagedProcess(
            self._command(
                "pg_basebackup", "--pgdata", directory / self._data.name, "--wal-method=stream",
                "--checkpoint=fast", "--no-sync", "--dbname", conninfo,
            )
        )  # fmt: skip
        if (code := copying.wait(_BACKUP_SECONDS_MAX)) != 0:
            raise LocalStackError(f"PostgreSQL: pg_basebackup ended with exit code {code}:\n{copying.log_tail()}")
        write_private(self._account, directory / self._password_file.name, self._passwords[_SUPERUSER])

    def _url_of(self, login: str) -> str:
        port = self.port
        return f"postgresql+psycopg://{login}:{self._passwords[login]}@{LOOPBACK}:{port}/{DATABASE}"

    def close(self) -> None:
        super().close()
        self._installation = None  # its temporary copy, if any, is deleted

    @property
    def _password_file(self) -> Path:
        return self._home / "superuser-password"

    def _command(self, name: str, *arguments: str | Path) -> ProcessConfig:
        assert self._installation is not None, "start() finds it first"
        return ProcessConfig(
            command=[self._installation / "bin" / name, *arguments],
            directory=self._home,
            log=self._home / f"{name}.log",
            account=self._account,
            stop_signal=SIGINT,  # "fast": sessions are ended, then a checkpoint
            kill_signal=SIGQUIT,  # "immediate": no checkpoint; ends the sessions' processes too, unlike SIGKILL
            grace_seconds=30.0,
            remove_when_orphaned=self._temporary,
        )

    def _prepare(self) -> None:
        self._installation = self._installation or _pgserver.installation(self._account, self._temporary)
        self._initialize()

    def _initialize(self) -> None:
        if self._directory is not None:
            self._directory.mkdir(parents=True, exist_ok=True)
            require_reachable(self._account, self._data)
        version_file = self._data / "PG_VERSION"
        if version_file.exists():
            version = version_file.read_text().strip()
            if version != str(_pgserver.MAJOR_VERSION):
                raise LocalStackError(
                    f"data directory {self._data} was made by PostgreSQL {version}, the embedded one is "
                    f"{_pgserver.MAJOR_VERSION}: choose another directory, or move the data with pg_dump"
                )
            if not self._password_file.exists():
                raise LocalStackError(
                    f"data directory {self._data}: the password of its superuser, {self._password_file}, is not there: "
                    "restore that file, or choose another directory"
                )
            self._passwords[_SUPERUSER] = self._password_file.read_text()
            return
        self._passwords[_SUPERUSER] = _new_password()
        write_private(self._account, self._password_file, self._passwords[_SUPERUSER])
        # Created under another name first, so that an interrupted initdb leaves no invalid data directory.
        unfinished = self._home / "data.unfinished"
        remove(unfinished)
        unfinished.mkdir(mode=0o700)
        give_to(self._account, unfinished)
        initdb = ManagedProcess(
            self._command(
                "initdb", f"--username={_SUPERUSER}", f"--pwfile={self._password_file}", "--auth=scram-sha-256",
                "--set=scram_iterations=1", "--encoding=UTF8", "--locale=C", "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8", "--no-sync", "--no-instructions", "-D", unfinished,
            )
        )  # fmt: skip
        code = initdb.wait(_INITDB_SECONDS_MAX)
        if code != 0:
            raise LocalStackError(f"PostgreSQL: initdb ended with exit code {code}:\n{initdb.log_tail()}")
        unfinished.rename(self._data)

    def _run(self, port: int) -> ManagedProcess:
        self._wait_for_predecessor()
        settings = [f"--{name}={value}" for name, value in {**self._settings, "port": str(port)}.items()]
        return ManagedProcess(self._command("postgres", "-D", self._data, *settings))

    def _wait_for_predecessor(self) -> None:
        """Wait for an orphaned server to stop; one that keeps running belongs to another stack."""
        pid = wait_while(
            partial(_server_on, self._data), seconds_max=_PREDECESSOR_SECONDS_MAX, pause_seconds=self._poll_seconds
        )
        if pid is not None:
            raise LocalStackError(
                f"data directory {self._data} is in use by a server, process {pid}: stop it, or choose another"
            )

    def _trouble(self, port: int) -> Exception | None:
        address = f"{LOOPBACK}:{port}/postgres"
        try:
            with _connected(f"postgresql://{_SUPERUSER}:{self._passwords[_SUPERUSER]}@{address}") as connection:
                _create_database(connection, self._passwords[_OWNER])
        except (psycopg.OperationalError, ReadOnlySqlTransaction) as error:  # starting, or still recovering
            return error
        return None


def _server_on(data: Path) -> int | None:
    """Return the process id of the server on the data directory, determined as PostgreSQL itself does."""
    try:
        first_line = (data / "postmaster.pid").read_text().partition("\n")[0]
    except FileNotFoundError:
        return None
    if not first_line.isdecimal():
        return None  # being written, or the disk was full
    try:
        os.kill(int(first_line), 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass  # a process of another user
    return int(first_line)


def _new_password() -> str:
    return secrets.token_urlsafe(32)


def _connected(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(url.replace("+psycopg", ""), autocommit=True, connect_timeout=5)


def _create_database(connection: psycopg.Connection[Any], password: str) -> None:
    """Create the database `pitledger` and its owner if they do not exist; set the owner's password."""
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [_OWNER]).fetchone() is None:
        connection.execute(f"CREATE ROLE {_OWNER} CREATEROLE")
    _validate(connection, _OWNER, password)
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
        connection.execute(f"CREATE DATABASE {DATABASE} OWNER {_OWNER}")


def _validate(connection: psycopg.Connection[Any], role: str, password: str) -> None:
    """Set a role's password as a hash computed here, so that neither the server nor its log sees the password."""
    verifier = connection.pgconn.encrypt_password(password.encode(), role.encode()).decode()
    statement = sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(role), sql.Literal(verifier))
    connection.execute(statement)
