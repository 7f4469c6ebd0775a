"""What a superuser of the database does to a table past its service: to any table, whatever it holds."""

from collections.abc import Mapping
from typing import Any, Final

import psycopg
from sqlalchemy import ARRAY, JSON, Boolean, Date, DateTime, Integer, LargeBinary, Numeric, Table, Text, make_url
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

_ODD: Final[Mapping[type[TypeEngine[Any]], str]] = {
    Text: "'odd'",
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


def as_superuser(url: str, *statements: str) -> None:
    """Do something that no trigger and no rule of a table stops."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as superuser:
        superuser.execute("SET session_replication_role = replica")
        for statement in statements:
            superuser.execute(statement.encode())


def unruled(url: str, table: Table) -> None:
    """Take the rules of a table away that say what its rows may be."""
    found = f"SELECT conname FROM pg_constraint WHERE conrelid = '{table.fullname}'::regclass AND contype = 'c'"
    drop = f"EXECUTE format('ALTER TABLE {table.fullname} DROP CONSTRAINT %I', rule)"
    as_superuser(url, f"DO $$ DECLARE rule text; BEGIN FOR rule IN {found} LOOP {drop}; END LOOP; END $$")


def add_row(url: str, table: Table) -> None:
    """Add a row of values that are odd, but of their types."""
    unruled(url, table)
    written = [column for column in table.c if column.computed is None]
    named = [f'"{column.name}"' for column in written]
    values = [_odd(column.type) for column in written]
    as_superuser(url, f"INSERT INTO {table.fullname} ({', '.join(named)}) VALUES ({', '.join(values)})")


def _odd(of: TypeEngine[Any]) -> str:
    return next(value for each, value in _ODD.items() if isinstance(of, each))
