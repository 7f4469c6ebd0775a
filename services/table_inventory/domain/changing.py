"""Void or correct a pit event: reverse its effects, and apply the effects of its correction. Pure.

A reversed event leaves no trace in the figures of its table's gaming day. Whatever depends on the event must be
undone first; the error names it.
"""

from typing import Any

from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.dependents import Dependents, require_free
from services.table_inventory.domain.pit import (
    Known,
    SlipStep,
    TableKey,
    put_on_table,
    record_pit,
    slip_of,
    step_of,
)
from shared.contracts import pit as said
from shared.contracts.envelope import Event
from shared.contracts.inventory import Moved, OfPitEvent, PitNoted, PitRecorded, PitVoided
from shared.contracts.pit import CorrectedPitEvent, PitChange
from shared.contracts.property_snapshot import place_at
from shared.journal.entry import Posting, reversal
from shared.journal.recording import FactWithPostings
from shared.runtime.ingest.pit_events import EventStanding, place_of, told_by


def of_event(event: Event[Any], known: Known) -> tuple[FactWithPostings, ...]:
    """Return the facts of a pit event, or of a change to a pit event. Raises: Refused if it is not possible."""
    if isinstance(event.data, PitChange):
        trial = known.copied()
        recordings, standing = _change(event, trial)
        known.take(trial)
    elif known.events.is_superseded(event):
        recordings, standing = (_noted(event, known),), None
    else:
        recording = record_pit(event, known)
        recordings, standing = (recording,), _standing(recording, event)
    known.events.recorded(event, standing)
    return recordings


def _standing(recording: FactWithPostings, event: Event[Any]) -> EventStanding[PitRecorded]:
    assert isinstance(recording.fact, PitRecorded), "what stands was recorded"
    return EventStanding(recording.fact, recording.postings, recording.occurred_at or event.time)


def _change(event: Event[Any], known: Known) -> tuple[tuple[FactWithPostings, ...], EventStanding[PitRecorded] | None]:
    """Return the facts of a change, and the version of the changed event in force afterwards (None if it is void)."""
    change: PitChange = event.data
    standing = known.events.standing(event)
    known.events.require_change(event, known.places, None if standing is None else standing.fact.event)
    instead = None
    if isinstance(change, CorrectedPitEvent):
        instead = event.model_copy(
            update={"type": change.event, "sequence": change.sequence, "time": change.at, "data": change.instead}
        )
    if known.events.is_superseded(event):
        return (_noted(event, known),), None
    recordings: list[FactWithPostings] = []
    if standing is not None:
        recordings.append(_voided(event, standing, instead, known))
    elif instead is None:
        return (_noted(event, known),), None
    if instead is None:
        return tuple(recordings), None
    revision = known.events.revision_after(event)
    again = {"revision": None if revision == 1 else revision, "correction": change.correction} | told_by(event)
    found = known.dependents.get(place_of(event), Dependents())
    if isinstance(instead.data, said.CountedTable | said.CarriedTable):
        books = known.books[TableKey(change.property, change.table)]
        books.begin_again |= (instead.time, instead.sequence) < min(books.counts, default=(instead.time, 0))
    stay = standing is not None and _boxes_stay(standing.fact.data, instead, found)
    recording = record_pit(instead, known, boxes_stay=stay, **again)
    return (*recordings, recording), _standing(recording, instead)


def _voided(
    event: Event[Any], standing: EventStanding[PitRecorded], instead: Event[Any] | None, known: Known
) -> FactWithPostings:
    """Return the fact that reverses an event, at the event's time and on its gaming day."""
    change, fact = event.data, standing.fact
    found = known.dependents.get(place_of(event), Dependents())
    slip = known.slips[slip_of(fact.data)] if isinstance(fact.data, SlipStep) else None
    require_free(change.sequence, fact.data, None if instead is None else instead.data, found, slip)
    again = _undo(standing, instead, found, known)
    moved = None
    if fact.moved is not None:
        contents = {name: -number for name, number in (fact.moved.contents or {}).items()}
        moved = Moved(movement=fact.moved.movement, cents=-fact.moved.cents, contents=contents or None)
        if (books := known.books.get(TableKey(fact.property, fact.table))) is not None:
            books.moved.append((standing.at, moved.cents))
    voided = PitVoided(
        **{name: getattr(fact, name) for name in _SAID},
        moved=moved,
        revision=fact.revision or 1,
        correction=change.correction,
        **told_by(event),
    )
    return FactWithPostings(fact=voided, postings=reversal(standing.postings) + again, occurred_at=standing.at)


_SAID = tuple(OfPitEvent.model_fields.keys() - {"moved"})


def _undo(
    standing: EventStanding[PitRecorded], instead: Event[Any] | None, found: Dependents, known: Known
) -> tuple[Posting, ...]:
    """Remove an event's effects from the state. Return the postings that correct the table's opening balance."""
    fact, data = standing.fact, standing.fact.data
    match data:
        case said.CountedTable() | said.CarriedTable():
            return _uncount(standing, instead, known)
        case said.CarriedFill() | said.ReceivedFill() | said.CarriedCredit():
            slip = known.slips[slip_of(data)]
            known.slips[slip.key] = slip.after(**dict.fromkeys(step_of(data, standing.at)))
        case said.IssuedCounterCheck():
            known.checks.discard((fact.property, data.serial))
        case said.ExchangedBox() if not _boxes_stay(data, instead, found):
            known.boxes.get((fact.property, data.placed_box or ""), set()).discard(fact.table)
            put_on_table(found.box_before or (fact.property, None), fact.table, known)
    return ()


def _boxes_stay(data: Any, instead: Event[Any] | None, found: Dependents) -> bool:
    """Return whether the boxes on tables stay the same after an event is voided, or replaced by `instead`."""
    if not isinstance(data, said.ExchangedBox):
        return False
    return not found.is_last or (instead is not None and instead.data.placed_box == data.placed_box)


def _uncount(standing: EventStanding[PitRecorded], instead: Event[Any] | None, known: Known) -> tuple[Posting, ...]:
    """Remove a count from its table's books; if it was the first count, the books now begin with the next one."""
    fact = standing.fact
    books = known.books[TableKey(fact.property, fact.table)]
    brought = -sum(cents for account, cents in standing.postings if account.leg == "brought_forward")
    books.brought_cents -= brought
    place = (standing.at, fact.sequence)
    first = min(books.counts, default=place)
    books.counts.pop(place, None)
    books.begin_again = first == place or brought != 0
    if instead is not None:
        return ()
    changed = books.begun() if books.begin_again else 0
    return TableAccounts(fact.property, fact.table).transfer("inventory", "brought_forward", changed)


def _noted(event: Event[Any], known: Known) -> FactWithPostings:
    """Return the fact that records an event without effect. Raises: Refused for an unknown property or table."""
    data, at = event.data, event.time
    what: dict[str, Any] = {"event": event.type, "sequence": event.sequence, "data": data}
    if isinstance(data, PitChange):
        what = {"event": data.event, "sequence": data.sequence, "correction": data.correction}
        if isinstance(data, CorrectedPitEvent):
            at, what["data"] = data.at, data.instead
    place = place_at(known.places, data.property, at)
    day = place.gaming_day(at)
    place.table(data.table, day)
    fact = PitNoted(property=data.property, table=data.table, gaming_day=day, **what, **told_by(event))
    return FactWithPostings(fact=fact, gaming_day=day)
