"""How the twin waits: as long as a busy machine may need, for what is merely slow is not wrong."""

from collections.abc import Callable
from typing import Final, TypeVar

import httpx
import psycopg
from confluent_kafka import KafkaException

from loadtest.traffic.topic import NotRead
from shared.local.errors import LocalStackError
from tests.support import eventually

T = TypeVar("T")

PATIENT_SECONDS: Final = 420.0
"""What has not happened after so long does not happen: a group may wait twice three minutes for members that are gone
(decision 50)."""

NOT_NOW: Final = (psycopg.Error, KafkaException, NotRead, LocalStackError, httpx.TransportError)
"""What is raised while a server does not answer."""


def in_time(check: Callable[[], T | None], *, because: str, every: float = 0.1) -> T:
    """Return what `check` finds at last; a server that does not answer for now is asked again."""
    return eventually(check, seconds=PATIENT_SECONDS, every=every, because=because, retry_on=NOT_NOW)
