"""Reads requests, slips and paper slips."""

from datetime import date
from typing import Any, Final

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.exceptions import PaperSlip, Series
from services.table_inventory.domain.slips import Slip, SlipKey, SlipStatus
from services.table_inventory.queries.moving import find_slips
from services.table_inventory.tables import manual_slips, requests, slips
from shared.contracts.inventory import SlipKind, SlipRequested
from shared.contracts.rejection import Reason, Rejected

_paper: Final = TypeAdapter(list[PaperSlip])


async def last_number(connection: AsyncConnection, number: ColumnElement[int], *conditions: ColumnElement[bool]) -> int:
    """Return the highest number of the rows that meet the conditions; 0 without any."""
    found = await connection.execute(select(func.coalesce(func.max(number), 0)).where(*conditions))
    return int(found.scalar_one())


async def find_slip(connection: AsyncConnection, key: SlipKey) -> Slip:
    """Return a slip. Raises: Rejected where there is none."""
    found = await find_slips(connection, {key})
    if key not in found:
        raise Rejected(Reason.NOT_FOUND, f"there is no {key}")
    return found[key]


async def find_request(connection: AsyncConnection, property_name: str, request: int) -> SlipRequested:
    """Return a request. Raises: Rejected where there is none."""
    c = requests.c
    query = select(requests).where(c.property == property_name, c.request == request)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise Rejected(Reason.NOT_FOUND, f"there is no request {request} at {property_name}")
    return SlipRequested(**row._mapping)


async def read_slips(
    connection: AsyncConnection,
    property_name: str,
    *,
    gaming_day: date | None = None,
    slip: SlipKind | None = None,
    status: SlipStatus | None = None,
    after: tuple[str, int] | None = None,
    limit: int | None = None,
) -> list[Slip]:
    """Return slips in the order of kind and number."""
    c = slips.c
    query = select(slips).where(c.property == property_name).order_by(c.slip, c.number).limit(limit)
    if gaming_day is not None:
        query = query.where(c.gaming_day == gaming_day)
    if slip is not None:
        query = query.where(c.slip == slip)
    if status is not None:
        query = query.where(_with_status(status))
    if after is not None:
        query = query.where(tuple_(c.slip, c.number) > after)
    return [Slip.of(row._mapping) for row in await connection.execute(query)]


def _with_status(status: SlipStatus) -> ColumnElement[bool]:
    c = slips.c
    void, received, carried = c.voided_at.is_not(None), c.received_at.is_not(None), c.carried_at.is_not(None)
    match status:
        case "void":
            return void
        case "received":
            return received
        case "carried":
            return carried & ~received & ~void
        case "prepared":
            return ~carried & ~received & ~void


async def paper_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[PaperSlip]:
    """Return the paper slips of a gaming day."""
    c = manual_slips.c
    query = select(manual_slips).where(c.property == property_name, c.gaming_day == gaming_day)
    rows = await connection.execute(query.order_by(c.slip, c.number))
    return _paper.validate_python([row._mapping for row in rows])


async def read_series(connection: AsyncConnection, property_name: str) -> list[Series]:
    """Return the series of a property: of prepared slips and of paper slips, for fills and credits."""
    found: list[Series] = []
    for table, is_void in ((slips, slips.c.voided_at.is_not(None)), (manual_slips, manual_slips.c.void)):
        c = table.c
        query = select(
            c.slip,
            func.min(c.number).label("first"),
            func.max(c.number).label("last"),
            func.count().label("used"),
            func.count().filter(is_void).label("void"),
        )
        query = query.where(c.property == property_name).group_by(c.slip).order_by(c.slip)
        for row in (await connection.execute(query)).all():
            values: dict[str, Any] = dict(row._mapping)
            first = values["first"] = 1 if table is slips else values["first"]
            missing: list[int] = []
            if row.used != row.last - first + 1:
                numbers = select(c.number).where(c.property == property_name, c.slip == row.slip)
                there = set((await connection.execute(numbers)).scalars())
                missing = [number for number in range(first, row.last + 1) if number not in there]
            found.append(Series(property=property_name, manual=table is manual_slips, missing=missing, **values))
    return found
