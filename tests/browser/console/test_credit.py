"""Credit in a real browser, by its forms alone: a limit, a counter check, and every way in which it ends."""

from datetime import UTC, datetime

from playwright.sync_api import Page, expect

from tests.browser.console.conftest import Visit
from tests.browser.console.steps import act, fill_in, offered, reload_until, send
from tests.browser.console.test_pages import wrong_with
from tests.support.demo import PROPERTY, RunningDemo, running_day

DESK = f"/p/{PROPERTY}/desk"
PATRON, SERIAL, TABLE = "P-3001", "CC-3001", "BJ02"


def row(page: Page, of: str) -> str:
    """The text of the first row of the page that has this text."""
    return page.locator("tr", has_text=of).first.inner_text()


def test_a_counter_check_is_issued_on_a_line_and_paid_returned_and_written_off(demo: RunningDemo, visit: Visit) -> None:
    """Whoever asks for a limit does not approve it, nor who writes off; each sees at the desk what is left to do."""
    clerk = visit("demo.credit_clerk", DESK)
    limit = {"patron": PATRON, "change": "limit", "limit_cents": "1,000.00", "reason": "application 9"}
    act(clerk, "request-credit-line", **limit)
    act(clerk, "verify-credit-line", row=PATRON, verification="bank and bureau, file 9")
    assert 0 == offered(clerk, "approve-credit-line", row=PATRON).count()
    wrong = list(wrong_with(clerk))
    for person in ("demo.credit_manager", "demo.credit_director"):
        page = visit(person, DESK)
        wrong += wrong_with(page)
        act(page, "approve-credit-line", row=PATRON)
    page = visit("demo.check_clerk", DESK)
    act(page, "prepare-check", row=PATRON, serial=SERIAL, table=TABLE, cents="600.00")
    assert "$400.00" in row(page, PATRON)
    now = datetime.now(UTC)
    table = demo.table(TABLE, running_day(now), PROPERTY)
    people = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
    demo.pit(table.event("counter_check.issued", now, serial=SERIAL, cents=600_00, **people))
    cage = visit("demo.cage", DESK)
    reload_until(cage, SERIAL)
    act(cage, "redeem-check", row=SERIAL, cents="100.00", paid_in="currency")
    offered(cage, "redeem-check", row=SERIAL).first.click()
    send(cage, cents="500.00", paid_in="deposit")
    step = cage.locator("dl.record div", has_text="Step").first.locator("dd").inner_text()
    cage.get_by_role("link", name="Back").click()
    expect(cage.locator("tr", has_text=SERIAL)).to_have_count(0)
    offered(cage, "return-check").first.click()
    fill_in(cage, {"step": step})
    cage.locator('form.command[method="get"] button').click()
    expect(cage.locator(".subject")).to_contain_text("$500.00")  # what came back is shown before it counts
    send(cage, reason="no funds, advice 4")
    cage.get_by_role("link", name="Back").click()
    assert "$500.00" in row(cage, SERIAL)
    wrong += wrong_with(cage)
    clerk = visit("demo.credit_clerk", DESK)
    lost = {"write_off_kind": "uncollectible", "cents": "500.00", "reason": "bankrupt, file 9"}
    act(clerk, "enter-check-write-off", row=SERIAL, **lost)
    page = visit("demo.credit_manager", DESK)
    act(page, "approve-check-write-off", row=SERIAL)
    cage.reload()
    act(cage, "recover-check", row="uncollectible", cents="50.00", paid_in="currency")
    assert "$50.00" in row(cage, "uncollectible")
    assert [] == [*wrong, *wrong_with(page)]
