"""`pitledger intake`: load events from files, for systems without a Kafka client."""

import time
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.cli.environment import settings
from services.cli.exits import CheckFailed, ExitCode, NotFound, UsageWrong
from services.cli.interrupts import InterruptGuard
from services.cli.operations.intake_folder import Folder
from services.cli.operations.intake_topics import Topics
from services.cli.operations.intake_work import REASONS, Intake
from services.cli.output import AsJson, message, print_json, print_line
from shared.journal.signed_note import CheckpointError, Signer

_LOOK_SECONDS: Final = 1.0
_SHOWN_MAX: Final = 5


def intake(
    directory: Annotated[
        Path, typer.Argument(metavar="DIRECTORY", help="Folder with the subfolders in/, done/ and rejected/.")
    ],
    once: Annotated[bool, typer.Option("--once", help="Process the files now in the folder, then exit.")] = False,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of the private key that signs the events, PEM.")
    ] = None,
    kid: Annotated[str | None, typer.Option(help="ID of the signing key in the property document.")] = None,
    as_json: AsJson = False,
) -> int:
    """Load files of events, CSV or JSON Lines, into the topics, until Ctrl-C.

    A file in DIRECTORY/in is loaded once NAME.sha256, as written by sha256sum, is beside it. Either all of its lines
    are sent to the topics, each once and in order, and the file moves to done/ with a receipt; or no line is sent, and
    the file moves to rejected/ with line numbers and reasons. A killed intake resumes at the next start. With --once,
    exit code 1 if a file was rejected or is not complete. docs/integrate.md lists the columns.

    Example: pitledger intake /var/spool/pitledger
    Example: pitledger intake /var/spool/pitledger --key gateway.pem --kid gateway-2026
    """
    folder = Folder(directory)
    work = Intake(folder, Topics(settings()), signing=_signing(key, kid))
    ending = InterruptGuard.heard()
    try:
        with folder.alone():
            if once:
                return _once(work, as_json=as_json)
            message(f"taking files from {folder.incoming}; Ctrl-C stops it")
            _watch(work, ending, as_json=as_json)
    except KeyboardInterrupt:
        message("stopped; what was under way goes on at the next start")
    return ExitCode.FINE


def _once(work: Intake, *, as_json: bool) -> int:
    outcomes = []
    for found in work.take():
        _say(found, as_json=as_json)
        outcomes.append(found["outcome"])
    if not_taken := sum(outcome != "done" for outcome in outcomes):
        raise CheckFailed(f"{not_taken} of {len(outcomes)} files were not taken; the lines above say why")
    return ExitCode.FINE


def _watch(work: Intake, ending: InterruptGuard, *, as_json: bool) -> None:
    said: set[str] = set()
    while True:
        waiting = set()
        try:
            for found in work.take():
                ending.check()
                if found["outcome"] == "waits":
                    waiting.add(found["reason"])
                    if found["reason"] in said:
                        continue
                _say(found, as_json=as_json)
        except NotFound as error:  # the broker does not answer: a planned file is resumed later
            waiting.add(str(error))
            if str(error) not in said:
                message(f"waits: {error}")
        said = waiting
        ending.check()
        time.sleep(_LOOK_SECONDS)


def _say(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
    elif found["outcome"] == "done":
        print_line(f"{found['file']}: {found['events']} events sent; done/{found['kept_as']}")
    elif found["outcome"] == "waits":
        message(found["reason"])
    else:
        problems = found["problems"]
        print_line(f"{found['file']}: rejected, {len(problems)} problems; rejected/{found['kept_as']}{REASONS}")
        for problem in problems[:_SHOWN_MAX]:
            message(f"{found['file']}, line {problem['line']}: {problem['reason']}")


def _signing(key: Path | None, kid: str | None) -> tuple[Ed25519PrivateKey, str] | None:
    if key is None and kid is None:
        return None
    if key is None or kid is None:
        raise UsageWrong("--key and --kid go together")
    try:
        return Signer.from_pem(key, kid).key, kid
    except (CheckpointError, OSError) as error:
        raise UsageWrong(f"--key {key}: {error}") from error
