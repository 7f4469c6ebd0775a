"""`pitledger up`: the whole stack on this machine, until Ctrl-C."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from services.cli.ending import Ending
from services.cli.environment import without_password
from services.cli.exits import ExitCode
from services.cli.output import AsJson, heading, message, names, print_json, print_line, show, table
from services.cli.people import PEOPLE
from services.cli.services import NAMES, service_option
from services.cli.stack import RunningStack

_LOOK_SECONDS = 0.5


def up(
    directory: Annotated[
        Path | None, typer.Option(help="Keep the data here between runs; without it they are temporary.")
    ] = None,
    services: Annotated[list[str] | None, service_option("Only this service; may be repeated.")] = None,
    as_json: AsJson = False,
) -> int:
    """Keep the whole stack running on this machine until Ctrl-C.

    Starts PostgreSQL, a Kafka broker and every service, waits until all are ready, and says what listens where. Servers
    that DATABASE_URL or KAFKA_BOOTSTRAP_SERVERS name are used instead of embedded ones. When a part ends by itself,
    everything does.

    Example: pitledger up
    Example: pitledger up --directory /var/lib/pitledger
    """
    ending = Ending.heard()
    try:
        with RunningStack(directory=directory, services=services or NAMES, usual_ports=True, report=message) as stack:
            if as_json:
                print_json(_document(stack))
            else:
                _show(stack)
            watch(stack, ending)
            message("stopping")
    except KeyboardInterrupt:
        message("stopped before everything was running")
        return ExitCode.INTERRUPTED
    message("stopped; nothing is left running")
    return ExitCode.FINE


def watch(stack: RunningStack, ending: Ending) -> None:
    """Return when the process is told to end. Raises: StackEnded when a part of the stack ends by itself."""
    try:
        while True:
            stack.check()
            ending.check()
            time.sleep(_LOOK_SECONDS)
    except KeyboardInterrupt:
        return


def _document(stack: RunningStack) -> dict[str, Any]:
    return {
        "services": dict(stack.urls),
        "pids": dict(stack.pids),
        "kafka_bootstrap_servers": stack.bootstrap_servers,
        "database_url": without_password(stack.database_url),
        "environment_file": str(stack.home.environment_file),
        "tokens_file": str(stack.home.tokens_file),
        "verifiers_file": str(stack.home.verifiers_file),
        "checkpoints": str(stack.home.checkpoints),
        "logs": str(stack.home.logs),
    }


def _show(stack: RunningStack) -> None:
    services = [[service, url, f"{url}/docs", f"{url}/metrics"] for service, url in stack.urls.items()]
    places = [
        ["Kafka", stack.bootstrap_servers],
        ["database", without_password(stack.database_url)],
        ["API tokens", f"{stack.home.tokens_file}  ({', '.join(PEOPLE)})"],
        ["signed checkpoints", str(stack.home.checkpoints)],
        ["their public keys", str(stack.home.verifiers_file)],
        ["logs", str(stack.home.logs)],
    ]
    show(
        heading("Pitledger is running; Ctrl-C stops it"),
        table(names("Service", "URL", "Documentation", "Metrics"), services),
        table(names("What", "Where"), places),
    )
    print_line(f"In another terminal:  . {stack.home.environment_file}  &&  pitledger verify")
