"""Processes on a leash: stopped, killed, and never left behind."""

import os
import signal
import sys
from pathlib import Path

import pytest

from shared.local.errors import LocalStackError
from shared.local.process import ManagedProcess, ProcessConfig
from tests.support import eventually
from tests.support.processes import alive, left_over

NOTES_ITS_END = """
import pathlib, signal, sys, time
def end(*_):
    pathlib.Path("ended").write_text("in good order")
    sys.exit(3)
signal.signal(signal.SIGTERM, end)
pathlib.Path("ready").touch()
while True:
    time.sleep(60)
"""
IGNORES_SIGTERM = """
import pathlib, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path("ready").touch()
while True:
    time.sleep(60)
"""


def leashed(directory: Path, script: str, grace_seconds: float = 10.0) -> ManagedProcess:
    """A Python script on a leash, as soon as it is ready."""
    process = ManagedProcess(
        ProcessConfig(
            command=[sys.executable, "-I", "-S", "-c", script],
            directory=directory,
            log=directory / "log",
            grace_seconds=grace_seconds,
        )
    )
    eventually(lambda: (directory / "ready").exists(), because="the script is ready")
    return process


def test_stop_lets_the_process_end_in_good_order(tmp_path: Path) -> None:
    """Stopping asks first, waits, and reports the exit code."""
    process = leashed(tmp_path, NOTES_ITS_END)
    process.stop()
    assert ("in good order", 3, False) == ((tmp_path / "ended").read_text(), process.exit_code, alive(process.pid))


def test_kill_does_not_ask(tmp_path: Path) -> None:
    """Killing ends the process at once; its exit code is 128 plus the signal."""
    process = leashed(tmp_path, NOTES_ITS_END)
    process.kill()
    assert (False, 128 + signal.SIGKILL) == ((tmp_path / "ended").exists(), process.exit_code)


def test_what_does_not_stop_is_killed(tmp_path: Path) -> None:
    """A process that does not heed the request is killed when its grace is over."""
    process = leashed(tmp_path, IGNORES_SIGTERM, grace_seconds=0.2)
    process.stop()
    assert (False, 128 + signal.SIGKILL) == (process.running, process.exit_code)


def test_stopping_twice_is_one_stop(tmp_path: Path) -> None:
    """A process that has ended can be stopped and killed again without harm."""
    process = leashed(tmp_path, NOTES_ITS_END)
    process.stop()
    process.stop()
    process.kill()
    assert 3 == process.exit_code


def test_ctrl_c_does_not_reach_the_process(tmp_path: Path) -> None:
    """It is in a session of its own, so that a terminal's Ctrl-C goes to the parent alone."""
    process = leashed(tmp_path, NOTES_ITS_END)
    assert os.getsid(0) != os.getsid(process.pid)
    process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="the parent death signal is Linux's own")
def test_killing_the_leash_kills_the_process(tmp_path: Path) -> None:
    """Even when the leash itself is killed, the process does not outlive it."""
    process = leashed(tmp_path, NOTES_ITS_END)
    os.kill(process._leash.pid, signal.SIGKILL)
    eventually(lambda: not left_over([process.pid], []), because="the process is gone")
    process.stop()


def test_a_command_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A command that cannot be started is named, with the system's reason."""
    config = ProcessConfig(command=["/no/such/command"], directory=tmp_path, log=tmp_path / "log")
    with pytest.raises(LocalStackError, match="/no/such/command could not be started: FileNotFoundError"):
        ManagedProcess(config)


def test_waiting_ends_at_the_deadline(tmp_path: Path) -> None:
    """A command that was to end by itself and does not is killed, and the error shows what it said."""
    process = leashed(tmp_path, "print('thinking', flush=True)\n" + IGNORES_SIGTERM)
    with pytest.raises(LocalStackError, match=r"did not end within 0.1 s\nthinking"):
        process.wait(0.1)
    assert not alive(process.pid)
