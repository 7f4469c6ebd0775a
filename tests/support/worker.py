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
from importlib import import_module

import uvloop

from shared.runtime.logs import configure_logs
from shared.runtime.service.run import Service, serve
from shared.runtime.settings import Settings

MOMENT = datetime(2026, 11, 21, 6, tzinfo=UTC)

SERVICES = (
    "paytable-registry",
    "round-settlement",
    "table-inventory",
    "vigorish",
    "wagering-accounts",
    "progressive-meters",
    "reporting",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a process is to do: publish elsewhere, end itself when a step is reached for the n-th time."""

    topic: str | None = None
    kill_at: str | None = None
    times: int = 1


def service_of(name: str) -> Service:
    """The service of this name."""
    service: Service = import_module(f"services.{name.replace('-', '_')}").SERVICE
    return service


def run(name: str, environment: Mapping[str, str], log: str, orders: Orders) -> None:
    """The process: settings come from the environment, as for any service; what it has to say goes into the log."""
    os.environ.update(environment)
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(descriptor, sys.stderr.fileno())
    os.close(descriptor)
    service = service_of(name)
    if orders.topic is not None and service.publishes is not None:
        service = replace(service, publishes=orders.topic)
    reached: Counter[str] = Counter()

    def step(step_name: str) -> None:
        reached[step_name] += 1
        if step_name == orders.kill_at and reached[step_name] == orders.times:
            os.kill(os.getpid(), signal.SIGKILL)

    configure_logs(form="json", level="info", service=service.name)
    uvloop.run(serve(service, Settings(), clock=lambda: MOMENT, step=step))
