"""Run a peer's prebuilt server as a child process that listens on a local port."""

import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from shared.local.ports import LOOPBACK
from shared.local.process import ManagedProcess, ProcessConfig, log_tail

_READY_SECONDS: Final = 60.0
_PAUSE_SECONDS: Final = 0.05


class NotReady(Exception):
    """A program ended, or did not listen in time."""


def serving(
    command: Sequence[str | Path], port: int, *, directory: Path, environment: Mapping[str, str]
) -> ManagedProcess:
    """Start a server, and return it once it listens. Raises: NotReady with the last lines of its log."""
    log = directory / "log"
    server = ManagedProcess(
        ProcessConfig(command=command, directory=directory, log=log, environment=dict(environment)),
    )
    deadline = time.monotonic() + _READY_SECONDS
    while server.running and time.monotonic() < deadline:
        with socket.socket() as tried:
            if tried.connect_ex((LOOPBACK, port)) == 0:
                return server
        time.sleep(_PAUSE_SECONDS)
    server.kill()
    raise NotReady(f"{command[0]} does not listen: {log_tail(log)}")
