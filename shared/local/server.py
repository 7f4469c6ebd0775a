"""Common parts of the embedded servers: one process on a loopback port, started, watched and ended."""

import os
import re
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Self

from shared.local.account import remove, temporary_directory
from shared.local.errors import LocalStackError
from shared.local.ports import LOOPBACK, free_port, port_is_free
from shared.local.process import ManagedProcess, OsAccount
from shared.runtime.retrying import wait_while

_START_ATTEMPTS = 5
# The message in the log of a server whose port was taken, in the words of glibc and musl.
_TAKEN = re.compile("Address (already )?in use")


class Server(ABC):
    """A server that runs during a `with` block, or from `start` to `close`.

    `port` fixes the port; by default a free one is chosen at the first start and kept.
    """

    name: ClassVar[str]
    """The server's name in messages."""
    _start_seconds_max: ClassVar[float]
    _poll_seconds: ClassVar[float]

    def __init__(self, port: int | None) -> None:
        self._port = port
        self._process: ManagedProcess | None = None

    @property
    def port(self) -> int:
        """Return the port of 127.0.0.1 that the server listens on; available after the first start."""
        if self._port is None:
            raise LocalStackError(f"{self.name} has no port before its first start: call start() or enter it")
        return self._port

    @property
    def pid(self) -> int | None:
        """Return the process id of the running server; None if it is stopped."""
        return None if self._process is None or not self._process.running else self._process.pid

    @property
    def log(self) -> Path | None:
        """Return the log of the running server; None if it is stopped."""
        return None if self._process is None else self._process.log

    @abstractmethod
    def start(self) -> None:
        """Start the server and wait until it answers; do nothing if it is running."""

    def kill(self) -> None:
        """Stop the server immediately, as in a crash."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    @abstractmethod
    def close(self) -> None:
        """Stop the server and delete its temporary files."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    @abstractmethod
    def _run(self, port: int) -> ManagedProcess:
        """Start the process on a port."""

    @abstractmethod
    def _trouble(self, port: int) -> Exception | None:
        """Return why the process does not answer on a port, or None."""

    def _start_on_some_port(self) -> None:
        for attempt in range(1, _START_ATTEMPTS + 1):
            port = self._port if self._port is not None else free_port()
            try:
                self._launch(port)
            except LocalStackError as error:
                # Another process took the port after it was found free.
                if not _TAKEN.search(str(error)) or attempt == _START_ATTEMPTS:
                    raise
            else:
                self._port = port
                return

    def _launch(self, port: int) -> None:
        if not port_is_free(port):
            raise LocalStackError(
                f"{self.name}: port {port} of {LOOPBACK} is taken: stop what listens there or choose another"
            )
        try:
            self._process = self._run(port)
            self._wait_until_ready(self._process, port)
        except BaseException:
            self.kill()
            raise

    def _wait_until_ready(self, process: ManagedProcess, port: int) -> None:
        def trouble() -> Exception | None:
            found = self._trouble(port)
            if found is not None and not process.running:
                raise LocalStackError(
                    f"{self.name}: ended with exit code {process.exit_code}:\n{process.log_tail()}"
                ) from found
            return found

        left = wait_while(trouble, seconds_max=self._start_seconds_max, pause_seconds=self._poll_seconds)
        if left is not None:
            raise LocalStackError(
                f"{self.name}: does not answer {self._start_seconds_max:g} s after the start ({left}):\n"
                f"{process.log_tail()}"
            ) from left


class KeptServer(Server):
    """A server with persistent data in `directory`; without one, in a temporary directory that is deleted at the end.

    The server runs under `account` (None: the current user), which owns the temporary files.
    """

    _scratch_prefix: ClassVar[str]

    def __init__(self, *, directory: Path | None, port: int | None, account: OsAccount | None = None) -> None:
        super().__init__(port)
        self._directory = None if directory is None else directory.resolve()
        self._account = account
        self._scratch: Path | None = None

    def start(self) -> None:
        """Create the data directory if it does not exist, start the server on it and wait until it answers.

        Do nothing if it is running. Raises: LocalStackError, with the end of the server's log.
        """
        if self.pid is not None:
            return
        if self._scratch is None:
            self._scratch = temporary_directory(self._scratch_prefix, self._account)
        try:
            self._prepare()
            self._start_on_some_port()
        except OSError as error:
            self.close()
            raise LocalStackError(
                f"{self.name}: {error}: choose a data directory that user id {os.geteuid()} may write, "
                "or remove what is there"
            ) from error
        except BaseException:
            self.close()
            raise

    def stop(self) -> None:
        """Stop cleanly: acknowledged data is on disk, and the next start needs no recovery."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def close(self) -> None:
        """Stop the server and delete its temporary files, including the data if no directory was given."""
        if self._directory is None:
            self.kill()
        else:
            self.stop()
        if self._scratch is not None:
            remove(self._scratch)
            self._scratch = None

    @abstractmethod
    def _prepare(self) -> None:
        """Create the files that the process needs before it starts, independent of its port."""

    @property
    def _temporary(self) -> Path:
        assert self._scratch is not None, "start() makes it first"
        return self._scratch

    @property
    def _home(self) -> Path:
        return self._directory or self._temporary

    @property
    def _data(self) -> Path:
        return self._home / "data"
