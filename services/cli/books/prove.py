"""`pitledger prove`: export an entry's inclusion proof as one file that outsiders can verify."""

from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.books.checkpoint_sources import latest_note, witnesses_of
from services.cli.database import journal_of, with_connection
from services.cli.environment import settings
from services.cli.exits import CheckFailed, NotFound
from services.cli.operations.keys import Required, Witnesses, quorum_of
from services.cli.output import message
from services.cli.services import SETTLEMENT, service_option
from shared.journal.checkpoint import checkpoint_origin, read_unverified
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.merkle import EvidenceError
from shared.journal.proof_builder import prove_entry
from shared.journal.reading import read_entry
from shared.journal.shard import Shard
from shared.journal.signed_note import CheckpointError
from shared.journal.verification import read_shards


def prove(
    shard: Annotated[
        str, typer.Argument(help="Name or number of the journal's shard, as `pitledger verify` lists it.")
    ],
    seq: Annotated[int, typer.Argument(min=1, help="Sequence number of the entry in its shard.")],
    checkpoints: Annotated[Path, typer.Option(help="Directory of signed checkpoints.")],
    service: Annotated[str, service_option("Service whose journal has the entry.")] = SETTLEMENT,
    witnesses: Witnesses = None,
    required: Required = None,
    output: Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="No effect: the output is always JSON.")] = True,
) -> None:
    """Export the inclusion proof of an entry.

    The document holds the entry, its path in the Merkle tree, and the latest signed checkpoint (with witnesses, the
    latest with enough cosignatures). The document can be verified without the database or Pitledger's services: see
    `pitledger verify-proof`.

    Example: pitledger prove 3 41 --checkpoints /mnt/checkpoints > entry-41.json
    """
    del as_json
    quorum = witnesses_of(service, quorum_of(settings(), witnesses or (), required))

    async def work(connection: AsyncConnection) -> str:
        tables = journal_of(service)
        found = _find(await read_shards(connection, tables), shard, service)
        origin = checkpoint_origin(service, found.name)
        try:
            note = latest_note(DirectoryStore(checkpoints), origin, quorum)
        except CheckpointError as error:
            raise CheckFailed(str(error)) from error
        size = 0 if note is None else read_unverified(note).size
        if note is None or size < seq:
            covered = "there is none" if note is None else f"the latest covers {size} entries"
            raise NotFound(f"{checkpoints}: no checkpoint of {origin} covers entry {seq}: {covered}; wait for the next")
        try:
            entry = await read_entry(connection, tables, found.shard, seq)
        except LookupError as error:
            raise CheckFailed(f"{error}, though it was signed; run: pitledger verify") from error
        try:
            return await prove_entry(connection, tables, entry, shard_name=found.name, size=size, note=note)
        except EvidenceError as error:
            raise CheckFailed(f"entry {seq} of {origin} cannot be proven: {error}; run: pitledger verify") from error

    document = with_connection(service, work)
    if output is None:
        typer.echo(document)
    else:
        output.write_text(document + "\n")
        message(f"wrote {output}")


def _find(shards: list[Shard], wanted: str, service: str) -> Shard:
    for shard in shards:
        if wanted in (shard.name, str(shard.shard)):
            return shard
    known = ", ".join(f"{shard.shard} ({shard.name})" for shard in shards) or "none"
    raise NotFound(f"{service} has no shard {wanted!r}; there are: {known}")
