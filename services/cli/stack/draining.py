"""Drain services before they are stopped: let them process the waiting input."""

import time
from collections.abc import Callable, Mapping
from typing import Final

import httpx
from prometheus_client.parser import text_string_to_metric_families

from shared.runtime.retrying import wait_while

WAITING: Final = ("pitledger_consumer_lag_records", "pitledger_relay_backlog_entries")
"""The metrics of unprocessed input and unpublished output."""

_SETTLED_SECONDS: Final = 2.5
"""Seconds for which nothing must be waiting until services count as drained: metrics are up to two seconds old."""
_LOOK_SECONDS: Final = 0.25
_ANSWER_SECONDS_MAX: Final = 2.0


def drain(
    urls: Mapping[str, str],
    *,
    seconds_max: float,
    check: Callable[[], object] = lambda: None,
) -> Mapping[str, float]:
    """Wait for a limited time until no service has unprocessed input or unpublished output.

    Parameters ---------- urls : the URL of each service, by its name. A service that does not answer is skipped. check
    : called between two polls; it may end the wait with an exception.

    Returns the number of waiting records and entries of each service, NaN if unknown; empty if nothing is waiting.
    """
    waiting: Mapping[str, float] = {}
    settled_at: float | None = None
    with httpx.Client(timeout=_ANSWER_SECONDS_MAX, trust_env=False) as client:

        def is_unsettled() -> bool:
            nonlocal waiting, settled_at
            waiting = {service: count for service, url in urls.items() if (count := _waiting(client, url))}
            settled_at = None if waiting else settled_at or time.monotonic()
            if settled_at is not None and time.monotonic() - settled_at >= _SETTLED_SECONDS:
                return False
            check()
            return True

        wait_while(is_unsettled, seconds_max=seconds_max, pause_seconds=_LOOK_SECONDS)
    return waiting


def _waiting(client: httpx.Client, url: str) -> float:
    try:
        metrics = client.get(f"{url}/metrics").text
    except httpx.HTTPError:
        return 0
    families = text_string_to_metric_families(metrics)
    return sum(sample.value for family in families if family.name in WAITING for sample in family.samples)
