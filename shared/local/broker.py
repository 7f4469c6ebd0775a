"""The embedded Kafka-protocol broker: one process, topics in memory, on a loopback port."""

import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Self

from shared.local import _tansu
from shared.local.account import remove, temporary_directory
from shared.local.errors import LocalStackError
from shared.local.ports import LOOPBACK, accepts_connections, free_port, port_is_free
from shared.local.process import LeashedProcess, ProcessConfig

_START_SECONDS_MAX = 20.0
_START_ATTEMPTS = 5
_POLL_SECONDS = 0.01


class Broker:
    """A broker that lives as long as its `with` block, or from `start` to `stop`.

    It holds everything in memory: a stopped broker has lost its topics, messages and consumer groups. Every start
    therefore draws a new `cluster_id`, by which consumers tell that the offsets they know are not of this broker.
    `port` fixes the port; by default a free one is chosen at the first start and kept.
    """

    def __init__(self, *, port: int | None = None) -> None:
        self._port = port
        self._process: LeashedProcess | None = None
        self._directory: Path | None = None
        self._cluster_id: str | None = None

    @property
    def bootstrap_servers(self) -> str:
        """`host:port`, as Kafka clients take it; known from the first start on."""
        if self._port is None:
            raise LocalStackError("the broker has no address before its first start: call start() or enter it")
        return f"{LOOPBACK}:{self._port}"

    @property
    def cluster_id(self) -> str:
        """Return the identity of the running broker's data, new with every start."""
        if self._cluster_id is None:
            raise LocalStackError("the broker has no cluster id before its first start: call start() or enter it")
        return self._cluster_id

    @property
    def pid(self) -> int | None:
        """Return the process id of the running broker; None when it is stopped."""
        return None if self._process is None or not self._process.running else self._process.pid

    def start(self) -> None:
        """Start an empty broker and wait until it accepts connections; does nothing when it runs already."""
        if self.pid is not None:
            return
        self.stop()  # what is left of one that ended by itself
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

    def stop(self) -> None:
        """End the broker, with all that it holds. There is nothing to save, so it is not asked but killed."""
        if self._process is not None:
            self._process.kill()
            self._process = None
        if self._directory is not None:
            remove(self._directory)
            self._directory = None

    kill = stop

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _launch(self, port: int) -> None:
        if not port_is_free(port):
            raise LocalStackError(
                f"broker: port {port} of {LOOPBACK} is taken: stop what listens there or choose another"
            )
        cluster_id = uuid.uuid4().hex
        command = _tansu.command(cluster_id=cluster_id, port=port)
        self._directory = temporary_directory("pitledger-broker-", None)
        try:
            self._process = LeashedProcess(
                ProcessConfig(
                    command=command,
                    directory=self._directory,
                    log=self._directory / "broker.log",
                    environment={"RUST_LOG": "error"},
                    remove_when_orphaned=self._directory,
                )
            )
            self._wait_until_ready(self._process, port)
        except BaseException:
            self.stop()
            raise
        self._cluster_id = cluster_id

    @staticmethod
    def _wait_until_ready(process: LeashedProcess, port: int) -> None:
        deadline = time.monotonic() + _START_SECONDS_MAX
        while not accepts_connections(port):
            if not process.running:
                raise LocalStackError(f"broker: ended with exit code {process.exit_code}:\n{process.log_tail()}")
            if time.monotonic() > deadline:
                raise LocalStackError(
                    f"broker: port {port} accepts no connection {_START_SECONDS_MAX:g} s after the start:\n"
                    f"{process.log_tail()}"
                )
            time.sleep(_POLL_SECONDS)
