"""Find rows that differ between tables and their copies, either in a range of keys or by keys marked for comparison."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, Text, and_, cast, delete, func, literal, select, true, tuple_
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.runtime.differences import ComparedTable
from shared.runtime.projections.sql_comparison import compare_selected
from shared.runtime.projections.standing_copy import Key, StandingCopy, keys_in, values_of

Which = Callable[[Table], ColumnElement[bool]]
"""Return the condition that selects the rows of a table or of its copy."""


async def next_rows(connection: AsyncConnection, table: Table, after: Key | None, most: int) -> Sequence[Any]:
    """Return the next rows after a key, in key order: each row as text, with its key as texts."""
    line, keys = cast(func.row(*table.c), Text), _key_as_texts(table)
    query = select(line.label("line"), keys.label("key")).order_by(*table.primary_key).limit(most)
    return (await connection.execute(query if after is None else query.where(_after(table, after)))).all()


async def note_unlike(copy: StandingCopy, table: Table, after: Key | None, until: Key | None) -> None:
    """Mark for comparison those rows of a key range that differ between a table and its copy."""

    def between(side: Table) -> ColumnElement[bool]:
        above = true() if after is None else _after(side, after)
        return and_(above, true() if until is None else tuple_(*side.primary_key) <= values_of(side, until))

    unlike = _unlike(copy, table, between).subquery()
    noted = select(literal(table.name, Text), unlike.c.key)
    statement = upsert(copy.touched).from_select(["name", "key"], noted)
    await copy.connection.execute(statement.on_conflict_do_nothing())


async def compare_noted(copy: StandingCopy, table: Table) -> ComparedTable:
    """Compare the rows of a table that are marked for comparison; rows that differ stay marked."""
    touched = copy.touched

    def noted(side: Table) -> ColumnElement[bool]:
        keys = select(*keys_in(touched.c.key, side)).where(touched.c.name == table.name)
        return tuple_(*side.primary_key).in_(keys)

    names = [column.name for column in table.primary_key]
    was, made = (select(side).where(noted(side)).subquery() for side in (table, copy.of(table)))
    compared = await compare_selected(copy.connection, table.name, names, was, made)
    right = delete(touched).where(touched.c.name == table.name)
    if compared.different:
        right = right.where(touched.c.key.not_in(_unlike(copy, table, noted)))
    await copy.connection.execute(right)
    return compared


def _unlike(copy: StandingCopy, table: Table, which: Which) -> Select[Any]:
    """Return the query for the keys of the rows that differ between a table and its copy."""
    names = [column.name for column in table.primary_key]
    was, made = (select(side).where(which(side)).subquery() for side in (table, copy.of(table)))
    before, after = (cast(func.row(*(side.c[each.name] for each in table.c)), Text) for side in (was, made))
    key = array([cast(func.coalesce(was.c[name], made.c[name]), Text) for name in names]).label("key")
    both = was.join(made, and_(*(was.c[name] == made.c[name] for name in names)), full=True)
    return select(key).select_from(both).where(before.is_distinct_from(after))


def _key_as_texts(table: Table) -> Any:
    return array([cast(column, Text) for column in table.primary_key])


def _after(side: Table, key: Key) -> ColumnElement[bool]:
    return tuple_(*side.primary_key) > values_of(side, key)  # type: ignore[no-any-return]
