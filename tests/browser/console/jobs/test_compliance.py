"""Compliance: who is to be reported, what may have been structured over days, and who looked at patrons."""

from playwright.sync_api import expect

from tests.browser.console.conftest import Visit
from tests.browser.console.steps import FLOW
from tests.support.demo import PROPERTY, RunningDemo

HOME = f"/p/{PROPERTY}"
OFFICER = "demo.title31_officer"


@FLOW
def test_candidates_lead_to_their_movements_and_looks_are_on_record(demo: RunningDemo, visit: Visit) -> None:
    """From what is due to the report with patterns over days and the entries behind it; a look names who looked."""
    page = visit(OFFICER, f"{HOME}/filings")
    due = page.get_by_role("region", name="Due, not in a filing yet")
    expect(due).to_contain_text("FinCEN 112")
    page.goto(f"{demo.console}{HOME}/reports/currency?day={demo.gaming_day}&period=month")
    for section in (
        "Reportable currency of unidentified persons",
        "Near a threshold",
        "Filing status of reportable totals",
    ):
        expect(page.locator("main")).to_contain_text(section)
    expect(page.get_by_role("heading", name="Patterns for review")).to_be_visible()
    page.get_by_role("region", name="Near a threshold").locator("a.figure").first.click()
    expect(page.locator("tbody tr").first).to_be_visible()
    page = visit(OFFICER, f"{HOME}/patrons/accounts/W-P-1002")
    expect(page.locator("main")).to_contain_text("P-1002")
    page.goto(f"{demo.console}{HOME}/patrons/P-1002")
    page.get_by_role("link", name="Access to patron data this month").click()
    row = page.get_by_role("region", name="By person").locator("tr", has_text=OFFICER)
    expect(row).to_be_visible()
    seen = page.get_by_role("region", name="Accesses in chronological order").locator("tr", has_text=OFFICER)
    expect(seen.filter(has_text="P-1002").first).to_be_visible()
    row.locator("a.figure").first.click()
    expect(page.locator("tbody tr", has_text="Patron seen").first).to_be_visible()
