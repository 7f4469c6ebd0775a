"""The console in a browser, on a gaming day that was played: one stack for all tests, which run in one process."""

import os
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, StorageState

from tests.browser.conftest import OpenPage
from tests.support.demo import RunningDemo, running_demo

Visit = Callable[..., Page]
"""Opens a path of the demo's console as a person who is logged in; keywords are those of a new context."""


@pytest.fixture(scope="package")
def demo() -> Iterator[RunningDemo]:
    """A gaming day that was played, and the console on it."""
    servers = ("DATABASE_URL", "KAFKA_BOOTSTRAP_SERVERS")
    with running_demo({name: value for name, value in os.environ.items() if name not in servers}) as started:
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
