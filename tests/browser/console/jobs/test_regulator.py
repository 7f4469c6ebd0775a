"""A regulator's work: one round with its proof, and who signed the rules that it was settled under."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.sync_api import expect

from shared.journal.signed_note import Signer
from tests.browser.console.conftest import Visit
from tests.browser.console.steps import FLOW, act, send
from tests.support.demo import PROPERTY, RunningDemo

HOME = f"/p/{PROPERTY}"


def test_the_proof_of_a_round_is_verified_here_and_elsewhere(demo: RunningDemo, visit: Visit, tmp_path: Path) -> None:
    """The browser proves an entry, not with another key; the bundle that it downloads is proven on the command line.

    The round names the version of its rules, whose page names the two people who signed it.
    """
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
    expect(page.locator("main")).to_contain_text("version 1 under pa-633a-2024, approved by demo.approver")
    page.goto(f"{demo.console}{HOME}/submissions/blackjack/1")
    for signed in ("demo.filer", "demo.approver"):
        expect(page.locator("dl.record")).to_contain_text(signed)


def another_key(trusted: str) -> str:
    """Return another public key under the name of the first that is trusted."""
    name = trusted.split("+")[0]
    return str(Signer(name, Ed25519PrivateKey.from_private_bytes(bytes(32))).verifier)


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
    page.get_by_role("link", name="What-if comparison").click()
    page.get_by_role("button", name="Settle again").click()
    expect(page.get_by_role("heading", name="rounds settled again")).to_be_visible()
    expect(page.locator("figure.chart img").first).to_be_visible()
    page.get_by_role("link", name="Other minimums").click()
    expect(page.get_by_role("heading", name="Other minimums for Over under")).to_be_visible()
