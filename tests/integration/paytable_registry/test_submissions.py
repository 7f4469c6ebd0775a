"""Rules submissions over HTTP: filed, approved by somebody else or returned, read by whoever may."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.asgi import assert_problem
from tests.support.registry import TABLES, Registry, blackjack, riverbend

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def at(hours: float) -> str:
    """So many hours after noon."""
    return (NOON + hours * HOUR).isoformat().replace("+00:00", "Z")


# --- filing, approving, returning ---


def test_a_filed_version_can_be_read(registry: Registry) -> None:
    """Filing answers 201 with the version and where it is; it waits for approval."""
    filed = registry.file()
    assert (201, "/submissions/riverbend/blackjack/1") == (filed.status_code, filed.headers["location"])
    assert {**blackjack(NOON), "version": 1, "status": "filed", "filed_by": "ann"}.items() <= filed.json().items()
    read = registry.get(filed.headers["location"])
    assert (200, filed.json()) == (read.status_code, read.json())
    assert filed.json()["phase"] == "filed"
    assert registry.in_effect() is None


def test_an_approved_version_is_in_effect(registry: Registry) -> None:
    """From its beginning on, and not before, whoever approved it."""
    registry.file()
    approved = registry.approve()
    assert (200, "approved", "bob") == (approved.status_code, approved.json()["status"], approved.json()["approved_by"])
    assert registry.in_effect(at(-0.0001)) is None
    for hours in (0, 1000):
        assert approved.json() == registry.in_effect(at(hours))


def test_the_latest_approved_version_that_has_begun_is_in_effect(registry: Registry) -> None:
    """Each moment has its version; filed and returned ones count for nothing."""
    for version, hours in enumerate((0, 10, 20, 30), 1):
        registry.file(effective_from=at(hours))
        if version != 3:
            assert 200 == registry.approve(version).status_code
    registry.give_back(3)
    found = [registry.in_effect(at(hours)) for hours in (0, 9, 10, 25, 30, 99)]
    assert [1, 1, 2, 2, 4, 4] == [one and one["version"] for one in found]
    registry.wait(12)
    assert ["superseded", "effective", "returned", "approved"] == [
        one["phase"] for one in registry.read("").json()["items"]
    ]
    assert (2, "effective") == tuple((registry.in_effect() or {})[name] for name in ("version", "phase"))


def test_the_filer_cannot_approve(registry: Registry) -> None:
    """Ann may approve, but not what she filed; the attempt is recorded, and bob still may."""
    registry.file(person="ann")
    assert_problem(registry.approve(person="ann"), 403, "ann filed version 1 of blackjack at riverbend")
    assert ["command.refused", "submission.filed"] == registry.kinds()
    assert "filed" == registry.read("/1").json()["status"]
    assert 200 == registry.approve(person="bob").status_code


def test_a_version_is_decided_once(registry: Registry) -> None:
    """Approving or returning again is a conflict, recorded as such."""
    registry.file()
    registry.approve()
    assert_problem(registry.approve(), 409, "was approved already")
    assert_problem(registry.give_back(), 409, "was approved already")
    registry.file(effective_from=at(1))
    registry.give_back(2, reason="eight decks were agreed")
    assert_problem(registry.approve(2), 409, "was returned already")
    returned = registry.read("/2").json()
    assert ("returned", "bob", "eight decks were agreed") == tuple(
        returned[name] for name in ("status", "returned_by", "return_reason")
    )
    assert (4 + 3, 3) == (len(registry.kinds()), registry.kinds().count("command.refused"))


def test_history_never_changes(registry: Registry) -> None:
    """A version that has become too late between filing and approval is refused."""
    registry.file()
    registry.approve()
    registry.file(effective_from=at(1))
    registry.wait(2)
    assert_problem(registry.approve(2), 409, "has passed")
    assert_problem(registry.file(effective_from=at(1)), 422, "has passed")


def test_a_property_that_changed_meanwhile_is_found_at_the_approval(registry: Registry) -> None:
    """A table retired, one of another game: whoever approves hears of both, and what still holds can be approved."""
    registry.file(effective_from=at(2))
    registry.file(effective_from=at(2), tables=["BJ-09"])
    tables = riverbend(tables=TABLES | {"BJ-02": "switch"}, effective_from=at(1))
    [table] = [each for each in tables["tables"] if each["table"] == "BJ-01"]
    table["retired_on"] = "2026-11-01"
    changed = registry.send("/properties", tables)
    assert 201 == changed.status_code, changed.text
    assert 200 == registry.send(f"{changed.headers['location']}/approve", person="bob").status_code

    refused = registry.approve(1)
    assert_problem(refused, 422, "version 1 of blackjack at riverbend cannot be approved any more: table 'BJ-01'")
    assert "retired on 2026-11-01" in refused.json()["detail"]
    assert "'BJ-02' of riverbend offers switch, not blackjack" in refused.json()["detail"]
    assert 200 == registry.approve(2).status_code


def test_what_the_catalogue_does_not_allow_is_rejected(registry: Registry) -> None:
    """422 with the paragraph; the rejection alone is recorded, and kept under its key."""
    wrong = {"decks": 6, "wagers": {"royal_match_21": {"paytable": "A"}}}
    rejected = registry.file(key="k", submission=wrong)
    assert_problem(rejected, 422, "royal_match_21")
    assert rejected.json()["paragraph"].startswith("§ 633a.")
    [problem] = rejected.json()["problems"]
    assert ("/submission/wagers/royal_match_21/paytable", "§ 633a.13(f)(1)") == (
        problem["pointer"],
        problem["paragraph"],
    )
    assert rejected.content == registry.file(key="k", submission=wrong).content
    assert_problem(registry.file(key="k"), 409, "Idempotency-Key 'k' was used for another command")
    assert ["command.refused"] * 2 == registry.kinds()


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"tables": []}, "tables"),
        ({"property": "river bend"}, "property"),
        ({"effective_from": "2026-11-20T12:00:00"}, "effective_from"),
        ({"submission": {"decks": 6.5}}, "decks"),
        ({"submission": {"decks": "6"}}, "decks"),
        ({"submission": {"dekcs": 6}}, "dekcs"),
        ({"version": 7}, "version"),
    ],
)
def test_a_malformed_submission_is_rejected(registry: Registry, body: dict[str, Any], detail: str) -> None:
    """422 that names the field."""
    assert_problem(registry.file(**body), 422, detail)


def test_every_path_takes_a_role(registry: Registry) -> None:
    """Who may file may not approve, and the other way round; all of them may read, strangers may not."""
    assert_problem(registry.file(person="bob"), 403, "bob does not have the role 'submissions.file'")
    registry.file(person="ann")
    assert_problem(registry.approve(person="carl"), 403, "carl does not have the role 'submissions.file.approve'")
    assert_problem(registry.give_back(person="carl"), 403, "carl does not have the role 'submissions.file.approve'")
    for path in ("/submissions", "/submissions/riverbend/blackjack/1", "/catalogue", "/catalogue/pa-633a-2024"):
        assert [200] * 4 == [registry.get(path, person=one).status_code for one in ("ann", "bob", "kim", "lee")]
        assert 401 == registry.get(path, person=None).status_code


def test_what_is_not_there_is_not_found(registry: Registry) -> None:
    """Versions and games that nobody filed: 404."""
    assert_problem(registry.approve(), 404, "there is no version 1 of blackjack at riverbend")
    assert_problem(registry.give_back(), 404, "there is no version 1")
    assert_problem(registry.read("/1"), 404, "there is no version 1")
    assert_problem(registry.read(""), 404, "nothing was ever filed")


# --- reading ---


def test_a_version_that_has_not_changed_need_not_be_sent(registry: Registry) -> None:
    """Its ETag changes with its status."""
    registry.file()
    etag = registry.read("/1").headers["etag"]
    unchanged = registry.read("/1", **{"If-None-Match": f'"other", {etag}'})
    assert (304, etag, b"") == (unchanged.status_code, unchanged.headers["etag"], unchanged.content)
    registry.approve()
    changed = registry.read("/1", **{"If-None-Match": etag})
    assert 200 == changed.status_code
    assert etag != changed.headers["etag"]


def test_lists_come_in_pages(registry: Registry) -> None:
    """Every version is on one page; a version filed meanwhile disturbs nothing."""
    for name in ("lakeside", "bayside"):
        registry.open(name)
    for property_name in ("riverbend", "lakeside"):
        for game in ("blackjack", "blackjack-switch"):
            for _ in range(2):
                registry.file(property=property_name, game=game)
    seen: list[tuple[str, str, int]] = []
    path = "/submissions?limit=3"
    for _ in range(3):
        page = registry.get(path).json()
        seen += [(item["property"], item["game"], item["version"]) for item in page["items"]]
        registry.file(property="bayside")
        path = f"/submissions?limit=3&cursor={page.get('next')}"
    assert "next" not in page
    games = ("blackjack", "blackjack-switch")
    assert [(p, g, v) for p in ("lakeside", "riverbend") for g in games for v in (1, 2)] == seen
    assert_problem(registry.get("/submissions?cursor=x"), 400, "is not one of this list")


def test_lists_can_be_narrowed(registry: Registry) -> None:
    """By property, by game, by both."""
    registry.open("lakeside")
    for names in (("riverbend", "blackjack"), ("riverbend", "switch"), ("lakeside", "switch")):
        registry.file(property=names[0], game=names[1])
    for query, found in (
        ("property=riverbend", 2),
        ("game=switch", 2),
        ("property=riverbend&game=switch", 1),
        ("property=nowhere", 0),
    ):
        items = registry.get(f"/submissions?{query}").json()["items"]
        assert found == len(items)
        wanted = dict(one.split("=") for one in query.split("&"))
        assert all(wanted.items() <= item.items() for item in items)


def test_the_catalogue_says_what_may_be_selected(registry: Registry) -> None:
    """Every regulation with its paytables, and their paragraphs."""
    listed = registry.get("/catalogue").json()
    assert {"pa-633a-2011", "pa-633a-2024"} <= {item["id"] for item in listed}
    href = next(item["href"] for item in listed if item["id"] == "pa-633a-2024")
    wager = registry.get(href).json()["wagers"]["royal_match_21"]
    assert {"A", "B", "C", "D", "E"} == {paytable["name"] for paytable in wager["paytables"]}
    assert all(paytable["paragraph"].startswith("§ 633a.13(f)") for paytable in wager["paytables"])
    assert_problem(registry.get("/catalogue/xx-1"), 404, "'xx-1' is not known")


def test_the_example_of_the_documentation_is_accepted(registry: Registry) -> None:
    """Its submission can be filed, and every path that it shows exists."""
    page = (Path(__file__).parents[3] / "docs" / "registry.md").read_text()
    [example] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert 201 == registry.send("/submissions", json.loads(example)).status_code
    shown = set(re.findall(r"\$REGISTRY(/[^\s?\"`]*)", page))
    assert len(shown) >= 8
    for path in shown:
        assert 404 != registry.desk.client.request("OPTIONS", path).status_code, path
