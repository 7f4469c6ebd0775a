"""What the ledger reads: the properties, pit events, which move chips and boxes, and settled rounds, which move chips.

Round settlement has looked at property, table and gaming day of what it settled.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain import pit, upstream
from services.table_inventory.domain.changing import of_event
from services.table_inventory.queries.changing import read_books, read_dependents, require_still_free
from services.table_inventory.queries.moving import (
    boxes_on_tables,
    closed_rounds,
    known_checks,
    require_on_one_table,
)
from services.table_inventory.queries.slips import find_slips
from services.table_inventory.tables import journal, pit_events, properties
from shared.contracts.envelope import Event
from shared.contracts.inventory import PitRecorded
from shared.contracts.pit import (
    CHANGES,
    EVENTS,
    CorrectedPitEvent,
    ExchangedBox,
    IssuedCounterCheck,
    PitChange,
    PitReader,
)
from shared.contracts.property_snapshot import PropertyLookup
from shared.contracts.settlements import RoundKey
from shared.contracts.topic_reader import Reader, Skipped
from shared.contracts.topics import PIT_EVENTS, SETTLEMENTS
from shared.journal.recording import FactWithPostings
from shared.runtime.ingest.handler import Handler
from shared.runtime.ingest.pit_events import EventStanding, PitPlace, known_events
from shared.runtime.ingest.property_copies import Places, Properties


class ApprovedProperties(Properties):
    """Keep the approved properties: their tables, gaming days and law."""

    copies = (properties,)


class PitEvents(Handler[pit.Known]):
    """Record what happens at the tables besides the rounds."""

    reader = PitReader(PIT_EVENTS, *EVENTS, *CHANGES)
    keyed_by_source = True

    def __init__(self) -> None:
        self._places = Places(properties)
        self._changed: dict[PitPlace, EventStanding[PitRecorded]] = {}
        """What stood of an event, by the place of that which takes it back: until that is recorded."""

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> pit.Known:
        await self._places.refresh(connection)
        events = [event for event in events if not isinstance(event.data, Skipped)]
        known = await known_events(connection, pit_events, journal, events)
        data = [event.data for event in events]
        standing = (known.standing(event) for event in events if isinstance(event.data, PitChange))
        data += [one.fact.data for one in standing if one is not None]
        data += [one.instead for one in data if isinstance(one, CorrectedPitEvent)]
        slips = {pit.slip_of(one) for one in data if isinstance(one, pit.SlipStep)}
        checks = {(one.property, one.serial) for one in data if isinstance(one, IssuedCounterCheck)}
        dependents = await read_dependents(connection, events, known)
        boxes = _placed(data) | {one.box_before for one in dependents.values() if one.box_before is not None}
        tables = {pit.TableKey(one.property, one.table) for one in data if isinstance(one, pit.FirstCount)}
        return pit.Known(
            self._places.place,
            slips=await find_slips(connection, slips),
            books=await read_books(connection, events, tables),
            checks=await known_checks(connection, checks),
            boxes=await boxes_on_tables(connection, boxes),
            events=known,
            dependents=dependents,
        )

    def properties_in(self, state: pit.Known) -> PropertyLookup:
        return state.places

    def stands_since(self, event: Event[Any], state: pit.Known) -> datetime | None:
        """Return when what is changed happened: whenever that was, it may be corrected and voided."""
        standing = state.events.standing(event) if isinstance(event.data, PitChange) else None
        return None if standing is None else standing.at

    def handle(self, event: Event[Any], state: pit.Known) -> Sequence[FactWithPostings]:
        takes_back = isinstance(event.data, PitChange) and not state.events.is_superseded(event)
        if takes_back and (standing := state.events.standing(event)) is not None:
            self._changed[PitPlace(event.source, event.sequence)] = standing
        return of_event(event, state)

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Decide again where it is recorded what others may have done meanwhile.

        They may have placed the same box, or built on what is taken back.
        """
        del at
        for event in events:
            if (standing := self._changed.pop(PitPlace(event.source, event.sequence), None)) is not None:
                await require_still_free(connection, event.data, standing)
        said = [one.instead if isinstance(one, CorrectedPitEvent) else one for one in (event.data for event in events)]
        await require_on_one_table(connection, _placed(said))


def _placed(said: Sequence[Any]) -> set[pit.BoxName]:
    """Return the drop boxes that events, by what they say, place on tables."""
    exchanged = (one for one in said if isinstance(one, ExchangedBox))
    return {(one.property, one.placed_box) for one in exchanged if one.placed_box is not None}


class Settlements(Handler[dict[RoundKey, datetime]]):
    """Count the chips of settled rounds, and note what of them is still to come. The state: when rounds were closed."""

    reader = Reader(SETTLEMENTS, pit.PostedRound, pit.ReversedRound, *upstream.OF_INPUT)
    gather_seconds = 0.03

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> dict[RoundKey, datetime]:
        taken_back = [event.data for event in events if isinstance(event.data, pit.ReversedRound)]
        return await closed_rounds(connection, {RoundKey.of(one) for one in taken_back})

    def handle(self, event: Event[Any], state: dict[RoundKey, datetime]) -> Sequence[FactWithPostings]:
        if isinstance(event.data, pit.PostedRound | pit.ReversedRound):
            return (pit.count_round(event.data, state),)
        return tuple(FactWithPostings(fact=fact) for fact in upstream.noted(event))
