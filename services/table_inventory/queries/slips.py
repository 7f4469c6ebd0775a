"""Read slips and requests."""

from collections.abc import Collection
from datetime import date
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, case, exists
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.slips import Slip, SlipKey, SlipRequest
from services.table_inventory.tables import requests, slips, variance_cases
from shared.contracts.inventory import SlipRequested
from shared.contracts.rejection import Reason, Rejected
from shared.journal import bulk
from shared.runtime.rows import find_row, rows_of, thing_of
from shared.runtime.snapshot_reader import Executes

_SLIPS: Final = bulk.select(slips)

slip_status: Final[ColumnElement[str]] = case(
    (slips.c.voided_at.is_not(None), "void"),
    (slips.c.received_at.is_not(None), "received"),
    (slips.c.carried_at.is_not(None), "carried"),
    else_="prepared",
)
"""SQL expression: the status of a slip."""


async def find_slips(connection: AsyncConnection, keys: Collection[SlipKey]) -> dict[SlipKey, Slip]:
    """Return the slips that exist among the given keys, by key."""
    if not keys:
        return {}
    rows = await _SLIPS.read(connection, bulk.keyed(_SLIPS, sorted(keys)))
    return {slip.key: slip for slip in map(slip_of_row, rows)}


async def find_slip(connection: AsyncConnection, key: SlipKey) -> Slip:
    """Return a slip. Raises: Rejected if it does not exist."""
    found = await find_slips(connection, {key})
    if key not in found:
        raise Rejected(Reason.NOT_FOUND, f"there is no {key}")
    return found[key]


async def find_request(connection: AsyncConnection, property_name: str, request: int) -> SlipRequest:
    """Return a request with the number of the slip prepared for it. Raises: Rejected if it does not exist."""
    missing = f"there is no request {request} at {property_name}"
    row = await find_row(connection, requests, missing, property=property_name, request=request)
    prepared = (await connection.execute(rows_of(slips, property=property_name, request=request))).one_or_none()
    number = None if prepared is None else prepared.number
    return SlipRequest.of(thing_of(SlipRequested, row), number=number, withdrawn_by=row.withdrawn_by)


is_open_request: Final[ColumnElement[bool]] = requests.c.withdrawn_at.is_(None) & ~exists().where(
    slips.c.property == requests.c.property, slips.c.request == requests.c.request
)
"""SQL condition: a request is not withdrawn, and no slip is prepared for it."""


def request_of_row(row: Row[Any]) -> SlipRequest:
    """Return a request from its row, without the number of its slip."""
    return SlipRequest.of(thing_of(SlipRequested, row))


def slip_of_row(row: Row[Any]) -> Slip:
    """Return a slip from its row."""
    return Slip.of(row._mapping)


async def open_slips(
    connection: Executes, property_name: str, gaming_day: date, table: str | None = None
) -> list[Slip]:
    """Return a gaming day's slips that are prepared but neither received nor void, for one `table` or for all."""
    c = slips.c
    under_way = c.voided_at.is_(None) & c.received_at.is_(None) & c.prepared_at.is_not(None)
    query = rows_of(slips, property=property_name, gaming_day=gaming_day, table=table).where(under_way)
    rows = await connection.execute(query.order_by(c.slip, c.number))
    return list(map(slip_of_row, rows))


async def slips_off(
    connection: AsyncConnection, property_name: str, gaming_day: date, table: str | None = None
) -> list[Slip]:
    """Return a gaming day's slips that are in progress or have a variance, for one `table` or for all."""
    c, v = slips.c, variance_cases.c
    under_way = c.voided_at.is_(None) & c.received_at.is_(None)
    explained = exists().where(v.property == c.property, v.table == c.table, v.variance == c.slip, v.number == c.number)
    query = rows_of(slips, property=property_name, gaming_day=gaming_day, table=table)
    query = query.where(under_way | (c.received_cents != c.cents) | explained)
    rows = await connection.execute(query.order_by(c.slip, c.number))
    return list(map(slip_of_row, rows))
