"""Read the state needed to decide on pit events, both incoming and proposed at the desk."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain import pit
from services.table_inventory.queries.changing import read_books, read_dependents
from services.table_inventory.queries.credit_lines import prepared_checks
from services.table_inventory.queries.moving import boxes_on_tables, known_checks
from services.table_inventory.queries.slips import find_slips
from services.table_inventory.tables import journal, pit_events
from shared.contracts.envelope import Event
from shared.contracts.pit import CorrectedPitEvent, ExchangedBox, IssuedCounterCheck, PitChange
from shared.contracts.property_snapshot import PropertyLookup
from shared.runtime.ingest.pit_events import known_events


async def read_known(connection: AsyncConnection, places: PropertyLookup, events: Sequence[Event[Any]]) -> pit.Known:
    """Return the state needed to decide on these events: all that they, or the events that they change, refer to."""
    known = await known_events(connection, pit_events, journal, events)
    data = [event.data for event in events]
    standing = (known.standing(event) for event in events if isinstance(event.data, PitChange))
    data += [one.fact.data for one in standing if one is not None]
    data += [one.instead for one in data if isinstance(one, CorrectedPitEvent)]
    slips = {pit.slip_of(one) for one in data if isinstance(one, pit.SlipStep)}
    checks = issued(data)
    dependents = await read_dependents(connection, events, known)
    boxes = placed(data) | {one.box_before for one in dependents.values() if one.box_before is not None}
    tables = {pit.TableKey(one.property, one.table) for one in data if isinstance(one, pit.FirstCount)}
    return pit.Known(
        places,
        slips=await find_slips(connection, slips),
        books=await read_books(connection, events, tables),
        checks=await known_checks(connection, checks),
        prepared=await prepared_checks(connection, checks),
        boxes=await boxes_on_tables(connection, boxes),
        events=known,
        dependents=dependents,
    )


def issued(said: Sequence[Any]) -> set[tuple[str, str]]:
    """Return the counter checks that are issued in the given event data, as (property, serial number)."""
    return {(one.property, one.serial) for one in said if isinstance(one, IssuedCounterCheck)}


def placed(said: Sequence[Any]) -> set[pit.BoxName]:
    """Return the drop boxes that are placed on tables in the given event data, as (property, box)."""
    exchanged = (one for one in said if isinstance(one, ExchangedBox))
    return {(one.property, one.placed_box) for one in exchanged if one.placed_box is not None}
