"""The HTTP shell: what a service says of itself, problems as RFC 9457, health, readiness and metrics."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from fastapi import Request
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from shared.contracts.rejection import Reason
from shared.runtime.http.access import Caller, Nobody
from shared.runtime.http.app import OPEN_PATHS, create_app
from shared.runtime.http.problems import PROBLEM
from shared.runtime.metrics import Metrics
from tests.support.identities import KnownTokens
from tests.support.shell import BEARER, Recorded, a_router, an_app, ask


async def unreachable(request: Request, caller: Caller, reason: Reason, detail: str) -> None:
    """The database is away."""
    raise TimeoutError((request.url.path, caller.person, reason, detail))


@pytest.mark.parametrize(
    ("which", "problem"),
    [
        (
            "refused",
            {
                "type": "urn:pitledger:problem:not-allowed",
                "title": "The rules do not allow it",
                "status": 422,
                "detail": "seat 3: 'double' 12000 exceeds the wager 10000 (§ 633a.10(a))",
                "paragraph": "§ 633a.10(a)",
            },
        ),
        (
            "decided",
            {
                "type": "urn:pitledger:problem:already-decided",
                "title": "Already decided",
                "status": 409,
                "detail": "version 2 was approved already",
                "paragraph": "§ 601a.9",
            },
        ),
        (
            "nothing",
            {
                "type": "urn:pitledger:problem:not-found",
                "title": "Not found",
                "status": 404,
                "detail": "there is no version 9",
            },
        ),
    ],
)
def test_an_error_is_a_problem_document(which: str, problem: dict[str, Any]) -> None:
    """RFC 9457: the media type, a stable type, its title, and a detail that says what to do."""
    response = ask(an_app(), "GET", f"/errors/{which}")
    assert (problem["status"], PROBLEM) == (response.status_code, response.headers["content-type"])
    assert problem == response.json()


@pytest.mark.parametrize(
    ("which", "what"), [("fenced", "others came first each time"), ("away", "a server does not answer: TimeoutError")]
)
def test_what_can_be_done_later_is_to_be_tried_again(which: str, what: str) -> None:
    """Nothing is wrong with the request: 503, and when to send it again."""
    response = ask(an_app(), "POST", f"/errors/{which}", headers=BEARER)
    assert (503, "1") == (response.status_code, response.headers["retry-after"])
    assert f"{what}; try again with the same Idempotency-Key" == response.json()["detail"]


def test_a_rejection_without_a_paragraph_cites_none() -> None:
    """Where no paragraph forbids it, none is made up."""
    assert "paragraph" not in ask(an_app(), "GET", "/errors/form").json()


@pytest.mark.parametrize(
    ("method", "path", "status", "reason", "allow"),
    [
        ("GET", "/nowhere", 404, "not-found", None),
        ("GET", "/healthz/", 404, "not-found", None),
        ("DELETE", "/healthz", 405, "method-not-allowed", "GET"),
    ],
)
def test_what_no_route_takes_is_a_problem_too(
    method: str, path: str, status: int, reason: str, allow: str | None
) -> None:
    """The framework's own errors have the same form, and keep their headers."""
    response = ask(an_app(), method, path)
    assert (status, PROBLEM, allow) == (
        response.status_code,
        response.headers["content-type"],
        response.headers.get("allow"),
    )
    assert (status, f"urn:pitledger:problem:{reason}") == (response.json()["status"], response.json()["type"])


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
    assert (422, "urn:pitledger:problem:malformed") == (response.status_code, response.json()["type"])


# --- what is recorded of refusals ---


@pytest.mark.parametrize(
    ("which", "reason", "detail"),
    [
        ("refused", Reason.NOT_ALLOWED, "seat 3: 'double' 12000 exceeds the wager 10000 (§ 633a.10(a))"),
        ("decided", Reason.ALREADY_DECIDED, "version 2 was approved already"),
        ("nothing", Reason.NOT_FOUND, "there is no version 9"),
    ],
)
def test_a_rejected_command_is_recorded(which: str, reason: Reason, detail: str) -> None:
    """Who asked for what, with the reason and the detail that are answered."""
    recorded: Recorded = []
    response = ask(an_app(recorded=recorded), "POST", f"/errors/{which}", headers=BEARER)
    assert (f"urn:pitledger:problem:{reason}", detail) == (response.json()["type"], response.json()["detail"])
    assert [(f"/errors/{which}", "ann", reason, detail)] == recorded


def test_of_a_malformed_command_places_and_kinds_are_recorded() -> None:
    """Neither what stood there nor a name that nobody knows: both may be what must not be kept."""
    recorded: Recorded = []
    body = {"cents": "4711-kiwi", "5822-plum": 1}
    response = ask(an_app(recorded=recorded), "POST", "/wagers/6933-lime", json=body, headers=BEARER)
    assert 422 == response.status_code
    [(_, person, reason, detail)] = recorded
    assert ("ann", Reason.MALFORMED) == (person, reason)
    assert "malformed: path.number int_parsing; body.cents int_parsing; body extra_forbidden" == detail


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
    ("method", "path"), [("GET", "/errors/decided"), ("POST", "/nowhere"), ("DELETE", "/errors/decided")]
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
        identities=KnownTokens({"ann": ()}),
        record_refusal=unreachable,
        router=a_router(),
    )
    response = ask(app, "POST", "/errors/decided", headers=BEARER)
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
    """Prometheus can scrape the service, and its process."""
    response = ask(an_app(), "GET", "/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=")
    assert "# TYPE pitledger_ready gauge" in response.text
    assert "process_resident_memory_bytes " in response.text


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
        service="test", version="1", metrics=Metrics(), checks=checks, identities=Nobody(), record_refusal=unreachable
    )
    assert [503, 200] == [ask(app, "GET", "/readyz").status_code for _ in range(2)]


def test_metrics_are_those_of_the_moment_at_which_they_are_asked_for() -> None:
    """What waits is told as it is, and not as it was when the metrics were sampled last."""
    metrics, waiting = Metrics(), iter([3, 0])
    app = create_app(
        service="test",
        version="1",
        metrics=metrics,
        checks={},
        identities=Nobody(),
        record_refusal=unreachable,
        observe=lambda: metrics.lag.labels("table.events", "0").set(next(waiting)),
    )
    told = [ask(app, "GET", "/metrics").text for _ in range(2)]
    lag = 'pitledger_consumer_lag_records{partition="0",topic="table.events"}'
    assert [True, True] == [f"{lag} {number}.0" in text for number, text in zip((3, 0), told, strict=True)]


def test_a_service_says_what_it_is() -> None:
    """`GET /` needs no token, and every link in it leads somewhere."""
    app = an_app()
    document = ask(app, "GET", "/").json()
    assert ("test", "Pitledger test", "1") == (document["name"], document["title"], document["version"])
    assert OPEN_PATHS == {"/", *document["links"].values()}
    assert {200} == {ask(app, "GET", path).status_code for path in document["links"].values()}


def test_the_documentation_needs_no_internet() -> None:
    """Everything that the page at /docs loads comes from the service itself."""
    app = an_app()
    page = ask(app, "GET", "/docs").text
    assert [] == re.findall("https?://", page)
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert 3 == len(loaded)
    for path in loaded:
        assert 200 == ask(app, "GET", path).status_code, path


def test_the_openapi_document_is_complete() -> None:
    """It names the service and its routes, and its problems are problem documents."""
    document = ask(an_app(), "GET", "/openapi.json").json()
    assert ("Pitledger test", "1") == (document["info"]["title"], document["info"]["version"])
    assert {"/", "/healthz", "/readyz", "/metrics", "/wagers/{number}"} <= document["paths"].keys()
    problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
    assert {PROBLEM: problem} == document["paths"]["/wagers/{number}"]["post"]["responses"]["422"]["content"]
    assert {"Finding", "Mistake", "Problem", "Links", "ServiceDocument", "Wager"} == document["components"][
        "schemas"
    ].keys()


def test_the_framework_tells_nobody_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would record malformed requests, with what they hold, wherever somebody traces."""
    recorded = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(recorded))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    assert 404 == ask(an_app(), "GET", "/errors/nothing").status_code
    assert () == recorded.get_finished_spans()
