"""Read data for metrics that change with time: slips in progress, missing slip numbers, unsealed days."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.days import DayKey
from services.table_inventory.tables import properties
from shared.contracts.inventory import SlipKind
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.rows import things_of

LOOK_BACK_DAYS: Final = 35
"""The number of past gaming days among which unsealed days are searched for."""

SERIES: Final = ("system", "paper")
"""The numbering series of slips: the system's, and the printed numbers of paper forms used during an outage."""


@dataclass(frozen=True, slots=True)
class UnderWay:
    """The number of slips in progress of one kind, on a gaming day, that are in the same stage.

    If `is_carried`, the slips are in transit, and `first_at` is when the first of them left. Otherwise they have only
    been prepared, and `first_at` is when the first of them was prepared.
    """

    property: str
    slip: SlipKind
    gaming_day: date
    is_carried: bool
    slips: int
    first_at: datetime


_UNDER_WAY: Final = text("""
    SELECT property, slip, gaming_day, carried_at IS NOT NULL AS is_carried, count(*) AS slips,
           min(coalesce(carried_at, prepared_at)) AS first_at
    FROM table_inventory.slips
    WHERE received_at IS NULL AND voided_at IS NULL AND prepared_at IS NOT NULL
    GROUP BY 1, 2, 3, 4""")

# The system's series begins with 1. A printed series begins with the lowest number used.
_MISSING: Final = text("""
    SELECT series, slip, sum(missing) AS missing
    FROM (SELECT 'system' AS series, slip, max(number) - count(*) AS missing FROM table_inventory.slips
          WHERE prepared_at IS NOT NULL GROUP BY property, slip
          UNION ALL
          SELECT 'paper', slip, max(number) - min(number) + 1 - count(*) FROM table_inventory.manual_slips
          GROUP BY property, slip) of_properties
    GROUP BY series, slip""")

_PROPERTIES: Final = text("SELECT DISTINCT property FROM table_inventory.properties")

_UNSEALED: Final = text("""
    SELECT w.property, w.gaming_day
    FROM unnest(CAST(:properties AS text[]), CAST(:days AS date[])) AS w (property, gaming_day)
    WHERE EXISTS (SELECT FROM table_inventory.counts c
                  WHERE c.property = w.property AND c.gaming_day = w.gaming_day)
      AND NOT EXISTS (SELECT FROM table_inventory.days d
                      WHERE d.property = w.property AND d.gaming_day = w.gaming_day AND d.final_at IS NOT NULL)
    ORDER BY w.property, w.gaming_day""")


async def slips_under_way(connection: AsyncConnection) -> list[UnderWay]:
    """Return the number of slips neither received nor void, by property, kind, gaming day and stage."""
    return await things_of(UnderWay, connection, _UNDER_WAY)


async def missing_numbers(connection: AsyncConnection) -> dict[tuple[str, str], int]:
    """Return the number of unaccounted slip numbers over all properties, by (series, kind of slip)."""
    return {(row.series, row.slip): int(row.missing) for row in await connection.execute(_MISSING)}


async def running_days(connection: AsyncConnection, now: datetime) -> dict[str, date]:
    """Return the gaming day at the time `now` for each property in effect, by property."""
    places = await known_places(connection, properties)
    names = (await connection.execute(_PROPERTIES)).scalars()
    return {name: place.gaming_day(now) for name in names if (place := places.place(name, now)) is not None}


async def unsealed_days(connection: AsyncConnection, now: datetime) -> list[DayKey]:
    """Return the gaming days that ended recently, have counts, and are not sealed."""
    ended = [
        DayKey(name, running - timedelta(days=ago))
        for name, running in (await running_days(connection, now)).items()
        for ago in range(1, LOOK_BACK_DAYS + 1)
    ]
    asked = {"properties": [key.property for key in ended], "days": [key.gaming_day for key in ended]}
    return [DayKey(row.property, row.gaming_day) for row in await connection.execute(_UNSEALED, asked)]
