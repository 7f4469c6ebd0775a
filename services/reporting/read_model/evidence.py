"""The evidence of sealed gaming days: contributions of rounds and counts, accumulated evidence, and alarms.

A day is tested as of its seal and, after a restatement, again as of the last entry about the day. Each result is a row
derived from the read model as of that time and from the previous rows. Rows never change, so the result known at an
earlier time can be found by `known_at`.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.carried_evidence import (
    NOTHING,
    Alarm,
    Carried,
    Subject,
    alarms_as_text,
    alarms_of_text,
    evidence_as_text,
    evidence_of_text,
)
from services.reporting.domain.day_evidence import DayEvidence, ShownRound
from services.reporting.domain.evidence import Evidence
from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.reading import Books
from services.reporting.read_model.rounds import LINE_FIGURES, STAKE_FIGURES
from services.reporting.read_model.spans import Span, dealers_in
from services.reporting.read_model.windows import Window, windows_of
from services.reporting.tables import evidence_days
from shared.contracts.rejection import Reason, Rejected
from shared.journal.bulk import insert
from shared.journal.signed_rows import as_written, not_signed, signed_rows
from shared.runtime.database import seals_of
from shared.runtime.differences import ComparedTable, RowDifference
from shared.runtime.projections.unprojected_tables import compare_signed


@dataclass(frozen=True, slots=True)
class Due:
    """A gaming day whose tests are due, and the as-of time of the tests."""

    property: str
    gaming_day: date
    as_of: datetime


@dataclass(slots=True)
class DealerCounts:
    """The counts attributed to a dealer in a shift: number of all, inaccurate (`off`) and short counts; sum in cents.

    `entries` are the entries of the inaccurate counts, in the journal of table inventory.
    """

    counts: int = 0
    off: int = 0
    short: int = 0
    variance_cents: int = 0
    entries: list[EntryRef] = field(default_factory=list)

    def add(self, other: "DealerCounts") -> None:
        """Add further counts of the same dealer and shift."""
        self.counts += other.counts
        self.off += other.off
        self.short += other.short
        self.variance_cents += other.variance_cents
        self.entries += other.entries


ByDealer = dict[tuple[str, str], DealerCounts]
"""Counts by dealer and shift."""

_DUE: Final = text("""
    WITH sealed AS (
        SELECT f.property, f.gaming_day, min(f.recorded_at) AS sealed, m.last_recorded AS changed
        FROM reporting.facts f
        JOIN reporting.day_moments m ON m.property = f.property AND m.gaming_day = f.gaming_day
        WHERE f.kind = 'day.final'
        GROUP BY f.property, f.gaming_day, m.last_recorded),
    moments AS (
        SELECT property, gaming_day, sealed AS as_of FROM sealed
        UNION SELECT property, gaming_day, changed FROM sealed WHERE changed > sealed)
    SELECT property, gaming_day, as_of FROM moments w
    WHERE as_of <= :settled AND NOT EXISTS (
        SELECT FROM reporting.evidence_days e
        WHERE e.property = w.property AND e.gaming_day = w.gaming_day AND e.as_of >= w.as_of)
    ORDER BY as_of, gaming_day, property""")

_TABLES: Final = text("""
    SELECT DISTINCT table_name FROM reporting.rounds
    WHERE property = :property AND gaming_day = :day AND recorded_at <= :known_at ORDER BY table_name""")

_SUBMISSIONS: Final = text("""
    SELECT DISTINCT submission FROM reporting.rounds
    WHERE property = :property AND gaming_day = :day AND recorded_at <= :known_at""")

_OF_TABLE: Final = text("""
    SELECT game, dealer, submission, wagers, line_wagers, line_categories, line_figures, stake_figures
    FROM reporting.rounds r
    WHERE property = :property AND gaming_day = :day AND table_name = :table AND sign = 1 AND recorded_at <= :known_at
      AND NOT EXISTS (
          SELECT FROM reporting.rounds b
          WHERE b.property = r.property AND b.gaming_day = r.gaming_day AND b.table_name = r.table_name
            AND b.round_id = r.round_id AND b.revision = r.revision AND b.sign = -1 AND b.recorded_at <= :known_at)
    ORDER BY shard, seq""")

_LATEST: Final = text("""
    SELECT as_of, gaming_day, CAST(carried AS text) AS carried, CAST(alarms AS text) AS alarms
    FROM reporting.evidence_days WHERE property = :property AND as_of <= :known_at
    ORDER BY as_of DESC, gaming_day DESC LIMIT 1""")

_LAST: Final = select(*as_written(evidence_days)).order_by(
    evidence_days.c.as_of.desc(), evidence_days.c.gaming_day.desc()
)

_ALARMS: Final = text("""
    SELECT CAST(alarms AS text) AS alarms FROM reporting.evidence_days
    WHERE property = :property AND as_of <= :known_at ORDER BY as_of DESC, gaming_day DESC LIMIT 1""")

_LATEST_ALARMS: Final = text("""
    SELECT DISTINCT ON (property) property, CAST(alarms AS text) AS alarms FROM reporting.evidence_days
    ORDER BY property, as_of DESC, gaming_day DESC""")

_COUNTS: Final = text("""
    SELECT DISTINCT ON (gaming_day) CAST(counts AS text) AS counts FROM reporting.evidence_days
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND as_of <= :known_at
    ORDER BY gaming_day, as_of DESC""")

_NUMBERED: Final = text("""
    SELECT property, count(*) AS rows, max(number) AS latest FROM reporting.evidence_days WHERE number > 0
    GROUP BY property HAVING count(DISTINCT number) <> max(number)""")

_KEEP: Final = insert(evidence_days, on_conflict="skip")


async def due_days(connection: AsyncConnection, settled: datetime) -> list[Due]:
    """Return the gaming days due for tests, in order: sealed by a given time, or restated since the last test."""
    rows = await connection.execute(_DUE, {"settled": settled})
    return [Due(row.property, row.gaming_day, row.as_of) for row in rows]


async def evidence_of_day(
    books: Books, rest: Callable[[], Awaitable[object]]
) -> tuple[dict[Subject, Evidence], ByDealer]:
    """Return a gaming day's evidence, and its counts by dealer and shift, as of the query's as-of time.

    Each table is processed in a thread, followed by a pause, so that other work of the process is not delayed.
    """
    day = books.question.first
    submissions = [row.submission for row in await books.read(_SUBMISSIONS, day=day)]
    evidence = DayEvidence(await books.house_edges(submissions))
    for row in await books.read(_TABLES, day=day):
        rounds = await books.read(_OF_TABLE, day=day, table=row.table_name)
        await asyncio.to_thread(evidence.add_table, row.table_name, map(shown_round, rounds))
        await rest()
    counts: ByDealer = {}
    async for window, dealers in _counted(books):
        of_count = _of_window(window)
        evidence.add_count(dealers, of_count.variance_cents)
        for dealer in dealers:
            counts.setdefault((dealer, window.end.shift), DealerCounts()).add(of_count)
    return await asyncio.to_thread(evidence.found), counts


def shown_round(row: Any) -> ShownRound:
    """Return the tested part of a settled round, given a row of the table `rounds`."""
    width, figures = len(LINE_FIGURES), row.line_figures
    lines = [
        (wager, category, *figures[width * place : width * place + 4])
        for place, (wager, category) in enumerate(zip(row.line_wagers, row.line_categories, strict=True))
    ]
    each_stake = zip(*(iter(row.stake_figures),) * len(STAKE_FIGURES), strict=True)
    stakes = [(row.wagers[place - 1], seat, cents) for place, seat, cents in each_stake]
    return ShownRound(row.game, row.dealer, row.submission, lines, stakes)


async def _counted(books: Books) -> AsyncIterator[tuple[Window, tuple[str, ...]]]:
    """Yield the day's windows whose final count has an expected amount, each with the dealers of its rounds."""
    windows = [window for window in await windows_of(books) if window.variance is not None]
    spans = [Span(one.end.table, one.start.at, one.end.at) for one in windows if one.start is not None]
    dealers = await dealers_in(books, spans)
    for window, span in zip(windows, spans, strict=True):
        yield window, dealers.get(span, ())


def _of_window(window: Window) -> DealerCounts:
    cents = 0 if window.variance is None else window.variance.value
    return DealerCounts(1, int(cents != 0), int(cents < 0), cents, [window.end.entry] if cents else [])


async def keep(
    connection: AsyncConnection, due: Due, added: Mapping[Subject, Evidence], counts: ByDealer
) -> Sequence[Alarm]:
    """Add a day's evidence to the accumulated evidence, and store both; return the new alarms.

    The new row has the as-of time of `due` or, because rows never change, a time just after the last row's, if that is
    not earlier. Raises: Rejected if the signature of the previous row is not the service's.
    """
    of_property = evidence_days.c.property == due.property
    latest = await _signed(connection, of_property)
    before = await _signed(connection, of_property & (evidence_days.c.gaming_day == due.gaming_day))
    carried, as_of = NOTHING, due.as_of
    if latest is not None:
        carried = Carried(evidence_of_text(latest.carried), alarms_of_text(latest.alarms))
        if (latest.as_of, latest.gaming_day) >= (as_of, due.gaming_day):
            as_of = latest.as_of + timedelta(microseconds=1)  # a row continues the row before it
    after = carried.after(due.gaming_day, as_of, added, None if before is None else evidence_of_text(before.added))
    row = {
        "property": due.property,
        "as_of": as_of,
        "gaming_day": due.gaming_day,
        "added": evidence_as_text(added),
        "carried": evidence_as_text(after.evidence),
        "alarms": alarms_as_text(after.alarms),
        "counts": _counts_as_text(counts),
        "number": 1 if latest is None else latest.number + 1,
    }
    await _KEEP.write(connection, signed_rows(seals_of(connection), evidence_days, [row]))
    return after.alarms[len(carried.alarms) :]


async def _signed(connection: AsyncConnection, wanted: ColumnElement[bool]) -> Any:
    """Return the last stored row that satisfies a condition, or None. Raises: Rejected if its signature is invalid."""
    row = (await connection.execute(_LAST.where(wanted).limit(1))).one_or_none()
    if row is None:
        return None
    forged = not_signed(seals_of(connection), evidence_days, row._asdict())
    if forged is not None:
        detail = f"the evidence of {row.gaming_day} at {row.property} is not what this service kept: {forged}"
        raise Rejected(Reason.NOT_AS_RECORDED, detail)
    return row


async def compare_evidence(connection: AsyncConnection) -> ComparedTable:
    """Return the stored rows without a valid signature of the service, and properties with gaps in row numbers."""
    signed = await compare_signed(evidence_days, connection)
    gone = [
        RowDifference({"property": row.property}, {"rows": str(row.rows)}, {"rows": str(row.latest)})
        for row in await connection.execute(_NUMBERED)
    ]
    return ComparedTable(signed.table, signed.rows, signed.different + len(gone), (*signed.first, *gone))


async def alarms_known(books: Books) -> Sequence[Alarm]:
    """Return the alarms known at the query's as-of time, in the order in which they were raised."""
    return [alarm for row in await books.read(_ALARMS) for alarm in alarms_of_text(row.alarms)]


async def all_alarms(connection: AsyncConnection) -> list[tuple[str, Sequence[Alarm]]]:
    """Return (property, alarms) for each property, with all alarms to date."""
    return [(row.property, alarms_of_text(row.alarms)) for row in await connection.execute(_LATEST_ALARMS)]


async def carried_evidence(books: Books) -> tuple[date | None, Carried]:
    """Return the gaming day that was tested last (None if there is none), and the accumulated evidence.

    Both are as of the query's as-of time.
    """
    [*found] = await books.read(_LATEST)
    if not found:
        return None, NOTHING
    [row] = found
    return row.gaming_day, Carried(evidence_of_text(row.carried), alarms_of_text(row.alarms))


async def dealer_counts(books: Books) -> ByDealer:
    """Return the counts on the sealed days among the queried gaming days, keyed by dealer and shift."""
    found: ByDealer = {}
    for row in await books.read(_COUNTS, first=books.question.first, last=books.question.last):
        for key, counts in _counts_of_text(row.counts):
            found.setdefault(key, DealerCounts()).add(counts)
    return dict(sorted(found.items()))


def _counts_as_text(counts: ByDealer) -> str:
    rows = []
    for key, one in sorted(counts.items()):
        entries = [[entry.service, entry.shard, entry.seq] for entry in one.entries]
        rows.append([*key, one.counts, one.off, one.short, one.variance_cents, entries])
    return json.dumps(rows, separators=(",", ":"))


def _counts_of_text(said: str) -> Iterable[tuple[tuple[str, str], DealerCounts]]:
    for dealer, shift, counts, off, short, cents, entries in json.loads(said):
        yield (dealer, shift), DealerCounts(counts, off, short, cents, [EntryRef(*entry) for entry in entries])
