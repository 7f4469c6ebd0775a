"""The progress of a running stack, read from its database."""

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

import psycopg

from loadtest.traffic.target import Target

POLL_SECONDS: Final = 0.05

_SETTLED: Final = """
    SELECT coalesce(sum(next_offset) FILTER (WHERE name LIKE 'table.events/%'), 0), coalesce(sum(next_seq - 1), 0)
    FROM round_settlement.shards"""
_PUBLISHED: Final = "SELECT coalesce(sum(published_seq), 0) FROM round_settlement.relay"
_REPORTED: Final = "SELECT coalesce(sum(next_offset), 0) FROM reporting.shards WHERE name LIKE 'settlements/%'"
_UNSIGNED: Final = """
    SELECT count(*) FROM {0}.shards s WHERE next_seq > 1 AND NOT EXISTS (
        SELECT FROM {0}.checkpoints c WHERE c.shard = s.shard AND c.size = s.next_seq - 1)"""
_UNREPORTED: Final = """
    SELECT count(*) FROM {0}.shards s
    WHERE next_seq > 1 AND NOT ('{0}' = 'table_inventory' AND name LIKE 'settlements/%') AND NOT EXISTS (
        SELECT FROM reporting.positions p
        WHERE p.service = replace('{0}', '_', '-') AND p.shard = s.shard AND p.seq >= s.next_seq - 1)"""
_READ: Final = "SELECT coalesce(sum(next_offset), 0) FROM {0}.shards WHERE name LIKE '{1}/%'"
_READS: Final = "SELECT count(*) FROM {0}.shards WHERE name LIKE '{1}/%'"
_LEGS: Final = (
    "SELECT leg, sum(cents)::bigint FROM {0}.postings JOIN {0}.accounts USING (account) "
    "WHERE property = %s GROUP BY leg"
)
_NOT_READ: Final = "SELECT (SELECT count(*) FROM {0}.quarantine) + (SELECT count(*) FROM {0}.gaps)"

_SUBMISSIONS: Final = "SELECT count(*) FROM {0}.submissions"
_PROPERTIES: Final = "SELECT count(*) FROM {0}.properties"
_EDGES: Final = "SELECT count(DISTINCT submission) FROM reporting.house_edges"
REPORTING: Final = "reporting"
SETTLEMENT: Final = "round_settlement"


class TooSlow(Exception):
    """An expected event did not happen in time."""


class Watch:
    """A database connection that reads the services' progress, to be used in a `with` block."""

    def __init__(self, target: Target) -> None:
        self._connection = psycopg.connect(target.conninfo, autocommit=True)

    def settled(self) -> int:
        """Return the number of table-event records that were processed and committed."""
        return self._numbers(_SETTLED)[0]

    def entries(self) -> int:
        """Return the number of entries that round settlement has recorded, all of which will be published."""
        return self._numbers(_SETTLED)[1]

    def published(self) -> int:
        """Return the number of entries that round settlement has published."""
        return self._numbers(_PUBLISHED)[0]

    def reported(self) -> int:
        """Return the number of published entries that reporting has processed and committed."""
        return self._numbers(_REPORTED)[0]

    def read(self, schema: str, topic: str) -> int:
        """Return the number of records of a topic that a service has processed and committed."""
        return self._numbers(_READ.format(schema, topic))[0]

    def reads(self, schema: str, topic: str) -> bool:
        """Return whether a service reads a topic, which is so if it has shards for the topic's partitions."""
        return bool(self._numbers(_READS.format(schema, topic))[0])

    def submissions(self, schema: str = SETTLEMENT) -> int:
        """Return the number of approved rules submissions that a service has read (reporting: with house edges)."""
        return self._numbers(_EDGES if schema == REPORTING else _SUBMISSIONS.format(schema))[0]

    def properties(self, schema: str = SETTLEMENT) -> int:
        """Return the number of approved properties that a service has read."""
        return self._numbers(_PROPERTIES.format(schema))[0]

    def unsigned(self, schema: str = SETTLEMENT) -> int:
        """Return the number of a service's shards that are not fully covered by a signed checkpoint."""
        return self._numbers(_UNSIGNED.format(schema))[0]

    def legs(self, schema: str, property_name: str) -> dict[str, int]:
        """Return the trial balance of a property in a service: the sum of postings by leg, in cents."""
        return dict(self._connection.execute(_LEGS.format(schema).encode(), (property_name,)).fetchall())

    def not_read(self, schema: str) -> int:
        """Return the number of records that a service has quarantined, plus its number of gaps."""
        return self._numbers(_NOT_READ.format(schema))[0]

    def wait_for_properties(self, count: int, *, seconds: float, schemas: Sequence[str] = (SETTLEMENT,)) -> None:
        """Wait until the services have read `count` properties. Raises: TooSlow."""
        for schema in schemas:
            self._wait(
                lambda schema=schema: self.properties(schema) >= count,  # type: ignore[misc]
                seconds,
                f"{schema} knows not all of {count} properties",
            )

    def wait_for_submissions(self, count: int, *, seconds: float, schemas: Sequence[str] = (SETTLEMENT,)) -> None:
        """Wait until the services have read `count` submissions, so that they can settle. Raises: TooSlow."""
        for schema in schemas:
            self._wait(
                lambda schema=schema: self.submissions(schema) >= count,  # type: ignore[misc]
                seconds,
                f"{schema} knows not all of {count} submissions",
            )

    def wait_for_checkpoints(self, *, seconds: float, schemas: Sequence[str] = (SETTLEMENT,)) -> None:
        """Wait until every entry of the services is covered by a signed checkpoint. Raises: TooSlow."""
        for schema in schemas:
            self._wait(
                lambda schema=schema: self.unsigned(schema) == 0,  # type: ignore[misc]
                seconds,
                f"not every entry of {schema} is in a signed checkpoint",
            )

    def wait_for_topic(self, schema: str, topic: str, records: int, *, seconds: float) -> None:
        """Wait until a service has processed and committed a number of records of a topic. Raises: TooSlow."""
        otherwise = f"{schema} has not read {records} records of {topic}"
        self._wait(lambda: self.read(schema, topic) >= records, seconds, otherwise)

    def wait_for_reporting(self, schemas: Sequence[str], *, seconds: float) -> None:
        """Wait until reporting has read every entry of the services, except table inventory's entries about rounds.

        Raises: TooSlow.
        """
        for schema in schemas:
            unread = _UNREPORTED.format(schema)
            self._wait(
                lambda unread=unread: self._numbers(unread)[0] == 0,  # type: ignore[misc]
                seconds,
                f"reporting has not read every entry of {schema}",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._connection.close()

    @staticmethod
    def _wait(done: Callable[[], bool], seconds: float, otherwise: str) -> None:
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                raise TooSlow(f"{otherwise} after {seconds:.0f} s; the logs of the services say why")
            time.sleep(POLL_SECONDS)

    def _numbers(self, query: str) -> tuple[int, ...]:
        row = self._connection.execute(query.encode()).fetchone()
        assert row is not None
        return tuple(int(value) for value in row)
