"""Requests that a page of somebody else makes a browser send, and forms that no page of the console made."""

import pytest

from tests.support.console import URL, Browser, Stage

COMMAND = "/do/table-inventory/close-day"
PATH = "/gaming-days/riverside/2026-11-22/preliminary"

ELSEWHERE = (
    "//evil.example",
    "https://evil.example",
    "https:evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "%2F%2Fevil.example",
    "/\t/evil.example",
    "http://console.test@evil.example/",
)


@pytest.fixture
def browser(stage: Stage) -> Browser:
    """A browser with which somebody has logged in."""
    return stage.browser("pit.pat")


def closed(stage: Stage) -> int:
    """Return how often a service was told to do something."""
    return sum(one.method != "GET" for one in stage.services.asked)


def form(csrf: str | None) -> dict[str, str]:
    """Return a form that is filled in."""
    filled = {"property": "riverside", "gaming_day": "2026-11-22", "key": "console.1"}
    return filled if csrf is None else filled | {"csrf": csrf}


def test_a_form_needs_what_only_pages_of_its_session_know(stage: Stage, browser: Browser) -> None:
    """CSRF: nothing, something wrong, and what another session of the same person has are refused; its own is sent."""
    other = stage.browser("pit.pat")
    for csrf in (None, "", "wrong", other.csrf()):
        answer = browser.post(COMMAND, form(csrf))
        assert (403, True) == (answer.status_code, "This form belongs to another session" in answer.text), csrf
    assert 403 == browser.post("/logout", {}).status_code
    assert 403 == browser.post("/p/riverside/what-if/blackjack/1", {"csrf": "wrong"}).status_code
    assert (0, 200) == (closed(stage), browser.get("/").status_code)
    browser.post(COMMAND, form(browser.csrf()))
    assert 1 == closed(stage)


def test_a_form_of_another_origin_is_refused(stage: Stage, browser: Browser) -> None:
    """Even with what only the session knows: another site, the same name without TLS's own, no origin at all."""
    csrf = browser.csrf()
    for origin in ("https://evil.example", "http://console.test.evil.example", "https://console.test", "null"):
        assert 403 == browser.post(COMMAND, form(csrf), origin=origin).status_code, origin
        assert 403 == browser.post("/logout", {"csrf": csrf}, origin=origin).status_code, origin
    assert 0 == closed(stage)
    browser.post(COMMAND, form(csrf), origin=URL)
    assert 1 == closed(stage)


def test_a_form_of_nobody_leads_to_the_login(stage: Stage) -> None:
    """Without a session nothing is sent on, and the page says to log in."""
    answer = stage.browser().post(COMMAND, form("anything"))
    assert (401, True, 0) == (answer.status_code, 'href="/login"' in answer.text, closed(stage))


@pytest.mark.parametrize("body", ["a=" + "x" * 1_048_577, "&".join(["a=b"] * 5_001)], ids=["long", "many fields"])
def test_a_form_that_is_too_long_is_refused(browser: Browser, body: str) -> None:
    """Bytes and fields have a limit."""
    answer = browser.request("POST", COMMAND, content=body)
    assert (413, True) == (answer.status_code, "This form is too long" in answer.text)


def test_nobody_is_sent_elsewhere(stage: Stage, browser: Browser) -> None:
    """Open redirect: what a link says about where to go back to is a path of the console, or the first page."""
    stage.services.answers["table-inventory", "POST", PATH] = (200, {})
    csrf, fresh = browser.csrf(), stage.browser()
    for there in ELSEWHERE:
        assert "/" == fresh.log_in("pit.pat", there).headers["location"], there
        page = browser.get(COMMAND, params={"back": there}).text
        assert '<a class="button" href="/">' in page, there
        done = browser.post(COMMAND, form(csrf) | {"back": there})
        assert (200, True) == (done.status_code, '<a class="button main" href="/">' in done.text), there


def test_no_path_leads_to_another_host(browser: Browser) -> None:
    """Paths with two slashes, and with a slash too many at their end, stay on the console."""
    for target in ("//evil.example/", "//evil.example/%2e%2e", "/p//evil.example/", "/p/%5Cevil.example"):
        to = browser.get_as_sent(target).headers.get("location", "/")
        assert to.startswith(("/p/", f"{URL}/")) or to == "/", (target, to)
