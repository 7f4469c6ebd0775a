"""Compare counted with expected amounts (cents) in the database; read only the counts and boxes that differ.

A month has tens of thousands of counts and hundreds of thousands of movements, and nearly all counts are as expected.
Only the counts that differ are read, with all movements that explain them.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import groupby
from operator import attrgetter
from typing import Final, Generic, NamedTuple, TypeVar

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.boxes import Box, boxes_between, counted_boxes, is_each_reported
from services.reporting.read_model.derived import stands
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.spans import NEIGHBORS, Span, chips_in, given_spans
from services.reporting.read_model.variances import CaseKey, Cases
from services.reporting.read_model.windows import (
    COUNTS,
    SPANS_AND_DESK,
    Count,
    Purpose,
    Window,
    is_of_play,
    windows_between,
)
from shared.contracts import pit
from shared.contracts.chips import value_of
from shared.contracts.inventory import VarianceKind
from shared.contracts.pit import PitData
from shared.contracts.topic_reader import kind_of

ThingT = TypeVar("ThingT")


@dataclass(frozen=True, slots=True)
class Compared(Generic[ThingT]):
    """The result of comparing counts or boxes with the expected amounts; only the items in `off` were read in full.

    `off` are the items that differ or have a case. `alike` is the number of items as expected, by gaming day and kind.
    `alone` are the keys of counts without an expected amount: a table's first count, and counts of counted tables.
    """

    off: Sequence[ThingT]
    alike: Counter[tuple[date, VarianceKind]] = field(default_factory=Counter)
    alone: Sequence[CaseKey] = ()


class _Mark(NamedTuple):
    """A row of the query _MARKS: a count or a box exchange, with its entry; `cents` is the value counted."""

    service: str
    shard: int
    seq: int
    table: str
    sequence: int
    at: datetime
    gaming_day: date
    cents: int
    purpose: Purpose | None

    @property
    def entry(self) -> EntryRef:
        """Return the entry that records the count or the exchange."""
        return EntryRef(self.service, self.shard, self.seq)


_MARKS: Final = text(
    """
    SELECT service, shard, seq, table_name, CAST(data ->> 'sequence' AS bigint) AS sequence, occurred_at, gaming_day,
           coalesce(contents_cents, 0) AS cents, CASE event
               WHEN 'table.opened' THEN 'opener' WHEN 'table.closed' THEN 'closer' WHEN 'table.carried' THEN 'carried'
               ELSE data #>> '{data,purpose}' END AS purpose
    FROM reporting.facts
    WHERE property = :property AND event = ANY(:events) AND gaming_day BETWEEN :first AND :last
      AND recorded_at <= :known_at AND (CAST(:table AS text) IS NULL OR table_name = :table) AND {stands}
    ORDER BY table_name, occurred_at, sequence""".replace("{stands}", stands())
)

_SUMS: Final = text(
    """
    {given},
    moves AS (
        SELECT s.number, m.* FROM spans s CROSS JOIN LATERAL (
            SELECT sum(f.moved_cents) AS moved, sum(f.moved_cents) FILTER (WHERE f.moved_by = 'currency') AS currency,
                   sum(f.moved_cents) FILTER (WHERE f.moved_by = 'counter_check.issued') AS checks
            FROM reporting.facts f
            WHERE f.property = :property AND f.table_name = s.table_name AND f.moved_cents <> 0
              AND f.occurred_at > s.after AND f.occurred_at <= s.until AND f.recorded_at <= :known_at) m
        UNION ALL
        SELECT s.number, d.cents, 0, 0
        FROM spans s JOIN desk d
          ON d.table_name = s.table_name AND d.occurred_at > s.after AND d.occurred_at <= s.until)
    SELECT number, CAST(coalesce(sum(moved), 0) AS bigint) AS moved,
           CAST(coalesce(sum(currency), 0) AS bigint) AS currency, CAST(coalesce(sum(checks), 0) AS bigint) AS checks
    FROM moves GROUP BY number""".replace("{given}", SPANS_AND_DESK)
)

_ENTRIES: Final = text("""
    SELECT f.service, f.shard, f.seq, kind, gaming_day, occurred_at, recorded_at, CAST(data AS text) AS data
    FROM unnest(CAST(:services AS text[]), CAST(:shards AS integer[]), CAST(:seqs AS bigint[]))
         AS e(service, shard, seq)
    JOIN reporting.facts f ON f.service = e.service AND f.shard = e.shard AND f.seq = e.seq
    WHERE f.property = :property AND f.recorded_at <= :known_at""")


class Sums(NamedTuple):
    """The sum of the movements that people recorded in a span, and of the sales by instrument (negative); in cents."""

    moved: int = 0
    currency: int = 0
    checks: int = 0


_NO_SUMS: Final = Sums()


async def sums_in(books: Books, spans: Sequence[Span]) -> list[Sums]:
    """Return the sums of the movements that people recorded in each span, computed in the database."""
    rows = await books.read(_SUMS, spans=given_spans(spans))
    found = {row.number: Sums(row.moved, row.currency, row.checks) for row in rows}
    return [found.get(number, _NO_SUMS) for number in range(1, len(spans) + 1)]


async def compared_windows(books: Books, cases: Cases) -> Compared[Window]:
    """Compare the counts of table inventories on the queried gaming days with the expected amounts."""
    pairs = await _pairs(books, *COUNTS)
    spans = [Span(mark.table, before.at, mark.at) for before, mark in pairs if before is not None]
    sums, chips = await asyncio.gather(sums_in(books, spans), chips_in(books, spans))
    off: list[tuple[_Mark, _Mark]] = []
    alike, alone = Counter[tuple[date, VarianceKind]](), []
    number = 0
    for before, mark in pairs:
        key: CaseKey = (mark.gaming_day, mark.table, "inventory", mark.sequence)
        if before is None:
            alone.append(key)
            continue
        expected = before.cents + sums[number].moved + chips[number]
        number += 1
        if is_of_play(books, mark.table, mark.gaming_day, before.purpose, mark.purpose) and key not in cases:
            alone.append(key)
        elif mark.cents != expected or key in cases:
            off.append((before, mark))
        else:
            alike[mark.gaming_day, "inventory"] += 1
    listed = await _listed(books, (mark.entry for pair in off for mark in pair))
    counts = [(Count.of(listed[before.entry]), Count.of(listed[mark.entry])) for before, mark in off]
    return Compared(await windows_between(books, counts), alike, alone)


async def compared_boxes(books: Books, cases: Cases) -> Compared[Box]:
    """Compare drop boxes of the queried gaming days with the recorded drop; boxes not counted yet are in `off`."""
    pairs = await _pairs(books, pit.ExchangedBox)
    spans = [Span(mark.table, None if before is None else before.at, mark.at) for before, mark in pairs]
    counted = await counted_boxes(books)
    off, alike = [], Counter[tuple[date, VarianceKind]]()
    for (_, mark), span, recorded in zip(pairs, spans, await sums_in(books, spans), strict=True):
        key: CaseKey = (mark.gaming_day, mark.table, "drop", mark.sequence)
        sold, found = (-recorded.currency, -recorded.checks), counted.get((mark.table, mark.sequence))
        if found is not None and not is_each_reported(books.sales_of(mark.table, mark.gaming_day)):
            found = (min(found[0], sold[0]), min(found[1], sold[1]))  # the excess over reported sales is win
        if key in cases or found != sold:
            off.append((span, mark))
        else:
            alike[mark.gaming_day, "drop"] += 1
    listed = await _listed(books, (mark.entry for _, mark in off))
    return Compared(await boxes_between(books, [(span, listed[mark.entry]) for span, mark in off]), alike)


async def _pairs(books: Books, *events: type[PitData]) -> list[tuple[_Mark | None, _Mark]]:
    """Return (previous, current) pairs of counts or box exchanges at a table, around the queried gaming days."""
    first, last = books.question.first, books.question.last
    days = {"first": first - NEIGHBORS, "last": last + NEIGHBORS}
    names = [kind_of(event) for event in events]
    rows = await books.read(_MARKS, events=names, table=books.question.table, **days)
    by_table = {table: [*mine] for table, mine in groupby(map(_Mark._make, rows), key=attrgetter("table"))}
    before = await books.last_pit(by_table, *events, day=days["first"])
    found: list[tuple[_Mark | None, _Mark]] = []
    for table, marks in by_table.items():
        earlier = _mark_of(before[table]) if table in before else None
        found.extend(_within(earlier, marks, first, last))
    return sorted(found, key=lambda pair: pair[1].table)


def _within(
    before: _Mark | None, marks: Iterable[_Mark], first: date, last: date
) -> Iterator[tuple[_Mark | None, _Mark]]:
    for mark in marks:
        if first <= mark.gaming_day <= last:
            yield before, mark
        before = mark


def _mark_of(listed: Listed) -> _Mark:
    fact = listed.fact
    cents = value_of(getattr(fact.data, "contents", ()))
    purpose = Count.of(listed).purpose if isinstance(fact.data, COUNTS) else None
    entry, at = listed.entry, listed.occurred_at
    where = (entry.service, entry.shard, entry.seq, fact.table, fact.sequence, at, fact.gaming_day)
    return _Mark(*where, cents, purpose)


async def _listed(books: Books, entries: Iterable[EntryRef]) -> dict[EntryRef, Listed]:
    """Return the facts recorded by the given entries, keyed by entry."""
    asked = list(dict.fromkeys(entries))
    rows = await books.read(
        _ENTRIES,
        services=[one.service for one in asked],
        shards=[one.shard for one in asked],
        seqs=[one.seq for one in asked],
    )
    return {listed.entry: listed for listed in map(Listed.of, rows)}
