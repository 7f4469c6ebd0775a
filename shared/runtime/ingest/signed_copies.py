"""Signatures of the copies of approved documents: one signature for all rows of a property in a copy.

The signature is checked with the same statement that reads a copy, and again before rows are added. So an altered,
added or deleted row never affects a decision, even if it is restored later.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from itertools import groupby
from typing import Any

from pydantic_core import to_json
from sqlalchemy import ColumnElement, Table, bindparam, func, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.rejection import Reason, Rejected
from shared.journal.bulk import Statement, column_names, compiled, insert, replaced
from shared.journal.signed_rows import SIGNATURE, not_signed, signed_rows
from shared.runtime.database import seals_of


@cache
def _statement(table: Table, of_some: bool) -> Statement:
    """Return the statement that reads rows and signatures of a copy in one snapshot, for all or for some properties."""
    copies = _signatures(table)

    def of(column: ColumnElement[Any]) -> ColumnElement[bool]:
        return column == func.any(bindparam("properties")) if of_some else true()

    rows = select(table).where(of(table.c.property)).subquery("row")
    signed = select(copies).where(copies.c.name == table.name, of(copies.c.property)).subquery("signed")
    wanted = select(
        *rows.c, signed.c.digest, signed.c.signature, func.coalesce(rows.c.property, signed.c.property).label("of")
    )
    both = rows.join(signed, rows.c.property == signed.c.property, full=True)
    order = [rows.c[column.name] for column in table.primary_key]
    return compiled(wanted.select_from(both).order_by("of", *order))


async def _read(connection: AsyncConnection, table: Table, properties: Collection[str] | None) -> Sequence[Any]:
    """Return the rows of a copy, joined with the signatures of their properties, including signatures without rows."""
    statement = _statement(table, properties is not None)
    asked = {} if properties is None else {"properties": sorted(properties)}
    return (await connection.exec_driver_sql(statement.sql, {**statement.constants, **asked})).all()


def _signatures(table: Table) -> Table:
    return table.metadata.tables[f"{table.schema}.copies"]


async def read_copy(
    connection: AsyncConnection, table: Table, properties: Collection[str] | None = None
) -> Sequence[Any]:
    """Return the rows of a copy for all or for some properties, ordered by their keys.

    Raises: Rejected if the rows do not match the service's signature.
    """
    found = await _read(connection, table, properties)
    for name, forged in _altered(connection, table, found):
        raise Rejected(
            Reason.NOT_AS_RECORDED,
            f"the copy of {table.name} of property {name} is not what this service took from its topic: {forged}; "
            "keep the database as it is",
        )
    return _rows(found)


async def altered_copies(connection: AsyncConnection, table: Table) -> dict[str, str]:
    """Return why signatures of a copy are invalid, by property; empty if all signatures are valid."""
    return dict(_altered(connection, table, await _read(connection, table, None)))


def _altered(connection: AsyncConnection, table: Table, found: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield each property whose rows do not match the service's signature, with the reason."""
    seals, copies = seals_of(connection), _signatures(table)
    for name, each in groupby(found, key=lambda row: row.of) if seals is not None else ():
        of_property = list(each)
        signed = {"name": table.name, "property": name, "digest": _digest(table, _rows(of_property))}
        forged = not_signed(seals, copies, signed | {SIGNATURE: of_property[0].signature})
        if forged is not None:
            yield name, forged


def _rows(found: Iterable[Any]) -> list[Any]:
    """Return the rows of the copy itself, leaving out joined rows that contain only a signature."""
    return [row for row in found if row.property is not None]


async def lock_copy(connection: AsyncConnection, table: Table) -> None:
    """Take an advisory lock that serializes the writers of a copy until the end of the transaction."""
    await connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(table.fullname, 0))))


async def sign_copy(connection: AsyncConnection, table: Table, properties: Collection[str]) -> None:
    """Sign the current rows of these properties. The caller must have locked and verified the copy before."""
    found = _rows(await _read(connection, table, properties))
    copies = _signatures(table)
    rows = [
        {"name": table.name, "property": name, "digest": _digest(table, list(each))}
        for name, each in groupby(found, key=lambda row: row.of)
    ]
    changed = insert(copies, on_conflict=replaced(copies))
    await changed.write(connection, signed_rows(seals_of(connection), copies, rows))


def _digest(table: Table, rows: Sequence[Any]) -> bytes:
    """Return the SHA-256 over all columns of the rows (32 bytes)."""
    values: list[Mapping[str, Any]] = [{name: getattr(row, name) for name in column_names(table)} for row in rows]
    return sha256(to_json(values)).digest()
