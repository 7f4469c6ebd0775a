"""The pages of the console in a real browser: axe in light and dark, a tablet, keyboard alone, no script."""

import csv
import re
from collections import Counter, deque
from collections.abc import Iterator
from html import unescape

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from services.cli.stack.demo_users import PEOPLE, WATCHER
from tests.browser.console.conftest import Visit
from tests.support.demo import NEIGHBOR, PROPERTY, RunningDemo
from tests.support.nightly import AT_NIGHT, SomeOf, sampled
from tests.support.openapi import all_operations

HOME = f"/p/{PROPERTY}"
ONE_OF = (
    (r"/days$", "/days/*"),
    (r"/(floor|days|months|years|meters)/[^/]+$", r"/\1/*"),
    (r"/pit-events/[^/]+/[^/]+$", "/pit-events/*/*"),
    (r"/pit-events/[^/]+$", "/pit-events/*"),
    (r"/(rounds|submissions|what-if|quarantine|counts)/[^/]+/[^/]+$", r"/\1/*"),
    (r"/patrons/accounts/[^/]+$", "/patrons/accounts/*"),
    (r"/patrons/(?!accounts)[^/]+$", "/patrons/*"),
    (r"/reports/[^/]+/entries$", "/reports/*/entries"),
    (r"/reports/(?!tax)[^/]+$", "/reports/*"),
)
"""Pages that differ only in what they are about: one of each kind is enough."""
FORMS = (
    ("paytable-registry", "file-property"),
    ("paytable-registry", "file-submission"),
    ("table-inventory", "request-slip"),
    ("table-inventory", "count-box"),
    ("table-inventory", "enter-manual-slip"),
    ("wagering-accounts", "register-patron"),
    ("progressive-meters", "request-change"),
)
NO_PAGE = re.compile(r"/docs/|[?&]form=|/(sign|guide)$|/login|/(months|years)/|^/p/" + NEIGHBOR)
LINK = re.compile(r'<a\b[^>]*href="(/[^"#]*)')
READ_OF_A_KIND = 3
NOT_FOUND, FAILED = 404, 500
TABLET = 768
SMALL = 1280
WIDE = """width => [...document.querySelectorAll("main *, header *")].filter((one) =>
    one.getBoundingClientRect().right > width + 1 && !one.closest(".wide, .round-scroll, .felt-scroll, pre"))
    .map((one) => one.outerHTML.slice(0, 90))"""


def pages_from(page: Page, console: str, *paths: str) -> Iterator[str]:
    """Follow the links of the console from these pages breadth first, and stop at one page of each kind."""
    waiting, seen = deque(paths), {kind_of(path) for path in paths}
    while waiting:
        path = waiting.popleft()
        answer = page.goto(console + path)
        assert answer is not None
        assert 200 == answer.status, path
        yield path
        for link in page.locator("a[href]:not([download])").evaluate_all("all => all.map((one) => one.href)"):
            found = link.removeprefix(console).split("#")[0]
            kind = kind_of(found)
            if found.startswith("/") and kind not in seen and not NO_PAGE.search(found):
                seen.add(kind)
                waiting.append(found)


def kind_of(path: str) -> str:
    """Return the kind of page that a path leads to."""
    kind = path.split("?")[0]
    for pattern, name in ONE_OF:
        kind = re.sub(pattern, name, kind)
    return kind


def wrong_with(page: Page) -> Iterator[str]:
    """Yield what axe finds on a page in light and dark, and what does not fit a tablet."""
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true })")
    for scheme, options in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        for one in Axe().run(page, options=options | {"resultTypes": ["violations"]}).response["violations"]:
            yield f"{scheme}: {one['id']} {[node['html'][:120] for node in one['nodes'][:3]]}"
    before = page.viewport_size
    assert before is not None
    page.set_viewport_size({"width": TABLET, "height": 1024})
    if page.evaluate("document.documentElement.scrollWidth") > TABLET:
        yield f"{TABLET} px: {page.evaluate(WIDE, TABLET)[:3]}"
    page.set_viewport_size(before)


def played(demo: RunningDemo) -> list[str]:
    """Return pages of the day that was played: those of the day that runs may be empty."""
    day = f"day={demo.gaming_day}"
    pages = ("floor", "rounds", "reports/statistics")
    return [*(f"{HOME}/{page}?{day}" for page in pages), f"{HOME}/days/{demo.gaming_day}"]


def test_the_main_pages_are_accessible_and_fit(demo: RunningDemo, visit: Visit, some_of: SomeOf) -> None:
    """Axe finds nothing wrong, and no page scrolls sideways."""
    page = visit("demo.auditor", HOME)
    wrong = []
    for path in some_of([HOME, *played(demo)], 1):
        page.goto(demo.console + path)
        wrong += [f"{path} {what}" for what in wrong_with(page)]
    assert [] == wrong


@AT_NIGHT
def test_every_page_is_accessible_and_fits(demo: RunningDemo, visit: Visit) -> None:
    """The same of whatever three people find by following links."""
    wrong: list[str] = []
    looked_at: set[str] = set()
    for person, paths in (("demo.auditor", played(demo)), ("demo.controller", []), ("demo.account_cashier", [])):
        page = visit(person, HOME)
        for path in pages_from(page, demo.console, *paths, HOME):
            if (kind := kind_of(path)) not in looked_at:
                looked_at.add(kind)
                wrong += [f"{path} {what}" for what in wrong_with(page)]
    assert [] == wrong


def dead_links(page: Page, demo: RunningDemo, *, most: int) -> list[str]:
    """Follow links as somebody who is logged in; return those that lead to nothing, or to an error, with their page.

    Of links that differ only in what they are about `most` are followed, and of their pages the first read for more.
    """
    begin = ["/", *played(demo), f"{HOME}/ratings?day={demo.gaming_day}", f"{HOME}/patrons/p-nobody", f"/p/{NEIGHBOR}"]
    waiting, seen = deque((path, "where people begin") for path in begin), set(begin)
    followed, read, dead = Counter[str](), Counter[str](), []
    while waiting:
        path, where = waiting.popleft()
        answer = page.context.request.get(demo.console + path, timeout=0)
        if answer.status == NOT_FOUND or answer.status >= FAILED:
            dead.append(f"{answer.status} {path} on {where}")
        kind = kind_of(path)
        read[kind] += 1
        if "text/html" not in answer.headers.get("content-type", "") or read[kind] > READ_OF_A_KIND:
            continue
        for link in map(unescape, LINK.findall(answer.text())):
            kind = kind_of(link)
            if link not in seen and not link.startswith("/docs/") and followed[kind] < most:
                followed[kind] += 1
                seen.add(link)
                waiting.append((link, path))
    return dead


@sampled(1)
@pytest.mark.parametrize("person", sorted(PEOPLE.keys() - {WATCHER}))
def test_links_lead_to_pages(demo: RunningDemo, visit: Visit, person: str) -> None:
    """Some of each kind: days without entries, patrons without an account, steps that may be amended."""
    assert [] == dead_links(visit(person, "/"), demo, most=4)


def test_columns_of_a_report_are_chosen_and_downloaded(demo: RunningDemo, visit: Visit) -> None:
    """Hidden on the page and when it is visited again; the file has the rows and headings of the page."""
    where = f"{HOME}/reports/drop-and-win?day={demo.gaming_day}"
    page = visit("demo.auditor", where)
    first = page.locator(".report table").first
    before = first.locator("thead th").count()
    page.locator("details.choose summary").click()
    boxes = page.locator("details.choose fieldset").first.get_by_role("checkbox")
    for box in boxes.all()[2:]:
        box.uncheck()
    page.get_by_label("Rows that contain").fill("BJ0")
    page.locator("details.choose").get_by_role("button", name="Show").first.click()
    headings = first.locator("thead th").all_inner_texts()
    assert (3, True) == (len(headings), before > 3)
    rows = first.locator("tbody tr")
    expect(rows).to_have_count(6)
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV of these columns and rows").first.click()
    lines = list(csv.reader(download.value.path().read_text().splitlines()))
    assert (headings, 6) == (lines[0], len(lines) - 1)
    assert rows.locator(":first-child").all_inner_texts() == [line[0] for line in lines[1:]]
    assert [] == list(wrong_with(page))
    page.goto(f"{demo.console}{where}")
    expect(first.locator("thead th")).to_have_count(3)


@AT_NIGHT
@pytest.mark.parametrize("person", sorted(PEOPLE.keys() - {WATCHER}))
def test_more_links_lead_to_pages(demo: RunningDemo, visit: Visit, person: str) -> None:
    """As everybody sees the console; a page of a day has hundreds of cells and rounds, of which some are enough."""
    assert [] == dead_links(visit(person, "/"), demo, most=30)


def test_the_header_is_one_line_on_a_small_screen(visit: Visit) -> None:
    """With all sections, the search and a name, 1,280 pixels wide."""
    page = visit("demo.auditor", f"{HOME}/floor", viewport={"width": SMALL, "height": 800})
    links = page.locator("nav.sections a")
    assert 13 == links.count()
    tops = "all => all.map((one) => one.getBoundingClientRect().top)"
    assert 1 == len(set(links.evaluate_all(tops)))
    header = page.locator("header.top > *").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map(({top, bottom}) => [top, bottom])"
    )
    assert max(top for top, _ in header) < min(bottom for _, bottom in header)


def test_the_floor_shows_all_of_its_columns_on_a_small_screen(demo: RunningDemo, visit: Visit) -> None:
    """No column is cut, 1,280 pixels wide; a game is named once, and what was sold in the first second has a drop."""
    where = f"{HOME}/floor?day={demo.gaming_day}&view=table"
    page = visit("demo.auditor", where, viewport={"width": SMALL, "height": 800})
    hidden = "all => all.map((one) => one.scrollWidth - one.clientWidth)"
    assert {0} == set(page.locator(".wide").evaluate_all(hidden))
    expect(page.get_by_role("row", name="MB01")).to_contain_text("Mini baccarat · counted")
    sold = page.get_by_role("row", name="BJ01").get_by_role("cell").nth(4)
    expect(sold).not_to_have_text("$0.00")


@pytest.mark.parametrize(("width", "scheme", "columns"), [(1440, "light", 4), (820, "dark", 2)])
def test_the_floor_shows_a_card_of_each_table(
    demo: RunningDemo, visit: Visit, width: int, scheme: str, columns: int
) -> None:
    """By pit, none wider than the page; who dealt, what lies in the tray, the win against its band: nothing cut."""
    where, size = f"{HOME}/floor?day={demo.gaming_day}", {"width": width, "height": 900}
    page = visit("demo.auditor", where, viewport=size, color_scheme=scheme)
    cards = page.locator("ul.tables > li")
    assert len(demo.people.at("reporting").read(f"/floors/{PROPERTY}/names")["tables"]) == cards.count()
    lefts = cards.evaluate_all("all => all.map((one) => one.getBoundingClientRect().left)")
    assert columns == len(set(lefts))
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    card = page.locator("ul.tables > li", has=page.get_by_role("link", name="BJ02", exact=True))
    for shown in ("closed", "dealer-BJ02-1 dealt last", "Rated win", "at its closer"):
        expect(card).to_contain_text(shown)
    assert [] == list(wrong_with(page))


def _cents(shown: str) -> int:
    return int("".join(one for one in shown if one.isdigit()))


def test_a_table_is_sorted_by_a_button_of_its_header(demo: RunningDemo, visit: Visit) -> None:
    """By the amount and not by its digits, in both directions; the totals and the header stay where they are."""
    page = visit("demo.auditor", f"{HOME}/reports/win-as-settled?day={demo.gaming_day}")
    shown = page.locator(".report").first
    heading = shown.get_by_role("columnheader", name="Handle", exact=True)
    column = shown.locator(f"tbody td:nth-child({heading.evaluate('one => one.cellIndex + 1')})")
    amounts, total = column.all_inner_texts(), shown.locator("tfoot").inner_text()
    for direction in ("ascending", "descending"):
        heading.get_by_role("button").click()
        expect(heading).to_have_attribute("aria-sort", direction)
        in_order = sorted(amounts, key=_cents, reverse=direction == "descending")
        expect(column).to_have_text(in_order)
    assert total == shown.locator("tfoot").inner_text()
    assert [] == list(wrong_with(page))


@sampled(1)
@pytest.mark.parametrize("report", ["pace", "ratings", "ratings-against-rounds", "patron-play", "tips-pool"])
def test_reports_of_pace_and_patrons_are_accessible_and_fit(demo: RunningDemo, visit: Visit, report: str) -> None:
    """With their figures and charts, in light and dark."""
    page = visit("demo.auditor", f"{HOME}/reports/{report}?day={demo.gaming_day}")
    expect(page.get_by_role("table").first).to_be_visible()
    if report == "pace":
        expect(page.locator("figure.chart img").first).to_be_visible()
    assert [] == list(wrong_with(page))


def test_sheets_of_the_pit_and_other_minimums_are_accessible_and_fit(demo: RunningDemo, visit: Visit) -> None:
    """Both with their figures: a row for each table and shift, and both assumptions of seats below a minimum."""
    day = demo.gaming_day
    page = visit("demo.auditor", f"{HOME}/reports/pit-summary?day={day}")
    expect(page.get_by_role("heading", name="Pit totals for the shift")).to_be_visible()
    wrong = list(wrong_with(page))
    page.goto(f"{demo.console}{HOME}/minimums/blackjack?first={day}&last={day}&minimum=50+100")
    expect(page.get_by_role("heading", name="Under a minimum of $100.00")).to_be_visible()
    expect(page.locator("main li", has_text="Assumed:")).to_have_count(2)
    assert [] == [*wrong, *wrong_with(page)]


def test_forms_are_accessible_and_fit(demo: RunningDemo, visit: Visit, some_of: SomeOf) -> None:
    """Forms with every kind of field: lists and groups, documents, choices, amounts, days, moments, secrets."""
    page = visit("demo.auditor", HOME)
    wrong = []
    for one in map(all_operations().__getitem__, some_of(FORMS, 1)):
        page.goto(f"{demo.console}{one.address}?property={PROPERTY}")
        wrong += [f"{one.address} {what}" for what in wrong_with(page)]
    assert [] == wrong


def test_the_search_and_what_it_finds_are_accessible_and_fit(demo: RunningDemo, visit: Visit) -> None:
    """Slips by a bare number, one as its own page with the way to its table, and a patron who was not looked up."""
    page = visit("demo.auditor", f"{HOME}/search?q=1")
    wrong = list(wrong_with(page))
    page.get_by_role("link", name="Fill slip 1").first.click()
    expect(page.get_by_role("heading", name="Fill slip 1")).to_be_visible()
    wrong += wrong_with(page)
    page.get_by_role("link", name="on this gaming day").click()
    expect(page).to_have_url(re.compile("/floor/.*day="))
    page.goto(f"{demo.console}{HOME}/search?q=patron+P-0")
    expect(page.get_by_role("link", name="Open P-0")).to_contain_text("not looked up")
    assert [] == [*wrong, *wrong_with(page)]


@AT_NIGHT
def test_the_pages_of_pit_events_are_accessible_and_fit(demo: RunningDemo, visit: Visit) -> None:
    """The list of a gaming day, an event, the forms of its void and correction, and what waits for an approval."""
    wrong: list[str] = []

    def look(page: Page, what: str) -> Page:
        wrong.extend(f"{what}: {one}" for one in wrong_with(page))
        return page

    events = f"{HOME}/pit-events/OU01"
    page = look(visit("demo.round_corrector", f"{events}?day={demo.gaming_day}"), "list")
    for number, what in enumerate(("void", "correct"), 1):
        page.goto(f"{demo.console}{events}/{number + 2}")
        look(page, "event").get_by_role("link", name=f"{what.title()} this event").click()
        look(page, f"form to {what}").locator('main [name="reason"]').fill("as surveillance has it")
        if what == "correct":
            page.locator('main [name="instead.dealer"]').fill("dealer-OU01-9")
        page.locator("form.command button.main").click()
        looked_at = page.locator("form.confirm button.main")
        expect(looked_at).to_be_visible()
        look(page, f"to be confirmed to {what}")
        looked_at.click()
        expect(look(page, f"proposed to {what}").get_by_role("status")).to_have_text("It is recorded.")
    approver = look(visit("demo.correction_approver", f"{HOME}/pit-changes"), "changes")
    for number in (1, 2):
        approver.goto(f"{demo.console}{HOME}/pit-changes/{number}")
        look(approver, f"change {number}").locator('a[href*="/approve-pit-change?"]').click()
        look(approver, f"approval of {number}")
    assert [] == wrong


def test_a_keyboard_is_enough(visit: Visit) -> None:
    """The first stop leads past the navigation, a key leads to the search, and a fill is requested key by key."""
    page = visit("demo.pit", f"/p/{NEIGHBOR}/desk")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    tab_to(page, "Request a fill")
    page.keyboard.press("Enter")
    page.wait_for_url("**/do/**")
    for name, typed in (("Amount", "5.00"), ("Count", "40"), ("Table", "RP01")):
        tab_to(page, name)
        page.keyboard.type(typed)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Nothing is recorded yet")
    tab_to(page, page.locator("form.confirm button.main").inner_text())
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("It is recorded.")


def tab_to(page: Page, name: str) -> None:
    """Press Tab until something with this name has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate("(document.activeElement.labels?.[0] ?? document.activeElement).innerText")
        if focused.strip() == name:
            return
    raise AssertionError(f"no {name!r} on {page.url}")


def test_without_script_everything_reads_and_commands_are_sent(demo: RunningDemo, visit: Visit) -> None:
    """Floor, round, gaming day and report are there in full, and an account is opened by a plain form."""
    day = demo.gaming_day
    for path, text in (
        ("/floor", "BJ01"),
        (f"/search?q={demo.round_id}", "Evidence"),
        (f"/days/{day}", "Sealed"),
        (f"/reports/win-as-settled?day={day}", "Reconciliations"),
    ):
        page = visit("demo.auditor", HOME + path, java_script_enabled=False)
        expect(page.locator("main")).to_contain_text(text)
    form = f"/do/wagering-accounts/open-account?property={PROPERTY}&table=TH01&account=TH01-plain"
    page = visit("demo.account_cashier", form, java_script_enabled=False)
    page.locator("form.command button.main").click()
    expect(page.get_by_role("status")).to_have_text("It is recorded.")


@AT_NIGHT
def test_an_amount_is_shown_as_it_was_read_before_it_counts(demo: RunningDemo, visit: Visit) -> None:
    """Without scripts: nothing is on record until it was looked at, and what is wrong can be changed."""
    at = f"property={PROPERTY}&account=TH01-looked-at"
    page = visit(
        "demo.account_cashier", f"/do/wagering-accounts/open-account?{at}&table=TH01", java_script_enabled=False
    )
    page.locator("form.command button.main").click()
    expect(page.get_by_role("status")).to_have_text("It is recorded.")
    page.goto(f"{demo.console}/do/wagering-accounts/buy-in?{at}")
    page.locator('[name="cents"]').fill("150")
    page.locator("form.command button.main").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing is recorded yet")
    expect(page.locator(".weighed")).to_contain_text("$150.00")
    page.get_by_role("button", name="Edit").click()
    expect(page.locator('[name="cents"]')).to_have_value("150")
    page.locator('[name="cents"]').fill("1,500.00")
    page.locator("form.command button.main").click()
    expect(page.locator(".weighed")).to_contain_text("$1,500.00")
    page.locator("form.confirm button.main").click()
    expect(page.get_by_role("status")).to_have_text("It is recorded.")
    expect(page.locator("main")).to_contain_text("$1,500.00")


def test_every_report_of_the_list_opens(demo: RunningDemo, visit: Visit, some_of: SomeOf) -> None:
    """Each of those that a person may read, at both properties."""
    for property_name in (PROPERTY, NEIGHBOR):
        page = visit("demo.auditor", f"/p/{property_name}/reports")
        listed = page.locator(".cards a").evaluate_all("all => all.map((one) => one.href)")
        assert len(listed) > 20
        answers = {
            link: page.context.request.get(f"{link}?day={demo.gaming_day}").status for link in some_of(listed, 4)
        }
        assert {200} == set(answers.values()), answers
