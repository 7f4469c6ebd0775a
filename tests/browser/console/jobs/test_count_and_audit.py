"""The morning after: the boxes are counted, and the gaming day is closed, audited, sealed and sent out."""

from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from services.cli.demo.pit import INVENTORY
from tests.browser.console.conftest import Visit
from tests.browser.console.steps import FLOW, REASON, act, offered, reload_until, send
from tests.support.demo import NEIGHBOR, PROPERTY, RunningDemo, neighbor_begins
from tests.support.pit import chips

HOME, THERE = f"/p/{PROPERTY}", f"/p/{NEIGHBOR}"
TABLES_THERE = ("RP01", "RP02")


@FLOW
def test_the_day_of_a_table_is_counted_closed_audited_and_sealed(demo: RunningDemo, visit: Visit) -> None:
    """Two count the boxes blind, three people close, audit and seal the day; who has not the role finds no button."""
    begins, chips_of_day = neighbor_begins(demo.gaming_day), chips(c500=2000)
    for name in TABLES_THERE:
        table = demo.table(name, demo.gaming_day)
        opened = table.opened(begins + timedelta(minutes=5), chips_of_day, game="pai-gow-rhode-island")
        closes = begins + timedelta(hours=23)
        demo.pit(opened, *table.box_off(closes, f"{name}-A"), table.closed(closes, chips_of_day))
    day = f"{THERE}/days/{demo.gaming_day}"
    reload_until(visit("demo.accountant", day), "is not counted")
    page = visit("demo.counter", f"{THERE}/desk")
    offered(page, "open-count").first.click()
    send(page, gaming_day=demo.gaming_day)
    number = page.locator("dl.record div", has_text="Count").first.locator("dd").inner_text()
    counted = f"{THERE}/desk/counts/{number}"
    for person in ("demo.counter", "demo.verifier"):
        for name in TABLES_THERE:
            page = visit(person, counted)
            found = {"figures__currency__0__cents": "100.00", "figures__currency__0__count": "7"}
            act(page, "count-box", row=name, **found)
            expect(page.locator("main")).not_to_contain_text("$700.00")
    act(page, "conclude-count")
    expect(page.locator("main")).to_contain_text("concluded")
    for person, name, stage in (
        ("demo.accountant", "close-day", "preliminary"),
        ("demo.revenue_auditor", "audit-day", "preliminary"),
        ("demo.controller", "seal-day", "final"),
    ):
        page = visit(person, day)
        if name == "audit-day":
            explain_variances(demo, page, NEIGHBOR, person)
        offered(page, name).click()
        send(page)
        page.get_by_role("link", name="Back").click()
        expect(page.locator(".steps .done").last).to_contain_text(person)
        expect(page.locator(".stage")).to_have_text(stage)
    expect(page.locator("main")).to_contain_text("seal ")
    for name in ("close-day", "audit-day", "seal-day"):
        expect(offered(page, name)).to_have_count(0)
    page = visit("demo.revenue_auditor", day)
    page.get_by_role("link", name="Master game report").click()
    expect(page.locator("main")).to_contain_text("final")
    with page.expect_download() as download:
        page.get_by_role("link", name="PDF", exact=True).click()
    assert Path(download.value.path()).read_bytes().startswith(b"%PDF")


def explain_variances(demo: RunningDemo, page: Page, property_name: str, person: str) -> None:
    """Take on a variance of the day, and resolve it; then all others, past the pages."""
    act(page, "own-variance", owner=person)
    act(page, "resolve-variance", conclusion=REASON)
    day = {"property": property_name, "gaming_day": demo.gaming_day}
    for one in demo.people.at(INVENTORY).read("/variances", **day)["items"]:
        if one["level"] != "noted" and one["status"] != "resolved":
            path = f"/variances/{property_name}/{demo.gaming_day}/{one['variance']}/{one['table']}/{one['number']}"
            demo.people.does(person, INVENTORY, f"{path}/own", {"owner": person})
            demo.people.does(person, INVENTORY, f"{path}/resolve", {"conclusion": REASON})
    page.reload()
    expect(offered(page, "own-variance")).to_have_count(0)


@FLOW
def test_a_round_of_a_sealed_day_is_corrected_by_two(demo: RunningDemo, visit: Visit) -> None:
    """One proposes, another sees what it changes and approves; what the count does not explain then is resolved."""
    page = visit("demo.round_corrector", f"{HOME}/rounds?day={demo.gaming_day}&table=OU01")
    page.locator('main a[href*="/rounds/OU01/"]').first.click()
    round_page = urlsplit(page.url).path
    page.get_by_role("link", name="Correct this round").click()
    page.get_by_role("checkbox", name="Remove row").last.check()
    send(page, reason=REASON)
    page = visit("demo.correction_approver", f"{HOME}/corrections")
    page.get_by_role("region", name="wait").get_by_role("link").first.click()
    expect(page.get_by_role("alert")).to_contain_text("its reports are restated")
    expect(page.locator("tr", has_text="changed").first).to_contain_text("none")
    offered(page, "approve-correction").click()
    send(page)
    reload_until(visit("demo.auditor", round_page), REASON)
    report = visit("demo.auditor", f"{HOME}/reports/drop-and-win?day={demo.gaming_day}")
    reload_until(report, "preliminary version")
    page = visit("demo.revenue_auditor", f"{HOME}/days/{demo.gaming_day}")
    explain_variances(demo, page, PROPERTY, "demo.revenue_auditor")
    expect(page.locator(".stage")).to_have_text("restated")
    reload_until(report, "restated version")
