"""Read the periods in which a table was certainly closed: from closer to opener, with no event missing in between."""

from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import pit_source


class ClosedTime(NamedTuple):
    """A period in which a table was closed, from its closer (None before its first opener) to its next opener."""

    since: datetime | None
    until: datetime


_CLOSED: Final = text("""
    WITH counted AS (
        SELECT sequence, at, purpose FROM table_inventory.counts
        WHERE property = :property AND "table" = :table AND purpose IN ('opener', 'closer', 'shift', 'drop')),
    before AS (
        SELECT * FROM counted WHERE at < :minute + interval '1 minute' ORDER BY at DESC, sequence DESC LIMIT 1),
    after AS (
        SELECT * FROM counted WHERE at >= :minute + interval '1 minute' ORDER BY at, sequence LIMIT 1)
    SELECT b.at AS since, a.at AS until FROM after a LEFT JOIN before b ON true
    WHERE a.purpose = 'opener' AND (b.at IS NULL OR b.purpose = 'closer' AND b.at < :minute)
      AND a.sequence - coalesce(b.sequence, 0) - 1 = (
          SELECT count(*) FROM table_inventory.pit_events e
          WHERE e.source = :source AND e.sequence > coalesce(b.sequence, 0) AND e.sequence < a.sequence)""")


async def closed_at(connection: AsyncConnection, property_name: str, table: str, minute: datetime) -> ClosedTime | None:
    """Return the period of closure that covers the given minute, or None if the table may have been open then.

    The table may have been open if no opener follows yet, or if an event between closer and opener is missing.
    """
    asked = {"property": property_name, "table": table, "minute": minute, "source": pit_source(property_name, table)}
    row = (await connection.execute(_CLOSED, asked)).one_or_none()
    return None if row is None else ClosedTime(row.since, row.until)
