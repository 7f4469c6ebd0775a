"""General-ledger mappings over HTTP: filed, approved by somebody else or returned, compared, read at a moment."""

from typing import Any

from tests.support.asgi import assert_problem
from tests.support.ledger_mappings import mapping_document, remapped
from tests.support.registry import Registry, riverbend

_PATH = "/ledger-mappings/riverside"
_LATER = "2026-11-22T09:00:00Z"


def file(registry: Registry, body: dict[str, Any] | None = None) -> None:
    """File a version as ann, once the property is there."""
    if registry.get("/properties/riverside/1").status_code == 404:
        registry.open("riverside")
    filed = registry.send("/ledger-mappings", mapping_document() if body is None else body)
    assert 201 == filed.status_code, filed.text


def test_a_mapping_is_in_effect_once_somebody_else_approved_it(registry: Registry) -> None:
    """From its beginning on, and the next one from its own; the filer cannot approve it."""
    file(registry)
    assert_problem(registry.get(f"{_PATH}/in-effect"), 404, "no approved version of the ledger mapping of riverside")
    own = registry.send(f"{_PATH}/1/approve", person="ann")
    assert_problem(own, 403, "ann filed version 1 of the ledger mapping of riverside")
    assert 200 == registry.send(f"{_PATH}/1/approve", person="bob").status_code
    file(registry, remapped("round-settlement", "payout", account="4020") | {"effective_from": _LATER})
    assert 200 == registry.send(f"{_PATH}/2/approve", person="bob").status_code
    found = [
        registry.get(f"{_PATH}/in-effect?at={moment}").json()["version"] for moment in ("2026-11-20T12:00:00Z", _LATER)
    ]
    assert [1, 2] == found
    assert [1, 2] == [one["version"] for one in registry.get("/ledger-mappings?property=riverside").json()["items"]]


def test_what_a_version_changes_is_said_for_its_approver(registry: Registry) -> None:
    """The first one has nothing before it; the next one says what goes elsewhere."""
    file(registry)
    first = registry.get(f"{_PATH}/1/changes").json()
    assert (None, ["the ledger mapping of riverside: filed for the first time"]) == (
        first.get("from_version"),
        first["changes"],
    )
    registry.send(f"{_PATH}/1/approve", person="bob")
    file(
        registry, remapped("round-settlement", "payout", account="4020", cost_center="77") | {"effective_from": _LATER}
    )
    changed = registry.get(f"{_PATH}/2/changes").json()
    assert 1 == changed["from_version"]
    assert (
        "round-settlement payout: account 4010, department 300 → account 4020, department 300, cost center 77"
        in changed["changes"]
    )


def test_a_returned_version_never_takes_effect(registry: Registry) -> None:
    """Its filer reads why."""
    file(registry)
    returned = registry.send(f"{_PATH}/1/return", {"reason": "baccarat is of cost center 310"}, person="bob")
    assert ("returned", "baccarat is of cost center 310") == (
        returned.json()["status"],
        returned.json()["return_reason"],
    )
    assert_problem(registry.send(f"{_PATH}/1/approve", person="bob"), 409, "was returned already")
    assert_problem(registry.get(f"{_PATH}/in-effect"), 404, "no approved version")


def test_every_fault_of_a_mapping_is_said_at_once(registry: Registry) -> None:
    """A leg without a rule, and a planted wrong account; nothing is filed."""
    registry.open("riverside")
    wrong = remapped("table-inventory", "drop", account="4010")
    wrong["rules"] = [rule for rule in wrong["rules"] if rule["leg"] != "tips_payable"]
    answer = registry.send("/ledger-mappings", wrong)
    assert_problem(answer, 422, "table-inventory tips_payable: there is no rule for it without conditions")
    assert "table-inventory drop: account 4010 is of kind revenue; " in answer.json()["detail"]
    assert 404 == registry.get(f"{_PATH}/1").status_code


def test_what_was_in_effect_stays(registry: Registry) -> None:
    """A version that would change the accounts of earlier days is refused."""
    file(registry)
    registry.send(f"{_PATH}/1/approve", person="bob")
    late = registry.send("/ledger-mappings", mapping_document(effective_from="2026-11-01T09:00:00Z"))
    assert_problem(late, 422, "'effective_from' 2026-11-01T09:00:00+00:00 has passed")


def test_a_mapping_is_of_a_property_that_there_is(registry: Registry) -> None:
    """Nobody files one for a name that was misspelled: nothing would be posted by it."""
    for name in ("riversid", "house-1"):
        registry.send("/properties", riverbend("house-1"))  # filed, and not approved
        answer = registry.send("/ledger-mappings", mapping_document(name))
        assert_problem(answer, 404, f"there is no approved property '{name}': file it and have it approved")
        assert 404 == registry.get(f"/ledger-mappings/{name}/1").status_code
