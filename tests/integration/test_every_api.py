"""Every operation of every service, called with whatever its own description allows, and with what it does not.

The OpenAPI document of a service says what may be sent and what is answered: no 5xx, no status, content type, header or
member that it does not describe, and what it does not allow is refused. `make fuzz-apis` tries many more requests.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from http import HTTPStatus
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest

from services.cli.services import load
from services.reporting.reports import REPORTS
from shared.runtime.http.app import OPEN_PATHS
from tests.faults.subject import Subject
from tests.faults.subjects import SUBJECTS
from tests.fuzz.apis import Known, call_every, unsupported
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.desk import Desk
from tests.support.known import known_of
from tests.support.nightly import SomeOf, sampled
from tests.support.told import told

EXAMPLES = int(os.environ.get("API_EXAMPLES", "2"))
"""How many requests are made of each operation; of what only reads twice as many."""
JSON = {"Content-Type": "application/json"}
SEED = int(os.environ.get("API_SEED", "1"))


pytestmark = pytest.mark.usefixtures("patron_keys")


@pytest.fixture
def desk(subject: Subject, databases: Databases) -> Iterator[Desk]:
    """The service after its story, which it has sealed, and for each role somebody who has no other."""
    with told(subject, databases) as found:
        yield found


@pytest.fixture
def reporting(databases: Databases) -> Iterator[Desk]:
    """Reporting after its story."""
    [subject] = [one for one in SUBJECTS if one.name == "reporting"]
    with told(subject, databases) as found:
        yield found


@sampled(1)
def test_every_answer_is_one_that_is_described(desk: Desk, subject: Subject) -> None:
    """Whatever is sent, to whatever operation; and much of what is sent is answered with what was asked for."""
    called = call_every(desk.client, known_of(subject), examples=EXAMPLES, number=SEED)
    total, answers = called.answers.total(), dict(sorted(called.answers.items()))
    sys.stdout.write(f"{subject.name}: {total:,} requests, seed {SEED}: {answers}\n")
    assert not called.wrong, "\n\n".join(f"{kind}\n  {what}" for kind, what in sorted(called.wrong.items()))
    assert called.answers[200] > total // 10
    document = desk.client.get("/openapi.json").json()
    is_confidential = load(subject.name).confidential  # then who has no role is not told what would be taken
    for method, path in unsupported(document):
        answer = desk.client.request(method, re.sub(r"{\w+}", "x", path))
        if is_confidential and path not in OPEN_PATHS:
            assert_problem(answer, 401, "send 'Authorization")
        else:
            assert_problem(answer, 405, "Method Not Allowed")


@sampled(1)
def test_a_member_that_is_there_twice_is_refused(desk: Desk) -> None:
    """By each operation that takes a document, whichever way it is read."""
    document = desk.client.get("/openapi.json").json()
    taking = [
        (path, role)
        for path, methods in document["paths"].items()
        for operation in methods.values()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
        for role in operation["security"][0]["bearer"][:1]
    ]
    assert taking
    for path, role in taking:
        headers = JSON | {"Authorization": f"Bearer token of {role}", "Idempotency-Key": "k"}
        for content in (b'{"a": 1, "a": 1}', b'{"b": [{"a": 1, "a": 1}]}'):
            answer = desk.client.post(re.sub(r"{\w+}", "x", path), content=content, headers=headers)
            assert_problem(answer, 422, "member 'a' is there twice in one object")


TOLD_BYTES_MAX = 20_000
"""How long an answer may be that says what is wrong."""
MISTAKES = 1_000
"""So many take long to be told one by one, while nobody else is served."""


@sampled(1)
def test_of_very_many_mistakes_not_all_are_told(desk: Desk) -> None:
    """By each operation that takes a document: of members that there are not, and in each member that there is."""
    document = desk.client.get("/openapi.json").json()
    long = []
    for path, methods in document["paths"].items():
        for operation in methods.values():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            schema = document["components"]["schemas"].get(body.get("$ref", "").rpartition("/")[2])
            if schema is None:
                continue
            [role, *_] = operation["security"][0]["bearer"]
            unknown = {f"unknown_{number}": 1 for number in range(MISTAKES)}
            bodies: list[dict[str, Any]] = [unknown, *({name: [{}] * MISTAKES} for name in schema["properties"])]
            for sent in bodies:
                headers = JSON | {"Authorization": f"Bearer token of {role}", "Idempotency-Key": "k"}
                answer = desk.client.post(re.sub(r"{\w+}", "x", path), content=json.dumps(sent), headers=headers)
                assert 422 == answer.status_code, answer.text[:500]
                if len(answer.content) > TOLD_BYTES_MAX:
                    long.append(f"POST {path} {min(sent)}: {len(answer.content)} bytes")
    assert [] == long


ODD: dict[str, tuple[str, ...]] = {
    "date": ("0001-01-01", "9999-12-31", "2009-12-31", "2026-02-30", "2026-W53-7"),
    "date-time": ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-23:59"),
    "integer": ("0", str(2**63), str(-(2**63) - 1), "9" * 400),
    "string": ("\0", "\ufffe", "%", "a" * 4000),
}
"""Values at the edge of what a parameter of a kind may be, and beyond."""


@sampled(1)
def test_no_value_of_a_parameter_leads_to_a_failure(desk: Desk, subject: Subject) -> None:
    """Each parameter of each operation that only reads, in turn, with all others as the story knows them: no 5xx."""
    document = desk.client.get("/openapi.json").json()
    known, failed, asked = known_of(subject), [], 0
    for path, methods in document["paths"].items():
        operation = methods.get("get", {})
        parameters = [one for one in operation.get("parameters", ()) if one["in"] in ("path", "query")]
        roles = [role for one in operation.get("security", ()) for role in one["bearer"]]
        headers = {"Authorization": f"Bearer token of {roles[0]}"} if roles else {}
        for values in asked_with(parameters, known):
            in_path = {one["name"]: quote(values[one["name"]], safe="") for one in parameters if one["in"] == "path"}
            query = {name: text for name, text in values.items() if name not in in_path}
            answer = desk.client.get(path.format_map(in_path), params=query, headers=headers)
            asked += 1
            if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                failed.append(f"GET {answer.request.url}: {answer.status_code} {answer.text[:200]}")
    assert asked > 20
    assert [] == failed


@sampled(1)
@pytest.mark.parametrize(
    ("service", "address"),
    [
        ("table-inventory", "/quarantine?topic=%00"),
        ("paytable-registry", "/properties/riverside/in-effect?at=9999-12-31T23:59:59Z"),
        ("paytable-registry", "/submissions/in-effect?property=riverside&game=blackjack&at=9999-12-31T23:59:59Z"),
    ],
)
def test_a_nul_and_the_last_moment_of_the_calendar_are_answered(
    databases: Databases, service: str, address: str
) -> None:
    """With a problem document that says what was wrong."""
    [subject] = [one for one in SUBJECTS if one.name == service]
    with told(subject, databases) as desk:
        operation = desk.client.get("/openapi.json").json()["paths"]
        path = address.partition("?")[0].replace("/riverside/", "/{property}/")
        role = operation[path]["get"]["security"][0]["bearer"][0]
        answer = desk.client.get(address, headers={"Authorization": f"Bearer token of {role}"})
        assert_problem(answer, 422, "")


DAYS = (*ODD["date"], "2001-12-31", "2026-12-31", "2998-12-31")
"""Days at the edge of the calendar, of the law, and of a year with 53 weeks; and what is no day."""


def test_no_day_of_a_report_leads_to_a_failure(reporting: Desk, some_of: SomeOf) -> None:
    """Each report of each of its periods, and its entries, of days at the edge of calendar and law: no 5xx."""
    failed = []
    routes = [path for path in reporting.client.get("/openapi.json").json()["paths"] if "{report}" in path]
    assert {"/reports/{report}", "/reports/{report}/entries"} <= set(routes)
    for (name, report), path in product(some_of(list(REPORTS.items()), 2), routes):
        headers = {"Authorization": f"Bearer token of {report.role.name}"}
        for period, day in product(report.periods, DAYS):
            query = {"property": "riverside", "gaming_day": day, "period": period}
            query |= {"as": "json"} if path == "/reports/{report}" else {"cell": "tables/BJ-01/win_cents"}
            answer = reporting.client.get(path.format(report=name), params=query, headers=headers)
            if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                failed.append(f"{path} {name} {period} {day}: {answer.status_code}")
    assert [] == failed


def asked_with(parameters: list[dict[str, Any]], known: Known) -> Iterator[dict[str, str]]:
    """The values of parameters, one of which is odd each time."""
    usual = {
        one["name"]: known.one(one["name"], kind_of_parameter(one["schema"])) for one in parameters if one["required"]
    }
    for odd in parameters:
        for value in ODD[kind_of_parameter(odd["schema"])]:
            yield {**usual, odd["name"]: value}


def kind_of_parameter(schema: dict[str, Any]) -> str:
    """The kind of a parameter's values, as ODD has it."""
    [first, *_] = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    if first.get("type") == "array":
        return kind_of_parameter(first["items"])
    kind = first.get("format") or first.get("type", "string")
    return kind if kind in ODD else "string"
