"""Runs one service in a process of its own, with a clock that stands still, and ends it by SIGKILL at a durable step.

The clock stands still so that two runs can be compared byte for byte.
"""

import os
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import uvloop

from services.cli.services import load
from shared.contracts.topics import Topic
from shared.runtime.logs import configure_logs, of_service
from shared.runtime.process.run import serve
from shared.runtime.process.shutdown import end_in_time
from shared.runtime.service.manifest import Manifest
from shared.runtime.settings import Settings

MOMENT = datetime(2026, 11, 21, 6, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a process is to do: publish elsewhere, end itself when a step is reached for the n-th time."""

    topic_prefix: str = ""
    kill_at: str | None = None
    times: int = 1
    moment: datetime = MOMENT


def _elsewhere(topic: Topic, orders: Orders) -> Topic:
    return replace(topic, name=orders.topic_prefix + topic.name)


def run(name: str, environment: Mapping[str, str], log: str, orders: Orders) -> None:
    """The process: settings come from the environment, as for any service; what it has to say goes into the log."""
    os.environ.update(environment)
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(descriptor, sys.stderr.fileno())
    os.close(descriptor)
    manifest: Manifest = load(name)
    if manifest.publishes is not None:
        manifest = replace(
            manifest,
            publishes=_elsewhere(manifest.publishes, orders),
            apart={read: _elsewhere(topic, orders) for read, topic in manifest.apart.items()},
        )
    reached: Counter[str] = Counter()

    def step(step_name: str) -> None:
        reached[step_name] += 1
        if step_name == orders.kill_at and reached[step_name] == orders.times:
            os.kill(os.getpid(), signal.SIGKILL)

    configure_logs(form="json", level="info", lines_per_minute_max=10_000)
    of_service(manifest.name)
    uvloop.run(serve(manifest, Settings(), clock=lambda: orders.moment, step=step, ending=end_in_time))
