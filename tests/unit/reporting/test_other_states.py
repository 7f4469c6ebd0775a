"""Taxes that depend: on the amount of revenue, on the license, on earlier years, and those paid ahead.

The packs of Nevada, Massachusetts and New Jersey here show that the form of a pack can say their taxes. They are not
shipped; what they do not say is Pennsylvania's.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.reporting.domain.law import half_up
from services.reporting.reports.tax.amendments import amended
from services.reporting.reports.tax.gross_revenue import DayRevenue, Facility
from services.reporting.reports.tax.returns import EstimateTotal, TaxReturn, due_cents, period_sheet
from services.reporting.reports.tax.sheets import daily_sheets, needed_from
from shared.jurisdictions import gaming_pack, month_before
from shared.rules.packaged import parsed
from tests.support.nightly import examples
from tests.support.packs import changed, dated
from tests.unit.reporting.revenues import amounts, sheet, won

_STATES: Final = Path(__file__).parent / "states"
SOME: Final = settings(max_examples=examples(40))


def facility(state: str, license_class: str = "category 1", **more: object) -> Facility:
    """A casino under the pack of a state."""
    law = parsed((_STATES / f"{state}.yaml").read_text(encoding="utf-8"))
    pack = changed(gaming_pack("us-pa"), json.loads(json.dumps(law, default=str)) | {"shares": {}})
    return replace(Facility("riverside", pack, license_class=license_class), **more)  # type: ignore[arg-type]


NEVADA: Final = facility("us-nv")
FEE: Final = ((0, Fraction("0.035")), (50_000_00, Fraction("0.045")), (134_000_00, Fraction("0.0675")))


def fee(cents: int) -> int:
    """The fee on a month's revenue, as a form has it: line by line, and rounded in the end."""
    ends = [*(above for above, _ in FEE[1:]), None]
    lines = [
        rate * max(0, (cents if end is None else min(cents, end)) - above)
        for (above, rate), end in zip(FEE, ends, strict=True)
    ]
    return half_up(sum(lines, Fraction(0)))


def month(day: str, *rows: DayRevenue, of: Facility = NEVADA) -> dict[str, int]:
    """What is due to each payee with the return of a month."""
    return due_cents(period_sheet(of, rows, "month", date.fromisoformat(day)))


def test_brackets_are_a_line_each() -> None:
    """$200,000 of a month: $1,750 and $3,780 and $4,455."""
    rows = [won("2026-11-03", 40_000_00), won("2026-11-17", 90_000_00), won("2026-11-30", 70_000_00)]
    found = period_sheet(NEVADA, rows, "month", date(2026, 11, 20))
    assert [(50_000_00, 1_750_00), (84_000_00, 3_780_00), (66_000_00, 4_455_00)] == [
        (line.base_cents, line.amount_cents) for line in found.layers
    ]
    assert [Fraction("0.035"), Fraction("0.045"), Fraction("0.0675")] == [line.rate for line in found.layers]
    assert fee(200_000_00) == sum(line.amount_cents for line in found.layers)
    assert (
        "3.5% above $0, 4.5% above $50,000, 6.75% above $134,000, over the period" == found.layers[0].applied[0].value
    )


def test_a_month_begins_with_the_first_bracket() -> None:
    """What October brought raises no rate of November."""
    rows = [won("2026-10-31", 500_000_00), won("2026-11-01", 10_000_00)]
    [before, after] = daily_sheets(NEVADA, rows, date(2026, 10, 31), date(2026, 11, 1))
    assert [500_000_00, 10_000_00] == [sum(line.base_cents for line in one.layers) for one in (before, after)]
    assert [10_000_00, 0, 0] == [line.base_cents for line in after.layers]


def test_brackets_may_add_up_over_the_fiscal_year() -> None:
    """From July on, across months; the sheet of a day needs the revenue since then."""
    rate = {
        "over": "fiscal_year",
        "brackets": [{"above_cents": 0, "rate": "0.1"}, {"above_cents": 1000, "rate": "0.5"}],
    }
    law = {"taxes.license_fee.rate": [dated(rate)], "taxes.license_fee.estimates": None}
    law |= {"periods.fiscal_year_begins": [dated(7)]}
    of = replace(NEVADA, pack=changed(NEVADA.pack, law))
    rows = [won("2026-06-30", 900), won("2026-07-01", 800), won("2026-11-20", 400)]
    assert date(2026, 7, 1) == needed_from(of.pack, date(2026, 11, 20))
    assert [(200, 20), (200, 100)] == [(one.base_cents, one.amount_cents) for one in sheet(of, *rows).layers]


@SOME
@given(st.lists(st.tuples(st.integers(1, 30), st.integers(-(10**8), 10**8)), max_size=30))
def test_a_fee_is_that_of_the_form_whatever_the_days(days: list[tuple[int, int]]) -> None:
    """Its lines have all of the base and all of the fee, also where losses take a bracket back."""
    law = {f"classes.{name}.negative_days": [dated("offsets_others")] for name in ("banking",)}
    of = replace(NEVADA, pack=changed(NEVADA.pack, law))
    rows = [won(date(2026, 11, day), cents) for day, cents in days]
    found = period_sheet(of, rows, "month", date(2026, 11, 20))
    revenue = max(0, sum(cents for _, cents in days))
    assert revenue == sum(line.base_cents for line in found.layers)
    assert fee(revenue) == sum(line.amount_cents for line in found.layers)
    assert all(0 <= line.base_cents for line in found.layers)
    assert all(abs(line.base_cents * line.rate - line.amount_cents) < len(rows) + 1 for line in found.layers)


def test_a_fee_is_paid_ahead_and_settled() -> None:
    """With the first whole month, three more; then each month for the third after it, less what was paid for itself."""
    of = replace(NEVADA, table_games_since=date(2026, 2, 10))
    cents = {2: 30_000_00, 3: 100_000_00, 4: 120_000_00, 5: 80_000_00, 6: 200_000_00, 7: 150_000_00}
    rows = [won(date(2026, number, 20), of_month) for number, of_month in cents.items()]
    tax = {number: fee(of_month) for number, of_month in cents.items()}
    paid = {number: month(f"2026-{number:02}-20", *rows, of=of)["Nevada Gaming Control Board"] for number in cents}
    assert {
        2: tax[2],  # no whole month
        3: tax[3] + 3 * tax[3],
        4: tax[4] - tax[3] + tax[4],
        5: tax[5] - tax[3] + tax[5],
        6: tax[6] - tax[3] + tax[6],
        7: tax[7] - tax[4] + tax[7],
    } == paid
    assert sum(tax.values()) + sum(tax[number] for number in (5, 6, 7)) == sum(paid.values())


def test_estimates_say_what_they_stand_for() -> None:
    """The month whose amount was paid, and the months for which one is paid now; a week has none."""
    rows = [won(date(2026, number, 20), 10_000_00 * number) for number in range(1, 12)]
    [line] = period_sheet(NEVADA, rows, "month", date(2026, 11, 20)).estimates
    assert (
        EstimateTotal(
            layer="license_fee",
            payee="Nevada Gaming Control Board",
            month=date(2026, 11, 1),
            tax_cents=fee(110_000_00),
            paid_with=date(2026, 8, 1),
            paid_cents=fee(80_000_00),
            ahead_from=date(2027, 2, 1),
            ahead_months=1,
            ahead_cents=fee(110_000_00),
            applied=line.applied,
        )
        == line
    )
    assert "taxes.license_fee.estimates" == line.applied[0].place
    assert () == period_sheet(NEVADA, rows, "week", date(2026, 11, 20)).estimates
    assert 3 == len(period_sheet(NEVADA, rows, "quarter", date(2026, 11, 20)).estimates)
    assert date(2026, 7, 27) == needed_from(NEVADA.pack, date(2026, 11, 1))  # the week in which August began


def test_a_restated_month_changes_what_was_paid_ahead() -> None:
    """The amendment of August's tax is in the return of November, which settles against it."""
    rows = [won("2026-08-20", 100_000_00), won("2026-11-20", 100_000_00)]
    later = [won("2026-08-20", 90_000_00), won("2026-11-20", 100_000_00)]
    before, after = (
        TaxReturn(version, period_sheet(NEVADA, some, "month", date(2026, 11, 20)))
        for version, some in ((1, rows), (2, later))
    )
    change = amended(before, after).due["Nevada Gaming Control Board"]
    assert fee(100_000_00) - fee(90_000_00) == change.difference_cents
    assert {} == dict(amended(before, after).days)


@SOME
@given(st.lists(st.integers(0, 10**8), min_size=4, max_size=12), st.integers(1, 28))
def test_nothing_is_paid_twice_nor_forgotten(months: list[int], began: int) -> None:
    """All that was paid is the tax of all months and the estimates for those to come."""
    of = replace(NEVADA, table_games_since=date(2026, 1, began))
    first = date(2026, 1, 1)
    days = [month_before(first, -number).replace(day=28) for number in range(len(months))]
    rows = [won(day, cents) for day, cents in zip(days, months, strict=True)]
    sheets = [period_sheet(of, rows, "month", day) for day in days]
    paid = sum(sum(due_cents(one).values()) for one in sheets)
    ahead = [one.ahead_cents for found in sheets[-3:] for one in found.estimates if one.ahead_months == 1]
    begun = [
        found.tax_cents * (3 - (len(months) - 1 - number))
        for number, one in enumerate(sheets)
        for found in one.estimates
        if found.ahead_months == 3 and len(months) - 1 - number < 3
    ]
    assert sum(fee(cents) for cents in months) + sum(ahead) + sum(begun) == paid


@pytest.mark.parametrize(("license_class", "expected"), [("category 1", {"category_1": 25_00}), ("slots only", {})])
def test_a_rate_depends_on_the_license(license_class: str, expected: dict[str, int]) -> None:
    """A quarter of the revenue at a resort; nothing where no rate is for the license."""
    assert expected == amounts(sheet(facility("us-ma", license_class), won("2026-11-20", 100_00)))


@pytest.mark.parametrize(("last", "expected"), [(900, 125), (1000, 250)])
def test_a_rate_depends_on_the_years_before(last: int, expected: int) -> None:
    """On whether the property's revenue fell from one fiscal year to the next."""
    stated = {("gross_revenue", 2025): 1000, ("gross_revenue", 2026): last}
    of = facility("us-nj", revenue_of_years=stated)
    found = amounts(sheet(of, won("2026-07-01", 100_00)))
    assert {"gross_revenue_tax": 800, "investment_alternative_tax": expected} == found
    with pytest.raises(LookupError, match="gross_revenue in fiscal year 2024"):  # of June, one year earlier
        sheet(of, won("2026-06-30", 100_00))


@pytest.mark.parametrize(
    ("rate", "message"),
    [
        (
            {"over": "period", "brackets": [{"above_cents": 1, "rate": "0.1"}, {"above_cents": 2, "rate": "0.2"}]},
            "begins at 0",
        ),
        (
            {"over": "period", "brackets": [{"above_cents": 0, "rate": "0.1"}, {"above_cents": 0, "rate": "0.2"}]},
            "ascending",
        ),
        ({"over": "period", "brackets": [{"above_cents": 0, "rate": "0.1"}]}, "at least 2"),
    ],
)
def test_brackets_are_in_order(rate: Iterable[str], message: str) -> None:
    """From 0 on, and no amount twice."""
    with pytest.raises(ValueError, match=message):
        changed(NEVADA.pack, {"taxes.license_fee.rate": [dated(rate)]})


def test_only_a_tax_by_month_is_paid_ahead() -> None:
    """The months of a weekly tax are nobody's return."""
    with pytest.raises(ValueError, match="only a tax by month is paid ahead"):
        changed(NEVADA.pack, {"taxes.license_fee.period": [dated("week")]})
