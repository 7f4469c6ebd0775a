"""Run one command for a parent, and end it when the parent requests it or dies: the counterpart of `process.py`.

The interpreter runs it as a script, so it imports only the standard library. Standard input is a pipe whose only writer
is the parent. The first line is the specification as JSON; it is not an argument, because its environment holds
passwords, and every user of the machine can read the arguments of a process. After that, one byte requests the end of
the command (`s` stop, `k` kill). End of file means that the parent is gone, perhaps killed, so this process must clean
up. A pipe needs no polling and works on every Unix. Unlike Linux's parent death signal, it does not fire when only the
thread that started the process ends.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

_PR_SET_PDEATHSIG = 1


def death_with_parent(signal_number: int) -> Callable[[], None]:
    """Return a function that makes the kernel signal a child if its parent is killed; Linux only."""
    if sys.platform != "linux":
        return lambda: None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal_number)


def _end(child: "subprocess.Popen[bytes]", signal_number: int, grace_seconds: float) -> None:
    """Send the signal; kill the child if it is still running after the grace period."""
    child.send_signal(signal_number)
    try:
        child.wait(timeout=grace_seconds)
    except subprocess.TimeoutExpired:
        child.kill()


def main(spec: dict[str, Any]) -> int:
    """Run `spec["command"]` to its end and return its exit code (128 plus the signal if a signal ended it)."""
    account = spec["account"]
    with open(spec["log"], "ab") as log:  # noqa: PTH123 - pathlib would double the start-up time of this script
        child = subprocess.Popen(  # noqa: S603 - the command comes from `process.py`
            spec["command"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=spec["directory"],
            env=spec["environment"],
            preexec_fn=death_with_parent(spec["kill_signal"]),
            **({} if account is None else {"user": account["uid"], "group": account["gid"], "extra_groups": []}),
        )
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: child.send_signal(spec["stop_signal"]))
    orphaned = threading.Event()

    def obey() -> None:
        request = os.read(sys.stdin.fileno(), 1)
        if not request:
            orphaned.set()
        _end(child, spec["kill_signal"] if request == b"k" else spec["stop_signal"], spec["grace_seconds"])

    with contextlib.suppress(BrokenPipeError):  # the parent is gone already; `obey` reads end of file
        os.write(sys.stdout.fileno(), b"%d\n" % child.pid)
    threading.Thread(target=obey, daemon=True).start()
    code = child.wait()
    if orphaned.is_set() and spec["remove_when_orphaned"] is not None:
        shutil.rmtree(spec["remove_when_orphaned"], ignore_errors=True)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    with open(0, "rb", buffering=0, closefd=False) as told:  # unbuffered, so that later bytes stay in the pipe
        specification = told.readline()
    sys.exit(main(json.loads(specification)) if specification else 1)
