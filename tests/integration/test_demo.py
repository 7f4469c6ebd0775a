"""`pitledger demo` as a command: what it prints, and that nothing is left running; its books: tests/browser/console."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from loadtest.bench.processes import Process, processes_below
from tests.support.nightly import AT_NIGHT
from tests.support.polling import eventually

PITLEDGER = (sys.executable, "-P", "-m", "services.cli.main")


@AT_NIGHT
@pytest.mark.usefixtures("whole_stack")
def test_the_document_of_a_day_is_printed_and_its_reports_are_in_a_folder(tmp_path: Path) -> None:
    """With every figure as the simulator's, the exit code says so; the folder is the one that was named."""
    command = [*PITLEDGER, "demo", "--json", "--rounds=24", "--tables=2", f"--reports={tmp_path / 'reports'}"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert 0 == ended.returncode, ended.stderr
    day = json.loads(ended.stdout)
    assert [] == day["differences"]
    assert str(tmp_path / "reports") == day["reports"]["folder"]
    written = [path for path in (tmp_path / "reports").rglob("*") if path.is_file() and path.suffix != ".note"]
    assert 0 < day["reports"]["files"] == len(written)


@AT_NIGHT
@pytest.mark.usefixtures("whole_stack")
def test_ctrl_c_in_the_middle_leaves_nothing_running() -> None:
    """Interrupted while it plays, the demo ends everything that it started, with the exit code that says so."""
    command = [*PITLEDGER, "demo", "--rounds=200000", "--tables=2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stderr is not None
            said = next(line for line in process.stderr if "playing" in line or process.poll() is not None)
            assert "200,000 rounds" in said
            started = processes_below(process.pid)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            process.kill()
    assert 130 == process.returncode
    eventually(lambda: not still_running(started), because="what the demo started has ended")


def still_running(processes: Sequence[Process]) -> list[int]:
    return [process.pid for process in processes if process.words and exists(process.pid)]


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@AT_NIGHT
@pytest.mark.usefixtures("whole_stack")
def test_throughput_is_measured_from_produced_to_committed() -> None:
    """The harness plays a stack of its own and gives its figures beside a raw COPY of the same rows."""
    started = time.monotonic()
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "loadtest",
            "--rounds=300",
            "--tables=3",
            "--latency-rate=20",
            "--latency-seconds=2",
            "--json",
        ],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    elapsed = time.monotonic() - started
    assert 0 == ended.returncode, ended.stderr
    document = json.loads(ended.stdout)
    figures = document["throughput"]
    assert 300 == figures["rounds"]
    assert 300 / elapsed < figures["rounds_per_second"], "what is measured is less than the whole run"
    assert document["raw_copy_entries_per_second"] > 0
    assert figures["cpu_seconds"]["round-settlement"] > 0
    waits = document["latency"]["milliseconds"]
    assert 0 < waits["50"] <= waits["95"] <= waits["99"] <= waits["100"]
