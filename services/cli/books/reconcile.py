"""`pitledger reconcile`: compare the journals with what was signed and published, after a restore."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from confluent_kafka import KafkaException
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.books.checkpoint_sources import Kept, listed
from services.cli.database import journal_of, with_connection
from services.cli.environment import settings
from services.cli.exits import ExitCode, NotFound, UsageWrong
from services.cli.operations.keys import Keys
from services.cli.output import AsJson, message, names, numbers, print_json, print_line, show, table, words
from services.cli.services import NAMES, load, service_option
from shared.journal.checkpoint import checkpoint_origin
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.signed_batch import BatchVerifier
from shared.journal.verification import read_shards
from shared.runtime.audit.outside_evidence import PartitionKey, write_floors
from shared.runtime.errors import FatalServiceError
from shared.runtime.rederivation.published_entries import (
    Published,
    Reconciled,
    Reconciliation,
    read_published,
    whole_topics,
)
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.signing_keys import message_verifier
from shared.runtime.settings import Settings


def reconcile(
    services: Annotated[list[str] | None, service_option("Only this service; may be repeated.")] = None,
    checkpoints: Annotated[
        Path | None, typer.Option(help="Directory of signed checkpoints (default: PITLEDGER_CHECKPOINT_DIRECTORY).")
    ] = None,
    keys: Keys = None,
    still_held: Annotated[
        Path | None,
        typer.Option(
            help="New directory for the checkpoints that the journals still cover and a record of the lost entries; "
            "services that use it accept commands again."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Report entries that were signed or published but are missing from a restored database.

    Run this command before the services are started: it lists each published entry that is missing from the journal,
    and states for each shard whether the service will record these entries again from its topic, or people must enter
    them again. Run it once more after the services have caught up: it then compares each entry that was recorded again
    with the published entry. Nothing is written to the database or the topics. Exit code 1 while entries are lost, have
    other content, or were signed but are missing.

    Example: pitledger reconcile
    Example: pitledger reconcile --service round-settlement --checkpoints /mnt/checkpoints --key verifiers.txt
    """
    found = settings()
    kept = Kept.configured(found, checkpoints, keys or ())
    if still_held is not None and (kept is None or still_held.exists()):
        raise UsageWrong(
            f"--still-held {still_held}: names a directory that is not there yet, and goes with checkpoints"
        )
    wrong = 0
    for service in services or NAMES:
        manifest = load(service)
        signed = {} if kept is None else {name: one.entries for name, one in kept.of_service(service).items()}
        shards, ends, strange = _reconcile(manifest, found, _verifier(found, manifest))
        if kept is not None and still_held is not None:
            _copy(service, shards, kept, still_held)
            write_floors(still_held, service, ends)
        for name in signed.keys() - {one.name for one in shards}:
            shards.append(Reconciled(0, name, 0))
        wrong += _print(service, shards, signed, as_json=as_json)
        for line in strange:
            message(f"pitledger: {line}")
    if kept is None:
        message("pitledger: NOT COMPARED with signed checkpoints; set PITLEDGER_CHECKPOINT_DIRECTORY")
    return ExitCode.NOT_AS_IT_SHOULD_BE if wrong else ExitCode.FINE


def _copy(service: str, shards: Sequence[Reconciled], kept: Kept, still_held: Path) -> None:
    """Copy the checkpoints that the restored journal covers, for `pitledger verify` to compare their roots.

    Superseded checkpoints, which are no longer in the directory, are copied from the database.
    """
    tables = journal_of(service)
    in_database = with_connection(service, lambda connection: listed(connection, tables))
    source, target = DirectoryStore(kept.directory), DirectoryStore(still_held)
    for one in shards:
        if one.name:
            of_database, _ = kept.listed(service, one.name, in_database.get(one.name, {}))
            notes = [in_database[one.name][checkpoint.size] for checkpoint in of_database]
            source.copy(checkpoint_origin(service, one.name), target, notes, up_to=one.entries)


def _verifier(found: Settings, manifest: Manifest) -> BatchVerifier | None:
    try:
        verifier = message_verifier(found, manifest.published, manifest.name)
    except FatalServiceError:
        verifier = None
    if verifier is None:
        message(f"pitledger: NOT VERIFIED, for there are no public keys here: whether {manifest.name} wrote its topics")
    return verifier


def _reconcile(
    manifest: Manifest, found: Settings, verifier: BatchVerifier | None
) -> tuple[list[Reconciled], dict[PartitionKey, int], list[str]]:
    """Compare a service's shards with its topics; return results, next offsets, and a message per malformed record."""
    strange: list[str] = []

    async def work(connection: AsyncConnection) -> tuple[list[Reconciled], dict[PartitionKey, int]]:
        compared = Reconciliation(manifest.journal, await read_shards(connection, manifest.journal))
        for records in whole_topics(found, [topic.name for topic in manifest.published]):
            compared.read(records)
            read = list(read_published(manifest.name, records, verifier))
            strange.extend(one for one in read if isinstance(one, str))
            await compared.add(connection, [one for one in read if isinstance(one, Published)])
        return sorted(compared.shards.values(), key=lambda one: one.number), compared.ends

    try:
        return *with_connection(manifest.name, work), strange
    except (ConnectionError, KafkaException, FatalServiceError) as error:
        raise NotFound(f"{error}; KAFKA_BOOTSTRAP_SERVERS says where the topics are") from error


def _print(service: str, shards: Sequence[Reconciled], signed: dict[str, int], *, as_json: bool) -> int:
    """Print the result of each shard, and return the number of shards with problems."""
    wrong = 0
    rows: list[list[str]] = []
    for one in shards:
        covered = signed.get(one.name, 0)
        bad = bool(one.lost or one.other or covered > one.entries)
        wrong += bad
        if as_json:
            parts = {
                name: [asdict(each) for each in getattr(one, name).values()] for name in ("lost", "again", "other")
            }
            print_json(
                {"service": service, "number": one.number, "shard": one.name, "entries": one.entries}
                | {"signed": covered, "published": one.published, "advice": _advice(one, covered), **parts}
            )
            continue
        if bad or one.again:
            counts = (one.entries, covered, one.published, len(one.lost), len(one.again), len(one.other))
            rows.append(
                [service, one.name or f"number {one.number}", *map("{:,}".format, counts), _advice(one, covered)]
            )
    if rows:
        counted = numbers("Entries", "Signed", "Published", "Lost", "Again", "Other")
        show(table(names("Service", "Shard") + counted + words("What to do"), rows))
        for one in shards:
            for title, entries in (("lost", one.lost), ("other content", one.other)):
                for seq in sorted(entries):
                    print_line(f"{service} {one.name or one.number}, {title}: {entries[seq]}")
    elif not as_json:
        print_line(f"{service}: nothing is lost")
    return wrong


def _advice(one: Reconciled, covered: int) -> str:
    if one.other:
        return "the journal went another way than what was published: an incident, see the runbook"
    if one.lost and one.follows:
        return "start the service: it reads its topic on and records them again, with other hashes"
    if one.lost and one.name:
        return "commands of people: have them entered again from the list"
    if one.lost:
        return "the shard is younger than the backup: it follows again where its topic is read, else enter it again"
    if covered > one.entries:
        return "entries were signed and are neither here nor published: an incident, see the runbook"
    return "recorded again with the same content" if one.again else "nothing"
