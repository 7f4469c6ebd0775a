"""Daily sheets: the revenue of a gaming day, each layer of tax on it as a line, and its shares. Pure; cents."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from services.reporting.domain.law import Applied, half_up
from services.reporting.domain.tax.revenue import (
    Bases,
    ClassBase,
    ClassDay,
    DayRevenue,
    Facility,
    Revenue,
    TaxPeriod,
)
from services.reporting.domain.tax.shares import ShareLine, share_lines
from shared.jurisdictions import Dated, GamingPack, days_of, period_of
from shared.jurisdictions.model import ClassOfRevenue, TaxLayer


@dataclass(frozen=True, slots=True)
class LayerLine:
    """What a layer of tax adds on a gaming day: its rate, exact, on the base of its classes.

    `amount_cents` is base times rate, rounded half a cent up on each day; where the pack says that a tax is rounded
    once for its period, it is what the day adds to the amount so far, so that the days sum to the rounded amount of the
    period. The days of a period never sum to less than 0.
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
        """Return what the rate applies to."""
        return sum(one.base_cents for one in self.classes)


@dataclass(frozen=True, slots=True)
class DailySheet:
    """The revenue of a gaming day by class, the layers of tax that are due on it, and how it is divided."""

    property: str
    gaming_day: date
    classes: tuple[ClassDay, ...]
    layers: tuple[LayerLine, ...]
    shares: tuple[ShareLine, ...]


def needed_from(pack: GamingPack, first: date) -> date:
    """Return the first gaming day of which revenue is needed for sheets from a gaming day on.

    Where a loss may offset other days of its period, or a tax is rounded once for its own, that began before.
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
    """Return the sheet of each gaming day from the first to the last, also of days without revenue.

    `rows` are the revenue of the gaming days from `needed_from` to the last; others are passed over. A tax or share of
    a class that is `incomplete` on a gaming day is taken of nothing on it: what it will be taken of is not known yet.

    Raises: ValueError for revenue that is not the facility's or of a class that the pack does not have; LookupError for
    a day of which the pack does not know the law.
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
    """Give the line of a layer on each of the days, one after the other, on which it is due."""
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
    """Return whether a layer has begun, has not ended, and is one of the facility's years."""
    if day < layer.rate.root[0].effective_from or Fraction(layer.rate.on(day).value) == 0:
        return False
    if layer.first_years is None:
        return True
    return table_games_since is not None and table_games_since <= day < _years_after(
        table_games_since, layer.first_years
    )


def _years_after(day: date, years: int) -> date:
    """Return the first day that is so many years later; of February 29, March 1 where there is none."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, 3, 1)
