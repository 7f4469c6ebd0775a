"""Information returns that are filed with the IRS: those of a tax year, filed once, corrected, late."""

from datetime import datetime
from typing import Any

import httpx
import pytest

from services.cli.filing.return_files import file_of
from tests.integration.wagering_accounts.filing_steps import (
    FIRST,
    SAM,
    file,
    filed_again,
    late,
    prepare,
    prepare_returns,
    step,
)
from tests.support.accounts import PROPERTY, House
from tests.support.asgi import assert_problem
from tests.support.filings import batch_text
from tests.support.returns_filed import W_2G, corrected, returns_filing, row
from tests.support.services import query


@pytest.fixture
def house(filing_house: House) -> House:
    """The service whose books come to the same when they are rebuilt."""
    return filing_house


def test_a_file_of_returns_is_a_filing_of_a_tax_year(house: House) -> None:
    """Cents as the file has them, due as the pack says; the portal answers without identifiers."""
    prepared = prepare_returns(house, "p-1", "p-2")
    assert 201 == prepared.status_code, prepared.text
    found = prepared.json()
    assert ("w_2g", "2026", "2027-02-01", "2027-03-31", []) == tuple(
        found[name] for name in ("form", "period", "copy_by", "file_by", "unconfirmed")
    )
    assert [("p-1", "0000000001", 250_000, 60_000), ("p-2", "0000000002", 250_000, 60_000)] == [
        (one["reference"], one["account_number"], one["winnings_cents"], one["withheld_cents"])
        for one in found["reports"]
    ]
    file(house)
    for identifier, why in ((FIRST, "and nothing else has"), (None, "")):
        said = {"report": 1, "accepted": True} | ({} if identifier is None else {"bsa_id": identifier})
        answered = {"accepted": True, "reports": [said, {"report": 2, "accepted": False}]}
        got = step(house, "acknowledgement", answered)
        if why:
            assert_problem(got, 409, why)
    assert "rejected" == got.json()["status"]
    assert [True, False] == [one["accepted"] for one in got.json()["reports"]]
    content = house.read(f"/filings/{PROPERTY}/1/file", person=SAM)
    assert returns_filing("p-1", "p-2")["file"] == content.text
    assert content.headers["content-type"].startswith("text/csv")
    listed = house.read(f"/filings?property={PROPERTY}&form=w_2g&period=2026", person=SAM).json()["items"]
    assert [1] == [one["filing"] for one in listed]
    assert [] == house.read(f"/filings?property={PROPERTY}&form=ctr", person=SAM).json()["items"]


def test_a_return_is_filed_once_and_corrected_after_it_was_sent(house: House) -> None:
    """By one return or by two; never before its answer, never of somebody else. A rejected one may be filed again."""
    changed = row(winnings_cents=260_000)
    one = corrected(row(), changed)
    assert_problem(prepare_returns(house, rows=one), 409, "no return 0000000001 was sent that could be corrected")
    prepare_returns(house)
    unsent = "return 0000000001 is in filing 1, which is prepared: withdraw that filing"
    assert_problem(prepare_returns(house), 409, unsent)
    assert_problem(prepare_returns(house, rows=one), 409, unsent)
    file(house)
    unanswered = "return 0000000001 is in filing 1, which is filed: record its acknowledgement first"
    assert_problem(prepare_returns(house, rows=one), 409, unanswered)
    step(house, "acknowledgement", {"accepted": True, "reports": [{"report": 1, "accepted": True}]})
    assert_problem(prepare_returns(house), 409, "return 0000000001 was accepted in filing 1: correct it")
    assert_problem(prepare_returns(house, "p-2", rows=one), 409, "return 0000000001 is not about p-2")
    again = prepare_returns(house, rows=one)
    assert (201, 1, 260_000) == (again.status_code, *_corrects(again)[0])
    file(house, 2)
    assert_problem(prepare_returns(house, rows=one), 409, "is in filing 2, which is filed: record its acknowledgement")
    step(house, "acknowledgement", {"accepted": True, "reports": [{"report": 1, "accepted": False}]}, filing=2)

    two = [*corrected(row(), None), changed]
    assert_problem(
        prepare_returns(house, "p-1", "p-1", rows=[changed, two[0]]), 409, "return 0000000001 is twice in the file"
    )
    kept = [corrected(row(), changed)[0], changed]
    assert_problem(prepare_returns(house, "p-1", "p-1", rows=kept), 409, "is corrected to nothing")
    both = prepare_returns(house, "p-1", "p-1", rows=two)
    assert [(1, 0), (None, 260_000)] == _corrects(both)
    assert_problem(prepare_returns(house), 409, "in filing 3")


def _corrects(answer: httpx.Response) -> list[tuple[Any, Any]]:
    """Return which filing each return corrects, and its winnings."""
    return [(one.get("corrects"), one["winnings_cents"]) for one in answer.json()["reports"]]


@pytest.mark.parametrize(
    ("more", "status", "why"),
    [
        ({"period": "2025"}, 409, "report 1 of the file is of 2026, not 2025"),
        ({"period": "2026-11-20"}, 422, "no pack of riverside has a w_2g filed of 2026-11-20"),
        ({"period": "2026-13-01"}, 422, ""),
        ({"period": "0000"}, 422, ""),
        ({"file": batch_text(None)}, 409, "the file has"),
        ({"file": file_of(W_2G, [row()] * 101)}, 409, "the file has 101 returns: it may have 100"),
        ({"subjects": [{"kind": "account", "reference": "ga-1"}]}, 409, "is not about ga-1"),
        ({"form": "ctr"}, 409, "no XML that can be read"),
        ({"form": "form_1042_s"}, 409, "row 1 of the file: Form Account Number and Unique Form Identifier differ"),
    ],
)
def test_a_file_that_is_not_of_its_form_and_year_is_not_prepared(
    house: House, more: dict[str, Any], status: int, why: str
) -> None:
    """The record is read from the file, by the layout of its tax year."""
    assert_problem(prepare_returns(house, **more), status, why)
    assert [] == query(house.url, "SELECT FROM wagering_accounts.filings")


def test_law_that_nobody_reviewed_is_relied_on_only_when_told(house: House) -> None:
    """And the filing says which; a currency transaction report rests on nothing of the kind."""
    later = {"period": "2027", "file": returns_filing("p-1")["file"].replace(",2026,", ",2027,")}
    refused = prepare_returns(house, **later)
    threshold = "reportable_winnings.w_2g_table_wager.threshold_cents"
    assert_problem(refused, 422, f"law changes {threshold}, returns.w_2g.layout each year")
    told = prepare_returns(house, **later, unconfirmed=True)
    assert (201, [threshold, "returns.w_2g.layout"]) == (told.status_code, told.json()["unconfirmed"])
    assert [] == prepare(house).json()["unconfirmed"]


def test_a_correction_has_no_last_day(house: House) -> None:
    """By one return or by two."""
    prepare_returns(house)
    file(house)
    step(house, "acknowledgement", {"accepted": True, "reports": [{"report": 1, "accepted": True}]})
    house.clock.now = datetime.fromisoformat("2027-04-29T18:00:00Z")
    changed = row(winnings_cents=260_000)
    two = [*corrected(row(), None), changed]
    for filing, (people, rows) in enumerate(((["p-1"], corrected(row(), changed)), (["p-1"] * 2, two)), start=2):
        assert 201 == prepare_returns(house, *people, rows=rows).status_code
        assert 0 == late(house)
        step(house, "withdraw", {"reason": "a test"}, filing=filing)


def test_a_return_is_late_after_its_last_day(house: House) -> None:
    """A rejected one is filed again by its account number: another return of the same patron is another one."""
    prepare_returns(house)
    house.clock.now = datetime.fromisoformat("2027-03-31T18:00:00Z")
    assert 0 == late(house)
    house.clock.now = datetime.fromisoformat("2027-04-01T18:00:00Z")
    assert 1 == late(house)
    file(house)
    assert 0 == late(house)
    step(house, "acknowledgement", {"accepted": False})
    prepare_returns(house, rows=[row(account_number="0000000002")])
    file(house, 2)
    assert (0, {1: False}) == (late(house), filed_again(house))
    prepare_returns(house)
    assert (1, {1: True}) == (late(house), filed_again(house))
