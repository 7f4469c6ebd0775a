"""End offsets of partitions and the time of their leaders' last answers, from librdkafka's statistics."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

RESPONSE_AGE_SECONDS_MAX: Final = 20.0
"""Maximum silence of a partition's leader. A leader answers every fetch, even when there are no records."""


@dataclass(frozen=True, slots=True)
class PartitionEnd:
    """The end offset of a partition, as last reported to a client.

    `end` is the offset after the last record on the broker. `readable` is the offset after the last record of a
    finished transaction; while a transaction is open, nothing from its first record on is readable. `delivered` is the
    offset up to which the client has delivered records, counting transaction markers as delivered. `heard_at` is the
    time of the leader's last answer, in seconds of the monotonic clock.
    """

    end: int
    readable: int
    delivered: int
    heard_at: float

    def is_known(self, now: float) -> bool:
        """Return whether the last answer is recent enough to rely on."""
        return now - self.heard_at <= RESPONSE_AGE_SECONDS_MAX


Ends = dict[int, PartitionEnd]
"""The ends of a topic's partitions, by partition number."""


def told_ends(
    statistics: Mapping[str, Any], before: Mapping[str, Ends], now: float
) -> Iterator[tuple[str, int, PartitionEnd]]:
    """Yield the partition ends in librdkafka's statistics, with topic and partition number.

    If a partition's leader is unknown, the time of its last answer is that of the previous statistics (`before`). If a
    partition has undelivered records, that time is `now`, because the client fetches nothing until they are delivered.
    """
    brokers = {broker["nodeid"]: broker for broker in statistics["brokers"].values() if broker["nodeid"] >= 0}
    for topic, found in statistics["topics"].items():
        for name, partition in found["partitions"].items():
            known = before.get(topic, {}).get(int(name))
            idle = brokers.get(partition["leader"], {}).get("rxidle", -1)  # microseconds; -1: it has never answered
            if partition["fetchq_cnt"]:
                heard_at = now
            elif idle >= 0:
                heard_at = now - idle / 1e6
            elif known is not None:
                heard_at = known.heard_at
            else:
                continue
            end = partition["hi_offset"]
            if end >= 0:
                readable = partition["ls_offset"] if partition["ls_offset"] >= 0 else end
                yield topic, int(name), PartitionEnd(end, readable, partition["app_offset"], heard_at)
