"""The published journal of a service without a database: dense sequences and chained hashes, by shard."""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, NamedTuple

from shared.contracts.envelope import shard_source
from shared.contracts.facts import Fact
from shared.contracts.topics import Topic
from shared.runtime.outbox.relay import Outgoing, entry_message

DESK: Final = 12
"""The number of the shard of commands.

The shards before it correspond to the partitions of a service's input topics (infra/topics.yaml).
"""
SEALS: Final = DESK + 1
"""The number of the shard of the facts that close gaming days, which are published last in a month."""
WINS: Final = SEALS + 1
"""The number of the shard of win statements."""
RECORDED: Final = timedelta(milliseconds=40)
"""The minimum delay between the occurrence of a fact and the recording of its entry."""


class Published(NamedTuple):
    """A message to be published: topic, key and value."""

    topic: Topic
    key: bytes
    value: bytes


class _Shard:
    def __init__(self, service: str, number: int) -> None:
        self.source = shard_source(service, number)
        self.seq = 0
        self.hash = ""
        self.recorded_at: datetime | None = None


class Journal:
    """The journal of a service, as it appears on the service's topics."""

    def __init__(self, service: str) -> None:
        """Initialize with an empty journal."""
        self._service = service
        self._shards: dict[int, _Shard] = {}

    def entry(
        self,
        shard_number: int,
        fact: Fact,
        occurred_at: datetime,
        *,
        source: str | None = None,
        recorded_at: datetime | None = None,
    ) -> Published:
        """Return a fact's message as the next entry of a shard; the stream is `source`, or else the shard's stream.

        The entry is recorded no earlier than the previous entry of the shard.
        """
        shard = self._shards.get(shard_number)
        if shard is None:
            shard = self._shards[shard_number] = _Shard(self._service, shard_number)
        data, at = fact.encode(), recorded_at or occurred_at + RECORDED
        shard.seq += 1
        shard.hash = sha256(shard.hash.encode() + data).hexdigest()
        shard.recorded_at = at if shard.recorded_at is None else max(at, shard.recorded_at)
        row = Outgoing(
            seq=shard.seq,
            kind=fact.KIND.name,
            source=source or shard.source,
            occurred_at=occurred_at,
            recorded_at=shard.recorded_at,
            hash=shard.hash,
            data=data,
        )
        assert fact.KIND.topic is not None, "it is no fact that every journal may hold"
        return Published(fact.KIND.topic, shard.source.encode(), entry_message(shard.source, shard_number, row))

    def at_desk(
        self, fact: Fact, at: datetime, *, recorded_at: datetime | None = None, shard_number: int = DESK
    ) -> Published:
        """Return the message of a fact caused by a person's command, in the stream for its type of fact."""
        assert fact.KIND.stream is not None, "people's facts have streams of their own"
        source = fact.KIND.stream.format(**dict(fact))
        return self.entry(shard_number, fact, at, source=source, recorded_at=recorded_at)
