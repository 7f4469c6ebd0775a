"""One door for systems and people: what passes, under whose token, and what does not."""

import httpx
import pytest

from tests.support.console import Browser, Stage
from tests.support.openapi import document_of

SECRET = "a-token-of-a-system"

METRICS = (
    "/metrics",
    "/%6detrics",
    "//metrics",
    "/./metrics",
    "/%2e/metrics",
    "/metrics/",
    "/x/../metrics",
    "/x/%2e%2e/metrics",
    "/x%2F..%2Fmetrics",
    "/metrics?x=y",
    "/../reporting/metrics",
)
ELSEWHERE = (
    "/api/reporting%2F@evil.example/",
    "/api/reporting%2f@evil.example/x",
    "/api/reporting%2F.evil.example/x",
    "/api/%72eporting/floors",
    "/%61pi/reporting/floors",
    "/api/reporting@evil.example/floors",
    "/api/evil.example/floors",
    "/api//evil.example/floors",
    "/api/..%2Fevil.example/floors",
)


@pytest.fixture
def browser(stage: Stage) -> Browser:
    """A browser with which somebody has logged in."""
    return stage.browser("pit.pat")


def test_a_system_is_passed_on_as_it_is(stage: Stage) -> None:
    """Its own token, method, path with its encoding, query and body; no cookie and no header of the connection."""
    stage.services.answers["reporting", "POST", "/a%2Fb/c"] = lambda asked: httpx.Response(
        201, json={"sent": asked.content.decode()}, headers={"set-cookie": "x=y", "connection": "x-own", "x-own": "1"}
    )
    browser = stage.browser()
    browser.cookies.set("other", "cookie", domain="console.test")
    answer = browser.request(
        "POST",
        "/api/reporting/a%2Fb/c?day=2026-11-22&day=%26",
        content=b"body",
        headers={
            "authorization": f"Bearer {SECRET}",
            "connection": "close, X-Hop",
            "x-hop": "1",
            "te": "trailers",
            "proxy-authorization": "Basic eDp5",
            "upgrade": "h2c",
            "idempotency-key": "key-1",
        },
    )
    assert (201, {"sent": "body"}) == (answer.status_code, answer.json())
    assert answer.headers.keys().isdisjoint({"set-cookie", "x-own"})
    [asked] = stage.services.asked
    assert b"/a%2Fb/c?day=2026-11-22&day=%26" == asked.url.raw_path
    assert (f"Bearer {SECRET}", "key-1") == (asked.headers["authorization"], asked.headers["idempotency-key"])
    assert asked.headers.keys().isdisjoint({"cookie", "x-hop", "te", "proxy-authorization", "upgrade"})
    assert "reporting" == asked.headers["host"]


def test_a_page_asks_under_the_token_of_its_person(stage: Stage, browser: Browser) -> None:
    """Reading needs the session alone; what changes something needs what only its pages know, from its own origin."""
    stage.services.answers["reporting", "GET", "/floors"] = (200, [])
    csrf = browser.csrf()
    stage.services.asked.clear()
    assert 200 == browser.get("/api/reporting/floors").status_code
    [asked] = stage.services.asked
    assert "pit.pat" == stage.run(stage.console.tokens.caller_of(asked.headers["authorization"][7:])).person
    assert "cookie" not in asked.headers
    for refused in (
        {},
        {"x-csrf-token": "wrong"},
        {"x-csrf-token": ""},
        {"x-csrf-token": csrf, "origin": "https://evil.example"},
    ):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            answer = browser.request(method, "/api/reporting/x", headers=refused, content=f"csrf={csrf}")
            assert 403 == answer.status_code, (method, refused)
    assert [asked] == stage.services.asked
    browser.request("POST", "/api/reporting/x", headers={"x-csrf-token": csrf}, json={})
    assert ["GET", "POST"] == [one.method for one in stage.services.asked]
    assert "x-csrf-token" not in stage.services.asked[-1].headers


def test_nobody_learns_but_whether_a_service_is_there(stage: Stage) -> None:
    """Without a token and a session: health, and what the interface is. Nothing else is even asked."""
    browser = stage.browser()
    for path in ("floors", "rounds/find?round_id=1", "healthz/../floors", "healthz%2f..%2ffloors"):
        answer = browser.get_as_sent(f"/api/reporting/{path}")
        assert answer.status_code in (401, 404), path
    assert [] == stage.services.asked
    assert document_of("reporting") == browser.get("/api/reporting/openapi.json").json()
    for path in ("healthz", "readyz"):
        browser.get(f"/api/reporting/{path}")
    assert ["/healthz", "/readyz"] == [one.url.path for one in stage.services.asked]
    assert all("authorization" not in one.headers for one in stage.services.asked)


def test_metrics_are_shown_to_nobody(stage: Stage, browser: Browser) -> None:
    """However the path is written, and with whatever token."""
    for path in METRICS:
        for headers in ({}, {"authorization": f"Bearer {SECRET}"}):
            answer = browser.get_as_sent(f"/api/reporting{path}", **headers)
            assert 404 == answer.status_code, path
    assert [] == stage.services.asked


def test_no_path_takes_a_token_to_another_host(stage: Stage, browser: Browser) -> None:
    """What stands in the path never becomes a part of the address of the service."""
    for target in ELSEWHERE:
        assert 404 == browser.get_as_sent(target).status_code, target
    assert [] == stage.services.asked


def test_a_service_that_is_down_is_a_problem_to_try_again(stage: Stage, browser: Browser) -> None:
    """The answer says which service does not answer."""

    def down(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    stage.services.answers["vigorish", "GET", "/follow-ups"] = down
    answer = browser.get("/api/vigorish/follow-ups")
    assert (503, "vigorish does not answer: ConnectError") == (answer.status_code, answer.json()["detail"])
