"""Pages: what they tell the browser, how they show what services say, and a stream whose session ends."""

import json
import re
from copy import deepcopy
from datetime import timedelta
from functools import partial
from typing import Any

import httpx
import pytest

from services.console.static import address
from services.console.words import say
from tests.support import eventually
from tests.support.console import Browser, Form, Stage
from tests.support.json_text import with_members_twice
from tests.support.openapi import PATH, document_of

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
SLIPS = "/do/table-inventory/request-slip"
FLOOR = {
    "property": "riverside",
    "title": EVIL,
    "gaming_day": "2026-11-22",
    "shift": EVIL,
    "time_zone": "America/New_York",
    "at": "2026-11-22T20:00:00+00:00",
    "tables": [],
}

NAMES = {"tables": ["BJ01", "TH01"], "games": ["blackjack", "texas-holdem"], "shifts": ["day", "swing"]}
NAMES |= {"pits": ["pit-1"], "pools": [], "locations": ["cage"], "chip_sets": []}
"""What people choose from at the property."""


@pytest.fixture
def browser(stage: Stage) -> Browser:
    """A browser with which somebody has logged in."""
    stage.services.answers["reporting", "GET", "/floors"] = (200, [FLOOR, {**FLOOR, "property": "lakeside"}])
    stage.services.answers["reporting", "GET", "/floors/riverside"] = (200, FLOOR)
    return stage.browser("pit.pat")


def test_every_answer_says_what_the_browser_must_not_do(stage: Stage, browser: Browser) -> None:
    """Pages, refusals and answers of services: nothing inline, no frame, no guess of a type, nothing kept."""
    fresh = stage.browser()
    answers = [
        browser.get("/"),
        browser.get(SLIPS),
        browser.get("/nothing"),
        browser.get("/api/reporting/floors"),
        fresh.get("/"),
        fresh.get("/login"),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(policy.split("; "))
        assert ("nosniff", "same-origin", "no-store") == tuple(
            answer.headers[name] for name in ("x-content-type-options", "referrer-policy", "cache-control")
        )
    kept = browser.get(address("console.css"))
    assert (200, "public, max-age=31536000, immutable") == (kept.status_code, kept.headers["cache-control"])


def test_what_services_say_is_shown_as_text(stage: Stage, browser: Browser) -> None:
    """Markup in names, titles, refusals, queries and what was typed is never markup of the page."""
    stage.services.answers["table-inventory", "POST", "/requests"] = (422, {"title": EVIL, "detail": EVIL})
    typed = Form(browser.get(SLIPS).text).sent | {
        "property": "riverside",
        "table": EVIL,
        "shift": "day",
        "gaming_day": "2026-11-22",
    }
    pages = [
        browser.get("/"),
        browser.get("/p/riverside/floor"),
        browser.get(SLIPS, params={"table": EVIL, "back": f"/{EVIL}"}),
        browser.get(f"/p/riverside/search?q={EVIL}"),
        browser.get(f"/login/back?error={EVIL}"),
        browser.post(SLIPS, typed),
        browser.send(SLIPS, typed),
    ]
    for page in pages:
        assert "text/html; charset=utf-8" == page.headers["content-type"]
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
    assert 6 <= sum("&lt;script&gt;" in page.text for page in pages)


def test_the_page_of_a_day_names_what_is_missing_and_who_is_excused(stage: Stage, browser: Browser) -> None:
    """Which box, since when; which table, and why."""
    table: dict[str, Any] = {"table": "BJ-01", "win_cents": None, "missing": ["box"]}
    table["lacks"] = [{"what": "box", "name": "B2", "since": "2026-11-22T14:00:00Z"}]
    excused = [{"table": "BJ-02", "reason": f"renovated {EVIL}"}]
    whole = {"day": {"status": "open", "excused": excused}, "win": {"tables": [table], "total": {}}}
    whole |= {"variances": [], "adjustments": [], "follow_ups": []}
    stage.services.answers["table-inventory", "GET", "/gaming-days/riverside/2026-11-22/whole"] = (200, whole)
    page = browser.get("/p/riverside/days/2026-11-22").text
    since = '<time datetime="2026-11-22T14:00:00+00:00">2026-11-22 09:00:00</time>'
    for shown in (f"Box B2, since {since}", "Excused tables", "BJ-02", "renovated &lt;script&gt;"):
        assert shown in page, shown


def test_the_page_of_the_cage_shows_who_has_each_drawer_and_who_takes_it_over(stage: Stage, browser: Browser) -> None:
    """In the list of locations, and beside the cashier of each count, those that wait included."""
    pieces = [{"kind": "currency", "cents": 10_000, "count": 2}]
    count = {"location": "drawer-1", "contents": pieces, "cashier": "cage.ann", "counted_by": "cage.kay"}
    waiting = count | {"count": 3, "status": "entered", "next_cashier": f"cage.dee {EVIL}"}
    verified = count | {"count": 2, "status": "verified", "next_cashier": "cage.eli", "counted_cents": 20_000}
    located = [
        {"location": "cage", "kind": "cage"},
        {"location": "drawer-1", "kind": "drawer", "cashier": "cage.flo", "since_count": 2},
        {"location": "bank", "kind": "main_bank", "imprest_cents": 5_000_000},
    ]
    for path, answer in {
        "counts": {"items": [waiting, verified]},
        "transfers": {"items": []},
        "locations": {"items": located},
        "books": {"items": []},
    }.items():
        stage.services.answers["table-inventory", "GET", f"/cage/riverside/{path}"] = (200, answer)
    page = browser.get("/p/riverside/cage").text
    for shown in ("Locations and drawer assignments", "cage.flo", "main bank", "$50,000.00"):
        assert shown in page, shown
    assert (1, 2) == (page.count("cage.dee &lt;script&gt;"), page.count("cage.eli"))  # waiting; waiting and counted
    assert "Next cashier" in page


def test_the_meters_of_a_day_show_what_differs_and_lead_to_all_the_rest(stage: Stage, browser: Browser) -> None:
    """Hours that were compared are not asked for again until somebody wants that; each meter has all its readings."""
    day, pool = "/reconciliations/riverside/2026-11-22", "blackjack-link"
    of_round = {"pool": pool, "meter": "bad_beat", "table": "BJ-01", "game": "blackjack", "round_id": "r-7"}
    read = {"gaming_day": "2026-11-22", "reported_before_cents": 500019, "ledger_before_cents": 500020}
    said: dict[str, Any] = {**of_round, **read}
    found = {"balanced": False, "liability_cents": 500040, "exceptions": 1, "wrong": [f"pool {EVIL}: 1 listed"]}
    item = {"kind": "reading", **said}
    row = {"pool": pool, "readings": 125020, "readings_different": 1, "closing_cents": "500040.5"}
    movement = {"at": "2026-11-22T20:00:00Z", "kind": "round", "movement": {"shown_cents": 500040}}
    for path, answer in {
        day: found | {"pools": [row]},
        f"{day}/exceptions": {"items": [item]},
        f"{day}/pools/blackjack-link/readings": {"items": [said | {"number": 7, "different": True}], "next": "more"},
        "/pools/riverside/blackjack-link/movements": {"items": [movement]},
    }.items():
        stage.services.answers["progressive-meters", "GET", path] = (200, answer)
    page = browser.get("/p/riverside/days/2026-11-22/meters")
    assert "pool &lt;script&gt;" in page.text
    for shown in (
        "r-7",
        "$5,000.19",
        "$5,000.20",
        "125020",
        'href="/p/riverside/days/2026-11-22/meters/blackjack-link"',
    ):
        assert shown in page.text, shown
    assert {"false"} == {one.url.params["again"] for one in stage.services.asked if "again" in one.url.params}
    assert 'href="?again=true"' in page.text
    stage.services.asked.clear()
    assert "was compared for this page" in browser.get("/p/riverside/days/2026-11-22/meters?again=true").text
    assert {"true"} == {one.url.params["again"] for one in stage.services.asked if "again" in one.url.params}
    meter = browser.get("/p/riverside/days/2026-11-22/meters/blackjack-link").text
    for shown in ("r-7", "differs", "$5,000.40", "Showing the first"):
        assert shown in meter, shown
    [readings] = [one.url.params for one in stage.services.asked if one.url.path.endswith("/readings")]
    assert ("true", "500") == (readings["from_end"], readings["limit"])


def test_a_form_sends_what_was_filled_in(stage: Stage, browser: Browser) -> None:
    """Empty rows are no rows; a refusal stands at its field and gives a new key; a failure keeps the key."""
    page = Form(browser.get(SLIPS, params={"property": "riverside", "table": "BJ-01"}).text)
    rows = {name for name in page.sent if name.startswith("contents.")}
    assert 9 == len(rows)
    typed = page.sent | {"gaming_day": "2026-11-22", "shift": "day", "contents.1.cents": "25", "contents.1.count": "x"}
    wrong = browser.post(SLIPS, typed)
    assert (422, ["contents.1.count"]) == (wrong.status_code, Form(wrong.text).wrong)
    assert typed["key"] == Form(wrong.text).sent["key"]
    typed |= {"contents.1.count": "1,000"}
    answers = stage.services.answers
    answers["table-inventory", "POST", "/requests"] = (503, {"title": "Try again"})
    failed = browser.send(SLIPS, typed)
    assert (503, typed["key"]) == (failed.status_code, Form(failed.text).sent["key"])
    errors = [{"at": "body.contents.0.count", "what": "too many"}]
    answers["table-inventory", "POST", "/requests"] = (422, {"title": "Refused", "errors": errors})
    refused = Form(browser.send(SLIPS, typed).text)
    assert ["contents.1.count"] == refused.wrong
    assert typed["key"] != refused.sent["key"]
    answers["table-inventory", "POST", "/requests"] = (201, {"request": 7})
    assert 200 == browser.send(SLIPS, typed).status_code
    asked = stage.services.asked[-1]
    assert typed["key"] == asked.headers["idempotency-key"]
    assert [{"kind": "chip", "cents": 2500, "count": 1000}] == json.loads(asked.content)["contents"]


def test_more_rows_are_there_without_a_script(stage: Stage, browser: Browser) -> None:
    """The button of a list sends nothing, and the rows that were filled stay."""
    sent = Form(browser.get(SLIPS).text).sent | {"contents.2.cents": "5", "rows": "contents"}
    shown = Form(browser.post(SLIPS, sent).text).sent
    assert ("5", 7) == (shown["contents.2.cents"], sum(name.endswith(".cents") for name in shown))
    assert all("GET" == one.method for one in stage.services.asked)


def test_files_are_those_that_are_served(browser: Browser) -> None:
    """No path leads out of what browsers fetch, and none to its modules."""
    known = address("console.css").split("/")[2]
    for target in (
        "/static/../application.py",
        f"/static/{known}/..%2Fapplication.py",
        f"/static/{known}/%2e%2e/application.py",
        f"/static/{known}/__init__.py",
        f"/static/{known}/console.js",
        f"/static/{known}/..%5Cwords.yaml",
        "/docs/../static/__init__.py",
        "/docs/%2e%2e/%2e%2e/pyproject.toml",
    ):
        assert 404 == browser.get_as_sent(target).status_code, target


def test_a_person_without_a_role_sees_a_refusal_and_nothing_else(stage: Stage) -> None:
    """What somebody else's look brought is not shown: the service is asked again, under the person's own token."""

    def decided(request: httpx.Request) -> httpx.Response:
        caller = stage.console.tokens.caller_of(request.headers["authorization"].removeprefix("Bearer "))
        with pytest.raises(StopIteration) as done:
            caller.send(None)
        allowed = "reports.read" in done.value.value.roles
        return (
            httpx.Response(200, json=FLOOR) if allowed else httpx.Response(403, json={"title": "The role is missing"})
        )

    stage.services.answers["reporting", "GET", "/floors/riverside"] = decided
    assert 200 == stage.browser("pit.pat").get("/p/riverside/floor").status_code
    other = stage.browser("new.ned")
    for path in ("/p/riverside/floor", "/p/riverside/floor/stream", "/p/riverside/floor/BJ-01"):
        refused = other.get(path)
        assert (403, True, False) == (
            refused.status_code,
            "The role is missing" in refused.text,
            "script&gt;" in refused.text,
        )
    form = other.get(SLIPS).text
    assert "You do not have the role for this" in form


def test_a_stream_ends_with_its_session(stage: Stage, browser: Browser) -> None:
    """Whoever was logged out elsewhere sees the floor no longer: the stream that was open ends by itself."""
    looks: list[httpx.Request] = []

    def ending(request: httpx.Request) -> httpx.Response:
        looks.append(request)
        if len(looks) == 2:
            stage.console.sessions.close(browser.cookies["pitledger"])
        return httpx.Response(200, json=FLOOR)

    stage.services.answers["reporting", "GET", "/floors/riverside"] = ending
    answer = browser.get("/p/riverside/floor/stream")
    assert (200, "text/event-stream; charset=utf-8") == (answer.status_code, answer.headers["content-type"])
    assert (2, 1) == (len(looks), answer.text.count("event: totals"))


@pytest.mark.parametrize("path", ["/docs", "/docs/", "/docs/reports/"])
def test_documentation_that_was_not_built_is_said_to_be_missing(stage: Stage, path: str) -> None:
    """Every page leads to it: who runs the console from a clone is told what builds it."""
    answer = stage.browser().get(path)
    assert 404 == answer.status_code
    assert "make docs" in answer.text


def test_the_desk_shows_what_is_requested_and_offers_to_withdraw_it(stage: Stage) -> None:
    """Its gaming day and amount are there before anybody prepares a slip; whoever asked can take it back."""
    asked = {"property": "riverside", "request": 7, "slip": "fill", "table": "BJ-01", "gaming_day": "2026-11-22"}
    asked |= {"shift": "day", "cents": 123450, "requested_by": "pit.pat", "requested_at": "2026-11-22T20:00:00Z"}
    answers = stage.services.answers
    answers["reporting", "GET", "/floors"] = (200, [FLOOR])
    answers["reporting", "GET", "/floors/riverside"] = (200, FLOOR)
    answers["table-inventory", "GET", "/requests"] = (200, {"items": [asked]})
    answers["table-inventory", "GET", "/slips"] = (200, {"items": []})
    page = stage.browser("pit.pat").get("/p/riverside/desk").text
    [row] = [part for part in page.split("<tr") if "/do/table-inventory/withdraw-request?" in part]
    assert all(said in row for said in ("request=7", "2026-11-22", "1,234.50", "BJ-01", "pit.pat"))


def test_other_minimums_are_asked_for_in_dollars(stage: Stage, browser: Browser) -> None:
    """Several at once; both assumptions stand above the figures, and what is not read is said."""
    wagered = {"seats": 3, "handle_cents": 123_400, "rated_handle_cents": 0, "theoretical_win_cents": 0}
    under = {"seats_below": 1, "recorded": wagered, "raised": wagered | {"handle_cents": 234_500}, "left": wagered}
    found = {
        "rounds": 3,
        "books": "The books show.",
        "assumed": {"raised": "Assumed: raised.", "left": "Assumed: left."},
        "stakes": [{"main_cents": 2_500, "seats": 3}],
        "edges": [{"version": 1, "wager": "blackjack", "house_edge": None, "source": None}],
        "minimums": [
            {"minimum_cents": 5_000, "total": under, "hours": [{"sign_cents": None, "hour": "13:00", **under}]}
        ],
    }
    stage.services.answers["round-settlement", "GET", "/minimums"] = (200, found)
    browser.get("/p/riverside/minimums/blackjack")
    assert "/minimums" not in {one.url.path for one in stage.services.asked}
    page = browser.get("/p/riverside/minimums/blackjack?first=2026-11-20&last=2026-11-20&minimum=%2450+12.50").text
    for said in ("Assumed: raised.", "Assumed: left.", "Under a minimum of $50.00", "$2,345.00", "excluded from the"):
        assert said in page
    [asked] = [one for one in stage.services.asked if one.url.path == "/minimums"]
    assert ["5000", "1250"] == asked.url.params.get_list("minimum_cents")
    for wrong in ("ten", "0", "12.505"):
        answer = browser.get(f"/p/riverside/minimums/blackjack?minimum={wrong}")
        assert (422, True) == (answer.status_code, "Enter dollars and cents" in answer.text)


def test_the_licensees_own_house_edge_stands_beside_the_reason_why_none_is_counted(stage: Stage) -> None:
    """With its source, where an approver reads what the wagers pay back; the form has fields for it."""
    answers, path = stage.services.answers, "/submissions/riverside/pai-gow-poker/1"
    shown = {"game": "pai-gow-poker", "version": 1, "regulation": "pa-645a-2011", "status": "filed", "submission": {}}
    own = {"wager": "pai_gow_poker", "house_edge_percent": "2.715", "source": "GLI report MO-337"}
    row = {"title": "Pai Gow Poker Wager", "reason": "a house way of its own", "stated_house_edge": own}
    answers["paytable-registry", "GET", path] = (200, shown | {"effective_from": "2026-11-20T11:00:00Z"})
    answers["paytable-registry", "GET", f"{path}/paybacks"] = (200, {"wagers": [row]})
    browser = stage.browser("pit.pat")
    page = browser.get("/p/riverside/submissions/pai-gow-poker/1").text
    assert "House edge stated by the licensee: 2.715 % (GLI report MO-337)" in page


def test_a_submission_with_a_member_twice_is_not_tried(stage: Stage) -> None:
    """What-if says which member it is, and asks nothing."""
    answers = stage.services.answers
    answers["paytable-registry", "GET", "/submissions/riverside/blackjack/1"] = (
        200,
        {"game": "blackjack", "version": 1},
    )
    browser = stage.browser("pit.pat")
    for name, text in with_members_twice({"decks": 6, "wagers": {"match_the_dealer": {"paytable": "1"}}}):
        form = {"csrf": browser.csrf(), "first": "2026-11-20", "last": "2026-11-20", "submission": text.decode()}
        page = browser.post("/p/riverside/what-if/blackjack/1", form)
        assert (422, True) == (page.status_code, f"member &#39;{name}&#39; is there twice" in page.text)
    assert "POST" not in {one.method for one in stage.services.asked}


def test_a_report_of_a_day_without_entries_says_so_and_asks_for_another_day(stage: Stage, browser: Browser) -> None:
    """It is a page like any other; what there is not at all is refused as before."""
    answers = stage.services.answers
    definition = {"name": "pace", "title": "Pace and yield", "periods": ["day", "week"], "role": "reports.read"}
    answers["reporting", "GET", "/reports"] = (200, [definition])
    nothing = {"type": "urn:pitledger:problem:nothing-recorded", "title": "Nothing", "detail": "nothing is known of it"}
    answers["reporting", "GET", "/reports/pace"] = (404, nothing)
    page = browser.get("/p/riverside/reports/pace?day=2026-11-21")
    assert 200 == page.status_code
    for shown in ("Pace and yield", "nothing is known of it", 'type="date" name="day" value="2026-11-21"'):
        assert shown in page.text, shown
    answers["reporting", "GET", "/reports/pace"] = (404, nothing | {"type": "urn:pitledger:problem:not-found"})
    assert 404 == browser.get("/p/riverside/reports/pace?day=2026-11-21").status_code


def test_a_report_of_a_table_that_is_not_there_keeps_what_was_asked(stage: Stage, browser: Browser) -> None:
    """Its filters are there as they were typed, with the tables of the floor to choose from, and the navigation."""
    answers = stage.services.answers
    definition = {"name": "pace", "title": "Pace and yield", "periods": ["day", "week"], "role": "reports.read"}
    answers["reporting", "GET", "/reports"] = (200, [definition])
    answers["reporting", "GET", "/floors/riverside/names"] = (200, NAMES)
    answers["reporting", "GET", "/reports/pace"] = (
        404,
        {"status": 404, "title": "Not found", "detail": "no table bj01"},
    )
    page = browser.get("/p/riverside/reports/pace?day=2026-11-21&period=week&table=bj01")
    assert 404 == page.status_code
    assert 'value="2026-11-21"' in page.text
    assert "<option selected>week</option>" in page.text
    assert ["", "BJ01", "TH01", "bj01"] == re.findall('<option value="([^"]*)"', page.text.partition("game")[0])
    assert '<option value="bj01" selected>' in page.text
    assert '<nav class="sections"' in page.text


@pytest.mark.parametrize("path", ["/p/riverside/rounds/BJ01/none", "/p/riverside/reports/none/entries?cell=a"])
def test_a_page_that_is_refused_keeps_the_navigation(browser: Browser, path: str) -> None:
    """Who is logged in goes on from there: sections, search, and the way out."""
    page = browser.get(path)
    assert page.status_code >= 400
    for kept in ('<nav class="sections"', 'type="search"', "pit.pat"):
        assert kept in page.text
    assert "pit.pat" in browser.get("/p/riverside/nowhere").text


def test_a_filter_of_the_quarantine_offers_what_each_service_takes(stage: Stage) -> None:
    """As their OpenAPI documents have it: another one would be refused by all of them."""
    page = stage.browser("pit.pat").get("/p/riverside/quarantine")
    offered = re.findall('<option value="([^"]*)"', page.text)
    services = stage.console.operations.services_with("ask-replay")
    assert services
    for name in services:
        [status] = [
            one for one in document_of(name)["paths"]["/quarantine"]["get"]["parameters"] if one["name"] == "status"
        ]
        assert status["schema"]["enum"] == offered, name


def _taking(service: str, path: str, name: str, *values: str) -> dict[str, Any]:
    """Return the document of a service in which a query parameter takes these values only."""
    document = deepcopy(document_of(service))
    [parameter] = [one for one in document["paths"][path]["get"]["parameters"] if one["name"] == name]
    parameter["schema"] = {"type": "string", "enum": list(values)}
    return document


def test_a_filter_offers_a_value_no_longer_than_all_services_take_it(stage: Stage) -> None:
    """One whose document has fewer decides; what could not be read does not count."""
    stage.services.answers["vigorish", "GET", PATH] = (200, _taking("vigorish", "/quarantine", "status", "open"))
    stage.services.answers["reporting", "GET", PATH] = (503, {"title": "Try again"})
    page = stage.browser("pit.pat").get("/p/riverside/quarantine").text
    assert ["open"] == re.findall('<option value="([^"]*)"', page)


def test_every_outcome_of_pit_changes_is_one_by_which_the_service_selects(stage: Stage) -> None:
    """All that the page knows are taken; of a service that takes fewer, these."""
    page = stage.browser("pit.pat").get("/p/riverside/pit-changes").text
    every = ["proposed", "waiting", "recorded", "superseded", "rejected", "dismissed"]
    assert every == re.findall('<option value="([^"]+)"', page)
    fewer = _taking("table-inventory", "/pit-changes", "effect", "waiting", "recorded")
    stage.services.answers["table-inventory", "GET", PATH] = (200, fewer)
    stage.clock.moved = timedelta(minutes=6)
    browser = stage.browser("pit.pat")

    def offered() -> list[str]:
        return re.findall('<option value="([^"]+)"', browser.get("/p/riverside/pit-changes").text)

    eventually(lambda: ["proposed", "waiting", "recorded", "rejected"] == offered(), because="the document was read")


def test_a_form_offers_what_the_property_has(stage: Stage, browser: Browser) -> None:
    """Its tables and shifts, to choose or type; without a property, the person's properties; a day from a calendar."""
    stage.services.answers["reporting", "GET", "/floors/riverside/names"] = (200, NAMES)
    page = browser.get(SLIPS, params={"property": "riverside"}).text
    assert re.search('name="table" value="" autocomplete="off" list="of-table"', page)
    assert re.search('name="shift" [^>]*list="of-shift"', page)
    assert re.search('name="gaming_day" [^>]*type="date"', page)
    assert 'name="property" value="riverside" autocomplete="off" type="text"' in page
    assert ["BJ01", "TH01"] == re.findall(
        '<option value="([^"]+)"', page.split('id="of-table"')[1].split("</datalist>")[0]
    )
    assert ["day", "swing"] == re.findall(
        '<option value="([^"]+)"', page.split('id="of-shift"')[1].split("</datalist>")[0]
    )
    page = browser.get(SLIPS).text
    assert 'name="property" value="" autocomplete="off" list="of-property"' in page
    assert ["riverside", "lakeside"] == re.findall(
        '<option value="([^"]+)"', page.split('id="of-property"')[1].split("</datalist>")[0]
    )
    assert "of-table" not in page


def test_a_form_that_is_refused_still_offers_what_the_property_has(stage: Stage, browser: Browser) -> None:
    """What is typed besides is sent; the service says what it does not know, and what was typed stays."""
    stage.services.answers["reporting", "GET", "/floors/riverside/names"] = (200, NAMES)
    refusal = {"title": "Not found", "detail": "riverside has no table `BJ99`"}
    stage.services.answers["table-inventory", "POST", "/requests"] = (404, refusal)
    typed = Form(browser.get(SLIPS, params={"property": "riverside"}).text).sent
    typed |= {"table": "BJ99", "shift": "day", "gaming_day": "2026-11-22"}
    page = browser.send(SLIPS, typed)
    assert 404 == page.status_code
    assert "riverside has no table BJ99" in page.text
    assert 'name="table" value="BJ99" autocomplete="off" list="of-table"' in page.text
    assert '<datalist id="of-table">' in page.text


@pytest.mark.parametrize("address", ["/p/riverside/rounds?table=BJ09", "/p/riverside/patrons?table=BJ09"])
def test_a_filter_offers_the_tables_of_the_property(stage: Stage, browser: Browser, address: str) -> None:
    """And what was asked for besides; where the names cannot be read, it may be typed."""
    stage.services.answers["round-settlement", "GET", "/rounds"] = (200, {"items": []})
    stage.services.answers["wagering-accounts", "GET", "/accounts"] = (200, {"items": []})
    typed = browser.get(address).text
    assert '<input name="table" value="BJ09" size="8">' in typed
    stage.services.answers["reporting", "GET", "/floors/riverside/names"] = (200, NAMES)
    page = browser.get(address).text
    assert ["", "BJ01", "TH01", "BJ09"] == re.findall('<option value="([^"]*)"', page)
    assert '<option value="BJ09" selected>' in page


def test_the_quarantine_of_a_property_has_its_own_records(stage: Stage) -> None:
    """Not those of another property that the person works for as well, by list or by number; those of none in all.

    A misspelled property is none.
    """
    records: list[dict[str, Any]] = [
        {"quarantine": number, "listed_under": names, "topic": "table.events", "reason": f"refused {number}"}
        for number, names in ((71, []), (72, ["riverside", "lakeside"]), (73, ["lakeside"]), (74, ["riversyde"]))
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        wanted, known = request.url.params["listed_under"], request.url.params.get_list("known")
        items = [one for one in records if wanted in one["listed_under"] or not {*known} & {*one["listed_under"]}]
        return httpx.Response(200, json={"items": items})

    floors = [FLOOR, {**FLOOR, "property": "lakeside"}]
    stage.services.answers["reporting", "GET", "/floors"] = (200, floors)
    stage.services.answers["round-settlement", "GET", "/quarantine"] = answer
    for one in records:
        stage.services.answers["round-settlement", "GET", f"/quarantine/{one['quarantine']}"] = (200, one)
    browser = stage.browser("pit.pat")
    for name, shown in (("riverside", [71, 72, 74]), ("lakeside", [71, 72, 73, 74])):
        page = browser.get(f"/p/{name}/quarantine").text
        assert shown == [number for number in (71, 72, 73, 74) if f"refused {number}" in page], name
        for number in (71, 72, 73, 74):
            opened = browser.get(f"/p/{name}/quarantine/round-settlement/{number}")
            assert (200 if number in shown else 404) == opened.status_code, (name, number)
            assert (number in shown) == (f"refused {number}" in opened.text)
    assert "Record 73 is not listed under riverside" in browser.get("/p/riverside/quarantine/round-settlement/73").text


def test_the_quarantine_leaves_out_services_that_the_person_may_not_read(stage: Stage) -> None:
    """A service that nobody but its own people may read is not named by its refusal; one that is silent is."""
    forbidden = (403, {"title": "A required role is missing"})
    names = stage.console.operations.services_with("ask-replay")
    stage.services.answers["reporting", "GET", "/floors"] = (200, [FLOOR])
    stage.services.answers["suspicious-activity", "GET", "/quarantine"] = forbidden
    stage.services.answers["vigorish", "GET", "/quarantine"] = (503, {"title": "Not ready"})
    page = stage.browser("pit.pat").get("/p/riverside/quarantine").text
    assert (False, True) == ("A required role" in page, "Not ready" in page)
    headings = re.findall("<h2>([^<]*)</h2>", page)
    assert (1, 0) == tuple(headings.count(say(f"services.{name}")) for name in ("vigorish", "suspicious-activity"))
    stage.services.answers |= {(name, "GET", "/quarantine"): forbidden for name in names}
    assert "A required role" in stage.browser("pit.pat").get("/p/riverside/quarantine").text


@pytest.mark.parametrize("term", ["bj01", "Table BJ01", "01"])
def test_a_table_is_found_as_people_name_it(stage: Stage, browser: Browser, term: str) -> None:
    """In any case, with the word before it, and by its end; what was searched for stays in the box."""
    stage.services.answers["reporting", "GET", "/floors/riverside/names"] = (200, NAMES)
    answer = browser.get("/p/riverside/search", params={"q": term}, headers={"hx-request": "true"})
    assert '<a href="/p/riverside/floor/BJ01">' in answer.text
    assert f'value="{term}"' in answer.text


def open_table() -> dict[str, Any]:
    """Return a table of the floor on which nothing has happened yet."""
    table: dict[str, Any] = {
        "table": "BJ01",
        "game": "blackjack",
        "kind": None,
        "pit": "main",
        "play": "rounds",
        "sales": "each",
    }
    table |= dict.fromkeys(("win_cents", "drop_cents", "handle_cents", "minimum_cents", "rounds", "late"), 0)
    table |= dict.fromkeys(("rounds_in_hour", "exceptions", "alarms", "results"), 0)
    return table | dict.fromkeys(("last_round", "last_round_at", "dealer", "heads"))


def tray(counted_cents: int, expected_cents: int, **of: Any) -> dict[str, Any]:
    """Return what table inventory expects in the tray of the table, which was opened with a count."""
    count = {"cents": counted_cents, "purpose": "opener", "counted_by": "dealer.dan", "at": "2026-11-22T15:00:00Z"}
    place = {"table": "BJ01", "open": True, "gaming_day": "2026-11-22", "shift": "day"}
    return place | {"counted": count, "expected_cents": expected_cents} | of


def floor_card(stage: Stage, browser: Browser, inventory: dict[str, Any] | None, query: str = "", **of: Any) -> str:
    """Return the card of the table on the floor."""
    answers = stage.services.answers
    answers["reporting", "GET", "/floors/riverside"] = (200, FLOOR | {"tables": [open_table() | of]})
    answers["table-inventory", "GET", "/inventories"] = (200, {"tables": [] if inventory is None else [inventory]})
    page = browser.get(f"/p/riverside/floor{query}").text
    [card] = re.findall('<li sse-swap="card-BJ01">.*?</li>', page, re.DOTALL)
    return str(card)


def test_a_card_of_the_floor_shows_who_deals_to_how_many_and_the_win_against_its_band(
    stage: Stage, browser: Browser
) -> None:
    """Open, with dealer and seats of the last round; the win of rated wagers beside twice its standard deviation.

    Reporting takes long to say the theoretical win: the floor is shown without it until then.
    """
    stage.services.silent.add("/reports/statistics")
    against = {"table": "BJ01", "handle_cents": 100_000, "expected_cents": 99_000, "payout_cents": 20_000}
    report = {"content": {"sections": [{"name": "tables", "rows": [against | {"deviation_cents": 20_000}]}]}}
    stage.services.answers["reporting", "GET", "/reports/statistics"] = (200, report)
    played: dict[str, Any] = {
        "last_round": "r-1",
        "last_round_at": "2026-11-22T15:20:00Z",
        "dealer": "dealer.eve",
        "heads": 5,
    }
    of_table = partial(floor_card, stage, browser, tray(2_000_000, 1_500_000), **played)
    assert "Rated win" not in of_table()
    stage.services.speak()
    card = eventually(lambda: found if "Rated win" in (found := of_table()) else "", because="reporting has answered")
    for shown in (
        '<span class="stage open">open</span>',
        "dealer.eve dealt last · 5 seats",
        "Rated win $800.00, theo $10.00 ± $400.00",
        "beyond 3 standard deviations",
        "$15,000.00",
        "of $20,000.00 at its opener",
    ):
        assert shown in card, shown
    assert "Suggested fill" not in card


def test_a_fill_is_suggested_when_a_tray_should_hold_less_than_half_of_its_last_count(stage: Stage) -> None:
    """Up to the count, with the form for whoever may request it; nothing is suggested to a closed table."""
    suggested = "Suggested fill: $11,000.00"
    for person, may in (("pit.pat", True), ("pit.sam", False)):
        card = floor_card(stage, stage.browser(person), tray(2_000_000, 900_000))
        assert suggested in card
        assert may == ("/do/table-inventory/request-slip?" in card), person
    assert suggested not in floor_card(stage, stage.browser("pit.sam"), tray(2_000_000, 900_000, open=False), "?day=x")


def test_a_table_of_the_floor_that_was_not_counted_says_so(stage: Stage, browser: Browser) -> None:
    """Nobody knows whether it is open, nor what is in its tray."""
    card = floor_card(stage, browser, None)
    assert ("not counted yet" in card, "No round and no count yet" in card, "Tray" in card) == (True, True, False)


def test_the_floor_has_a_table_beside_its_cards(stage: Stage, browser: Browser) -> None:
    """Another view of the same day; each says which one it is."""
    floor_card(stage, browser, None)
    page = browser.get("/p/riverside/floor?view=table").text
    assert 'sse-connect="/p/riverside/floor/stream?view=table"' in page
    assert '<tr sse-swap="table-BJ01">' in page
    assert '<a class="button" href="?view=table" aria-current="true">Table</a>' in page


def test_a_fill_is_requested_from_the_table_in_the_shift_that_runs(stage: Stage, browser: Browser) -> None:
    """On the gaming day that runs; each slip of the table leads to its own page."""
    answers = stage.services.answers
    answers["reporting", "GET", "/floors/riverside"] = (200, FLOOR | {"tables": [open_table()]})
    answers["reporting", "GET", "/floors"] = (200, [FLOOR | {"shift": "swing"}])
    slip = {"slip": "fill", "number": 12, "table": "BJ01", "status": "received", "cents": 50_000}
    answers["table-inventory", "GET", "/slips"] = (200, {"items": [slip]})
    page = browser.get("/p/riverside/floor/BJ01").text
    assert f"gaming_day={FLOOR['gaming_day']}&amp;shift=swing&amp;slip=fill" in page
    assert '<a href="/p/riverside/records/fill/12">12</a>' in page
    assert "shift=swing" not in browser.get("/p/riverside/floor/BJ01?day=2026-11-21").text


def test_more_rounds_of_a_table_are_those_of_the_table(stage: Stage, browser: Browser) -> None:
    """The page of a table leads on to its own rounds; without any it says so."""
    answers = stage.services.answers
    answers["reporting", "GET", "/floors/riverside"] = (200, FLOOR | {"tables": [open_table()]})
    listed = {"items": [{"table": "BJ01", "round_id": "r-1", "game": "blackjack", "status": "posted"}], "next": "c-1"}
    answers["round-settlement", "GET", "/rounds"] = (200, listed)
    address = "/p/riverside/floor/BJ01?day=2026-11-21"
    assert "/rounds?day=2026-11-21&amp;table=BJ01&amp;cursor=c-1" in browser.get(address).text
    answers["round-settlement", "GET", "/rounds"] = (200, {"items": []})
    assert "No rounds." in browser.get(address).text


def test_a_patron_who_is_not_registered_has_a_page(stage: Stage, browser: Browser) -> None:
    """With the way to register; the accounts of a patron, which would be recorded, are not looked at."""
    unknown = {"type": "urn:pitledger:problem:not-found", "title": "Not found", "detail": "there is no patron p-7"}
    stage.services.answers["wagering-accounts", "GET", "/patrons/riverside/p-7"] = (404, unknown)
    page = browser.get("/p/riverside/patrons/p-7")
    assert 200 == page.status_code
    assert "This patron is not registered" in page.text
    stage.services.answers["wagering-accounts", "GET", "/patrons/riverside/p-7"] = (403, unknown)
    assert 403 == browser.get("/p/riverside/patrons/p-7").status_code


def test_who_viewed_patrons_is_offered_to_those_who_may_read_it(stage: Stage, browser: Browser) -> None:
    """The report takes a role of its own, which not everybody has who opens the page of a patron."""
    unknown = {"type": "urn:pitledger:problem:not-found", "title": "Not found", "detail": "there is no patron p-7"}
    stage.services.answers["wagering-accounts", "GET", "/patrons/riverside/p-7"] = (404, unknown)
    address, link = "/p/riverside/patrons/p-7", "/reports/patron-access"
    assert link not in browser.get(address).text
    assert link in stage.browser("title31.sam").get(address).text


def test_a_currency_report_that_no_longer_holds_is_listed(stage: Stage) -> None:
    """With both amounts, on the page of all filings and on its own; and sales to unidentified persons that are due."""
    said = {"form": "FinCEN 112", "gaming_day": "2026-11-20", "reported_with": "", "file_by": "2026-12-05", "late": ""}
    amounts = {"in_cents": 6_050_000, "out_cents": 0, "filed_in_cents": 1_050_000, "filed_out_cents": 0}
    changed = said | amounts | {"person": "p-7", "entry": "", "status": "to_withdraw", "filing": "3", "bsa_id": None}
    due = said | {"person": "unknown", "entry": "table-inventory/1/7", "status": "due"}
    sections = [{"name": "filed", "rows": [changed, due]}]
    filing = {
        "filing": 3,
        "form": "ctr",
        "period": "2026-11-20",
        "report_count": 1,
        "only_amends": False,
        "file_by": "2026-12-05",
    }
    filing |= {"status": "prepared", "prepared_by": "title31.eve", "property": "riverside", "content_sha256": "5" * 64}
    answers = stage.services.answers
    answers["reporting", "GET", "/floors"] = (200, [FLOOR])
    answers["reporting", "GET", "/floors/riverside"] = (200, FLOOR)
    answers["reporting", "GET", "/reports/currency"] = (200, {"content": {"sections": sections}})
    answers["reporting", "GET", "/reports/winnings"] = (200, {"content": {"sections": []}})
    answers["wagering-accounts", "GET", "/filings"] = (200, {"items": [filing]})
    answers["wagering-accounts", "GET", "/filings/riverside/3"] = (200, filing | {"reports": [], "errors": []})
    browser = stage.browser("title31.sam")
    for at in ("/p/riverside/filings", "/p/riverside/filings/3"):
        page = browser.get(at).text
        region = page.partition('aria-label="Amounts that changed after the filing was prepared or sent"')[2]
        row = region.partition("</table>")[0]
        assert all(one in row for one in ("p-7", "60,500.00", "10,500.00", "/p/riverside/filings/3")), at
    page = browser.get("/p/riverside/filings").text
    listed = page.partition('aria-label="Due, not in a filing yet"')[2].partition("</table>")[0]
    assert ("table-inventory/1/7" in listed, "p-7" in listed) == (True, False)
    assert "FinCEN 112" in page.partition('aria-label="Prepared, not released"')[2].partition("</table>")[0]
    assert ">ctr<" not in page


RETURN = {
    "form": "W-2G",
    "year": "2026",
    "account_number": "0000000001",
    "patron": "p-9",
    "winnings_cents": 250_000,
    "withheld_cents": 60_000,
    "status": "to_withdraw",
    "filing": "4",
    "filed_winnings_cents": 250_000,
    "filed_withheld_cents": 0,
    "late": "",
}


@pytest.mark.parametrize(
    ("row", "is_warned"),
    [({}, True), ({"withheld_cents": 0, "status": "prepared"}, False), ({"filing": "3", "amendment": "4"}, True)],
)
def test_what_changed_since_a_filing_was_prepared_is_named_before_its_release(
    stage: Stage, row: dict[str, Any], is_warned: bool
) -> None:
    """On the page of the filing and on the form that releases it; who may not see the amounts is told so there."""
    report = {"report": 1, "kind": "patron", "reference": "p-9", "account_number": "0000000001", "errors": []}
    report |= {"winnings_cents": 250_000, "withheld_cents": 0}
    filing = {
        "filing": 4,
        "form": "w_2g",
        "period": "2026",
        "report_count": 1,
        "only_amends": False,
        "file_by": "2027-03-31",
    }
    filing |= {"status": "prepared", "prepared_by": "title31.eve", "property": "riverside", "content_sha256": "5" * 64}
    sections = [{"name": "returns", "rows": [RETURN | row, RETURN | {"form": "1042-S"}]}]
    answers = stage.services.answers
    answers["reporting", "GET", "/floors"] = (200, [FLOOR])
    answers["reporting", "GET", "/floors/riverside"] = (200, FLOOR)
    answers["reporting", "GET", "/reports/winnings"] = (200, {"content": {"sections": sections}})
    document = filing | {"reports": [report], "errors": [], "sha256": "6" * 64}
    answers["wagering-accounts", "GET", "/filings/riverside/4"] = (200, document)
    browser = stage.browser("title31.sam")
    page = browser.get("/p/riverside/filings/4").text
    region = page.partition('aria-label="Amounts that changed after the filing was prepared or sent"')[2]
    listed = region.partition("</table>")[0]
    assert [is_warned] * 3 == [one in listed for one in ("p-9", "$600.00", "/p/riverside/filings/4")]
    assert "1042-S" not in listed
    form = "/do/wagering-accounts/release-filing?property=riverside&filing=4"
    warned = "$2,500.00 won, $0.00 withheld in the file, and $2,500.00 won, $600.00 withheld now"
    assert is_warned == (warned in browser.get(form).text)
    other = stage.browser("pit.pat").get(form).text
    assert "whether the amounts are still correct" in other
