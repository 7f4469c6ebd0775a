"""`pitledger filing instruments`: the list of monetary instruments, with the name and address of each patron."""

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.integration.reporting.test_currency import CASHIERS_CHECK, _moved
from tests.integration.wagering_accounts.offices import EVE, READER
from tests.support import Databases
from tests.support.accounts import CODE, IDENTITY, Clock, House, a_house
from tests.support.desk import Desk
from tests.support.reporting import books_of
from tests.support.services import settled_database
from tests.support.shell_calls import ShellCalls
from tests.support.table_days import TableDays
from tests.unit.cli.calling import Caller

RIVERSIDE = {"property": "riverside", "time_zone": "America/New_York"}
LIST = ("filing", "instruments", "--property", "riverside", "--month", "2026-11", "-o")


@pytest.fixture
def house(url: str, patron_keys: None) -> Iterator[House]:
    """The service, with a patron who is identified."""
    del patron_keys
    with a_house(url, Clock()) as house:
        house.register("p-7", "w-7", code=CODE)
        assert house.send("/patrons/riverside/p-7/identity", {"identity": IDENTITY}).is_success
        house.register("p-8", "w-8")
        yield house


@pytest.fixture
def call(
    databases: Databases, house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[ShellCalls]:
    """The command line; reporting knows of an instrument of each of two patrons."""
    reporting, ledger = settled_database(databases, "reporting"), TableDays()
    with books_of(reporting) as books:
        for number, patron in enumerate(("p-8", "p-7"), start=1):
            more = {"medium": "instrument", "instrument": CASHIERS_CHECK, "patron": patron}
            books.desk.feed("inventory", _moved(ledger, number, "front_money_deposit", 3_000 + number, **more))
        report = books.get(books.path("currency", "&period=month"), person=READER).json()
        services: dict[str, Desk | Mapping[str, Any]] = {
            "wagering-accounts": house.desk,
            "reporting": {"/reports/currency": report, "/floors": [RIVERSIDE]},
        }
        yield ShellCalls(services, Caller(capsys, monkeypatch), monkeypatch)
    databases.drop(reporting)


def test_the_list_is_completed_where_identities_are_read(call: ShellCalls, house: House, tmp_path: Path) -> None:
    """Each look is on record; who is not identified stops the list, unless named."""
    file = tmp_path / "instruments.csv"
    refused = call(*LIST, str(file), person=EVE)
    assert (refused.code != 0, False) == (True, file.exists())
    assert "p-8" in refused.stderr
    known_too = call(*LIST, str(file), "--unidentified", "p-8", "--unidentified", "p-7", person=EVE)
    assert (3, False) == (known_too.code, file.exists())
    assert "p-7 is identified, and what is known is reported" in known_too.stderr
    assert 0 == call(*LIST, str(file), "--unidentified", "p-8", person=EVE).code
    unknown, known = csv.DictReader(file.read_text().splitlines())
    assert ("p-8", "", "", "3,001.00") == tuple(
        unknown[name] for name in ("Patron", "Name", "Permanent address", "Amount, $")
    )
    assert re.fullmatch(r"2026-11-\d\d \d\d:\d\d:\d\d", known["Moment"]), "the property's clock, without an offset"
    name = f"{IDENTITY['first_name']} {IDENTITY['last_name']}"
    assert (name, "cashiers check", "First Bank of Oakhurst", "cage.ann", "front money deposit") == tuple(
        known[column] for column in ("Name", "Instrument", "Drawee or issuer", "Employee", "Kind")
    )
    assert "casino account GA-1; check 4711" == known["Reference numbers"]
    assert known["Permanent address"].startswith(f"{IDENTITY['street']}, {IDENTITY['city']}")
    assert "patron.seen" in [entry.draft.kind for entry in house.desk.entries()]


def test_a_patron_who_issued_an_instrument_is_named(
    databases: Databases,
    house: House,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """As the other people are, beside the reference; a company of one word stays as it was recorded."""
    reporting, ledger, file = settled_database(databases, "reporting"), TableDays(), tmp_path / "instruments.csv"
    assert house.send("/patrons/riverside/p-8/identity", {"identity": IDENTITY | {"last_name": "Marsh"}}).is_success
    with books_of(reporting) as books:
        for number, issuer in enumerate(("p-8", "Oakhurst"), start=1):
            more = {"medium": "instrument", "instrument": CASHIERS_CHECK | {"issuer": issuer}, "patron": "p-7"}
            books.desk.feed("inventory", _moved(ledger, number, "front_money_deposit", 3_000, **more))
        report = books.get(books.path("currency", "&period=month"), person=READER).json()
    databases.drop(reporting)
    services: dict[str, Desk | Mapping[str, Any]] = {
        "wagering-accounts": house.desk,
        "reporting": {"/reports/currency": report, "/floors": [RIVERSIDE]},
    }
    call = ShellCalls(services, Caller(capsys, monkeypatch), monkeypatch)
    written = call(*LIST, str(file), person=EVE)
    assert (0, True) == (written.code, "Oakhurst is no identified patron" in written.stderr)
    issued = [row["Drawee or issuer"] for row in csv.DictReader(file.read_text().splitlines())]
    assert [f"{IDENTITY['first_name']} Marsh (p-8)", "Oakhurst"] == issued


@pytest.mark.parametrize(("said", "why"), [(("--unidentified", "p-9"), "p-9"), (("--month", "2026-13"), "YYYY-MM")])
def test_what_is_not_on_the_list_is_refused(call: ShellCalls, tmp_path: Path, said: tuple[str, ...], why: str) -> None:
    """A patron without an instrument in the month, and no month."""
    refused = call(*LIST, str(tmp_path / "instruments.csv"), *said, person=EVE)
    assert refused.code != 0
    assert why in refused.stderr
