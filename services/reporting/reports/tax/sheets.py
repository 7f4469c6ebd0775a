"""Daily sheets: a gaming day's revenue, each layer of tax on it, and its shares. Pure; cents."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from services.reporting.domain.law import Applied, half_up
from services.reporting.reports.tax.gross_revenue import Bases, ClassDay, DayRevenue, Facility, Revenue, TaxPeriod
from services.reporting.reports.tax.shares import ShareLine, divided, share_lines
from shared.jurisdictions import (
    AfterAFall,
    Dated,
    GamingPack,
    Graduated,
    days_of,
    fiscal_year_begin,
    fiscal_year_of,
    month_before,
    period_of,
)
from shared.jurisdictions.model import ClassOfRevenue, RevenueShares, TaxLayer


@dataclass(frozen=True, slots=True)
class LayerLine:
    """A layer of tax on a gaming day: the base of its classes times a rate; with brackets, one line for each bracket.

    `amount_cents` is base times rate, rounded half up each day. If the pack rounds a tax once per period,
    `amount_cents` is the increase on this day of the period's running rounded amount, so that the days sum to the
    rounded amount of the period. The days of a period never sum to less than 0. With brackets, the sum of a day's lines
    is rounded, and the remaining cents go to the lines with the largest remainders.
    """

    layer: str
    payee: str
    period: TaxPeriod
    rate: Fraction
    classes: tuple[ClassOfRevenue, ...]
    base_cents: int
    amount_cents: int
    applied: tuple[Applied, ...]


@dataclass(frozen=True, slots=True)
class DailySheet:
    """A gaming day's revenue by class, the layers of tax on it, and its division into shares."""

    property: str
    gaming_day: date
    classes: tuple[ClassDay, ...]
    layers: tuple[LayerLine, ...]
    shares: tuple[ShareLine, ...]


def needed_from(pack: GamingPack, first: date) -> date:
    """Return the first gaming day whose revenue is needed for sheets and returns that begin on `first`.

    This day is before `first` if a loss may offset other days of its period, if a tax is rounded once per period or has
    brackets, or if the tax of an earlier month was paid as an estimate.
    """
    losses = (one.value for rule in pack.classes.values() for one in rule.negative_days.root)
    roundings = (one.value for layer in pack.taxes.values() for one in layer.rounding.root)
    over = {
        one.value.over for layer in pack.taxes.values() for one in layer.rate.root if isinstance(one.value, Graduated)
    }
    paid_ahead = [
        one.value.months_ahead for layer in pack.taxes.values() if layer.estimates for one in layer.estimates.root
    ]
    needed = month_before(first, max(paid_ahead)) if paid_ahead else first
    if over or not ({*losses} <= {"counts_as_zero"} and {*roundings} <= {"each_day"}):
        needed = min(period_of(pack, "week", needed)[0], period_of(pack, "month", needed)[0])
    return fiscal_year_begin(pack, needed) if "fiscal_year" in over else needed


def daily_sheets(
    facility: Facility,
    rows: Iterable[DayRevenue],
    first: date,
    last: date,
    *,
    incomplete: Container[tuple[date, ClassOfRevenue]] = (),
) -> tuple[DailySheet, ...]:
    """Return the sheet of each gaming day from the first to the last, including days without revenue.

    `rows` are the revenue of the gaming days from `needed_from` to the last; others are ignored. A tax or share of a
    class that is `incomplete` on a gaming day has a base of zero there, because its base is not known yet.

    Raises: ValueError for revenue of another facility, or of a class that the pack does not have; LookupError for a day
    without law in the pack, or if the property does not state what law depends on.
    """
    revenue, pack = Revenue(facility, rows, incomplete), facility.pack
    days = days_of(needed_from(pack, first), last)
    layers = [
        dict(_layer_lines(facility, revenue, name, _days_of(pack, layer, days, first)))
        for name, layer in pack.taxes.items()
    ]
    shares = [
        dict(share_lines(facility, revenue, name, _days_of(pack, division, days, first)))
        for name, division in pack.shares.items()
    ]
    return tuple(
        DailySheet(
            facility.property,
            day,
            revenue.on(day),
            tuple(line for lines in layers for line in lines.get(day, ())),
            tuple(line for lines in shares for line in lines.get(day, ())),
        )
        for day in days_of(first, last)
    )


def _days_of(pack: GamingPack, part: TaxLayer | RevenueShares, days: Sequence[date], first: date) -> Iterator[date]:
    """Yield the days that belong to the calculation of a tax or division: from the start of the period with `first`.

    A rate graduated over the fiscal year needs the days from the start of that year.
    """
    if first < part.period.root[0].effective_from:
        yield from days
        return
    begins = period_of(pack, part.period.on(first).value, first)[0]
    if isinstance(part, TaxLayer) and any(_is_by_year(one.value) for one in part.rate.root):
        begins = min(begins, fiscal_year_begin(pack, first))
    yield from (day for day in days if day >= begins)


def _is_by_year(rate: object) -> bool:
    return isinstance(rate, Graduated) and rate.over == "fiscal_year"


def _layer_lines(
    facility: Facility, revenue: Revenue, name: str, days: Iterable[date]
) -> Iterator[tuple[date, tuple[LayerLine, ...]]]:
    """Yield (day, lines) for a layer of tax, for each of the given days on which the layer is due."""
    layer, bases = facility.pack.taxes[name], Bases(facility.pack)
    exact, due_cents = Fraction(0), 0
    reached = _Reached(facility.pack)
    for day in days:
        if not _is_due(layer, day, facility):
            continue
        rate, classes, period, rounding = (
            layer.rate.on(day),
            layer.classes.on(day),
            layer.period.on(day),
            layer.rounding.on(day),
        )
        if bases.begins_anew(day, period.value):
            exact, due_cents = Fraction(0), 0
        base_cents = bases.add(revenue.of(classes.value, day))
        in_force = facility.chosen(rate.value, day) if isinstance(rate.value, AfterAFall) else rate.value
        parts = reached.add(in_force, day, period.value, base_cents)
        exact_parts = [part * cents for part, cents in parts]
        amount = sum(exact_parts, Fraction(0))
        before_cents, exact = due_cents, exact + amount
        due_cents = max(0, due_cents + half_up(amount) if rounding.value == "each_day" else half_up(exact))
        found: dict[str, Dated[Any]] = {"rate": rate, "classes": classes, "period": period, "rounding": rounding}
        applied = tuple(Applied.of(f"taxes.{name}.{what}", dated) for what, dated in found.items())
        amounts = _divided(due_cents - before_cents, exact_parts)
        yield (
            day,
            tuple(
                LayerLine(name, layer.payee, period.value, part, classes.value, cents, amount_cents, applied)
                for (part, cents), amount_cents in zip(parts, amounts, strict=True)
            ),
        )


class _Reached:
    """The running taxed revenue, in cents, of the period or fiscal year over which brackets apply."""

    def __init__(self, pack: GamingPack) -> None:
        self._pack = pack
        self._span: object = None
        self._cents = 0

    def add(self, rate: str | Graduated, day: date, period: TaxPeriod, base_cents: int) -> list[tuple[Fraction, int]]:
        """Return the parts of a day's base as (rate, cents): one part, or one for each bracket."""
        if not isinstance(rate, Graduated):
            return [(Fraction(rate), base_cents)]
        in_year = rate.over == "fiscal_year"
        span = fiscal_year_of(self._pack, day) if in_year else period_of(self._pack, period, day)
        if span != self._span:
            self._span, self._cents = span, 0
        before, self._cents = self._cents, self._cents + base_cents
        ends = [one.above_cents for one in rate.brackets[1:]]
        return [
            (Fraction(one.rate), _within(self._cents, one.above_cents, end) - _within(before, one.above_cents, end))
            for one, end in zip(rate.brackets, [*ends, None], strict=True)
        ]


def _within(cents: int, above: int, end: int | None) -> int:
    """Return the part of an amount, in cents, that lies in a bracket."""
    return max(0, (cents if end is None else min(cents, end)) - above)


def _divided(cents: int, exact: list[Fraction]) -> list[int]:
    """Divide an amount into whole cents in proportion to exact parts, without remainder."""
    total = sum(exact, Fraction(0))
    if len(exact) == 1 or not total:
        return [cents, *(0 for _ in exact[1:])]
    return list(divided(cents, {str(n): part / total for n, part in enumerate(exact)}).values())


def _is_due(layer: TaxLayer, day: date, facility: Facility) -> bool:
    """Return whether a tax is in force on a day and applies to the facility, given its years of table games by then."""
    since = facility.table_games_since
    if not facility.is_under(layer) or day < layer.rate.root[0].effective_from:
        return False
    rate = layer.rate.on(day).value
    if isinstance(rate, str) and Fraction(rate) == 0:
        return False
    if layer.first_years is None:
        return True
    return since is not None and since <= day < _years_after(since, layer.first_years)


def _years_after(day: date, years: int) -> date:
    """Return the same date a given number of years later; for a February 29 that does not exist, March 1."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, 3, 1)
