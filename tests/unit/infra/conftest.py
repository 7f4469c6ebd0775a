"""What the tests of the operations files share: the repository, and the tools that can really check them."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from prometheus_client import Histogram

from shared.runtime.metrics import Metrics

METRIC = re.compile(r"\bpitledger_[a-z0-9_]+")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return Path(__file__).parents[3]


@pytest.fixture(scope="session")
def tool() -> Callable[[str, str], str]:
    """Find a command, or skip with a reason; in CI, where every tool is installed, fail."""

    def find(command: str, package: str) -> str:
        found = shutil.which(command)
        if found is None:
            reason = f"'{command}' is not installed (Debian package '{package}')"
            if os.environ.get("CI"):
                pytest.fail(f"{reason}; CI must have it")
            pytest.skip(reason)
        return found

    return find


@pytest.fixture(scope="session")
def exposed_metrics() -> frozenset[str]:
    """The names of all series that the services expose, as Prometheus sees them."""
    names: set[str] = set()
    for collector in vars(Metrics()).values():
        if not hasattr(collector, "describe"):
            continue
        for family in collector.describe():
            if isinstance(collector, Histogram):
                names |= {f"{family.name}_{part}" for part in ("bucket", "sum", "count")}
            else:
                names.add(f"{family.name}_total" if family.type == "counter" else family.name)
    return frozenset(names)


@pytest.fixture(scope="session")
def unknown_metrics(exposed_metrics: frozenset[str]) -> Callable[[str], set[str]]:
    """Tell which metrics of ours an expression names that no service exposes; names of recording rules do not count."""

    def unknown(expression: str) -> set[str]:
        without_records = re.sub(r"\b\w+:\w+(:\w+)*", "", expression)
        return set(METRIC.findall(without_records)) - exposed_metrics

    return unknown
