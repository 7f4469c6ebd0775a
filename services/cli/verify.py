"""`pitledger verify`: the journals, from their rows alone and against the signed checkpoints."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.database import journal_of, with_connection
from services.cli.exits import ExitCode, UsageWrong
from services.cli.keys import Keys, read_verifiers
from services.cli.output import AsJson, console, message, names, numbers, print_json, print_line, show, table
from services.cli.services import NAMES, service_option
from shared.journal.checkpoint import Checkpoint, checkpoint_origin, open_note
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.ledger import Shard
from shared.journal.signed_note import CheckpointError, Verifier
from shared.journal.verification import Problem, Verified, read_shards, verify_shard

_SHORT_HASH = 16
_PROGRESS_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Result:
    """A shard as it was verified. `number` is 0 where the database does not have it.

    `checkpoints` counts those whose signature and root were compared.
    """

    service: str
    number: int
    shard: str
    entries: int
    postings: int
    head: bytes
    checkpoints: int
    problems: Sequence[Problem]

    def as_document(self) -> dict[str, Any]:
        """Return the result as JSON."""
        problems = [{"entry": problem.seq, "what": problem.what} for problem in self.problems]
        return asdict(self) | {"head": self.head.hex(), "problems": problems}


@dataclass(frozen=True, slots=True)
class Signed:
    """The signed checkpoints of one shard that could be opened, and what is wrong with the others."""

    checkpoints: list[Checkpoint] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def verify(
    services: Annotated[list[str] | None, service_option("Only this service; may be repeated.")] = None,
    checkpoints: Annotated[
        Path | None, typer.Option(help="Directory of signed checkpoints to compare with; needs --key.")
    ] = None,
    keys: Keys = None,
    as_json: AsJson = False,
) -> int:
    """Verify the journals: hashes, links, sums, heads, signed checkpoints.

    Reads every entry of every shard. With --checkpoints, each checkpoint's signature is verified with the key, and the
    journal must still begin with exactly the entries that were signed. Exit code 1 when a problem is found.

    Example: pitledger verify
    Example: pitledger verify --checkpoints /mnt/checkpoints --key verifiers.txt
    """
    if (checkpoints is None) != (not keys):
        raise UsageWrong("--checkpoints and --key belong together: give both, or neither")
    if checkpoints is not None and not checkpoints.is_dir():
        raise UsageWrong(f"--checkpoints {checkpoints}: there is no such directory")
    verifiers = read_verifiers(keys or ())
    results: list[Result] = []
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} entries"),
        TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with progress:
        for service in services or NAMES:
            # The checkpoints are read first: one that is signed meanwhile would cover entries not yet read.
            signed = {} if checkpoints is None else read_signed(service, DirectoryStore(checkpoints), verifiers)
            results.extend(_verify_service(service, signed, progress))
    _print(results, as_json=as_json, compared=checkpoints is not None)
    problems = sum(len(result.problems) for result in results)
    if problems:
        message(f"pitledger: {problems} problem{'s' if problems > 1 else ''} found; keep the database as it is")
        return ExitCode.NOT_AS_IT_SHOULD_BE
    return ExitCode.FINE


def read_signed(service: str, store: DirectoryStore, verifiers: Sequence[Verifier]) -> dict[str, Signed]:
    """Return the signed checkpoints of a service's shards, by the shard's name."""
    prefix = checkpoint_origin(service, "")
    found: dict[str, Signed] = {}
    for origin in store.origins():
        if not origin.startswith(prefix):
            continue
        name = origin.removeprefix(prefix)
        signed = found[name] = Signed()
        for size in store.sizes(origin):
            try:
                signed.checkpoints.append(open_note(store.load(origin, size), verifiers))
            except CheckpointError as error:
                signed.problems.append(Problem(name, size, f"its checkpoint cannot be relied on: {error}"))
    return found


def _verify_service(service: str, signed: dict[str, Signed], progress: Progress) -> list[Result]:
    async def work(connection: AsyncConnection) -> list[Result]:
        shards = await read_shards(connection, journal_of(service))
        return [
            await _verify_one(connection, service, shard, signed.pop(shard.name, Signed()), progress)
            for shard in shards
        ]

    return [*with_connection(service, work), *(_vanished(service, name, left) for name, left in signed.items())]


async def _verify_one(
    connection: AsyncConnection, service: str, shard: Shard, signed: Signed, progress: Progress
) -> Result:
    reached = Verified(shard.name)
    task = progress.add_task(f"{service} {shard.name}", total=shard.next_seq - 1)
    watching = asyncio.create_task(_watch(progress, task, reached))
    found = verify_shard(connection, journal_of(service), shard, reached, signed.checkpoints)
    problems = [*[problem async for problem in found], *signed.problems]
    watching.cancel()
    progress.remove_task(task)
    counts = reached.seq, reached.postings, shard.head, len(signed.checkpoints)
    return Result(service, shard.shard, shard.name, *counts, problems)


def _vanished(service: str, name: str, signed: Signed) -> Result:
    """Return the result of a shard of which there are checkpoints but nothing else."""
    gone = Problem(name, 0, "there are signed checkpoints of this shard, but the database does not have it")
    return Result(service, 0, name, 0, 0, b"", len(signed.checkpoints), [gone, *signed.problems])


async def _watch(progress: Progress, task: TaskID, reached: Verified) -> None:
    """Show how far a verification is, until it is cancelled."""
    while True:
        progress.update(task, completed=reached.seq)
        await asyncio.sleep(_PROGRESS_SECONDS)


def _print(results: Sequence[Result], *, as_json: bool, compared: bool) -> None:
    if as_json:
        for result in results:
            print_json(result.as_document())
        return
    counted = ("Entries", "Postings", "Checkpoints") if compared else ("Entries", "Postings")

    def figures(counted_results: Sequence[Result], head: str) -> list[str]:
        counts = [sum(getattr(each, name.lower()) for each in counted_results) for name in counted]
        wrong = sum(len(each.problems) for each in counted_results)
        return [*(f"{count:,}" for count in counts), head, f"{wrong} wrong" if wrong else "good"]

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
