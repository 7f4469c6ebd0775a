"""Patrons' keys in the database: created on first use and loaded. Keys of patrons and files are rewrapped."""

from typing import Any

from sqlalchemy import Row, Update, literal, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert as insert_into
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.wagering_accounts.tables import filing_files, filings, patron_identities, patron_keys, patrons
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.differences import ComparedTable
from shared.runtime.projections.sql_comparison import compare_selected
from shared.runtime.sealing import PatronKey, SealError, WrappingKeys, about_file, about_patron

__all__ = ["compare_patron_keys", "digest_key", "key_of", "key_to_seal_with", "rewrap"]


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


async def digest_key(engine: AsyncEngine, keys: WrappingKeys, property_name: str) -> PatronKey:
    """Return the key of the digests of a property, created on first use."""
    wrapped_by, wrapped = keys.wrap(PatronKey.new(about_patron(property_name, "")))
    row = {"property": property_name, "patron": "", "wrapped_by": wrapped_by, "wrapped": wrapped}
    async with engine.begin() as connection:
        await connection.execute(insert_into(patron_keys).values(**row).on_conflict_do_nothing())
        key = await key_of(connection, keys, property_name, "")
    assert key is not None, "its row was added, and no erasure destroys it"
    return key


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
    """Rewrap the keys of all patrons and files with the current wrapping key, and return the number of keys.

    Raises: SealError if a key cannot be unwrapped.
    """
    k, d, f = patron_keys.c, filing_files.c, filings.c
    of_patrons = select(patron_keys).where(k.wrapped_by != keys.current).with_for_update()
    of_files = (
        select(filing_files, f.content_sha256)
        .join(filings, (f.property == d.property) & (f.filing == d.filing))
        .where(d.wrapped_by != keys.current)
        .with_for_update(of=filing_files)
    )
    patrons_found = (await connection.execute(of_patrons)).all()
    files_found = (await connection.execute(of_files)).all()
    for row in patrons_found:
        same = (k.property == row.property) & (k.patron == row.patron)
        changed = update(patron_keys).where(same)
        await _rewrap(connection, keys, row, about_patron(row.property, row.patron), changed)
    for row in files_found:
        same = (d.property == row.property) & (d.filing == row.filing)
        changed = update(filing_files).where(same)
        await _rewrap(connection, keys, row, about_file(row.property, row.content_sha256), changed)
    return len(patrons_found) + len(files_found)


async def _rewrap(connection: AsyncConnection, keys: WrappingKeys, row: Row[Any], about: str, changed: Update) -> None:
    wrapped_by, wrapped = keys.wrap(keys.unwrap(about, row.wrapped_by, bytes(row.wrapped)))
    await connection.execute(changed.values(wrapped_by=wrapped_by, wrapped=wrapped))
