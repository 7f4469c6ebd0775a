"""Gross table game revenue by revenue class and gaming day, and its taxed part. Pure; amounts in cents."""

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final, Literal, Self, TypeVar, get_args

from services.reporting.domain.law import Applied
from shared.contracts.property_snapshot import PropertySnapshot
from shared.jurisdictions import AfterAFall, Days, GamingPack, LawUnknown, fiscal_year_of, period_of
from shared.jurisdictions.model import ClassOfRevenue, RevenueShares, TaxLayer

T = TypeVar("T")

CLASSES: Final[tuple[ClassOfRevenue, ...]] = get_args(ClassOfRevenue)

TaxPeriod = Literal["week", "month"]
"""The period of a return; a loss never carries over to another period."""


@dataclass(frozen=True, slots=True)
class Facility:
    """A property for tax purposes: jurisdiction pack, class of license, and past data on which the law may depend.

    `table_games_since` is the first gaming day of its table games, if known. `revenue_of_years` are the amounts in
    cents that the property document states for earlier years, keyed by measure and fiscal year.
    """

    property: str
    pack: GamingPack
    table_games_since: date | None = None
    license_class: str | None = None
    revenue_of_years: Mapping[tuple[str, int], int] = field(default_factory=dict)

    @classmethod
    def of(cls, place: PropertySnapshot) -> Self:
        """Return the tax data (facility) of a property version."""
        document = place.document
        return cls(
            document.property,
            place.law,
            document.table_games_since,
            document.license_class,
            {(one.measure, one.fiscal_year): one.cents for one in document.revenue_of_years},
        )

    def is_under(self, part: TaxLayer | RevenueShares) -> bool:
        """Return whether a tax or a division of revenue applies to properties of this class of license."""
        return part.license_classes is None or self.license_class in part.license_classes

    def chosen(self, value: AfterAFall[T], day: date) -> T:
        """Return the value in force on a gaming day, which depends on a measure of the two previous fiscal years.

        Raises: LawUnknown if the property does not state the measure for these years.
        """
        year = fiscal_year_of(self.pack, day)
        before, last = (self._stated(value, one, day) for one in (year - 2, year - 1))
        return value.fell if last < before else value.otherwise

    def _stated(self, value: AfterAFall[Any], year: int, day: date) -> int:
        if (value.measure, year) not in self.revenue_of_years:
            raise LawUnknown(
                f"{self.pack.id}: what holds on {day} depends on {value.measure} in fiscal year {year}; state it in "
                f"'revenue_of_years' of the property {self.property}"
            )
        return self.revenue_of_years[value.measure, year]


@dataclass(frozen=True, slots=True)
class DayRevenue:
    """The win (negative: loss) of a table on a gaming day, in cents, with its class of revenue; rows of a table add up.

    For the class `contest`, `table` is the name of the contest; all of its revenue is on its last day.
    """

    property: str
    gaming_day: date
    table: str
    revenue_class: ClassOfRevenue
    cents: int


@dataclass(frozen=True, slots=True)
class ClassDay:
    """The revenue of a class on a gaming day: the sum of its tables (58 Pa. Code § 601a.9), and the part that counts.

    The sum and the counted part are equal unless the pack counts negative revenue as zero. `applied` is the rule used.
    """

    revenue_class: ClassOfRevenue
    revenue_cents: int
    counted_cents: int
    applied: tuple[Applied, ...]


class Revenue:
    """The revenue of a facility under its pack.

    Raises: ValueError for revenue of another property, or of a class that the pack does not have.
    """

    def __init__(
        self,
        facility: Facility,
        rows: Iterable[DayRevenue],
        incomplete: Container[tuple[date, ClassOfRevenue]] = (),
    ) -> None:
        self._pack = facility.pack
        self._incomplete = incomplete
        self._tables: dict[tuple[date, ClassOfRevenue], Counter[str]] = defaultdict(Counter)
        self._days: dict[date, tuple[ClassDay, ...]] = {}
        for row in rows:
            if row.property != facility.property:
                raise ValueError(f"revenue of {row.property} is not {facility.property}'s: give each its own return")
            if row.revenue_class not in self._pack.classes:
                raise ValueError(
                    f"table {row.table}, {row.gaming_day}: {self._pack.id} says nothing of revenue of the class "
                    f"{row.revenue_class!r}; add it to the classes of the pack"
                )
            self._tables[row.gaming_day, row.revenue_class][row.table] += row.cents

    def on(self, day: date) -> tuple[ClassDay, ...]:
        """Return the revenue of each class of the pack on a gaming day.

        Raises: LookupError for a day for which the pack has no rule on negative revenue.
        """
        if day not in self._days:
            self._days[day] = tuple(self._class_day(name, day) for name in CLASSES if name in self._pack.classes)
        return self._days[day]

    def of(self, classes: Collection[ClassOfRevenue], day: date) -> list[ClassDay]:
        """Return the revenue of some classes on a gaming day; all amounts are 0 if any of the classes is incomplete."""
        found = [one for one in self.on(day) if one.revenue_class in classes]
        if any((day, name) in self._incomplete for name in classes):
            return [replace(one, revenue_cents=0, counted_cents=0) for one in found]
        return found

    def _class_day(self, name: ClassOfRevenue, day: date) -> ClassDay:
        rule, where = self._pack.classes[name], f"classes.{name}"
        unit, below_zero = rule.negative_unit.on(day), rule.negative_days.on(day)
        tables = self._tables.get((day, name), Counter()).values()
        amounts = [sum(tables)] if unit.value == "class_day" else list(tables)
        if below_zero.value == "counts_as_zero":
            amounts = [max(0, cents) for cents in amounts]
        applied = (
            Applied.of(f"{where}.negative_unit", unit),
            Applied.of(f"{where}.negative_days", below_zero),
        )
        return ClassDay(name, sum(tables), sum(amounts), applied)


class Bases:
    """Computes the amount that each of consecutive gaming days adds to taxed or shared revenue, by period.

    The additions of a period sum to the period's revenue or, if that is negative, to 0. If the pack lets a loss offset
    other days, the loss first reverses earlier additions of the period; the rest of the loss reduces later additions. A
    loss affects neither other periods nor other classes.
    """

    def __init__(self, pack: GamingPack) -> None:
        self._pack = pack
        self._period: Days | None = None
        self._won: Counter[ClassOfRevenue] = Counter()

    def begins_anew(self, day: date, period: TaxPeriod) -> bool:
        """Return whether no earlier day was added in the day's period; if so, forget the previous period's revenue."""
        before, self._period = self._period, period_of(self._pack, period, day)
        if self._period == before:
            return False
        self._won.clear()
        return True

    def add(self, classes: Iterable[ClassDay]) -> int:
        """Add a gaming day's revenue by class; return the amount that it adds to taxed or shared revenue, in cents."""
        return sum(map(self._added, classes))

    def _added(self, one: ClassDay) -> int:
        before = self._won[one.revenue_class]
        self._won[one.revenue_class] += one.counted_cents
        return max(0, before + one.counted_cents) - max(0, before)
