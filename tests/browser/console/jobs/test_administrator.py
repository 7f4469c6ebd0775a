"""An administrator's work: what was refused, the devices that sign, and who may do what."""

import json
from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.browser.console.conftest import Visit
from tests.browser.console.steps import FLOW, REASON, act, offered, reload_until, send
from tests.support.demo import NEIGHBOR, PROPERTY, RunningDemo

HOME, THERE = f"/p/{PROPERTY}", f"/p/{NEIGHBOR}"


@FLOW
def test_a_quarantined_record_is_mended_and_replayed_by_two(demo: RunningDemo, visit: Visit) -> None:
    """One mends and asks, another sees that and approves; who asked finds no button to approve it."""
    demo.play_round("RP02", straight_jack_progressive=500)
    page = visit("demo.operator", f"{THERE}/quarantine")
    reload_until(page, "straight_jack_progressive")
    page.locator("tr", has_text="straight_jack_progressive").get_by_role("link").first.click()
    where = page.url
    offered(page, "ask-replay").click()
    record = page.locator('[name="mended"]')
    mended = json.loads(record.input_value())
    for seat in mended["data"]["round"]["seats"]:
        seat["wagers"].pop("straight_jack_progressive", None)
    send(page, mended=json.dumps(mended), reason=REASON)
    page.goto(where)
    expect(offered(page, "approve-quarantine-request")).to_have_count(0)
    page = visit("demo.operations_manager", urlsplit(where).path)
    act(page, "approve-quarantine-request")
    expect(page.locator("main")).to_contain_text("demo.operations_manager")


@FLOW
def test_an_administrator_reads_which_devices_sign_and_who_did_what(demo: RunningDemo, visit: Visit) -> None:
    """The list of tables with their devices and keys; who used which role, with the entries that say so."""
    at = f"day={demo.gaming_day}&period=day"
    page = visit("demo.operator", f"{HOME}/reports/master-list?{at}")
    expect(page.get_by_role("region", name="Devices")).to_contain_text("BJ01")
    page = visit("demo.operator", f"{HOME}/reports/access?day={demo.gaming_day}&period=month")
    expect(page.locator("main")).to_contain_text("Conflicting roles (segregation of duties)")
    page.locator("tr", has_text="demo.controller").locator("a.figure").first.click()
    expect(page.get_by_role("heading", name="The entries behind a figure")).to_be_visible()
    expect(page.locator("tbody tr").first).to_be_visible()
