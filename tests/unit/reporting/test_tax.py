"""Daily sheets: which layers are due on which revenue, and what becomes of losses and of parts of a cent."""

import re
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from services.reporting.domain.law import unconfirmed
from services.reporting.reports.tax.gross_revenue import Facility
from services.reporting.reports.tax.sheets import daily_sheets, needed_from
from shared.jurisdictions import gaming_pack
from shared.jurisdictions.model import ClassOfRevenue
from tests.support import properties
from tests.support.packs import changed, dated
from tests.unit.reporting.revenues import PENNSYLVANIA, RHODE_ISLAND, amounts, sheet, won

DAY = "2026-11-20"
LAYER = {
    "payee": "Atlantis",
    "rate": [dated("0.1")],
    "classes": [dated(["banking", "non_banking"])],
    "period": [dated("week")],
    "rounding": [dated("each_day")],
}


def atlantis(**changes: object) -> Facility:
    """A facility under one made-up tax of a tenth; losses offset other days unless the changes say otherwise."""
    classes = {f"classes.{name}.negative_days": [dated("offsets_others")] for name in ("banking", "non_banking")}
    said = {name.replace("__", "."): value for name, value in changes.items()}
    return Facility("riverside", changed(gaming_pack("us-pa"), {**classes, "taxes": {"tithe": LAYER}, **said}))


@pytest.mark.parametrize(
    ("day", "percent"),
    [("2014-05-15", 14), ("2016-07-31", 14), ("2016-08-01", 16), ("2019-05-15", 16), (DAY, 16)],
)
def test_ordinary_tables_bear_what_was_collected(day: str, percent: int) -> None:
    """14% before August 2016 and 16% since: 12, 2 and 2, as layers of their own."""
    found = sheet(PENNSYLVANIA, won(day, 1_000_000_00))
    assert percent * 1_000_000 == sum(amounts(found).values()) - amounts(found).get("fully_automated_tax", 0)
    assert 0 == amounts(found)["fully_automated_tax"]


def test_fully_automated_tables_bear_every_layer() -> None:
    """Read to the letter 12 + 34 + 2 + 2 = 50%, and it is marked that which layers stack is not confirmed."""
    found = sheet(PENNSYLVANIA, won(DAY, 100_00, "fully_automated", "EB-01"))
    assert {"state_tax": 1200, "additional_tax": 200, "fully_automated_tax": 3400, "local_share": 200} == amounts(found)
    doubts = unconfirmed(one for line in found.layers for one in line.applied)
    assert "taxes.additional_tax.classes" in [one.place for one in doubts]
    assert all(one.note for one in doubts)


def test_a_line_says_by_which_law() -> None:
    """Payee, exact rate, base by class, and the source of each value of the pack."""
    line = sheet(PENNSYLVANIA, won(DAY, 60_00), won(DAY, 40_00, "non_banking", "PK-01")).layers[0]
    assert ("state_tax", "Commonwealth of Pennsylvania", "week", Fraction(12, 100), 100_00, 12_00) == (
        line.layer,
        line.payee,
        line.period,
        line.rate,
        line.base_cents,
        line.amount_cents,
    )
    assert ("banking", "non_banking", "fully_automated", "contest") == line.classes
    rate = line.applied[0]
    assert ("taxes.state_tax.rate", "0.12", date(2010, 1, 7), "4 Pa.C.S. § 13A62(a)(1)", "confirmed") == (
        rate.place,
        rate.value,
        rate.effective_from,
        rate.source,
        rate.status,
    )


def test_a_change_of_law_is_data() -> None:
    """A made-up rate from a day on, and nothing else changes."""
    rates = [dated("0.12", "2010-01-07"), dated("0.135", "2027-01-01")]
    facility = replace(PENNSYLVANIA, pack=changed(PENNSYLVANIA.pack, {"taxes.state_tax.rate": rates}))
    before, after = (amounts(sheet(facility, won(day, 100_00))) for day in ("2026-12-31", "2027-01-01"))
    assert (1200, 1350) == (before["state_tax"], after["state_tax"])
    assert before | {"state_tax": 0} == after | {"state_tax": 0}


@pytest.mark.parametrize(
    ("since", "day", "is_due"),
    [
        ("2015-03-10", "2015-03-09", False),
        ("2015-03-10", "2015-03-10", True),
        ("2015-03-10", "2017-03-09", True),
        ("2015-03-10", "2017-03-10", False),
        ("2012-02-29", "2014-02-28", True),
        ("2012-02-29", "2014-03-01", False),
        ("2016-09-01", "2017-10-29", True),
        ("2016-09-01", "2017-10-30", False),  # deleted by Act 42 of 2017
        (None, "2015-03-10", False),
    ],
)
def test_first_years_are_those_of_the_facility(since: str | None, day: str, is_due: bool) -> None:
    """Two years from the beginning of its table games, where that is known, and as long as law has it."""
    facility = replace(PENNSYLVANIA, table_games_since=None if since is None else date.fromisoformat(since))
    found = amounts(sheet(facility, won(day, 100_00)))
    assert is_due == ("new_facility_tax" in found)
    assert 200 * is_due == found.get("new_facility_tax", 0)


def test_a_facility_is_a_property_as_it_was_filed() -> None:
    """Its name, its pack, its license, since when it has had table games, and what it says of earlier years."""
    filed = replace(PENNSYLVANIA, license_class="category 2")
    assert filed == Facility.of(properties.place("riverside"))
    year = {"measure": "video_lottery", "fiscal_year": 2025, "cents": 5, "source": "audited statement"}
    since = date(2010, 7, 8)
    expected = replace(filed, table_games_since=since, revenue_of_years={("video_lottery", 2025): 5})
    assert expected == Facility.of(properties.place("riverside", table_games_since=since, revenue_of_years=[year]))


def test_tables_of_a_class_and_day_are_added_up() -> None:
    """A table's loss is part of the day's sum; the sum below zero counts as zero, in this class alone."""
    won_more = sheet(PENNSYLVANIA, won(DAY, 300_00), won(DAY, -100_00, table="BJ-02"))
    assert (200_00, 200_00) == (won_more.classes[0].revenue_cents, won_more.classes[0].counted_cents)
    lost_more = sheet(PENNSYLVANIA, won(DAY, -300_00), won(DAY, 100_00, table="BJ-02"), won(DAY, 50_00, "non_banking"))
    assert (-200_00, 0) == (lost_more.classes[0].revenue_cents, lost_more.classes[0].counted_cents)
    assert 600 == amounts(lost_more)["state_tax"]


def test_one_contest_does_not_offset_another() -> None:
    """Each contest counts alone; what several rows say of one is added up."""
    rows = (won(DAY, -100_00, "contest", "C-1"), won(DAY, 20_00, "contest", "C-1"), won(DAY, 70_00, "contest", "C-2"))
    contest = sheet(PENNSYLVANIA, *rows).classes[-1]
    assert ("contest", -10_00, 70_00) == (contest.revenue_class, contest.revenue_cents, contest.counted_cents)


def test_a_losing_day_counts_as_zero() -> None:
    """It takes nothing off the days beside it."""
    rows = [won("2026-11-17", -900_00), won("2026-11-18", 100_00)]
    assert [0, 1200] == [
        amounts(found)["state_tax"]
        for found in daily_sheets(PENNSYLVANIA, rows, date(2026, 11, 17), date(2026, 11, 18))
    ]


def test_a_losing_day_offsets_others_where_the_pack_says_so() -> None:
    """It takes back what its week has added before, and the rest lessens what the week adds later; then it is gone."""
    cents = [100_00, -300_00, 150_00, 100_00, 0, 0, -40_00, 70_00]
    rows = [won(f"2026-11-{day}", one) for day, one in enumerate(cents, 16)]
    found = daily_sheets(atlantis(), rows, date(2026, 11, 16), date(2026, 11, 23))
    assert [100_00, -100_00, 0, 50_00, 0, 0, -40_00, 70_00] == [one.layers[0].base_cents for one in found]
    assert [1000, -1000, 0, 500, 0, 0, -400, 700] == [amounts(one)["tithe"] for one in found]
    assert cents == [one.classes[0].counted_cents for one in found]


def test_a_loss_stays_in_its_class() -> None:
    """What banking games lost is not taken off poker."""
    found = sheet(atlantis(), won(DAY, -900_00), won(DAY, 100_00, "non_banking"))
    assert {"tithe": 1000} == amounts(found)


def test_a_sheet_in_the_week_knows_the_days_before_it() -> None:
    """Asked for alone, a day's sheet is that of its week; revenue is needed from the beginning of its periods."""
    rows = [won("2026-11-17", -300_00), won("2026-11-20", 500_00)]
    facility = atlantis()
    whole = daily_sheets(facility, rows, date(2026, 11, 16), date(2026, 11, 22))
    assert whole[4] == sheet(facility, *rows, day="2026-11-20")
    assert {"tithe": 2000} == amounts(whole[4])
    assert date(2026, 11, 1) == needed_from(facility.pack, date(2026, 11, 20))
    assert date(2026, 11, 30) == needed_from(facility.pack, date(2026, 12, 3))
    assert date(2026, 12, 3) == needed_from(PENNSYLVANIA.pack, date(2026, 12, 3))  # each day stands for itself


@pytest.mark.parametrize(("rounding", "expected"), [("each_day", [1, 1, 1, 0, 0]), ("period", [1, 0, 1, 0, 0])])
def test_half_a_cent_goes_up(rounding: str, expected: list[int]) -> None:
    """On each day, or once for the period: then each day shows what it adds to the amount so far."""
    facility = atlantis(taxes__tithe__rounding=[dated(rounding)])  # a tenth of 5, 5, 6, 4, 4 cents
    rows = [won(f"2026-11-{day}", cents) for day, cents in enumerate((5, 5, 6, 4, 4), 16)]
    found = daily_sheets(facility, rows, date(2026, 11, 16), date(2026, 11, 20))
    assert expected == [amounts(one)["tithe"] for one in found]


def test_parts_of_a_cent_stay_in_their_period() -> None:
    """Half a cent of Sunday, which went up, is nothing to Monday's week."""
    facility = atlantis(taxes__tithe__rounding=[dated("period")])
    rows = [won("2026-11-15", 5), won("2026-11-16", 5)]
    found = daily_sheets(facility, rows, date(2026, 11, 15), date(2026, 11, 16))
    assert [1, 1] == [amounts(one)["tithe"] for one in found]


def test_a_period_never_owes_less_than_nothing() -> None:
    """Not where a loss meets a higher rate than what it takes back."""
    facility = atlantis(taxes__tithe__rate=[dated("0.1"), dated("0.2", "2026-11-18")])
    rows = [won("2026-11-17", 100_00), won("2026-11-18", -100_00)]
    found = daily_sheets(facility, rows, date(2026, 11, 16), date(2026, 11, 22))
    assert [0, 1000, -1000, 0, 0, 0, 0] == [amounts(one)["tithe"] for one in found]


def test_a_day_without_revenue_has_a_sheet() -> None:
    """With every class and layer at 0."""
    found = sheet(PENNSYLVANIA, day=DAY)
    assert ["banking", "non_banking", "fully_automated", "contest"] == [one.revenue_class for one in found.classes]
    assert {0} == set(amounts(found).values())


LINCOLN = replace(
    RHODE_ISLAND,
    revenue_of_years={("video_lottery", 2012): 500, ("video_lottery", 2013): 510, ("video_lottery", 2014): 470},
)


@pytest.mark.parametrize(
    ("day", "state"), [("2026-11-20", "0.155"), ("2014-06-30", "0.18"), ("2014-07-01", "0.16"), ("2015-06-30", "0.16")]
)
def test_shares_divide_all_of_the_revenue(day: str, state: str) -> None:
    """Rhode Island's parties at the shares of the day; the cents are all given to somebody.

    The state had less from the fiscal year after the one in which the terminals of Lincoln brought less.
    """
    found = sheet(LINCOLN, won(day, 1_000_01, name="lakeside"), won(day, 1, "non_banking", name="lakeside"))
    assert ["state", "operator", "town"] == [one.party for one in found.shares]
    assert Fraction(state) == found.shares[0].part
    assert 1_000_02 == sum(one.amount_cents for one in found.shares)
    assert all(abs(one.amount_cents - one.part * 1_000_02) < 1 for one in found.shares)


def test_what_law_asks_of_earlier_years_is_stated_not_guessed() -> None:
    """The shares of 2013 depend on two fiscal years of terminals, which no table reports."""
    with pytest.raises(LookupError, match="video_lottery in fiscal year 2011; state it in 'revenue_of_years' of"):
        sheet(RHODE_ISLAND, won("2013-06-01", 100, name="lakeside"))


def test_rhode_island_has_shares_and_no_tax() -> None:
    """15.5%, 83.5% and 1% since Tiverton opened."""
    found = sheet(RHODE_ISLAND, won(DAY, 1_000_00, name="lakeside"))
    assert () == found.layers
    assert [("state", 155_00), ("operator", 835_00), ("town", 10_00)] == [
        (one.party, one.amount_cents) for one in found.shares
    ]


@pytest.mark.parametrize(
    ("name", "of", "message"),
    [
        ("riverside", "banking", "revenue of riverside is not lakeside's"),
        ("lakeside", "contest", "us-ri says nothing of revenue of the class 'contest'; add it to the classes"),
    ],
)
def test_what_does_not_belong_is_refused(name: str, of: ClassOfRevenue, message: str) -> None:
    """Another property's revenue, and a class of which the pack says nothing: no tax is guessed."""
    with pytest.raises(ValueError, match=message):
        sheet(RHODE_ISLAND, won(DAY, 100, of, name=name))


def test_before_the_first_law_there_is_no_sheet() -> None:
    """Nothing is known of 2009."""
    with pytest.raises(LookupError, match="nothing is known for 2009"):
        sheet(PENNSYLVANIA, won("2009-06-01", 100))


def test_the_page_names_no_figure_of_law() -> None:
    """docs/tax.md says by which rules; amounts, rates and terms stand on the pages of the packs."""
    text = (Path(__file__).parents[3] / "docs" / "tax.md").read_text(encoding="utf-8")
    assert [] == re.findall(r"\$ ?\d[\d,]*|\d+(?:\.\d+)? ?%|\d+ (?:days|years|times)", text)
