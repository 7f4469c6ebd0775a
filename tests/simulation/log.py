"""The broker as services see it: topics with partitions, groups whose members come and go, producers that may fail."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, NamedTuple
from zlib import crc32

from shared.runtime.ingest.handler import InputRecord
from shared.runtime.kafka import TopicLog
from tests.simulation.chance import Chance

CLUSTER: Final = "simulated"
_PARTITIONS: Final = 2
_SINGLE: Final = frozenset({"submissions", "properties"})

Headers = Sequence[tuple[str, Any]]


@dataclass
class Partition:
    """A partition: all that was ever appended, and the offsets that it still holds."""

    history: list[InputRecord] = field(default_factory=list)
    begins: int = 0
    removed: set[int] = field(default_factory=set)
    """Offsets that compaction has left out."""

    @property
    def end(self) -> int:
        """Return the offset after the last record."""
        return len(self.history)

    def held(self, offset: int) -> Iterator[InputRecord]:
        """Yield the records that it holds, from an offset on."""
        for record in self.history[max(offset, self.begins) :]:
            if record.offset not in self.removed:
                yield record

    def compact(self) -> int:
        """Leave out records whose key comes again; return how many. The last record stays."""
        last = {record.key: record.offset for record in self.history}
        gone = {record.offset for record in self.history if last[record.key] != record.offset} - self.removed
        self.removed |= gone
        return len(gone)


class Bell:
    """Wakes whoever waits for something new."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Say that there may be something new."""
        self._rung.set()

    async def wait(self) -> None:
        """Wait for it."""
        await self._rung.wait()
        self._rung.clear()


class Member:
    """A member of a group, or somebody who reads a topic whole."""

    def __init__(self) -> None:
        self.bell = Bell()


class Group:
    """A consumer group on a topic: the partitions of each member. Nobody asks a member before it loses one."""

    def __init__(self, chance: Chance, partitions: Sequence[int]) -> None:
        self.generation = 0
        self._chance = chance
        self._partitions = partitions
        self._members: list[Member] = []
        self._owners: dict[int, Member] = {}

    def join(self, member: Member) -> None:
        """Have a member come."""
        self._members.append(member)
        self.rebalance()

    def leave(self, member: Member) -> None:
        """Have a member go, if it is there."""
        if member in self._members:
            self._members.remove(member)
            self.rebalance()

    def rebalance(self) -> None:
        """Give the partitions to members again."""
        self.generation += 1
        self._owners = {number: self._chance.one_of(self._members) for number in self._partitions if self._members}
        for member in self._members:
            member.bell.ring()

    @property
    def is_shared(self) -> bool:
        """Return whether there is more than one member."""
        return len(self._members) > 1

    def of(self, member: Member) -> set[int]:
        """Return the partitions of a member."""
        return {number for number, owner in self._owners.items() if owner is member}


class Topic:
    """A topic, and who waits for what comes."""

    def __init__(self, name: str, partitions: Sequence[Partition] | None = None) -> None:
        self.name = name
        count = 1 if name in _SINGLE else _PARTITIONS
        self.partitions = list(partitions or (Partition() for _ in range(count)))
        self.readers: list[Member] = []
        self.groups: dict[str, Group] = {}

    def append(self, key: bytes | None, value: bytes, headers: Headers, at: datetime) -> None:
        """Take a record into the partition of its key."""
        number = crc32(key or b"") % len(self.partitions)
        history = self.partitions[number].history
        told = tuple((name, text.encode() if isinstance(text, str) else text) for name, text in headers)
        history.append(InputRecord(self.name, number, len(history), key, value, at, told, by_broker=True))
        for reader in self.readers:
            reader.bell.ring()

    def found(self) -> TopicLog:
        """Return the topic as a cluster tells of it."""
        bounds = {number: (one.begins, one.end) for number, one in enumerate(self.partitions)}
        return TopicLog(CLUSTER, f"id of {self.name}", bounds)


class Sent(NamedTuple):
    """A record as somebody sends it."""

    topic: str
    key: bytes | None
    value: bytes
    headers: Headers = ()


class Log:
    """All topics. `watch` is told each record that is appended."""

    def __init__(self, chance: Chance, clock: Callable[[], datetime], before: "Log | None" = None) -> None:
        self.watch: Callable[[str, bytes], None] = lambda *_: None
        self.sent: list[Sent] = []
        """What was appended, in order, without what was there before."""
        self.topics: dict[str, Topic] = {}
        self._chance = chance
        self._clock = clock
        if before is not None:
            for name, topic in before.topics.items():
                kept = [replace(one, history=list(one.history), removed=set(one.removed)) for one in topic.partitions]
                self.topics[name] = Topic(name, kept)

    def topic(self, name: str) -> Topic:
        """Return a topic, which is there from the beginning."""
        return self.topics.setdefault(name, Topic(name))

    def group(self, service: str, topic: str) -> Group:
        """Return the group of a service on a topic."""
        found = self.topic(topic)
        if service not in found.groups:
            found.groups[service] = Group(self._chance, range(len(found.partitions)))
        return found.groups[service]

    def append(self, one: Sent) -> None:
        """Take a record."""
        self.watch(one.topic, one.value)
        self.topic(one.topic).append(one.key, one.value, one.headers, self._clock())
        self.sent.append(one)

    def restored(self) -> "Log":
        """Return a copy in which retention has deleted nothing, as a backup of the topics has it."""
        copy = Log(self._chance, self._clock, self)
        for topic in copy.topics.values():
            for partition in topic.partitions:
                partition.begins = 0
        return copy

    def ends(self) -> Mapping[str, int]:
        """Return how many records each topic has."""
        return {name: sum(one.end for one in topic.partitions) for name, topic in self.topics.items()}


class Producer:
    """A producer: what it sends arrives, or not, or in part, or arrives and nobody says so."""

    def __init__(self, log: Log, chance: Chance) -> None:
        self._log = log
        self._chance = chance
        self._waiting: list[tuple[Sent, Callable[[Any, Any], None]]] = []

    def produce(
        self, topic: str, *, key: bytes | None, value: bytes, headers: Headers, on_delivery: Callable[[Any, Any], None]
    ) -> None:
        """Take a message to be sent."""
        self._waiting.append((Sent(topic, key, value, headers), on_delivery))

    def poll(self, seconds: float) -> int:
        """Do nothing: what is sent is sent when everything is."""
        del seconds
        return 0

    def flush(self, seconds: float) -> int:
        """Send everything; return how many are unanswered."""
        del seconds
        sent, self._waiting = self._waiting, []
        fault = self._chance.first(("delivery refused", "delivery in part", "delivery done, answer lost"))
        arrives = {"delivery refused": 0, "delivery in part": self._chance.between(0, len(sent) - 1)}
        count = arrives.get(fault, len(sent)) if fault is not None else len(sent)
        for one, _ in sent[:count]:
            self._log.append(one)
        for _, told in sent:
            told(fault, None)
        return 0

    def purge(self) -> None:
        """Forget what was not sent."""
        self._waiting = []
