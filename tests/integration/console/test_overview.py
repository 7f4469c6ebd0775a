"""The home page of a property: what needs attention, how the day goes beside a week ago, and what closes next."""

from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from tests.support.console import Browser, Stage

TABLE: dict[str, Any] = {
    "table": "BJ-01",
    "pit": "pit-1",
    "game": "blackjack",
    "kind": "blackjack",
    "play": "rounds",
    "sales": "each",
    "minimum_cents": 25_00,
    "rounds": 41,
    "rounds_in_hour": 40,
    "handle_cents": 4_100_00,
    "drop_cents": 900_00,
    "win_cents": 123_45,
    "late": 0,
    "exceptions": 2,
    "alarms": 0,
    "last_round": None,
    "results": 0,
}
FLOOR = {
    "property": "riverside",
    "title": "Riverside",
    "gaming_day": "2026-11-22",
    "shift": "day",
    "time_zone": "America/New_York",
    "at": "2026-11-22T20:00:00+00:00",
    "tables": [TABLE],
}
A_WEEK_AGO = FLOOR | {"gaming_day": "2026-11-15", "tables": [TABLE | {"rounds": 398, "win_cents": -77_00}]}
OPEN = {"property": "riverside", "gaming_day": "2026-11-21", "status": "preliminary", "preliminary_by": "audit.kim"}
OPEN |= {"preliminary_at": "2026-11-22T12:00:00+00:00"}
ITEM = {"kind": "variance", "since": "2026-11-22T02:00:00+00:00", "subject": "BJ-01", "owner": "audit.lou"}
ITEM |= {"reason": "nobody resolved it"}
AGAINST = {"table": "BJ-01", "handle_cents": 4_000_00, "expected_cents": 3_900_00, "difference_cents": -500_00}
AGAINST |= {"deviation_cents": 200_00}
STATISTICS = {"report": "statistics", "content": {"sections": [{"name": "tables", "rows": [AGAINST]}]}}
HOUR = {"hour": "2026-11-22T19:00:00+00:00", "sales": 3, "sold_for_currency_cents": 900_00, "checks_issued_cents": 0}
HOUR |= {"sold_cents": 900_00}
SUMMARY: dict[str, Any] = {"report": "drop-and-win", "first_day": "2026-11-22", "last_day": "2026-11-22"}
SUMMARY |= {"content": {"sections": [{"name": "hours", "rows": [HOUR]}]}}


AFTER_SEAL = 18
"""The day of the month of a sealed gaming day that has an item since."""


def final(day: str) -> dict[str, Any]:
    """A gaming day that is sealed."""
    return {"property": "riverside", "gaming_day": day, "status": "final"}


@pytest.fixture
def browser(stage: Stage) -> Browser:
    """A browser with which somebody who reads reports has logged in; every day before 2026-11-21 is sealed."""

    def floor(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=A_WEEK_AGO if "2026-11-15" in str(request.url) else FLOOR)

    answers = stage.services.answers
    answers["reporting", "GET", "/floors"] = (200, [FLOOR])
    answers["reporting", "GET", "/floors/riverside"] = floor
    answers["reporting", "GET", "/reports/statistics"] = (200, STATISTICS)
    answers["reporting", "GET", "/reports/drop-and-win"] = (200, SUMMARY)
    for day in range(16, 23):  # before that, nothing is known of the property
        at = f"/gaming-days/riverside/2026-11-{day}"
        answers["table-inventory", "GET", at] = (200, final(f"2026-11-{day}"))
        late = [ITEM | {"reason": "counted after the seal"}] if day == AFTER_SEAL else []
        answers["table-inventory", "GET", f"{at}/follow-ups"] = (200, {"items": late})
    for open_day, found in (("2026-11-21", OPEN), ("2026-11-22", final("2026-11-22") | {"status": "open"})):
        answers["table-inventory", "GET", f"/gaming-days/riverside/{open_day}"] = (200, found)
        items = [ITEM] if found is OPEN else []
        answers["table-inventory", "GET", f"/gaming-days/riverside/{open_day}/follow-ups"] = (200, {"items": items})
    return stage.browser("pit.pat")


def test_the_home_page_of_a_property_says_what_is_to_be_done(browser: Browser) -> None:
    """Each item leads to the page where it is done; figures stand beside those of a week ago; open days are listed."""
    shown = browser.get("/p/riverside").text
    assert '<a href="/p/riverside/days/2026-11-21"><strong>1 open item for 2026-11-21</strong></a>' in shown
    assert f'<a href="/p/riverside/days/2026-11-{AFTER_SEAL}"><strong>1 open item' in shown
    assert "counted after the seal" not in shown  # it closes no day
    assert "2 exceptions today" in shown
    assert all(text in shown for text in ("41", "398", "123.45", "2026-11-15, full day"))

    assert (
        "win $600.00, theoretical win $100.00 ± $400.00 (two standard deviations), beyond 2 standard deviations"
        in shown
    )
    assert "$900.00" in shown
    assert '<figure class="chart">' in shown
    assert all(text in shown for text in ("nobody resolved it", "audit.lou", "audit.kim"))
    assert shown.index("2026-11-21") < shown.rindex("2026-11-22")


DUE: dict[str, Any] = {"status": "due", "person": "p-7", "reported_with": "", "late": ""}
CHANGED: dict[str, Any] = DUE | {"status": "to_correct", "filing": "1"}
ROWS = [
    DUE,
    DUE | {"person": "p-8", "late": "late"},
    DUE | {"person": "p-9", "late": "late", "reported_with": "p-8"},
    CHANGED,
    CHANGED | {"person": "p-5", "amendment": "3"},  # it is amended already
    CHANGED | {"person": "p-6", "status": "to_withdraw", "amendment": "2"},
    DUE | {"person": "p-4", "status": "accepted"},
]


def test_currency_reports_that_are_due_or_to_be_corrected_lead_to_the_filings(stage: Stage, browser: Browser) -> None:
    """For those who may see them; of a month of which nothing is recorded there are none."""

    def currency(request: httpx.Request) -> httpx.Response:
        if str(today) not in str(request.url):
            return httpx.Response(404, json={"title": "Nothing is recorded of it", "detail": "nothing of that month"})
        return httpx.Response(200, json={"content": {"sections": [{"name": "filed", "rows": ROWS}]}})

    today = stage.clock().astimezone(ZoneInfo("America/New_York")).date()
    stage.services.answers["reporting", "GET", "/reports/currency"] = currency
    assert "currency transaction report" not in browser.get("/p/riverside").text
    stage.issuer.people = {**stage.issuer.people, "pit.pat": ("reports.read", "patrons.report")}
    browser = stage.browser("pit.pat")
    shown = browser.get("/p/riverside").text
    for text in (
        "2 currency transaction reports due, 1 of them late",
        "1 currency transaction report to correct",
        "1 currency transaction report to withdraw and prepare again",
    ):
        assert f'<a href="/p/riverside/filings"><strong>{text}</strong></a>' in shown
    assert "nothing of that month" not in shown
    refused = {"title": "The database does not answer"}
    stage.services.answers["reporting", "GET", "/reports/currency"] = (503, refused)
    assert refused["title"] in browser.get("/p/riverside").text


def test_a_service_that_does_not_answer_is_named(stage: Stage, browser: Browser) -> None:
    """The rest of the page stands."""
    day = ("table-inventory", "GET", "/gaming-days/riverside/2026-11-21")
    stage.services.answers[day] = (503, {"title": "The database does not answer"})
    shown = browser.get("/p/riverside").text
    assert "The database does not answer" in shown
    assert "2 exceptions today" in shown
