"""The cage in a real browser: two people transfer and count, and the page is accessible in light and dark."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page

from tests.browser.console.conftest import Visit
from tests.browser.console.steps import act
from tests.browser.console.test_pages import wrong_with
from tests.support.demo import PROPERTY, RunningDemo, running_day

CAGE = f"/p/{PROPERTY}/cage"
NOTES = {"contents__0__kind": "currency", "contents__0__cents": "100", "contents__0__count": "1234"}


def region(page: Page, name: str) -> str:
    """The text of a list of the page."""
    return page.get_by_role("region", name=name).inner_text()


def test_two_people_transfer_and_count_at_the_cage(visit: Visit) -> None:
    """Currency comes from the bank, and is counted; each step waits for another person, who sees what it is about."""
    page = visit("demo.cage", CAGE)
    act(page, "issue-cage-transfer", giver="bank", receiver="cage", **NOTES)
    page = visit("demo.cashier", CAGE)
    assert "1234 × $100.00 currency" in region(page, "In transit")
    assert [] == [*wrong_with(page)]
    act(page, "receive-cage-transfer", row="1234 ×")
    page = visit("demo.cage", CAGE)
    act(page, "enter-cage-count", location="cage", cashier="demo.cage", **NOTES)
    page = visit("demo.cashier", CAGE)
    assert "1234 × $100.00 currency" not in region(page, "In transit")
    assert "demo.cage" in region(page, "Counted, not verified")
    assert "Book balances by location" not in page.locator("main").inner_text()
    act(page, "verify-cage-count", row="1234 ×")
    page = visit("demo.auditor", CAGE)
    assert "$123,400.00" in region(page, "Book balances by location")
    assert "verified" in region(page, "Counts of the day")
    assert [] == [*wrong_with(page)]


NARROW = {"width": 820, "height": 900}
LAPTOP = {"width": 1440, "height": 900}
CUT = """all => all.filter((one) => one.scrollWidth > one.clientWidth)
    .map((one) => one.getAttribute("aria-labelledby"))"""


def test_what_may_be_done_is_in_sight_on_a_narrow_screen(visit: Visit) -> None:
    """Whatever else of a row is beyond the edge, its commands are not."""
    page = visit("demo.cage", CAGE, viewport=NARROW)
    offered = page.locator("td.acts .button")
    assert offered.count() > 0
    for button in offered.all():
        box = button.bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= box["x"] + box["width"] <= NARROW["width"]


@pytest.mark.parametrize("report", ["cage-accountability", "general-ledger"])
def test_a_report_is_whole_on_a_laptop(demo: RunningDemo, visit: Visit, report: str) -> None:
    """No table of the sheet of the cage or of the journals is cut."""
    for day in (demo.gaming_day, running_day(datetime.now(UTC))):
        page = visit("demo.auditor", f"/p/{PROPERTY}/reports/{report}?day={day}&period=day", viewport=LAPTOP)
        assert [] == page.locator(".wide").evaluate_all(CUT)
