"""The form of a jurisdiction pack: law and regulation other than the rules of games, as dated values.

The suffixes `_cents`, `_days`, `_hours`, `_minutes` and `_rounds` of names give the unit of the value; a rate or a
share is an exact decimal string between 0 and 1.
"""

from calendar import isleap
from collections.abc import Collection, Mapping
from datetime import date, timedelta
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, Tag, ValidationInfo, field_validator

from shared.jurisdictions.dated import Provision, Text
from shared.jurisdictions.depending import AFTER_A_FALL, BY_FORM, FIXED, GRADUATED, AfterAFall, Estimates, Graduated
from shared.jurisdictions.forms import (
    Cents,
    Count,
    CurrencyReport,
    Form,
    Key,
    ReportableWinnings,
    StateWithholding,
    SuspiciousReport,
)
from shared.jurisdictions.returns import InformationReturn
from shared.rules.record import Listed, Rate, Record

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
"""The name of a pack or of a regulation, such as `us-pa` or `pa-633a-2024`."""

Figure = Literal["opener", "fills", "credits", "closer", "drop"]
"""A figure in the formula of win."""

ClassOfRevenue = Literal["banking", "non_banking", "fully_automated", "contest"]

PartT = TypeVar("PartT")
NameT = TypeVar("NameT", bound=str)


def _different(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError(f"{', '.join(names)}: list each a single time")
    return names


def _whole(shares: dict[str, str]) -> dict[str, str]:
    total = sum(map(Fraction, shares.values()))
    if total != 1:
        raise ValueError(f"the shares sum to {float(total * 100):g}%, not to 100%")
    return shares


def _naming(part: PartT, names: Collection[str], info: ValidationInfo, of: str) -> PartT:
    """Check that the `names` in a part of a pack are defined in its part `of`. Raises: ValueError for undefined names.

    If the part `of` is itself invalid, only the faults of `of` are reported.
    """
    unknown = sorted(set(names) - set(info.data.get(of, names)))
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not among the {of} of the pack")
    return part


Several = Annotated[tuple[NameT, ...], Listed, Field(min_length=2), AfterValidator(_different)]
"""Two names or more, all different."""


class Period(Record):
    """A length of time, in days or years."""

    count: Count
    unit: Literal["days", "years"]

    def after(self, day: date) -> date:
        """Return the day on which the period ends if it begins on a given day.

        >>> Period(count=5, unit="years").after(date(2024, 2, 29))
        datetime.date(2029, 3, 1)
        """
        if self.unit == "days":
            return day + timedelta(days=self.count)
        year = day.year + self.count
        if (day.month, day.day) == (2, 29) and not isleap(year):
            return date(year, 3, 1)
        return day.replace(year=year)

    def __str__(self) -> str:
        return f"{self.count} {self.unit}"


class Pack(Record):
    """A pack of law that does not depend on who licenses the tables: reports to authorities, retention of records."""

    id: Id
    title: Text
    authority: Text
    forms: dict[Key, Provision[Form]] = Field(default_factory=dict)
    reportable_winnings: dict[Key, ReportableWinnings] = Field(default_factory=dict)
    currency_reports: dict[Key, CurrencyReport] = Field(default_factory=dict)
    suspicious_reports: dict[Key, SuspiciousReport] = Field(default_factory=dict)
    returns: dict[Key, InformationReturn] = Field(default_factory=dict)
    retention: dict[Key, Provision[Period]] = Field(default_factory=dict)

    @field_validator("reportable_winnings", "currency_reports", "suspicious_reports")
    @classmethod
    def _forms_exist(cls, reports: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        return _naming(reports, [report.form for report in reports.values()], info, "forms")

    @field_validator("returns")
    @classmethod
    def _returned_forms_exist(cls, returns: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        return _naming(returns, returns, info, "forms")


class ReportingPack(Pack):
    """The pack of a jurisdiction that licenses no table games, such as a federal one."""

    kind: Literal["reporting"]


class GamingDay(Record):
    """The definition of the gaming day. It is an hour shorter or longer when daylight saving time begins or ends."""

    length_hours: Provision[Count]
    start_chosen_by: Provision[Literal["licensee", "authority"]]


class WinFormula(Record):
    """The win of a banking table: the sum of the figures in `plus`, less those in `minus`."""

    plus: Annotated[tuple[Figure, ...], Listed, Field(min_length=1)]
    minus: Annotated[tuple[Figure, ...], Listed]

    @field_validator("minus")
    @classmethod
    def _each_figure_counts_once(cls, minus: tuple[Figure, ...], info: ValidationInfo) -> tuple[Figure, ...]:
        _different((*info.data.get("plus", ()), *minus))
        return minus

    def __str__(self) -> str:
        return f"{' + '.join(self.plus)}{''.join(f' - {figure}' for figure in self.minus)}"

    def win_cents(self, cents: Mapping[Figure, int]) -> int:
        """Return the win computed from these figures. Given changes to the figures, return the change to the win.

        >>> WinFormula(plus=["closer", "drop"], minus=["opener"]).win_cents({"opener": 500, "closer": 300, "drop": 900})
        700
        """
        return sum(cents.get(figure, 0) for figure in self.plus) - sum(cents.get(figure, 0) for figure in self.minus)


Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class ReportPeriods(Record):
    """The beginning of weeks and fiscal years, for returns and reports; months, quarters and years are calendar ones.

    The fiscal year, which some taxes and shares depend on, begins with the month `fiscal_year_begins`, by default
    January. It is named by the calendar year in which it ends.
    """

    week_begins: Provision[Weekday]
    fiscal_year_begins: Provision[Annotated[int, Field(ge=1, le=12)]] | None = None


class Win(Record):
    """The formula for the daily win of a table, and the figure that win is divided by for hold."""

    formula: Provision[WinFormula]
    hold_basis: Provision[Literal["drop", "handle"]]


Treatment = Provision[Literal["drop", "memo"]]
"""Whether an instrument taken for chips counts as drop, or is counted and reported separately (memo)."""


class Instruments(Record):
    """The treatment of each kind of content of a drop box: counted as drop in the win, or as a memorandum only."""

    currency: Treatment
    counter_check: Treatment
    prepaid_access: Treatment
    match_play: Treatment
    direct_bet: Treatment


class CounterChecks(Record):
    """The effect of an unpaid counter check on revenue: the check remains in the drop in which it was counted.

    Laws that let uncollectible checks be deducted (68 IAC 15-5-8, La. Admin. Code 42:III.2736) cap the deduction in
    different ways. Each such treatment would need a further value here, and rules in the tax.
    """

    unpaid: Provision[Literal["stays_in_drop"]]


class RevenueClass(Record):
    """The basis of the gaming revenue of a class of games, and the treatment of negative revenue.

    `negative_unit` is the unit whose revenue may be negative: the class's whole day, or each table or contest of the
    day. Negative revenue counts as zero, or offsets the class's revenue on other days of the same return.
    """

    basis: Provision[Literal["win_formula", "rake", "central_system", "fees_less_prizes"]]
    negative_unit: Provision[Literal["class_day", "each_alone"]]
    negative_days: Provision[Literal["counts_as_zero", "offsets_others"]]


class HoldVariance(Record):
    """The rule for when a hold must be investigated: its deviation from a base over a period exceeds a threshold.

    The `method` determines the meaning of `threshold`: a fraction of the drop (`percentage_points`), a fraction of the
    base (`percent`), or the level of confidence (`confidence_interval`).
    """

    method: Literal["percentage_points", "percent", "confidence_interval"]
    base: Literal["prior_year", "lifetime", "theoretical"]
    period: Literal["month", "rolling_30_days"]
    threshold: Rate


class Limits(Record):
    """The limits from which variances, adjustments and missing serial numbers are reported or listed.

    A variance above `variance_report_cents` is reported in writing; from `variance_authority_cents` on, the authority
    gets a copy. Adjustments above `adjustment_listed_cents` are listed at the end of the month. Exceptions in serial
    numbers are reported to internal audit within `serial_exception_days`, negative revenue to the authority within
    `negative_revenue_days`. Events that are too late for a property are refused or, depending on `late_events`,
    recorded with a flag.
    """

    variance_report_cents: Provision[Cents]
    variance_authority_cents: Provision[Cents]
    adjustment_listed_cents: Provision[Cents]
    serial_exception_days: Provision[Count]
    negative_revenue_days: Provision[Count]
    hold_variance: Provision[HoldVariance]
    late_events: Provision[Literal["refuse", "flag"]]


class DeckHours(Record):
    """The maximum hours that cards may stay on a table, by how they are dealt."""

    hand: Count
    shoe: Count


class Equipment(Record):
    """The rules for how often the cards and dice of a game are changed, and its stub is counted.

    The stub is counted at least every `stub_rounds` rounds, unless the shuffler counts the cards.
    """

    deck_hours: Provision[DeckHours]
    dice_hours: Provision[Count] | None = None
    stub_rounds: Provision[Count] | None = None


Filler = Literal["requested_by", "prepared_by", "carried_by", "received_by", "observed_by"]
"""The steps of a fill, each taken by a person."""


class People(Record):
    """The steps of each process that must be taken by different people.

    Only steps whose person is recorded can be compared. If a process records only two people, they must differ at
    every property.
    """

    fill: Provision[Several[Filler]]
    credit: Provision[Several[Filler | Literal["surrendered_by"]]]
    table_count: Provision[Several[Literal["dealer", "floorperson"]]]
    box_exchange: Provision[Several[Literal["removed_by", "witnessed_by"]]]
    drop_count: Provision[Several[Literal["first_counted_by", "second_counted_by", "third_counted_by"]]]
    day_close: Provision[Several[Literal["preliminary_by", "audited_by"]]]
    day_seal: Provision[Several[Literal["preliminary_by", "audited_by", "final_by"]]]
    adjustment: Provision[Several[Literal["entered_by", "approved_by"]]]
    paytable: Provision[Several[Literal["filed_by", "approved_by"]]]
    meter_change: Provision[Several[Literal["requested_by", "approved_by"]]]


LicenseClasses = Annotated[tuple[Text, ...], Listed, Field(min_length=1), AfterValidator(_different)]
"""The classes of license (`license_class` of a property) to which a rule applies."""


_RateOfYear = Annotated[Annotated[Rate, Tag(FIXED)] | Annotated[Graduated, Tag(GRADUATED)], BY_FORM]
TaxRate = Annotated[
    Annotated[Rate, Tag(FIXED)]
    | Annotated[Graduated, Tag(GRADUATED)]
    | Annotated[AfterAFall[_RateOfYear], Tag(AFTER_A_FALL)],
    BY_FORM,
]
"""A tax rate: fixed, by brackets, or dependent on the previous years."""


class TaxLayer(Record):
    """A tax on the revenue of some classes of games, in addition to other taxes; one that has ended has the rate 0.

    It is due for each `period`, on the revenue of each gaming day, at one rate or by brackets. `rounding` decides when
    fractions of a cent are rounded (half up): on each day, or once for the period. If `first_years` is given, it is due
    only in that many years from the beginning of table games at a facility; if `license_classes` are given, only at
    properties of these classes. With `estimates` it is paid in advance.
    """

    payee: Text
    rate: Provision[TaxRate]
    classes: Provision[Annotated[tuple[ClassOfRevenue, ...], Listed, Field(min_length=1), AfterValidator(_different)]]
    period: Provision[Literal["week", "month"]]
    rounding: Provision[Literal["each_day", "period"]]
    first_years: Count | None = None
    license_classes: LicenseClasses | None = None
    estimates: Provision[Estimates] | None = None

    @field_validator("estimates")
    @classmethod
    def _of_months(cls, estimates: Provision[Estimates] | None, info: ValidationInfo) -> Provision[Estimates] | None:
        period = info.data.get("period")
        if estimates is not None and period is not None and any(one.value != "month" for one in period.root):
            raise ValueError("only a tax by month is paid ahead")
        return estimates


Parties = Annotated[dict[Key, Rate], AfterValidator(_whole)]
"""The parties' shares; they sum to 100%."""


class RevenueShares(Record):
    """The division of the revenue of each gaming day among parties, for each `period`: shares that sum to 100%.

    With `license_classes` they apply only at properties of these classes.
    """

    classes: Annotated[tuple[ClassOfRevenue, ...], Listed, Field(min_length=1), AfterValidator(_different)]
    period: Provision[Literal["week", "month"]]
    parties: Provision[
        Annotated[
            Annotated[Parties, Tag(FIXED)] | Annotated[AfterAFall[Parties], Tag(AFTER_A_FALL)],
            BY_FORM,
        ]
    ]
    license_classes: LicenseClasses | None = None


class Accounts(Record):
    """The protection of patrons' accounts.

    After `failed_codes_max` wrong access codes in a row the code is not accepted for `lock_minutes`. If a patron
    lowers a limit, that takes effect at once; a raised limit takes effect after `loosening_hours`.
    """

    failed_codes_max: Provision[Count]
    lock_minutes: Provision[Count]
    loosening_hours: Provision[Annotated[int, Field(ge=24)]]


class GamingPack(Pack):
    """The pack of a jurisdiction that licenses table games. `regulations` name the catalogues of its games."""

    kind: Literal["gaming"]
    regulations: Annotated[tuple[Id, ...], Listed, Field(min_length=1), AfterValidator(_different)]
    gaming_day: GamingDay
    periods: ReportPeriods
    win: Win
    instruments: Instruments
    counter_checks: CounterChecks
    classes: Annotated[dict[ClassOfRevenue, RevenueClass], Field(min_length=1)]
    limits: Limits
    equipment: dict[Id, Equipment]
    people: People
    roles_apart: dict[Key, Provision[Several[Text]]] = Field(default_factory=dict)
    taxes: dict[Key, TaxLayer] = Field(default_factory=dict)
    shares: dict[Key, RevenueShares] = Field(default_factory=dict)
    state_withholding: StateWithholding | None = None
    accounts: Accounts
    vigorish: dict[Id, Provision[Rate]] = Field(default_factory=dict)

    @field_validator("equipment")
    @classmethod
    def _of_every_game(cls, equipment: dict[str, Equipment], info: ValidationInfo) -> dict[str, Equipment]:
        missing = [name for name in info.data.get("regulations", ()) if name not in equipment]
        if missing:
            raise ValueError(f"nothing is said of {', '.join(missing)}")
        return _naming(equipment, equipment, info, "regulations")

    @field_validator("vigorish")
    @classmethod
    def _of_its_games(cls, rates: dict[str, Provision[Rate]], info: ValidationInfo) -> dict[str, Provision[Rate]]:
        return _naming(rates, rates, info, "regulations")

    @field_validator("taxes")
    @classmethod
    def _on_its_classes(cls, layers: dict[str, TaxLayer], info: ValidationInfo) -> dict[str, TaxLayer]:
        named = [name for layer in layers.values() for dated in layer.classes.root for name in dated.value]
        return _naming(layers, named, info, "classes")

    @field_validator("shares")
    @classmethod
    def _of_its_classes(cls, shares: dict[str, RevenueShares], info: ValidationInfo) -> dict[str, RevenueShares]:
        return _naming(shares, [name for share in shares.values() for name in share.classes], info, "classes")
