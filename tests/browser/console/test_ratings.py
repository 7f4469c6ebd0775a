"""Ratings in a real browser, by every form there is; accessible in light and dark."""

from playwright.sync_api import expect

from tests.browser.console.conftest import Visit
from tests.browser.console.steps import act
from tests.browser.console.test_pages import wrong_with
from tests.support.demo import NEIGHBOR

THERE = f"/p/{NEIGHBOR}/ratings"
PATRON = "p-2001"


def test_a_patron_is_rated_from_the_page_of_the_pit(visit: Visit) -> None:
    """Whoever rates sees the open ratings of each pit; a supervisor amends a step, with a reason."""
    page = visit("demo.pit", THERE)
    wrong = list(wrong_with(page))
    act(page, "open-rating", table="RP01", patron=PATRON, seat="3", average_bet_cents="50.00", buy_in_cents="500.00")
    act(page, "pause-rating", row=PATRON)
    act(page, "resume-rating", row=PATRON)
    act(page, "state-average-bet", row=PATRON, average_bet_cents="75.00")
    act(page, "rate-buy-in", row=PATRON, buy_in_cents="200.00")
    act(page, "move-rating", row=PATRON, table="RP02", seat="5")
    wrong += wrong_with(page)
    act(page, "close-rating", row=PATRON, chips_out_cents="310.00")
    page.locator("tr", has_text=PATRON).get_by_role("link").first.click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Rating pit-")
    wrong += wrong_with(page)
    rating = heading.inner_text().removeprefix("Rating ")
    act(page, "amend-rating", row="rating.bought_in", reason="counted again", instead__buy_in_cents="250.00")
    expect(page.get_by_role("region", name="Rating", exact=True)).to_contain_text("$750.00")
    page = visit("demo.pit_manager", f"{THERE}/{rating}")
    act(page, "overrule-rating", row="rating.bet", reason="a zero too many", instead__average_bet_cents="7.50")
    expect(page.locator("main")).to_contain_text("a zero too many")
    assert [] == [*wrong, *wrong_with(page)]
