"""Read the list of exceptions."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from pydantic import AwareDatetime
from sqlalchemy import ColumnElement, and_, or_, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.exceptions import EntryPlace, ExceptionItem, InputPlace, MissingRange
from services.reporting.tables import exceptions
from shared.runtime.rows import rows_of, thing_of

ExceptionKey = tuple[AwareDatetime, str, int, int, int]
"""The place of an exception in the order of the report: (since, service, shard, seq, number)."""


def _of_property(name: str) -> ColumnElement[bool]:
    """Return the condition that an exception is of a property, or may be: an unreadable record does not say whose."""
    return or_(exceptions.c.property == name, exceptions.c.property.is_(None))


async def exceptions_after(
    connection: AsyncConnection,
    *,
    property_name: str | None,
    gaming_day: date | None,
    table: str | None,
    kind: str | None,
    status: str | None,
    after: ExceptionKey | None,
    limit: int,
) -> Sequence[ExceptionItem]:
    """Return exceptions, oldest first, from the one after a place."""
    c = exceptions.c
    place = (c.since, c.service, c.shard, c.seq, c.number)
    query = rows_of(exceptions, kind=kind, status=status).order_by(*place).limit(limit)
    if property_name is not None:
        query = query.where(_of_property(property_name))
    if gaming_day is not None:
        query = query.where(or_(c.gaming_day == gaming_day, and_(c.gaming_day.is_(None), c.status == "open")))
    if table is not None:
        query = query.where(or_(c.table_name == table, c.table_name.is_(None)))
    if after is not None:
        query = query.where(tuple_(*place) > tuple_(*after))
    return [_item(row) for row in await connection.execute(query)]


def _item(row: Any) -> ExceptionItem:
    settled = row.settled_seq and _entry(row.service, row.settled_shard, row.settled_seq, row.settled_hash)
    return thing_of(
        ExceptionItem,
        row,
        table=row.table_name,
        entry=_entry(row.service, row.shard, row.seq, row.hash),
        # a multirange comes with the end of each range left out
        missing=row.missing and [MissingRange(first=one.lower, last=one.upper - 1) for one in row.missing],
        record=row.topic and InputPlace(topic=row.topic, partition=row.partition, offset=row.offset),
        settled_at=None if row.status == "open" else row.settled_at,
        settled_entry=settled,
    )


def _entry(service: str, shard: int, seq: int, digest: str) -> EntryPlace:
    return EntryPlace(service=service, shard=shard, seq=seq, hash=digest)
