"""Information returns in packs: when they are due, the columns of their files, and values to be reviewed each year."""

from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from shared.jurisdictions import Provision, pack, past_review
from shared.jurisdictions.returns import ReturnColumn, ReturnLayout, due_on
from tests.support.packs import dated

LAW = pack("us-federal")
PORTAL = (
    "Form Type,Tax Year,Payer TIN Type,Payer Taxpayer ID Number,Payer Name Type,Payer Business or Entity Name Line 1,"
    "Payer Business or Entity Name Line 2,Payer First Name,Payer Middle Name,Payer Last Name (Surname),Payer Suffix,"
    "Payer Country,Payer Address Line 1,Payer Address Line 2,Payer City/Town,Payer State/Province/Territory,"
    "Payer ZIP/Postal Code,Payer Phone Type,Payer Phone,Payer Email Address,Recipient TIN Type,"
    "Recipient Taxpayer ID Number,Recipient Name Type,Recipient Business or Entity Name Line 1,"
    "Recipient Business or Entity Name Line 2,Recipient First Name,Recipient Middle Name,Recipient Last Name (Surname),"
    "Recipient Suffix,Recipient Country,Recipient Address Line 1,Recipient Address Line 2,Recipient City/Town,"
    "Recipient State/Province/Territory,Recipient ZIP/Postal Code,Office Code,Form Account Number"
)
"""How the portal's templates of Forms 1099 begin, as programs that write them have it."""


def threshold(*values: dict[str, Any]) -> Provision[int]:
    """A provision with these values."""
    return Provision[int].model_validate(list(values), strict=False)


Y2026 = dated(2000, "2026-01-01", review_by="2026-12-31")
DOUBTFUL = dated(2050, "2027-01-01", review_by="2027-12-31", status="unconfirmed", note="a draft")
CONFIRMED = dated(2050, "2027-01-01", review_by="2027-12-31")


@pytest.mark.parametrize(
    ("values", "day", "is_past", "value"),
    [
        ([Y2026], "2026-12-31", False, 2000),
        ([Y2026], "2027-01-01", True, 2000),
        ([Y2026, DOUBTFUL], "2026-06-01", False, 2000),
        ([Y2026, DOUBTFUL], "2027-06-01", True, 2050),
        ([Y2026, CONFIRMED], "2027-06-01", False, 2050),
        ([Y2026, CONFIRMED], "2028-01-01", True, 2050),
        ([dated(600), Y2026], "2025-12-31", False, 600),
    ],
)
def test_a_value_cannot_be_relied_on_after_its_review(
    values: list[dict[str, Any]], day: str, is_past: bool, value: int
) -> None:
    """Until a newer one is confirmed: it is unconfirmed then, whatever it was, and says why."""
    found = threshold(*values).on(date.fromisoformat(day))
    assert (is_past, value) == (found.is_past_review, found.value)
    if is_past:
        assert found.status == "unconfirmed"
        assert found.note is not None
        assert "no value was confirmed since it was to be reviewed by" in found.note


def test_a_review_is_due_after_the_value_took_effect() -> None:
    """A day before it is a mistake."""
    with pytest.raises(ValidationError, match="review_by 2025-12-31 is before effective_from 2026-01-01"):
        threshold(dated(2000, "2026-01-01", review_by="2025-12-31"))


def test_what_law_changes_each_year_has_a_day_of_review() -> None:
    """The threshold of Form W-2G, adjusted from 2027 on, and the portal's columns, which are of one tax year."""
    parts = {name: getattr(LAW, name) for name in type(LAW).model_fields}
    late = sorted(place for place, _ in past_review(parts, LAW.id, date(2027, 12, 31)))
    assert [
        "us-federal.reportable_winnings.w_2g_table_wager.threshold_cents",
        "us-federal.returns.form_1042_s.layout",
        "us-federal.returns.w_2g.layout",
    ] == late
    assert [] == [*past_review(parts, LAW.id, date(2026, 12, 31))]
    for name in ("us-pa", "us-ri"):
        found = pack(name)
        state = {part: getattr(found, part) for part in type(found).model_fields}
        assert [] == [*past_review(state, name, date(2030, 1, 1))]


@pytest.mark.parametrize(
    ("form", "what", "year", "due"),
    [
        ("w_2g", "copy_by", 2025, "2026-02-02"),  # January 31 is a Saturday
        ("w_2g", "copy_by", 2026, "2027-02-01"),  # a Sunday
        ("w_2g", "copy_by", 2027, "2028-01-31"),
        ("w_2g", "file_by", 2026, "2027-03-31"),
        ("form_1042_s", "file_by", 2025, "2026-03-16"),
        ("form_1042_s", "copy_by", 2026, "2027-03-15"),
    ],
)
def test_returns_are_due_in_the_year_that_follows(form: str, what: str, year: int, due: str) -> None:
    """On a day of the pack; one on a weekend moves to the Monday after."""
    assert date.fromisoformat(due) == due_on(getattr(LAW.returns[form], what), year)


@pytest.mark.parametrize("form", ["w_2g", "form_1042_s"])
def test_files_begin_as_the_portals_templates_do(form: str) -> None:
    """Column by column; a planted exchange of two of them is found."""
    layout = LAW.returns[form].layout.on(date(2026, 12, 31)).value
    names = [one.name for one in layout.columns]
    assert PORTAL.split(",") == names[:37]
    assert all(one.status == "unconfirmed" for one in layout.columns)
    exchanged = [names[1], names[0], *names[2:]]
    assert PORTAL.split(",") != exchanged[:37]


def layout(*names: str, **more: Any) -> ReturnLayout:
    """A layout with these columns behind those that every layout has."""
    fields: dict[str, Any] = {
        "Tax Year": "tax_year",
        "Account": "account_number",
        "Box 1 - Winnings": "winnings_cents",
        "Box 4 - Federal income tax withheld": "withheld_cents",
    }
    columns = [{"name": name, "field": field} for name, field in fields.items()] + [{"name": name} for name in names]
    said = {"returns_max": 100, "date_format": "%Y", "other_recipient": "two_returns", "columns": columns}
    return ReturnLayout.model_validate(said | more)


def test_headings_are_found_by_their_words_or_their_box() -> None:
    """Not where several columns are of one box, whose words say which is which."""
    ours = layout("Box 13 - State", "Box 13 - Number")
    header = ["BOX  4: federal income tax  withheld", "Box 1 Reportable winnings", "tax year", "Box 13 - number"]
    assert {
        "Box 4 - Federal income tax withheld": 0,
        "Box 1 - Winnings": 1,
        "Tax Year": 2,
        "Box 13 - Number": 3,
    } == ours.places(header)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"columns": [{"name": "Tax Year", "field": "tax_year"}]}, "no column has account_number, winnings_cents"),
        ({"columns": [{"name": "A", "field": "form", "text": "W-2G"}]}, "A: give a field or a text, not both"),
        ({"columns": [{"name": "A", "required": "always"}]}, "A: it is required, and nothing fills it"),
        ({"columns": [{"name": "A"}, {"name": "a"}]}, "a: two columns have this name"),
        ({"columns": [{"name": "A", "characters": "z-a"}]}, "A: 'z-a' is no class of characters"),
    ],
)
def test_a_layout_that_cannot_be_written_is_refused(more: dict[str, Any], why: str) -> None:
    """With its column."""
    with pytest.raises(ValidationError, match=why):
        layout(**more)


def test_lists_of_columns_in_a_layout_are_laid_out_one_after_the_other() -> None:
    """Several layouts share them."""
    columns = [one.model_dump(mode="json", exclude_none=True) for one in layout().columns]
    nested = layout(columns=[columns[0], columns[1:]])
    assert layout() == nested
    assert isinstance(nested.columns[3], ReturnColumn)
