"""Who may call the HTTP interfaces."""

from collections.abc import Iterator
from typing import Annotated

import pytest
from fastapi import APIRouter, Query, Request
from structlog.testing import capture_logs

from shared.contracts.rejection import Reason
from shared.runtime.http.access import Caller, caller_for_own, require_role, token_hash
from shared.runtime.http.app import create_app
from shared.runtime.http.roles import ROLES, declare_role
from shared.runtime.metrics import Metrics
from tests.support.asgi import AppClient, assert_problem
from tests.support.identities import KnownTokens

FILE = declare_role("tests.file", "File something in a test.")
READ = declare_role("tests.read", "Read something in a test.")


async def never(request: Request, caller: Caller, reason: Reason, detail: str) -> None:
    """No refusal is recorded: what is only read is no command."""
    raise AssertionError((request.method, caller.person, reason, detail))


@pytest.fixture
def client() -> Iterator[AppClient]:
    """A service with a route for people who file, and one for those who file or read; ann files, bob reads."""
    router = APIRouter()

    @router.get("/whoami")
    async def whoami(person: Annotated[str, require_role(FILE, whose="none")]) -> str:
        return person

    @router.get("/filed")
    async def filed(person: Annotated[str, require_role(FILE, READ, whose="none")]) -> str:
        return person

    people = {"ann": ["tests.file", "other.role"], "bob": ["tests.read"], "eve": []}
    app = create_app(
        service="test",
        version="1",
        metrics=Metrics(),
        checks={},
        identities=KnownTokens(people),
        record_refusal=never,
        router=router,
    )
    with AppClient(app) as client:
        yield client


def test_a_person_with_the_role_is_named(client: AppClient) -> None:
    """The route learns who calls."""
    response = client.get("/whoami", headers={"Authorization": "Bearer token of ann"})
    assert (200, "ann") == (response.status_code, response.json())


def test_the_scheme_may_be_written_in_any_case(client: AppClient) -> None:
    """Authentication schemes are case-insensitive (RFC 9110)."""
    assert 200 == client.get("/whoami", headers={"Authorization": "bearer token of ann"}).status_code


@pytest.mark.parametrize(
    ("authorization", "detail"),
    [
        (None, "send 'Authorization: Bearer <token>'"),
        ("Bearer", "send 'Authorization: Bearer <token>'"),
        ("Bearer ", "send 'Authorization: Bearer <token>'"),
        ("Basic YW5uOmFubg==", "send 'Authorization: Bearer <token>'"),
        ("Bearer token of nobody", "the token is not known"),
        (f"Bearer {token_hash('token of ann')}", "the token is not known"),
    ],
)
def test_a_stranger_is_told_how_to_authenticate(client: AppClient, authorization: str | None, detail: str) -> None:
    """Without a known token: 401 with a challenge, as a problem; the hash of a token is not a token."""
    response = client.get("/whoami", headers={} if authorization is None else {"Authorization": authorization})
    assert (401, "Bearer") == (response.status_code, response.headers["www-authenticate"])
    assert ("application/problem+json", detail) == (response.headers["content-type"], response.json()["detail"])


def test_a_person_without_the_role_is_refused(client: AppClient) -> None:
    """A known person without the role: 403, naming both; the log has it, because what is only read is in no journal."""
    detail = "bob does not have the role 'tests.file'"
    with capture_logs() as logs:
        response = client.get("/whoami", headers={"Authorization": "Bearer token of bob"})
    assert (403, detail) == (response.status_code, response.json()["detail"])
    [line] = [line for line in logs if line["event"] == "access denied"]
    assert ("/whoami", "role-missing", detail) == (line["route"], line["reason"], line["detail"])


def test_any_of_the_roles_is_enough(client: AppClient) -> None:
    """Who files reads too; who has neither role is told both."""
    answers = [
        client.get("/filed", headers={"Authorization": f"Bearer token of {who}"}) for who in ("ann", "bob", "eve")
    ]
    assert [200, 200, 403] == [answer.status_code for answer in answers]
    assert "eve does not have the role 'tests.file' or 'tests.read'" == answers[2].json()["detail"]


def test_the_openapi_document_names_the_roles(client: AppClient) -> None:
    """As alternatives: any of them is enough; with the problems that whatever takes a role can lead to."""
    document = client.get("/openapi.json").json()
    operation = document["paths"]["/filed"]["get"]
    assert [{"bearer": ["tests.file"]}, {"bearer": ["tests.read"]}] == operation["security"]
    assert {"200", "401", "403", "503"} == operation["responses"].keys()
    assert "bearer" == document["components"]["securitySchemes"]["bearer"]["scheme"]


def test_a_role_is_declared_once() -> None:
    """All are listed with what they allow; a name of another form, or with another meaning, stops the import."""
    assert FILE is ROLES["tests.file"]
    assert FILE is declare_role("tests.file", FILE.description)
    for name in ("file", "Tests.file", "tests.", "tests.file-more"):
        with pytest.raises(ValueError, match=r"area\.verb"):
            declare_role(name, "Do something.")
    with pytest.raises(ValueError, match="declared already"):
        declare_role("tests.file", "Do something else.")
    with pytest.raises(ValueError, match="name a role"):
        require_role()


EVERY = "ann does not work for every property: name one, or have it done by who does"


@pytest.fixture
def houses() -> Iterator[AppClient]:
    """Routes of a property, of one if named, of every one, of own ones, of none; ann works for two, bob for all."""
    router = APIRouter()
    reader = require_role(READ)

    @router.get("/of/{property}", dependencies=[reader])
    async def of(property: str) -> str:  # noqa: A002 - the name of the parameter
        return property

    @router.get("/some", dependencies=[reader])
    async def some(name: Annotated[list[str] | None, Query(alias="property")] = None, limit: int = 1) -> str:
        del name, limit
        return "shown"

    @router.get("/every", dependencies=[require_role(READ, whose="every")])
    async def every() -> str:
        return "everything"

    @router.get("/own")
    async def own(caller: Annotated[Caller, caller_for_own(READ)]) -> list[str] | None:
        return None if caller.own is None else sorted(caller.own)

    @router.get("/law", dependencies=[require_role(READ, whose="none")])
    async def law() -> str:
        return "the law"

    identities = KnownTokens(
        {person: ["tests.read"] for person in ("ann", "bob", "eve")},
        {"ann": ["riverside", "bayside"], "eve": []},
    )
    app = create_app(
        service="test",
        version="1",
        metrics=Metrics(),
        checks={},
        identities=identities,
        record_refusal=never,
        router=router,
    )
    with AppClient(app) as client:
        yield client


@pytest.mark.parametrize(
    ("person", "path", "detail"),
    [
        ("ann", "/of/riverside", None),
        ("ann", "/of/uptown", "ann does not work for property uptown"),
        ("ann", "/of/Riverside", "ann does not work for property Riverside"),
        ("ann", "/of/*", "ann does not work for property *"),
        ("ann", "/some?property=bayside", None),
        ("ann", "/some?property=bayside&property=uptown", "ann does not work for property uptown"),
        ("ann", "/some", EVERY),
        ("ann", "/every", EVERY),
        ("ann", "/own", None),
        ("bob", "/of/uptown", None),
        ("bob", "/some", None),
        ("bob", "/every", None),
        ("eve", "/of/riverside", "eve does not work for property riverside"),
        ("eve", "/some", EVERY.replace("ann", "eve")),
        ("eve", "/law", None),
    ],
)
def test_whoever_works_for_a_property_reaches_no_other(
    houses: AppClient, person: str, path: str, detail: str | None
) -> None:
    """Every property that a request names is asked for; one that names none takes somebody who works for all."""
    response = houses.get(path, headers={"Authorization": f"Bearer token of {person}"})
    if detail is None:
        assert 200 == response.status_code
    else:
        assert_problem(response, 403, detail)
        assert "urn:pitledger:problem:property-missing" == response.json()["type"]


@pytest.mark.parametrize("path", ["/of/riverside", "/some", "/every", "/own", "/law"])
def test_a_query_parameter_that_a_route_does_not_have_is_refused(houses: AppClient, path: str) -> None:
    """Whoever sends it: it is named, with those that the route has, and nothing is looked at."""
    for query in ("Property=riverside", "property[]=riverside", "nothing=1"):
        response = houses.get(f"{path}?{query}", headers={"Authorization": "Bearer token of bob"})
        assert_problem(response, 422, "unknown query parameter")
        assert ("limit, property" in response.json()["detail"]) == (path == "/some")
    if path != "/some":
        response = houses.get(f"{path}?property=riverside", headers={"Authorization": "Bearer token of ann"})
        assert_problem(response, 422, "query.property: unknown query parameter; this route knows none")


def test_a_route_that_does_not_say_whose_data_it_is_about_cannot_be_built() -> None:
    """Neither one that names no property and would need one, nor one that names a property and asks for none."""
    for path, dependency in (
        ("/some", require_role(READ)),
        ("/of/{property}", require_role(READ, whose="every")),
        ("/of/{property}", caller_for_own(READ)),
    ):
        router = APIRouter()
        router.add_api_route(path, lambda: "shown", dependencies=[dependency])
        with pytest.raises(ValueError, match="is about data of"):
            create_app(
                service="test",
                version="1",
                metrics=Metrics(),
                checks={},
                identities=KnownTokens({}),
                record_refusal=never,
                router=router,
            )
