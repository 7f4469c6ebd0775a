"""`pitledger property` on a running registry: a property is filed, compared, decided, read, and its tables listed."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from services.cli.stack.running_stack import RunningStack
from tests.support.brokers import AnyBroker
from tests.support.services import ROOT
from tests.unit.cli.calling import Called, Caller

pytestmark = [pytest.mark.broker, pytest.mark.any_broker]

EXAMPLE = ROOT / "docs" / "examples" / "property.yaml"
ATLANTIS = ROOT / "docs" / "examples" / "new_jurisdiction"


@pytest.fixture(scope="module")
def stack(module_database_url: str, module_broker: AnyBroker) -> Iterator[RunningStack]:
    """The registry alone, in which nothing is filed yet; it knows the made-up jurisdiction of the documentation."""
    settings = {"PITLEDGER_JURISDICTIONS": str(ATLANTIS)}
    servers = {"DATABASE_URL": module_database_url, "KAFKA_BOOTSTRAP_SERVERS": module_broker.bootstrap_servers}
    environment = {**os.environ, **servers}
    with RunningStack(environment=environment, settings=settings, services=["paytable-registry"]) as running:
        yield running


class Desk:
    """`pitledger property` as one person or another calls it."""

    def __init__(self, stack: RunningStack, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        self._tokens = stack.home.tokens
        self._pitledger = pitledger
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, person: str = "demo.operator", stdin: str = "") -> Called:
        """Calls a command as a person."""
        with self._monkeypatch.context() as patched:
            patched.setenv("PITLEDGER_TOKEN", self._tokens[person])
            return self._pitledger("property", *words, stdin=stdin)

    def file(self, document: dict[str, Any], *words: str) -> Called:
        """Files a document."""
        return self("file", "-", *words, person="demo.filer", stdin=yaml.safe_dump(document))

    def decide(self, *words: str) -> Called:
        """Approves or rejects."""
        return self(*words, person="demo.approver")


@pytest.fixture
def desk(stack: RunningStack, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The command line on the registry."""
    return Desk(stack, pitledger, monkeypatch)


@pytest.fixture
def document() -> dict[str, Any]:
    """The property of the documentation, a day before its first version ends."""
    found: dict[str, Any] = yaml.safe_load(EXAMPLE.read_text())
    return found


def test_a_property_is_filed_decided_and_read(desk: Desk, document: dict[str, Any]) -> None:
    """Two people for each version; what it changes is said when it is filed, and to whoever approves it."""
    assert [] == desk("list", "--json").documents
    filed = desk("file", str(EXAMPLE), person="demo.filer")
    assert (0, "property riverside: filed for the first time\n") == (filed.code, filed.stdout), filed.stderr
    assert "somebody else approves it: pitledger property approve riverside 1" in filed.stderr
    assert 4 == desk("show", "riverside").code
    refused = desk("approve", "riverside", "1")
    assert (2, True) == (refused.code, "demo.operator does not have the role" in refused.stderr)
    approved = desk.decide("approve", "riverside", "1")
    assert (0, True) == (
        approved.code,
        "version 1 of property riverside is approved, from 2026-01-01" in approved.stderr,
    )
    assert 1 == desk.decide("approve", "riverside", "1").code

    document["tables"][1]["retired_on"] = "2030-06-01"
    document["tables"][2]["pit"] = "pit-1"
    document["limits"]["variance_report_cents"] = 1500
    document["effective_from"] = "2030-01-01T06:00:00-05:00"
    (said,) = desk.file(document, "--json").documents
    assert (2, 1, "filed") == (said["version"], said["from_version"], said["status"])
    assert [
        "limits: variance report cents: 2000 to 1500",
        "table BJ-02: retired on: none to 2030-06-01",
        "table PG-01: pit: poker to pit-1",
    ] == sorted(line for line in said["changes"] if "effective" not in line)
    assert said["changes"] == desk("diff", "riverside", "2").stdout.splitlines()
    assert said["changes"] == desk("diff", "riverside", "2", "--since", "1", "--json").documents[0]["changes"]
    assert 0 == desk.decide("return", "riverside", "2", "--reason", "PG-01 stays").code
    document["tables"][2]["pit"] = "poker"
    assert 0 == desk.file(document).code
    assert 0 == desk.decide("approve", "riverside", "3", "--json").code

    listed = desk("list", "--property", "riverside", "--json").documents
    assert [(1, "approved"), (2, "returned"), (3, "approved")] == [(one["version"], one["status"]) for one in listed]
    assert "filed by demo.filer, returned by demo.approver: PG-01 stays" in " ".join(desk("list").stdout.split())
    assert 1 == desk("show", "riverside", "--json").documents[0]["version"]
    assert 3 == desk("show", "riverside", "--at", "2030-02-01T00:00:00Z", "--json").documents[0]["version"]
    shown = desk("show", "riverside", "--version", "2")
    assert 0 == shown.code
    assert "Riverside Casino (riverside), version 2: returned" in shown.stdout
    assert "begins at 06:00 in America/New_York" in shown.stdout

    (master,) = desk("tables", "riverside", "--day", "2026-02-01", "--json").documents
    assert ["BJ-01", "BJ-02"] == [one["table"] for one in master["tables"]]
    assert ["D-2001", "D-2002"] == [one["asset_number"] for one in master["devices"]]
    assert "MD3-48815" in desk("tables", "riverside").stdout
    (month,) = desk("tables", "riverside", "--month", "2026-03", "--json").documents
    assert [("BJ-01", 31), ("BJ-02", 31), ("PG-01", 17)] == [(one["table"], one["days"]) for one in month["tables"]]
    assert "Tables of riverside in 2026-03" in desk("tables", "riverside", "--month", "2026-03").stdout


def test_all_that_is_wrong_is_said_one_problem_a_line(desk: Desk, document: dict[str, Any]) -> None:
    """What the rules refuse and what is malformed; nothing is filed."""
    before = len(desk("list", "--json").documents)
    document |= {"property": "lakeside", "packs": ["us-ny"], "time_zone": "Mars/Olympus", "pits": ["pit-1"]}
    refused = desk.file(document)
    assert (3, "") == (refused.code, refused.stdout)
    *problems, last = refused.stderr.splitlines()
    assert 4 == len(problems)
    assert problems[0].startswith("'packs': 'us-ny' is not known; known are ")
    assert problems[-1] == "table PG-01: pit 'poker' is not among the pits"
    assert "pitledger: POST /properties of paytable-registry: 422: 4 problems, above" == last

    document["tables"][0] |= {"positions": 0, "tabel": "BJ-01"}
    malformed = desk.file(document)
    assert 3 == malformed.code
    assert ["tables.0.positions", "tables.0.tabel"] == sorted(
        line.partition(":")[0].removeprefix("body.") for line in malformed.stderr.splitlines()[:-1]
    )
    assert before == len(desk("list", "--json").documents)


def test_the_command_of_the_walk_through_files_a_property_of_a_jurisdiction_of_its_own(desk: Desk) -> None:
    """What docs/extend.md says, under a pack that is no part of the release; its gaming day begins at its own hour."""
    command = next(
        line.split() for line in (ROOT / "docs" / "extend.md").read_text().splitlines() if "pitledger property" in line
    )
    assert ["pitledger", "property", "file"] == command[:3]
    filed = desk("file", str(ROOT / command[3]), person="demo.filer")
    assert 0 == filed.code, filed.stderr
    assert 0 == desk.decide("approve", "pearl", "1").code
    assert "begins at 09:30 in Atlantic/Azores" in desk("show", "pearl").stdout
    assert ["HC-01"] == [one["table"] for one in desk("tables", "pearl", "--json").documents[0]["tables"]]


def test_what_is_not_there_is_exit_code_4(desk: Desk) -> None:
    """Versions and properties that nobody filed."""
    for words in (["show", "nowhere"], ["diff", "riverside", "99"], ["tables", "nowhere"], ["show", "a/b"]):
        assert 4 == desk(*words).code
