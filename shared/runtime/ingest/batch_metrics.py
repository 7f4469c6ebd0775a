"""Metrics and log events about committed records."""

from collections import Counter
from collections.abc import Sequence

import structlog

from shared.contracts.journal_facts import GapOpened
from shared.runtime.ingest.batch import Derived
from shared.runtime.metrics import Metrics

log = structlog.get_logger()


def count(metrics: Metrics, topic: str, derived: Sequence[Derived]) -> None:
    """Update the metrics for a committed batch of a topic's records, and log the quarantined ones."""
    metrics.batch.observe(len(derived))
    for one in derived:
        if one.duplicate:
            metrics.duplicates.labels(topic).inc()
        if one.unknown_kind:
            metrics.skipped.labels(topic).inc()
        if one.flagged is not None:
            metrics.implausible.labels(topic, one.flagged, "flagged").inc()
        if one.refusal is not None:
            _count_refusal(metrics, topic, one)
    kinds = Counter(draft.kind for one in derived for draft in one.drafts)
    for kind, number in kinds.items():
        metrics.entries.labels(kind).inc(number)
    metrics.gaps.inc(kinds[GapOpened.KIND.type])


def _count_refusal(metrics: Metrics, topic: str, one: Derived) -> None:
    assert one.refusal is not None
    metrics.quarantined.labels(topic).inc()
    metrics.conflicts.labels(topic).inc(one.refusal.conflict)
    metrics.not_authentic.labels(topic).inc(one.refusal.unsigned_by == "service")
    metrics.not_from_device.labels(topic).inc(one.refusal.unsigned_by == "device")
    if one.refusal.implausible is not None:
        metrics.implausible.labels(topic, one.refusal.implausible, "refused").inc()
    grave = one.refusal.conflict or one.refusal.unsigned_by is not None
    (log.error if grave else log.warning)(
        "record quarantined",
        topic=one.record.topic,
        partition=one.record.partition,
        offset=one.record.offset,
        source=one.refusal.source,
        sequence=one.refusal.sequence,
        reason=one.refusal.reason,
    )
