"""Tax returns: the daily sheets of a period, summed by line. Pure; amounts are cents."""

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import TypeVar

from services.reporting.domain.law import Applied
from services.reporting.reports.tax.gross_revenue import ClassDay, DayRevenue, Facility
from services.reporting.reports.tax.shares import ShareLine
from services.reporting.reports.tax.sheets import DailySheet, LayerLine, daily_sheets
from shared.jurisdictions import Dated, PeriodKind, days_of, month_before, period_of
from shared.jurisdictions.depending import Estimates
from shared.jurisdictions.model import ClassOfRevenue

RowT = TypeVar("RowT")
KeyT = TypeVar("KeyT", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ClassTotal:
    """The revenue of a class in a period, and the part of it that counts (see `ClassDay`)."""

    revenue_class: ClassOfRevenue
    revenue_cents: int
    counted_cents: int


@dataclass(frozen=True, slots=True)
class LayerTotal:
    """A line of a return: the sums of a tax layer's base and amount over the days of a period under the same law.

    If a rate changes within the period, each rate has its own line, with its first and last gaming day.
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
    """A line of a return: the sums of a party's base and amount over the days of a period with the same shares."""

    share: str
    party: str
    part: Fraction
    first: date
    last: date
    base_cents: int
    amount_cents: int
    applied: tuple[Applied, ...]


@dataclass(frozen=True, slots=True)
class EstimateTotal:
    """The estimates of a tax that is paid ahead, for one `month` (given by its first day).

    The amount due is the month's tax, less the estimate already paid for the month, plus the new estimate. The former
    was paid with the return of the month `paid_with` (None: there was no estimate). The new estimate covers
    `ahead_months` months, beginning with `ahead_from`.
    """

    layer: str
    payee: str
    month: date
    tax_cents: int
    paid_with: date | None
    paid_cents: int
    ahead_from: date | None
    ahead_months: int
    ahead_cents: int
    applied: tuple[Applied, ...]

    @property
    def change_cents(self) -> int:
        """Return the effect of estimates on the amount due, in cents: new estimate less paid estimate."""
        return self.ahead_cents - self.paid_cents


@dataclass(frozen=True, slots=True)
class PeriodSheet:
    """The tax sheet of a period: its daily sheets, and the sum of each line over these sheets."""

    property: str
    kind: PeriodKind
    first: date
    last: date
    sheets: tuple[DailySheet, ...]
    classes: tuple[ClassTotal, ...]
    layers: tuple[LayerTotal, ...]
    shares: tuple[ShareTotal, ...]
    estimates: tuple[EstimateTotal, ...] = ()


@dataclass(frozen=True, slots=True)
class TaxReturn:
    """A version of the return of a period. Version 1 is the original."""

    version: int
    sheet: PeriodSheet


def due_cents(sheet: PeriodSheet) -> dict[str, int]:
    """Return the amount due in cents, keyed by payee; it is negative if more than the tax was paid ahead."""
    found: Counter[str] = Counter()
    for line in sheet.layers:
        found[line.payee] += line.amount_cents
    for estimate in sheet.estimates:
        found[estimate.payee] += estimate.change_cents
    return dict(found)


def law_of(sheet: PeriodSheet) -> tuple[Applied, ...]:
    """Return the pack values behind the sheet's figures, without duplicates."""
    lines = (line for one in sheet.sheets for part in (one.classes, one.layers, one.shares) for line in part)
    return tuple(dict.fromkeys(applied for line in (*lines, *sheet.estimates) for applied in line.applied))


def period_sheet(
    facility: Facility,
    rows: Iterable[DayRevenue],
    kind: PeriodKind,
    day: date,
    *,
    incomplete: Container[tuple[date, ClassOfRevenue]] = (),
) -> PeriodSheet:
    """Return the sheet of the period that contains a gaming day.

    The sheet also contains layers and shares that are filed for other periods. For `rows`, `incomplete` and errors, see
    `daily_sheets`.
    """
    first, last = period_of(facility.pack, kind, day)
    begins = _estimates_from(facility, first, last)
    known = daily_sheets(facility, rows, begins, last, incomplete=incomplete)
    sheets = tuple(one for one in known if one.gaming_day >= first)
    return PeriodSheet(
        property=facility.property,
        kind=kind,
        first=first,
        last=last,
        sheets=sheets,
        classes=_classes(sheets),
        layers=_layers(sheets),
        shares=_shares(sheets),
        estimates=tuple(_estimates(facility, known, first, last)),
    )


def _estimates_from(facility: Facility, first: date, last: date) -> date:
    """Return the first day whose revenue the estimates of a period's months require; at the latest, `first`."""
    estimates = [one.estimates for one in facility.pack.taxes.values() if one.estimates is not None]
    ahead = [one.value.months_ahead for found in estimates for one in found.root]
    return month_before(first, max(ahead)) if ahead and _whole_months(first, last) else first


def _whole_months(first: date, last: date) -> list[date]:
    """Return the first day of each month that lies completely within a period."""
    begins = {month_before(day, 0) for day in days_of(first, last)}
    return sorted(month for month in begins if first <= month and month_before(month, -1) - timedelta(days=1) <= last)


def _estimates(facility: Facility, sheets: Iterable[DailySheet], first: date, last: date) -> Iterator[EstimateTotal]:
    """Yield the estimates of each whole month of a period: paid for the month, and paid with its return."""
    tax: Counter[tuple[str, date]] = Counter()
    for sheet in sheets:
        for line in sheet.layers:
            tax[line.layer, month_before(sheet.gaming_day, 0)] += line.amount_cents
    for name, layer in facility.pack.taxes.items():
        if layer.estimates is None or not facility.is_under(layer):
            continue
        began = max(layer.estimates.root[0].effective_from, facility.table_games_since or date.min)
        whole = month_before(began, 0 if began.day == 1 else -1)
        for month in _whole_months(first, last):
            if month >= whole:
                yield _estimate(name, layer.payee, tax, whole, month, layer.estimates.on(month))


def _estimate(
    name: str, payee: str, tax: Mapping[tuple[str, date], int], whole: date, month: date, terms: Dated[Estimates]
) -> EstimateTotal:
    """Return the estimates of a month; `whole` is the first complete month of the facility's table games."""
    months_ahead = terms.value.months_ahead
    is_first = month == whole
    paid_with = None if is_first else max(whole, month_before(month, months_ahead))
    ahead_months = months_ahead if is_first else 1
    return EstimateTotal(
        layer=name,
        payee=payee,
        month=month,
        tax_cents=tax.get((name, month), 0),
        paid_with=paid_with,
        paid_cents=0 if paid_with is None else tax.get((name, paid_with), 0),
        ahead_from=month_before(month, -1 if is_first else -months_ahead),
        ahead_months=ahead_months,
        ahead_cents=tax.get((name, month), 0) * ahead_months,
        applied=(Applied.of(f"taxes.{name}.estimates", terms),),
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
    """Return (gaming day, line) pairs of daily sheets, grouped by `key`."""
    found: dict[KeyT, list[tuple[date, RowT]]] = {}
    for sheet in sheets:
        for line in lines(sheet):
            found.setdefault(key(line), []).append((sheet.gaming_day, line))
    return found
