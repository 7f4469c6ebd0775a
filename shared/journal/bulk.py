"""Read and write many rows with one statement; the column types come from the declared `Table`.

All rows of a statement are sent as one JSON parameter, which is faster than an array for each column:

    ADD = insert(wager_days, on_conflict=added(wager_days, "rounds", "handle"))
    await ADD.write(connection, [{"property": "riverside", "rounds": 1, "handle": 500, ...}, ...])

    OF_ROUND = select(holds, by=("property", "table_name", "round_id"), lock=True)
    for row in await OF_ROUND.read(connection, keyed(OF_ROUND, [("riverside", "BJ-01", "r-1")])):

A row is a mapping by column name. The value of a `JSON` or `Parsed` column is JSON text, kept byte for byte (for COPY
it may be UTF-8 bytes); the value of a `JSONB` column is any value that JSON can express.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any, Final, Literal

from pydantic_core import to_json
from sqlalchemy import (
    Boolean,
    ClauseElement,
    Column,
    ColumnElement,
    CursorResult,
    Date,
    Dialect,
    FromClause,
    Integer,
    LargeBinary,
    Select,
    Table,
    Text,
    and_,
    bindparam,
    cast,
    column,
    func,
    literal_column,
    true,
)
from sqlalchemy import select as select_from
from sqlalchemy import update as update_of
from sqlalchemy.dialects.postgresql import ARRAY, JSON, JSONB
from sqlalchemy.dialects.postgresql import insert as insert_into
from sqlalchemy.dialects.postgresql.psycopg import dialect as psycopg_dialect
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.base import ReadOnlyColumnCollection
from sqlalchemy.sql.elements import KeyedColumnElement
from sqlalchemy.types import TypeEngine

from shared.journal.columns import Parsed

Row = Mapping[str, Any]
"""Column name -> value of a row."""

Changes = Mapping[str, ColumnElement[Any]]
"""Column name -> new value, as an SQL expression."""

_DIALECT: Final[Dialect] = psycopg_dialect()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement on many rows: its SQL, the columns that each row must have, and the constants in the SQL."""

    sql: str
    columns: tuple[str, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)

    def parameters(self, rows: Iterable[Row]) -> dict[str, Any]:
        """Return the statement's parameters for these rows. Raises: ValueError if a row has other columns."""
        given = list(rows)
        _require_columns(given, self.columns)
        return {**self.constants, "rows": to_json(given, bytes_mode="hex").decode()}

    async def read(self, connection: AsyncConnection, rows: Iterable[Row]) -> CursorResult[Any]:
        """Run the statement on these rows; return its result."""
        return await connection.exec_driver_sql(self.sql, self.parameters(rows))

    async def write(self, connection: AsyncConnection, rows: Collection[Row]) -> None:
        """Run the statement, unless there are no rows."""
        if rows:
            await self.read(connection, rows)


def insert(
    table: Table,
    columns: Sequence[str] = (),
    *,
    on_conflict: Literal["fail", "skip"] | Changes = "fail",
    where: ColumnElement[bool] | None = None,
    as_given: bool = False,
) -> Statement:
    """Return a statement that inserts rows with these columns, by default all columns.

    If the primary key of a row exists already, `on_conflict` decides: the statement fails, the row is skipped, or the
    given changes (see `added`, `replaced`, `excluded`) are applied to the existing row if `where` holds.

    Rows are written in the order of their primary keys, so that two processes that write the same rows do not deadlock.
    With `as_given`, or if the database numbers the rows, they are written in the given order.
    """
    names, key = tuple(columns) or column_names(table), primary_key(table)
    rows = given(table, names)
    values = select_from(*(_value(table.c[name], rows) for name in names))
    if not as_given and set(key) <= set(names):
        values = values.order_by(*(rows.c[name] for name in key))
    statement = insert_into(table).from_select(names, values)
    if on_conflict == "skip":
        statement = statement.on_conflict_do_nothing()
    elif on_conflict != "fail":
        of_key = list(table.primary_key)
        statement = statement.on_conflict_do_update(index_elements=of_key, set_=on_conflict, where=where)
    return compiled(statement, names)


def update(table: Table, columns: Sequence[str] = (), *, by: Sequence[str] = ()) -> Statement:
    """Return a statement that updates these columns, by default all columns not in `by`.

    `by` names the columns that identify a row, by default the primary key. Each given row has the updated and the
    identifying columns.
    """
    by = tuple(by) or primary_key(table)
    changed = tuple(columns) or tuple(name for name in column_names(table) if name not in by)
    rows = given(table, (*by, *changed))
    statement = update_of(table).values({name: _value(table.c[name], rows) for name in changed})
    return compiled(statement.where(same(table, rows, by)), (*by, *changed))


def select(
    table: Table,
    columns: Sequence[str] = (),
    *,
    by: Sequence[str] = (),
    where: ColumnElement[bool] | None = None,
    lock: bool = False,
) -> Statement:
    """Return a statement that reads these columns, by default all, in the order of the primary keys.

    The statement's rows are the keys to read: distinct values of the columns `by`, by default those of the primary key.
    Only rows that meet `where` are read; `lock` locks them until the end of the transaction, in that order.
    """
    by = tuple(by) or primary_key(table)
    found = select_from(*([table.c[name] for name in columns] or table.columns))
    rows = given(table, by)
    if by == primary_key(table):
        return compiled(_looked_up(table, found, rows, where, lock=lock), by)
    statement = found.join_from(table, rows, same(table, rows, by)).order_by(*table.primary_key)
    if where is not None:
        statement = statement.where(where)
    return compiled(statement.with_for_update(of=table) if lock else statement, by)


def _looked_up(
    table: Table, found: Select[Any], rows: FromClause, where: ColumnElement[bool] | None, *, lock: bool
) -> Select[Any]:
    """Return the query that looks up each key separately, in order, regardless of the planner's statistics.

    Without statistics the planner assumes a small table and chooses a full scan, and the connection keeps that plan.
    """
    key = primary_key(table)
    asked = select_from(rows).order_by(*(rows.c[name] for name in key)).subquery("asked")
    found = found.where(same(table, asked, key)).limit(literal_column("1"))
    if where is not None:
        found = found.where(where)
    one = (found.with_for_update(of=table) if lock else found).lateral("found")
    return select_from(one).select_from(asked.join(one, true()))


def added(table: Table, *names: str) -> dict[str, ColumnElement[Any]]:
    """Return the changes that add the new row's values in these columns to those of an existing row."""
    new = excluded(table)
    return {name: table.c[name] + new[name] for name in names}


def replaced(table: Table, *names: str) -> dict[str, ColumnElement[Any]]:
    """Return the changes that replace these columns of an existing row; by default all except its key."""
    new = excluded(table)
    return {name: new[name] for name in names or (one.name for one in table.columns if not one.primary_key)}


def excluded(table: Table) -> ReadOnlyColumnCollection[str, KeyedColumnElement[Any]]:
    """Return the columns of the new row, for use in `on_conflict` (SQL's EXCLUDED)."""
    return insert_into(table).excluded


def keyed(statement: Statement, keys: Iterable[Sequence[Any]]) -> list[Row]:
    """Return keys as rows for a statement; each key has the values of the statement's columns, in order."""
    return [dict(zip(statement.columns, key, strict=True)) for key in keys]


def column_names(table: Table) -> tuple[str, ...]:
    """Return the names of a table's columns, without computed columns.

    They are plain strings: SQLAlchemy's names are of a subclass of str, whose JSON encoding is a hundred times slower.
    """
    return tuple(str(one.name) for one in table.columns if one.computed is None)


def primary_key(table: Table) -> tuple[str, ...]:
    """Return the names of the columns of the primary key."""
    return tuple(str(one.name) for one in table.primary_key)


def given(table: Table, names: Sequence[str]) -> FromClause:
    """Return the FROM clause for the rows that are passed to a statement, with these columns of the table."""
    columns = (column(name, Text() if _is_text(table.c[name].type) else table.c[name].type) for name in names)
    rows = func.json_to_recordset(bindparam("rows", type_=JSON)).table_valued(*columns)
    return rows.render_derived(name="given", with_types=True)


def same(table: Table, rows: FromClause, by: Sequence[str]) -> ColumnElement[bool]:
    """Return the SQL condition that a row of the table and a row of `rows` have the same values in these columns."""
    return and_(*(table.c[name] == rows.c[name] for name in by))


def compiled(statement: ClauseElement, columns: Sequence[str] = ()) -> Statement:
    """Compile a statement. If it reads the rows of `given`, `columns` names their columns."""
    made = statement.compile(dialect=_DIALECT)
    return Statement(str(made), tuple(map(str, columns)), made.params)  # plain strings, as in `column_names`


async def copy(connection: AsyncConnection, table: Table, rows: Sequence[Row], columns: Sequence[str] = ()) -> None:
    """Insert rows with these columns, by default all, by COPY, which is fastest from about a hundred rows on."""
    if rows:
        names = tuple(columns) or column_names(table)
        _require_columns(rows, names)
        values = (map(itemgetter(name), rows) for name in names)
        await _send(connection, copy_into(table, names), _copy_text(table, names, values))


async def copy_tuples(
    connection: AsyncConnection, table: Table, rows: Sequence[tuple[Any, ...]], columns: Sequence[str] = ()
) -> None:
    """Insert rows given as tuples of these columns, by default all, by COPY."""
    if rows:
        names = tuple(columns) or column_names(table)
        await _send(connection, copy_into(table, names), copy_text(table, rows, names))


def copy_into(table: Table, names: Sequence[str]) -> str:
    """Return the SQL COPY statement that reads the text returned by `copy_text`."""
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"COPY {table.fullname} ({quoted}) FROM STDIN"


def copy_text(table: Table, rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> bytes:
    """Return rows, given as tuples of these columns, in the text format of COPY."""
    return _copy_text(table, names, (map(itemgetter(number), rows) for number in range(len(names))))


def _copy_text(table: Table, names: Sequence[str], values: Iterable[Iterable[Any]]) -> bytes:
    """Return rows in the text format of COPY, from one iterable of values per column."""
    fields = (map(_copy_format(table.c[name]), column) for name, column in zip(names, values, strict=True))
    return b"\n".join(map(b"\t".join, zip(*fields, strict=True))) + b"\n"


async def _send(connection: AsyncConnection, statement: str, text: bytes) -> None:
    raw = await connection.get_raw_connection()
    driver: Any = raw.driver_connection
    async with driver.cursor() as cursor, cursor.copy(statement) as copying:
        await copying.write(text)


def _require_columns(rows: Iterable[Row], names: Sequence[str]) -> None:
    expected = frozenset(names)
    for row in rows:
        if row.keys() != expected:
            raise ValueError(f"a row has the columns {sorted(row)}; it must have {sorted(expected)}")


# --- values as JSON ---


def _is_text(kind: TypeEngine[Any]) -> bool:
    """Return whether values of an SQL type are passed as JSON strings and converted by the database: bytes and JSON."""
    return isinstance(kind, LargeBinary) or _is_json_text(kind)


def _is_json_text(kind: TypeEngine[Any]) -> bool:
    return isinstance(kind, JSON) and (isinstance(kind, Parsed) or not isinstance(kind, JSONB))


def _value(target: Column[Any], rows: FromClause) -> ColumnElement[Any]:
    value = rows.c[target.name]
    if isinstance(target.type, LargeBinary):
        return func.decode(value, literal_column("'hex'"))
    return cast(value, target.type) if _is_text(target.type) else value


# --- values in the text format of COPY ---


@cache
def _copy_format(target: Column[Any]) -> Callable[[Any], bytes]:
    write = _copy_value(target.type)
    return (lambda value: b"\\N" if value is None else write(value)) if target.nullable else write


def _copy_value(kind: TypeEngine[Any]) -> Callable[[Any], bytes]:
    if isinstance(kind, LargeBinary):
        return lambda value: f"\\\\x{value.hex()}".encode()
    if _is_json_text(kind):
        return lambda value: _escaped(value if isinstance(value, bytes) else value.encode())
    if isinstance(kind, JSONB):
        return lambda value: _escaped(to_json(value))
    if isinstance(kind, ARRAY):
        if isinstance(kind.item_type, Integer):
            return lambda value: b"{%b}" % to_json(value)[1:-1]  # as JSON, but with braces
        return lambda value: _text_array(tuple(value))
    if isinstance(kind, Text):
        return _text
    if isinstance(kind, Date | Boolean):
        return _plain
    return lambda value: str(value).encode()


def _escaped(value: bytes) -> bytes:
    return value.replace(b"\\", b"\\\\").replace(b"\t", b"\\t").replace(b"\n", b"\\n").replace(b"\r", b"\\r")


@lru_cache(maxsize=4096)
def _text(value: str) -> bytes:
    """Return a text escaped for COPY; cached because names, measures and hashes repeat."""
    return _escaped(value.encode())


@lru_cache(maxsize=4096)
def _plain(value: Any) -> bytes:
    """Return the `str` of a value as UTF-8 bytes; cached because days and booleans repeat."""
    return str(value).encode()


@lru_cache(maxsize=4096)
def _text_array(values: tuple[str, ...]) -> bytes:
    """Return an array of texts escaped for COPY; cached because names repeat."""
    quoted = ('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in values)
    return _escaped(f"{{{','.join(quoted)}}}".encode())
