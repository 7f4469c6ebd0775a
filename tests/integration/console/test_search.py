"""The search: by what people type, without a look at anybody, and with the roles of whoever searches."""

import re
from typing import Any

import httpx
import pytest

from services.console.pages.records import CHECK, NUMBERED
from services.console.words import said
from tests.support.console import PEOPLE, Browser, Stage
from tests.support.openapi import document_of

PROPERTY = "riverside"
SEARCH = f"/p/{PROPERTY}/search"
NAMES: dict[str, list[str]] = {"tables": ["BJ-01", "TH-01"], "games": [], "shifts": [], "pits": [], "pools": []}
NAMES |= {"locations": [], "chip_sets": []}


@pytest.fixture
def browser(stage: Stage) -> Browser:
    """A browser of somebody who reads reports and rounds; two slips, a round, an account and a check are there."""
    answers = stage.services.answers
    floor = {"property": PROPERTY, "title": "Riverside", "gaming_day": "2026-11-22", "shift": "day", "time_zone": "UTC"}
    answers["reporting", "GET", "/floors"] = (200, [floor])
    answers["reporting", "GET", f"/floors/{PROPERTY}/names"] = (200, NAMES)
    of_day = {"table": "BJ-01", "gaming_day": "2026-11-22", "status": "received"}
    for kind in ("fill", "credit"):
        found = {"slip": kind, "number": 12, "cents": 500_00, **of_day}
        answers["table-inventory", "GET", f"/slips/{PROPERTY}/{kind}/12"] = (200, found)
    transfer = {"transfer": 3, "giver": "vault", "receiver": "cage", "status": "issued"}
    answers["table-inventory", "GET", f"/cage/{PROPERTY}/transfers/3"] = (200, transfer)
    finds: dict[tuple[str, str], dict[str, Any]] = {
        ("round-settlement", "/rounds/find"): {"round_id": "n1-0042", "table": "BJ-01"},
        ("wagering-accounts", "/accounts/find"): {
            "account": "GA-7",
            "table": "BJ-01",
            "kind": "game",
            "status": "open",
        },
        ("wagering-accounts", "/filings/find"): {
            "tracking_id": "260000000001",
            "filing": 1,
            "form": "ctr",
            "period": "2026-11-19",
            "status": "filed",
        },
        ("table-inventory", f"/counter-checks/{PROPERTY}/find"): {"serial": "CC-10023", "table": "BJ-01"},
    }
    for (service, path), one in finds.items():
        answers[service, "GET", path] = _finding(next(iter(one.values())), one)
    return stage.browser("pit.pat")


def _finding(reference: str, one: dict[str, Any]) -> Any:
    """Return the route of a service that finds one thing by its reference in any case, or by its end."""

    def answer(request: httpx.Request) -> httpx.Response:
        typed = request.url.params["typed"].lower()
        found = reference.lower() == typed or (len(typed) >= 4 and reference.lower().endswith(typed))
        return httpx.Response(200, json={"items": [one] if found else []})

    return answer


@pytest.mark.parametrize(
    ("term", "leads_to"),
    [
        *((term, "floor/BJ-01") for term in ("BJ01", "bj-01", "table BJ01", "Table bj 01", "TABLE BJ-01")),
        *((term, "records/fill/12") for term in ("fill 12", "Fill #12", "F-12", "f12", "fill slip 012")),
        *((term, "records/credit/12") for term in ("credit #12", "C-12", "CREDIT 12")),
        *((term, "records/cage_transfer/3") for term in ("transfer 3", "Cage transfer #3")),
        *((term, "rounds/BJ-01/n1-0042") for term in ("N1-0042", "0042", "round 0042")),
        *((term, "records/check/CC-10023") for term in ("cc-10023", "0023", "check 0023", "marker CC-10023")),
    ],
)
def test_what_is_typed_leads_to_what_is_meant(browser: Browser, term: str, leads_to: str) -> None:
    """In any case, with the word for its kind or its initial, by its last characters, without spaces and hyphens."""
    answer = browser.get(SEARCH, params={"q": term})
    assert (303, f"/p/{PROPERTY}/{leads_to}") == (answer.status_code, answer.headers.get("location"))


def test_a_bare_number_finds_the_slips_with_it(browser: Browser) -> None:
    """Both kinds; the page of one shows it as it stands, and leads to its table on its day."""
    page = browser.get(SEARCH, params={"q": "12"}).text
    assert [f"/p/{PROPERTY}/records/{kind}/12" for kind in ("fill", "credit")] == re.findall(
        '<li><a href="([^"]+)"', page
    )
    assert "Results for 12: 2" in page
    one = browser.get(f"/p/{PROPERTY}/records/fill/12").text
    for shown in ("Fill slip 12", "$500.00", f'href="/p/{PROPERTY}/floor/BJ-01?day=2026-11-22"'):
        assert shown in one, shown
    assert 404 == browser.get(f"/p/{PROPERTY}/records/fill/13").status_code
    missing = browser.get(f"/p/{PROPERTY}/records/napkin/1")
    assert (404, True) == (missing.status_code, "There is no Napkin 1 at riverside" in missing.text)


def test_a_slip_has_a_form_of_two_parts(browser: Browser) -> None:
    """Each with its contents, and a line for each signature; other records have none."""
    page = f"/p/{PROPERTY}/records/fill/12"
    assert f'href="{page}/form"' in browser.get(page).text
    form = browser.get(f"{page}/form").text
    for shown in ("Fill slip 12", "$500.00", "Original", "Duplicate", "Carried by"):
        assert shown in form, shown
    assert 404 == browser.get(f"/p/{PROPERTY}/records/slip_request/1/form").status_code


def test_a_person_leads_to_the_latest_month_with_an_act(stage: Stage, browser: Browser) -> None:
    """Of this month and the one before, so that nobody is forgotten at a month's beginning."""
    acts = {"2026-11-22": ["pit.pat"], "2026-10-31": ["pit.pat", "pit.paul"]}

    def access(request: httpx.Request) -> httpx.Response:
        rows = [{"person": one} for one in acts[request.url.params["gaming_day"]]]
        return httpx.Response(200, json={"content": {"sections": [{"rows": rows}]}})

    stage.services.answers["reporting", "GET", "/reports/access"] = access
    found = re.findall(f'href="/p/{PROPERTY}/reports/access([^"]+)">', browser.get(SEARCH, params={"q": "pit.pa"}).text)
    assert [f"?day={day}&amp;period=month" for day in ("2026-11-22", "2026-10-31")] == found


def test_a_check_has_a_page_by_its_whole_serial_number(stage: Stage, browser: Browser) -> None:
    """Not by its end: that is what the search is for."""
    assert 200 == browser.get(f"/p/{PROPERTY}/records/{CHECK}/CC-10023").status_code
    assert 404 == browser.get(f"/p/{PROPERTY}/records/{CHECK}/0023").status_code


@pytest.mark.parametrize("term", ["p-7", "patron p-7", "fill 12", "filing 1", "sar 2", "0042"])
def test_a_search_looks_at_nobody(stage: Stage, term: str) -> None:
    """No route is asked that records who looked at a patron, an account, a filing or a report of suspicion."""
    every = {role for roles in PEOPLE.values() for role in roles} | {"sar.prepare", "accounts.manage"}
    stage.issuer.people = {**PEOPLE, "all.abe": tuple(every)}
    browser = stage.browser("all.abe")
    asked = len(stage.services.asked)
    browser.get(SEARCH, params={"q": term})
    paths = [one.url.path for one in stage.services.asked[asked:]]
    for path in paths:
        assert path.endswith("/find") or not re.match("/(patrons|accounts|filings|sars)(/|$)", path), path


@pytest.mark.parametrize("term", ["ga-7", "account GA-7"])
def test_an_account_is_found_and_opened_by_choice_alone(browser: Browser, term: str) -> None:
    """It is there; but its page names the patron, and that look is recorded."""
    found = browser.get(SEARCH, params={"q": term})
    assert 200 == found.status_code
    assert [f"/p/{PROPERTY}/patrons/accounts/GA-7"] == re.findall('<li><a href="([^"]+accounts[^"]+)"', found.text)
    assert "<strong>GA-7</strong>" in found.text
    assert "opening it is recorded as access to patron data" in found.text


@pytest.mark.usefixtures("browser")
def test_a_filing_is_found_and_opened_by_choice_alone(stage: Stage) -> None:
    """It is there; but its page names patrons, and that look is recorded."""
    found = stage.browser("title31.sam").get(SEARCH, params={"q": "260000000001"})
    assert 200 == found.status_code
    assert [f"/p/{PROPERTY}/filings/1"] == re.findall('<li><a href="([^"]+filings[^"]+)"', found.text)
    assert "opening it is recorded as access to patron data" in found.text


def test_a_patron_is_offered_to_those_who_may_read_patrons(stage: Stage, browser: Browser) -> None:
    """As typed, last, whether there is one or not; nobody is led there without choosing it."""
    found = stage.browser("title31.sam").get(SEARCH, params={"q": "p-7"})
    assert 200 == found.status_code
    assert [f"/p/{PROPERTY}/patrons/p-7"] == re.findall('<li><a href="([^"]+)"', found.text)
    assert "Open p-7" in found.text
    assert "not looked up; opening it is recorded" in found.text
    assert "Results for p-7: 0" in found.text
    assert "patrons/p-7" not in browser.get(SEARCH, params={"q": "p-7"}).text


def test_who_may_not_read_something_does_not_ask_for_it(stage: Stage) -> None:
    """A search is refused nothing: a service records a refusal with the name of whoever asked."""
    browser = stage.browser("new.ned")
    asked = len(stage.services.asked)
    browser.get(SEARCH, params={"q": "12"})
    browser.get(SEARCH, params={"q": "cage transfer 3"})
    assert [] == stage.services.asked[asked:]


def test_every_kind_has_a_name_a_word_and_a_route() -> None:
    """Numbered records are read from routes that are there; each word leads to a kind that has a name."""
    for kind, one in NUMBERED.items():
        assert "get" in document_of(one.service)["paths"][one.route], kind
    assert said("search.words").keys() == said("search.kinds").keys()
    assert {*NUMBERED, CHECK} <= said("search.kinds").keys()
