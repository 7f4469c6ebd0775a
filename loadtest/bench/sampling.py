"""Sample each service's progress, memory and CPU time on a running stack, from a separate thread."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from types import TracebackType
from typing import Final, Self

import psycopg

from loadtest.bench.processes import Family, Used

Place = tuple[str, int]
"""The key of a partition: (topic, partition)."""

_RESOURCES_SECONDS: Final = 5.0
"""The interval of memory samples; reading the memory of all processes takes a tenth of a CPU second."""
_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True)
class Sample:
    """The progress of services at a moment (seconds since the epoch): next offsets by schema, topic and partition."""

    at: float
    reached: Mapping[str, Mapping[Place, int]]

    def read(self, schema: str, topic: str) -> int:
        """Return the number of a topic's records that a service had processed and committed at the sample's time."""
        return sum(offset for (name, _), offset in self.reached.get(schema, {}).items() if name == topic)


@dataclass(frozen=True, slots=True)
class Resources:
    """The memory in bytes and the CPU seconds of processes at a moment, by kind of process."""

    at: float
    memory: Mapping[str, int]
    used: Used


@dataclass(slots=True)
class Samples:
    """The samples of a run, in order of time."""

    places: list[Sample] = field(default_factory=list)
    resources: list[Resources] = field(default_factory=list)


def place_of(shard_name: str) -> Place | None:
    """Return topic and partition of a shard named `settlements/3` (or `settlements/3@...` if re-created), or None."""
    topic, _, number = shard_name.partition("@")[0].rpartition("/")
    return (topic, int(number)) if number.isdecimal() else None


class Sampler:
    """A thread that fills `samples` during a `with` block; an exception in it is raised at the end of the block."""

    def __init__(self, conninfo: str, schemas: Sequence[str], family: Family) -> None:
        self.samples = Samples()
        self._conninfo = conninfo
        self._query = " UNION ALL ".join(
            f"SELECT '{schema}', name, next_offset FROM {schema}.shards WHERE name LIKE '%/%'"  # noqa: S608 - our names
            for schema in schemas
        )
        self._family = family
        self._ends = Event()
        self._error: Exception | None = None
        self._thread = Thread(target=self._run, name="sampler", daemon=True)

    def look(self, connection: psycopg.Connection) -> Sample:
        """Return the current progress of the services."""
        found: dict[str, dict[Place, int]] = {}
        rows, now = connection.execute(self._query.encode()).fetchall(), time.time()
        for schema, name, next_offset in rows:
            if (place := place_of(name)) is not None:
                found.setdefault(schema, {})[place] = next_offset
        return Sample(now, found)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ends.set()
        self._thread.join()
        if self._error is not None and error is None:
            raise self._error

    def _run(self) -> None:
        try:
            with psycopg.connect(self._conninfo, autocommit=True) as connection:
                look_at = 0.0
                while True:
                    last = self._ends.is_set()
                    self.samples.places.append(self.look(connection))
                    if last or time.monotonic() >= look_at:
                        look = Resources(time.time(), self._family.memory_bytes(), self._family.used())
                        self.samples.resources.append(look)
                        look_at = time.monotonic() + _RESOURCES_SECONDS
                    if last:
                        return
                    self._ends.wait(_SECONDS)
        except Exception as error:  # noqa: BLE001 - raised again at the end of the block
            self._error = error
