"""The wagering accounts on a real database."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from services.cli.filing import reading
from tests.integration.wagering_accounts.offices import DOCUMENT, REGISTRY, CurrencyOffice, WinningsOffice
from tests.support import Databases
from tests.support.accounts import CODE, IDENTITY, NOON, Clock, House, a_house
from tests.support.reporting import books_of
from tests.support.services import settled_database
from tests.support.shell_calls import ShellCalls
from tests.support.table_days import TableDays
from tests.unit.cli.calling import Caller


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of the service."""
    url = settled_database(databases, "wagering-accounts")
    yield url
    databases.drop(url)


@pytest.fixture
def house(url: str) -> Iterator[House]:
    """The service, whose books are in order at the end of every test."""
    with a_house(url) as house:
        yield house
        house.check()


@pytest.fixture
def winnings_office(
    databases: Databases,
    url: str,
    patron_keys: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[WinningsOffice]:
    """The office after a day of wins."""
    del patron_keys
    reporting = settled_database(databases, "reporting")
    with a_house(url) as house, books_of(reporting) as books:
        services: dict[str, Any] = {
            "wagering-accounts": house.desk,
            "reporting": books.desk,
            "paytable-registry": {"/properties/riverside/in-effect": DOCUMENT},
        }
        call = ShellCalls(services, Caller(capsys, monkeypatch), monkeypatch)
        office = WinningsOffice(house, books, call, tmp_path / "out")
        office.won()
        yield office
    databases.drop(reporting)


@pytest.fixture
def currency_office(
    databases: Databases,
    url: str,
    patron_keys: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[CurrencyOffice]:
    """The day after a gaming day of which a patron, who is identified, may be reported."""
    del patron_keys
    monkeypatch.setattr(reading, "now", lambda: NOON + timedelta(days=1))
    reporting = settled_database(databases, "reporting")
    with a_house(url, Clock()) as house, books_of(reporting) as books:
        house.register("p-7", "w-7", code=CODE)
        assert house.send("/patrons/riverside/p-7/identity", {"identity": IDENTITY}).is_success
        house.clock.now = NOON + timedelta(days=1)
        services: dict[str, Any] = {
            "wagering-accounts": house.desk,
            "reporting": books.desk,
            "paytable-registry": REGISTRY,
        }
        call = ShellCalls(services, Caller(capsys, monkeypatch), monkeypatch)
        yield CurrencyOffice(house, books, call, TableDays(), tmp_path)
    databases.drop(reporting)


@pytest.fixture
def filing_house(url: str, patron_keys: None) -> Iterator[House]:
    """The service, whose books are in order at the end of every test, and come to the same when they are rebuilt."""
    with a_house(url) as house:
        yield house
        house.check()
        model = house.desk.read_model(house.url)
        house.desk.project_again(house.url, [one for one in house.desk.entries() if one.draft.kind != "patron.seen"])
        assert model == house.desk.read_model(house.url)
