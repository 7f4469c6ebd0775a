"""`pitledger export`: export a journal, or the entries of a gaming day, for independent verification."""

import base64
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import IO, Annotated, Any, Final

import typer
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.books.checkpoint_sources import latest_note, witnesses_of
from services.cli.database import journal_of, with_connection
from services.cli.environment import settings
from services.cli.exits import CheckFailed, InputRefused, NotFound, UsageWrong
from services.cli.operations.keys import Required, Witnesses, quorum_of
from services.cli.output import message
from services.cli.services import SETTLEMENT, service_option
from shared.journal.checkpoint import Checkpoint, checkpoint_origin, read_unverified
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.cosignature import Quorum
from shared.journal.entry import Entry
from shared.journal.merkle import Tree
from shared.journal.reading import read_entries, read_places
from shared.journal.shard import Shard
from shared.journal.signed_note import CheckpointError
from shared.journal.tables import JournalTables
from shared.journal.verification import read_shards

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def export(
    checkpoints: Annotated[
        Path | None, typer.Option(help="Directory of signed checkpoints (default: PITLEDGER_CHECKPOINT_DIRECTORY).")
    ] = None,
    service: Annotated[str, service_option("Service whose journal is exported.")] = SETTLEMENT,
    day: Annotated[
        str | None, typer.Option(help="Only this gaming day, YYYY-MM-DD, each entry with its proof.")
    ] = None,
    property_id: Annotated[str | None, typer.Option("--property", help="With --day: only this property.")] = None,
    witnesses: Witnesses = None,
    required: Required = None,
    output: Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="No effect: the output is always JSON Lines.")] = True,
) -> None:
    """Export the signed part of a journal, or of a gaming day, for the stand-alone verifier.

    Writes JSON Lines: each entry with all fields from which infra/verifier.py computes its hash, and the latest signed
    checkpoint of each shard (with witnesses, the latest with enough cosignatures). The export of a journal proves that
    no entry is missing; the export of a day proves only that its entries are in the journal.

    Example: pitledger export --checkpoints /mnt/checkpoints --output journal.jsonl
    Example: pitledger export --checkpoints /mnt/checkpoints --day 2026-11-20 --property bedrock > day.jsonl
    """
    del as_json
    found = settings()
    directory = checkpoints or found.checkpoint_directory
    if directory is None or not directory.is_dir():
        raise UsageWrong("where are the signed checkpoints? give --checkpoints, or PITLEDGER_CHECKPOINT_DIRECTORY")
    if property_id is not None and day is None:
        raise UsageWrong("--property is of --day: give both, or neither")
    quorum = witnesses_of(service, quorum_of(found, witnesses or (), required))
    wanted = None if day is None else _date(day)

    async def work(connection: AsyncConnection) -> int:
        tables = journal_of(service)
        shards = await _signed(connection, tables, service, DirectoryStore(directory), quorum)
        opened: Any = nullcontext(sys.stdout) if output is None else output.open("w", encoding="utf-8", newline="\n")
        with opened as file:
            form = "pitledger-journal-v1" if wanted is None else "pitledger-day-v1"
            head = {"format": form, "service": service, "logs": len(shards)}
            if wanted is not None:
                head |= {"gaming_day": wanted.isoformat(), "property": property_id}
            _write(file, head)
            written = 0
            for shard, note in shards:
                checkpoint = read_unverified(note)
                if wanted is None:
                    _write(file, {"shard": shard.name, "entries": checkpoint.size, "checkpoint": note})
                    async for entry in read_entries(connection, tables, shard.shard, last=checkpoint.size):
                        _write(file, fields_of(entry))
                        written += 1
                    continue
                proven = [each async for each in _proven(connection, tables, shard, checkpoint, wanted, property_id)]
                _write(file, {"shard": shard.name, "entries": len(proven), "checkpoint": note})
                for each in proven:
                    _write(file, each)
                written += len(proven)
        return written

    try:
        written = with_connection(service, work)
    except OSError as error:
        raise InputRefused(f"{output}: {error.strerror}") from error
    message(f"exported {written:,} entries of {service}")


def fields_of(entry: Entry) -> dict[str, Any]:
    """Return all fields of an entry that its hash covers, except the previous hash."""
    draft = entry.draft
    return {
        "seq": entry.seq,
        "kind": draft.kind,
        "source": draft.source,
        "sequence": draft.sequence,
        "event_id": draft.event_id,
        "offset": draft.offset,
        "record_hash": None if draft.record_hash is None else draft.record_hash.hex(),
        "gaming_day": None if draft.gaming_day is None else draft.gaming_day.isoformat(),
        "occurred_at_us": (draft.occurred_at - _EPOCH) // _MICROSECOND,
        "recorded_at_us": (entry.recorded_at - _EPOCH) // _MICROSECOND,
        "data": draft.data.decode(),
        "postings": [[*posting.account, posting.cents] for posting in draft.postings],
    }


async def _signed(
    connection: AsyncConnection, tables: JournalTables, service: str, store: DirectoryStore, quorum: Quorum | None
) -> list[tuple[Shard, str]]:
    """Return the shards with entries, each with its latest checkpoint. Raises: NotFound, CheckFailed."""
    signed: list[tuple[Shard, str]] = []
    for shard in await read_shards(connection, tables):
        origin = checkpoint_origin(service, shard.name)
        try:
            note = latest_note(store, origin, quorum)
        except CheckpointError as error:
            raise CheckFailed(str(error)) from error
        if note is not None:
            newer = shard.next_seq - 1 - read_unverified(note).size
            if newer < 0:
                raise CheckFailed(f"{origin}: more entries were signed than there are; run: pitledger verify")
            if newer:
                message(f"{origin}: {newer:,} entries are newer than its checkpoint, and not exported")
            signed.append((shard, note))
        elif shard.next_seq > 1:
            raise NotFound(f"{store.path}: {origin} has no checkpoint that counts; wait for the next")
    return signed


async def _proven(
    connection: AsyncConnection,
    tables: JournalTables,
    shard: Shard,
    checkpoint: Checkpoint,
    day: date,
    property_id: str | None,
) -> AsyncIterator[dict[str, Any]]:
    """Yield the entries of a day that a checkpoint covers, each with its inclusion path."""
    e = tables.entries.c
    covered = select(e.seq).where(e.shard == shard.shard, e.gaming_day == day, e.seq <= checkpoint.size)
    places = [(shard.shard, seq) for seq in (await connection.scalars(covered)).all()]
    if not places:
        return
    leaves: Sequence[bytes] = (
        await connection.scalars(select(e.hash).where(e.shard == shard.shard, e.seq <= checkpoint.size).order_by(e.seq))
    ).all()
    tree = Tree.of(leaves)
    async for _, entry in read_places(connection, tables, places):
        if property_id is None or _is_of(entry, property_id):
            path = [base64.b64encode(node).decode() for node in tree.path(entry.seq - 1)]
            yield fields_of(entry) | {"previous": entry.previous.hex(), "path": path}


def _is_of(entry: Entry, property_id: str) -> bool:
    """Return whether an entry belongs to a property, judged by its accounts, its source, or its data."""
    draft = entry.draft
    if any(posting.account.property == property_id for posting in draft.postings):
        return True
    if f"{draft.source}/".startswith(f"/properties/{property_id}/"):
        return True
    data = json.loads(draft.data)
    return isinstance(data, dict) and data.get("property") == property_id


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageWrong(f"--day {text!r}: write YYYY-MM-DD") from error


def _write(file: IO[str], document: dict[str, Any]) -> None:
    file.write(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n")
