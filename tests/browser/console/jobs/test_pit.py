"""The pit's work on a shift, by a floorperson and the pit manager: from the first count of a table to its last."""

import re
from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import Page, expect

from services.cli.demo.pit import REPORTING
from tests.browser.console.conftest import Visit
from tests.browser.console.steps import FLOW, REASON, act, offered, reload_until, send
from tests.support.demo import NEIGHBOR, RunningDemo, neighbor_day
from tests.support.pit import chips

THERE = f"/p/{NEIGHBOR}"
TABLE, GAME = "RP01", "pai-gow-rhode-island"
DOLLAR = 100


def expected_dollars(page: Page) -> int:
    """Return the expected inventory of the table that a page shows, in dollars: its eighth column."""
    cell = page.locator("table.floor tbody tr").first.locator("th, td").nth(7)
    return int(cell.inner_text().removeprefix("$").replace(",", "").removesuffix(".00"))


@FLOW
def test_a_shift_of_a_table_from_its_opener_to_its_closer(demo: RunningDemo, visit: Visit) -> None:
    """A floorperson watches, requests a fill from the table's page, and finds its slip; a check is issued; a wager
    that was entered wrongly is corrected by two; the table is handed over to the next shift and closes, both
    without a variance.
    """
    now = datetime.now(UTC)
    table = demo.table(TABLE, neighbor_day(now))
    people = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
    opened = table.opened(now, chips(c500=2000, c2500=400), game=GAME)
    demo.pit(opened)
    page = visit("demo.pit", f"{THERE}/floor")
    reload_until(page, "$20,000.00")
    page.get_by_role("link", name=TABLE, exact=True).click()

    offered(page, "request-slip").first.click()
    send(page, contents__0__cents="25.00", contents__0__count="40")
    cage = visit("demo.cage", f"{THERE}/desk")
    offered(cage, "prepare-slip", row=TABLE).first.click()
    expect(cage.locator(".subject")).to_contain_text("demo.pit")
    send(cage)
    cage.get_by_role("link", name="Back").click()
    cage.get_by_role("region", name="Slips in transit").locator("tr", has_text=TABLE).get_by_role("link").first.click()
    number = int(cage.get_by_role("heading", level=1).inner_text().removeprefix("Fill slip "))
    cage.get_by_role("link", name="Form for paper").click()
    for part in ("Original", "Duplicate"):
        form = cage.get_by_role("region", name=part)
        for shown in (f"Fill slip {number}", TABLE, "$25.00 chip", "$1,000.00", "demo.pit", "demo.cage"):
            expect(form).to_contain_text(shown)
    printed = cage.pdf()
    assert printed.startswith(b"%PDF")
    assert 1 == printed.count(b"/Type /Page\n"), "both parts are on one sheet"
    desk = visit("demo.pit", f"{THERE}/desk")
    expect(desk.get_by_role("region", name="Slips in transit")).to_contain_text("prepared")
    demo.pit(table.event("fill.carried", now, number=number, carried_by="security.sam"))
    reload_until(desk, "security.sam")
    received = {"contents": chips(c2500=40), "received_by": "dealer.dan", "observed_by": "floor.fay"}
    demo.pit(
        table.event("fill.received", now, number=number, **received),
        table.event("counter_check.issued", now, serial="CC-9001", cents=500 * DOLLAR, **people),
    )
    reload_until(desk, "CC-9001")
    reload_until(desk, "security.sam", there=False)  # the page asks for slips and checks side by side
    page.goto(urljoin(page.url, f"{THERE}/floor/{TABLE}"))
    slips = page.get_by_role("region", name="Fills and credits")
    slips.locator("tr", has_text="received").get_by_role("link", name=str(number), exact=True).click()
    for signed in ("demo.pit", "demo.cage", "security.sam", "dealer.dan", "floor.fay"):
        expect(page.locator("main")).to_contain_text(signed)

    round_id = demo.play_round(TABLE)
    page = visit("demo.pit_manager", f"{THERE}/floor/{TABLE}")
    reload_until(page, round_id)
    page.get_by_role("link", name=round_id).click()
    address = urlsplit(page.url).path
    page.get_by_role("link", name="Correct this round").click()
    expect(page.locator("svg.felt:visible")).to_be_visible()
    send(page, round__seats__0__wagers__bonus="", reason=REASON)
    approver = visit("demo.correction_approver", f"{THERE}/corrections")
    approver.locator("tr", has_text=round_id).get_by_role("link").first.click()
    act(approver, "approve-correction")
    reload_until(visit("demo.pit_manager", address), REASON)

    shifts = demo.people.at(REPORTING).read(f"/floors/{NEIGHBOR}/names")["shifts"]
    page = visit("demo.pit", f"{THERE}/floor/{TABLE}")
    contents = chips(c500=expected_dollars(page) // 5)
    following = {"gaming_day": table.day, "shift": next(name for name in shifts if name != table.shift)}
    handed_over = table.event(
        "table.counted", datetime.now(UTC), contents=contents, purpose="shift", begins=following, **people
    )
    demo.pit(handed_over, table.closed(datetime.now(UTC), contents, shift=following["shift"]))
    reload_until(page, "No equipment checks are due while the table is closed.")
    variances = page.get_by_role("region", name="Variances").locator("tbody tr")
    of_events = {row.locator("td").nth(1).inner_text() for row in variances.all()}
    assert of_events <= {str(opened["sequence"])}  # an opener differs from a closer that another test counted
    page.get_by_role("link", name="Pit events").click()
    for event in ("table.opened", "fill.received", "counter.check.issued", "table.counted", "table.closed"):
        expect(page.locator("tr", has_text=re.compile(event, re.IGNORECASE)).first).to_be_visible()


@FLOW
def test_a_pit_event_is_corrected_by_two(demo: RunningDemo, visit: Visit) -> None:
    """From the table to its events, to the form with what one says, to the page with before and after; recorded."""
    now = datetime.now(UTC)
    table = demo.table("RP01", neighbor_day(now))
    demo.pit(table.sold(now, 9_000_00))
    page = visit("demo.correction_approver", f"{THERE}/floor/RP01")
    page.get_by_role("link", name="Pit events").click()
    event = page.locator("tr", has_text="$9,000.00").get_by_role("link").first
    expect(event).to_be_visible()
    corrector = visit("demo.round_corrector", urlsplit(urljoin(page.url, str(event.get_attribute("href")))).path)
    expect(corrector.locator("dl.record")).to_contain_text("$9,000.00")
    corrector.get_by_role("link", name="Correct this event").click()
    expect(corrector.locator('main [name="instead.cents"]')).to_have_value("9000.00")
    send(corrector, instead__cents="900.00", reason=REASON)
    page.goto(urljoin(page.url, f"{THERE}/desk"))
    row = page.locator("tr", has_text=REASON).filter(has_text="chips.sold")
    row.get_by_role("link").first.click()
    changed = page.locator("tr", has_text="changed")
    expect(changed).to_contain_text("$9,000.00")
    expect(changed).to_contain_text("$900.00")
    address = page.url
    offered(page, "approve-pit-change").click()
    send(page)
    reload_until(visit("demo.auditor", urlsplit(address).path), "recorded")


@FLOW
def test_a_pit_event_is_voided_by_two(demo: RunningDemo, visit: Visit) -> None:
    """From its page to the form about it, confirmed with what is restated; then its page and both lists say so."""
    now = datetime.now(UTC)
    table = demo.table("RP01", neighbor_day(now))
    demo.pit(table.sold(now, 7_700_00))
    page = visit("demo.round_corrector", f"{THERE}/pit-events/RP01")
    page.locator("tr", has_text="$7,700.00").get_by_role("link").first.click()
    address = urlsplit(page.url).path
    page.get_by_role("link", name="Void this event").click()
    expect(page.locator(".subject")).to_contain_text("$7,700.00")
    expect(page.locator('main [name="sequence"]')).not_to_be_editable()
    page.locator('main [name="reason"]').fill(REASON)
    page.locator("form.command button.main").click()
    expect(page.get_by_role("heading", name="Confirm")).to_be_visible()
    expect(page.locator("main")).to_contain_text("the figures of gaming day")
    page.locator("form.confirm button.main").click()
    expect(page.get_by_role("status")).to_have_text("It is recorded.")
    approver = visit("demo.correction_approver", address)
    expect(approver.locator(".stage")).to_have_text("change proposed")
    approver.get_by_role("link", name="would void this event").click()
    offered(approver, "approve-pit-change").click()
    send(approver)
    reload_until(visit("demo.auditor", address), "Why it was voided")
    page = visit("demo.auditor", f"{THERE}/pit-events/RP01")
    expect(page.locator("tr", has_text="$7,700.00")).to_contain_text("voided")
    page.goto(urljoin(page.url, f"{THERE}/pit-changes"))
    page.get_by_label("Outcome").select_option("in effect")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("tr", has_text="void").filter(has_text=REASON).first).to_be_visible()
