"""The currency transaction reports of the demo's day: from the currency report and an identity to FinCEN's answer."""

import json
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from loadtest.traffic.reports import rows_of
from services.cli.demo.pit import ACCOUNTS, REGISTRY, REPORTING
from services.cli.services import TOKEN_VARIABLE, url_variable
from tests.browser.console.conftest import Visit
from tests.browser.console.steps import act, offered
from tests.browser.console.test_cage import region
from tests.browser.console.test_pages import wrong_with
from tests.support.demo import PROPERTY, RunningDemo
from tests.support.filings import ACCEPTED, ERROR, acknowledgement, batch_text
from tests.unit.cli.calling import Called, Caller

PERSON = "P-1001"
"""Two movements at the cage, which exceed the threshold together."""

CLERK, OFFICER = "demo.title31_clerk", "demo.title31_officer"


FILINGS = f"/p/{PROPERTY}/filings"


class Office:
    """`pitledger filing` on the demo's stack, as one person or another calls it."""

    def __init__(self, demo: RunningDemo, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        self._demo = demo
        self._pitledger = pitledger
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, person: str = CLERK) -> Called:
        """Calls a command as a person."""
        with self._monkeypatch.context() as patched:
            for service in (ACCOUNTS, REGISTRY, REPORTING):
                client = self._demo.people.at(service, person)
                patched.setenv(url_variable(service), str(client.base_url))
                patched.setenv(TOKEN_VARIABLE, client.headers["authorization"].removeprefix("Bearer "))
            return self._pitledger("filing", *words)


@pytest.fixture
def office(demo: RunningDemo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Office:
    """The command line on the demo's stack."""
    return Office(demo, Caller(capsys, monkeypatch), monkeypatch)


def prepared(demo: RunningDemo, file: Path, patron: str = PERSON) -> dict[str, Any]:
    """Prepare a file of the demo's gaming day, which has ended; what its cage moves is of the day that runs."""
    day = str(demo.day["gaming_day"])
    file.write_text(batch_text(None, day=date.fromisoformat(day)))
    said = {"property": PROPERTY, "period": day, "subjects": [{"kind": "patron", "reference": patron}]}
    found: dict[str, Any] = demo.people.does(CLERK, ACCOUNTS, "/filings", said | {"file": file.read_text()})
    return found


def test_a_filing_from_the_currency_report_to_what_came_back(
    demo: RunningDemo, office: Office, visit: Visit, tmp_path: Path
) -> None:
    """Nobody is reported without an identity, or while the day runs; another person releases what was prepared."""
    page = visit(CLERK, FILINGS)
    assert PERSON in region(page, "Due, not in a filing yet")
    year = str(demo.day["gaming_day"])[:4]
    asked_of_year = {"property": PROPERTY, "gaming_day": f"{year}-12-31", "period": "year"}
    due = rows_of(demo.people.at(REPORTING).read("/reports/winnings", **asked_of_year), "returns")
    returns = region(page, "Information returns to be filed or corrected")
    assert {"W-2G", "1042-S"} == {row["form"] for row in due}
    assert [] == [row for row in due for name in ("form", "year", "copy_by", "file_by") if row[name] not in returns]
    file, day = tmp_path / "ctr.xml", str(demo.day["cage"]["currency"]["first_day"])
    asked = ("prepare", "--property", PROPERTY, "--day", day, "-o", str(file), "--json")
    unknown = office(*asked)
    assert (4, True, False) == (unknown.code, PERSON in unknown.stderr, file.exists())
    assert office(*asked, "--only", "P-1002").stderr.endswith(f"of P-1002 on {day}\n")
    running = office(*asked, "--unidentified", PERSON)
    assert (1, True, False) == (
        running.code,
        f"gaming day {day} of {PROPERTY} runs until" in running.stderr,
        file.exists(),
    )

    document = prepared(demo, file)
    number = str(document["filing"])
    assert sha256(file.read_bytes()).hexdigest() == document["content_sha256"]
    other = tmp_path / "other.xml"
    other.write_text(file.read_text() + "\n")
    refused = office("release", PROPERTY, number, "--file", str(other), person=OFFICER)
    assert (3, True) == (refused.code, "and what was prepared" in refused.stderr)
    refused = office("release", PROPERTY, number, "--file", str(file), person=OFFICER)  # nobody moved that on the day
    assert (3, True) == (refused.code, f"{PERSON}: $" in refused.stderr and "no longer holds" in refused.stderr)
    demo.people.does(OFFICER, ACCOUNTS, f"/filings/{PROPERTY}/{number}/release")
    other.unlink()
    assert 0 == office("content", PROPERTY, number, "-o", str(other), person=OFFICER).code
    assert file.read_bytes() == other.read_bytes()
    assert 0 == office("filed", PROPERTY, number, "--tracking-id", "260000000001").code
    answer = tmp_path / "acknowledgement.xml"
    answer.write_bytes(acknowledgement("A", ERROR.format(level="FATAL")))
    rejected = office("acknowledge", PROPERTY, number, str(answer))
    assert (1, True) == (rejected.code, "RawZIPCode" in rejected.stdout)

    number = str(prepared(demo, file)["filing"])
    page = visit(CLERK, FILINGS)
    expect(offered(page, "release-filing")).to_have_count(0)
    page = visit(OFFICER, FILINGS)
    assert [] == [*wrong_with(page)]
    act(page, "release-filing")
    page = visit(CLERK, FILINGS)
    act(page, "record-filed", tracking_id="260000000002")
    assert "260000000002" in region(page, "Sent, awaiting an answer")
    answer.write_bytes(acknowledgement("A", ACCEPTED))
    accepted = office("acknowledge", PROPERTY, number, str(answer))
    assert (0, True) == (accepted.code, "31000000000001" in accepted.stdout), accepted.stderr
    listed = office("list", "--property", PROPERTY, person=OFFICER)
    assert [True] * 3 == [words in listed.stdout for words in ("rejected", "accepted", CLERK)]
    shown = office("list", "--property", PROPERTY, "--status", "accepted", "--json", person=OFFICER)
    [one] = json.loads(shown.stdout)
    assert (OFFICER, "260000000002") == (one["released_by"], one["tracking_id"])
    page = visit(OFFICER, FILINGS)
    assert (
        0
        == office(
            "withdraw", PROPERTY, str(prepared(demo, file, "P-1002")["filing"]), "--reason", "of somebody else"
        ).code
    )
    page = visit(OFFICER, FILINGS)
    for name, words in (
        ("Rejected", "260000000001"),
        ("Accepted, latest first", OFFICER),
        ("Withdrawn, latest first", CLERK),
    ):
        assert words in region(page, name)
    page.get_by_role("region", name="Accepted, latest first").get_by_role("link").first.click()
    assert "31000000000001" in region(page, "Reports in the order of the file")
    assert [] == [*wrong_with(page)]
