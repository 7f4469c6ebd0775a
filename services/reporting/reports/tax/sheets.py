"""Daily sheets: a gaming day's revenue, each layer of tax on it, and its shares. Pure; cents."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from services.reporting.domain.law import Applied, half_up
from services.reporting.reports.tax.gross_revenue import (
    Bases,
    ClassBase,
    ClassDay,
    DayRevenue,
    Facility,
    Revenue,
    TaxPeriod,
)
from services.reporting.reports.tax.shares import ShareLine, share_lines
from shared.jurisdictions import Dated, GamingPack, days_of, period_of
from shared.jurisdictions.model import ClassOfRevenue, TaxLayer


@dataclass(frozen=True, slots=True)
class LayerLine:
    """A layer of tax on a gaming day: its exact rate on the base of its classes.

    `amount_cents` is base times rate, rounded half up each day; if the pack rounds a tax once per period, it is the
    day's addition to the rounded amount so far, so that the days sum to the period's rounded amount. The days of a
    period never sum to less than 0.
    """

    layer: str
    payee: str
    period: TaxPeriod
    rate: Fraction
    classes: tuple[ClassBase, ...]
    amount_cents: int
    applied: tuple[Applied, ...]

    @property
    def base_cents(self) -> int:
        """Return the amount that the rate applies to."""
        return sum(one.base_cents for one in self.classes)


@dataclass(frozen=True, slots=True)
class DailySheet:
    """A gaming day's revenue by class, its layers of tax, and its division."""

    property: str
    gaming_day: date
    classes: tuple[ClassDay, ...]
    layers: tuple[LayerLine, ...]
    shares: tuple[ShareLine, ...]


def needed_from(pack: GamingPack, first: date) -> date:
    """Return the first gaming day whose revenue is needed for sheets from a gaming day on.

    If a loss may offset other days of its period, or a tax is rounded once per period, that began earlier.
    """
    losses = (one.value for rule in pack.classes.values() for one in rule.negative_days.root)
    roundings = (one.value for layer in pack.taxes.values() for one in layer.rounding.root)
    if {*losses} <= {"counts_as_zero"} and {*roundings} <= {"each_day"}:
        return first
    return min(period_of(pack, "week", first)[0], period_of(pack, "month", first)[0])


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
    without law in the pack.
    """
    revenue, pack = Revenue(facility, rows, incomplete), facility.pack
    days = days_of(needed_from(pack, first), last)
    layers = [dict(_layer_lines(facility, revenue, name, days)) for name in pack.taxes]
    shares = [dict(share_lines(pack, revenue, name, days)) for name in pack.shares]
    return tuple(
        DailySheet(
            facility.property,
            day,
            revenue.on(day),
            tuple(lines[day] for lines in layers if day in lines),
            tuple(line for lines in shares for line in lines.get(day, ())),
        )
        for day in days_of(first, last)
    )


def _layer_lines(
    facility: Facility, revenue: Revenue, name: str, days: Iterable[date]
) -> Iterator[tuple[date, LayerLine]]:
    """Yield the line of a layer on each of these days on which it is due."""
    layer, bases = facility.pack.taxes[name], Bases(facility.pack)
    exact, due_cents = Fraction(0), 0
    for day in days:
        if not _is_due(layer, day, facility.table_games_since):
            continue
        rate, classes, period, rounding = (
            layer.rate.on(day),
            layer.classes.on(day),
            layer.period.on(day),
            layer.rounding.on(day),
        )
        if bases.begins_anew(day, period.value):
            exact, due_cents = Fraction(0), 0
        added = bases.add(revenue.of(classes.value, day))
        amount = sum(one.base_cents for one in added) * Fraction(rate.value)
        before_cents, exact = due_cents, exact + amount
        due_cents = max(0, due_cents + half_up(amount) if rounding.value == "each_day" else half_up(exact))
        found: dict[str, Dated[Any]] = {"rate": rate, "classes": classes, "period": period, "rounding": rounding}
        yield (
            day,
            LayerLine(
                layer=name,
                payee=layer.payee,
                period=period.value,
                rate=Fraction(rate.value),
                classes=added,
                amount_cents=due_cents - before_cents,
                applied=tuple(Applied.of(f"taxes.{name}.{what}", dated) for what, dated in found.items()),
            ),
        )


def _is_due(layer: TaxLayer, day: date, table_games_since: date | None) -> bool:
    """Return whether a layer has begun, has not ended, and applies in the facility's year."""
    if day < layer.rate.root[0].effective_from or Fraction(layer.rate.on(day).value) == 0:
        return False
    if layer.first_years is None:
        return True
    return table_games_since is not None and table_games_since <= day < _years_after(
        table_games_since, layer.first_years
    )


def _years_after(day: date, years: int) -> date:
    """Return the day a number of years later; March 1 for a February 29 that does not exist."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, 3, 1)
