"""The section of gaming days in the currency reports: each department's transactions, and the logged part."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from services.reporting.domain.federal.currency import Department
from services.reporting.domain.law import Applied
from services.reporting.framework.figures import NOTHING, Figure
from services.reporting.read_model.currency import moved_in_days, sold_to_nobody_known
from services.reporting.read_model.reading import Books
from shared.contracts.cage import Direction
from shared.jurisdictions import Pack
from shared.jurisdictions.forms import CurrencyReport

Logged = tuple[date, str, Figure, Figure]
"""A log's part of a gaming day: day, department, number of transactions, sum."""


@dataclass(frozen=True, slots=True)
class Days:
    """Currency sums by gaming day: transactions (`moved`), and table sales to unknown persons by column (`sold`)."""

    moved: Mapping[tuple[date, Department], Mapping[Direction, Figure]]
    sold: Sequence[tuple[str, Mapping[date, tuple[Figure, Figure]]]]


async def read_days(books: Books, logs: Sequence[CurrencyReport], filed: Sequence[CurrencyReport]) -> Days:
    """Return the currency sums of the queried gaming days.

    The rules of `logs` and of `filed` reports decide which sales to unknown persons are included.
    """
    rules = [("logged", rule) for rule in logs] + [("unknown", rule) for rule in filed]
    moved, sold = await asyncio.gather(
        moved_in_days(books),
        asyncio.gather(*(sold_to_nobody_known(books, _least_cents(rule, books)) for _, rule in rules)),
    )
    return Days(moved, [(name, found) for (name, _), found in zip(rules, sold, strict=True)])


def day_rows(days: Days, logged: Iterable[Logged]) -> list[dict[str, Any]]:
    """Return a row for each gaming day and department; `logged` are the days' entries in logs."""
    rows: dict[tuple[date, str], dict[str, Any]] = {}

    def add(day: date, department: str, figures: Mapping[str, Figure]) -> None:
        row = rows.setdefault((day, department), {"gaming_day": day, "department": department})
        for name, figure in figures.items():
            row[name] = row.get(name, NOTHING) + figure

    for (day, department), moved in days.moved.items():
        add(day, department, {f"{way}_cents": figure for way, figure in moved.items()})
    for day, where, movements, cents in logged:
        add(day, where, {"logged": movements, "logged_cents": cents})
    for name, sold in days.sold:
        for day, (movements, cents) in sold.items():
            add(day, "table", {name: movements, f"{name}_cents": cents})
    return [rows[key] for key in sorted(rows)]


def _least_cents(rule: CurrencyReport, books: Books) -> dict[date, int]:
    """Return the lowest amount, in cents, that reaches a rule's threshold, keyed by queried gaming day."""
    first, last = books.question.first, books.question.last
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return {day: rule.reached_cents(day) for day in days}


def applied_to_logs(law: Pack, names: Iterable[str], day: date) -> list[Applied]:
    """Return what a jurisdiction pack requires of its currency transaction logs on a gaming day.

    Two values for each log in `names`: its threshold in cents, and which transactions are added together.
    """
    rules = {name: law.currency_reports[name] for name in names}
    return [
        applied
        for name, rule in rules.items()
        for applied in (
            Applied.of(f"currency_reports.{name}.threshold_cents", rule.threshold_cents.on(day)),
            Applied.of(f"currency_reports.{name}.together", rule.together.on(day)),
        )
    ]
