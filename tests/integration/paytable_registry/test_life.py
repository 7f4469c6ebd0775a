"""Drafts, withdrawals and versions for some tables over HTTP; all of it follows from the entries alone."""

from datetime import timedelta

from shared.contracts.facts import KINDS
from shared.contracts.topics import SUBMISSIONS
from tests.integration.paytable_registry.test_submissions import NOON, at
from tests.support.asgi import assert_problem
from tests.support.registry import Registry, blackjack


def test_a_draft_is_replaced_then_filed(registry: Registry) -> None:
    """Under one number; what is filed is what the draft held last, and a draft no more."""
    wrong = blackjack(NOON) | {"submission": {"wagers": {}}}
    drafted = registry.send("/submissions/drafts", wrong)
    assert (201, "/submissions/riverbend/blackjack/1") == (drafted.status_code, drafted.headers["location"])
    assert ("draft", "draft", "ann") == tuple(drafted.json()[name] for name in ("status", "phase", "drafted_by"))
    assert_problem(registry.approve(), 409, "is a draft: file it first")
    path = "/submissions/riverbend/blackjack/1"
    assert_problem(registry.send(f"{path}/file"), 422, "'decks' is missing")
    content = {name: value for name, value in blackjack(NOON).items() if name not in ("property", "game")}
    replaced = registry.send(f"{path}/draft", content, person="carl")
    assert (200, "carl", 6) == (
        replaced.status_code,
        replaced.json()["drafted_by"],
        replaced.json()["submission"]["decks"],
    )
    filed = registry.send(f"{path}/file", person="carl")
    assert (200, "filed", "carl") == (filed.status_code, filed.json()["status"], filed.json()["filed_by"])
    assert filed.json() == registry.read("/1").json()
    assert_problem(registry.send(f"{path}/draft", content), 409, "is filed, and no draft any more")
    assert 2 == registry.file().json()["version"]
    assert 200 == registry.approve().status_code


def test_a_version_is_withdrawn_before_it_takes_effect(registry: Registry) -> None:
    """By two people, an hour before at the latest; what was to be superseded stays in effect."""
    registry.file()
    registry.approve()
    registry.file(effective_from=at(10))
    registry.approve(2)
    assert 200 == registry.withdraw(2).status_code
    assert_problem(registry.withdraw(2, "withdrawal/approve", person="ann"), 403, "somebody else must approve it")
    assert "approved" == registry.withdraw(2, "withdrawal/return", person="bob").json()["status"]
    assert 200 == registry.withdraw(2, person="carl").status_code
    withdrawn = registry.withdraw(2, "withdrawal/approve", person="bob")
    assert (200, "withdrawn", "carl", "bob") == (
        withdrawn.status_code,
        *(withdrawn.json()[name] for name in ("phase", "withdrawal_requested_by", "withdrawn_by")),
    )
    assert (registry.in_effect(at(11)) or {})["version"] == 1
    assert 201 == registry.file(effective_from=at(5)).status_code
    registry.wait(1)
    assert "withdrawn" == registry.withdraw(3).json()["status"]
    assert_problem(registry.withdraw(1), 409, "could be withdrawn until")


def test_a_version_for_some_tables_leaves_the_others_theirs(registry: Registry) -> None:
    """Each table plays under the latest version that lists it, and says so."""
    registry.file(tables=["BJ-01", "BJ-02"])
    registry.approve()
    registry.file(tables=["BJ-02", "BJ-09"], effective_from=at(2))
    registry.approve(2)
    registry.wait(3)
    found = registry.get("/submissions/in-effect?property=riverbend").json()["tables"]
    assert {"BJ-01": 1, "BJ-02": 2, "BJ-09": 2, "SW-01": None, "SW-02": None} == {
        one["table"]: one.get("submission", {}).get("version") for one in found
    }
    assert ["effective", "effective"] == [one["phase"] for one in registry.read("").json()["items"]]
    assert_problem(
        registry.get("/submissions/in-effect?property=riverbend&table=BJ-77"), 404, "table 'BJ-77' is not among"
    )
    assert_problem(registry.get("/submissions/in-effect?property=lakeside"), 404, "no approved version of property")


def test_what_a_version_changes_is_told_in_words(registry: Registry) -> None:
    """Tables, beginning and rules; both ways."""
    registry.file()
    selected = {"decks": 8, "options": {"even_money": True}, "wagers": {"match_the_dealer": {}}}
    registry.file(tables=["BJ-02", "BJ-09"], effective_from=at(2), submission=selected)
    told = registry.read("/1/diff/2")
    assert (200, 1, 2) == (told.status_code, told.json()["from_version"], told.json()["to_version"])
    assert [
        "table BJ-09: added",
        "table BJ-01: not listed; it keeps the version that it has",
        "beginning: 2026-11-20T12:00:00+00:00 to 2026-11-20T14:00:00+00:00",
        "decks: 6 to 8",
    ] == told.json()["changes"][:4]
    assert told.json()["changes"][5].endswith("payback 95.94% to 96.33%")
    assert "decks: 8 to 6" in registry.read("/2/diff/1").json()["changes"]
    assert [] == registry.read("/1/diff/1").json()["changes"]
    assert_problem(registry.read("/1/diff/3"), 404, "there is no version 3")


def test_the_versions_follow_from_the_entries_alone(registry: Registry, url: str) -> None:
    """Every kind of fact about a submission, played again."""
    later = blackjack(NOON + timedelta(hours=10))
    registry.send("/submissions/drafts", later)
    registry.send("/submissions/riverbend/blackjack/1/file")
    registry.approve()
    registry.withdraw()
    registry.withdraw(how="withdrawal/return")
    registry.withdraw()
    registry.withdraw(how="withdrawal/approve", person="bob")
    registry.file()
    registry.give_back(2)
    registry.send("/submissions/drafts", later)
    registry.withdraw(3)
    facts = {kind.name for kind in KINDS.on(SUBMISSIONS) if kind.topic is SUBMISSIONS}
    assert facts == {entry.draft.kind for entry in registry.entries()} - {"command.refused"}
    before = registry.desk.read_model(url)
    registry.desk.project_again(url, registry.desk.entries())
    assert before == registry.desk.read_model(url)
