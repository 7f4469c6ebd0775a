"""What is true of taxes and shares of any revenue: days add up to returns, nothing is lost, no return is below zero."""

from collections import Counter
from datetime import date, timedelta
from fractions import Fraction
from typing import Final, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from services.reporting.domain.law import half_up
from services.reporting.reports.tax.amendments import amended
from services.reporting.reports.tax.gross_revenue import DayRevenue, Facility, TaxPeriod
from services.reporting.reports.tax.returns import PeriodSheet, TaxReturn, due_cents, period_sheet
from services.reporting.reports.tax.shares import divided
from shared.jurisdictions import GamingPack, gaming_pack
from shared.jurisdictions.model import ClassOfRevenue
from tests.support.nightly import examples
from tests.support.packs import changed, dated

MONDAY: Final = date(2026, 11, 16)
DAYS: Final = st.integers(-5, 8).map(lambda n: MONDAY + timedelta(days=n))
CLASSES: Final = get_args(ClassOfRevenue)
RATES: Final = st.integers(0, 10**4).map(lambda n: f"{n / 10**4:.4f}")
SOME: Final = settings(max_examples=examples(40))


@st.composite
def laws(draw: st.DrawFn) -> GamingPack:
    """Pennsylvania's pack with two taxes and shares, whose every rule is drawn, and a rate that changes on a day."""
    classes = {
        f"classes.{name}.{what}": [dated(draw(st.sampled_from(values)))]
        for name in CLASSES
        for what, values in (
            ("negative_days", ("counts_as_zero", "offsets_others")),
            ("negative_unit", ("class_day", "each_alone")),
        )
    }
    taxes = {
        name: {
            "payee": name,
            "rate": [dated(draw(RATES)), dated(draw(RATES), draw(DAYS).isoformat())],
            "classes": [dated(draw(st.lists(st.sampled_from(CLASSES), min_size=1, unique=True)))],
            "period": [dated(draw(st.sampled_from(get_args(TaxPeriod))))],
            "rounding": [dated(draw(st.sampled_from(("each_day", "period"))))],
        }
        for name in ("first", "second")
    }
    part = draw(st.integers(0, 10**4))
    shares = {
        "all": {
            "classes": CLASSES,
            "period": [dated("week")],
            "parties": [dated({"one": f"{part / 10**4:.4f}", "other": f"{1 - part / 10**4:.4f}"})],
        }
    }
    begins = [dated(draw(st.sampled_from(("monday", "sunday", "thursday"))))]
    said = classes | {"taxes": taxes, "shares": shares, "periods.week_begins": begins}
    return changed(gaming_pack("us-pa"), said)


ROWS: Final = st.lists(
    st.builds(
        DayRevenue,
        property=st.just("riverside"),
        gaming_day=DAYS,
        table=st.sampled_from(("A", "B")),
        revenue_class=st.sampled_from(CLASSES),
        cents=st.integers(-(10**7), 10**7),
    ),
    max_size=60,
)
PERIODS: Final = st.sampled_from(get_args(TaxPeriod))


def rests(found: PeriodSheet) -> Counter[str]:
    """What the lines of a return come to beyond its daily sheets: nothing, if it adds up."""
    beyond: Counter[str] = Counter()
    for line in found.layers:
        beyond[f"{line.layer} base"] += line.base_cents
        beyond[line.layer] += line.amount_cents
    for part in found.shares:
        beyond[part.party] += part.amount_cents
    for one in found.classes:
        beyond[one.revenue_class] += one.revenue_cents
    for sheet in found.sheets:
        for layer in sheet.layers:
            beyond[f"{layer.layer} base"] -= layer.base_cents
            beyond[layer.layer] -= layer.amount_cents
        for share in sheet.shares:
            beyond[share.party] -= share.amount_cents
        for of_class in sheet.classes:
            beyond[of_class.revenue_class] -= of_class.revenue_cents
    return Counter({name: cents for name, cents in beyond.items() if cents})


@SOME
@given(law=laws(), rows=ROWS, kind=PERIODS)
def test_a_return_is_the_sum_of_its_days(law: GamingPack, rows: list[DayRevenue], kind: TaxPeriod) -> None:
    """Line by line, to the cent; its lines are what is due, and nothing below zero is."""
    found = period_sheet(Facility("riverside", law), rows, kind, MONDAY)
    assert Counter() == rests(found)
    due = due_cents(found)
    assert sum(line.amount_cents for line in found.layers) == sum(due.values())
    assert all(due.get(name, 0) >= 0 for name, layer in law.taxes.items() if layer.period.on(MONDAY).value == kind)


@SOME
@given(law=laws(), rows=ROWS, kind=PERIODS)
def test_rounded_once_a_return_is_what_its_rates_make(law: GamingPack, rows: list[DayRevenue], kind: TaxPeriod) -> None:
    """Base times rate of all its lines, half a cent up; rounded on each day, within half a cent a day of that."""
    found = period_sheet(Facility("riverside", law), rows, kind, MONDAY)
    for name, layer in law.taxes.items():
        if layer.period.on(MONDAY).value != kind:
            continue
        lines = [line for line in found.layers if line.layer == name]
        exact = sum((line.base_cents * line.rate for line in lines), Fraction(0))
        amount_cents = sum(line.amount_cents for line in lines)
        if layer.rounding.on(MONDAY).value == "period":
            assert max(0, half_up(exact)) == amount_cents
        elif all(one.base_cents >= 0 for sheet in found.sheets for one in sheet.layers if one.layer == name):
            assert abs(exact - amount_cents) <= Fraction(len(found.sheets), 2)


@SOME
@given(law=laws(), rows=ROWS, kind=PERIODS)
def test_a_loss_is_taxed_nowhere_and_a_win_once(law: GamingPack, rows: list[DayRevenue], kind: TaxPeriod) -> None:
    """The base of a class in a period is its revenue as it counts or, below zero, nothing."""
    found = period_sheet(Facility("riverside", law), rows, kind, MONDAY)
    counted = {one.revenue_class: one.counted_cents for one in found.classes}
    for name in {line.layer for line in found.layers}:
        layer = law.taxes[name]
        # From the day on which the layer has a rate that is not 0.
        if layer.period.on(MONDAY).value == kind and all(Fraction(str(one.value)) for one in layer.rate.root):
            expected = sum(max(0, counted[one]) for one in layer.classes.on(MONDAY).value)
            assert expected == sum(line.base_cents for line in found.layers if line.layer == name)


@SOME
@given(law=laws(), rows=ROWS, later=ROWS)
def test_an_amendment_is_the_sum_of_its_days(law: GamingPack, rows: list[DayRevenue], later: list[DayRevenue]) -> None:
    """The differences of the days that changed make those of the lines, and these what is due."""
    facility = Facility("riverside", law)
    before, after = (
        TaxReturn(version, period_sheet(facility, some, "week", MONDAY)) for version, some in ((1, rows), (2, later))
    )
    found = amended(before, after)
    of_lines: Counter[str] = Counter()
    for line in found.lines.layers:
        of_lines[line.layer] += line.amount.difference_cents
    for day in found.days.values():
        for line in day.layers:
            of_lines[line.layer] -= line.amount.difference_cents
    assert {0} >= set(of_lines.values())
    due = sum(one.difference_cents for one in found.due.values())
    assert sum(line.amount.difference_cents for line in found.lines.layers) == due
    unchanged = [day for day in before.sheet.sheets if day.gaming_day not in found.days]
    assert [day for day in after.sheet.sheets if day.gaming_day not in found.days] == unchanged


@given(cents=st.integers(-(10**12), 10**12), weights=st.lists(st.integers(0, 10**6), min_size=1, max_size=6))
def test_all_of_an_amount_is_divided(cents: int, weights: list[int]) -> None:
    """To the cent, nobody less or more than a cent from the exact part, and nothing to who has no part."""
    whole = sum(weights) or 1
    parts = {str(number): Fraction(weight, whole) for number, weight in enumerate(weights)}
    if sum(parts.values()) != 1:
        parts = {"all": Fraction(1)}
    found = divided(cents, parts)
    assert cents == sum(found.values())
    assert all(abs(found[party] - cents * part) < 1 for party, part in parts.items())
    assert {0} >= {found[party] for party, part in parts.items() if not part}
