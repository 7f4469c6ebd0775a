"""`pitledger up`: run the whole stack on this machine until Ctrl-C."""

import math
import os
import time
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from services.cli.environment import require_no_stack, require_none_of_stack, settings, without_password
from services.cli.exits import ExitCode, UsageWrong
from services.cli.interrupts import InterruptGuard
from services.cli.output import AsJson, heading, message, names, print_json, print_line, show, table, words
from services.cli.partitions import PartitionsOption, numbers_of_partitions
from services.cli.services import NAMES, service_option
from services.cli.stack.demo_users import PEOPLE
from services.cli.stack.draining import drain
from services.cli.stack.running_stack import RunningStack
from services.cli.stack.supervision import Supervisor


class Processes(StrEnum):
    """The processes of a stack's services: one for all, or one per service."""

    ONE = "1"
    PER_SERVICE = "per-service"


_LOOK_SECONDS = 0.5
_DRAIN_SECONDS_MAX = 20.0


def up(
    directory: Annotated[
        Path | None, typer.Option(help="Directory in which data is kept between runs (default: data is discarded).")
    ] = None,
    services: Annotated[list[str] | None, service_option("Only this service; may be repeated.")] = None,
    partitions: PartitionsOption = None,
    servers_only: Annotated[
        bool,
        typer.Option("--servers-only", help="Start only PostgreSQL and the Kafka broker, and change nothing in them."),
    ] = False,
    processes: Annotated[
        Processes, typer.Option(help="Run all services in one process, or each service in its own.")
    ] = Processes.ONE,
    as_json: AsJson = False,
) -> int:
    """Run the whole stack on this machine until Ctrl-C.

    Starts PostgreSQL, a Kafka broker and every service, waits until all are ready, and prints every URL. Servers named
    by DATABASE_URL or KAFKA_BOOTSTRAP_SERVERS are used instead of embedded ones. With a directory, the broker is Apache
    Kafka, acknowledged data is kept, and a part that exits is restarted. Without a directory, nothing is kept, and if a
    server exits, the whole stack ends. On Ctrl-C the services first process their waiting input.

    A service that is not ready after 90 seconds is reported with its reason. The rest keeps running, because the
    commands that repair the service need the other services. Use --servers-only for work that requires stopped
    services: restoring, reconciling, adopting topics.

    Example: pitledger up
    Example: pitledger up --directory /var/lib/pitledger
    Example: pitledger up --directory /var/lib/pitledger --servers-only
    """
    require_no_stack(os.environ)
    require_none_of_stack(os.environ)
    settings()  # fail here if a setting is wrong, not in each service
    if servers_only and services:
        raise UsageWrong("--servers-only starts no service: leave --service out")
    ending = InterruptGuard.heard()
    try:
        with RunningStack(
            directory=directory,
            services=() if servers_only else services or NAMES,
            partitions=numbers_of_partitions(partitions or ()),
            usual_ports=True,
            console=not servers_only,
            together=processes is Processes.ONE,
            stays=True,
            report=message,
        ) as stack:
            if as_json:
                print_json(stack_document(stack))
            else:
                show_stack(stack_document(stack))
            for service, why in stack.not_ready.items():
                message(f"{service} is not ready, and the rest runs without it: {why}")
            watch(stack, ending)
            if directory is not None and stack.urls:
                _drain(stack)
            message("stopping")
    except KeyboardInterrupt:
        message("stopped before everything was running")
        return ExitCode.INTERRUPTED
    message("stopped; nothing is left running")
    return ExitCode.FINE


def watch(stack: RunningStack, ending: InterruptGuard) -> None:
    """Restart parts that end, until Ctrl-C or SIGTERM. Raises: StackEnded if a part cannot be restarted.

    A signal is obeyed even during a restart.
    """
    supervisor = Supervisor(stack.parts, report=message)
    try:
        while True:
            supervisor.look()
            stack.keep_tokens()
            stack.rotate_logs()
            stack.look_again()
            ending.check()
            time.sleep(_LOOK_SECONDS)
    except KeyboardInterrupt:
        return


def _drain(stack: RunningStack) -> None:
    """Let the services process their waiting input; unprocessed records stay in the topics until the next start."""
    message("taking in what waits")
    left = drain(stack.urls, seconds_max=_DRAIN_SECONDS_MAX)
    if left:
        said = {
            service: "an unknown number" if math.isnan(count) else f"{count:.0f}" for service, count in left.items()
        }
        waiting = ", ".join(f"{count} of {service}" for service, count in said.items())
        message(f"still waiting after {_DRAIN_SECONDS_MAX:g} s, kept for the next start: {waiting}")


def _said(count: float) -> str:
    return "an unknown number" if math.isnan(count) else f"{count:.0f}"


def stack_document(stack: RunningStack) -> dict[str, Any]:
    """Return the URLs and paths of a running stack as a document, without passwords."""
    return {
        "console": stack.console_url,
        "not_ready": dict(stack.not_ready),
        "services": dict(stack.urls),
        "pids": {name: stack.pids[name] for name in stack.urls},
        "kafka_bootstrap_servers": stack.bootstrap_servers,
        "database_url": without_password(stack.database_url),
        "keeps": stack.keeps,
        "environment_file": str(stack.home.environment_file),
        "tokens_file": str(stack.home.tokens_file),
        "verifiers_file": str(stack.home.verifiers_file),
        "checkpoints": str(stack.home.checkpoints),
        "logs": str(stack.home.logs),
    }


def show_stack(running: Mapping[str, Any]) -> None:
    """Print a running stack's `stack_document` as text, with each value to copy on a line of its own."""
    services = [[service, url, f"{url}/docs", f"{url}/metrics"] for service, url in running["services"].items()]
    console = [["console", running["console"], "log in as any of its people; no password"]]
    places = [
        *(console if running["console"] else []),
        ["Kafka", running["kafka_bootstrap_servers"], ""],
        ["database", running["database_url"], ""],
        ["API tokens", running["tokens_file"], f"of {', '.join(PEOPLE)}"],
        ["signed checkpoints", running["checkpoints"], ""],
        ["their public keys", running["verifiers_file"], ""],
        ["logs", running["logs"], ""],
    ]
    show(
        heading("Pitledger is running; Ctrl-C stops it" if services else "The servers are running; Ctrl-C stops them"),
        *([table(names("Service", "URL", "Documentation", "Metrics"), services)] if services else []),
        table(names("What", "Where") + words(""), places),
    )
    if not running["keeps"]:
        print_line("Nothing is kept: rounds, journal and reports are gone when this ends. --directory keeps them.")
    print_line(f"In another terminal:  . {running['environment_file']}  &&  pitledger verify")
