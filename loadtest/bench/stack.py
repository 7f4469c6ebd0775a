"""A stack for a measurement: a `pitledger` command in a separate process, which prints a JSON document of the stack."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from loadtest.traffic.target import Target
from shared.local._parent_watchdog import death_with_parent
from shared.local.ports import LOOPBACK, free_port
from shared.local.process import ManagedProcess, ProcessConfig

_MAIN: Final = (sys.executable, "-P", "-m", "services.cli.main")
ASKED_OFTEN: Final = {"PITLEDGER_FETCH_SECONDS": "0.01"}
"""The settings for measuring latencies on the embedded broker, which delays messages for the whole fetch time.

The fetch time is so short that it does not dominate the measurement (decision 28).
"""
_STOP_SECONDS: Final = 60.0


class StackFailed(Exception):
    """A command ended before it printed its document."""


@contextmanager
def started_stack(
    *services: str,
    environment: Mapping[str, str] = os.environ,
    partitions: Mapping[str, int] | None = None,
    together: bool = False,
) -> Iterator[tuple[dict[str, Any], int]]:
    """Start a stack of these services (all, if none is named); yield the stack's document and the command's process id.

    With `together`, the services share one process; otherwise each has its own. Servers named by `environment` are used
    instead of embedded ones. `partitions` is the number of partitions by topic, where not the default.
    """
    words = ["up", f"--processes={1 if together else 'per-service'}", *(f"--service={service}" for service in services)]
    words += [f"--partitions={topic}={number}" for topic, number in (partitions or {}).items()]
    with started(*words, environment=environment) as stack:
        yield stack


@contextmanager
def started(*words: str, environment: Mapping[str, str] = os.environ) -> Iterator[tuple[dict[str, Any], int]]:
    """Start a command; yield the document that it prints once its stack is running, and its process id.

    The stack ends with the `with` block, and on Linux also if this process is killed.
    """
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*_MAIN, *words, "--json"],
        stdout=subprocess.PIPE,
        start_new_session=True,
        env=dict(environment),
        preexec_fn=death_with_parent(signal.SIGINT),
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            code = process.wait(_STOP_SECONDS)
            raise StackFailed(f"`pitledger {words[0]}` ended with exit code {code}; its messages say why")
        yield json.loads(line), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=_STOP_SECONDS)


@contextmanager
def more_processes(
    document: Mapping[str, Any], processes: Mapping[str, int], environment: Mapping[str, str] = os.environ
) -> Iterator[Sequence[int]]:
    """Run further processes of a stack's services; yield their process ids.

    `processes` is the total number of processes by service, including the stack's own. `environment` is the stack's
    environment. Each process has its service's key, and all processes of a service share its partitions.
    """
    keys, logs = Path(document["verifiers_file"]).parent, Path(document["logs"])
    with ExitStack() as running:
        started = []
        for service, number in processes.items():
            for _ in range(number - 1):
                of_process = {
                    **environment,
                    **environment_of(dict(document)),
                    "PITLEDGER_CHECKPOINT_KEY_FILE": str(keys / f"{service}.pem"),
                    "PITLEDGER_HTTP_HOST": LOOPBACK,
                    "PITLEDGER_HTTP_PORT": str(free_port()),
                }
                log = logs / f"{service}.log"  # processes are grouped by their log
                command = [*_MAIN, "run", service]
                one = ManagedProcess(ProcessConfig(command=command, directory=logs, log=log, environment=of_process))
                running.callback(one.stop)
                started.append(one.pid)
        yield started


def tokens_of(document: dict[str, Any]) -> dict[str, str]:
    """Return the token of each demo user, by person."""
    return {each["person"]: each["token"] for each in json.loads(Path(document["tokens_file"]).read_text())}


def environment_of(document: dict[str, Any]) -> dict[str, str]:
    """Return the environment for commands on the stack, from its shell file."""
    lines = Path(document["environment_file"]).read_text().splitlines()
    return dict(shlex.split(line)[1].split("=", 1) for line in lines)


def target_of(document: dict[str, Any]) -> Target:
    """Return the `Target` for playing rounds on the stack, which must include the registry."""
    tokens = tokens_of(document)
    return Target(
        bootstrap_servers=document["kafka_bootstrap_servers"],
        database_url=environment_of(document)["DATABASE_URL"],  # the document omits the password
        registry_url=document["services"]["paytable-registry"],
        filer_token=tokens["demo.filer"],
        approver_token=tokens["demo.approver"],
    )
