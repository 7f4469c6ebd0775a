"""Properties over HTTP: filed, approved by somebody else or rejected, compared, read at a moment or by gaming day."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from services.paytable_registry.commands.properties import FileProperty
from services.paytable_registry.commands.submissions import FileSubmission
from shared.runtime.commands.idempotency import Answer
from tests.support.asgi import assert_problem
from tests.support.properties import Tables
from tests.support.registry import TABLES, Registry, blackjack, riverbend

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LAKESIDE = "lakeside"
SWITCHED = TABLES | {"BJ-01": "blackjack-switch"}


def lakeside(days: int = 0, games: Tables = TABLES, **changes: Any) -> dict[str, Any]:
    """The body of a version of another property, that many days after the start of the gaming day of the twentieth."""
    begins = datetime(2026, 11, 20, 9, tzinfo=UTC) + timedelta(days=days)
    return riverbend(LAKESIDE, games) | {"effective_from": begins.isoformat()} | changes


def file(registry: Registry, body: dict[str, Any] | None = None, *, person: str = "ann") -> httpx.Response:
    """File a version of it."""
    return registry.send("/properties", lakeside() if body is None else body, person=person)


def decide(registry: Registry, version: int = 1, what: str = "approve", *, person: str = "bob") -> httpx.Response:
    """Approve or reject a version of it."""
    body = None if what == "approve" else {"reason": "the pits are not as built"}
    return registry.send(f"/properties/{LAKESIDE}/{version}/{what}", body, person=person)


def approved(registry: Registry, version: int = 1, **body: Any) -> None:
    """File a version as ann and approve it as bob."""
    assert 201 == file(registry, lakeside(**body)).status_code
    assert 200 == decide(registry, version).status_code


def read(registry: Registry, path: str) -> Any:
    """Read something about it that is there."""
    answer = registry.get(f"/properties/{LAKESIDE}{path}")
    assert 200 == answer.status_code, answer.text
    return answer.json()


def test_a_filed_version_waits_for_somebody_else(registry: Registry) -> None:
    """Filing answers 201 with the version and where it is; nothing is in effect, and the filer cannot change that."""
    filed = file(registry)
    assert (201, f"/properties/{LAKESIDE}/1") == (filed.status_code, filed.headers["location"])
    assert ("filed", "ann", 1) == tuple(filed.json()[name] for name in ("status", "filed_by", "version"))
    assert filed.json() == read(registry, "/1")
    assert_problem(decide(registry, person="ann"), 403, "ann filed version 1 of property lakeside")
    assert_problem(registry.get(f"/properties/{LAKESIDE}/in-effect"), 404, "no approved version of property lakeside")


def test_an_approved_version_is_in_effect_from_its_beginning(registry: Registry) -> None:
    """Each moment has its version; a returned one counts for nothing, and what is decided stays so."""
    for version, days in enumerate((-1, 1, 2), 1):
        file(registry, lakeside(days, title=f"Lakeside {version}"))
        decide(registry, version, "return" if version == 2 else "approve")
    assert_problem(decide(registry, 2), 409, "was returned already")
    found = [
        read(registry, f"/in-effect?at=2026-11-{moment}Z")["version"]
        for moment in ("19T09:00:00", "21T12:00:00", "22T08:59:59", "22T09:00:00")
    ]
    assert [1, 1, 1, 3] == found
    assert 1 == read(registry, "/in-effect")["version"]
    assert 404 == registry.get(f"/properties/{LAKESIDE}/in-effect?at=2026-11-19T08:59:59Z").status_code


def test_all_that_is_wrong_is_said_at_once(registry: Registry) -> None:
    """Each problem with its figure and where it is written; the rejection alone is recorded."""
    tables = riverbend()["tables"]
    wrong = lakeside(
        packs=["us-pa", "us-xx"],
        time_zone="America/Newyork",
        tables=[tables[0] | {"pit": "pit-9"}, tables[0]],
        limits={"variance_report_cents": 10**9},
        people=[{"person": "eve", "roles": ["slips.request", "slips.prepare"]}],
    )
    answer = file(registry, wrong)
    assert_problem(answer, 422, "'us-xx' is not known; known are us-federal, us-pa, us-ri")
    for part in (
        "'America/Newyork' is not in the IANA database",
        "'tables': table 'BJ-01' is listed 2 times",
        "pit 'pit-9' is not among the pits",
        "variance_report_cents 1000000000 is above",
        "which Pennsylvania allows (",
        "person eve has slips.request and slips.prepare",
        "58 Pa. Code",
    ):
        assert part in answer.json()["detail"], part
    assert_problem(registry.get(f"/properties/{LAKESIDE}/1"), 404, "there is no version 1 of property lakeside")


def test_a_version_that_comes_too_late_is_refused(registry: Registry) -> None:
    """What has been in effect stays; who waited too long files again."""
    approved(registry)
    assert_problem(file(registry, lakeside()), 422, "is not after")
    file(registry, lakeside(1))
    registry.wait(48)
    assert_problem(decide(registry, 2), 409, "version 2 of property lakeside cannot be approved any more")


def test_what_a_version_changes_is_said_in_words(registry: Registry) -> None:
    """Against the approved version before it, or any other; the first one against nothing."""
    approved(registry)
    file(registry, lakeside(1, SWITCHED | {"BJ-10": "blackjack"}, gaming_day_begins="06:00"))
    assert {
        "property": LAKESIDE,
        "to_version": 1,
        "from_version": None,
        "changes": ["property lakeside: filed for the first time"],
    } == read(registry, "/1/changes")
    found = read(registry, "/2/changes")
    assert (1, 2) == (found["from_version"], found["to_version"])
    for change in ("gaming day begins: 04:00:00 to 06:00:00", "table BJ-01: game: blackjack to blackjack-switch"):
        assert change in found["changes"]
    [added] = [change for change in found["changes"] if "BJ-10" in change]
    assert added.startswith("table BJ-10: added (asset number A-BJ-10, game blackjack")
    back = read(registry, "/1/changes?since=2")["changes"]
    assert "table BJ-10: removed" in back


def test_the_master_list_is_that_of_the_gaming_day(registry: Registry) -> None:
    """Tables and devices by their names, under the version in effect when the day begins; today's without a day."""
    device = {"asset_number": "D-1", "serial_number": "S-77"}
    tables = lakeside()["tables"]
    tables[0] |= {"devices": [device], "retired_on": "2026-11-21"}
    tables[1] |= {"opened_on": "2026-11-21"}
    approved(registry, tables=tables)
    first, second = (read(registry, f"/tables/list?gaming_day=2026-11-{day}") for day in (20, 21))
    assert first == read(registry, "/tables/list")
    assert ["BJ-01", "BJ-09", "SW-01", "SW-02"] == [table["table"] for table in first["tables"]]
    assert ["BJ-02", "BJ-09", "SW-01", "SW-02"] == [table["table"] for table in second["tables"]]
    assert [{**device, "kind": "shuffler", "table": "BJ-01", "pit": "pit-1"}] == first["devices"]
    assert [] == second["devices"]
    answer = registry.get(f"/properties/{LAKESIDE}/tables/list?gaming_day=2026-11-19")
    assert_problem(answer, 404, "of property lakeside is in effect when gaming day 2026-11-19 begins")


def test_tables_are_counted_by_month(registry: Registry) -> None:
    """A line for each game of a table, with the gaming days on which it offered it."""
    approved(registry)
    approved(registry, 2, days=4, games=SWITCHED)
    found = read(registry, "/tables/by-month?month=2026-11")["tables"]
    days = {(line["table"], line["game"]): line["days"] for line in found if line["table"] in ("BJ-01", "BJ-02")}
    assert {("BJ-01", "blackjack"): 4, ("BJ-01", "blackjack-switch"): 7, ("BJ-02", "blackjack"): 11} == days
    assert [] == read(registry, "/tables/by-month?month=2026-10")["tables"]
    assert 422 == registry.get(f"/properties/{LAKESIDE}/tables/by-month?month=2026-13").status_code


def test_versions_are_listed(registry: Registry) -> None:
    """All of them, page by page, or those of one property, whatever has become of them."""
    approved(registry)
    file(registry, lakeside(1))
    listed = registry.get("/properties").json()["items"]
    assert [(LAKESIDE, 1), (LAKESIDE, 2), ("riverbend", 1)] == [(one["property"], one["version"]) for one in listed]
    page = registry.get(f"/properties?property={LAKESIDE}&limit=1").json()
    assert [("approved", 1)] == [(one["status"], one["version"]) for one in page["items"]]
    page = registry.get(f"/properties?property={LAKESIDE}&limit=1&cursor={page['next']}").json()
    assert [("filed", 2)] == [(one["status"], one["version"]) for one in page["items"]]


@pytest.mark.parametrize(("person", "status"), [("carl", 201), ("bob", 403), ("kim", 403)])
def test_every_path_takes_a_role(registry: Registry, person: str, status: int) -> None:
    """Who files need not approve, who approves does not file, and all of them read."""
    assert status == file(registry, person=person).status_code
    assert 200 == registry.get("/properties/riverbend/1", person=person).status_code
    assert 401 == registry.get("/properties/riverbend/1", person=None).status_code


def test_commands_of_both_kinds_wait_together_and_are_all_answered(registry: Registry) -> None:
    """Those of properties and of submissions go to shards of their own, in batches of their own, in their order."""

    async def send() -> list[Answer]:
        engine = registry.desk.context.commands
        work = []
        for number in range(1, 9):
            body = lakeside(number)
            work.append(engine.do(FileProperty.model_validate(body), person="ann", key=f"p-{number}"))
            submission = blackjack(NOON + timedelta(hours=number))
            work.append(engine.do(FileSubmission.model_validate(submission), person="ann", key=f"s-{number}"))
        return await asyncio.gather(*work)

    answers = registry.desk.client.run(send())
    assert [None] * 16 == [answer.reason for answer in answers]
    ends = [str(answer.location).rpartition("/")[2] for answer in answers]
    assert [str(number) for number in range(1, 9) for _ in range(2)] == ends
    entries = registry.desk.entries()
    assert 2 == len({entry.shard for entry in entries})
    for kind in ("property.", "submission."):
        assert 1 == len({entry.shard for entry in entries if entry.draft.kind.startswith(kind)})
