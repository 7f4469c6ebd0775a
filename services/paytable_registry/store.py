"""The versions of the submissions as a table: a projection of the journal, and how it is read."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Row, func, insert, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from services.paytable_registry.domain import FACTS, History, SubmissionVersion
from services.paytable_registry.tables import submissions
from shared.contracts.envelope import as_json
from shared.contracts.submissions import (
    SubmissionApprovalRefused,
    SubmissionApproved,
    SubmissionFiled,
    SubmissionRejected,
)
from shared.journal.entry import Entry


class Key(NamedTuple):
    """The name of a version."""

    property: str
    game: str
    version: int


async def project(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
    """Brings the table up to date with entries of the journal. From all of them in order it can be made anew."""
    for entry in entries:
        contract = FACTS.get(entry.draft.kind)
        if contract is None:
            continue  # a request that was refused at the door
        match contract.model_validate_json(entry.draft.data):
            case SubmissionApproved() as approved:
                await _decide(
                    connection,
                    Key(approved.property, approved.game, approved.version),
                    status="approved",
                    approved_by=approved.approved_by,
                    approved_at=approved.approved_at,
                )
            case SubmissionFiled() as filed:
                columns = ("property", "game", "version", "effective_from", "hash", "filed_by", "filed_at")
                values = {name: getattr(filed, name) for name in columns}
                await connection.execute(insert(submissions).values(**values, status="filed", document=as_json(filed)))
            case SubmissionRejected() as rejected:
                await _decide(
                    connection,
                    Key(rejected.property, rejected.game, rejected.version),
                    status="rejected",
                    rejected_by=rejected.rejected_by,
                    rejected_at=rejected.rejected_at,
                    rejection_reason=rejected.reason,
                )
            case SubmissionApprovalRefused():
                pass  # the version still waits for somebody else


async def _decide(connection: AsyncConnection, key: Key, **values: Any) -> None:
    done = await connection.execute(update(submissions).where(_is(key), submissions.c.status == "filed").values(values))
    assert done.rowcount == 1, f"{key} is not waiting for a decision"


async def history(connection: AsyncConnection, property_name: str, game: str) -> History:
    """What has been filed and approved for a property and game."""
    t = submissions
    of_game = (t.c.property == property_name, t.c.game == game)
    versions = (await connection.execute(select(func.count()).select_from(t).where(*of_game))).scalar_one()
    approved = await connection.execute(select(t.c.effective_from).where(*of_game, t.c.status == "approved"))
    return History(versions, tuple(approved.scalars()))


async def find(connection: AsyncConnection, key: Key) -> SubmissionVersion | None:
    """A version, if there is one of that name."""
    row = (await connection.execute(select(submissions).where(_is(key)))).one_or_none()
    return None if row is None else _version(row)


async def page(
    connection: AsyncConnection, *, property_name: str | None, game: str | None, after: Key | None, limit: int
) -> list[SubmissionVersion]:
    """Versions in the order of their names, after a given one."""
    t = submissions
    query = select(t).order_by(t.c.property, t.c.game, t.c.version).limit(limit)
    if property_name is not None:
        query = query.where(t.c.property == property_name)
    if game is not None:
        query = query.where(t.c.game == game)
    if after is not None:
        query = query.where(tuple_(t.c.property, t.c.game, t.c.version) > tuple_(*after))
    return [_version(row) for row in await connection.execute(query)]


async def approved(connection: AsyncConnection, property_name: str, game: str) -> list[SubmissionVersion]:
    """The approved versions of a property's submission for a game."""
    t = submissions
    query = select(t).where(t.c.property == property_name, t.c.game == game, t.c.status == "approved")
    return [_version(row) for row in await connection.execute(query)]


def _is(key: Key) -> Any:
    t = submissions
    return (t.c.property == key.property) & (t.c.game == key.game) & (t.c.version == key.version)


def _version(row: Row[Any]) -> SubmissionVersion:
    columns = ("status", "approved_by", "approved_at", "rejected_by", "rejected_at", "rejection_reason")
    return SubmissionVersion.model_validate({**row.document, **{name: row._mapping[name] for name in columns}})
