"""The gaming days of the currency reports: what moved in each department, and what of it its logs have."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from services.reporting.books.currency import moved_in_days, sold_to_nobody_known
from services.reporting.books.reading import Books
from services.reporting.domain.federal.currency import is_reached
from services.reporting.domain.law import Applied
from services.reporting.kit.figures import NOTHING, Figure
from shared.jurisdictions import Pack
from shared.jurisdictions.forms import CurrencyReport

Logged = tuple[date, str, Figure]
"""A movement of a log: its gaming day, the department, what it comes to."""


async def day_rows(
    books: Books, logged: Iterable[Logged], logs: Sequence[CurrencyReport], filed: Sequence[CurrencyReport]
) -> list[dict[str, Any]]:
    """Return the rows of gaming days and departments.

    `logged` are the movements of logs that are known one by one. Sales at tables to nobody known are added up by the
    rules of `logs`, where they are not among them, and by those of reports that are `filed`.
    """
    rows: dict[tuple[date, str], dict[str, Any]] = {}

    def add(day: date, department: str, figures: Mapping[str, Figure]) -> None:
        row = rows.setdefault((day, department), {"gaming_day": day, "department": department})
        for name, figure in figures.items():
            row[name] = row.get(name, NOTHING) + figure

    for (day, department), moved in (await moved_in_days(books)).items():
        add(day, department, {f"{way}_cents": figure for way, figure in moved.items()})
    for day, where, cents in logged:
        add(day, where, {"logged": Figure(1, cents.origin), "logged_cents": cents})
    for name, rules in (("logged", logs), ("unknown", filed)):
        for rule in rules:
            for day, (movements, cents) in (await sold_to_nobody_known(books, _least_cents(rule, books))).items():
                add(day, "table", {name: movements, f"{name}_cents": cents})
    return [rows[key] for key in sorted(rows)]


def _least_cents(rule: CurrencyReport, books: Books) -> dict[date, int]:
    """Return what an amount comes to at least that is in a log, by gaming day of the question."""
    first, last = books.question.first, books.question.last
    found = {}
    for day in (first + timedelta(days=number) for number in range((last - first).days + 1)):
        threshold_cents = rule.threshold_cents.on(day).value
        found[day] = threshold_cents if is_reached(rule, threshold_cents, day) else threshold_cents + 1
    return found


def applied_to_logs(law: Pack, names: Iterable[str], day: date) -> list[Applied]:
    """Return which law makes the logs of a gaming day of a pack."""
    rules = {name: law.currency_reports[name] for name in names}
    return [
        applied
        for name, rule in rules.items()
        for applied in (
            Applied.of(f"currency_reports.{name}.threshold_cents", rule.threshold_cents.on(day)),
            Applied.of(f"currency_reports.{name}.together", rule.together.on(day)),
        )
    ]
