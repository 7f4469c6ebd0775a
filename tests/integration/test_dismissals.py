"""Many refused records at once: asked for by filter by one person, shown whole, dismissed by another, or not at all."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from services.round_settlement.manifest import MANIFEST as SETTLEMENT
from shared.contracts.journal_facts import DismissedTogether
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.browsers import Browsers
from tests.support.desk import Desk, desk_of
from tests.support.nightly import sampled
from tests.support.rebuilding import compared, execute
from tests.support.services import query, settled_database
from tests.unit.vigorish.rounds import NOON

pytestmark = sampled(3, of="dismissals of many")

PEOPLE = {
    "kim": ["quarantine.mend", "quarantine.approve"],
    "KIM ": ["quarantine.approve"],
    "ann": ["quarantine.approve"],
    "lee": ["quarantine.read"],
    "bay": ["quarantine.mend"],
    "bea": ["quarantine.approve"],
}
LISTED = "/p/bayside/quarantine"
PROPERTIES = {"bay": ["bayside"], "bea": ["bayside"]}
RECORDS, OF_BAYSIDE = 5_000, 500
PATH = "/quarantine/dismissals"


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


@pytest.fixture
def desk(url: str) -> Iterator[Desk]:
    """Round settlement, which has refused 5,000 records, each tenth of them of bayside."""
    with desk_of(SETTLEMENT, url, people=PEOPLE, clock=lambda: NOON, properties=PROPERTIES) as desk:
        refuse(desk, RECORDS)
        yield desk


def refuse(desk: Desk, count: int) -> None:
    """Have records refused, two partitions in turn: each tenth names bayside, the others nothing."""
    named = b'{"source": "/properties/bayside/tables/BJ-01", "number": %d}'
    values = [named % n if n % 10 == 0 else b"noise %d" % n for n in range(1, count + 1)]
    for at in range(0, count, 500):
        desk.feed("table.events", *values[at : at + 500], partition=at // 500 % 2)


def ask(desk: Desk, *, person: str = "kim", **body: Any) -> Any:
    """Ask for a dismissal of records together."""
    return desk.post(PATH, {"until": RECORDS, "reason": "noise of the vendor"} | body, person=person)


def decide(desk: Desk, what: str, number: int = 1, *, person: str = "ann", **body: Any) -> Any:
    """Approve or reject it."""
    return desk.post(f"{PATH}/{number}/{what}", body or None, person=person)


def open_records(url: str) -> int:
    """How many records wait."""
    [(count,)] = query(url, "SELECT count(*) FROM round_settlement.quarantine WHERE resolved_at IS NULL")
    return int(count)


def test_thousands_of_records_are_dismissed_by_one_fact_of_two_people(desk: Desk, url: str) -> None:
    """Asked, shown, approved: one entry has the places of all, each record is closed, and the books compare."""
    assert {"dismissal": 1, "records": RECORDS, "decision": "asked"} == ask(desk).json()
    shown = desk.get(f"{PATH}/1", person="lee").json()
    assert (RECORDS, RECORDS, True, "kim") == tuple(
        shown[name] for name in ("records", "open_records", "is_as_asked", "asked_by")
    )
    assert list(range(1, len(shown["sample"]) + 1)) == [one["quarantine"] for one in shown["sample"]]
    for person in ("kim", "KIM "):
        assert_problem(decide(desk, "approve", person=person), 403, "somebody else must approve it")
    assert RECORDS == open_records(url)
    assert "approved" == decide(desk, "approve").json()["decision"]
    assert 0 == open_records(url)
    [fact] = desk.facts("quarantine.dismissed_together")
    assert isinstance(fact, DismissedTogether)
    places = {place for one in fact.closed for place in one.places()}
    assert set(query(url, "SELECT shard, seq FROM round_settlement.quarantine")) == places
    assert ("kim", "ann", RECORDS) == (fact.correction.entered_by, fact.correction.approved_by, fact.records)
    assert (0, "") == ((found := compared("round-settlement", url)).different, found.first)
    assert_problem(decide(desk, "approve"), 409, "was approved already")
    assert_problem(ask(desk), 404, "no open record is meant")


def test_the_filter_says_which_records_and_the_others_stay(desk: Desk, url: str) -> None:
    """By number, topic, reason, property and moment, all at once."""
    assert 40 == ask(desk, until=400, property="bayside", topic="table.events").json()["records"]
    assert_problem(ask(desk, topic="pit.events"), 404, "no open record is meant")
    assert_problem(ask(desk, reason_contains="100%"), 404, "no open record is meant")
    assert_problem(ask(desk, before="2020-01-01T00:00:00Z"), 404, "no open record is meant")
    assert 200 == decide(desk, "approve").status_code
    assert RECORDS - 40 == open_records(url)
    kept = "SELECT count(*) FROM round_settlement.quarantine WHERE resolved_at IS NOT NULL AND id % 10 <> 0"
    assert [(0,)] == query(url, kept)


def test_the_console_lists_what_is_asked_and_the_second_person_approves_it_there(desk: Desk, url: str) -> None:
    """Asked for from the list; shown with how many and by whom; approved from its row, which says by whom."""
    browsers = Browsers(desk, people=PEOPLE, clock=lambda: NOON, properties=PROPERTIES)
    with browsers.client:
        asking = leading_to("request-dismissal", browsers.get(LISTED, "bay"))
        assert "bayside" == asking["property"]
        asked = browsers.send("/do/round-settlement/request-dismissal", "bay", **asking | {"reason": "of the vendor"})
        assert 200 == asked.status_code, asked.text
        page = browsers.get(LISTED, "bea")
        said = {"round-settlement", str(OF_BAYSIDE), "bayside", "of the vendor", "bay", "asked"}
        assert said <= set(row_of(page, "1"))
        assert "approve-dismissal" not in browsers.get(LISTED, "lee")
        approving = leading_to("approve-dismissal", page)
        assert RECORDS == open_records(url)
        approved = browsers.send("/do/round-settlement/approve-dismissal", "bea", **approving)
        assert 200 == approved.status_code, approved.text
        after = browsers.get(LISTED, "bea")
        assert {"approved", "bea"} <= set(row_of(after, "1"))
        assert "approve-dismissal" not in after
    assert RECORDS - OF_BAYSIDE == open_records(url)
    [fact] = desk.facts("quarantine.dismissed_together")
    assert isinstance(fact, DismissedTogether)
    assert ("bay", "bea") == (fact.correction.entered_by, fact.correction.approved_by)


def leading_to(command: str, page: str) -> dict[str, str]:
    """What a page says already of the fields of a command, in the link that leads to it."""
    [link, *_] = re.findall(rf'href="(/do/round-settlement/{command}\?[^"]*)"', page)
    return {name: text for name, text in parse_qsl(urlsplit(unescape(link)).query) if name != "back"}


def row_of(page: str, first: str) -> list[str]:
    """The cells of the row that begins so in the first table of a page."""
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", page[: page.index("</table>")], re.DOTALL)
    [row] = [one for one in rows if f">{first}</th>" in one or f">{first}</a></th>" in one]
    return [unescape(re.sub(r"<[^>]*>", "", one)).strip() for one in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]


def test_records_that_changed_meanwhile_are_not_dismissed(desk: Desk, url: str) -> None:
    """Of one that was resolved nothing is closed, by the old hash or the new one; it may be rejected, asked again."""
    ask(desk)
    desk.post("/quarantine/7/dismissal", {"reason": "alone"}, person="kim")
    old = desk.get(f"{PATH}/1", person="ann").json()["sha256"]
    desk.post("/quarantine/7/requests/1/approve", None, person="ann")
    for answer in (decide(desk, "approve", subject_sha256=old), decide(desk, "approve")):
        assert_problem(answer, 409, "")
        assert "urn:pitledger:problem:not-as-shown" == answer.json()["type"]
    assert RECORDS - 1 == open_records(url)
    assert "rejected" == decide(desk, "reject", person="kim", reason="one is gone").json()["decision"]
    assert_problem(decide(desk, "approve"), 409, "was rejected already")
    assert (2, RECORDS - 1) == ((again := ask(desk).json())["dismissal"], again["records"])
    assert 200 == decide(desk, "approve", 2).status_code
    assert 0 == open_records(url)


def test_a_person_of_one_property_names_it_and_reaches_its_records_alone(desk: Desk, url: str) -> None:
    """Of no property named, or another, nothing is asked; what is about every one is neither seen nor decided."""
    assert_problem(ask(desk, person="bay"), 403, "name one")
    assert_problem(ask(desk, person="bay", property="riverside"), 403, "riverside")
    ask(desk)
    assert 403 == desk.get(f"{PATH}/1", person="bea").status_code
    assert 403 == decide(desk, "approve", person="bea", subject_sha256="0" * 64).status_code
    assert RECORDS // 10 == ask(desk, person="bay", property="bayside").json()["records"]
    assert [2] == [one["dismissal"] for one in desk.get(PATH, person="bea").json()["items"]]
    assert [1, 2] == [one["dismissal"] for one in desk.get(PATH, person="lee").json()["items"]]
    assert 200 == decide(desk, "approve", 2, person="bea").status_code
    assert RECORDS - RECORDS // 10 == open_records(url)


@sampled(1)
@pytest.mark.parametrize("change", ["now() WHERE id = 150", "NULL WHERE id = 50"], ids=["closed", "reopened"])
def test_a_record_closed_or_reopened_beside_the_fact_is_found(desk: Desk, url: str, change: str) -> None:
    """Whoever closes one more, or opens one again, past the service, is seen."""
    ask(desk, until=100)
    assert 200 == decide(desk, "approve").status_code
    execute(url, f"UPDATE round_settlement.quarantine SET resolved_at = {change}")
    [one] = [one for one in compared("round-settlement", url).tables if one.different]
    assert ("quarantine", 1) == (one.table, one.different)
