"""Problem documents."""

import json

import pytest

from shared.contracts.rejection import Reason
from shared.runtime.http.problems import PROBLEM, Mistake, Problem, problem, problem_type, problems
from shared.runtime.http.problems_page import PAGE, page


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_is_a_problem(reason: Reason) -> None:
    """A stable type, a status that is an error, a title of its own, and something that the caller can do."""
    response = problem(reason, "seat 3: 12000 exceeds 10000")
    assert PROBLEM == response.headers["content-type"]
    document = Problem.model_validate_json(bytes(response.body))
    assert f"urn:pitledger:problem:{reason.value}" == document.type
    assert response.status_code == document.status >= 400
    assert "seat 3: 12000 exceeds 10000" == document.detail
    kind = problem_type(reason)
    assert [reason] == [other for other in Reason if problem_type(other).title == document.title]
    assert kind.remedy.endswith(".")


def test_members_are_there_where_they_say_something() -> None:
    """The paragraph, the mistakes and the checks; null is a value only within the checks."""
    response = problem(
        Reason.NOT_READY,
        "database: away",
        paragraph="§ 1",
        errors=[Mistake(at="body.cents", what="is missing")],
        checks={"database": "away", "lag": None},
    )
    document = json.loads(bytes(response.body))
    assert ("§ 1", [{"at": "body.cents", "what": "is missing"}]) == (document["paragraph"], document["errors"])
    assert {"database": "away", "lag": None} == document["checks"]
    assert {"type", "title", "status", "detail"} == json.loads(bytes(problem(Reason.NOT_FOUND, "no").body)).keys()


def test_headers_follow_from_the_reason() -> None:
    """A challenge for somebody unknown (RFC 9110), and when to try again."""
    assert "Bearer" == problem(Reason.UNKNOWN_CALLER, "who?").headers["www-authenticate"]
    assert ["1", "1"] == [
        problem(reason, "later").headers["retry-after"] for reason in (Reason.TRY_AGAIN, Reason.NOT_READY)
    ]
    assert "retry-after" not in problem(Reason.INTERNAL, "a defect").headers


def test_a_route_lists_its_problems_by_status() -> None:
    """Reasons with the same status share a response, which names each of them once."""
    found = problems(Reason.SAME_PERSON, Reason.NOT_FOUND, Reason.CODE_WRONG, Reason.SAME_PERSON)
    assert [403, 404] == list(found)
    assert (
        "A different person must perform this step (`urn:pitledger:problem:same-person`); "
        "The access code is missing or wrong (`urn:pitledger:problem:code-wrong`)" == found[403]["description"]
    )
    assert {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}} == found[404]["content"]


def test_the_page_about_problems_is_as_the_reasons_are() -> None:
    """docs/problems.md; `make generated` writes it."""
    assert page() == PAGE.read_text()
