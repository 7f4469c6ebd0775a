"""Surveillance: what was not as it should be, what was refused, and the history of one round."""

from playwright.sync_api import expect

from tests.browser.console.conftest import Visit
from tests.browser.console.steps import FLOW, offered, reload_until
from tests.support.demo import NEIGHBOR, PROPERTY, RunningDemo

HOME, THERE = f"/p/{PROPERTY}", f"/p/{NEIGHBOR}"
PERSON = "demo.surveillance"


@FLOW
def test_an_exception_leads_to_the_history_of_its_round(demo: RunningDemo, visit: Visit) -> None:
    """From the list to the round as it was and as it was corrected, by whom and why; nothing of it can be changed."""
    page = visit(PERSON, f"{HOME}/reports/exceptions?day={demo.gaming_day}")
    corrected = page.locator("tr", has_text=f"{demo.round_id}, revision 1")
    expect(corrected).to_contain_text("reversed")
    page.locator("#q").fill(demo.round_id)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{demo.round_id}")
    main = page.locator("main")
    for said in ("corrected once", "as recorded", "floor-101", "shift-201", "surveillance: the Blackjack Wager"):
        expect(main).to_contain_text(said)
    expect(page.get_by_role("link", name="Correct this round")).to_have_count(0)


@FLOW
def test_what_was_refused_is_read_and_not_mended(demo: RunningDemo, visit: Visit) -> None:
    """The record with its reason, and no way to replay or to dismiss it; the report of exceptions has it, too."""
    demo.play_round("RP02", hit_and_run_progressive=700)
    page = visit(PERSON, f"{THERE}/quarantine")
    reload_until(page, "hit_and_run_progressive")
    page.locator("tr", has_text="hit_and_run_progressive").get_by_role("link").first.click()
    expect(page.locator("main")).to_contain_text("hit_and_run_progressive")
    for command in ("ask-replay", "ask-dismissal"):
        expect(offered(page, command)).to_have_count(0)
    page.goto(f"{demo.console}{THERE}/reports/exceptions")
    reload_until(page, "hit_and_run_progressive")
