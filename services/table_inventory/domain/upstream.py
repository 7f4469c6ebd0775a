"""Round settlement's reports about its input: missing events and quarantined records.

A gaming day cannot be closed while any such item of its property is open.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from shared.contracts.envelope import Event, property_of, shard_of
from shared.contracts.inventory import EntryOfSettlement, UpstreamNoted
from shared.contracts.journal_facts import (
    DismissedTogether,
    GapFilled,
    GapOpened,
    QuarantineDismissed,
    RecordMended,
    RecordQuarantined,
)

OF_INPUT: Final = (GapOpened, GapFilled, RecordQuarantined, RecordMended, QuarantineDismissed, DismissedTogether)
"""The types of facts with which round settlement reports missing events and quarantined records."""


@dataclass(frozen=True, slots=True)
class OpenInput:
    """An open item of a service's input: `missing` events of a stream, or a record quarantined for a `reason`."""

    of: str
    source: str | None
    missing: int = 0
    reason: str | None = None

    def __str__(self) -> str:
        if self.missing:
            return f"{self.missing} events of {self.source} are missing at {self.of}"
        return f"a record of {self.source or 'an unknown stream'} is in quarantine at {self.of}: {self.reason}"


def noted(event: Event[Any]) -> Iterator[UpstreamNoted]:
    """Yield the facts that record a report of round settlement about its input."""
    match event.data:
        case GapOpened() as gap:
            property_name = property_of(gap.source)
            yield UpstreamNoted(property=property_name, source=gap.source, first=gap.first, last=gap.last)
        case GapFilled() as filled:
            yield UpstreamNoted(property=property_of(filled.source), source=filled.source, filled=filled.sequence)
        case RecordQuarantined() as refused:
            source = refused.source or refused.key
            yield UpstreamNoted(
                property=property_of(source),
                source=source,
                quarantined=EntryOfSettlement(shard=shard_of(event.source), seq=event.sequence),
                sequence=refused.sequence,
                reason=refused.reason,
            )
        case RecordMended() as mended:
            closed = tuple(EntryOfSettlement(shard=one.shard, seq=one.seq) for one in mended.entries)
            yield UpstreamNoted(property=property_of(mended.source), source=mended.source, closed=closed, mended=True)
        case QuarantineDismissed() as dismissed:
            closed = (EntryOfSettlement(shard=dismissed.shard, seq=dismissed.seq),)
            yield UpstreamNoted(property=property_of(dismissed.source), source=dismissed.source, closed=closed)
        case DismissedTogether() as together:
            yield UpstreamNoted(property=together.filter.property, closed_ranges=together.closed)
