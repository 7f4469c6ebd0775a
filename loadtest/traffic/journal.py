"""A service's published journal without a database: dense sequences and chained hashes, by shard."""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, NamedTuple

from shared.contracts.envelope import shard_source
from shared.contracts.facts import Fact
from shared.contracts.topics import Topic
from shared.runtime.outbox.relay import Outgoing, entry_message

DESK: Final = 12
"""The shard of what people do over HTTP; those before it follow the partitions of what a service reads: as many as
the topics have (infra/topics.yaml)."""
SEALS: Final = DESK + 1
"""The shard of what closes gaming days, which is published after all else of a month."""
WINS: Final = SEALS + 1
"""The shard of what is stated of wins."""
RECORDED: Final = timedelta(milliseconds=40)
"""An entry is recorded so long after what it says happened, or later."""


class Published(NamedTuple):
    """A message: its topic, key and value."""

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
    """The journal of the service that publishes a topic."""

    def __init__(self, service: str) -> None:
        """Start with an empty journal."""
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
        """Return a fact as the next entry of a shard, in the stream of that shard unless another one is named.

        It is recorded no earlier than the entry before it.
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
        """Return a fact caused by a person's command, in the stream of its kind."""
        assert fact.KIND.stream is not None, "people's facts have streams of their own"
        source = fact.KIND.stream.format(**dict(fact))
        return self.entry(shard_number, fact, at, source=source, recorded_at=recorded_at)
