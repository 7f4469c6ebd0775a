"""A real browser for tests of pages: Debian's Chromium, driven by Playwright.

Playwright keeps an event loop running in the thread of its tests, in which `asyncio.run` would fail: the browser is
therefore one per module, and tests with loops of their own belong in other modules.
"""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

expect.set_options(timeout=20_000)  # beside other tests: to be slow is no failure

_NAMES = ("chromium", "chromium-browser", "google-chrome")

OpenPage = Callable[..., Page]
"""Opens an address in a context of its own; keywords are those of a new context (`color_scheme`, `viewport`)."""


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser's program."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.fail("no chromium on PATH, and pages are tested in a real one; on Debian: apt-get install chromium")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A browser without a window; each test opens contexts of its own in it."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--headless"])
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens pages, and at the end shows that none of them said an error or broke the content policy."""
    contexts: list[BrowserContext] = []
    said: list[str] = []

    def opened(address: str, *, prepared: str | None = None, **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        if prepared is not None:
            context.add_init_script(prepared)
        page = context.new_page()
        page.on("console", lambda message: said.extend(complaints(message)))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [] == said


def complaints(message: ConsoleMessage) -> Iterator[str]:
    """Yield what a page complains of: errors and warnings, with the place."""
    if message.type in ("error", "warning"):
        yield f"{message.text} {message.location['url']}"
