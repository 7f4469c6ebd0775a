"""`pitledger filing prepare`: the file of a gaming day from the currency report, and what is refused."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from tests.integration.reporting.test_currency import Till
from tests.support import Databases
from tests.support.accounts import CODE, IDENTITY, NOON, Clock, House, a_house
from tests.support.desk import Desk
from tests.support.filings import FILER
from tests.support.reporting import books_of
from tests.support.services import settled_database
from tests.support.shell_calls import ShellCalls
from tests.unit.cli.calling import Caller
from tests.unit.cli.filing.test_ctr_batch import parties, texts

EVE, READER = "title31.eve", "cage.lou"
PREPARE = ("filing", "prepare", "--property", "riverside", "--day", "2026-11-20", "--filed-on", "2026-11-21", "--json")


REGISTRY: Mapping[str, Any] = {
    "/properties/riverside/in-effect": {"filer": FILER.model_dump(mode="json"), "packs": ["us-pa", "us-federal"]}
}


@pytest.fixture
def house(url: str, patron_keys: None) -> Iterator[House]:
    """The service, with a patron who is identified."""
    del patron_keys
    with a_house(url, Clock()) as house:
        house.register("p-7", "w-7", code=CODE)
        assert house.send("/patrons/riverside/p-7/identity", {"identity": IDENTITY}).is_success
        yield house


@pytest.fixture
def call(
    databases: Databases, house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[ShellCalls]:
    """The command line; reporting knows of a patron, and of an account without one, above the threshold."""
    reporting = settled_database(databases, "reporting")
    with books_of(reporting) as books:
        till = Till()
        books.desk.feed("accounts", till.registered("p-7", "w-7"), till.opened("ga-2"))
        books.desk.feed("accounts", till.paid(11_000, "w-7"), till.paid(12_000, "ga-2", table="BJ-02"))
        report = books.get(books.path("currency"), person=READER).json()
        services: dict[str, Desk | Mapping[str, Any]] = {
            "wagering-accounts": house.desk,
            "reporting": {"/reports/currency": report},
            "paytable-registry": REGISTRY,
        }
        yield ShellCalls(services, Caller(capsys, monkeypatch), monkeypatch)
    databases.drop(reporting)


def test_who_acts_for_another_is_in_the_report_of_that_one(
    house: House,
    databases: Databases,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Once identified, or said to be unknown; the other one has no report."""
    reporting, file = settled_database(databases, "reporting"), tmp_path / "ctr.xml"
    house.register("p-8", "w-8")
    house.clock.now = NOON + timedelta(days=1)
    with books_of(reporting) as books:
        till = Till()
        by_agent = till.paid(11_000, "w-7")
        by_agent["data"] |= {"patron": "p-7", "conducted_by": "p-8"}
        books.desk.feed("accounts", till.registered("p-7", "w-7"), by_agent)
        report = books.get(books.path("currency"), person=READER).json()
    databases.drop(reporting)
    services: dict[str, Desk | Mapping[str, Any]] = {
        "wagering-accounts": house.desk,
        "reporting": {"/reports/currency": report},
        "paytable-registry": REGISTRY,
    }
    call = ShellCalls(services, Caller(capsys, monkeypatch), monkeypatch)
    nobody = call(*PREPARE, "-o", str(file), person=EVE)
    assert (4, True, False) == (
        nobody.code,
        "identify the patron, or say --unidentified p-8" in nobody.stderr,
        file.exists(),
    )
    other = call(*PREPARE, "--only", "p-8", "-o", str(file), person=EVE)
    assert (3, True) == (other.code, "p-8: all of it is in the report of p-7" in other.stderr)
    [document] = call(*PREPARE, "--unidentified", "p-8", "-o", str(file), person=EVE).documents
    assert [("p-7", ["p-8"], 11_000)] == [
        (one["reference"], one["with_others"], one["in_dollars"]) for one in document["reports"]
    ]
    batch = fromstring(file.read_text())
    assert [("23", 11_000, 0, False), ("17", 11_000, 0, False)] == parties(batch[1])[-2:]


def test_a_gaming_day_is_filed_once_it_has_ended(call: ShellCalls, house: House, tmp_path: Path) -> None:
    """Until then there is no file; an account without a patron is reported by its number."""
    file = tmp_path / "ctr.xml"
    refused = call(*PREPARE, "-o", str(file), person=EVE)
    assert (1, True, False) == (refused.code, "runs until 2026-11-21T09:00:00+00:00" in refused.stderr, file.exists())
    house.clock.now = NOON + timedelta(days=1)
    [document] = call(*PREPARE, "-o", str(file), person=EVE).documents
    assert [("patron", "p-7", 11_000), ("account", "ga-2", 12_000)] == [
        (one["kind"], one["reference"], one["in_dollars"]) for one in document["reports"]
    ]
    batch = fromstring(file.read_text())
    assert ["ga-2"] == texts(batch, "AccountNumberText")
    assert ["8"] == texts(batch, "PartyAccountAssociationTypeCode")
    assert [IDENTITY["last_name"]] == texts(batch, "RawEntityIndividualLastName")
    again = call(*PREPARE, "-o", str(file), person=EVE)
    assert (1, True) == (again.code, "is reported of 2026-11-20 in filing 1" in again.stderr)
