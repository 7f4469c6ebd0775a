"""Changes of a tax return by restatements: each version compared line by line with the previous one."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby, pairwise
from typing import Any, Final

from sqlalchemy import text

from services.reporting.framework.document import Column, Section
from services.reporting.framework.figures import Aggregate, EntryRef, Sources, computed
from services.reporting.read_model.reading import Books
from services.reporting.read_model.seals import sealed_days
from services.reporting.reports.common.cells import rate_text
from services.reporting.reports.tax.amendments import Amended, AmendedLines, amended
from services.reporting.reports.tax.returns import TaxReturn
from services.reporting.reports.tax.revenue import CountedRevenue, counted_revenue
from shared.contracts.topics import SETTLEMENTS
from shared.jurisdictions.model import ClassOfRevenue

AMENDED: Final = Section(
    name="amended",
    title="Changes by restatement",
    key=("version", "gaming_day", "line", "party", "rate", "figure"),
    columns=(
        Column(
            name="version",
            title="Version",
            formula="version of the return; 1: as known when the last of its gaming days was sealed",
        ),
        Column(name="known_at", title="Known since", unit="moment"),
        Column(name="gaming_day", title="Gaming day", unit="day", formula="empty: the whole period"),
        Column(name="line", title="Line", formula="revenue class, tax, share, or payee of an amount due"),
        Column(name="party", title="Party"),
        Column(name="rate", title="Rate"),
        Column(name="figure", title="Figure"),
        Column(name="before_cents", title="Before", unit="cents", formula="in the previous version"),
        Column(name="after_cents", title="After", unit="cents", formula="in this version"),
        Column(name="difference_cents", title="Difference", unit="cents", formula="after - before"),
    ),
)

_CHANGES: Final = text("""
    SELECT DISTINCT recorded_at, gaming_day, service, shard, seq FROM reporting.amounts
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND measure = ANY(:measures)
      AND recorded_at > :sealed AND recorded_at <= :known_at
    UNION ALL
    SELECT recorded_at, gaming_day, CAST(:settling AS text), shard, seq FROM reporting.rounds
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND table_name = ANY(:electronic)
      AND recorded_at > :sealed AND recorded_at <= :known_at
    ORDER BY recorded_at, gaming_day, service, shard, seq""")


@dataclass(frozen=True, slots=True)
class _Version:
    """A version of a return: its as-of time, its revenue, and the entries that changed it from the previous version."""

    filed: TaxReturn
    known_at: datetime
    revenue: CountedRevenue
    changes: Sequence[tuple[date, EntryRef]] = ()

    def because(self, first: date, last: date) -> Sources:
        """Return the provenance of the revenue of a range of days, as of the time of this version."""
        of_days = self.revenue.because(self.revenue.classes, first, last)
        return tuple(one.as_of(self.known_at) for one in of_days)


async def amended_rows(books: Books, now: CountedRevenue) -> list[dict[str, Any]]:
    """Return the rows of each later version of a return: all lines of the period, and changed lines by gaming day.

    The result is empty while a gaming day is not sealed, or if nothing has changed since the last seal.
    """
    rows: list[dict[str, Any]] = []
    for before, after in pairwise(await _versions(books, now)):
        known, change = {*before.revenue.classes, *after.revenue.classes}, amended(before.filed, after.filed)
        period = _Compared(before, after, None)
        rows += period.rows(change.lines, known)
        rows += (period.row(payee, "due", cents) for payee, cents in change.due.items())
        for day, lines in change.days.items():
            rows += (row for row in _Compared(before, after, day).rows(lines, known) if row["difference_cents"].value)
    return rows


async def _versions(books: Books, now: CountedRevenue) -> list[_Version]:
    """Return the versions of a return; empty while a day is not sealed, or if nothing changed since the last seal."""
    sealed = await sealed_days(books)
    played = {one.gaming_day for one in now.in_sheet}
    if not played or not played <= {one.gaming_day for one in sealed}:
        return []
    seal = max(one.recorded_at for one in sealed)
    changes = await _changes(books, now, seal)
    if not changes:
        return []
    original = await counted_revenue(books.known_at(seal))
    versions, entries = [_Version(TaxReturn(1, original.sheet), seal, original)], list[tuple[date, EntryRef]]()
    for moment, rows in groupby(changes, key=lambda row: row.recorded_at):
        entries += ((row.gaming_day, EntryRef(row.service, row.shard, row.seq)) for row in rows)
        revenue = await counted_revenue(books.known_at(moment))
        if revenue.sheet != versions[-1].revenue.sheet:
            versions.append(_Version(TaxReturn(len(versions) + 1, revenue.sheet), moment, revenue, entries))
            entries = []
    return versions


async def _changes(books: Books, now: CountedRevenue, seal: datetime) -> Sequence[Any]:
    """Return a row for each entry that affects revenue and was recorded after `seal`, in the order of recording."""
    first, last = min(one.gaming_day for one in now.earned), now.sheet.last
    behind = [one.source for one in now.because(now.classes, first, last) if isinstance(one.source, Aggregate)]
    return await books.read(
        _CHANGES,
        first=first,
        last=last,
        measures=sorted(
            {"missing", "rake_missing", *(name for one in behind if one.book == "amounts" for name in one.measures)}
        ),
        electronic=sorted({one.name for one in now.earned if one.source == "electronic"}),
        settling=SETTLEMENTS.publisher,
        sealed=seal,
    )


@dataclass(frozen=True, slots=True)
class _Compared:
    """Two versions of a return, to be compared for one gaming day or (`day` is None) for the whole period."""

    before: _Version
    after: _Version
    day: date | None

    def rows(self, lines: AmendedLines, known: Container[ClassOfRevenue]) -> Iterator[dict[str, Any]]:
        """Yield the rows of compared lines; classes of revenue without any record (not in `known`) are left out."""
        for one in lines.classes:
            if one.revenue_class in known:
                yield self.row(one.revenue_class, "revenue", one.revenue)
                yield self.row(one.revenue_class, "counted", one.counted)
        for layer in lines.layers:
            yield self.row(layer.layer, "base", layer.base, rate=rate_text(layer.rate))
            yield self.row(layer.layer, "tax", layer.amount, rate=rate_text(layer.rate))
        for share in lines.shares:
            yield self.row(share.share, "share", share.amount, party=share.party, rate=rate_text(share.part))

    def row(self, line: str, figure: str, amounts: Amended, *, party: str = "", rate: str = "") -> dict[str, Any]:
        """Return the row that compares a figure in two versions of a return.

        The provenance of each amount is all of its entries, that of the difference only the entries that changed the
        figure.
        """
        sheet = self.after.revenue.sheet
        days = (self.day or sheet.first, self.day or sheet.last)
        changes = tuple(dict.fromkeys(entry for day, entry in self.after.changes if self.day in (None, day)))
        return {
            "version": str(self.after.filed.version),
            "known_at": self.after.known_at,
            "gaming_day": self.day,
            "line": line,
            "party": party,
            "rate": rate,
            "figure": figure,
            "before_cents": computed(amounts.original_cents, self.before.because(*days)),
            "after_cents": computed(amounts.current_cents, self.after.because(*days)),
            "difference_cents": computed(amounts.difference_cents, changes),
        }
