"""The parts of a night, and what runs one of them within its bound."""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import yaml

from tests.support.services import ROOT

PARTS: Final = Path(__file__).with_name("parts.yaml")
_GRACE_SECONDS: Final = 60.0
"""How long an interrupted part has to stop its servers."""
_LAST_LINES: Final = 20
LONGER_MAX: Final = 2
"""A part is ended after so many times the minutes that it takes where nothing is wrong."""

Outcome = Literal["passed", "failed", "too long"]
Amount = Literal["short", "night", "weekend"]
"""How much of each part: that it runs, what a night has room for, or all of it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part: its name, what it shows, its command, and the seconds after which it is ended."""

    name: str
    shows: str
    command: tuple[str, ...]
    seconds_max: float

    @property
    def said(self) -> str:
        """Return its command as somebody would type it."""
        return shlex.join(self.command)


@dataclass(frozen=True, slots=True)
class Result:
    """What a part came to: how it ended, when it began, how long it took, and the last lines of its log."""

    name: str
    shows: str
    command: str
    began_at: str
    seconds: float
    outcome: Outcome
    last_lines: tuple[str, ...]


def parts(amount: Amount, *, only: Iterable[str] = ()) -> list[Part]:
    """Return the parts in their order. Raises: ValueError for a name that no part has."""
    said: Mapping[str, Mapping[str, Any]] = yaml.safe_load(PARTS.read_text())
    chosen = list(only) or list(said)
    if unknown := [name for name in chosen if name not in said]:
        raise ValueError(f"no part is named {', '.join(unknown)}; there are: {', '.join(said)}")
    return [_part(name, one, amount) for name, one in said.items() if name in chosen]


def _part(name: str, said: Mapping[str, Any], amount: Amount) -> Part:
    run, minutes = said["run"], said["minutes"]
    if amount == "short":
        run = said["short"]
    elif amount == "weekend":
        run, minutes = said["weekend"].get("run", run), said["weekend"]["minutes"]
    return Part(name, said["shows"], tuple(shlex.split(run)), 60.0 * LONGER_MAX * minutes)


def run(part: Part, logs: Path) -> Result:
    """Run a part, its output in a file of its name; it and what it started ends after its bound."""
    log = logs / f"{part.name.replace(' ', '-')}.log"
    began, began_at = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    path = os.pathsep.join([str(ROOT / ".venv" / "bin"), os.environ["PATH"]])
    with log.open("wb") as output:
        process = subprocess.Popen(
            part.command,
            cwd=ROOT,
            env={**os.environ, "PATH": path},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            outcome: Outcome = "passed" if process.wait(part.seconds_max) == 0 else "failed"
        except subprocess.TimeoutExpired:
            outcome = "too long"
        finally:
            _end(process)
    lines = log.read_text(errors="replace").splitlines()[-_LAST_LINES:]
    seconds = round(time.monotonic() - began, 1)
    return Result(part.name, part.shows, part.said, began_at, seconds, outcome, tuple(lines))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a part and what it started: an interrupt first, so that it stops its servers."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
