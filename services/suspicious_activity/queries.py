"""Read all reports or only those still due, and their files; rewrap the keys of the files."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, and_, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from services.suspicious_activity.domain.sar_files import SarInFile
from services.suspicious_activity.domain.sars import DueSar, SarDocument, due
from services.suspicious_activity.tables import sar_files, sars
from shared.runtime.differences import ComparedTable
from shared.runtime.filing.sealed_files import FileStore
from shared.runtime.filing.steps import UNSENT
from shared.runtime.projections.sql_comparison import compare_selected
from shared.runtime.rows import find_row
from shared.runtime.sealing import WrappingKeys, about_file

FILES: Final = FileStore(sar_files, "sar", "suspicious activity report")

_S, _F = sars.c, sar_files.c
_LATER: Final = sars.alias("later")
_FILED_AGAIN: Final = exists().where(
    _LATER.c.property == _S.property,
    _LATER.c.files_again == _S.sar,
    or_(_LATER.c.status != "withdrawn", _LATER.c.filed_at.is_not(None)),
)
_AGAIN: Final = and_(_S.status == "rejected", ~_FILED_AGAIN)
"""SQL condition: a rejected report that no later report files again, and that was not withdrawn."""

_STANDS: Final = _S.status.not_in(("withdrawn", "rejected"))
"""SQL condition: a report that is neither withdrawn nor rejected."""


def document_of(row: Row[Any]) -> SarDocument:
    """Convert a row to a report."""
    return SarDocument.model_validate(row)


async def find(connection: AsyncConnection, property_name: str, sar: int) -> SarDocument:
    """Return a report. Raises: Rejected if there is no such report."""
    missing = f"there is no report {sar} of {property_name}"
    return document_of(await find_row(connection, sars, missing, property=property_name, sar=sar))


async def with_file(connection: AsyncConnection, property_name: str, sha256: str) -> int | None:
    """Return the number of a report with this file that is neither withdrawn nor rejected, or None."""
    found = select(_S.sar).where(_S.property == property_name, _S.content_sha256 == sha256, _STANDS).limit(1)
    return (await connection.execute(found)).scalar_one_or_none()


async def standing(
    connection: AsyncConnection, property_name: str, subject: str | None, file: SarInFile | SarDocument
) -> Sequence[SarDocument]:
    """Return the reports, neither withdrawn nor rejected, that a new file must follow or may duplicate.

    They are about the patron, or have the identifier that the file amends or continues, or amend the same one.
    """
    named = [one for one in (file.amends, file.continues) if one is not None]
    amended = [] if file.amends is None else [file.amends]
    related = or_(and_(_S.subject.is_not(None), _S.subject == subject), _S.bsa_id.in_(named), _S.amends.in_(amended))
    return await _reports(connection, property_name, and_(_STANDS, related))


async def unsent_after(connection: AsyncConnection, sar: SarDocument) -> Sequence[SarDocument]:
    """Return the reports, not sent yet, that amend or continue a report, or file it again."""
    named = [] if sar.bsa_id is None else [sar.bsa_id]
    follows = or_(_S.amends.in_(named), _S.continues.in_(named), _S.files_again == sar.sar)
    return await _reports(connection, sar.property, and_(_S.status.in_(UNSENT), follows))


async def holder_of(connection: AsyncConnection, sar: SarDocument, **identifier: str | None) -> str | None:
    """Return the name of another report of the property with this identifier (`column=value`), or None."""
    others = and_(_S.property == sar.property, _S.sar != sar.sar)
    has = (and_(_S[name] == value, _S[name].is_not(None)) for name, value in identifier.items())
    query = select(_S.sar).where(others, *has).limit(1)
    found = (await connection.execute(query)).scalar_one_or_none()
    return None if found is None else f"report {found}"


async def due_sars(connection: AsyncConnection, property_name: str, today: date) -> list[DueSar]:
    """Return the reports of a property that are still to be sent: earliest deadline first, amendments last."""
    found = await _reports(connection, property_name, or_(_S.status.in_(UNSENT), _AGAIN))
    return sorted((due(one, today) for one in found), key=lambda one: one.days_left is None)


async def to_file_again(connection: AsyncConnection, property_name: str) -> Sequence[SarDocument]:
    """Return the rejected reports of a property that must be filed again, earliest deadline first."""
    return await _reports(connection, property_name, _AGAIN)


async def _reports(
    connection: AsyncConnection, property_name: str, which: ColumnElement[bool]
) -> Sequence[SarDocument]:
    query = select(sars).where(_S.property == property_name, which).order_by(_S.file_by, _S.sar)
    return [document_of(row) for row in await connection.execute(query)]


async def compare_files(connection: AsyncConnection) -> ComparedTable:
    """Compare reports with stored files: only a report withdrawn unsent, or with a destroyed file, has no file."""
    kept = and_(or_(_S.status != "withdrawn", _S.filed_at.is_not(None)), _S.destroyed_at.is_(None))
    both = and_(_F.property == _S.property, _F.sar == _S.sar)
    said = select(_S.property, _S.sar).where(kept)
    stored = select(_S.property, _S.sar).join(sar_files, both).where(kept)
    return await compare_selected(
        connection, sar_files.name, ["property", "sar"], stored.subquery("stored"), said.subquery("said")
    )


async def rewrap(connection: AsyncConnection, keys: WrappingKeys) -> int:
    """Rewrap the files' keys with the current wrapping key; return the number rewrapped. Raises: SealError."""
    query = (
        select(sar_files, _S.content_sha256)
        .join(sars, and_(_F.property == _S.property, _F.sar == _S.sar))
        .where(_F.wrapped_by != keys.current)
        .with_for_update(of=sar_files)
    )
    found = (await connection.execute(query)).all()
    for row in found:
        about = about_file(row.property, row.content_sha256)
        wrapped_by, wrapped = keys.wrap(keys.unwrap(about, row.wrapped_by, bytes(row.wrapped)))
        own = and_(_F.property == row.property, _F.sar == row.sar)
        await connection.execute(update(sar_files).where(own).values(wrapped_by=wrapped_by, wrapped=wrapped))
    return len(found)
