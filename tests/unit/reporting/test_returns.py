"""Returns of a week or month, and what an amendment changes."""

from datetime import date
from fractions import Fraction

import pytest

from services.reporting.reports.tax.amendments import Amended, amended
from services.reporting.reports.tax.gross_revenue import Facility
from services.reporting.reports.tax.returns import TaxReturn, due_cents, law_of, period_sheet
from shared.jurisdictions import gaming_pack
from tests.support.packs import changed, dated
from tests.unit.reporting.revenues import PENNSYLVANIA, RHODE_ISLAND, weekly, won

FRIDAY = date(2026, 11, 20)
ROWS = [won("2026-11-16", 1_000_03), won("2026-11-17", -500_00), won("2026-11-20", 2_000_04)]


def test_a_weekly_return_adds_up_its_days() -> None:
    """From Monday to Sunday, line by line, and what is due to each payee."""
    sheet = weekly(PENNSYLVANIA, ROWS, FRIDAY).sheet
    assert (date(2026, 11, 16), date(2026, 11, 22), 7) == (sheet.first, sheet.last, len(sheet.sheets))
    assert [("state_tax", 3_000_07, 360_00), ("additional_tax", 3_000_07, 60_00)] == [
        (line.layer, line.base_cents, line.amount_cents) for line in sheet.layers[:2]
    ]
    assert (2_500_07, 3_000_07) == (sheet.classes[0].revenue_cents, sheet.classes[0].counted_cents)
    assert {
        "Commonwealth of Pennsylvania": 420_00,
        "host county and municipality, through the Department of Revenue": 60_00,
    } == due_cents(sheet)


def test_a_week_that_straddles_a_change_has_a_line_for_each_rate() -> None:
    """With its own days, base and source."""
    rates = [dated("0.12"), dated("0.13", "2026-11-18")]
    facility = Facility("riverside", changed(gaming_pack("us-pa"), {"taxes.state_tax.rate": rates}))
    lines = [line for line in weekly(facility, ROWS, FRIDAY).sheet.layers if line.layer == "state_tax"]
    assert [
        (Fraction(12, 100), date(2026, 11, 16), date(2026, 11, 17), 1_000_03, 120_00),
        (Fraction(13, 100), date(2026, 11, 18), date(2026, 11, 22), 2_000_04, 260_01),
    ] == [(line.rate, line.first, line.last, line.base_cents, line.amount_cents) for line in lines]


def test_a_tax_that_begins_within_a_week_has_its_days_only() -> None:
    """The additional tax of Pennsylvania began on Monday, August 1, 2016; in a week from Sunday it has six days."""
    facility = Facility("riverside", changed(gaming_pack("us-pa"), {"periods.week_begins": [dated("sunday")]}))
    rows = [won("2016-07-31", 100_00), won("2016-08-01", 100_00)]
    lines = {line.layer: line for line in weekly(facility, rows, date(2016, 8, 3)).sheet.layers}
    assert (200_00, 100_00) == (lines["state_tax"].base_cents, lines["additional_tax"].base_cents)
    assert date(2016, 8, 1) == lines["additional_tax"].first


def test_a_month_has_the_taxes_of_its_weeks() -> None:
    """Pennsylvania's are weekly; an account of a month shows them all the same, day by day."""
    account = period_sheet(PENNSYLVANIA, ROWS, "month", FRIDAY)
    assert {"state_tax": 360_00} == {
        line.layer: line.amount_cents for line in account.layers if line.layer == "state_tax"
    }
    assert due_cents(weekly(PENNSYLVANIA, ROWS, FRIDAY).sheet) == due_cents(account)


def test_shares_are_added_up_too() -> None:
    """Each party has the sum of its days."""
    rows = [won(day, cents, name="lakeside") for day, cents in (("2026-11-16", 101), ("2026-11-17", 101))]
    sheet = weekly(RHODE_ISLAND, rows, FRIDAY).sheet
    assert {"state": 32, "operator": 168, "town": 2} == {line.party: line.amount_cents for line in sheet.shares}


def test_a_return_says_what_it_rests_on() -> None:
    """Every value of the pack, once, with its doubts."""
    law = law_of(weekly(PENNSYLVANIA, ROWS, FRIDAY).sheet)
    assert len(set(law)) == len(law)
    assert {"classes.banking.negative_days", "taxes.state_tax.rate"} <= {one.place for one in law}


def test_an_amended_return_shows_what_changed() -> None:
    """Old, new and difference of each line, the days that changed, and what is due."""
    original = weekly(PENNSYLVANIA, ROWS, FRIDAY)
    found = amended(original, weekly(PENNSYLVANIA, [*ROWS, won("2026-11-20", -4)], FRIDAY, version=2))
    assert 2 == found.version
    assert [FRIDAY] == list(found.days)
    state = found.lines.layers[0]
    assert ("state_tax", Amended(3_000_07, 3_000_03), Amended(360_00, 360_00)) == (
        state.layer,
        state.base,
        state.amount,
    )
    found = amended(original, weekly(PENNSYLVANIA, [*ROWS, won("2026-11-17", 600_00)], FRIDAY, version=2))
    assert [date(2026, 11, 17)] == list(found.days)
    day = found.days[date(2026, 11, 17)]
    assert (Amended(-500_00, 100_00), Amended(0, 100_00)) == (day.classes[0].revenue, day.classes[0].counted)
    assert 12_00 == day.layers[0].amount.difference_cents
    assert {
        "Commonwealth of Pennsylvania": Amended(420_00, 434_00),
        "host county and municipality, through the Department of Revenue": Amended(60_00, 62_00),
    } == found.due


def test_an_amendment_shows_a_change_of_law_too() -> None:
    """A rate that was wrong is a line that ends and one that begins."""
    facility = Facility("riverside", changed(gaming_pack("us-pa"), {"taxes.state_tax.rate": [dated("0.11")]}))
    original = weekly(PENNSYLVANIA, ROWS[:1], FRIDAY)
    found = amended(original, weekly(facility, ROWS[:1], FRIDAY, version=2))
    assert [(Fraction(12, 100), Amended(120_00, 0)), (Fraction(11, 100), Amended(0, 110_00))] == [
        (line.rate, line.amount) for line in found.lines.layers if line.layer == "state_tax"
    ]
    assert -10_00 == found.due["Commonwealth of Pennsylvania"].difference_cents


def test_a_party_that_shares_differently_is_shown() -> None:
    """Amended shares: what each party had and has."""
    before, after = (
        weekly(RHODE_ISLAND, [won("2026-11-16", cents, name="lakeside")], FRIDAY, version=version)
        for version, cents in ((1, 100_00), (2, 200_00))
    )
    assert [("state", 15_50), ("operator", 83_50), ("town", 1_00)] == [
        (line.party, line.amount.difference_cents) for line in amended(before, after).lines.shares
    ]


@pytest.mark.parametrize(
    ("current", "message"),
    [
        (weekly(PENNSYLVANIA, ROWS, date(2026, 11, 27), version=2), "2026-11-23 to 2026-11-29 amends none"),
        (weekly(PENNSYLVANIA, ROWS, FRIDAY, version=3), "version 3 does not follow version 1"),
    ],
)
def test_only_the_next_version_of_a_return_amends_it(current: TaxReturn, message: str) -> None:
    """Of the same property and period."""
    with pytest.raises(ValueError, match=message):
        amended(weekly(PENNSYLVANIA, ROWS, FRIDAY), current)
