"""The stack of a measurement ends with whoever measures."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import eventually
from tests.support.processes import alive

STACK = """
import signal, time
from pathlib import Path
def end(*_):
    Path("ended").write_text("in good order")
    raise SystemExit
signal.signal(signal.SIGINT, end)
print('{}', flush=True)
while True:
    time.sleep(60)
"""
"""Says where everything is, as `pitledger up` does, and stands until it is told to end."""

MEASURES = f"""
import sys, time
from loadtest.bench import stack
stack._MAIN = (sys.executable, "-I", "-S", "-c", {STACK!r})
with stack.started("up") as (_, pid):
    print(pid, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of the end of its parent")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_measurement_that_is_killed_leaves_no_stack(tmp_path: Path, number: signal.Signals) -> None:
    """A load that somebody stops with `timeout` or `kill -9` takes its stack along."""
    with subprocess.Popen(
        [sys.executable, "-c", MEASURES],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
    ) as measures:
        assert measures.stdout is not None
        pid = int(measures.stdout.readline())
        assert alive(pid)
        measures.send_signal(number)
        assert -number == measures.wait(10)
        eventually(lambda: not alive(pid), because="the stack has ended")
    assert "in good order" == (tmp_path / "ended").read_text()
