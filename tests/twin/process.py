"""A process of the twin's own: it may be stopped, replaced by another release, or given a wrong clock."""

import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import httpx

from services.cli.exits import StackEnded
from shared.contracts.topics import TABLE_EVENTS
from shared.local.ports import LOOPBACK, free_port
from shared.local.process import ManagedProcess, ProcessConfig
from tests.support.answers import get
from tests.twin.patience import in_time

_ROOT: Final = Path(__file__).parents[2]


class OwnProcess:
    """A process of a service, with a port and a clock that stay its own, whichever release it runs."""

    def __init__(self, service: str, number: int, directory: Path) -> None:
        self.service = service
        self.name = f"{service} {number}"
        self.url = ""
        self.log = directory / f"{service}-{number}.log"
        self.held = False
        """Whether somebody else looks after it, who ends it on purpose."""
        self._directory = directory
        self._shift = directory / f"{service}-{number}.shift"
        self._shift.write_text("0")
        self._port = free_port()
        self.url = f"http://{LOOPBACK}:{self._port}"
        self._environment: Mapping[str, str] = {}
        self._source = _ROOT
        self._process: ManagedProcess | None = None

    def start(self, environment: Mapping[str, str] | None = None) -> None:
        """Start it, in the environment of before unless told."""
        if self._process is not None:
            self._process.stop()  # what is left of one that ended by itself
        if environment is not None:
            self._environment = environment
        clocked = self._source == _ROOT
        words = ["-m", "tests.twin.clocked", self.service, str(self._shift)]
        if not clocked:
            words = ["-P", "-m", "services.cli.main", "run", self.service]
        listening = {"PITLEDGER_HTTP_HOST": LOOPBACK, "PITLEDGER_HTTP_PORT": str(self._port)}
        self._process = ManagedProcess(
            ProcessConfig(
                command=[sys.executable, *words],
                directory=self._source,
                log=self.log,
                environment={**self._environment, **listening, "PYTHONPATH": str(self._source)},
                grace_seconds=30.0,
            )
        )

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process is not None
        return self._process.pid

    def ended(self) -> StackEnded | None:
        """Return how it has ended by itself; None where it runs, or is looked after by somebody else."""
        if self._process is None or self._process.running or self.held:
            return None
        return StackEnded(self.name)

    def stop(self) -> None:
        """End it in good order."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def replace(self, source: Path | None = None) -> None:
        """End it in good order, and start what is at `source` (the current release, unless told) in its place."""
        self.held = True
        self.stop()
        self._source = _ROOT if source is None else source
        self.start()
        self.held = False
        self.wait_until_ready()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def shift(self, seconds: float) -> None:
        """Set its clock wrong by so much, from now on."""
        unfinished = self._shift.with_suffix(".unfinished")
        unfinished.write_text(f"{seconds}")
        unfinished.replace(self._shift)

    def ready(self) -> bool:
        """Return whether it says that it is ready."""
        return self._not_ready() is None

    def _not_ready(self) -> str | None:
        """Return why it is not ready; None where it is."""
        try:
            answer = get(f"{self.url}/readyz", timeout=5)
        except httpx.HTTPError as error:
            return repr(error)
        return None if answer.is_success else answer.text

    def wait_until_ready(self) -> float:
        """Wait until it is ready; return the seconds."""
        began = time.monotonic()
        try:
            in_time(self.ready, because=f"{self.name} is ready: {self.log}")
        except AssertionError as late:
            raise AssertionError(f"{late}; it answers {self._not_ready()}") from late
        return time.monotonic() - began

    @property
    def written(self) -> int:
        """Return how many bytes its log has."""
        return self.log.stat().st_size

    def has_partitions(self, since: int = 0) -> bool:
        """Return whether what it said last of partitions, from a place of its log on, is that it has some."""
        about = f'"topic": "{TABLE_EVENTS.name}"'
        told = [
            one
            for one in self.said(since)
            if about in one and ('"partitions assigned"' in one or '"partitions revoked"' in one)
        ]
        return bool(told) and '"partitions assigned"' in told[-1] and '"offsets": {}' not in told[-1]

    def said(self, since: int = 0) -> Sequence[str]:
        """Return the lines of its log from a place on."""
        with self.log.open("rb") as log:
            log.seek(since)
            return log.read().decode(errors="replace").splitlines()
