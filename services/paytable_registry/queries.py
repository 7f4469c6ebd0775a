"""Reads the versions of rules submissions."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain.versions import History, SubmissionVersion
from services.paytable_registry.tables import submissions
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.command.versions import document_of

VersionKey = tuple[str, str, int]
"""(property, game, version)"""


async def history(connection: AsyncConnection, property_name: str, game: str) -> History:
    """Return what has been filed and approved for a property and game."""
    c = submissions.c
    query = select(c.effective_from, c.status).where(c.property == property_name, c.game == game)
    rows = (await connection.execute(query)).all()
    return History(len(rows), [row.effective_from for row in rows if row.status == "approved"])


async def find(connection: AsyncConnection, property_name: str, game: str, version: int) -> SubmissionVersion:
    """Return a version. Raises: Rejected where there is none of that name."""
    c = submissions.c
    query = select(submissions).where(c.property == property_name, c.game == game, c.version == version)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise Rejected(Reason.NOT_FOUND, f"there is no version {version} of {game} at {property_name}")
    return _version(row)


async def versions(
    connection: AsyncConnection,
    *,
    property_name: str | None = None,
    game: str | None = None,
    after: VersionKey | None = None,
    limit: int | None = None,
) -> Sequence[SubmissionVersion]:
    """Return versions in the order of their names, from the one behind `after` on."""
    c = submissions.c
    query = select(submissions).order_by(c.property, c.game, c.version).limit(limit)
    if property_name is not None:
        query = query.where(c.property == property_name)
    if game is not None:
        query = query.where(c.game == game)
    if after is not None:
        query = query.where(tuple_(c.property, c.game, c.version) > tuple_(*after))
    return [_version(row) for row in await connection.execute(query)]


def _version(row: Row[Any]) -> SubmissionVersion:
    return SubmissionVersion.model_validate(document_of(row))
