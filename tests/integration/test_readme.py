"""Every command of the README, run as it stands there, in its order; and what else of the documentation runs so."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from shared.local.ports import free_port
from tests.support import AnyBroker, Databases, documented, eventually
from tests.support.nightly import AT_NIGHT
from tests.support.services import ROOT

pytestmark = AT_NIGHT

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
COMMANDS = [line for language, block in BLOCKS if language == "sh" for line in block.splitlines() if line]
MADE = [command for command in COMMANDS if command.startswith("make ")]
UP = ".venv/bin/pitledger up --directory /tmp/pitledger"
SERVE = ".venv/bin/pitledger run round-settlement"


DIRECTORY = "/tmp/pitledger"


@pytest.fixture(scope="module")
def clone() -> Iterator[Path]:
    """A fresh clone, with its environment made."""
    with documented.clone() as home:
        yield home


def _environment(**more: str) -> dict[str, str]:
    given = ("DATABASE_URL", "KAFKA_BOOTSTRAP_SERVERS")
    return {name: value for name, value in os.environ.items() if name not in given} | {"COLUMNS": "120"} | more


def _run(command: str, clone: Path, prelude: str = "true") -> str:
    done = subprocess.run(
        ["bash", "-c", f"set -e; {prelude}; {command}".replace(DIRECTORY, str(clone / "data"))],
        cwd=clone,
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_every_command_is_covered() -> None:
    """A command that is added to the README must be run here too."""
    known = {*MADE, UP, *SETTLE, *SUBMISSION, *FOLLOW, *REPORTS, *SERVERS.splitlines()}
    assert known == set(COMMANDS)


def test_the_two_commands_are_targets(clone: Path) -> None:
    """`make demo` and `make test` run what is tested elsewhere: the demo by its own test, this suite by itself."""
    assert ["make demo", "make test"] == MADE
    demo, test = (_run(f"{command} --dry-run", clone) for command in MADE)
    assert ".venv/bin/pitledger demo" in demo
    assert ".venv/bin/pytest" in test


SETTLE = [command for command in COMMANDS if command.startswith(".venv/bin/pitledger settle")]


def test_settle(clone: Path) -> None:
    """Settling needs nothing but the file."""
    assert 3 == len(SETTLE)
    table, document, check = (_run(command, clone) for command in SETTLE)
    assert "§ 633a.13(a)" in table
    assert '"payout": 3750' in document or '"payout":3750' in document
    assert "differ" not in check


SUBMISSION = [
    f".venv/bin/pitledger {name} docs/examples/submission.json{to}"
    for name, to in (("payback show", ""), ("sign", " -o /tmp/sign.html"))
]


def test_what_a_submission_pays_back(clone: Path, tmp_path: Path) -> None:
    """Both need nothing but the file."""
    show, sign = SUBMISSION
    assert "blackjack" in _run(show, clone)
    _run(sign.replace("/tmp", str(tmp_path)), clone)
    assert "3 to 2" in (tmp_path / "sign.html").read_text(encoding="utf-8")


FOLLOW = [
    ". /tmp/pitledger/run/environment",
    *(command for command in COMMANDS if "python docs/examples/" in command),
    *(
        f".venv/bin/pitledger {name}"
        for name in ("property tables riverside", "reconstruct BJ-01-0001", "balances", "verify", "quarantine list")
    ),
]
REPORTS = [command for command in COMMANDS if command.startswith(".venv/bin/pitledger report ")]
[SERVERS] = [block for language, block in BLOCKS if language == "sh" and SERVE in block]
"""From nothing but two servers to a service that runs."""


@pytest.mark.timeout(600)  # some thirty processes, one after the other
@pytest.mark.usefixtures("kafka_packages", "whole_stack")
def test_run_it_and_send_an_event(clone: Path) -> None:
    """Up, a property, a submission, a round, and everything that follows from it; then Ctrl-C."""
    with (clone / "up.log").open("w") as log:
        up = subprocess.Popen(
            ["bash", "-c", f"exec {UP}".replace(DIRECTORY, str(clone / "data"))],
            cwd=clone,
            env=_environment(),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            eventually(
                lambda: "In another terminal" in (clone / "up.log").read_text() or up.poll() is not None,
                seconds=240,
                because="the stack is up",
            )
            said = (clone / "up.log").read_text()
            assert up.poll() is None, said
            registry = re.search(r"http://127\.0\.0\.1:\d+", said)
            assert registry is not None
            prelude, *filing, sending, tables, reconstruct = FOLLOW[:6]
            assert 2 == len(filing)
            for command in filing:
                # Where port 8101 is taken, `up` says so and uses another one.
                there = command.replace("http://127.0.0.1:8101", registry.group())
                assert "is approved" in _run(there, clone, prelude)
            _run(sending, clone, prelude)
            assert "BJ-01" in _run(tables, clone, prelude)
            eventually(
                lambda: "§ 633a.13(a)" in _run(reconstruct, clone, prelude),
                seconds=60,
                because="the round is posted",
                retry_on=AssertionError,
            )
            for command in FOLLOW[6:]:
                _run(command, clone, prelude)
            won, explained, pages = REPORTS
            eventually(
                lambda: "blackjack" in _run(won, clone, prelude),
                seconds=60,
                because="the round is reported",
                retry_on=AssertionError,
            )
            assert "round-settlement" in _run(explained, clone, prelude)
            _run(pages, clone, prelude)
            assert (clone / "data" / "tables.pdf").read_bytes().startswith(b"%PDF")
            for block in documented.blocks_that_run("stack"):
                documented.run(block, clone, _environment(), prelude.replace(DIRECTORY, str(clone / "data")))
            assert httpx.get(f"{registry.group()}/readyz").status_code == 200
            up.send_signal(signal.SIGINT)
            assert 0 == up.wait(60), (clone / "up.log").read_text()
        finally:
            if up.poll() is None:
                os.killpg(up.pid, signal.SIGKILL)
                up.wait(30)


def test_on_your_own_servers(clone: Path, databases: Databases, fresh_broker: AnyBroker) -> None:
    """The block as it stands there, where nothing is set: the service starts, and ends on Ctrl-C."""
    url = databases.create()
    theirs = {"DATABASE_URL": url, "KAFKA_BOOTSTRAP_SERVERS": fresh_broker.bootstrap_servers}
    script = f"set -e\n{SERVERS}"
    for name, value in theirs.items():
        script, count = re.subn(rf"(?m)^(export {name})=.*$", rf"\1='{value}'", script)
        assert 1 == count
    assert script.endswith(f"\n{SERVE}\n")
    ours = [name for name in os.environ if name.startswith("PITLEDGER_")]
    environment = {name: value for name, value in _environment().items() if name not in ours}
    log = clone / "served.log"
    with log.open("w") as said:
        serving = subprocess.Popen(
            ["bash", "-c", script.replace(SERVE, f"exec {SERVE}")],
            cwd=clone,
            env=environment | {"PITLEDGER_HTTP_PORT": str(free_port())},
            stdout=said,
            stderr=said,
        )
    try:
        eventually(
            lambda: '"event": "started"' in log.read_text() or serving.poll() is not None,
            seconds=120,
            because="it runs",
        )
        assert serving.poll() is None, log.read_text()
        assert (clone / "keys" / "round-settlement.pem").exists()
        serving.send_signal(signal.SIGINT)
        assert 0 == serving.wait(60), log.read_text()
    finally:
        serving.kill()
        serving.wait(30)


@pytest.mark.parametrize("block", documented.blocks_that_run("alone"), ids=lambda block: f"{block.page}:{block.line}")
def test_what_needs_no_service_is_run(block: documented.Block, tmp_path: Path) -> None:
    """Blocks of other pages, each in a clone of its own."""
    with documented.clone() as home:
        documented.run(block, home, _environment())


def test_the_snippet_is_the_example() -> None:
    """The ten lines of the README are those of the example that is run above."""
    [snippet] = [block for language, block in BLOCKS if language == "python"]
    assert snippet in (ROOT / "docs" / "examples" / "send_event.py").read_text()
    assert len(snippet.splitlines()) <= 10
