"""Windows between two counts of a table, or two exchanges of its box, with their movements in cents.

The expected inventory at the end of a window is the count at its beginning, plus the movements recorded by people and
the chips of the rounds closed in it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Final, Literal

from sqlalchemy import text

from services.reporting.framework.figures import NOTHING, EntryRef, Figure, total
from services.reporting.read_model.reading import Books, Listed, entries_of, parts_of
from services.reporting.read_model.spans import NEIGHBORS, Span, given_spans, rounds_in
from services.reporting.read_model.variances import CaseKey
from shared.contracts import pit
from shared.contracts.chips import Contents, value_of

Purpose = Literal["opener", "closer", "shift", "drop", "spot", "carried"]

COUNTS: Final = (pit.OpenedTable, pit.ClosedTable, pit.CountedOpenTable, pit.CarriedTable)
"""The events of the pit that count a table inventory."""


Moves = Mapping[str, Figure]
"""Movements recorded by people at a table, by event type or, for a sale, instrument; positive into the inventory."""


@dataclass(frozen=True)
class Count:
    """A count of a table inventory; `sequence` is the number of its event in the pit stream, and of its inventory slip.

    `begins` is the gaming day and shift that begin with the count, if any.
    """

    entry: EntryRef
    table: str
    sequence: int
    at: datetime
    gaming_day: date
    shift: str
    purpose: Purpose
    contents: Contents
    counted_by: str
    observed_by: str
    begins: pit.NextShift | None = None

    @classmethod
    def of(cls, listed: Listed) -> "Count":
        """Return the count that a fact records."""
        fact, data = listed.fact, listed.fact.data
        purpose: Purpose
        begins, people = None, ("dealer", "floorperson")
        match data:
            case pit.OpenedTable():
                purpose = "opener"
            case pit.ClosedTable():
                purpose = "closer"
            case pit.CarriedTable():
                purpose, people = "carried", ("recorded_by", "checked_by")
            case _:
                purpose, begins = data.purpose, data.begins
        counted_by, observed_by = (getattr(data, name) for name in people)
        where = (listed.entry, fact.table, fact.sequence, listed.occurred_at, fact.gaming_day, fact.shift)
        return cls(*where, purpose, data.contents, counted_by, observed_by, begins)

    @cached_property
    def value(self) -> Figure:
        """Return the counted value of the table inventory, in cents."""
        return Figure(value_of(self.contents), (self.entry,))

    @property
    def opens(self) -> tuple[date, str] | None:
        """Return the gaming day and shift that begin with the count; None if none begin."""
        if self.purpose in ("opener", "carried"):
            return self.gaming_day, self.shift
        return None if self.begins is None else (self.begins.gaming_day, self.begins.shift)

    @property
    def ends_day(self) -> bool:
        """Return whether the count ends the table's gaming day, as far as the count alone shows."""
        other_day = self.begins is not None and self.begins.gaming_day != self.gaming_day
        return self.purpose in ("closer", "carried") or other_day


@dataclass(frozen=True)
class Window:
    """The movements between two counts of a table: the previous count `start` (None: no previous count) and `end`.

    With `of_play`, a counted table was open in the window, so that counted less expected is win, not a variance.
    """

    start: Count | None
    end: Count
    moves: Moves = field(default_factory=dict)
    rounds: Figure = NOTHING
    of_play: bool = False

    @cached_property
    def moved(self) -> Figure:
        """Return the net value, in cents, of all movements recorded by people in the window."""
        return total(self.moves.values())

    @cached_property
    def expected(self) -> Figure:
        """Return the expected inventory at the end of the window, in cents."""
        return (NOTHING if self.start is None else self.start.value) + self.moved + self.rounds

    @property
    def key(self) -> CaseKey:
        """Return the key under which the case of this window's variance is recorded."""
        return (self.end.gaming_day, self.end.table, "inventory", self.end.sequence)

    @cached_property
    def variance(self) -> Figure | None:
        """Return the variance, counted less expected; None for the table's first count, or if the difference is win."""
        return None if self.start is None or self.of_play else self.end.value - self.expected

    @cached_property
    def counted_win(self) -> Figure | None:
        """Return the win found by the count, counted less expected; None if the difference is not win."""
        return self.end.value - self.expected if self.of_play else None


def is_of_play(books: Books, table: str, day: date, start: Purpose | None, end: Purpose | None) -> bool:
    """Return whether a counted table was open between two counts, given both purposes and the second count's day."""
    opened = end in ("closer", "shift", "drop") or (end == "spot" and start not in ("closer", "carried"))
    return opened and books.sales_of(table, day) is not None


async def windows_of(books: Books) -> list[Window]:
    """Return the windows that end with a count of the queried gaming days, ordered by table and time."""
    first, last = books.question.first, books.question.last
    return await windows_between(
        books, [pair for pair in await counts_of(books) if first <= pair[1].gaming_day <= last]
    )


async def windows_between(books: Books, pairs: Iterable[tuple[Count | None, Count]]) -> list[Window]:
    """Return the window between each pair of counts; the earlier count is None if there is no previous count."""
    listed = list(pairs)
    spans = [Span(end.table, start.at, end.at) for start, end in listed if start is not None]
    moves, rounds = await moved_in(books, spans), await rounds_in(books, spans)
    windows = []
    for start, end in listed:
        if start is None:
            windows.append(Window(None, end))
        else:
            span = Span(end.table, start.at, end.at)
            of_play = is_of_play(books, end.table, end.gaming_day, start.purpose, end.purpose)
            windows.append(Window(start, end, moves[span], rounds[span], of_play))
    return windows


async def counts_of(books: Books) -> list[tuple[Count | None, Count]]:
    """Return the counts of the queried gaming days and of adjacent days, each with the previous count.

    The counts are ordered by table and time. The count before a table's first one may be from any earlier day.
    """
    pairs = await last_and_all(books, *COUNTS)
    counts = {one.entry: Count.of(one) for pair in pairs for one in pair if one is not None}
    return [(None if before is None else counts[before.entry], counts[one.entry]) for before, one in pairs]


async def last_and_all(books: Books, *events: type[pit.PitData]) -> list[tuple[Listed | None, Listed]]:
    """Return pit events of these kinds on the queried and adjacent days, ordered by table and time.

    Each event is paired with the previous event of these kinds at its table, however old (None: there is none).
    """
    first, last = books.question.first - NEIGHBORS, books.question.last + NEIGHBORS
    by_table: dict[str, list[Listed]] = defaultdict(list)
    for listed in await books.pit(*events, first=first, last=last):
        by_table[listed.fact.table].append(listed)
    before = await books.last_pit(by_table, *events, day=first)
    found: list[tuple[Listed | None, Listed]] = []
    for table in sorted(by_table):
        in_order = sorted(by_table[table], key=lambda one: (one.occurred_at, one.fact.sequence))
        found.extend(zip((before.get(table), *in_order), in_order, strict=False))
    return found


SPANS_AND_DESK: Final = """WITH spans AS (
        SELECT * FROM json_to_recordset(CAST(:spans AS json))
                      AS s(number integer, table_name text, after timestamptz, until timestamptz)),
    desk AS MATERIALIZED (
        SELECT service, shard, seq, table_name, occurred_at, data ->> 'slip' AS what,
               contents_cents * CASE WHEN kind = 'slip.voided' OR data ->> 'slip' = 'fill' THEN 1 ELSE -1 END AS cents
        FROM reporting.facts
        WHERE property = :property AND recorded_at <= :known_at
          AND (kind = 'manual_slip.entered' OR kind = 'slip.voided' AND data ->> 'slip' = 'credit'))"""
"""SQL for the given spans, and for entries of the desk that moved chips at a table but do not state the moved cents.

The entries are paper slips, and voids of credits in transit, whose chips return to the table. The chips of a voided
fill never reached the table.
"""

_MOVED: Final = """
    {given},
    moves AS (
        SELECT s.number, m.* FROM spans s CROSS JOIN LATERAL (
            SELECT f.moved_by AS what, f.moved_cents AS cents{entry} FROM reporting.facts f
            WHERE f.property = :property AND f.table_name = s.table_name AND f.moved_cents <> 0
              AND f.occurred_at > s.after AND f.occurred_at <= s.until AND f.recorded_at <= :known_at OFFSET 0) m
        UNION ALL
        SELECT s.number, f.what, f.cents{entry}
        FROM spans s JOIN desk f
          ON f.table_name = s.table_name AND f.occurred_at > s.after AND f.occurred_at <= s.until
        WHERE f.cents <> 0)
    SELECT number, what, CAST(sum(cents) AS bigint) AS cents{entries} FROM moves GROUP BY number, what
    ORDER BY number, what"""
_SUMS: Final = text(_MOVED.format(given=SPANS_AND_DESK, entry="", entries=""))
_EXPLAINED: Final = text(
    _MOVED.format(given=SPANS_AND_DESK, entry=", f.service, f.shard, f.seq, f.occurred_at", entries=entries_of("cents"))
)


async def moved_in(books: Books, spans: Sequence[Span]) -> dict[Span, Moves]:
    """Return the movements that people recorded in each span, in cents."""
    found: dict[Span, dict[str, Figure]] = {span: {} for span in spans}
    for row in await books.read(_EXPLAINED if books.explains else _SUMS, spans=given_spans(spans)):
        because = parts_of(row.entries) if books.explains else ()
        found[spans[row.number - 1]][row.what] = Figure(row.cents, because)
    return dict(found)
