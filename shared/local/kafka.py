"""Apache Kafka on this machine: one node that is broker and controller, on a loopback port, with persistent data."""

import base64
import fcntl
import uuid
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from shared.local import _cluster, _kafka
from shared.local.account import remove
from shared.local.errors import LocalStackError
from shared.local.ports import LOOPBACK, free_port
from shared.local.process import ManagedProcess, ProcessConfig
from shared.local.server import KeptServer
from shared.runtime.retrying import wait_while

_FORMAT_SECONDS_MAX = 60.0
_PREDECESSOR_SECONDS_MAX = 25.0


class KafkaServer(KeptServer):
    """An Apache Kafka cluster of one node.

    `directory` keeps the data and the cluster id from one run to the next; without it they are in a temporary directory
    that is deleted at the end. Acknowledged messages are on disk.

    `settings` are properties of the broker that override the defaults. `users` is user -> password, for logins by
    SCRAM-SHA-512; they are created together with the data directory. `client` is the librdkafka configuration, besides
    the address, with which this object logs in to check that the broker answers.
    """

    name = "Apache Kafka"
    _scratch_prefix = "pitledger-kafka-"
    _start_seconds_max = 60.0
    _poll_seconds = 0.05

    def __init__(
        self,
        *,
        directory: Path | None = None,
        port: int | None = None,
        settings: Mapping[str, str] | None = None,
        users: Mapping[str, str] | None = None,
        client: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(directory=directory, port=port)
        self._settings = settings or {}
        self._users = users or {}
        self._client = client or {}

    @property
    def bootstrap_servers(self) -> str:
        """Return `host:port` for Kafka clients; available after the first start."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def cluster_id(self) -> str:
        """Return the id of the cluster, which persists with its data; available after the first start."""
        kept = (self._data / "meta.properties").read_text()
        return dict(line.split("=", 1) for line in kept.splitlines() if "=" in line)["cluster.id"]

    def _prepare(self) -> None:
        self._home.mkdir(parents=True, exist_ok=True)
        self._home.chmod(0o700)

    def _run(self, port: int) -> ManagedProcess:
        self._wait_for_predecessor()
        if not self._data.exists():
            self._format(port)
        return self._leashed("broker", _kafka.server_command(self._temporary, self._configured(self._data, port)))

    def _configured(self, data: Path, port: int) -> Path:
        """Write the broker's configuration for a data directory and a port."""
        config = self._home / "server.properties"
        config.write_text(_kafka.properties(data=data, port=port, controller_port=free_port(), settings=self._settings))
        return config

    def _format(self, port: int) -> None:
        """Initialize the data directory, which fixes the cluster id.

        It is created under another name first, so that an interrupted format leaves no invalid data directory.
        """
        unfinished = self._home / "data.unfinished"
        remove(unfinished)
        cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")  # may begin with a dash
        tool = self._leashed(
            "format",
            _kafka.format_command(
                self._temporary, cluster_id=cluster_id, config=self._configured(unfinished, port), users=self._users
            ),
        )
        code = tool.wait(_FORMAT_SECONDS_MAX)
        if code != 0:
            raise LocalStackError(f"Apache Kafka: formatting ended with exit code {code}:\n{tool.log_tail()}")
        unfinished.rename(self._data)

    def _leashed(self, name: str, command: list[str | Path]) -> ManagedProcess:
        return ManagedProcess(
            ProcessConfig(
                command=command,
                directory=self._home,
                log=self._home / f"{name}.log",
                environment={},
                grace_seconds=20.0,
                remove_when_orphaned=self._temporary,
            )
        )

    def _wait_for_predecessor(self, seconds_max: float = _PREDECESSOR_SECONDS_MAX) -> None:
        """Wait for an orphaned broker to stop; one that keeps running belongs to another stack."""
        if wait_while(partial(_in_use, self._data), seconds_max=seconds_max, pause_seconds=self._poll_seconds):
            raise LocalStackError(
                f"data directory {self._data} is in use by another broker: stop it, or choose another directory"
            )

    def _trouble(self, port: int) -> Exception | None:
        return _cluster.trouble(port, self.cluster_id, self._client)


def _in_use(data: Path) -> bool:
    """Return whether a broker is using the data directory, in which it holds a file lock while it runs."""
    try:
        with (data / ".lock").open("r+b") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
