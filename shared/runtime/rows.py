"""Query rows by column values, and convert rows to dataclasses and documents."""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import BaseModel
from sqlalchemy import Executable, Row, Select, Table, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.rejection import Reason, Rejected
from shared.runtime.snapshot_reader import Executes

ThingT = TypeVar("ThingT")
DocumentT = TypeVar("DocumentT", bound=BaseModel)


def rows_of(table: Table, /, **values: Any) -> Select[Any]:
    """Return the query for the rows with these column values; a value of None does not filter."""
    return select(table).where(*(table.c[name] == value for name, value in values.items() if value is not None))


async def find_row(connection: AsyncConnection, table: Table, missing: str, /, **values: Any) -> Row[Any]:
    """Return the only row with these column values. Raises: Rejected with the detail `missing` if there is none."""
    row: Row[Any] | None = (await connection.execute(rows_of(table, **values))).one_or_none()
    if row is None:
        raise Rejected(Reason.NOT_FOUND, missing)
    return row


async def last_number(connection: AsyncConnection, table: Table, name: str, /, **values: Any) -> int:
    """Return the highest number in the column `name` of the rows with these values; 0 if there are none."""
    highest = func.coalesce(func.max(table.c[name]), 0)
    return int((await connection.execute(rows_of(table, **values).with_only_columns(highest))).scalar_one())


def thing_of(kind: type[ThingT], row: Row[Any], /, **more: Any) -> ThingT:
    """Return a dataclass or document from a row. The value of each field is in `more` or in the column of its name."""
    said = row._asdict()  # a row of SQLAlchemy or of a pipeline
    return kind(**({name: said[name] for name in _fields(cast("Any", kind)) if name in said} | more))


async def things_of(
    kind: type[ThingT], connection: AsyncConnection, query: Executable, parameters: Mapping[str, Any] | None = None
) -> list[ThingT]:
    """Return a dataclass or document for each row of a query; each field has the column of the same name."""
    return [thing_of(kind, row) for row in await connection.execute(query, parameters)]


async def documents_of(
    kind: type[DocumentT], connection: Executes, query: Executable, parameters: Mapping[str, Any] | None = None
) -> list[DocumentT]:
    """Return the documents from a query whose only column is their JSON text.

    For thousands of rows this takes half as long as converting them column by column.
    """
    return [kind.model_validate_json(said) for said in (await connection.execute(query, parameters)).scalars()]


@cache
def _fields(kind: type[Any]) -> tuple[str, ...]:
    return tuple(kind.model_fields if issubclass(kind, BaseModel) else (field.name for field in fields(kind)))
