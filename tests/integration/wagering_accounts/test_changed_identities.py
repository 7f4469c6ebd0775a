"""A file names people as they were known when it was prepared: it is not released once an identity has changed."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from services.cli.filing.ctr_batch import CtrActivity, Line, ctr_batch
from services.wagering_accounts.domain.identity import PatronIdentity
from tests.integration.wagering_accounts.filing_steps import SAM, prepare, prepare_returns, step
from tests.integration.wagering_accounts.offices import CurrencyOffice, console
from tests.support.accounts import CODE, IDENTITY, PROPERTY, House
from tests.support.asgi import assert_problem
from tests.support.filings import DAY, FILED_ON, FILER

MENDED = IDENTITY | {"last_name": "Oakhurst-Dane", "taxpayer_number": "900551299"}


@pytest.fixture
def house(filing_house: House) -> House:
    """The service with two patrons, who were not identified."""
    for number in (1, 2):
        filing_house.register(f"p-{number}", f"W-{number}", code=CODE)
    return filing_house


def identify(house: House, patron: str = "p-1", **other: Any) -> None:
    """Record a second later who a patron is."""
    house.clock.now += timedelta(seconds=1)
    sent = house.send(f"/patrons/{PROPERTY}/{patron}/identity", {"identity": MENDED | other})
    assert sent.is_success, sent.text


def assert_refused(refused: httpx.Response, *references: str) -> None:
    """Assert that the release was refused for these references, with nothing of who they are."""
    assert_problem(refused, 409, f"the identity of {', '.join(references)} was recorded or erased after filing")
    assert "withdraw it, and prepare it again" in refused.json()["detail"]
    assert "urn:pitledger:problem:contradicts" == refused.json()["type"]
    assert [] == [one for one in MENDED.values() if isinstance(one, str) and len(one) > 2 and one in refused.text]


@pytest.mark.parametrize("made", [prepare, prepare_returns])
def test_a_file_with_a_former_name_is_not_released(house: House, made: Any) -> None:
    """Amended or recorded for the first time; what was known before the file was prepared is in it."""
    identify(house)
    assert 201 == made(house, "p-1", "p-2").status_code
    identify(house)
    assert_refused(step(house, "release", person=SAM), "p-1")
    identify(house, "p-2")
    assert_refused(step(house, "release", person=SAM), "p-1", "p-2")
    assert step(house, "withdraw", {"reason": "another name"}).is_success
    assert 201 == made(house, "p-1", "p-2").status_code
    assert 200 == step(house, "release", filing=2, person=SAM).status_code
    identify(house)
    assert step(house, "filed", {"tracking_id": "260000000001"}, filing=2).is_success  # what was sent is on record


def test_whoever_has_a_part_in_a_report_is_looked_for(house: House) -> None:
    """An agent or principal; the holder of an account, who is not named; nobody else."""
    house.open("GA-1", patron="p-2")
    who = PatronIdentity.model_validate(IDENTITY)
    by_agent = Line("chip purchase", "in", 1, 1_000_001, "p-2", ("p-1",))
    of_account = Line("buy-in", "in", 1, 1_000_001)
    reports = [
        CtrActivity(DAY, who, [by_agent], reference="p-1", others={"p-2": None}),
        CtrActivity(DAY, None, [of_account], account="GA-1", reference="account GA-1"),
    ]
    subjects = [
        {"kind": "patron", "reference": "p-1", "with_others": ["p-2"]},
        {"kind": "account", "reference": "GA-1"},
    ]
    text = ctr_batch(FILER, reports, filed_on=FILED_ON).decode()
    prepared = prepare(house, subjects=subjects, file=text)
    assert 201 == prepared.status_code, prepared.text
    house.register("p-3", "W-3", code=CODE)
    identify(house, "p-3")
    identify(house, "p-2")
    assert_refused(step(house, "release", person=SAM), "GA-1", "p-2")


def test_the_command_line_and_the_console_say_so(currency_office: CurrencyOffice) -> None:
    """In the words of the service, with the references alone."""
    office = currency_office
    office.sell(10_500)
    assert 0 == office.prepare().code
    identify(office.house, "p-7")
    why = "the identity of p-7 was recorded or erased after filing 1 of riverside was prepared: withdraw it"
    refused = office.call("filing", "release", "riverside", "1", person=SAM)
    assert (1, True) == (refused.code, why in refused.stderr), refused.stderr
    with console(office) as browsers:
        form = "/do/wagering-accounts/release-filing"
        page = browsers.send(form, SAM, property=PROPERTY, filing="1", key="console.release").text
    assert why in page
