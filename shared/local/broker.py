"""The embedded Kafka-protocol broker: one process, topics in memory, on a loopback port."""

import socket
import uuid
from pathlib import Path

from shared.local import _cluster, _tansu
from shared.local.account import remove, temporary_directory
from shared.local.ports import LOOPBACK
from shared.local.process import ManagedProcess, ProcessConfig
from shared.local.server import Server


class Broker(Server):
    """A broker that holds everything in memory: stopping it loses its topics, messages and consumer groups.

    Therefore every start uses a new cluster id, by which consumers notice that the offsets they know belong to another
    broker.
    """

    name = "the Kafka broker"
    _start_seconds_max = 20.0
    _poll_seconds = 0.01

    def __init__(self, *, port: int | None = None, cluster_id: str | None = None) -> None:
        super().__init__(port)
        self._fixed_cluster_id = cluster_id
        self._cluster_id = ""
        self._scratch: Path | None = None

    @property
    def bootstrap_servers(self) -> str:
        """Return `host:port` for Kafka clients; available after the first start."""
        return f"{LOOPBACK}:{self.port}"

    def start(self) -> None:
        """Start an empty broker and wait until it answers; do nothing if it is running."""
        if self.pid is None:
            self.stop()  # cleans up after a broker that ended by itself
            self._start_on_some_port()

    def stop(self) -> None:
        """Kill the broker, which has nothing to save."""
        super().kill()
        if self._scratch is not None:
            remove(self._scratch)
            self._scratch = None

    kill = close = stop

    def _run(self, port: int) -> ManagedProcess:
        self._cluster_id = self._fixed_cluster_id or uuid.uuid4().hex
        command = _tansu.command(cluster_id=self._cluster_id, port=port)
        self._scratch = temporary_directory("pitledger-broker-", None)
        return ManagedProcess(
            ProcessConfig(
                command=command,
                directory=self._scratch,
                log=self._scratch / "broker.log",
                environment={"RUST_LOG": "error"},
                remove_when_orphaned=self._scratch,
            )
        )

    def _trouble(self, port: int) -> Exception | None:
        try:
            socket.create_connection((LOOPBACK, port), timeout=1).close()
        except OSError as error:
            return error
        return _cluster.trouble(port, self._cluster_id)
