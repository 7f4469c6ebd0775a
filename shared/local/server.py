"""What the embedded servers have in common: one process on a loopback port, started, watched and ended."""

import time
from abc import ABC, abstractmethod
from typing import ClassVar, Self

from shared.local.errors import LocalStackError
from shared.local.ports import LOOPBACK, free_port, port_is_free
from shared.local.process import LeashedProcess

_START_ATTEMPTS = 5


class Server(ABC):
    """A server that lives as long as its `with` block, or from `start` to `close`.

    `port` fixes the port; by default a free one is chosen at the first start and kept.
    """

    name: ClassVar[str]
    """What the server is called where it is named."""
    _start_seconds_max: ClassVar[float]
    _poll_seconds: ClassVar[float]

    def __init__(self, port: int | None) -> None:
        self._port = port
        self._process: LeashedProcess | None = None

    @property
    def port(self) -> int:
        """Return the port of 127.0.0.1 that the server listens on; known from the first start on."""
        if self._port is None:
            raise LocalStackError(f"{self.name} has no port before its first start: call start() or enter it")
        return self._port

    @property
    def pid(self) -> int | None:
        """Return the process id of the running server; None when it is stopped."""
        return None if self._process is None or not self._process.running else self._process.pid

    @abstractmethod
    def start(self) -> None:
        """Start the server and wait until it answers; do nothing when it runs already."""

    def kill(self) -> None:
        """Stop at once, as in a crash."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    @abstractmethod
    def close(self) -> None:
        """Stop the server and delete what is temporary."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    @abstractmethod
    def _run(self, port: int) -> LeashedProcess:
        """Start the process on a port."""

    @abstractmethod
    def _trouble(self, port: int) -> Exception | None:
        """Return why the process does not answer on a port; None when it does."""

    def _start_on_some_port(self) -> None:
        for attempt in range(1, _START_ATTEMPTS + 1):
            port = self._port if self._port is not None else free_port()
            try:
                self._launch(port)
            except LocalStackError:
                # Another process was quicker to take the port that we had found free.
                if self._port is not None or port_is_free(port) or attempt == _START_ATTEMPTS:
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

    def _wait_until_ready(self, process: LeashedProcess, port: int) -> None:
        deadline = time.monotonic() + self._start_seconds_max
        while (trouble := self._trouble(port)) is not None:
            if not process.running:
                raise LocalStackError(
                    f"{self.name}: ended with exit code {process.exit_code}:\n{process.log_tail()}"
                ) from trouble
            if time.monotonic() > deadline:
                raise LocalStackError(
                    f"{self.name}: does not answer {self._start_seconds_max:g} s after the start ({trouble}):\n"
                    f"{process.log_tail()}"
                ) from trouble
            time.sleep(self._poll_seconds)
