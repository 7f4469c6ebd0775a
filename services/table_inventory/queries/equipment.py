"""Read the last equipment events of open tables."""

from datetime import date, datetime
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.equipment import Clock, OpenTable, clocks
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.queries.places import place_on
from services.table_inventory.tables import properties
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.rows import things_of

_OPEN: Final = text("""
    WITH last AS (
        SELECT DISTINCT ON (c.property, c."table") c.*
        FROM table_inventory.counts c
        WHERE (CAST(:property AS text) IS NULL OR c.property = :property)
        ORDER BY c.property, c."table", c.at DESC, c.sequence DESC)
    SELECT l.property, l."table", coalesce(l.begins_day, l.gaming_day) AS gaming_day, o.at AS opened_at,
           o.card_reader, o.dice, e.last, r.rounds_since_stub
    FROM last l
    CROSS JOIN LATERAL (
        SELECT q.at, q.card_reader, q.dice FROM table_inventory.counts q
        WHERE q.property = l.property AND q."table" = l."table" AND q.purpose = 'opener'
        ORDER BY q.at DESC, q.sequence DESC LIMIT 1) o
    CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_object_agg(d."check", to_jsonb(d)), '{}') AS last,
               max(d.at) FILTER (WHERE d."check" IN ('stub', 'cards')) AS stub_at
        FROM (SELECT DISTINCT ON ("check") "check", at, gaming_day, data FROM table_inventory.equipment q
              WHERE q.property = l.property AND q."table" = l."table"
              ORDER BY "check", at DESC, sequence DESC) d) e
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(m.rounds), 0) AS rounds_since_stub FROM table_inventory.movements m
        WHERE m.property = l.property AND m."table" = l."table" AND m.at > greatest(e.stub_at, o.at)) r
    WHERE l.purpose NOT IN ('closer', 'carried')
    ORDER BY l.property, l."table" """)


async def open_tables(connection: AsyncConnection, property_name: str | None) -> list[OpenTable]:
    """Return the tables that are open now, of one property or of all."""
    return await things_of(OpenTable, connection, _OPEN, {"property": property_name})


async def clocks_of(connection: AsyncConnection, property_name: str | None, now: datetime) -> list[Clock]:
    """Return the due times of equipment checks at open tables, of one property or of all."""
    places = await known_places(connection, properties)
    of_days: dict[tuple[str, date], Provisions] = {}
    found: list[Clock] = []
    for table in await open_tables(connection, property_name):
        key = (table.property, table.gaming_day)
        if key not in of_days:
            of_days[key] = Provisions.of(place_on(places, *key), table.gaming_day)
        found += clocks(table, of_days[key], now)
    return found
