"""What is recorded of a step of a rating, and who may amend it. Pure."""

from collections.abc import Sequence
from typing import Any

from services.table_inventory.domain.ratings import RecordedStep
from shared.contracts.envelope import Event
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import PropertyLookup, place_at
from shared.contracts.ratings import (
    OF_STEP,
    AmendedRating,
    RatingEvent,
    RatingRecorded,
    RatingValues,
    StepAmendment,
)
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import FactWithPostings

_VALUES = frozenset(RatingValues.model_fields) - {"table", "at"}


def record_step(event: Event[RatingEvent], places: PropertyLookup) -> FactWithPostings:
    """Return the fact of a rating event from outside, on the gaming day of its moment.

    Whether it goes with the other steps shows when all of them are there. Raises: Refused if property or table is not
    known.
    """
    data = event.data
    place = place_at(places, data.property, event.time)
    day = place.gaming_day(event.time)
    place.table(data.table, day)
    fact = RatingRecorded(
        property=data.property,
        table=data.table,
        rating=data.rating,
        event=event.type,
        step=f"{data.table}/{event.sequence}",
        at=event.time,
        gaming_day=day,
        by=data.by,
        **said_of(data),
    )
    return FactWithPostings(fact=fact)


def said_of(data: Any) -> dict[str, Any]:
    """Return the values of a step, or what an amendment says: the fields of a fact that differ by kind."""
    if isinstance(data, AmendedRating | StepAmendment):
        return {"values": data.instead, "amends": data.step, "reason": data.reason}
    said = {name: value for name, value in data if name in _VALUES and value is not None}
    return {"values": RatingValues(**said) if said else None}


def step_to_amend(steps: Sequence[RecordedStep], amendment: StepAmendment, by: str, *, own: bool) -> RatingRecorded:
    """Return the step that somebody may amend: one of their own, or with `own` false one of somebody else.

    Raises: Rejected if there is no such step, if it is not theirs to amend, or has no such values.
    """
    found = next((one.fact for one in steps if one.fact.step == amendment.step), None)
    if found is None:
        there = ", ".join(one.fact.step for one in steps if one.fact.amends is None)
        raise Rejected(Reason.NOT_FOUND, f"the rating has no step {amendment.step!r}; there are {there}")
    if found.amends is not None:
        raise Rejected(Reason.CONTRADICTS, f"step {found.step} amends step {found.amends}: amend that one again")
    if own and not same_person(found.by, by):
        raise Rejected(Reason.NOT_ALLOWED, f"step {found.step} was entered by {found.by}: a supervisor may amend it")
    said = set() if amendment.instead is None else set(amendment.instead.model_dump(exclude_none=True))
    if other := said - OF_STEP[found.event] - {"at"}:
        has, named = (", ".join(sorted(names)) for names in ({"at", *OF_STEP[found.event]}, other))
        raise Rejected(Reason.CONTRADICTS, f"step {found.step} ({found.event}) has {has}, not {named}")
    return found
