"""Revenue by class and gaming day, from the win of tables as counted: what taxes and shares are taken of."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from services.reporting.books.reading import Books
from services.reporting.domain.tax.returns import PeriodSheet, period_sheet
from services.reporting.domain.tax.revenue import CLASSES, DayRevenue, Facility
from services.reporting.domain.tax.sheets import needed_from
from services.reporting.kit.figures import AddedUp, Because
from services.reporting.reports.counted_win import MEASURES, CountedWin, counted_wins
from shared.contracts.rejection import Reason, Rejected
from shared.jurisdictions.model import ClassOfRevenue


@dataclass(frozen=True, slots=True)
class TableDay:
    """The win of a table on a gaming day, and the class of revenue that it is."""

    gaming_day: date
    table: str
    revenue_class: ClassOfRevenue
    win: CountedWin


@dataclass(frozen=True)
class CountedRevenue:
    """What tables won, day by day, and the sheet of the days on which every table has a win.

    `table_days` begin before the sheet where its law looks back.
    """

    table_days: tuple[TableDay, ...]
    sheet: PeriodSheet

    @cached_property
    def in_sheet(self) -> tuple[TableDay, ...]:
        """Return the table days of the sheet itself."""
        return tuple(one for one in self.table_days if one.gaming_day >= self.sheet.first)

    @cached_property
    def missing(self) -> dict[date, tuple[str, ...]]:
        """Return, by gaming day, the tables that have no win yet, and what of each has not been counted."""
        found: dict[date, tuple[str, ...]] = {}
        for one in self.table_days:
            if one.win.missing:
                said = f"{one.table}: {', '.join(one.win.missing)}"
                found[one.gaming_day] = (*found.get(one.gaming_day, ()), said)
        return found

    @cached_property
    def classes(self) -> list[ClassOfRevenue]:
        """Return the classes of which tables have recorded anything, in the order in which they are always listed."""
        return sorted({one.revenue_class for one in self.table_days}, key=CLASSES.index)

    @cached_property
    def tables(self) -> dict[tuple[date, ClassOfRevenue], list[str]]:
        """Return the tables of each gaming day and class."""
        found: dict[tuple[date, ClassOfRevenue], list[str]] = {}
        for one in self.table_days:
            found.setdefault((one.gaming_day, one.revenue_class), []).append(one.table)
        return found

    def days(self, first: date, last: date) -> set[date]:
        """Return the gaming days from the first to the last that have a win."""
        return {day for day, _ in self.tables if first <= day <= last and day not in self.missing}

    def taxed(self, layer: str) -> set[ClassOfRevenue]:
        """Return the classes that a layer of tax is taken of in the period."""
        lines = (line for sheet in self.sheet.sheets for line in sheet.layers if line.layer == layer)
        return {one.revenue_class for line in lines for one in line.classes}

    def because(self, classes: Iterable[ClassOfRevenue], first: date, last: date) -> Because:
        """Return where the revenue of classes in the gaming days from the first to the last comes from."""
        wanted = set(classes)
        mine = {key: tables for key, tables in self.tables.items() if key[1] in wanted and first <= key[0] <= last}
        is_whole = not any(first <= day <= last for day in self.missing)
        spans = [(first, last)] if is_whole else [(day, day) for day in sorted(self.days(first, last))]
        if not mine:
            return ()
        if wanted >= set(self.classes):
            return tuple(AddedUp("amounts", (measure,), *days) for days in spans for measure in MEASURES)
        names = sorted({table for tables in mine.values() for table in tables})
        return tuple(
            AddedUp("amounts", (measure,), *days, (("table_name", table),))
            for days in spans
            for table in names
            for measure in MEASURES
        )


async def counted_revenue(books: Books) -> CountedRevenue:
    """Return the revenue of the period of a question, and its sheet under the law of the property.

    Raises: Rejected for tables of a class of which the jurisdiction's pack says nothing.
    """
    question, facility = books.question, Facility.of(books.place)
    since = needed_from(facility.pack, question.first)
    wins = await counted_wins(books, "gaming_day", "table_name", first=since, explained=False)
    automated = _automated(books, {date.fromisoformat(day) for day, _ in wins})
    table_days = tuple(
        TableDay(day := date.fromisoformat(text), table, _class_of(table, automated[day]), win)
        for (text, table), win in wins.items()
    )
    for one in table_days:
        if one.revenue_class not in facility.pack.classes:
            raise Rejected(
                Reason.NOT_FOUND,
                f"table {one.table}, {one.gaming_day}: {facility.pack.id} says nothing of revenue of the class "
                f"{one.revenue_class!r}; add it to the classes of the pack",
            )
    incomplete = {one.gaming_day for one in table_days if one.win.missing}
    rows = [
        DayRevenue(question.property, one.gaming_day, one.table, one.revenue_class, one.win.final_win.value)
        for one in table_days
        if one.gaming_day not in incomplete
    ]
    return CountedRevenue(table_days, period_sheet(facility, rows, question.period, question.last))


def _automated(books: Books, days: Iterable[date]) -> dict[date, frozenset[str]]:
    """Return the fully automated tables of the property on each gaming day."""
    return {
        day: frozenset(table.table for table in books.place_on(day).document.tables if table.fully_automated)
        for day in days
    }


def _class_of(table: str, automated: frozenset[str]) -> ClassOfRevenue:
    return "fully_automated" if table in automated else "banking"
