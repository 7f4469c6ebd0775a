"""The page of a round in a real browser: under the strict content policy, accessible, verifying proofs by itself."""

import copy
import json
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jinja2 import ChoiceLoader, DictLoader, FileSystemLoader, StrictUndefined
from playwright.sync_api import Page, expect

from services.console.felt import view_of
from services.console.views import environment
from shared.journal.signed_note import Signer
from tests.browser.conftest import OpenPage
from tests.support.checkpoints import NAME
from tests.support.nightly import sampled
from tests.support.shown_rounds import PATH, ShownRound, shown_round

pytestmark = sampled(5, of="pages of rounds")

ROOT = Path(__file__).parents[2]
CONSOLE = ROOT / "services" / "console"
EXAMPLE = yaml.safe_load((ROOT / "docs" / "examples" / "round.yaml").read_text())
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
LAYOUT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>{% block title %}{% endblock %}</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/harness.css">{% block head %}{% endblock %}</head>
<body><main>{% block main %}{% endblock %}</main></body></html>
"""
# What every page of the console has of its own: a background for each scheme.
HARNESS = ":root { color-scheme: light dark } body { background: Canvas; color: CanvasText; font-family: sans-serif }"
KINDS = {".css": "text/css", ".js": "text/javascript"}


@dataclass
class Site:
    """The page of one round, its proofs, and the static files, as the console would serve them."""

    shown: ShownRound
    proofs: dict[str, Any] = field(default_factory=dict)
    address: str = ""

    def answer(self, path: str) -> tuple[str, bytes]:
        """Return the kind and the content of a path. Raises: KeyError."""
        if path == "/":
            return "text/html", page_of(self.shown).encode()
        if path == "/static/harness.css":
            return "text/css", HARNESS.encode()
        if path.startswith("/static/"):
            file = CONSOLE / "static" / Path(path).name
            return KINDS[file.suffix], file.read_bytes()
        return "application/json", json.dumps(self.proofs[path]).encode()


def page_of(shown: ShownRound) -> str:
    templates = ChoiceLoader([DictLoader({"layout.html": LAYOUT}), FileSystemLoader(CONSOLE / "templates")])
    view = view_of(shown.document, shown.catalogue, keys=[shown.key])
    of_person = {"path": PATH, "may": lambda *_: False}
    return (
        environment()
        .overlay(loader=templates, undefined=StrictUndefined)
        .get_template("round/round.html")
        .render(view=view, zone=None, static="/static/{}".format, **of_person)
    )


@pytest.fixture
def serve() -> Iterator[Callable[[ShownRound], Site]]:
    """Serves the page of a round on this machine, with the policy that the console sends."""
    servers: list[ThreadingHTTPServer] = []

    def served(shown: ShownRound) -> Site:
        site = Site(shown, copy.deepcopy(shown.proofs))

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                kind, content = site.answer(self.path)
                self.send_response(200)
                self.send_header("content-type", f"{kind}; charset=utf-8")
                self.send_header("content-security-policy", POLICY)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_request(self, code: object = "-", size: object = "-") -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site.address = f"http://127.0.0.1:{server.server_port}/"
        return site

    yield served
    for server in servers:
        server.shutdown()
        server.server_close()


def corrected() -> ShownRound:
    """The example, posted, taken back and posted again with another third card of seat 4."""
    record = copy.deepcopy(EXAMPLE["round"])
    record["seats"][2]["hands"] = [{"cards": ["9c", "5d", "5c"]}]
    return shown_round(EXAMPLE["round"], EXAMPLE["regulation"], EXAMPLE["submission"], corrected=record)


def proof_of(site: Site) -> dict[str, Any]:
    """Return the proof of the last entry, to be altered."""
    proof: dict[str, Any] = site.proofs[max(site.proofs, key=lambda path: int(path.rsplit("/", 1)[1]))]
    return proof


def verified(page: Page) -> tuple[str, list[str]]:
    """Verify the last entry in the browser; return the conclusion and the steps."""
    page.get_by_role("button", name="Verify in this browser").last.click()
    status = page.get_by_role("status").last
    expect(status.locator(".proof-conclusion")).to_be_visible()
    return status.locator(".proof-conclusion").inner_text(), status.locator("li").all_inner_texts()


def flipped(encoded: str, at: int = 0) -> str:
    """Return base64 with one bit of one byte changed."""
    value = bytearray(b64decode(encoded))
    value[at] ^= 1
    return b64encode(value).decode()


def test_a_true_proof_holds_step_by_step(serve: Callable[[ShownRound], Site], open_page: OpenPage) -> None:
    """Entry, hash, path and signature of a proof that the journal made are each said to hold."""
    conclusion, steps = verified(open_page(serve(corrected()).address))
    assert conclusion.startswith("✓ Proven")
    assert ["Proof document", "Entry", "Entry hash", "Previous hash", "Merkle path", "Checkpoint signature"] == [
        step.removeprefix("✓ ").split(":")[0] for step in steps
    ]


def altered_record(proof: dict[str, Any]) -> None:
    record = proof["record"]
    proof["record"] = flipped(record, len(b64decode(record)) // 2)


def altered_path(proof: dict[str, Any]) -> None:
    proof["path"][1] = flipped(proof["path"][1])


def shortened_path(proof: dict[str, Any]) -> None:
    proof["path"].pop()


def moved(proof: dict[str, Any]) -> None:
    proof["index"] -= 1


def altered_root(proof: dict[str, Any]) -> None:
    lines = proof["checkpoint"].split("\n")
    lines[2] = flipped(lines[2])
    proof["checkpoint"] = "\n".join(lines)


def altered_signature(proof: dict[str, Any]) -> None:
    text, _, encoded = proof["checkpoint"].rstrip("\n").rpartition(" ")
    proof["checkpoint"] = f"{text} {flipped(encoded, 20)}\n"


def altered_size(proof: dict[str, Any]) -> None:
    lines = proof["checkpoint"].split("\n")
    lines[1] = str(int(lines[1]) + 1)
    proof["checkpoint"] = "\n".join(lines)


def other_format(proof: dict[str, Any]) -> None:
    proof["format"] = "another"


@sampled(2)
@pytest.mark.parametrize(
    ("alter", "fails"),
    [
        (altered_record, {"Entry hash", "Merkle path"}),
        (altered_path, {"Merkle path"}),
        (shortened_path, {"Merkle path"}),
        (moved, {"Entry", "Merkle path"}),
        (altered_root, {"Merkle path", "Checkpoint signature"}),
        (altered_signature, {"Checkpoint signature"}),
        (altered_size, {"Checkpoint signature"}),
        (other_format, {"Proof document"}),
    ],
)
def test_an_altered_proof_is_found(
    serve: Callable[[ShownRound], Site], open_page: OpenPage, alter: Callable[[dict[str, Any]], None], fails: set[str]
) -> None:
    """One byte changed anywhere makes the steps fail that depend on it, and the conclusion says so."""
    site = serve(corrected())
    alter(proof_of(site))
    conclusion, steps = verified(open_page(site.address))
    assert conclusion.startswith("✗ Not proven")
    assert fails == {step[2:].split(":")[0] for step in steps if step.startswith("✗")}


def test_a_proof_signed_by_another_key_is_not_believed(
    serve: Callable[[ShownRound], Site], open_page: OpenPage
) -> None:
    """Whoever brings a public key of their own is told that the checkpoint is not signed by it."""
    page = open_page(serve(corrected()).address)
    other = Signer(NAME, Ed25519PrivateKey.from_private_bytes(bytes(32))).verifier
    page.get_by_label("Public keys").fill(str(other))
    conclusion, steps = verified(page)
    assert conclusion.startswith("✗ Not proven")
    assert steps[-1] == "✗ Checkpoint signature: none of the given public keys signed the checkpoint"


def test_a_browser_without_ed25519_says_so_and_checks_the_rest(
    serve: Callable[[ShownRound], Site], open_page: OpenPage
) -> None:
    """Where the signature cannot be verified nothing is called proven, nor altered."""
    without = "crypto.subtle.importKey = async () => { throw new DOMException('no', 'NotSupportedError') }"
    conclusion, steps = verified(open_page(serve(corrected()).address, prepared=without))
    assert "Some checks could not be made. All others passed." == conclusion
    assert ["?"] == [step[0] for step in steps if not step.startswith("✓")]
    assert "this browser cannot verify Ed25519 signatures" in steps[-1]


def test_an_altered_hash_on_the_page_is_found(serve: Callable[[ShownRound], Site], open_page: OpenPage) -> None:
    """A page that shows another hash than the entry's is contradicted by the proof."""
    shown = corrected()
    shown.document["entries"][-1]["hash"] = "00" * 32
    _, steps = verified(open_page(serve(shown).address))
    assert ["Entry hash"] == [step[2:].split(":")[0] for step in steps if step.startswith("✗")]


@sampled(1)
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_accessible(
    serve: Callable[[ShownRound], Site], open_page: OpenPage, color_scheme: str, width: int
) -> None:
    """Axe finds nothing on the whole page, with every detail opened and a proof verified, in both color schemes."""
    page = open_page(serve(corrected()).address, color_scheme=color_scheme, viewport={"width": width, "height": 800})
    for details in page.locator("details").all():
        details.evaluate("element => { element.open = true }")
    verified(page)
    found = Axe().run(page)
    assert 0 == found.violations_count, found.generate_report()


@pytest.mark.parametrize(("width", "shape"), [(360, "narrow"), (1280, "wide")])
def test_the_drawing_fits_the_screen(
    serve: Callable[[ShownRound], Site], open_page: OpenPage, width: int, shape: str
) -> None:
    """A small screen gets the column and a wide one the arc, and the page never scrolls sideways."""
    page = open_page(serve(corrected()).address, viewport={"width": width, "height": 800})
    assert [shape] == [one for one in ("narrow", "wide") if page.locator(f"svg.felt-{one}").is_visible()]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_no_line_of_text_leaves_its_place(serve: Callable[[ShownRound], Site], open_page: OpenPage) -> None:
    """As the browser measures it, every text of the drawing lies within the frame that it belongs to."""
    page = open_page(serve(corrected()).address, viewport={"width": 1280, "height": 800})
    outside = page.evaluate(
        """() => [...document.querySelectorAll("svg.felt-wide > g")].flatMap((place) => {
            const frame = place.querySelector(":scope > .place-frame")?.getBoundingClientRect();
            return frame ? [...place.querySelectorAll("text")].filter((text) => {
                const box = text.getBoundingClientRect();
                const [across, along] = [box.left < frame.left || box.right > frame.right, box.top < frame.top];
                return across || along || box.bottom > frame.bottom;
            }).map((text) => text.textContent) : [];
        })"""
    )
    assert [] == outside
    assert page.locator("svg.felt-wide .place-frame").count() == 1 + len(EXAMPLE["round"]["seats"])


def test_without_script_the_bundle_can_be_downloaded(serve: Callable[[ShownRound], Site], open_page: OpenPage) -> None:
    """No button that would do nothing is shown; the link gives the proof document as it is."""
    site = serve(corrected())
    page = open_page(site.address, java_script_enabled=False)
    assert 0 == page.get_by_role("button", name="Verify in this browser").count()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the proof bundle").last.click()
    assert proof_of(site) == json.loads(Path(download.value.path()).read_text())
    assert download.value.suggested_filename.startswith("proof-1-")


def test_what_is_recorded_is_text_and_never_markup(serve: Callable[[ShownRound], Site], open_page: OpenPage) -> None:
    """A player's name that looks like a script is shown as it stands, in the drawing and in the words."""
    record = copy.deepcopy(EXAMPLE["round"])
    record["seats"][0]["player"] = "<script>alert(1)</script>"
    page = open_page(serve(shown_round(record, EXAMPLE["regulation"], EXAMPLE["submission"])).address)
    page.get_by_text("In words").click()
    expect(page.locator(".felt-text li", has_text="<script>alert(1)</script>: ace of spades")).to_be_visible()
    assert 0 == page.locator("svg script").count()
    assert (page.locator("button[data-proof]").first.get_attribute("data-proof") or "").startswith(PATH)
