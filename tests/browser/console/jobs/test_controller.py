"""A controller's month: the trend of drop and win, the tax return, the general ledger, and what is owed to players."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.console.conftest import Visit
from tests.browser.console.steps import FLOW
from tests.support.demo import PROPERTY, RunningDemo

HOME = f"/p/{PROPERTY}"
MONTH = {
    "drop-and-win": ("By table", "To date"),
    "tax": ("Revenue by class", "Tax"),
    "general-ledger": ("Journals of sealed days", "Trial balance"),
    "account-liability": ("By gaming day",),
}
"""What a controller reads of a month: each report with sections that it has to have."""


@FLOW
def test_a_month_from_its_trend_to_the_general_ledger(demo: RunningDemo, visit: Visit) -> None:
    """From the sealed gaming day to its month, whose reports are there with figures, balance, and leave as files."""
    page = visit("demo.controller", f"{HOME}/days/{demo.gaming_day}")
    page.get_by_role("link", name="Month", exact=True).click()
    expect(page.locator("main")).to_contain_text(demo.gaming_day[:7])
    page.get_by_role("link", name="Reports", exact=True).click()
    for report, sections in MONTH.items():
        page.goto(f"{demo.console}{HOME}/reports/{report}?day={demo.gaming_day}&period=month")
        for section in sections:
            expect(page.get_by_role("region", name=section).first).to_be_visible()
        expect(page.locator("main")).not_to_contain_text("does not balance")
        with page.expect_download() as download:
            page.get_by_role("link", name="XLSX", exact=True).click()
        assert Path(download.value.path()).read_bytes().startswith(b"PK"), report
    page.goto(f"{demo.console}{HOME}/reports/drop-and-win?day={demo.gaming_day}&period=month")
    page.get_by_role("region", name="To date").locator("a.figure").first.click()
    expect(page.get_by_role("heading", name="The entries behind a figure")).to_be_visible()
