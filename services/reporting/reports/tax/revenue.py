"""Revenue by class and gaming day as defined by law: the base of taxes and shares.

The revenue of a table is its counted win; of a non-banking table, its rake; of a fully automated table, the win of
account wagers if the central system computes it. The revenue of a contest is its fees less its prizes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Final, Literal

from services.reporting.framework.figures import NOTHING, Aggregate, Figure, Part, computed
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.counted_win import NOT_COUNTED, CountedWin, Missing, counted_wins
from services.reporting.reports.tax.gross_revenue import CLASSES, DayRevenue, Facility
from services.reporting.reports.tax.returns import PeriodSheet, period_sheet
from services.reporting.reports.tax.sheets import needed_from
from shared.contracts.rejection import Reason, Rejected
from shared.jurisdictions import PeriodKind, period_of
from shared.jurisdictions.model import ClassOfRevenue

Source = Literal["win", "rake", "electronic", "contest"]
"""The kind of facts from which revenue is computed."""

_MEASURES: Final[Mapping[Source, Mapping[str, int]]] = {
    "win": {"win_cents": 1, "adjusted_cents": 1},
    "rake": {"rake_cents": 1},
    "electronic": {"account_staked_cents": 1, "account_credited_cents": -1},
    "contest": {"contest_fees_cents": 1, "contest_prizes_cents": -1},
}
"""The measures of each source, each with its sign in the revenue."""

BASES: Final[Mapping[Source, str]] = {
    "win": "win_formula",
    "rake": "rake",
    "electronic": "central_system",
    "contest": "fees_less_prizes",
}
"""The legal basis (`classes.*.basis` of a pack) that corresponds to each source of revenue."""


@dataclass(frozen=True, slots=True)
class Earned:
    """A table's or contest's revenue on a gaming day, in cents, with its class, its source and uncounted items."""

    gaming_day: date
    name: str
    revenue_class: ClassOfRevenue
    source: Source
    cents: int
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class CountedRevenue:
    """Revenue of tables and contests by day, and the tax sheet; the sheet includes only completely counted classes.

    If the sheet's figures depend on earlier days, `earned` includes these. `counted` are the tables with a counted win,
    even those whose revenue has another basis.
    """

    earned: tuple[Earned, ...]
    sheet: PeriodSheet
    counted: frozenset[str]

    @cached_property
    def in_sheet(self) -> tuple[Earned, ...]:
        """Return the revenue of the days on the sheet, without earlier days."""
        return tuple(one for one in self.earned if one.gaming_day >= self.sheet.first)

    @cached_property
    def missing(self) -> dict[tuple[date, ClassOfRevenue], tuple[str, ...]]:
        """Return, by gaming day and class, the tables that are not yet counted, each with its missing items."""
        found: dict[tuple[date, ClassOfRevenue], tuple[str, ...]] = {}
        for one in self.earned:
            if one.missing:
                key, said = (one.gaming_day, one.revenue_class), f"{one.name}: {', '.join(one.missing)}"
                found[key] = (*found.get(key, ()), said)
        return found

    @cached_property
    def classes(self) -> list[ClassOfRevenue]:
        """Return the classes that have any revenue row, in the order of CLASSES."""
        return sorted({one.revenue_class for one in self.earned}, key=CLASSES.index)

    @cached_property
    def sources(self) -> dict[ClassOfRevenue, set[Source]]:
        """Return the sources of revenue, keyed by class."""
        return {name: {one.source for one in self.earned if one.revenue_class == name} for name in self.classes}

    @cached_property
    def tables(self) -> dict[tuple[date, ClassOfRevenue], list[str]]:
        """Return the names of tables or contests, by gaming day and class."""
        found: dict[tuple[date, ClassOfRevenue], list[str]] = {}
        for one in self.earned:
            found.setdefault((one.gaming_day, one.revenue_class), []).append(one.name)
        return found

    def days(self, classes: Iterable[ClassOfRevenue], first: date, last: date) -> set[date]:
        """Return the gaming days in a range that have revenue, and on which these classes are completely counted."""
        wanted = set(classes)
        lacking = {day for day, name in self.missing if name in wanted}
        return {day for day, _ in self.tables if first <= day <= last} - lacking

    def waits(self, classes: Iterable[ClassOfRevenue], first: date, last: date) -> bool:
        """Return whether counts are missing for these classes, so that no day in the range is complete for them."""
        is_lacking = any(name in set(classes) and first <= day <= last for day, name in self.missing)
        return is_lacking and not self.days(classes, first, last)

    def taxed(self, layer: str) -> set[ClassOfRevenue]:
        """Return the classes to which a layer of tax applies in the period."""
        lines = (line for sheet in self.sheet.sheets for line in sheet.layers if line.layer == layer)
        return {name for line in lines for name in line.classes}

    def because(
        self, classes: Iterable[ClassOfRevenue], first: date, last: date, *, name: str | None = None
    ) -> tuple[Part, ...]:
        """Return the provenance of classes' revenue in a range of days; with `name`, of one table or contest only."""
        wanted = set(classes)
        mine = [
            one
            for one in self.earned
            if one.revenue_class in wanted and first <= one.gaming_day <= last and name in (None, one.name)
        ]
        is_whole = not any(first <= day <= last and name in wanted for day, name in self.missing)
        spans = [(first, last)] if is_whole else [(day, day) for day in sorted(self.days(wanted, first, last))]
        return tuple(
            Part(Aggregate("rounds" if source == "electronic" else "amounts", (measure,), *days, where), sign)
            for days in spans
            for source in _MEASURES
            for where in self._of(source, {one.name for one in mine if one.source == source})
            for measure, sign in _MEASURES[source].items()
        )

    def figure(self, cents: int, classes: Iterable[ClassOfRevenue], first: date, last: date) -> Figure:
        """Return an amount, in cents, as a figure derived from the classes' revenue on complete days.

        If the amount equals the revenue, the entries in its provenance add up to it. A tax, or a base without losses,
        is only computed from the revenue, so the entries do not add up to it.
        """
        wanted = set(classes)
        days = self.days(wanted, first, last)
        earned = sum(one.cents for one in self.earned if one.revenue_class in wanted and one.gaming_day in days)
        because = self.because(wanted, first, last)
        return Figure(cents, because) if earned == cents else computed(cents, because)

    def _of(self, source: Source, names: set[str]) -> Iterator[tuple[tuple[str, str], ...]]:
        """Yield query conditions that select a source's tables or contests by name; an empty condition selects all."""
        everywhere: set[str] = {one.name for one in self.earned if one.source == source}
        if source == "win":
            everywhere |= self.counted
        if names and names == everywhere and source != "electronic":  # electronic: accounts wager at other tables, too
            yield ()
        else:
            yield from ((("item" if source == "contest" else "table_name", name),) for name in sorted(names))


async def counted_revenue(books: Books) -> CountedRevenue:
    """Return the revenue of the queried period, and the period's tax sheet under the property's law.

    Raises: Rejected for tables of a class that the jurisdiction's pack does not have.
    """
    question = books.question
    [found] = await counted_periods(books, [(question.period, question.last)])
    return found


async def counted_periods(books: Books, periods: Sequence[tuple[PeriodKind, date]]) -> list[CountedRevenue]:
    """Return revenue and sheet of each period, given as (kind of period, gaming day in the period).

    Raises: Rejected for tables of a class that the jurisdiction's pack does not have.
    """
    facility = Facility.of(books.place)
    begins = {(kind, day): needed_from(facility.pack, period_of(facility.pack, kind, day)[0]) for kind, day in periods}
    since = min(begins.values())
    won = await _won(books, since)
    earned = (
        *(one for one in won if one.source == "win"),
        *await _raked(books, since),
        *await _electronic(books, since),
        *await _contests(books, since),
    )
    for one in earned:
        if one.revenue_class not in facility.pack.classes:
            what = "contest" if one.source == "contest" else "table"
            raise Rejected(
                Reason.NOT_FOUND,
                f"{what} {one.name}, {one.gaming_day}: {facility.pack.id} says nothing of revenue of the class "
                f"{one.revenue_class!r}; add it to the classes of the pack",
            )
    incomplete = frozenset((one.gaming_day, one.revenue_class) for one in earned if one.missing)
    rows = [
        DayRevenue(facility.property, one.gaming_day, one.name, one.revenue_class, one.cents)
        for one in earned
        if (one.gaming_day, one.revenue_class) not in incomplete
    ]
    counted = frozenset(one.name for one in won)
    found = []
    for (kind, day), begin in begins.items():
        sheet = period_sheet(facility, rows, kind, day, incomplete=incomplete)
        mine = tuple(one for one in earned if begin <= one.gaming_day <= sheet.last)
        found.append(CountedRevenue(mine, sheet, counted))
    return found


async def _won(books: Books, since: date) -> list[Earned]:
    """Return the counted win of tables, including those whose legal basis is the central system.

    A table with rounds but without a statement of win is listed as missing its counts.
    """
    wins = await counted_wins(books, "gaming_day", "table_name", first=since, explained=False)
    played = await books.rounds(("gaming_day", "table_name"), figures=("handle_cents",), first=since)
    wins |= {key: CountedWin(missing=(Missing(key[1], NOT_COUNTED),)) for key in played.keys() - wins.keys()}
    classes = _Classes(books)
    return [
        Earned(
            day := date.fromisoformat(text),
            table,
            classes.of(table, day),
            classes.source_of(table, day),
            win.final_win.value,
            tuple(one.said for one in win.missing),
        )
        for (text, table), win in sorted(wins.items())
    ]


async def _raked(books: Books, since: date) -> list[Earned]:
    measures = ("rake_cents", "rake_openings", "rake_boxes", "rake_missing")
    found = await books.amounts(measures, ("gaming_day", "table_name", "item"), first=since, explained=False)
    cents: dict[tuple[str, str], int] = {}
    missing: dict[tuple[str, str], list[str]] = {}
    for (day, table, item), known in found.items():
        cents.setdefault((day, table), 0)
        if item:
            missing.setdefault((day, table), []).append(Missing.of(books, table, item).said)
        else:
            cents[day, table] = known.get("rake_cents", NOTHING).value
    return [
        Earned(date.fromisoformat(day), table, "non_banking", "rake", rake, tuple(sorted(missing.get(key, ()))))
        for key, rake in cents.items()
        for day, table in [key]
    ]


async def _electronic(books: Books, since: date) -> list[Earned]:
    """Return the revenue of fully automated tables whose legal basis is the win of account wagers."""
    measures, classes = tuple(_MEASURES["electronic"]), _Classes(books)
    found = await books.rounds(("gaming_day", "table_name"), figures=measures, first=since)
    rows = []
    for (text, table), known in found.items():
        day = date.fromisoformat(text)
        if classes.source_of(table, day) == "electronic":
            staked, credited = (known.get(name, NOTHING).value for name in measures)
            rows.append(Earned(day, table, "fully_automated", "electronic", staked - credited))
    return rows


async def _contests(books: Books, since: date) -> list[Earned]:
    measures = tuple(_MEASURES["contest"])
    found = await books.amounts(measures, ("gaming_day", "item"), first=since, explained=False)
    rows = []
    for (day, contest), known in found.items():
        fees, prizes = (known.get(name, NOTHING).value for name in measures)
        rows.append(Earned(date.fromisoformat(day), contest, "contest", "contest", fees - prizes))
    return rows


class _Classes:
    """Finds the revenue classes of tables without rake, by the property version and the law on each gaming day."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._days: dict[date, frozenset[str]] = {}

    def of(self, table: str, day: date) -> ClassOfRevenue:
        """Return the class of a table on a gaming day."""
        return "fully_automated" if table in self._automated(day) else "banking"

    def source_of(self, table: str, day: date) -> Source:
        """Return the source of a table's revenue: account wagers if the basis is the central system, else the win."""
        name = self.of(table, day)
        law = self._books.place_on(day).law.classes.get(name)
        if name == "banking" or law is None or law.basis.on(day).value != BASES["electronic"]:
            return "win"
        return "electronic"

    def _automated(self, day: date) -> frozenset[str]:
        if day not in self._days:
            tables = self._books.place_on(day).document.tables
            self._days[day] = frozenset(table.table for table in tables if table.fully_automated)
        return self._days[day]
