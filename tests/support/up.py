"""A running `pitledger up --directory`: its own process, as whoever runs it starts it, seen from outside."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from loadtest.bench.processes import log_of, processes_below
from services.cli.stack.fork_server import TOGETHER
from tests.support.polling import eventually
from tests.support.processes import left_over
from tests.support.services import query

_SERVERS: Final = ("DATABASE_URL", "KAFKA_BOOTSTRAP_SERVERS")
PARTS: Final = {
    "PostgreSQL": "postgres",
    "Apache Kafka": "kafka.Kafka",
    "fork-server": "services.cli.stack.forking",
}
"""What the command line of each part has in it, besides the services."""


@dataclass(frozen=True)
class Up:
    """A running `pitledger up`: its process, what it said when all was ready, and the environment that it wrote."""

    process: subprocess.Popen[str]
    said: Path
    document: Mapping[str, Any]
    environment: Mapping[str, str]

    @property
    def servers(self) -> str:
        """The address of Kafka."""
        return self.environment["KAFKA_BOOTSTRAP_SERVERS"]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return query(self.environment["DATABASE_URL"], statement)

    def call(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Call `pitledger` in a terminal that has the environment of the stack."""
        return subprocess.run(
            [sys.executable, "-m", "services.cli.main", *words],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def messages(self) -> list[str]:
        """What it has said on standard error."""
        return self.said.read_text().splitlines()

    def has_started_again(self, part: str, times: int) -> bool:
        """Whether it has said so, so many times at least: a start may fail on a slow machine."""
        return Counter(self.messages())[f"{part} is started again"] >= times

    def pid_of(self, part: str) -> int:
        """The process of a part that is not a service: of those called so, the one from which the others come."""
        found = {
            each.pid: each.parent
            for each in processes_below(self.process.pid)
            if any(PARTS[part] in word for word in each.words)
            and not any("_parent_watchdog" in word for word in each.words)
        }
        return next(pid for pid, parent in found.items() if parent not in found)

    def pid_of_service(self, service: str) -> int:
        """The process of a service as it is now: the one that writes its log, or that of all services."""
        logs = [Path(self.document["logs"]) / f"{name}.log" for name in (service, TOGETHER)]
        return next(each.pid for each in processes_below(self.process.pid) if log_of(each.pid) in logs)


@contextmanager
def up(
    directory: Path,
    *,
    services: Sequence[str] = (),
    settings: Mapping[str, str] | None = None,
    servers_only: bool = False,
    together: bool = False,
) -> Iterator[Up]:
    """The stack on a directory, with all services unless told, killed at the end if it still runs.

    Each service is a process of its own unless they are `together`.
    """
    said = directory / "said"
    with said.open("a") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "services.cli.main", "up", "--json", "--directory", str(directory)]
            + [f"--service={service}" for service in services]
            + ["--servers-only"] * servers_only
            + ["--processes=per-service"] * (not together),
            env={name: value for name, value in os.environ.items() if name not in _SERVERS} | dict(settings or {}),
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first, said.read_text()[-4000:]
        exported = re.findall(r"^export (\w+)=(.*)$", (directory / "run" / "environment").read_text(), re.MULTILINE)
        yield Up(process, said, json.loads(first), {name: value.strip("'") for name, value in exported})
    finally:
        family = [each.pid for each in processes_below(process.pid)]
        process.kill()
        process.communicate()
        eventually(lambda: not left_over(family, []), because="nothing outlives it", seconds=30)
