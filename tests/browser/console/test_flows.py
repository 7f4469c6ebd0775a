"""What people come to the console for, from end to end, in a real browser, each under their own login."""

import re
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from services.cli.demo.pit import INVENTORY, METERS
from tests.browser.conftest import OpenPage
from tests.browser.console.conftest import Visit, log_in
from tests.browser.console.steps import FLOW, REASON, act, offered, send
from tests.support.demo import NEIGHBOR, PROPERTY, RunningDemo, neighbor_day
from tests.support.nightly import AT_NIGHT, sampled

HOME, THERE = f"/p/{PROPERTY}", f"/p/{NEIGHBOR}"


def test_a_round_that_is_played_comes_to_the_floor_by_itself(demo: RunningDemo, visit: Visit) -> None:
    """The card of the table changes without loading; it leads to the table, the round, its felt; its name finds it."""
    page = visit("demo.auditor", f"{THERE}/floor")
    expect(page.locator("[data-live]")).to_have_text("live")
    page.evaluate("window.loadedOnce = true")
    round_id = demo.play_round("RP01")
    card = page.locator("ul.tables > li", has=page.get_by_role("link", name="RP01"))
    expect(card.locator(f'a[href$="{round_id}"]')).to_be_visible()
    assert page.evaluate("window.loadedOnce")
    card.get_by_role("link", name="RP01").click()
    page.get_by_role("link", name=round_id).click()
    expect(page.locator("svg.felt-wide")).to_be_visible()
    found = page.locator("dd code").first.inner_text()
    for term in (round_id, found):
        page.keyboard.press("/")
        page.locator("#q").fill(term)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{THERE}/rounds/RP01/{round_id}")


@FLOW
def test_what_waits_for_somebody_stands_on_the_desk(demo: RunningDemo, visit: Visit) -> None:
    """A counter check is paid at the cage and gone; vigorish that nobody took leads to its round.

    The desk looks at two gaming days. For some hours of the night the day that was played is none of them: the
    neighbor's begin earlier.
    """
    page = visit("demo.cage", f"{HOME}/desk")
    row = page.locator("tr", has_text="CC-").first
    serial, left = row.locator("th").inner_text(), row.locator("td.n").last.inner_text()
    act(page, "redeem-check", row=serial, cents=left, paid_in="currency")
    expect(page.locator("tr", has_text=serial)).to_have_count(0)
    page = visit("demo.auditor", f"{THERE}/desk")
    running, played = (date.fromisoformat(str(one)) for one in (neighbor_day(datetime.now(UTC)), demo.gaming_day))
    rounds = page.get_by_role("region", name="Outstanding vigorish").get_by_role("link")
    if running - played > timedelta(days=1):
        expect(rounds).to_have_count(0)
        return
    rounds.first.click()
    expect(page.locator("svg.felt-wide")).to_be_visible()


@FLOW
def test_two_people_change_a_meter(visit: Visit) -> None:
    """One asks and sees no way to approve it; another sees what it is about, approves, and the meter has moved."""
    pool, day = "RP02.progressive_payout", neighbor_day(datetime.now(UTC))
    page = visit("demo.meter_clerk", f"{THERE}/meters/{pool}")
    act(page, "request-change", kind="adjustment", cents="12.34", gaming_day=day, reason=REASON)
    page = visit("demo.meter_manager", f"{THERE}/meters")
    offered(page, "approve-change", row=REASON).click()
    expect(page.locator(".subject")).to_contain_text("demo.meter_clerk")
    send(page)
    page = visit("demo.auditor", f"{THERE}/meters/{pool}")
    expect(page.get_by_role("region", name="Movements").locator("tr", has_text="change").first).to_be_visible()
    expect(page.locator("figure.chart img")).to_be_visible()


@AT_NIGHT
def test_who_approves_sees_what_is_approved(demo: RunningDemo, visit: Visit) -> None:
    """The second revision of a contest and not the first; the last of 101 changes of a meter; of nothing, no button."""
    day, does = demo.gaming_day, demo.people.does
    contests, named = f"/contests/{PROPERTY}/{day}", "friday-night"
    decision = {"reason": REASON}
    for revision, prizes_cents in ((1, 200_00), (2, 99_999_99)):
        result = {"contest": named, "fees_cents": 500_00, "prizes_cents": prizes_cents, "reason": REASON}
        does("demo.accountant", INVENTORY, contests, result)
        if revision == 1:
            does("demo.controller", INVENTORY, f"{contests}/{named}/1/reject", decision)
    form = f"/do/{INVENTORY}/approve-contest?property={PROPERTY}&gaming_day={day}&contest={named}&revision="
    page = visit("demo.controller", f"{form}2")
    for shown in ("$99,999.99", "$500.00", "demo.accountant", REASON):
        expect(page.locator(".subject")).to_contain_text(shown)
    expect(page.locator(".subject")).not_to_contain_text("$200.00")
    expect(page.locator("form.command button.main")).to_be_enabled()
    page = visit("demo.controller", f"{form}3")
    expect(page.locator(".subject")).to_contain_text("there is no revision 3")
    expect(page.locator("form.command button.main")).to_have_count(0)
    does("demo.controller", INVENTORY, f"{contests}/{named}/2/reject", decision)
    wanted = {"kind": "adjustment", "gaming_day": neighbor_day(datetime.now(UTC)), "reason": REASON}
    path = f"/pools/{NEIGHBOR}/RP02.progressive_payout/changes"
    for cents in range(1, 102):
        change = does("demo.meter_clerk", METERS, path, wanted | {"cents": cents})["change"]
    page = visit("demo.meter_manager", f"/do/{METERS}/approve-change?property={NEIGHBOR}&change={change}")
    expect(page.locator(".subject")).to_contain_text("$1.01")
    page.get_by_role("button", name="Approve a change").click()
    expect(page.get_by_role("status")).to_have_text("It is recorded.")


@FLOW
def test_a_wager_is_held_on_an_account(visit: Visit) -> None:
    """An account is opened, money comes onto it, a table holds some of it; the statement says so."""
    account, at = "TH01-new", f"property={PROPERTY}&account=TH01-new"
    page = visit("demo.account_cashier", f"/do/wagering-accounts/open-account?{at}&table=TH01")
    send(page)
    page = visit("demo.account_cashier", f"/do/wagering-accounts/buy-in?{at}")
    send(page, cents="100", instrument="cash")
    page = visit("demo.table_system", f"/do/wagering-accounts/authorize-wager?{at}&table=TH01")
    send(page, cents="40.00", round_id="TH01-next", seat="1", wager="ante")
    page = visit("demo.auditor", f"{HOME}/search?q={account}")
    page.get_by_role("link", name=f"{account} account").click()
    for text in ("$60.00", "$40.00", "TH01-next"):
        expect(page.locator("main")).to_contain_text(text)


@FLOW
def test_a_figure_leads_to_its_entries_and_a_report_has_every_format(demo: RunningDemo, visit: Visit) -> None:
    """On the sealed gaming day and in a report; what is downloaded is what it says."""
    page = visit("demo.auditor", f"{HOME}/days/{demo.gaming_day}")
    expect(page.locator(".stage")).to_have_text(re.compile("final|restated"))  # what is mended later restates it
    page.get_by_role("link", name="Master game report").click()
    page.locator("a.figure").first.click()
    expect(page.get_by_role("heading", name="The entries behind a figure")).to_be_visible()
    page = visit("demo.auditor", f"{HOME}/reports/statistics?day={demo.gaming_day}")
    expect(page.locator("figure.chart img").first).to_be_visible()
    begins = {"PDF": b"%PDF", "XLSX": b"PK", "CSV": b"section,", "PARQUET": b"P", "JSON": b"{"}
    for form, first in begins.items():
        link = page.get_by_role("link", name=form, exact=True).get_attribute("href")
        assert page.context.request.get(urljoin(page.url, link)).body().startswith(first), form
    page.locator("a.figure").first.click()
    expect(page.locator("tbody tr").first).to_be_visible()


@sampled(1)
@pytest.mark.parametrize(
    ("term", "leads_to"),
    [
        ("OU01", "/floor/OU01"),
        ("table ou-01", "/floor/OU01"),
        ("blackjack-link", "/meters/blackjack-link"),
    ],
)
def test_one_box_finds_tables_and_meters(visit: Visit, term: str, leads_to: str) -> None:
    """What has only one meaning is shown at once."""
    page = visit("demo.auditor", f"{HOME}/reports")
    page.get_by_role("searchbox").fill(term)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{HOME}{leads_to}*")


def test_the_box_finds_an_account_and_leaves_opening_it_to_people(visit: Visit) -> None:
    """Its page is a look at the patron, which is recorded."""
    page = visit("demo.auditor", f"{HOME}/reports")
    page.get_by_role("searchbox").fill("W-P-1002")
    page.keyboard.press("Enter")
    found = page.get_by_role("link", name="W-P-1002 account")
    expect(found).to_contain_text("opening it is recorded as access to patron data")
    found.click()
    page.wait_for_url(f"**{HOME}/patrons/accounts/W-P-1002*")


def test_the_box_finds_a_person(visit: Visit) -> None:
    """The report on access says what somebody did."""
    page = visit("demo.auditor", f"{HOME}/search?q=demo.controller")
    expect(page).to_have_url(re.compile("/reports/access"))


def test_after_logout_the_session_is_over(demo: RunningDemo, open_page: OpenPage) -> None:
    """The way back leads to the provider, and not to the page."""
    page = log_in(open_page, demo, "demo.auditor", f"{HOME}/reports")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="You are logged out")).to_be_visible()
    page.goto(f"{demo.console}{HOME}/reports")
    expect(page.get_by_role("heading", name="Who are you?")).to_be_visible()
