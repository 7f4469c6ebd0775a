"""What events change in the reports. Pure; all amounts are cents."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final, NamedTuple

from services.reporting.events import (
    Dismissed,
    Figures,
    Filled,
    Mended,
    Opened,
    PostedRound,
    Quarantined,
    ReversedRound,
    UncountedRound,
)
from shared.contracts.settlements import SettledRound
from shared.contracts.settlement_reading import EntryOfPublisher, Explained, Under

SUMS: Final = (
    "rounds",
    "handle",
    "payout",
    "vigorish",
    "meter_contribution",
    "meter_payout",
    "meter_reset",
    "account_staked",
    "account_credited",
    "banked_handle",
    "banked_payout",
    "bank_collected",
    "bank_paid",
    "house_in_bank",
)
"""What a report row adds up: rounds with the wager, and amounts in cents, in the names of the contract."""


class GameKey(NamedTuple):
    """A game at a table on a gaming day."""

    gaming_day: date
    property: str
    table: str
    game: str


class WagerKey(NamedTuple):
    """A wager type of a game at a table on a gaming day: what a report row is about."""

    gaming_day: date
    property: str
    table: str
    game: str
    wager: str


class HandleKey(NamedTuple):
    """A wager type of a game at a table on a gaming day, as far as it was wagered under one rules submission."""

    gaming_day: date
    property: str
    table: str
    game: str
    wager: str
    version: int
    submission: str


@dataclass(slots=True)
class RoundCounts:
    """How many settlements were posted (of which corrections), taken back, and how many rounds voided unposted."""

    posted: int = 0
    corrected: int = 0
    reversed: int = 0
    voided: int = 0


class EntryRef(NamedTuple):
    """An entry of a service's journal, with its hash in hexadecimal and the moment of its recording."""

    service: str
    shard: int
    seq: int
    hash: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """Something that a report of exceptions lists, with the entry that says so.

    `stream` and the sequences `first` to `last` say where in which stream it is, as far as that is known. `state` is
    "open" for what must be followed up, "noted" for what is over. An entry may have several `notices`: `number` is the
    place of one among them, from 1; anything else is the only exception of its entry, number 0.
    """

    entry: EntryRef
    number: int = 0
    kind: str
    state: str
    since: datetime
    stream: str | None
    first: int | None = None
    last: int | None = None
    property: str | None = None
    table: str | None = None
    game: str | None = None
    gaming_day: date | None = None
    round_id: str | None = None
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None
    reason: str | None = None
    entered_by: str | None = None
    approved_by: str | None = None
    revision: int | None = None
    code: str | None = None
    seat: int | None = None
    paragraph: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """An entry that says that a missing event of a stream has come."""

    entry: EntryRef
    at: datetime
    stream: str
    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """An entry that closes a refused record, the one of the entry (`closed_shard`, `closed_seq`) of the same service.

    `state` is "mended" where another record replaced it, "dismissed" where two people said that none ever will.
    """

    entry: EntryRef
    closed_shard: int
    closed_seq: int
    state: str
    at: datetime
    by: str | None
    approved_by: str | None
    reason: str | None


@dataclass(slots=True)
class Changes:
    """What a batch of events changes in the reports: sums by key, exceptions noticed, and what settles them.

    `handles` has the part of the handle that can be laid to a rules submission, where it is not 0.
    """

    sums: dict[WagerKey, list[int]] = field(default_factory=dict)
    handles: dict[HandleKey, int] = field(default_factory=dict)
    rounds: dict[GameKey, RoundCounts] = field(default_factory=dict)
    noticed: list[Noticed] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    closings: list[Closing] = field(default_factory=list)

    def add(self, event: EntryOfPublisher[Any]) -> None:
        """Counts an event of the publisher's journal. Each event must be added once; the order does not matter."""
        match event.data:
            case PostedRound() as data:
                counts = self._round(data, data.totals)
                counts.posted += 1
                counts.corrected += data.correction is not None
                self._wagered(data, data.totals, data.submission)
                self.noticed.extend(_notices(event, data))
            case ReversedRound() as data:
                self._round(data, data.totals).reversed += 1
                if data.submission is not None:
                    self._wagered(data, data.totals, data.submission)
                noticed = _round_noticed("reversed", event, data, data.correction)
                self.noticed.append(replace(noticed, revision=data.revision))
            case UncountedRound() as data if event.type == "settlement.voided":
                self._round(data, ()).voided += 1
                self.noticed.append(_round_noticed("voided", event, data, data.correction))
            case UncountedRound() as data:
                self.noticed.append(_round_noticed("superseded", event, data, data.correction))
            case fact:
                self.add_fact(_entry_of(event), event.time, fact)

    def add_fact(self, entry: EntryRef, moment: datetime, fact: object) -> None:
        """Counts a fact of some journal: a gap, a refused record, or what became of them."""
        match fact:
            case Opened():
                property_name, table = _table_of(fact.source)
                self.noticed.append(
                    Noticed(
                        entry=entry,
                        kind="gap",
                        state="open",
                        since=moment,
                        stream=fact.source,
                        first=fact.first,
                        last=fact.last,
                        property=property_name,
                        table=table,
                        reason=f"events {fact.first} to {fact.last} have not come",
                    )
                )
            case Quarantined():
                property_name, table = _table_of(fact.source)
                self.noticed.append(
                    Noticed(
                        entry=entry,
                        kind="quarantined",
                        state="open",
                        since=moment,
                        stream=fact.source,
                        first=fact.sequence,
                        last=fact.sequence,
                        property=property_name,
                        table=table,
                        topic=fact.topic,
                        partition=fact.partition,
                        offset=fact.offset,
                        reason=fact.reason,
                    )
                )
            case Filled():
                self.fills.append(Fill(entry=entry, at=moment, stream=fact.source, sequence=fact.sequence))
            case Mended():
                for closed in fact.entries:
                    self.closings.append(
                        Closing(
                            entry=entry,
                            closed_shard=closed.shard,
                            closed_seq=closed.seq,
                            state="mended",
                            at=moment,
                            by=fact.by,
                            approved_by=None,
                            reason=fact.reason,
                        )
                    )
            case Dismissed():
                self.closings.append(
                    Closing(
                        entry=entry,
                        closed_shard=fact.shard,
                        closed_seq=fact.seq,
                        state="dismissed",
                        at=moment,
                        by=fact.correction.entered_by,
                        approved_by=fact.correction.approved_by,
                        reason=fact.correction.reason,
                    )
                )
            case _:
                raise AssertionError(f"no report knows the fact {type(fact).__name__}")

    def _round(self, data: SettledRound, totals: Iterable[Figures]) -> RoundCounts:
        key = GameKey(data.gaming_day, data.property, data.table, data.game)
        for total in totals:
            added = (
                total.count,
                total.handle,
                total.payout,
                total.vigorish,
                total.meter_contribution,
                total.meter_payout,
                total.meter_reset,
                total.account_staked,
                total.account_credited,
                total.banked_handle,
                total.banked_payout,
                total.bank_collected,
                total.bank_paid,
                total.house_in_bank,
            )
            wager = WagerKey(*key, total.wager)
            sums = self.sums.get(wager)
            self.sums[wager] = list(added) if sums is None else [a + b for a, b in zip(sums, added, strict=True)]
        counts = self.rounds.get(key)
        if counts is None:
            counts = self.rounds[key] = RoundCounts()
        return counts

    def _wagered(self, data: SettledRound, totals: Iterable[Figures], under: Under) -> None:
        for total in totals:
            if total.handle:
                where = (data.gaming_day, data.property, data.table, data.game, total.wager)
                key = HandleKey(*where, under.version, under.hash)
                self.handles[key] = self.handles.get(key, 0) + total.handle


def _entry_of(event: EntryOfPublisher[Any]) -> EntryRef:
    _, service, _, shard = event.source.split("/")
    return EntryRef(service, int(shard), event.sequence, event.entryhash, event.recordedat)


def _table_of(stream: str | None) -> tuple[str | None, str | None]:
    """The property and table of a table's stream; nothing for any other."""
    parts = [] if stream is None else stream.split("/")
    match parts:
        case ["", "properties", property_name, "tables", table]:
            return property_name, table
        case _:
            return None, None


def _round_noticed(kind: str, event: EntryOfPublisher[Any], data: SettledRound, why: Explained | None) -> Noticed:
    return Noticed(
        entry=_entry_of(event),
        kind=kind,
        state="noted",
        since=event.time,
        stream=event.subject,
        property=data.property,
        table=data.table,
        game=data.game,
        gaming_day=data.gaming_day,
        round_id=data.round_id,
        reason="a later change of the round had come before" if why is None else why.reason,
        entered_by=None if why is None else why.entered_by,
        approved_by=None if why is None else why.approved_by,
    )


def _notices(event: EntryOfPublisher[Any], data: PostedRound) -> Iterator[Noticed]:
    for number, notice in enumerate(data.notices, 1):
        yield Noticed(
            entry=_entry_of(event),
            number=number,
            kind="notice",
            state="noted",
            since=event.time,
            stream=event.subject,
            property=data.property,
            table=data.table,
            game=data.game,
            gaming_day=data.gaming_day,
            round_id=data.round_id,
            revision=data.revision,
            code=notice.code,
            seat=notice.seat,
            paragraph=notice.paragraph,
            detail=notice.detail,
        )
