"""`pitledger verify`: verify the journals from their rows and against signed checkpoints."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.books.checkpoint_sources import Kept, Signed, listed, missing
from services.cli.database import journal_of, with_connection
from services.cli.environment import settings
from services.cli.exits import ExitCode, UsageWrong
from services.cli.operations.keys import Keys, Required, Witnesses, quorum_of
from services.cli.output import AsJson, console, message, names, numbers, print_json, print_line, show, table
from services.cli.services import NAMES, service_option
from shared.journal.checkpoint import Checkpoint
from shared.journal.shard import Seals, Shard
from shared.journal.verification import VerificationProblem, Verified, read_shards, verify_shard

_SHORT_HASH = 16
_PROGRESS_SECONDS = 0.2
_NOTHING_COMPARED = (
    "NOT COMPARED with signed checkpoints: entries that were cut off, or rewritten together with chain and head, are",
    "not seen; set PITLEDGER_CHECKPOINT_DIRECTORY, or give --checkpoints and --key",
)


@dataclass(frozen=True, slots=True)
class Result:
    """The verification result of a shard. `number` is the shard's number, 0 if the database does not have the shard.

    `checkpoints` is the number of checkpoints whose signature and root were compared. `signed` is the number of entries
    that the latest of these covers; later entries were verified only against the hash chain and the head. Both are None
    if the journal was not compared with checkpoints.
    """

    service: str
    number: int
    shard: str
    entries: int
    postings: int
    head: bytes
    checkpoints: int | None
    signed: int | None
    problems: Sequence[VerificationProblem]

    def as_document(self) -> dict[str, Any]:
        """Return the result as JSON."""
        problems = [{"entry": problem.seq, "what": problem.what} for problem in self.problems]
        return asdict(self) | {"head": self.head.hex(), "problems": problems}


def verify(
    services: Annotated[list[str] | None, service_option("Only this service; may be repeated.")] = None,
    checkpoints: Annotated[
        Path | None,
        typer.Option(help="Directory of signed checkpoints (default: PITLEDGER_CHECKPOINT_DIRECTORY)."),
    ] = None,
    keys: Keys = None,
    witnesses: Witnesses = None,
    required: Required = None,
    rows_only: Annotated[
        bool,
        typer.Option(
            "--rows-only",
            help="Skip the comparison with signed checkpoints; missing entries at the end are then not detected.",
        ),
    ] = False,
    again: Annotated[
        bool,
        typer.Option("--rederive", help="Derive the entries again from the topics, and compare them with the journal."),
    ] = False,
    resume: Annotated[
        Path | None,
        typer.Option(help="With --rederive: directory that keeps the state of the run, so that it can be resumed."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Verify the journals: hashes, links, sums, heads, signed checkpoints.

    Reads every entry of every shard. Each signed checkpoint in PITLEDGER_CHECKPOINT_DIRECTORY is verified with the keys
    in PITLEDGER_CHECKPOINT_VERIFIERS_FILE or, without that file, with the public half of the signing key. The journal
    must still begin with exactly the signed entries, and each shard must match its service's seal. Exit code 1 if a
    problem is found, if a checkpoint is missing, or if no checkpoints are configured and --rows-only is not given.

    If witnesses are named by --witness or PITLEDGER_WITNESSES_FILE, a checkpoint counts only with cosignatures of
    --witnesses (else PITLEDGER_WITNESSES_REQUIRED) of them.

    With --rederive, every event on the topics is settled again under the rules and documents then in effect. Entries,
    amounts and order must match the journal. This detects an added entry even if its hash and signature are valid.

    Example: pitledger verify
    Example: pitledger verify --checkpoints /mnt/checkpoints --key verifiers.txt
    Example: pitledger verify --witness witnesses.txt --witnesses 2
    Example: pitledger verify --rederive --resume /var/lib/pitledger/rederived
    """
    if resume is not None and not again:
        raise UsageWrong("--resume is of --rederive: give both, or neither")
    found = settings()
    quorum = None if rows_only else quorum_of(found, witnesses or (), required)
    kept = None if rows_only else Kept.configured(found, checkpoints, keys or (), quorum)
    results: list[Result] = []
    with _progress() as progress:
        for service in services or NAMES:
            results.extend(_verify_service(service, kept, progress))
    _print(results, as_json=as_json)
    problems = sum(len(result.problems) for result in results)
    if again:
        from services.cli.books.rederive import (
            rederive_all,
        )  # with a Kafka client and services, which nothing else here needs

        with _progress() as progress:
            problems += rederive_all(services or NAMES, resume, progress, as_json=as_json)
    for line in _not_compared(results) if kept is not None else _NOTHING_COMPARED:
        message(f"pitledger: {line}")
    if problems:
        message(f"pitledger: {problems} problem{'s' if problems > 1 else ''} found; keep the database as it is")
    return ExitCode.NOT_AS_IT_SHOULD_BE if problems or (kept is None and not rows_only) else ExitCode.FINE


def _not_compared(results: Sequence[Result]) -> list[str]:
    """Return one line that counts the entries no checkpoint covers yet, or no line if there are none."""
    newer = [more for each in results if (more := each.entries - (each.signed or 0)) > 0]
    if not newer:
        return []
    entries = f"{sum(newer):,} entries of {len(newer)} shard{'s' if len(newer) > 1 else ''}"
    return [f"newer than the last signed checkpoint, so compared with chain and head alone: {entries}"]


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} entries"),
        TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def _verify_service(service: str, kept: Kept | None, progress: Progress) -> list[Result]:
    tables = journal_of(service)

    async def work(connection: AsyncConnection) -> list[Result]:
        if kept is None:
            return [
                await _verify_one(connection, service, shard, None, [], progress)
                for shard in await read_shards(connection, tables)
            ]
        # The order matters: a checkpoint is stored before the database lists it, and after the entries that it covers.
        in_database = await listed(connection, tables)
        signed = kept.of_service(service)
        seals = None if settings().message_authentication == "off" else kept.seals(service)
        results = []
        for shard in await read_shards(connection, tables):
            of_shard, notes = signed.pop(shard.name, Signed()), in_database.get(shard.name, {})
            more, forged = kept.listed(service, shard.name, notes)
            lost = await missing(connection, tables, shard, of_shard, notes.keys())
            result = await _verify_one(connection, service, shard, of_shard, [*forged, *lost], progress, seals, more)
            results.append(result)
        return [*results, *(_vanished(service, name, left) for name, left in signed.items())]

    return with_connection(service, work)


async def _verify_one(
    connection: AsyncConnection,
    service: str,
    shard: Shard,
    signed: Signed | None,
    lost: Sequence[VerificationProblem],
    progress: Progress,
    seals: Seals | None = None,
    listed: Sequence[Checkpoint] = (),
) -> Result:
    reached = Verified(shard.name)
    task = progress.add_task(f"{service} {shard.name}", total=shard.next_seq - 1)
    watching = asyncio.create_task(_watch(progress, task, reached))
    compared = Signed() if signed is None else signed
    wanted = [*compared.checkpoints, *(one for one in listed if one.size not in compared.sizes)]
    found = verify_shard(connection, journal_of(service), shard, reached, wanted, seals=seals)
    problems = [*[problem async for problem in found], *compared.problems, *lost]
    watching.cancel()
    progress.remove_task(task)
    opened, covered = (None, None) if signed is None else (len(signed.checkpoints), min(signed.entries, reached.seq))
    counts = reached.seq, reached.postings, shard.head
    return Result(service, shard.shard, shard.name, *counts, opened, covered, problems)


def _vanished(service: str, name: str, signed: Signed) -> Result:
    """Return the result for a shard that has signed checkpoints but is missing from the database."""
    gone = VerificationProblem(name, 0, "there are signed checkpoints of this shard, but the database does not have it")
    return Result(service, 0, name, 0, 0, b"", len(signed.checkpoints), 0, [gone, *signed.problems])


async def _watch(progress: Progress, task: TaskID, reached: Verified) -> None:
    """Show the progress of a verification until cancelled."""
    while True:
        progress.update(task, completed=reached.seq)
        await asyncio.sleep(_PROGRESS_SECONDS)


def _print(results: Sequence[Result], *, as_json: bool) -> None:
    if as_json:
        for result in results:
            print_json(result.as_document())
        return
    compared = any(result.signed is not None for result in results)
    counted = ("Entries", "Signed", "Postings") if compared else ("Entries", "Postings")
    good = "good" if compared else "rows only"

    def figures(counted_results: Sequence[Result], head: str) -> list[str]:
        counts = [sum(getattr(each, name.lower()) or 0 for each in counted_results) for name in counted]
        wrong = sum(len(each.problems) for each in counted_results)
        return [*(f"{count:,}" for count in counts), head, f"{wrong} wrong" if wrong else good]

    rows = [
        [each.service, str(each.number or ""), each.shard, *figures([each], each.head.hex()[:_SHORT_HASH])]
        for each in results
        if each.entries or each.problems
    ]
    empty = len(results) - len(rows)
    columns = names("Service") + numbers("#") + names("Shard") + numbers(*counted) + names("Head", "Verified")
    show(table(columns, [*rows, ["", "", "all", *figures(results, "")]], footer=True))
    if empty:
        print_line(f"{empty} more shard{'s' if empty > 1 else ''} without entries")
    for result in results:
        for problem in result.problems:
            print_line(f"{result.service} {problem.shard}, entry {problem.seq}: {problem.what}")
