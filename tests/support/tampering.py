"""What a superuser of the database does to a table past its service: to any table, whatever it holds."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeGuard

import psycopg
from sqlalchemy import (
    ARRAY,
    JSON,
    Boolean,
    Column,
    Date,
    DateTime,
    Integer,
    LargeBinary,
    Numeric,
    String,
    Table,
    make_url,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

_ODD: Final[Mapping[type[TypeEngine[Any]], str]] = {
    String: "'odd'",
    Boolean: "false",
    Date: "date '2026-11-20'",
    DateTime: "timestamptz '2026-11-20 12:00Z'",
    LargeBinary: r"'\x00'::bytea",
    ARRAY: "'{}'",
    JSONB: "'{}'",
    JSON: "'{}'",
    Integer: "32000",
    Numeric: "32000",
}
"""A value of each type that no service would write."""

_OTHER: Final[Mapping[type[TypeEngine[Any]], str]] = {
    String: "coalesce({0}, '') || 'x'",
    Boolean: "NOT coalesce({0}, false)",
    Date: "coalesce({0} + 1, date '2026-11-20')",
    DateTime: "coalesce({0} + interval '1 second', timestamptz '2026-11-20 12:00Z')",
    LargeBinary: "coalesce({0}, '') || 'x'",
    ARRAY: "array_prepend({1}, {0}[2:])",
    JSONB: "'{{\"odd\": 1}}'",
    JSON: "'{{\"odd\": 1}}'",
    Integer: "coalesce({0}, 0) + 7919",
    Numeric: "coalesce({0}, 0) + 7919",
}
"""Another value than that of a column, of each type."""

_THE_ROW: Final = '"the row"'
"""A name that no column of ours has."""


def as_superuser(url: str, *statements: str) -> int:
    """Do something that no trigger and no rule of a table stops; return how many rows the last statement changed."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    changed = 0
    with psycopg.connect(plain) as superuser:
        superuser.execute("SET session_replication_role = replica")
        for statement in statements:
            changed = superuser.execute(statement.encode()).rowcount
    return changed


def unruling(table: Table) -> str:
    """Return the statement that takes the rules of a table away that say what its rows may be."""
    found = f"SELECT conname FROM pg_constraint WHERE conrelid = '{table.fullname}'::regclass AND contype = 'c'"
    drop = f"EXECUTE 'ALTER TABLE {table.fullname} DROP CONSTRAINT ' || quote_ident(rule)"
    return f"DO $$ DECLARE rule text; BEGIN FOR rule IN {found} LOOP {drop}; END LOOP; END $$"


def adding(table: Table) -> str:
    """Return the statement that adds a row of values that are odd, but of their types."""
    values = [_value(_ODD, column.type) for column in written(table)]
    return f"INSERT INTO {table.fullname} ({_names(table)}) OVERRIDING SYSTEM VALUE VALUES ({', '.join(values)})"


def altering(table: Table, column: str) -> str:
    """Return the statement that gives one row another value of a column, of those that are there."""
    name, of = f'"{column}"', table.c[column].type
    other = _value(_OTHER, of).format(name, _value(_OTHER, of.item_type).format(f"{name}[1]") if _is_array(of) else "")
    full = f"cardinality({name}) DESC, " if _is_array(of) else ""
    first = f"(SELECT ctid FROM {table.fullname} t ORDER BY {full}t::text DESC LIMIT 1)"
    return f"UPDATE {table.fullname} SET {name} = {other} WHERE ctid = {first}"


def exchanging(table: Table, column: str) -> str:
    """Return the statement that gives one row the value that a column has in another: what the rules of it allow."""
    name = f'"{column}"'
    first = f"SELECT ctid, {name} FROM {table.fullname} t ORDER BY t::text DESC LIMIT 1"
    others = f"SELECT {name} FROM {table.fullname}"
    different = f"one.{name}::text IS DISTINCT FROM other.{name}::text"
    return (
        f"UPDATE {table.fullname} SET {name} = found.{name} FROM (SELECT one.ctid AS {_THE_ROW}, other.{name} "
        f"FROM ({first}) one, ({others}) other WHERE {different} LIMIT 1) found "
        f"WHERE {table.fullname}.ctid = found.{_THE_ROW}"
    )


def deleting(table: Table) -> str:
    """Return the statement that deletes one row of those that are there."""
    first = f"(SELECT ctid FROM {table.fullname} t ORDER BY t::text DESC LIMIT 1)"
    return f"DELETE FROM {table.fullname} WHERE ctid = {first}"


def add_row(url: str, table: Table) -> None:
    """Add a row of values that are odd, but of their types."""
    as_superuser(url, unruling(table), adding(table))


def alter_row(url: str, table: Table, column: str) -> None:
    """Give one row of those that are there another value of a column."""
    assert 1 == as_superuser(url, unruling(table), altering(table, column))


def delete_row(url: str, table: Table) -> None:
    """Delete one row of those that are there."""
    assert 1 == as_superuser(url, deleting(table))


@contextmanager
def tampered(url: str, table: Table, what: str, column: str | None = None) -> Iterator[None]:
    """Have a row altered (in a column), added or deleted during the block; then the table is as it was."""
    aside = f"aside_{table.schema}_{table.name}"
    as_superuser(url, f"CREATE TABLE public.{aside} AS TABLE {table.fullname}")
    try:
        match what:
            case "altered":
                assert column is not None
                alter_row(url, table, column)
            case "added":
                add_row(url, table)
            case "deleted":
                delete_row(url, table)
        yield
    finally:
        names = _names(table)
        put_back = f"INSERT INTO {table.fullname} ({names}) OVERRIDING SYSTEM VALUE SELECT {names} FROM public.{aside}"
        as_superuser(url, f"DELETE FROM {table.fullname}", put_back, f"DROP TABLE public.{aside}")


def ways(table: Table, unseen: Mapping[str, str] | None = None) -> Iterator[tuple[str, str | None]]:
    """Give every way to tamper with a row: each column that may be altered, a row added, one deleted."""
    for column in written(table):
        if column.name not in (unseen or {}):
            yield "altered", column.name
    yield "added", None
    yield "deleted", None


def written(table: Table) -> list[Column[Any]]:
    """Return the columns that the database does not compute."""
    return [column for column in table.c if column.computed is None]


def _names(table: Table) -> str:
    return ", ".join(f'"{column.name}"' for column in written(table))


def _is_array(of: TypeEngine[Any]) -> TypeGuard[ARRAY[Any]]:
    return isinstance(of, ARRAY)


def _value(values: Mapping[type[TypeEngine[Any]], str], of: TypeEngine[Any]) -> str:
    return next(value for each, value in values.items() if isinstance(of, each))
