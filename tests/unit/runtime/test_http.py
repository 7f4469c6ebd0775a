"""The HTTP shell: problems as RFC 9457, health, readiness and metrics."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI, HTTPException, Request
from pydantic import BaseModel, ConfigDict

from shared.journal.ledger import Fenced
from shared.rules.errors import Refused
from shared.runtime.metrics import Metrics
from shared.runtime.web.access import Caller, token_hash
from shared.runtime.web.app import PROBLEM, Check, Conflict, NotFound, create_app
from tests.support.asgi import AppClient


class Wager(BaseModel):
    """A body with one field."""

    model_config = ConfigDict(extra="forbid")

    cents: int


def a_router() -> APIRouter:
    """Routes that end in every way that there is."""
    router = APIRouter()
    errors = {
        "refused": Refused("'double' 12000 exceeds the wager 10000", seat=3, paragraph="§ 633a.10(a)"),
        "form": Refused("unknown field 'x'"),
        "conflict": Conflict("version 2 was approved already"),
        "nothing": NotFound("there is no version 9"),
        "fenced": Fenced("shard commands stands at entry 9"),
        "away": TimeoutError("the database"),
        "teapot": HTTPException(418, "short and stout", {"X-Handle": "here"}),
    }

    @router.get("/errors/{which}")
    @router.post("/errors/{which}")
    def fail(which: str) -> None:
        raise errors[which]

    @router.post("/wagers/{number}")
    def wager(number: int, wager: Wager) -> int:
        return number + wager.cents

    return router


ANN = Caller(person="ann", token_sha256=token_hash("token of ann"))
BEARER = {"Authorization": "Bearer token of ann"}

Recorded = list[tuple[str, str, int, str]]
"""The refusals that were recorded: path, person, status, reason."""


def a_check(found: str | None) -> Check:
    """A check that finds this."""

    async def check() -> str | None:
        return found

    return check


def an_app(metrics: Metrics | None = None, recorded: Recorded | None = None, **found: str | None) -> FastAPI:
    """A service with these routes, whose checks find these, and which ann may call."""

    async def record(request: Request, caller: Caller, status: int, reason: str) -> None:
        if recorded is not None:
            recorded.append((request.url.path, caller.person, status, reason))

    return create_app(
        service="test",
        version="1",
        metrics=metrics or Metrics(),
        checks={name: a_check(what) for name, what in found.items()},
        callers=[ANN],
        record_refusal=record,
        router=a_router(),
    )


async def unreachable(request: Request, caller: Caller, status: int, reason: str) -> None:
    """The database is away."""
    raise TimeoutError((request.url.path, caller.person, status, reason))


def ask(app: FastAPI, method: str, path: str, **arguments: Any) -> httpx.Response:
    """One request to a service."""
    with AppClient(app) as client:
        return client.request(method, path, **arguments)


@pytest.mark.parametrize(
    ("which", "problem"),
    [
        (
            "refused",
            {
                "status": 422,
                "detail": "seat 3: 'double' 12000 exceeds the wager 10000 (§ 633a.10(a))",
                "paragraph": "§ 633a.10(a)",
            },
        ),
        ("conflict", {"status": 409, "detail": "version 2 was approved already"}),
        ("nothing", {"status": 404, "detail": "there is no version 9"}),
    ],
)
def test_an_error_is_a_problem_document(which: str, problem: dict[str, Any]) -> None:
    """RFC 9457: the media type, a title for the status, and a detail that says what to do."""
    response = ask(an_app(), "GET", f"/errors/{which}")
    assert (problem["status"], PROBLEM) == (response.status_code, response.headers["content-type"])
    assert {"type": "about:blank", "title": HTTPStatus(problem["status"]).phrase, **problem} == response.json()


@pytest.mark.parametrize(
    ("which", "what"), [("fenced", "others came first each time"), ("away", "the database does not answer")]
)
def test_what_can_be_done_later_is_to_be_tried_again(which: str, what: str) -> None:
    """Nothing is wrong with the request: 503, and when to send it again."""
    response = ask(an_app(), "POST", f"/errors/{which}", headers=BEARER)
    assert (503, "1") == (response.status_code, response.headers["retry-after"])
    assert f"{what}; try again with the same Idempotency-Key" == response.json()["detail"]


def test_a_refusal_of_the_form_cites_no_paragraph() -> None:
    """Where no paragraph forbids it, none is made up."""
    assert ask(an_app(), "GET", "/errors/form").json()["paragraph"] is None


def test_an_http_error_keeps_its_headers() -> None:
    """What a route adds to an error reaches the caller."""
    response = ask(an_app(), "GET", "/errors/teapot")
    assert (418, "here", "short and stout") == (
        response.status_code,
        response.headers["x-handle"],
        response.json()["detail"],
    )


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nowhere", 404), ("DELETE", "/healthz", 405)])
def test_what_no_route_takes_is_a_problem_too(method: str, path: str, status: int) -> None:
    """The framework's own errors have the same form."""
    response = ask(an_app(), method, path)
    assert (status, PROBLEM, status) == (
        response.status_code,
        response.headers["content-type"],
        response.json()["status"],
    )


def test_an_invalid_request_names_every_field() -> None:
    """Everything that is wrong is said at once, with its place."""
    response = ask(an_app(), "POST", "/wagers/first", json={"cents": "many", "tip": 1}, headers=BEARER)
    assert (422, PROBLEM) == (response.status_code, response.headers["content-type"])
    assert {"path.number", "body.cents", "body.tip"} == {error["at"] for error in response.json()["errors"]}
    assert "path.number: " in response.json()["detail"]


@pytest.mark.parametrize("body", [b"{", b"[1", b'{"cents": 1, "\\ud800": 2}', b"\xff\xfe", b"null", b""])
def test_a_body_that_cannot_be_read_is_a_problem(body: bytes) -> None:
    """Not JSON, half of a surrogate pair, not even text: the answer is still a problem."""
    response = ask(an_app(), "POST", "/wagers/1", content=body, headers=BEARER | {"Content-Type": "application/json"})
    assert PROBLEM == response.headers["content-type"]
    assert response.status_code in (400, 422)


# --- what is recorded of refusals ---


@pytest.mark.parametrize(
    ("which", "status", "reason"),
    [
        ("refused", 422, "seat 3: 'double' 12000 exceeds the wager 10000 (§ 633a.10(a))"),
        ("conflict", 409, "version 2 was approved already"),
        ("nothing", 404, "there is no version 9"),
        ("teapot", 418, "short and stout"),
    ],
)
def test_a_refused_command_is_recorded(which: str, status: int, reason: str) -> None:
    """Who asked for what, with the status and the reason that are answered."""
    recorded: Recorded = []
    response = ask(an_app(recorded=recorded), "POST", f"/errors/{which}", headers=BEARER)
    assert (status, reason) == (response.status_code, response.json()["detail"])
    assert [(f"/errors/{which}", "ann", status, reason)] == recorded


def test_of_a_malformed_command_places_and_kinds_are_recorded() -> None:
    """Neither what stood there nor a name that nobody knows: both may be what must not be kept."""
    recorded: Recorded = []
    body = {"cents": "4711-kiwi", "5822-plum": 1}
    response = ask(an_app(recorded=recorded), "POST", "/wagers/6933-lime", json=body, headers=BEARER)
    assert 422 == response.status_code
    [(_, person, status, reason)] = recorded
    assert ("ann", 422) == (person, status)
    assert "malformed: path.number int_parsing; body.cents int_parsing; body extra_forbidden" == reason


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer token of nobody"}])
@pytest.mark.parametrize("body", [b'{"cents": 1, "tip": 1}', b"{"])
def test_somebody_unknown_is_told_nothing_and_not_recorded(headers: dict[str, str], body: bytes) -> None:
    """401 before any mistake is named, also where the body cannot be read; counted by route, and no entry."""
    recorded, metrics = Recorded(), Metrics()
    headers = headers | {"Content-Type": "application/json"}
    response = ask(an_app(metrics, recorded), "POST", "/wagers/1", content=body, headers=headers)
    assert (401, "Bearer") == (response.status_code, response.headers["www-authenticate"])
    assert [] == recorded
    labels = {"method": "POST", "route": "/wagers/{number}", "status": "401"}
    assert 1 == metrics.registry.get_sample_value("pitledger_http_requests_total", labels)


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/errors/conflict"), ("POST", "/nowhere"), ("DELETE", "/errors/conflict")]
)
def test_what_is_no_command_is_not_recorded(method: str, path: str) -> None:
    """What is only read, and what no route takes."""
    recorded: Recorded = []
    assert ask(an_app(recorded=recorded), method, path, headers=BEARER).status_code in (404, 405, 409)
    assert [] == recorded


def test_a_refusal_that_cannot_be_recorded_is_not_answered() -> None:
    """Nobody gets an answer that is not in the journal: 503, and the same request may be sent again."""
    app = create_app(
        service="test",
        version="1",
        metrics=Metrics(),
        checks={},
        callers=[ANN],
        record_refusal=unreachable,
        router=a_router(),
    )
    response = ask(app, "POST", "/errors/conflict", headers=BEARER)
    assert (503, "1") == (response.status_code, response.headers["retry-after"])


# --- health and metrics ---


def test_alive() -> None:
    """The process answers."""
    response = ask(an_app(database="gone"), "GET", "/healthz")
    assert (200, {"status": "alive"}) == (response.status_code, response.json())


def test_ready_when_every_check_is_good() -> None:
    """Readiness lists what was checked."""
    metrics = Metrics()
    response = ask(an_app(metrics, database=None, lag=None), "GET", "/readyz")
    assert 200 == response.status_code
    assert {"status": "ready", "checks": {"database": "good", "lag": "good"}} == response.json()
    assert 1 == metrics.registry.get_sample_value("pitledger_ready")


def test_not_ready_lists_every_reason() -> None:
    """Readiness says what is wrong and what is not, as a problem."""
    metrics = Metrics()
    response = ask(an_app(metrics, database="does not answer", lag=None, verification="1 problem"), "GET", "/readyz")
    assert (503, PROBLEM) == (response.status_code, response.headers["content-type"])
    assert "database: does not answer; verification: 1 problem" == response.json()["detail"]
    assert {"database": "does not answer", "lag": None, "verification": "1 problem"} == response.json()["checks"]
    assert 0 == metrics.registry.get_sample_value("pitledger_ready")


def test_metrics_are_in_the_text_format() -> None:
    """Prometheus can scrape the service."""
    response = ask(an_app(), "GET", "/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=")
    assert "# TYPE pitledger_ready gauge" in response.text


@pytest.mark.parametrize(
    ("request_line", "labels"),
    [
        (("GET", "/errors/nothing", None), {"method": "GET", "route": "/errors/{which}", "status": "404"}),
        (
            ("POST", "/wagers/12", {"cents": 5}),
            {"method": "POST", "route": "/wagers/{number}", "status": "200"},
        ),
        (("GET", "/readyz", None), {"method": "GET", "route": "/readyz", "status": "200"}),
        (("GET", "/no/such/player", None), {"method": "GET", "route": "unmatched", "status": "404"}),
    ],
)
def test_requests_are_counted_by_route(request_line: tuple[str, str, Any], labels: dict[str, str]) -> None:
    """The label is the route's template: what a caller puts into a path never becomes a label."""
    metrics = Metrics()
    method, path, body = request_line
    ask(an_app(metrics), method, path, json=body)
    assert 1 == metrics.registry.get_sample_value("pitledger_http_requests_total", labels)
    assert 1 == metrics.registry.get_sample_value("pitledger_http_request_seconds_count", {"route": labels["route"]})


def test_readiness_checks_run_at_every_request() -> None:
    """Readiness is what is true now."""
    answers = iter(["starting", None])

    async def check() -> str | None:
        return next(answers)

    checks: dict[str, Callable[[], Awaitable[str | None]]] = {"start": check}
    app = create_app(
        service="test", version="1", metrics=Metrics(), checks=checks, callers=(), record_refusal=unreachable
    )
    assert [503, 200] == [ask(app, "GET", "/readyz").status_code for _ in range(2)]


def test_the_interface_describes_itself() -> None:
    """OpenAPI names the service and its routes."""
    document = ask(an_app(), "GET", "/openapi.json").json()
    assert ("Pitledger test", "1") == (document["info"]["title"], document["info"]["version"])
    assert {"/healthz", "/readyz", "/metrics", "/wagers/{number}"} <= document["paths"].keys()
