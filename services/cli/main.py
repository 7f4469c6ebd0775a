"""The command line `pitledger`: its commands, and error handling."""

import errno
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import getdoc
from typing import Annotated, Any, Final

import typer

from services.cli.exits import EPILOG, CommandError, ExitCode
from services.cli.operations.version import version as version_command
from services.cli.output import message
from shared.runtime.extras import ExtraMissing
from shared.runtime.process_memory import raise_gc_threshold

_COMMANDS: Final = {
    "demo": {
        "demo": "Simulate a gaming day of table games through the real services, and print the books.",
    },
    "stack": {
        "up": "Run the whole stack on this machine until Ctrl-C.",
        "run": "Run one service until it is stopped.",
    },
    "registry": {
        "property": "File, approve and read properties, and list their tables and devices.",
        "submissions": "Draft, check, file, approve and compare rules submissions; list those in effect.",
        "payback": "Compute the paybacks of a rules submission's wagers; recount the hands behind them.",
        "sign": "Make the payout sign of a rules submission, or its gaming guide, without database or broker.",
        "settle": "Settle round records or case files, and print every settlement line with its paragraph.",
        "devices": "Create the keys with which devices sign the events of their tables.",
    },
    "books": {
        "report": "Print a report of a gaming day, or of the week, month, quarter or year that contains it.",
        "gl": "Export journals to the general ledger; file, approve and read its mapping.",
        "whatif": "Settle a gaming day or a month again under another rules submission; the books stay unchanged.",
        "minimums": "Show handle and theoretical win as they would have been under other table minimums.",
        "reconstruct": "Show everything that the journal holds about a round, from the cards to the hashes.",
        "balances": "Print the balance of every account, as of a time and as known at a time.",
        "verify": "Verify the journals: hashes, links, sums, heads, signed checkpoints.",
        "reconcile": "Report entries that were signed or published but are missing from a restored database.",
        "prove": "Export the inclusion proof of an entry.",
        "verify-proof": "Verify an exported proof with only the public key.",
        "export": "Export the signed part of a journal, or of a gaming day, for the stand-alone verifier.",
        "verify-reports": "Verify delivered reports: signed manifests, every file that they list, and no other files.",
        "witness": "Cosign services' checkpoints until Ctrl-C, each only with proof that its log is append-only.",
        "rebuild": "Rebuild the database tables derived from a service's journal, and report rows that differed.",
    },
    "archive": {
        "archive": "Archive sealed gaming days as files; list, verify, prove and restore what is archived.",
        "sql": "Query the archive in SQL.",
    },
    "spark": {
        "spark": "Add up, settle again and derive again archived days, with Apache Spark.",
    },
    "cage": {
        "credit": "Request, approve and cut credit lines of patrons; prepare counter checks within them.",
        "checks": "Redeem, clear, replace and collect counter checks; write off uncollectible amounts.",
        "cage": "Transfer and count the money and chips at the locations of the cage.",
    },
    "filing": {
        "filing": "Prepare currency transaction reports for FinCEN, and information returns for the IRS.",
        "sar": "Draft and file suspicious activity reports, with access for their preparers only.",
    },
    "operations": {
        "quarantine": "List and show quarantined records; repair, replay or dismiss them.",
        "intake": "Load files of events, CSV or JSON Lines, into the topics, until Ctrl-C.",
        "topics": "Create the Kafka topics; adopt a topic that was re-created or lost records.",
        "schemas": "Publish the JSON Schemas of all messages to a schema registry.",
        "db": "Create and migrate the services' schemas.",
        "keys": "Create the services' signing keys, and the list of their public keys.",
        "patron-keys": "Replace the key that wraps patrons' keys, and rewrap them.",
        "config": "Print the effective settings, with secrets masked, and the roles of callers.",
        "version": "Print the version; with --attest, compare the installation with the signed release.",
    },
}
"""The help line of each command, by the package and the name of the command, in the order of `--help`.

A command is a module of the package, and is imported only when called. The module has a function with the command's
name, or a group of commands named `app`.
"""

_SIGPIPE = 141
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def _show_version(wanted: bool) -> None:
    """Print the version and exit, if the option `--version` is given."""
    if wanted:
        version_command()
        raise typer.Exit


def _root(
    debug: Annotated[bool, typer.Option("--debug", help="Print the full traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Pitledger: every round settled by the regulation's text, every cent posted once."""
    del debug, version


def _build(words: Sequence[str]) -> typer.Typer:
    """Return the application. Only the command named in `words` is imported; others have only name and help line."""
    app = typer.Typer(
        epilog=EPILOG,
        no_args_is_help=True,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    named = next((word for word in words if not word.startswith("-")), None)
    completing = "_PITLEDGER_COMPLETE" in os.environ
    for room, commands in _COMMANDS.items():
        for name, line in commands.items():
            if name == named or completing:
                _add(app, room, name, line)
            else:
                app.command(name, help=line, rich_help_panel=room.capitalize())(_not_loaded)
    return app


def _add(app: typer.Typer, room: str, name: str, line: str) -> None:
    """Import a command or a group of commands, and add it to the application."""
    function_name, panel = name.replace("-", "_"), room.capitalize()
    module = import_module(f"services.cli.{room}.{function_name}")
    group: typer.Typer | None = getattr(module, "app", None)
    if group is not None:
        for command in group.registered_commands:
            command.help = _help_of(command.callback)
        app.add_typer(group, name=name, help=line, no_args_is_help=True, rich_help_panel=panel)
    else:
        function = getattr(module, function_name)
        app.command(name, help=_help_of(function), rich_help_panel=panel)(function)


def _help_of(function: object) -> str:
    """Return a command's docstring with each paragraph joined into one line, and each example on its own line."""
    paragraphs = (getdoc(function) or "").split("\n\n")
    return "\n\n".join(" ".join(part.split()).replace(" Example: ", "\nExample: ") for part in paragraphs)


def _not_loaded() -> None:
    raise AssertionError("only the command that is called is loaded, and it is called")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command in `words` (by default the process's arguments), and return its exit code."""
    words = sys.argv[1:] if words is None else words
    raise_gc_threshold()
    code = _run(words)
    try:
        sys.stdout.flush()
    except OSError as error:
        # The reader of our output has gone, or the disk is full: the interpreter must not flush to it again on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return _SIGPIPE
        return _report(error, debug="--debug" in words) if code == ExitCode.FINE else code
    return code


def _run(words: Sequence[str]) -> int:
    try:
        command: Callable[..., Any] = typer.main.get_command(_build(words)).main
        code = command(args=list(words), prog_name="pitledger", standalone_mode=False)
    except SystemExit:
        return _SIGPIPE  # typer raises it when the reader of our output is gone; nothing else exits here
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the outermost frame: every error becomes a line and an exit code
        return _report(error, debug="--debug" in words)
    return code if isinstance(code, int) else ExitCode.FINE


def _report(error: Exception, *, debug: bool) -> int:
    """Report an error in one line."""
    if debug:
        import traceback

        traceback.print_exception(error)
    match error:
        case CommandError():
            code, text = int(error.exit_code), str(error)
            for line in error.details.splitlines():
                message(line)
        case typer.TyperException():
            said = error.format_message()  # empty for a group without a command, which has printed its help
            code, text = int(ExitCode.USAGE), f"{said} (try --help)" if said else ""
        case typer.Abort():
            code, text = int(ExitCode.INTERRUPTED), "aborted"
        case ExtraMissing():
            code, text = int(ExitCode.USAGE), str(error)
        case _ if _is_silence(error):
            code, text = int(ExitCode.NOT_THERE), f"a service does not answer: {type(error).__name__}: {error}"
        case OSError() if error.errno in _FULL:
            code, text = int(ExitCode.REFUSED), f"what is written to has no room left: {error.strerror}"
        case _:
            code, text = int(ExitCode.BUG), f"bug: {type(error).__name__}: {error}"
    if text:
        message("pitledger: " + " ".join(text.split()))
    return code


def _is_silence(error: Exception) -> bool:
    """Return whether an error means that a server did not answer, without importing the HTTP library."""
    httpx = sys.modules.get("httpx")
    return httpx is not None and isinstance(error, httpx.TransportError)


if __name__ == "__main__":
    sys.exit(main())
