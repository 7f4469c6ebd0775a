"""A stack for a measurement: `pitledger up` as a process of its own, whose document says where everything is."""

import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from loadtest.target import Target

_COMMAND: Final = (sys.executable, "-P", "-m", "services.cli.main", "up", "--json")
_STOP_SECONDS: Final = 60.0


class StackFailed(Exception):
    """`pitledger up` ended before it had said where everything is."""


@contextmanager
def running_stack(*services: str) -> Iterator[tuple[Target, int, Mapping[int, str]]]:
    """A target, the id of the process from which all of its processes descend, and the services by process id.

    Nothing of it runs afterwards. What the stack says goes to stderr. Raises: StackFailed.
    """
    with started_stack(*services) as (document, pid):
        yield target_of(document), pid, {each: service for service, each in document["pids"].items()}


@contextmanager
def started_stack(*services: str) -> Iterator[tuple[dict[str, Any], int]]:
    """The document of a stack of these services (all, if none is named), and the id of its process."""
    command = [*_COMMAND, *(f"--service={service}" for service in services)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)  # noqa: S603 - our own command
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise StackFailed(
                f"`pitledger up` ended with exit code {process.wait(_STOP_SECONDS)}; its messages say why"
            )
        yield json.loads(line), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=_STOP_SECONDS)


def tokens_of(document: dict[str, Any]) -> dict[str, str]:
    """Return the token of each person."""
    return {each["person"]: each["token"] for each in json.loads(Path(document["tokens_file"]).read_text())}


def environment_of(document: dict[str, Any]) -> dict[str, str]:
    """Return the environment for commands that work on the stack, from the file that a shell reads."""
    lines = Path(document["environment_file"]).read_text().splitlines()
    return dict(shlex.split(line)[1].split("=", 1) for line in lines)


def target_of(document: dict[str, Any]) -> Target:
    """Return what a measurement works on; the registry is among the services."""
    tokens = tokens_of(document)
    return Target(
        bootstrap_servers=document["kafka_bootstrap_servers"],
        database_url=environment_of(document)["DATABASE_URL"],  # the document shows it without its password
        registry_url=document["services"]["paytable-registry"],
        filer_token=tokens["demo.filer"],
        approver_token=tokens["demo.approver"],
    )
