"""Every route of every service, asked by somebody who works for another property: nothing is shown, nothing happens.

The routes come from the OpenAPI document of each service, and what is asked about is the property of its story, so that
a new route is tried as soon as it is there. A property is named wherever one can be: in the path, in the query, in the
body, in a query parameter that the route does not have, in a header, in what is stored.
"""

import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import pytest
import schemathesis
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from shared.contracts.rejection import Reason
from shared.runtime.http.access import whose_data
from shared.runtime.http.command_routes import CommandRoute
from shared.runtime.http.problems import problem_uri
from tests.faults.subject import Subject
from tests.fuzz.apis import Known
from tests.support import Databases
from tests.support.desk import Desk
from tests.support.known import known_of
from tests.support.nightly import sampled
from tests.support.pit import PROPERTY
from tests.support.services import query
from tests.support.told import told

EXAMPLES = int(os.environ.get("MATRIX_EXAMPLES", "3"))
"""How many requests are made of each operation, each in every way of naming a property."""
TRIES_MAX = 10 * EXAMPLES + 1000
"""Fewer requests than so many are made where a command is refused for other reasons each time: most are made up."""
ELSEWHERE = "elsewhere"
"""The property for which the stranger works; the story knows nothing of it."""
AS_MEMBER = " as member"
"""After the name of a role: who works for the properties of the stories, and for no other."""
HERE = ("riverside", PROPERTY)
MISSING = problem_uri(Reason.PROPERTY_MISSING)
NO_CURSOR = problem_uri(Reason.CURSOR_UNKNOWN)
REFUSED = frozenset({"command.refused"})

Way = tuple[list[tuple[str, str]], Mapping[str, str]]
"""Query parameters and headers beside those of a request."""

pytestmark = pytest.mark.usefixtures("patron_keys")


@pytest.fixture
def desk(subject: Subject, databases: Databases) -> Iterator[Desk]:
    """The service after its story; for each role somebody who works elsewhere, here, and everywhere."""
    with told(subject, databases, works_for=[ELSEWHERE], others={AS_MEMBER: HERE}) as found:
        yield found


@sampled(1)
def test_nobody_reaches_another_property(desk: Desk, subject: Subject) -> None:
    """Each request is refused or answered with nothing of the other property, and the journal has refusals at most."""
    if subject.records:
        everything = {"until": 2**31, "reason": "not mine"}
        asked_for = desk.post("/quarantine/dismissals", everything, person="quarantine.mend as everybody")
        assert 201 == asked_for.status_code, asked_for.text
    before = kinds(desk)
    document = desk.client.get("/openapi.json").json()
    roles = roles_of(document)
    whose = whose_of(desk)
    refused: defaultdict[str, int] = defaultdict(int)
    known = known_of(subject)
    for result in schemathesis.openapi.from_dict(document).get_all_operations():
        operation: Any = result.ok()  # type: ignore[union-attr]  # the document was read by others
        about = whose[operation.path, operation.method.upper()]
        if about in (None, "none"):
            continue
        role = roles[operation.path, operation.method]
        tries = EXAMPLES
        while not refused[operation.label] and tries < TRIES_MAX:
            for status, kind, text in asked(desk, operation, known, role, tries):
                if status == 200:  # of the caller's own property there is nothing
                    assert json.loads(text) in ({"items": []}, []), f"{operation.label} shows {text[:300]}"
                elif kind != NO_CURSOR:  # a list says that of a cursor by its form alone, whatever lies in the list
                    assert status in (403, 404, 422), f"{operation.label} answers {status}: {text[:300]}"
                refused[operation.label] += kind == MISSING or (about == "own" and status == 200)
            tries *= 10
    assert {} == {name: count for name, count in refused.items() if not count}, "refused for other reasons alone"
    assert {} == {
        kind: count for kind, count in kinds(desk).items() if count != before.get(kind) and kind not in REFUSED
    }


@sampled(1)
def test_whoever_works_for_a_property_is_let_through_to_it(desk: Desk, subject: Subject) -> None:
    """Whatever names one is open to people of one property, wherever it is named: none takes somebody of all."""
    document = desk.client.get("/openapi.json").json()
    roles, whose, known = roles_of(document), whose_of(desk), known_of(subject)
    refused: list[str] = []
    tried: set[str | None] = set()
    for result in schemathesis.openapi.from_dict(document).get_all_operations():
        operation: Any = result.ok()  # type: ignore[union-attr]  # the document was read by others
        about = whose[operation.path, operation.method.upper()]
        places = places_of_property(document, operation)
        if about in (None, "none") or not places:
            continue
        tried.add(about)
        person = roles[operation.path, operation.method] + AS_MEMBER
        for here in HERE:
            here_at = dict.fromkeys(places, here)
            answers = asked(desk, operation, known, person, EXAMPLES, ways=AS_IT_IS, properties=here_at)
            refused += [f"{operation.label}: {text[:300]}" for _, kind, text in answers if kind == MISSING]
    assert "named" in tried
    assert [] == refused


def test_each_record_in_quarantine_is_of_the_property_that_it_names(desk: Desk, subject: Subject) -> None:
    """Whoever works elsewhere neither sees nor decides it, nor is told whose it is; of none, it is for all of them."""
    if not subject.records:
        pytest.skip("it reads no topic")
    everybody = "quarantine.mend as everybody"
    [named, unnamed] = quarantined(desk)
    for number in (named, unnamed):
        shown = desk.get(f"/quarantine/{number}", person="quarantine.read")
        assert (403, MISSING) == (shown.status_code, shown.json()["type"])
        assert f"quarantine.read does not work for every property of record {number}" == shown.json()["detail"]
        body = {"reason": "not mine"}
        for what in ("dismissal", "replay"):
            assert 403 == desk.post(f"/quarantine/{number}/{what}", body, person="quarantine.mend").status_code
        assert 201 == desk.post(f"/quarantine/{number}/dismissal", body, person=everybody).status_code
        path = f"/quarantine/{number}/requests/1"
        for what, more in (("approve", {"subject_sha256": "0" * 64}), ("reject", body)):
            assert 403 == desk.post(f"{path}/{what}", more, person="quarantine.approve").status_code
        assert 403 == desk.get(path, person="quarantine.read").status_code
    assert {"items": []} == desk.get("/quarantine?status=all", person="quarantine.read").json()
    listed = desk.get("/quarantine?status=all&limit=500", person="quarantine.read as everybody").json()["items"]
    assert {named, unnamed} <= {one["quarantine"] for one in listed}


@sampled(2)
def test_nobody_learns_what_numbers_there_are_of_others(desk: Desk, subject: Subject) -> None:
    """Of what is looked up by a number a stranger is told the same, whether it is another property's or not there."""
    if not subject.records:
        pytest.skip("it reads no topic")
    [named, _] = quarantined(desk)
    everybody, reason = "quarantine.mend as everybody", {"reason": "not mine"}
    dismissal = desk.post("/quarantine/dismissals", {"until": 2**31, **reason}, person=everybody).json()["dismissal"]
    assert 201 == desk.post(f"/quarantine/{named}/dismissal", reason, person=everybody).status_code
    there = {"quarantine": named, "request": 1, "dismissal": dismissal}
    roles, whose = roles_of(desk.client.get("/openapi.json").json()), whose_of(desk)
    numbered = [(path, method) for path, method in roles if whose[path, method.upper()] == "own" and "{" in path]
    assert len(numbered) >= 8, "the routes of records, of requests about them, and of dismissals"
    for path, method in numbered:
        said = [
            refused(desk, method, path.format(**numbers), roles[path, method], numbers.values())
            for numbers in (there, dict.fromkeys(there, 987_654_321))
        ]
        assert said[0] == said[1], f"{method} {path}"


def refused(desk: Desk, method: str, path: str, role: str, numbers: Collection[int]) -> tuple[int, str]:
    """Ask for something, or for something to be done about it; return the status and what is said, without numbers."""
    body = {"subject_sha256": "0" * 64} if path.endswith("/approve") else {"reason": "not mine"}
    answer = desk.get(path, person=role) if method == "get" else desk.post(path, body, person=role)
    said: str = answer.json()["detail"]
    for number in numbers:
        said = said.replace(f" {number}", " N")
    return answer.status_code, said


def test_who_approves_works_for_what_a_record_is_mended_to(desk: Desk, subject: Subject) -> None:
    """Somebody of every property asks for a record to be sent as an event of another property: no stranger approves."""
    if not subject.records:
        pytest.skip("it reads no topic")
    schema = desk.manifest.schema
    url = desk.context.settings.database_url.get_secret_value()
    [named, _] = quarantined(desk)
    asked_for = (
        f"INSERT INTO {schema}.quarantine_requests (quarantine, request, action, mended, reason, asked_by, asked_at, "
        f"decision) VALUES ({named}, 1, 'replay', '{{\"source\": \"/properties/{ELSEWHERE}/tables/BJ-01\"}}', 'x', "
        "'ann', now(), 'asked') RETURNING request"
    )
    own = f"UPDATE {schema}.quarantine SET value = convert_to('{{}}', 'UTF8'), source = '/properties/{ELSEWHERE}/x' "
    query(url, f"{own} WHERE id = {named} RETURNING id")
    path = f"/quarantine/{named}"
    assert 200 == desk.get(path, person="quarantine.read").status_code
    query(url, asked_for.replace(f"/{ELSEWHERE}/", "/riverside/"))
    for where in (path, f"{path}/requests/1"):
        assert 403 == desk.get(where, person="quarantine.read").status_code
    hash_of = {"subject_sha256": "0" * 64}
    approved = desk.post(f"{path}/requests/1/approve", hash_of, person="quarantine.approve")
    assert (403, MISSING) == (approved.status_code, approved.json()["type"])


def quarantined(desk: Desk) -> list[int]:
    """Put two records into quarantine, one of which names a property; return their numbers."""
    schema = desk.manifest.schema
    url = desk.context.settings.database_url.get_secret_value()
    where = 'shard, seq, topic, partition, "offset", value, reason, stops, quarantined_at, listed_under'
    rows = [
        (900, '{"source": "/properties/riverside/tables/BJ-01"}', "{riverside}"),
        (901, "no JSON", "{}"),
    ]
    return [
        number
        for seq, value, names in rows
        for (number,) in query(
            url,
            f"INSERT INTO {schema}.quarantine ({where}) SELECT 1, {seq}, 'table.events', 0, {seq}, "
            f"convert_to('{value}', 'UTF8'), 'for the test', false, now(), '{names}' RETURNING id",
        )
    ]


def asked(
    desk: Desk,
    operation: Any,
    known: Known,
    person: str,
    examples: int,
    *,
    ways: Sequence[Way] | None = None,
    properties: Mapping[str, str] | None = None,
) -> list[tuple[int, str, str]]:
    """Ask an operation about the property of the story, in these ways; return status, kind of problem, and text.

    `properties` are those that it names, by the place: path, query, body.
    """
    found: list[tuple[int, str, str]] = []

    @seed(1)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(GenerationMode.POSITIVE), choice=st.integers(0, 2**32))
    def call(case: Any, choice: int) -> None:
        random = Random(choice)
        for part in (case.path_parameters, case.query, case.body):
            known.put_into(part, random)
        for place, name in (properties or {}).items():
            part = getattr(case, place)
            setattr(case, place, {**(part if isinstance(part, dict) else {}), "property": name})
        said = case.as_transport_kwargs(base_url="http://test")
        content = {name: said[name] for name in ("json",) if said.get(name) is not None}
        for more, headers in WAYS if ways is None else ways:
            params = [*(said.get("params") or {}).items(), *more]
            sent = {**said["headers"], "Authorization": f"Bearer token of {person}", **headers}
            answer = desk.client.request(said["method"], said["url"], params=params, headers=sent, **content)
            is_problem = "problem" in answer.headers.get("content-type", "")
            found.append((answer.status_code, answer.json()["type"] if is_problem else "", answer.text))

    call()
    return found


def places_of_property(document: Mapping[str, Any], operation: Any) -> list[str]:
    """Where a request names a property: the parts of it, as schemathesis calls them."""
    said = document["paths"][operation.path][operation.method]
    found = {"path": "path_parameters", "query": "query"}
    places = [found[one["in"]] for one in said.get("parameters", ()) if one["name"] == "property"]
    body = said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    schema = document["components"]["schemas"].get(body.get("$ref", "").rpartition("/")[2], {})
    return [*places, *(["body"] if "property" in schema.get("properties", {}) else [])]


AS_IT_IS: list[Way] = [([], {})]
WAYS: list[Way] = [
    *AS_IT_IS,
    ([("property", ELSEWHERE)], {}),
    ([("Property", ELSEWHERE), ("property[]", ELSEWHERE)], {}),
    ([], {"property": ELSEWHERE, "x-property": ELSEWHERE}),
]
"""Ways to name a property of one's own besides: query parameters and headers."""


def whose_of(desk: Desk) -> dict[tuple[str, str], str | None]:
    """Whose data each operation is about."""
    return {
        (route.path, method): route.whose if isinstance(route, CommandRoute) else whose_data(route)
        for route in desk.client.app.routes
        if isinstance(route, APIRoute | CommandRoute)
        for method in route.methods or ()
    }


def roles_of(document: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """A role that each operation takes."""
    return {
        (path, method): role
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        for one in operation.get("security", ())[:1]
        for role in one["bearer"]
    }


def kinds(desk: Desk) -> dict[str, int]:
    """How many entries of each kind the journal has."""
    found: defaultdict[str, int] = defaultdict(int)
    for entry in desk.entries():
        found[entry.draft.kind] += 1
    return dict(found)
