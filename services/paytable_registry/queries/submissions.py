"""Read the versions of rules submissions."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain.exports import SubmissionsExport
from services.paytable_registry.domain.submissions import (
    SubmissionHistory,
    SubmissionShown,
    SubmissionStanding,
    SubmissionVersion,
    shown,
)
from services.paytable_registry.tables import journal, submissions
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import ByTable
from shared.journal.merkle import EvidenceError
from shared.journal.proof import ProofDocument
from shared.journal.proof_builder import covering_checkpoint, prove_entry
from shared.journal.reading import read_entry
from shared.journal.verification import read_shards
from shared.runtime.commands.version_rows import document_of
from shared.runtime.rows import find_row, rows_of


async def history(connection: AsyncConnection, property_name: str, game: str) -> SubmissionHistory:
    """Return the history of a property's submission for a game."""
    query = rows_of(submissions, property=property_name, game=game).with_only_columns(func.count())
    count = (await connection.execute(query)).scalar_one()
    return SubmissionHistory(count, await approved(connection, property=property_name, game=game))


async def find(connection: AsyncConnection, property_name: str, game: str, version: int) -> SubmissionVersion:
    """Return a version of a submission. Raises: Rejected if there is no such version."""
    missing = f"there is no version {version} of {game} at {property_name}"
    return version_of(
        await find_row(connection, submissions, missing, property=property_name, game=game, version=version)
    )


async def approved(connection: AsyncConnection, **values: str) -> Sequence[SubmissionVersion]:
    """Return the approved versions of submissions; `values` filter by column, such as property and game."""
    query = rows_of(submissions, **values, status="approved")
    return [version_of(row) for row in await connection.execute(query)]


async def seen(
    connection: AsyncConnection, versions: Iterable[SubmissionVersion], at: datetime
) -> list[SubmissionShown]:
    """Return versions for display, with their phases at a moment."""
    listed = list(versions)
    c = submissions.c
    named = sorted({(version.property, version.game) for version in listed})
    query = rows_of(submissions, status="approved").where(tuple_(c.property, c.game).in_(named))
    by_table = ByTable(version_of(row) for row in await connection.execute(query))
    return [shown(version, by_table, at) for version in listed]


def version_of(row: Row[Any]) -> SubmissionVersion:
    """Return a version with its status, from its row."""
    return SubmissionVersion.model_validate(document_of(row, SubmissionStanding))


async def export(connection: AsyncConnection, property_name: str, game: str) -> SubmissionsExport:
    """Return the facts about a submission, each proven under the first checkpoint that covers all facts of its shard.

    Raises: Rejected if the submission has no facts, if no checkpoint covers the last of them yet, or if the journal
    contradicts them.
    """
    e = journal.entries.c
    about = e.source.startswith(f"/properties/{property_name}/games/{game}/submissions/", autoescape=True)
    query = select(e.shard, e.seq).where(about, e.kind.startswith("submission.")).order_by(e.shard, e.seq)
    places = (await connection.execute(query)).all()
    if not places:
        raise Rejected(Reason.NOT_FOUND, f"nothing was ever filed for {game} at {property_name}")
    names = {shard.shard: shard.name for shard in await read_shards(connection, journal)}
    last = {place.shard: place.seq for place in places}
    covering = {shard: await covering_checkpoint(connection, journal, shard, seq) for shard, seq in last.items()}
    proofs = []
    for shard, seq in places:
        found = covering[shard]
        if found is None:
            raise Rejected(Reason.TOO_EARLY, f"no checkpoint covers entry {last[shard]} of shard {shard} yet")
        size, note = found
        entry = await read_entry(connection, journal, shard, seq)
        try:
            proof = await prove_entry(connection, journal, entry, shard_name=names[shard], size=size, note=note)
        except EvidenceError as error:
            detail = f"entry {seq} of shard {shard} cannot be proven: {error}; run: pitledger verify"
            raise Rejected(Reason.CONTRADICTS, detail) from error
        proofs.append(ProofDocument.model_validate_json(proof))
    return SubmissionsExport(property=property_name, game=game, proofs=tuple(proofs))
