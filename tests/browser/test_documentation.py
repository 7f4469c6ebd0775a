"""The documentation as the console serves it: built strictly, searched in a real browser, nothing from elsewhere."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn
from playwright.sync_api import expect
from starlette.applications import Starlette

from services.console import documentation
from shared.local.ports import LOOPBACK, free_port
from tests.browser.conftest import OpenPage
from tests.support.polling import eventually

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does; a link that leads nowhere fails it."""
    directory = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(directory)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (built.returncode, built.stderr)
    return directory


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the console's routes of the documentation are served on this machine."""
    port = free_port()
    app = Starlette(routes=documentation.routes(site))
    server = uvicorn.Server(uvicorn.Config(app, host=LOOPBACK, port=port, log_config=None, ws="none", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    eventually(lambda: server.started, because="the documentation is served")
    yield f"http://{LOOPBACK}:{port}"
    server.should_exit = True
    thread.join()


def test_search_finds_a_page_offline_under_the_policy(address: str, open_page: OpenPage) -> None:
    """Typing finds a section and leads to it; the browser loads the site alone, and has no error to tell."""
    page = open_page(f"{address}/docs", color_scheme="dark")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()  # what the page asks for while it loads is heard, too
    expect(page.locator("h1")).to_contain_text("Pitledger")
    page.get_by_placeholder("Search").press_sequentially("schema evolution")  # the search listens to keys
    found = page.locator(".md-search-result__link", has_text="Schema evolution").first
    found.click()
    expect(page.locator("h1")).to_contain_text("Integrate")
    assert any(url.endswith("/docs/search/search_index.json") for url in asked)
    assert {urlsplit(address).netloc} == {
        urlsplit(url).netloc for url in asked if not url.startswith(("data:", "blob:"))
    }


def test_no_page_has_what_the_policy_refuses(address: str, site: Path) -> None:
    """Inline scripts are allowed by their hashes alone, and no page has a style of its own."""
    pages = [path.relative_to(site).as_posix() for path in site.rglob("*.html")]
    assert {"index.html", "integrate/index.html", "contract/ROUND/index.html"} <= set(pages)
    policy = httpx.get(f"{address}/docs/integrate/").headers["content-security-policy"]
    assert "unsafe" not in policy
    assert [] == [name for name in pages if " style=" in (site / name).read_text()]
