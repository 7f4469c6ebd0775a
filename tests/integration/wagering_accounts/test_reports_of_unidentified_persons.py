"""A report of an unidentified person that was accepted is amended by its identifier, whoever it turns out to be."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pytest

from tests.integration.reporting.test_currency import void
from tests.integration.wagering_accounts.filing_steps import FIRST, SAM, SECOND, answer, file, prepare, step
from tests.integration.wagering_accounts.offices import CurrencyOffice
from tests.support.accounts import House, a_house
from tests.support.asgi import assert_problem
from tests.support.filings import batch_text

WRONG, RIGHT = "table-inventory/36/3", "table-inventory/36/9"
WITHDRAW = "withdraw it, and prepare it again"


@pytest.fixture
def house(url: str, patron_keys: None) -> Iterator[House]:
    """The service after the report of an entry of an unidentified person was accepted."""
    del patron_keys
    with a_house(url) as house:
        assert 201 == of_entry(house, WRONG).status_code
        file(house)
        assert 200 == answer(house, FIRST).status_code
        yield house
        house.check()


def of_entry(house: House, *entries: str, corrects: str | None = None) -> httpx.Response:
    """Prepare the reports of entries of unidentified persons."""
    subjects = [{"kind": "entry", "reference": entry} for entry in entries]
    return prepare(house, subjects=subjects, file=batch_text(*[corrects] * len(entries)))


def withdraw(house: House, filing: int) -> None:
    """Withdraw a filing."""
    assert 200 == step(house, "withdraw", {"reason": "another person"}, filing=filing).status_code


def test_it_is_amended_as_another_entry_or_as_a_person_once(house: House) -> None:
    """By one amendment at a time, also of its own; as whom it was amended last, it is amended again."""
    assert 201 == of_entry(house, RIGHT, corrects=FIRST).status_code
    taken = f"{FIRST} is amended by the report of entry {RIGHT} in filing 2"
    assert_problem(prepare(house, "p-1", corrects=[FIRST]), 409, taken)
    assert_problem(of_entry(house, WRONG, corrects=FIRST), 409, taken)
    withdraw(house, 2)
    assert 201 == prepare(house, "p-1", corrects=[FIRST]).status_code
    file(house, 3)
    assert 200 == answer(house, SECOND, filing=3).status_code
    taken = f"{FIRST} is amended by the report of patron p-1 in filing 3"
    for again in (of_entry(house, WRONG, corrects=FIRST), of_entry(house, RIGHT, corrects=FIRST)):
        assert_problem(again, 409, taken)
    assert_problem(prepare(house, "p-1", corrects=[FIRST]), 409, f"amend that one, not {FIRST}")
    assert_problem(prepare(house, "p-2", corrects=[SECOND]), 409, f"{SECOND} is the report of patron p-1")
    assert 201 == prepare(house, "p-1", corrects=[SECOND]).status_code


def test_a_rejected_amendment_leaves_it_to_another_one(house: House) -> None:
    """It stands as it was accepted."""
    assert 201 == of_entry(house, RIGHT, corrects=FIRST).status_code
    file(house, 2)
    assert_problem(prepare(house, "p-1", corrects=[FIRST]), 409, "is amended by")
    assert 200 == answer(house, None, filing=2).status_code
    assert 201 == prepare(house, "p-1", corrects=[FIRST]).status_code


def test_what_was_amended_is_amended_by_its_last_identifier(house: House) -> None:
    """Of whom it was filed, then as another one."""
    assert 201 == of_entry(house, WRONG, corrects=FIRST).status_code
    refused = prepare(house, "p-1", corrects=[FIRST])
    assert_problem(refused, 409, f"the report of entry {WRONG} for 2026-11-19 is in filing 2, which is prepared")
    file(house, 2)
    assert 200 == answer(house, SECOND, filing=2).status_code
    refused = prepare(house, "p-1", corrects=[FIRST])
    assert_problem(refused, 409, f"was last accepted as {SECOND}, in filing 2: amend that one, not {FIRST}")
    assert 201 == prepare(house, "p-1", corrects=[SECOND]).status_code


def test_who_has_a_report_amends_that_one(house: House) -> None:
    """What is left of the entry's report is nothing, which amends it; nor is it amended of another day."""
    assert 201 == prepare(house, "p-1").status_code
    file(house, 2)
    assert 200 == answer(house, SECOND, filing=2).status_code
    refused = prepare(house, "p-1", corrects=[FIRST])
    assert_problem(refused, 409, f"the report of patron p-1 for 2026-11-19 was last accepted as {SECOND}, in filing 2")
    day = date(2026, 11, 18)
    other = prepare(house, "p-2", period=day.isoformat(), file=batch_text(FIRST, day=day))
    assert_problem(other, 409, f"{FIRST} is the report of entry {WRONG} of 2026-11-19, not of patron p-2")


def test_two_reports_of_a_file_do_not_amend_the_same_one(house: House) -> None:
    """Neither would be refused for the other one by what is on record."""
    assert_problem(of_entry(house, RIGHT, "table-inventory/36/11", corrects=FIRST), 409, f"two reports amend {FIRST}")


def test_it_is_released_only_as_an_amendment_of_what_was_accepted(house: House) -> None:
    """If the identifier of the entry's report was corrected since, it is refused."""
    assert 201 == prepare(house, "p-1", corrects=[FIRST]).status_code
    assert 200 == answer(house, SECOND, reason="typed wrong").status_code
    refused = step(house, "release", filing=2, person=SAM)
    assert_problem(refused, 409, f"amends {FIRST}, which is not accepted any more in filing 1: {WITHDRAW}")
    withdraw(house, 2)
    assert 201 == prepare(house, "p-1", corrects=[SECOND]).status_code
    assert 200 == step(house, "release", filing=3, person=SAM).status_code


def test_a_corrected_sale_is_amended_as_the_person_by_the_command_line(currency_office: CurrencyOffice) -> None:
    """The report of the day shows the person alone, and the release compares with it."""
    office = currency_office
    wrong: dict[str, Any] = office.sell(12_000, patron=None)
    office.prepare()
    office.accept(1, FIRST)
    office.books.desk.feed("inventory", void(office.ledger, wrong))
    office.sell(11_000)
    amends = ("--only", "p-7", "--corrects", f"p-7={FIRST}")
    called = office.prepare(*amends)
    assert 0 == called.code, called.stderr
    [document] = called.documents
    assert [("p-7", 11_000, FIRST)] == [
        (one["reference"], one["in_dollars"], one["amends"]) for one in document["reports"]
    ]
    office.accept(2, SECOND)
    assert "p-7 is left out: filing 2 has the report as it is" in office.prepare().stderr
    again = office.prepare("--only", "p-7")
    assert f"was accepted as {SECOND} in filing 2: amend it by that identifier" in again.stderr, again.stderr
