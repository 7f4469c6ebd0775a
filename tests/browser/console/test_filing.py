"""The currency transaction reports of the demo's day, from the currency report and an identity to the file."""

from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from loadtest.traffic.reports import rows_of
from services.cli.demo.pit import ACCOUNTS, REGISTRY, REPORTING
from services.cli.services import TOKEN_VARIABLE, url_variable
from tests.support.accounts import IDENTITY
from tests.support.demo import PROPERTY, RunningDemo
from tests.unit.cli.calling import Caller

PERSON = "P-1001"
"""Two movements at the cage, which exceed the threshold together."""


@pytest.fixture
def pitledger(demo: RunningDemo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger` as the auditor of the demo's stack."""
    for service in (ACCOUNTS, REGISTRY, REPORTING):
        monkeypatch.setenv(url_variable(service), str(demo.people.at(service).base_url))
    monkeypatch.setenv(TOKEN_VARIABLE, demo.people.at(REPORTING).headers["authorization"].removeprefix("Bearer "))
    return Caller(capsys, monkeypatch)


def test_a_batch_has_what_the_currency_report_has(demo: RunningDemo, pitledger: Caller, tmp_path: Path) -> None:
    """Nobody is reported without an identity, unless somebody says so; each look at one is on record."""
    file, day = tmp_path / "ctr.xml", str(demo.day["cage"]["currency"]["first_day"])
    asked = ("filing", "prepare", "--property", PROPERTY, "--day", day, "-o", str(file), "--json")
    unknown = pitledger(*asked)
    assert (4, True, False) == (unknown.code, PERSON in unknown.stderr, file.exists())
    [document] = pitledger(*asked, "--unidentified", PERSON).documents
    whole = demo.people.at(REPORTING).read("/reports/currency", property=PROPERTY, gaming_day=day)
    [row] = rows_of(whole, "reportable")
    assert [{"person": PERSON, "in_dollars": row["cents"] // 100, "out_dollars": 0}] == document["reports"]
    assert row["file_by"] == document["file_by"]
    assert sum(line["cents"] for line in rows_of(whole, "lines")) == row["cents"]

    path = f"/patrons/{PROPERTY}/{PERSON}"
    patron = {"property": PROPERTY, "patron": PERSON, "wallet": f"W-{PERSON}", "access_code": "4711-kiwi"}
    demo.people.does("demo.account_cashier", ACCOUNTS, "/patrons", patron)
    demo.people.does("demo.account_cashier", ACCOUNTS, f"{path}/identity", {"identity": IDENTITY})
    assert 0 == pitledger(*asked).code
    batch = fromstring(file.read_text())
    assert str(row["cents"] // 100) == batch.get("TotalAmount")
    said = {one.tag.rpartition("}")[2]: one.text for one in batch.iter()}
    assert IDENTITY["last_name"] == said["RawEntityIndividualLastName"]
    assert pitledger(*asked, "--only", "P-1002").stderr.endswith(f"of P-1002 on {day}\n")
