"""Read the versions of rules submissions."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain.history import History
from services.paytable_registry.domain.submissions import SubmissionVersion
from services.paytable_registry.tables import submissions
from shared.runtime.command.versions import document_of
from shared.runtime.rows import find_row, rows_of


async def history(connection: AsyncConnection, property_name: str, game: str) -> History:
    """Return what has been filed and approved for a property and game."""
    c = submissions.c
    query = rows_of(submissions, property=property_name, game=game).with_only_columns(c.effective_from, c.status)
    rows = (await connection.execute(query)).all()
    return History(len(rows), [row.effective_from for row in rows if row.status == "approved"])


async def find(connection: AsyncConnection, property_name: str, game: str, version: int) -> SubmissionVersion:
    """Return a version. Raises: Rejected where there is none of that name."""
    missing = f"there is no version {version} of {game} at {property_name}"
    return version_of(
        await find_row(connection, submissions, missing, property=property_name, game=game, version=version)
    )


async def approved(connection: AsyncConnection, property_name: str, game: str) -> Sequence[SubmissionVersion]:
    """Return the approved versions of a submission."""
    query = rows_of(submissions, property=property_name, game=game, status="approved")
    return [version_of(row) for row in await connection.execute(query)]


def version_of(row: Row[Any]) -> SubmissionVersion:
    """Return a version as it stands, from its row."""
    return SubmissionVersion.model_validate(document_of(row))
