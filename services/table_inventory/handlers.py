"""Handlers of the ledger's topics: properties, submissions, pit events, settled rounds and ratings.

Pit events move chips and boxes; ratings move no money. Round settlement has already checked the property, table and
gaming day of settled rounds.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain import pit, upstream
from services.table_inventory.domain.changing import of_event
from services.table_inventory.domain.rating_steps import record_step
from services.table_inventory.queries.changing import require_still_free
from services.table_inventory.queries.credit_lines import require_not_void
from services.table_inventory.queries.knowing import issued, placed, read_known
from services.table_inventory.queries.moving import closed_rounds, require_on_one_table
from services.table_inventory.queries.pit_changes import approved_changes
from services.table_inventory.tables import pit_events, properties, submissions
from shared.contracts.envelope import Event, encode
from shared.contracts.inventory import PitRecorded
from shared.contracts.pit import (
    CHANGES,
    EVENTS,
    CorrectedPitEvent,
    PitChange,
    PitChangeApproval,
    PitReader,
    goes_with,
)
from shared.contracts.pit_changes import PitChangeApproved, approved_change, event_of
from shared.contracts.property_snapshot import PropertyLookup, TableSigner
from shared.contracts.ratings import STEPS, RatingReader
from shared.contracts.settlement_views import CountedResult, PostedRound, ReversedRound, UncountedResult
from shared.contracts.settlements import RoundKey
from shared.contracts.topic_reader import Reader, Skipped
from shared.contracts.topics import PIT_EVENTS, RATING_EVENTS, SETTLEMENTS
from shared.journal.recording import FactWithPostings
from shared.rules.errors import Refused
from shared.runtime.ingest.handler import FactHandler
from shared.runtime.ingest.pit_events import EventStanding, PitEventsKnown, PitPlace, require_unchanged
from shared.runtime.ingest.property_copies import Places, Properties
from shared.runtime.ingest.submission_copies import RulesSubmissions


class ApprovedProperties(Properties):
    """A handler that stores approved properties: their tables, gaming days and law."""

    copies = (properties,)


class Submissions(RulesSubmissions):
    """A handler that stores approved submissions, from which the exact house edge of ratings is computed."""

    copies = (submissions,)


class PitEvents(FactHandler[pit.Known]):
    """A handler that records all table events other than rounds."""

    reader = PitReader(PIT_EVENTS, *EVENTS, *CHANGES, PitChangeApproval)
    keyed_by_source = True
    gather_seconds = 0.1

    def __init__(self) -> None:
        self._places = Places(properties)
        self._changed: dict[PitPlace, EventStanding[PitRecorded]] = {}
        """The version of each changed event before its change, by the position of the change, until it is recorded."""
        self._approved: dict[tuple[str, int], PitChangeApproved] = {}
        """The approved desk changes that a batch refers to, by (property, change number), as read from the journal."""
        self._known: PitEventsKnown[PitRecorded] = PitEventsKnown()
        """The pit events that were loaded for a batch. They must be unchanged when the batch is recorded."""

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> pit.Known:
        await self._places.refresh(connection)
        approved = await approved_changes(connection, [one.data for one in events if goes_with(one) is not None])
        self._approved = {(one.property, one.change): one for one in approved}
        meant = [self._meant(event) for event in events if not isinstance(event.data, Skipped)]
        known = await read_known(connection, self._places.place, [event for event in meant if event is not None])
        self._known = known.events
        return known

    def _meant(self, event: Event[Any]) -> Event[Any] | None:
        """Return the event to be recorded. A desk change is read from the journal; None if it is not approved."""
        if goes_with(event) is None:
            return event
        approved = self._approved.get((event.data.property, event.data.change))
        if approved is None or encode(event) != encode(event_of(approved)):
            return None
        return approved_change(approved)

    @classmethod
    def goes_with(cls, event: Event[Any]) -> str | None:
        """Return the source of the pit stream to which a desk change belongs; None for other events."""
        return goes_with(event)

    def properties_in(self, state: pit.Known) -> PropertyLookup:
        return state.places

    def stands_since(self, event: Event[Any], state: pit.Known) -> datetime | None:
        """Return the moment of the event that a change corrects or voids; None for other events."""
        standing = state.events.standing(event) if isinstance(event.data, PitChange) else None
        return None if standing is None else standing.at

    def handle(self, event: Event[Any], state: pit.Known) -> Sequence[FactWithPostings]:
        meant = self._meant(event)
        if meant is None:
            raise Refused(
                f"change {event.data.change} of {event.data.property} was not approved as this record says: find out "
                "who sent it, then dismiss it"
            )
        takes_back = isinstance(meant.data, PitChange) and not state.events.is_superseded(meant)
        if takes_back and (standing := state.events.standing(meant)) is not None:
            self._changed[PitPlace(event.source, event.sequence)] = standing
        return of_event(meant, state)

    async def require_as_loaded(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> None:
        """Verify that no event that the batch changes got a new revision after it was loaded.

        That can happen because changes from the desk and from the pit are read from different partitions.
        """
        meant = [self._meant(event) for event in events]
        changes = [one for one in meant if one is not None and isinstance(one.data, PitChange)]
        await require_unchanged(connection, pit_events, self._known, changes)

    async def require_consistent(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> None:
        """Verify that no concurrent transaction conflicts with the boxes, checks and changed events of a batch."""
        said = []
        for event in events:
            meant = self._meant(event)
            assert meant is not None, "what nobody approved is not recorded"
            said.append(meant.data.instead if isinstance(meant.data, CorrectedPitEvent) else meant.data)
            if (standing := self._changed.pop(PitPlace(event.source, event.sequence), None)) is not None:
                await require_still_free(connection, meant.data, standing)
        await require_on_one_table(connection, placed(said))
        await require_not_void(connection, issued(said))


class RatingEvents(FactHandler[Places]):
    """A handler that records rating steps in any order; the derived rating shows contradictions between steps."""

    reader = RatingReader(RATING_EVENTS, *STEPS)
    keyed_by_source = True
    gather_seconds = 0.1

    def __init__(self) -> None:
        self._places = Places(properties)

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> Places:
        del events
        await self._places.refresh(connection)
        return self._places

    def properties_in(self, state: Places) -> PropertyLookup:
        return state.place

    def handle(self, event: Event[Any], state: Places) -> Sequence[FactWithPostings]:
        return self.handle_signed(event, state, None)

    def handle_signed(self, event: Event[Any], state: Places, signer: TableSigner | None) -> Sequence[FactWithPostings]:
        return (record_step(event, state.place, signer),)


class Settlements(FactHandler[dict[RoundKey, datetime]]):
    """A handler that records the chips of settled rounds, results of counted tables, and reports of missing input.

    The state maps rounds to closing times.
    """

    reader = Reader(SETTLEMENTS, PostedRound, ReversedRound, CountedResult, UncountedResult, *upstream.OF_INPUT)

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> dict[RoundKey, datetime]:
        taken_back = [event.data for event in events if isinstance(event.data, ReversedRound)]
        return await closed_rounds(connection, {RoundKey.of(one) for one in taken_back})

    def handle(self, event: Event[Any], state: dict[RoundKey, datetime]) -> Sequence[FactWithPostings]:
        if isinstance(event.data, PostedRound | ReversedRound):
            return (pit.count_round(event.data, state),)
        if isinstance(event.data, CountedResult | UncountedResult):
            return tuple(pit.note_result(event.data))
        return tuple(FactWithPostings(fact=fact) for fact in upstream.noted(event))
