"""Compare rows in the database, which joins the actual with the expected rows and returns the differences."""

from collections.abc import Sequence

from sqlalchemy import Table, Text, and_, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.selectable import FromClause

from shared.runtime.differences import DIFFERENCES_MAX, ComparedTable, RowDifference


async def compare_table(connection: AsyncConnection, was: Table, should_be: Table) -> ComparedTable:
    """Compare two tables with the same columns; rows are equal if all their columns are equal as text."""
    key = [column.name for column in was.primary_key]
    return await compare_selected(connection, should_be.name, key, was, should_be)


async def compare_selected(
    connection: AsyncConnection, name: str, key: Sequence[str], was: FromClause, should_be: FromClause
) -> ComparedTable:
    """Compare two queries with the same columns by their key columns; `name` is the table's name in the result."""
    columns = [column.name for column in was.c]
    before, after = was.alias("row_before"), should_be.alias("row_after")
    row_before, row_after = (cast(func.row(*(side.c[each] for each in columns)), Text) for side in (before, after))
    found = await connection.execute(
        select(
            func.count().over(),
            before.c[key[0]].is_(None),
            after.c[key[0]].is_(None),
            *(cast(side.c[each], Text) for side in (before, after) for each in columns),
        )
        .select_from(before.join(after, and_(*(before.c[each] == after.c[each] for each in key)), full=True))
        .where(row_before.is_distinct_from(row_after))
        .order_by(*(func.coalesce(before.c[each], after.c[each]) for each in key))
        .limit(DIFFERENCES_MAX)
    )
    first, different = list[RowDifference](), 0
    for count, no_was, no_made, *rest in found:
        different = count
        before_row = None if no_was else dict(zip(columns, rest, strict=False))
        made = None if no_made else dict(zip(columns, rest[len(columns) :], strict=True))
        row = before_row or made or {}
        first.append(RowDifference({each: str(row[each]) for each in key}, before_row, made))
    rows = (await connection.execute(select(func.count()).select_from(should_be))).scalar_one()
    return ComparedTable(name, rows, different, tuple(first))
