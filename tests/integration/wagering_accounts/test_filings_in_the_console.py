"""Filings as people take their steps in the console: released, sent, accepted, rejected and filed again, withdrawn."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from services.console.pages.filings import _STEPS
from tests.support.accounts import PROPERTY, ROLES, House, a_house
from tests.support.browsers import Browsers
from tests.support.filings import filing_of

EVE, SAM = "title31.eve", "title31.sam"
AT = f"/p/{PROPERTY}/filings"
BSA_ID = "31000000000001"
_KEYS = count(1)


@pytest.fixture
def house(url: str, patron_keys: None) -> Iterator[House]:
    """The service behind a console."""
    del patron_keys
    with a_house(url) as house:
        yield house


@pytest.fixture
def browsers(house: House) -> Iterator[Browsers]:
    """The console before the service."""
    browsers = Browsers(house.desk, people=ROLES, clock=house.clock)
    with browsers.client:
        yield browsers


def prepare(house: House) -> None:
    """Prepare a filing, as the command line does."""
    assert 201 == house.send("/filings", filing_of("p-1"), person=EVE).status_code


def take(browsers: Browsers, step: str, number: int, person: str = EVE, **fields: Any) -> str:
    """Fill in the form of a step; return the page that follows."""
    form, said = f"/do/wagering-accounts/{step}", {"property": PROPERTY, "filing": str(number)}
    named = {name.replace("__", "."): value for name, value in fields.items()}
    return browsers.send(form, person, **said, **named, key=f"{form}.{next(_KEYS)}").text


def region(page: str, title: str) -> str:
    """Return the table of a page with this caption."""
    return page.partition(f'aria-label="{title}"')[2].partition("</table>")[0]


def test_what_was_accepted_has_its_identifier(house: House, browsers: Browsers) -> None:
    """Each person is offered the steps of their own role, and each list has what waits for the next one."""
    prepare(house)
    assert "release-filing" not in browsers.get(AT, EVE)
    assert "release-filing" in region(browsers.get(AT, SAM), "Prepared, not released")
    take(browsers, "release-filing", 1, SAM)
    assert "record-filed" in region(browsers.get(AT, EVE), "Released, not sent")
    take(browsers, "record-filed", 1, tracking_id="260000000001")
    assert "260000000001" in region(browsers.get(AT, EVE), "Sent, awaiting an answer")
    answered = {"reports__0__report": "1", "reports__0__accepted": "yes", "reports__0__bsa_id": BSA_ID}
    take(browsers, "record-acknowledgement", 1, accepted="yes", **answered)
    page = browsers.get(AT, EVE)
    assert "260000000001" in region(page, "Accepted, latest first")
    assert "record-acknowledgement" not in page
    assert BSA_ID in region(browsers.get(f"{AT}/1", SAM), "Reports in the order of the file")


def test_what_was_rejected_says_why_and_is_filed_again(house: House, browsers: Browsers) -> None:
    """The errors stand by the report; a file of the same person and day is taken then, and not before."""
    prepare(house)
    assert 409 == house.send("/filings", filing_of("p-1"), person=EVE).status_code
    take(browsers, "release-filing", 1, SAM)
    take(browsers, "record-filed", 1, tracking_id="260000000001")
    answered = {"reports__0__report": "1", "reports__0__accepted": "no"}
    answered["reports__0__errors"] = '[{"code": "F18", "place": "Activity[1]/Party[6]"}]'
    take(browsers, "record-acknowledgement", 1, accepted="yes", **answered)
    assert "260000000001" in region(browsers.get(AT, EVE), "Rejected")
    assert "F18 Activity[1]/Party[6]" in region(browsers.get(f"{AT}/1", EVE), "Reports in the order of the file")
    prepare(house)
    take(browsers, "withdraw-filing", 2, reason="who it is is known now")
    assert "who it is is known now" in region(browsers.get(AT, EVE), "Withdrawn, latest first")


def test_a_file_that_was_rejected_as_a_whole_has_errors_of_its_own(house: House, browsers: Browsers) -> None:
    """And no identifiers; one cannot be given to it."""
    prepare(house)
    take(browsers, "release-filing", 1, SAM)
    take(browsers, "record-filed", 1, tracking_id="260000000001")
    wrong = {"reports__0__report": "1", "reports__0__accepted": "yes", "reports__0__bsa_id": BSA_ID}
    refused = take(browsers, "record-acknowledgement", 1, accepted="no", **wrong)
    assert "no report of a rejected file is accepted" in refused
    said = {"errors__0__code": "B1", "errors__0__place": "EFilingBatchXML"}
    take(browsers, "record-acknowledgement", 1, accepted="no", **said)
    assert "B1" in region(browsers.get(f"{AT}/1", EVE), "Errors of the file as a whole")
    assert set(_STEPS) == {"prepared", "released", "filed", "rejected", "accepted", "withdrawn"}
