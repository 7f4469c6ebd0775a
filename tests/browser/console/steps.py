"""Steps that tests of the console take in a browser: fill in forms, do commands, wait for what comes."""

from playwright.sync_api import Locator, Page, expect

from tests.support.nightly import sampled
from tests.support.polling import eventually

REASON = "as the log of the pit says"
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


def reload_until(page: Page, text: str, *, there: bool = True) -> None:
    """Load a page until it shows a text, or no more."""

    def as_wanted() -> bool:
        page.reload()
        return (page.locator("main").get_by_text(text).count() > 0) is there

    # A page costs a processor as much as what is waited for, which comes the later the more often it is asked for.
    eventually(as_wanted, every=0.5, because=f"{text!r} {'comes' if there else 'goes'} on {page.url}")
