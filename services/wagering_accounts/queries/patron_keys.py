"""Patrons' keys in the database: created on first use, loaded, and rewrapped."""

from pathlib import Path

from sqlalchemy import literal, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert as insert_into
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.wagering_accounts.domain.sealing import PatronKey, SealError, WrappingKeys, about_patron
from services.wagering_accounts.tables import patron_identities, patron_keys, patrons
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.differences import ComparedTable
from shared.runtime.projections.sql_comparison import compare_selected

__all__ = ["compare_patron_keys", "key_of", "key_to_seal_with", "rewrap", "wrapping_keys"]


def wrapping_keys(path: Path | None) -> WrappingKeys:
    """Return the wrapping keys, reread in case they have changed. Raises: Rejected if they are missing."""
    try:
        if path is not None:
            return WrappingKeys.read(path)
    except (OSError, SealError) as error:
        raise Rejected(Reason.NOT_READY, "the keys that open personal data cannot be read") from error
    raise Rejected(Reason.NOT_READY, "this service was not given the keys that open personal data")


async def key_of(connection: AsyncConnection, keys: WrappingKeys, property_name: str, patron: str) -> PatronKey | None:
    """Return the key of a patron, or None. Raises: Rejected if it cannot be unwrapped."""
    k = patron_keys.c
    found = select(k.wrapped_by, k.wrapped).where(k.property == property_name, k.patron == patron)
    row = (await connection.execute(found)).one_or_none()
    if row is None:
        return None
    try:
        return keys.unwrap(about_patron(property_name, patron), row.wrapped_by, bytes(row.wrapped))
    except SealError as error:
        raise Rejected(Reason.NOT_READY, str(error)) from error


async def key_to_seal_with(
    engine: AsyncEngine, keys: WrappingKeys, property_name: str, patron: str
) -> PatronKey | None:
    """Return the key of a patron, created on first use; None if the patron is unknown or was erased.

    The patron's row is locked: an erasure either comes first, and no key is created, or comes later and destroys it.
    """
    p = patrons.c
    wrapped_by, wrapped = keys.wrap(PatronKey.new(about_patron(property_name, patron)))
    known = (
        select(p.property, p.patron, literal(wrapped_by), literal(wrapped))
        .where(p.property == property_name, p.patron == patron, p.erased_at.is_(None))
        .with_for_update()
    )
    columns = ("property", "patron", "wrapped_by", "wrapped")
    make = insert_into(patron_keys).from_select(columns, known).on_conflict_do_nothing()
    async with engine.begin() as connection:
        await connection.execute(make)
        return await key_of(connection, keys, property_name, patron)


async def compare_patron_keys(connection: AsyncConnection) -> ComparedTable:
    """Return patrons with an encrypted identity but no key."""
    k, i, p = patron_keys.c, patron_identities.c, patrons.c
    known = (i.property == p.property) & (i.patron == p.patron)
    said = select(i.property, i.patron).join(patrons, known).where(i.identity.is_not(None), p.erased_at.is_(None))
    kept = select(k.property, k.patron).where(tuple_(k.property, k.patron).in_(said))
    return await compare_selected(
        connection, patron_keys.name, ["property", "patron"], kept.subquery("kept"), said.subquery("said")
    )


async def rewrap(connection: AsyncConnection, keys: WrappingKeys) -> int:
    """Rewrap every key with the current wrapping key; return the number. Raises: SealError."""
    k, count = patron_keys.c, 0
    rows = await connection.execute(select(patron_keys).where(k.wrapped_by != keys.current).with_for_update())
    for row in rows.all():
        opened = keys.unwrap(about_patron(row.property, row.patron), row.wrapped_by, bytes(row.wrapped))
        wrapped_by, wrapped = keys.wrap(opened)
        same = (k.property == row.property) & (k.patron == row.patron)
        await connection.execute(update(patron_keys).where(same).values(wrapped_by=wrapped_by, wrapped=wrapped))
        count += 1
    return count
