"""The part of `pitledger verify` that re-derives journals from their topics."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.progress import Progress, TaskID
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.database import with_connection
from services.cli.environment import settings
from services.cli.exits import NotFound, UsageWrong
from services.cli.output import heading, message, names, numbers, print_json, print_line, show, table
from services.cli.services import load
from shared.journal.reading import Pacing
from shared.journal.shard import Shard
from shared.journal.signed_batch import BatchVerifier
from shared.journal.verification import VerificationProblem
from shared.runtime.errors import FatalServiceError
from shared.runtime.rederivation.derivation import DerivationPosition
from shared.runtime.rederivation.independent_reader import Records
from shared.runtime.rederivation.journal_rederivation import rederive
from shared.runtime.rederivation.replay_state import Busy, ReplayState
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.signing_keys import message_verifier
from shared.runtime.service.site_packs import load_site_packs
from shared.runtime.settings import Settings


def rederive_all(services: Sequence[str], resume: Path | None, progress: Progress, *, as_json: bool) -> int:
    """Re-derive the journals of these services, print the results, and return the number of problems.

    `resume` is a directory with the state of earlier runs, one file per service; without it, derivation starts at the
    first record. Raises: NotFound if the topics cannot be read, UsageWrong if the directory cannot be used.
    """
    found = settings()
    load_site_packs(found)
    derived: list[DerivationPosition] = []
    problems: list[tuple[str, VerificationProblem]] = []
    without: list[str] = []
    for service in services:
        manifest = load(service)
        if manifest.rederived is None:
            without.append(service)
            continue
        try:
            verifier = _verifier(found, manifest)
            with Records(found) as records, _memory(resume, service) as memory:
                reached, wrong = _rederive(manifest, records, memory, verifier, progress)
        except ConnectionError as error:
            raise NotFound(f"{error}; KAFKA_BOOTSTRAP_SERVERS says where the topics are") from error
        except Busy as error:
            raise UsageWrong(f"--resume {resume}: {error}; another process derives with it") from error
        derived += reached
        problems += [(service, problem) for problem in wrong]
    _print(derived, problems, as_json=as_json)
    if without:
        message(f"pitledger: NOT DERIVED AGAIN, for commands lead to some of their entries: {', '.join(without)}")
    return len(problems)


def _memory(resume: Path | None, service: str) -> ReplayState:
    if resume is None:
        return ReplayState()
    resume.mkdir(parents=True, exist_ok=True)
    return ReplayState(resume / f"{service}.rederived")


def _verifier(found: Settings, manifest: Manifest) -> BatchVerifier | None:
    """Return the verifier of replayed records; without keys, warn that they are not verified."""
    try:
        verifier = message_verifier(found, manifest.reads, manifest.name)
    except FatalServiceError:
        verifier = None
    if verifier is None:
        message(
            f"pitledger: NOT VERIFIED, for {manifest.name} has no public keys of the services here: which records they "
            "sent again by the decision of two people; set PITLEDGER_CHECKPOINT_VERIFIERS_FILE"
        )
    return verifier


def _rederive(
    manifest: Manifest, records: Records, memory: ReplayState, verifier: BatchVerifier | None, progress: Progress
) -> tuple[list[DerivationPosition], list[VerificationProblem]]:
    assert manifest.rederived is not None
    agains = manifest.rederived()
    derived: list[DerivationPosition] = []
    tasks: list[TaskID] = []

    def begun(reached: DerivationPosition, shard: Shard) -> None:
        derived.append(reached)
        name = f"{manifest.name} {shard.name}, again"
        tasks.append(progress.add_task(name, total=shard.next_seq - 1, completed=reached.seq))

    async def step() -> None:
        for task, each in zip(tasks, derived, strict=True):
            progress.update(task, completed=each.seq)

    async def work(connection: AsyncConnection) -> list[VerificationProblem]:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        found = rederive(
            connection,
            manifest.journal,
            manifest.name,
            agains,
            records,
            memory,
            verifier=verifier,
            parts=Pacing(rest=step),
            begun=begun,
        )
        return [problem async for problem in found]

    problems = with_connection(manifest.name, work)
    for task in tasks:
        progress.remove_task(task)
    return derived, problems


def _print(
    derived: Sequence[DerivationPosition], problems: Sequence[tuple[str, VerificationProblem]], *, as_json: bool
) -> None:
    if as_json:
        for each in derived:
            print_json({"derived_again": asdict(each)})
        for service, problem in problems:
            print_json({"service": service, "shard": problem.shard, "entry": problem.seq, "what": problem.what})
        return
    rows = [
        [each.service, each.shard, f"{each.offset:,}", f"{each.entries:,}", f"{each.seq:,}", f"{each.by_database:,}"]
        for each in derived
        if each.seq
    ]
    columns = names("Service", "Shard") + numbers("Records read", "Entries", "Up to", "Refused by database")
    show(heading("Derived again from the topics"), table(columns, rows))
    for service, problem in problems:
        print_line(f"{service} {problem.shard}, entry {problem.seq}: {problem.what}")
