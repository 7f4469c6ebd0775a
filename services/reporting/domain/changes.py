"""The exceptions that journal entries open and close. Pure."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Self

from pydantic import BaseModel

from services.reporting.domain.exceptions import Closed, ExceptionDetails, ExceptionKind
from shared.contracts.envelope import Correction
from shared.contracts.facts import EntryEvent, Fact
from shared.contracts.journal_facts import (
    DismissedTogether,
    EntryPlace,
    EventFlagged,
    GapFilled,
    GapOpened,
    QuarantineDismissed,
    RecordMended,
    RecordQuarantined,
)
from shared.contracts.settlement_views import (
    PostedRound,
    ReversedRound,
    RoundView,
    SupersededRound,
    UnpostedRound,
)
from shared.contracts.settlements import ResultSuperseded, ResultUncounted


class EntryRef(NamedTuple):
    """An entry of a service's journal, with its hash in hexadecimal and its time of recording."""

    service: str
    shard: int
    seq: int
    hash: str
    recorded_at: datetime

    @classmethod
    def of(cls, service: str, event: EntryEvent[Any]) -> Self:
        """Return the reference of an entry that a service published as an event."""
        return cls(service, event.shard, event.sequence, event.entryhash, event.recordedat)


class Noticed(ExceptionDetails):
    """An exception and the entry that reports it; for a refused record, also its topic, partition and offset."""

    entry: EntryRef
    table_name: str | None = None
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None


class FilledGap(BaseModel):
    """An entry that reports the late arrival of a missing event."""

    entry: EntryRef
    at: datetime
    stream: str
    sequence: int


class Closing(BaseModel):
    """An entry that closes a refused record of the same service.

    The record is identified by `closed_shard` and `closed_seq`. `status` is "mended" if another record replaced it,
    "dismissed" if two people closed it.
    """

    entry: EntryRef
    closed_shard: int
    closed_seq: int
    status: Closed
    at: datetime
    by: str | None = None
    approved_by: str | None = None
    reason: str | None = None


@dataclass(slots=True)
class Changes:
    """Changes to the list of exceptions: new exceptions, missing events that arrived, and closed refused records."""

    service: str
    noticed: list[Noticed] = field(default_factory=list)
    filled_gaps: list[FilledGap] = field(default_factory=list)
    closings: list[Closing] = field(default_factory=list)

    def add(self, event: EntryEvent[Any]) -> None:
        """Add the exceptions that an entry of the settlement journal opens or closes."""
        entry = EntryRef.of(self.service, event)
        match event.data:
            case PostedRound() as data:
                self._add_notices(entry, event, data, revision=data.revision)
            case ReversedRound() as data:
                self._notice(entry, event, data, "reversed", **_why(data.correction), revision=data.revision)
                self._add_notices(entry, event, data)
            case UnpostedRound() as data:
                self._notice(entry, event, data, "voided", **_why(data.correction))
                self._add_notices(entry, event, data)
            case SupersededRound() as data:
                self._notice(entry, event, data, "superseded", **_why(data.correction))
                self._add_notices(entry, event, data)
            case ResultUncounted() as data:
                kind: ExceptionKind = "reversed" if data.counted else "voided"
                self._notice_result(entry, event, kind, data.voids, **dict(data.correction))
            case ResultSuperseded() as data:
                reason = f"event {data.voided_by} had voided it before it came"
                self._notice_result(entry, event, "superseded", data.sequence, reason=reason)
            case fact:
                self.add_fact(entry, event.time, fact)

    def add_fact(self, entry: EntryRef, moment: datetime, fact: Fact) -> None:
        """Add a fact about a service's input: a gap, a late event, a refused record, or the resolution of one."""
        match fact:
            case GapOpened():
                reason = f"events {fact.first} to {fact.last} have not come"
                self._open(entry, moment, "gap", fact.source, first=fact.first, last=fact.last, reason=reason)
            case GapFilled():
                self.filled_gaps.append(FilledGap(entry=entry, at=moment, stream=fact.source, sequence=fact.sequence))
            case RecordQuarantined():
                where = {"topic": fact.topic, "partition": fact.partition, "offset": fact.offset}
                place = {"first": fact.sequence, "last": fact.sequence, "reason": fact.reason}
                self._open(entry, moment, "quarantined", fact.source, **_table_of(fact.key), **place, **where)
            case EventFlagged():
                about = {"first": fact.sequence, "last": fact.sequence, "reason": fact.detail}
                self._open(entry, moment, "late", fact.source, **about)
            case RecordMended():
                for one in fact.entries:
                    self._close(entry, moment, one, "mended", by=fact.by, reason=fact.reason)
            case QuarantineDismissed(correction=why):
                people = {"by": why.entered_by, "approved_by": why.approved_by}
                self._close(entry, moment, fact, "dismissed", **people, reason=why.reason)
            case DismissedTogether(correction=why):
                people = {"by": why.entered_by, "approved_by": why.approved_by}
                for shard, seq in (place for one in fact.closed for place in one.places()):
                    place_of = EntryPlace(shard=shard, seq=seq)
                    self._close(entry, moment, place_of, "dismissed", **people, reason=why.reason)

    def _add_notices(
        self, entry: EntryRef, event: EntryEvent[Any], data: RoundView, *, revision: int | None = None
    ) -> None:
        """Add the notices of a round's settlement; reversing the posting with this `revision` closes them."""
        for number, notice in enumerate(data.notices, 1):
            self._notice(entry, event, data, "notice", number=number, revision=revision, **dict(notice))

    def _notice(
        self, entry: EntryRef, event: EntryEvent[Any], data: RoundView, kind: ExceptionKind, **more: Any
    ) -> None:
        self.noticed.append(
            Noticed(
                entry=entry,
                kind=kind,
                since=event.time,
                stream=event.subject,
                round_id=data.round_id,
                property=data.property,
                table_name=data.table,
                game=data.game,
                gaming_day=data.gaming_day,
                **more,
            )
        )

    def _notice_result(
        self, entry: EntryRef, event: EntryEvent[Any], kind: ExceptionKind, sequence: int, **why: str
    ) -> None:
        """Add an exception for a changed result of a counted table; `sequence` is its number in the table's stream."""
        data = event.data
        of_result = {"game": data.game, "gaming_day": data.gaming_day, "first": sequence, "last": sequence}
        self._open(entry, event.time, kind, event.subject, **of_result, **why)

    def _open(self, entry: EntryRef, moment: datetime, kind: ExceptionKind, stream: str | None, **more: Any) -> None:
        more |= _table_of(stream)  # the stream that the record names takes precedence over its key
        self.noticed.append(Noticed(entry=entry, kind=kind, since=moment, stream=stream, **more))

    def _close(
        self,
        entry: EntryRef,
        moment: datetime,
        closed: EntryPlace | QuarantineDismissed,
        status: Closed,
        **why: str | None,
    ) -> None:
        place = {"closed_shard": closed.shard, "closed_seq": closed.seq}
        self.closings.append(Closing(entry=entry, **place, status=status, at=moment, **why))


def _why(correction: Correction | None) -> dict[str, str]:
    if correction is None:
        return {"reason": "a later change of the round had come before"}
    return dict(correction)


def _table_of(stream: str | None) -> dict[str, Any]:
    """Return property and table, parsed from the stream name of a table or its pit; empty for any other text."""
    match (stream or "").split("/"):
        case ["", "properties", property_name, "tables", table] | [
            "",
            "properties",
            property_name,
            "tables",
            table,
            "pit",
        ]:
            return {"property": property_name, "table_name": table}
        case _:
            return {}
