"""What people come to the console for, from end to end, in a real browser, each under their own login."""

import json
import re
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.sync_api import Locator, Page, expect

from services.cli.demo.pit import INVENTORY, METERS
from shared.journal.signed_note import Signer
from tests.browser.conftest import OpenPage
from tests.browser.console.conftest import Visit, log_in
from tests.support.demo import NEIGHBOR, PROPERTY, RunningDemo, neighbor_begins, neighbor_day
from tests.support.nightly import AT_NIGHT, sampled
from tests.support.pit import chips
from tests.support.polling import eventually

HOME, THERE = f"/p/{PROPERTY}", f"/p/{NEIGHBOR}"
REASON = "as the log of the pit says"
TABLES_THERE = ("RP01", "RP02")
FLOW = sampled(3, of="flows of the console")
"""What several people do: each of its pages takes a processor half a second. What it comes to, and who may do it, is
tested at the services and at the forms."""


def fill_in(page: Page, fields: dict[str, str]) -> None:
    """Fill in fields of a form by their names."""
    for name, value in fields.items():
        field = page.locator(f'main [name="{name}"]')
        if field.evaluate("element => element.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)


def send(page: Page, **fields: str) -> None:
    """Fill in the form of a command (`__` stands for a dot), send it, and see that it is on record."""
    fill_in(page, {name.replace("__", "."): value for name, value in fields.items()})
    page.locator("form.command button.main").click()
    done = page.get_by_role("status")
    looked_at = page.locator("form.confirm button.main")
    expect(done.or_(looked_at)).to_be_visible()
    if looked_at.count():  # amounts and moments are shown as they were read before they count
        looked_at.click()
    expect(done).to_have_text("It is recorded.")


def offered(page: Page, name: str, *, row: str = "") -> Locator:
    """Return the way to a command of this name, of the row with this text where there is one."""
    place = page.locator("tr", has_text=row) if row else page.locator("main")
    return place.locator(f'a[href^="/do/"][href*="/{name}?"]')


def act(page: Page, name: str, *, row: str = "", **fields: str) -> None:
    """Do a command that a page offers, and come back to the page."""
    offered(page, name, row=row).first.click()
    send(page, **fields)
    page.get_by_role("link", name="Back").click()


def figure(page: Page, name: str) -> str:
    """Return a figure at the head of the floor."""
    return page.locator("dl.figures div", has=page.get_by_text(name, exact=True)).locator("dd").inner_text()


def test_a_round_that_is_played_comes_to_the_floor_by_itself(demo: RunningDemo, visit: Visit) -> None:
    """The row of the table changes without loading; it leads to the table, the round, its felt; its name finds it."""
    page = visit("demo.auditor", f"{THERE}/floor")
    expect(page.locator("[data-live]")).to_have_text("live")
    page.evaluate("window.loadedOnce = true")
    round_id = demo.play_round("RP01")
    row = page.locator("tr", has=page.get_by_role("link", name="RP01"))
    expect(row.locator(f'a[href$="{round_id}"]')).to_be_visible()
    assert page.evaluate("window.loadedOnce")
    row.get_by_role("link", name="RP01").click()
    page.get_by_role("link", name=round_id).click()
    expect(page.locator("svg.felt-wide")).to_be_visible()
    found = page.locator("dd code").first.inner_text()
    for term in (round_id, found):
        page.keyboard.press("/")
        page.locator("#q").fill(term)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{THERE}/rounds/RP01/{round_id}")


def test_the_proof_of_a_round_is_verified_here_and_elsewhere(demo: RunningDemo, visit: Visit, tmp_path: Path) -> None:
    """The browser proves an entry, not with another key; the bundle that it downloads is proven on the command line."""
    page = visit("demo.auditor", f"{HOME}/search?q={demo.round_id}")
    keys = page.get_by_label("Public keys")
    trusted = keys.input_value()
    for key, conclusion in ((trusted, "✓ Proven"), (another_key(trusted), "✗ Not proven")):
        keys.fill(key)
        page.get_by_role("button", name="Verify in this browser").last.click()
        expect(page.locator(".proof-conclusion").last).to_contain_text(conclusion)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the proof bundle").last.click()
    bundle, verifiers = tmp_path / "bundle.json", tmp_path / "verifiers.txt"
    download.value.save_as(bundle)
    verifiers.write_text(trusted)
    command = [
        sys.executable,
        "-P",
        "-m",
        "services.cli.main",
        "verify-proof",
        str(bundle),
        "--key",
        str(verifiers),
        "--json",
    ]
    proven = subprocess.run(command, capture_output=True, text=True, check=True)
    assert demo.round_id in proven.stdout


def another_key(trusted: str) -> str:
    """Return another public key under the name of the first that is trusted."""
    name = trusted.split("+")[0]
    return str(Signer(name, Ed25519PrivateKey.from_private_bytes(bytes(32))).verifier)


@FLOW
def test_a_fill_goes_from_the_pit_over_the_cage_to_the_table(demo: RunningDemo, visit: Visit) -> None:
    """Four people request, prepare, carry and receive it; the desk shows where it is, and then no more."""
    now = datetime.now(UTC)
    table = demo.table("RP02", neighbor_day(now))
    demo.pit(table.opened(now, chips(c500=2000, c2500=400), game="pai-gow-rhode-island"))
    act(
        visit("demo.pit", f"{THERE}/desk"),
        "request-slip",
        table="RP02",
        contents__0__cents="25.00",
        contents__0__count="40",
    )
    cage = visit("demo.cage", f"{THERE}/desk")
    offered(cage, "prepare-slip").first.click()
    expect(cage.locator(".subject")).to_contain_text("demo.pit")
    send(cage)
    number = int(cage.locator("dl.record div", has_text="Number").first.locator("dd").inner_text())
    desk = visit("demo.auditor", f"{THERE}/desk")
    slips = desk.get_by_role("region", name="Slips in transit")
    expect(slips).to_contain_text("prepared")
    demo.pit(table.event("fill.carried", now, number=number, carried_by="security.sam"))
    reload_until(desk, "security.sam")
    people = {"received_by": "dealer.dan", "observed_by": "floor.fay"}
    demo.pit(table.event("fill.received", now, number=number, contents=chips(c2500=40), **people))
    reload_until(desk, "security.sam", there=False)
    desk.locator("#q").fill(f"fill {number}")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("region", name="Fills and credits")).to_contain_text("$1,000.00")


def reload_until(page: Page, text: str, *, there: bool = True) -> None:
    """Load a page until it shows a text, or no more."""

    def as_wanted() -> bool:
        page.reload()
        return (page.locator("main").get_by_text(text).count() > 0) is there

    # A page costs a processor as much as what is waited for, which comes the later the more often it is asked for.
    eventually(as_wanted, every=0.5, because=f"{text!r} {'comes' if there else 'goes'} on {page.url}")


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
    rounds = page.get_by_role("region", name="Open vigorish").get_by_role("link")
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
    expect(page.get_by_role("region", name="Movements")).to_contain_text("$10,017.74")
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
    for text in ("$60.00", "$40.00", "TH01-next"):
        expect(page.locator("main")).to_contain_text(text)


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
def test_a_round_of_a_sealed_day_is_corrected_by_two(demo: RunningDemo, visit: Visit) -> None:
    """One proposes, another sees what it changes and approves; what the count does not explain then is resolved."""
    page = visit("demo.round_corrector", f"{HOME}/rounds?day={demo.gaming_day}&table=OU01")
    page.locator('main a[href*="/rounds/OU01/"]').first.click()
    round_page = urlsplit(page.url).path
    page.get_by_role("link", name="Correct this round").click()
    right = json.loads(page.locator('[name="round"]').input_value())
    right["seats"].pop()
    send(page, round=json.dumps(right), reason=REASON)
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
    typed = corrector.locator('main [name="instead"]').input_value()
    send(corrector, instead=typed.replace("900000", "90000"), reason=REASON)
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


@FLOW
def test_rules_are_filed_compared_tried_approved_and_signed_out(visit: Visit) -> None:
    """A version says in words what changes, another person approves it; it has a sign, and a what-if."""
    rules = {"decks": "6", "wagers": "{}", "options": "{}"}
    fields = {f"submission__{name}": value for name, value in rules.items()}
    at = f"property={PROPERTY}&game=over-under&regulation=pa-686a&tables.0=OU01"
    begins = (datetime.now(UTC) + timedelta(days=3)).isoformat()
    send(visit("demo.filer", f"/do/paytable-registry/file-submission?{at}"), effective_from=begins, **fields)
    version = f"{HOME}/submissions/over-under/2"
    page = visit("demo.approver", version)
    expect(page.locator("main")).to_contain_text("Bonus Wager: dropped")
    act(page, "approve-submission")
    expect(page.locator(".stage").first).to_have_text("Approved")
    page = visit("demo.auditor", version)
    with page.expect_download() as download:
        page.get_by_role("link", name="Payout sign").click()
    assert Path(download.value.path()).read_bytes().startswith(b"%PDF")
    page.get_by_role("link", name="What if").click()
    page.get_by_role("button", name="Settle again").click()
    expect(page.get_by_role("heading", name="rounds settled again")).to_be_visible()
    expect(page.locator("figure.chart img").first).to_be_visible()
    page.get_by_role("link", name="Other minimums").click()
    expect(page.get_by_role("heading", name="Other minimums for Over under")).to_be_visible()


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
    expect(found).to_contain_text("opening it is recorded as a look at the patron")
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
