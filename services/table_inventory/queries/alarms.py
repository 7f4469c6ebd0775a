"""Read the cases of alarms."""

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.alarms import AlarmCase
from services.table_inventory.tables import alarm_cases
from shared.runtime.rows import rows_of, thing_of, things_of


async def find_case(connection: AsyncConnection, property_name: str, alarm: str) -> AlarmCase | None:
    """Return the case of an alarm, or None if it has no owner yet."""
    row = (await connection.execute(rows_of(alarm_cases, property=property_name, alarm=alarm))).one_or_none()
    return None if row is None else thing_of(AlarmCase, row)


async def cases_of(connection: AsyncConnection, property_name: str, after: str, limit: int) -> list[AlarmCase]:
    """Return the alarms with an owner, by name."""
    query = rows_of(alarm_cases, property=property_name).where(alarm_cases.c.alarm > after)
    return await things_of(AlarmCase, connection, query.order_by(alarm_cases.c.alarm).limit(limit))
