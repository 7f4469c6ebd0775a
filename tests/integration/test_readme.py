"""Every command of the README, run as it stands there, in its order."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support import eventually
from tests.support.services import ROOT

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
COMMANDS = [line for language, block in BLOCKS if language == "sh" for line in block.splitlines() if line]
MADE = [command for command in COMMANDS if command.startswith("make ")]
UP = ".venv/bin/pitledger up --directory /tmp/pitledger"
SERVE = ".venv/bin/pitledger run round-settlement"


DIRECTORY = "/tmp/pitledger"


@pytest.fixture(scope="module")
def clone() -> Iterator[Path]:
    """A directory that looks like a clone with its environment made, in which nothing has run yet."""
    home = Path(tempfile.mkdtemp(prefix="pitledger-readme-"))
    home.chmod(0o755)  # PostgreSQL runs under another account when the tests run as root
    for name in ("docs", "tests", "Makefile", ".venv", "infra", "pyproject.toml", "constraints.txt"):
        (home / name).symlink_to(ROOT / name)
    yield home
    shutil.rmtree(home, ignore_errors=True)


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
    known = {*MADE, UP, SERVE, *SETTLE, *SUBMISSION, *FOLLOW, *REPORTS, *SERVERS}
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
SERVERS = [f".venv/bin/pitledger {name}" for name in ("topics apply", "db upgrade", "config")]


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
                seconds=90,
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
            for command in SERVERS:
                _run(command, clone, prelude)
            assert httpx.get(f"{registry.group()}/readyz").status_code == 200
            up.send_signal(signal.SIGINT)
            assert 0 == up.wait(60), (clone / "up.log").read_text()
        finally:
            if up.poll() is None:
                os.killpg(up.pid, signal.SIGKILL)
                up.wait(30)


def test_the_snippet_is_the_example() -> None:
    """The ten lines of the README are those of the example that is run above."""
    [snippet] = [block for language, block in BLOCKS if language == "python"]
    assert snippet in (ROOT / "docs" / "examples" / "send_event.py").read_text()
    assert len(snippet.splitlines()) <= 10
