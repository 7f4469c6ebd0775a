"""Halted partitions: their reading stopped, because continuing would skip records or read another log's records."""

from collections.abc import Iterable, Mapping

import structlog

from shared.journal.topic_identity import FORGOTTEN, TopicIdentity
from shared.runtime.context import RuntimeContext
from shared.runtime.kafka import TopicLog

log = structlog.get_logger()


class HaltedPartitions:
    """The halted partitions of a topic, with reasons: they are logged, counted, and fail the health check."""

    def __init__(self, context: RuntimeContext, topic: str) -> None:
        self._gauge = context.metrics.partitions_stopped.labels(topic)
        self._topic = topic
        self._reasons: dict[int, str] = {}

    @property
    def reasons(self) -> Mapping[int, str]:
        """Return partition -> reason, for the halted partitions."""
        return self._reasons

    def stop(self, number: int, reason: str) -> None:
        """Halt a partition; if it is halted already, the earlier reason is kept."""
        if number not in self._reasons:
            self._reasons[number] = reason
            log.error("partition halted", topic=self._topic, partition=number, reason=reason)
        self._gauge.set(len(self._reasons))

    def forget(self, partitions: Iterable[int]) -> None:
        """Clear the halt of partitions that were revoked or are being assigned again."""
        for number in partitions:
            self._reasons.pop(number, None)
        self._gauge.set(len(self._reasons))

    def compare(self, known: TopicIdentity, found: TopicLog, positions: Mapping[int, int]) -> None:
        """Halt the partitions whose next record, at the given position, is not in the log `found`."""
        for number, position in positions.items():
            trouble = _trouble(known, found, number, position)
            if trouble is not None:
                self.stop(number, trouble)


def _trouble(known: TopicIdentity, found: TopicLog, number: int, position: int) -> str | None:
    """Return why reading a partition cannot continue at a position, or None."""
    name = f"{known.topic}/{number}"
    adopt = f"or have it read as it is now: pitledger topics adopt {known.topic}"
    if known.topic_id == FORGOTTEN:
        return (
            f"which log {known.topic} was when {name} was read up to offset {position} is not in the database any "
            f"more: find out who deleted it, and keep the database as it is, {adopt}"
        )
    if found.topic_id != known.topic_id:
        return (
            f"{known.topic} was deleted and created again (its id was {known.topic_id} and is {found.topic_id}): "
            f"offset {position} of {name} is of the former one; restore that, {adopt}"
        )
    first, end = found.bounds.get(number, (0, 0))
    if position < first:
        return (
            f"{name} is to be read from offset {position} and begins at {first}: records that were never read were "
            f"deleted; restore them, {adopt}"
        )
    if position > end:
        return f"{name} was read up to offset {position} and ends at {end}: it lost records; restore them, {adopt}"
    return None
