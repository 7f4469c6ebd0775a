"""Returns: the daily sheets of a period summed by line. Pure; amounts are cents."""

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TypeVar

from services.reporting.domain.law import Applied
from services.reporting.reports.tax.gross_revenue import ClassDay, DayRevenue, Facility
from services.reporting.reports.tax.shares import ShareLine
from services.reporting.reports.tax.sheets import DailySheet, LayerLine, daily_sheets
from shared.jurisdictions import PeriodKind, period_of
from shared.jurisdictions.model import ClassOfRevenue

RowT = TypeVar("RowT")
KeyT = TypeVar("KeyT", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ClassTotal:
    """The revenue of a class in a period, and the countable part of it (`ClassDay`)."""

    revenue_class: ClassOfRevenue
    revenue_cents: int
    counted_cents: int


@dataclass(frozen=True, slots=True)
class LayerTotal:
    """A layer of tax over the gaming days of a period under the same law: base and amount are sums.

    If a rate changes within the period there is a line for each, with its first and last gaming day.
    """

    layer: str
    payee: str
    rate: Fraction
    first: date
    last: date
    base_cents: int
    amount_cents: int
    applied: tuple[Applied, ...]


@dataclass(frozen=True, slots=True)
class ShareTotal:
    """A party's share over the gaming days of a period under the same shares: the sum of the days."""

    share: str
    party: str
    part: Fraction
    first: date
    last: date
    base_cents: int
    amount_cents: int
    applied: tuple[Applied, ...]


@dataclass(frozen=True, slots=True)
class PeriodSheet:
    """The daily sheets of a period, and the sum of each line."""

    property: str
    kind: PeriodKind
    first: date
    last: date
    sheets: tuple[DailySheet, ...]
    classes: tuple[ClassTotal, ...]
    layers: tuple[LayerTotal, ...]
    shares: tuple[ShareTotal, ...]


@dataclass(frozen=True, slots=True)
class TaxReturn:
    """A version of the return of a period. Version 1 is the original."""

    version: int
    sheet: PeriodSheet


def due_cents(sheet: PeriodSheet) -> dict[str, int]:
    """Return the amount due to each payee of a tax, cents."""
    found: Counter[str] = Counter()
    for line in sheet.layers:
        found[line.payee] += line.amount_cents
    return dict(found)


def law_of(sheet: PeriodSheet) -> tuple[Applied, ...]:
    """Return every pack value behind the sheet's figures, without duplicates."""
    lines = (line for one in sheet.sheets for part in (one.classes, one.layers, one.shares) for line in part)
    return tuple(dict.fromkeys(applied for line in lines for applied in line.applied))


def period_sheet(
    facility: Facility,
    rows: Iterable[DayRevenue],
    kind: PeriodKind,
    day: date,
    *,
    incomplete: Container[tuple[date, ClassOfRevenue]] = (),
) -> PeriodSheet:
    """Return all layers and shares of the period that contains a gaming day, also those that are filed for another.

    `rows`, `incomplete` and errors are those of `daily_sheets`.
    """
    first, last = period_of(facility.pack, kind, day)
    sheets = daily_sheets(facility, rows, first, last, incomplete=incomplete)
    return PeriodSheet(
        property=facility.property,
        kind=kind,
        first=first,
        last=last,
        sheets=sheets,
        classes=_classes(sheets),
        layers=_layers(sheets),
        shares=_shares(sheets),
    )


def _classes(sheets: Iterable[DailySheet]) -> tuple[ClassTotal, ...]:
    def key(line: ClassDay) -> ClassOfRevenue:
        return line.revenue_class

    return tuple(
        ClassTotal(name, sum(one.revenue_cents for _, one in days), sum(one.counted_cents for _, one in days))
        for name, days in _grouped(sheets, lambda sheet: sheet.classes, key).items()
    )


def _layers(sheets: Iterable[DailySheet]) -> tuple[LayerTotal, ...]:
    def key(line: LayerLine) -> tuple[str, str, Fraction, tuple[Applied, ...]]:
        return line.layer, line.payee, line.rate, line.applied

    grouped = _grouped(sheets, lambda sheet: sheet.layers, key)
    found = [
        LayerTotal(
            *(layer, payee, rate, days[0][0], days[-1][0]),
            base_cents=sum(line.base_cents for _, line in days),
            amount_cents=sum(line.amount_cents for _, line in days),
            applied=applied,
        )
        for (layer, payee, rate, applied), days in grouped.items()
    ]
    return tuple(found)


def _shares(sheets: Iterable[DailySheet]) -> tuple[ShareTotal, ...]:
    def key(line: ShareLine) -> tuple[str, str, Fraction, tuple[Applied, ...]]:
        return line.share, line.party, line.part, line.applied

    return tuple(
        ShareTotal(
            *(share, party, part, days[0][0], days[-1][0]),
            base_cents=sum(line.base_cents for _, line in days),
            amount_cents=sum(line.amount_cents for _, line in days),
            applied=applied,
        )
        for (share, party, part, applied), days in _grouped(sheets, lambda sheet: sheet.shares, key).items()
    )


def _grouped(
    sheets: Iterable[DailySheet], lines: Callable[[DailySheet], Iterable[RowT]], key: Callable[[RowT], KeyT]
) -> dict[KeyT, list[tuple[date, RowT]]]:
    """Return the lines of sheets with their gaming days, grouped by key."""
    found: dict[KeyT, list[tuple[date, RowT]]] = {}
    for sheet in sheets:
        for line in lines(sheet):
            found.setdefault(key(line), []).append((sheet.gaming_day, line))
    return found
