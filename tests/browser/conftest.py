"""A real browser for tests of pages: Debian's Chromium, driven by Playwright.

Playwright keeps an event loop running in the thread of its tests, in which `asyncio.run` would fail: the browser is
therefore one per module, and tests with loops of their own belong in other modules.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, StorageState, sync_playwright

from tests.support.demo import RunningDemo, running_demo
from tests.support.turns import WHOLE_STACK, turn

_NAMES = ("chromium", "chromium-browser", "google-chrome")

OpenPage = Callable[..., Page]
"""Opens an address in a context of its own; keywords are those of a new context (`color_scheme`, `viewport`)."""

Visit = Callable[..., Page]
"""Opens a path of the demo's console as a person who is logged in; keywords are those of a new context."""


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


@pytest.fixture(scope="package")
def demo(run_directory: Path) -> Iterator[RunningDemo]:
    """A gaming day that was played, and the console on it. Only while it plays does it keep others waiting."""
    servers = ("DATABASE_URL", "KAFKA_BOOTSTRAP_SERVERS")
    environment = {name: value for name, value in os.environ.items() if name not in servers}
    with ExitStack() as running:
        with turn(run_directory / WHOLE_STACK):
            started = running.enter_context(running_demo(environment))
        yield started


@pytest.fixture(scope="package")
def logged_in() -> dict[str, StorageState]:
    """Who has logged in before, with their cookies."""
    return {}


@pytest.fixture
def visit(demo: RunningDemo, open_page: OpenPage, logged_in: dict[str, StorageState]) -> Visit:
    """Visits the console: everybody logs in once with the provider, and goes on in the same session."""

    def visited(person: str, path: str, **options: Any) -> Page:
        if person in logged_in:
            return open_page(demo.console + path, storage_state=logged_in[person], **options)
        page = log_in(open_page, demo, person, path, **options)
        logged_in[person] = page.context.storage_state()
        return page

    return visited


def log_in(open_page: OpenPage, demo: RunningDemo, person: str, path: str, **options: Any) -> Page:
    """Log in with the provider, and return the page on which that ends."""
    page = open_page(f"{demo.console}/login?{urlencode({'then': path})}", **options)
    page.locator(f'button[value="{person}"]').click()
    page.wait_for_url(f"{demo.console}/**")
    return page
