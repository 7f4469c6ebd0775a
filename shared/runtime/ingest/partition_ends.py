"""How far partitions go, and when their leaders last answered, as librdkafka tells it in its statistics."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

RESPONSE_AGE_SECONDS_MAX: Final = 20.0
"""How long the leader of a partition that is read may say nothing: it answers a fetch of which nothing comes, too."""


@dataclass(frozen=True, slots=True)
class PartitionEnd:
    """The end of a partition, as a client was last told.

    `end` is the offset after the last record that the broker holds, `readable` the one after the last record of which
    it is decided whether it counts: while a transaction is open nothing behind its first record is. `delivered` is the
    offset up to which the client has handed over what there is; it passes the markers that end transactions, which are
    no records. `heard_at` is when the leader of the partition last answered, in seconds of the monotonic clock.
    """

    end: int
    readable: int
    delivered: int
    heard_at: float

    def is_known(self, now: float) -> bool:
        """Return whether what was told may still be so."""
        return now - self.heard_at <= RESPONSE_AGE_SECONDS_MAX


Ends = dict[int, PartitionEnd]
"""The ends of a topic's partitions, by number."""


def told_ends(
    statistics: Mapping[str, Any], before: Mapping[str, Ends], now: float
) -> Iterator[tuple[str, int, PartitionEnd]]:
    """Yield the ends of partitions, with topic and number, that statistics tell.

    A partition whose leader is not known was heard when it was `before`. One that still has records to be handed over
    was heard `now`: nobody asks for more until they are.
    """
    brokers = {broker["nodeid"]: broker for broker in statistics["brokers"].values() if broker["nodeid"] >= 0}
    for topic, found in statistics["topics"].items():
        for name, partition in found["partitions"].items():
            known = before.get(topic, {}).get(int(name))
            idle = brokers.get(partition["leader"], {}).get("rxidle", -1)  # microseconds; -1: it never answered
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
