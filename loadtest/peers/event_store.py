"""The `eventsourcing` library on PostgreSQL, which stores each event once in dense streams, without postings."""

from collections.abc import Sequence
from uuid import NAMESPACE_URL, uuid5

from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from sqlalchemy import make_url

from loadtest.peers.peer import OnPostgres, SettledRound
from shared.journal.entry import Account

_TOPIC = "settlement.posted"


class EventStore(OnPostgres):
    """Stores each stream as an aggregate, and each round as a version of its aggregate, with the library's recorder."""

    name = "eventsourcing"
    keeps = "outcome; no postings"

    def open(self, url: str, accounts: Sequence[Account]) -> None:
        """Create the events table."""
        del accounts
        self._url = url
        parts = make_url(url)
        self._datastore = PostgresDatastore(
            dbname=parts.database or "",
            host=parts.host or "",
            port=parts.port or 5432,
            user=parts.username or "",
            password=str(parts.password or ""),
        )
        self._recorder = PostgresApplicationRecorder(self._datastore, events_table_name="stored_events")
        self._recorder.create_table()

    def write(self, rounds: Sequence[SettledRound]) -> None:
        """Insert the rounds' events in one transaction."""
        self._recorder.insert_events([_event(one) for one in rounds])

    def wrong(self, rounds: Sequence[SettledRound]) -> str | None:
        """Return a message on the first stream whose stored events differ from the written ones, or None."""
        wanted: dict[object, list[StoredEvent]] = {}
        for one in rounds:
            wanted.setdefault(uuid5(NAMESPACE_URL, one.stream), []).append(_event(one))
        for stream, events in wanted.items():
            kept = self._recorder.select_events(stream)
            if list(kept) != events:
                return f"stream {stream} has not the {len(events)} events that were written"
        return None

    def close(self) -> None:
        """Close the connections."""
        self._datastore.close()


def _event(one: SettledRound) -> StoredEvent:
    return StoredEvent(uuid5(NAMESPACE_URL, one.stream), one.sequence, _TOPIC, one.data)
