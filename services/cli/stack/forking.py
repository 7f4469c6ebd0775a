"""The fork server of a stack: imports the services once and forks each of them, or runs all; see `fork_server.py`.

The fork server is a separate process with one thread and no connection, so that a fork copies only imported modules. It
also stops its children if the parent dies. Each line on standard input is a JSON object with orders. `commands` are
forked and waited for, so that the memory of their imports is freed. `services` are forked or, if they run together, run
in this process until the next line or the end of file. An empty object requests that all children stop. End of file
means that the parent has died, and that this process must clean up. Answers, and reports of services that exited
unexpectedly, are written to standard output, one JSON document per line.
"""

import contextlib
import gc
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

from services.cli.main import main as pitledger
from services.cli.services import CONSOLE, load, roles_of_services
from shared.local._parent_watchdog import death_with_parent


def main(services: Sequence[str], *, together: bool, grace_seconds: float, remove_when_orphaned: str | None) -> None:
    """Import the services, fork or run them on request, and return when all have ended."""
    gc.disable()
    import_module("services.cli.stack.run")
    manifests = [load(service) for service in services if service != CONSOLE]
    ports = {each.name: each.port for each in manifests}
    if CONSOLE in services:
        ports[CONSOLE] = import_module("services.console.serve").PORT
    gc.enable()
    gc.freeze()  # garbage collection in a service must not write to shared pages
    _say({"ports": ports, "roles": sorted(roles_of_services(manifests))})
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    processes: list[ForkProcess] = []
    told = True
    try:
        with contextlib.suppress(KeyboardInterrupt):
            told = _obey(processes, together=together)
    finally:
        _end(processes, grace_seconds)
    if not told and remove_when_orphaned is not None:
        shutil.rmtree(remove_when_orphaned, ignore_errors=True)


def _run_together(orders: Sequence[Mapping[str, Any]]) -> bool:
    """Run the services in this process until the parent requests the end.

    Returns False if the parent died without a request.
    """
    from services.cli.stack.run import run_together  # imported by then, with the garbage collector at rest

    _say({order["name"]: os.getpid() for order in orders})
    return run_together(
        {order["name"]: order["environment"] for order in orders},
        {order["name"]: Path(order["log"]) for order in orders},
        until=sys.stdin,
    )


def _fork(name: str, words: Sequence[str], log: str, environment: Mapping[str, str]) -> ForkProcess:
    arguments = (words, log, environment)
    process = get_context("fork").Process(
        target=_become, args=arguments, name=name
    )  # not a daemon, because it may start processes itself
    process.start()
    return process


def _become(words: Sequence[str], log: str, environment: Mapping[str, str]) -> None:
    """Run a `pitledger` command in this forked process, with its own log and environment."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.setsid()
    death_with_parent(signal.SIGKILL)()
    with open(log, "ab") as said:  # noqa: PTH123 - as the parent watchdog does
        for stream in (sys.stdout, sys.stderr):
            os.dup2(said.fileno(), stream.fileno())
    os.environ.clear()
    os.environ.update(environment)
    sys.exit(pitledger(words))


def _obey(running: list[ForkProcess], *, together: bool) -> bool:
    """Fork processes on request, and report unexpected exits, until the parent requests the end.

    Returns False if the parent died without a request.
    """
    while True:
        ready = wait([sys.stdin.fileno(), *(process.sentinel for process in running)])
        for process in [process for process in running if process.sentinel in ready]:
            process.join()
            running.remove(process)
            _say({"ended": {process.name: process.exitcode}})
        if sys.stdin.fileno() in ready:
            line = sys.stdin.readline()
            if not line or not (request := json.loads(line)):
                return bool(line)
            if "commands" in request:
                _say(_run_to_the_end(request["commands"]))
            elif together:
                return _run_together(request["services"])
            else:
                started = [_fork(**order) for order in request["services"]]
                running += started
                _say({process.name: process.pid for process in started})


def _run_to_the_end(orders: Sequence[Mapping[str, Any]]) -> dict[str, int | None]:
    """Run commands in parallel, and return their exit codes by name."""
    processes = [_fork(**order) for order in orders]
    for process in processes:
        process.join()
    return {process.name: process.exitcode for process in processes}


def _end(processes: Sequence[ForkProcess], grace_seconds: float) -> None:
    """Terminate all processes; kill those that have not exited after the grace period."""
    for process in processes:
        process.terminate()
    ends = time.monotonic() + grace_seconds
    for process in processes:
        process.join(max(0.0, ends - time.monotonic()))
        process.kill()
        process.join()


def _say(document: object) -> None:
    with contextlib.suppress(BrokenPipeError):  # the parent is gone, which end of file on standard input shows, too
        os.write(sys.stdout.fileno(), json.dumps(document).encode() + b"\n")


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
