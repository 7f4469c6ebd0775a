"""Collections, waivers and returns of vigorish at tables, and their voids and corrections. Pure; amounts are cents."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from services.vigorish.domain.assessing import settled
from shared.contracts.envelope import Event
from shared.contracts.pit import CorrectedPitEvent, PitChange, VigorishOfRound
from shared.contracts.property_snapshot import PropertyLookup, in_pit, place_at
from shared.contracts.table_kinds import require_of_its_kind
from shared.contracts.vigorish import (
    VigorishCollection,
    VigorishNoted,
    VigorishReturn,
    VigorishSettled,
    VigorishVoided,
    VigorishWaiver,
)
from shared.journal.entry import reversal
from shared.journal.recording import FactWithPostings
from shared.runtime.ingest.pit_events import EventStanding, PitEventsKnown, told_by

SETTLED: Final[Mapping[str, tuple[type[VigorishSettled], str]]] = {
    "vigorish.collected": (VigorishCollection, "collected"),
    "vigorish.waived": (VigorishWaiver, "waived"),
    "vigorish.returned": (VigorishReturn, "returned"),
}
"""Event type -> (type of the recorded fact, leg that the amount moves to)."""

_EVENT_OF: Final = {fact: event for event, (fact, _) in SETTLED.items()}


def of_pit_event(
    event: Event[Any], places: PropertyLookup, known: PitEventsKnown[VigorishSettled]
) -> tuple[FactWithPostings, ...]:
    """Return the facts that result from a vigorish event of the pit, or from its correction or void.

    Raises: Refused if the event is invalid.
    """
    data, standing = event.data, known.standing(event)
    said: VigorishOfRound | None = data if isinstance(data, VigorishOfRound) else None
    at, about, recordings = event.time, {}, []
    if isinstance(data, PitChange):
        known.require_change(event, places, None if standing is None else _EVENT_OF[type(standing.fact)])
        about = {"sequence": data.sequence, "correction": data.correction} | told_by(event)
        if isinstance(data, CorrectedPitEvent):
            assert isinstance(data.instead, VigorishOfRound), "what corrects an event is of its kind"
            said, at = data.instead, data.at
            revision = known.revision_after(event)
            about["revision"] = None if revision == 1 else revision
    stands = None
    if known.is_superseded(event) or (said is None and standing is None):
        recordings.append(_noted(event, places))
    else:
        if isinstance(data, PitChange) and standing is not None:
            recordings.append(_voided(event, standing))
        if said is not None:
            kind = data.event if isinstance(data, PitChange) else event.type
            fact = _settled(said, event, at, places, kind, about)
            stands = EventStanding(fact, settled(fact, SETTLED[kind][1]), at)
            recordings.append(FactWithPostings(fact=fact, postings=stands.postings, occurred_at=at))
    known.recorded(event, stands)
    return tuple(recordings)


def _settled(
    data: VigorishOfRound, event: Event[Any], at: datetime, places: PropertyLookup, kind: str, about: Mapping[str, Any]
) -> VigorishSettled:
    """Return the fact of a collection, waiver or return, with the gaming day and the shift of its moment.

    The clock determines the shift, as for the round on which the vigorish was assessed.
    """
    place, day = in_pit(places, data, at)
    require_of_its_kind(data, place, day)
    shift = place.shift_at(at)
    said = dict(data) | {"gaming_day": day, "claimed_day": None if data.gaming_day == day else data.gaming_day}
    said |= {"shift": shift, "claimed_shift": None if data.shift == shift else data.shift}
    return SETTLED[kind][0](**said, event=event.id, at=at, **about)


def _voided(event: Event[Any], standing: EventStanding[VigorishSettled]) -> FactWithPostings:
    """Reverse a collection, waiver or return, on its own gaming day and at its own time."""
    before, change = standing.fact, event.data
    said = {name: getattr(before, name) for name in VigorishSettled.model_fields}
    said |= {"desk_change": None, "behind": None} | told_by(event)
    said |= {"sequence": change.sequence, "correction": change.correction}
    fact = VigorishVoided(**said, settled=_EVENT_OF[type(before)])
    return FactWithPostings(fact=fact, postings=reversal(standing.postings), occurred_at=standing.at)


def _noted(event: Event[Any], places: PropertyLookup) -> FactWithPostings:
    data = event.data
    is_change = isinstance(data, PitChange)
    place = place_at(places, data.property, event.time)
    day = place.gaming_day(event.time)
    place.table(data.table, day)
    fact = VigorishNoted(
        property=data.property,
        table=data.table,
        gaming_day=day,
        event=data.event if is_change else event.type,
        sequence=data.sequence if is_change else event.sequence,
        correction=data.correction if is_change else None,
        **told_by(event),
    )
    return FactWithPostings(fact=fact)
