"""Steps of a rating: the fact that records a step, and the rules for amending steps. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from shared.contracts.derived_rating import RecordedStep, effective_steps
from shared.contracts.envelope import Event
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot, TableSigner, place_at
from shared.contracts.ratings import (
    OF_STEP,
    TAKE_A_SEAT,
    AmendedRating,
    RatingEvent,
    RatingRecorded,
    RatingValues,
    StepAmendment,
)
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import FactWithPostings

_VALUES = frozenset(RatingValues.model_fields) - {"table", "at"}


def record_step(
    event: Event[RatingEvent], places: PropertyLookup, signer: TableSigner | None = None
) -> FactWithPostings:
    """Return the fact of a rating event from a topic, on the gaming day of its moment.

    The fact names the signing key only if the key belongs to a device of the table, because a system that signs for
    several tables only relays what people enter. Contradictions with other steps are found when the rating is derived.
    Raises: Refused for an unknown property or table, and if play begins at a table that is not in use that day.
    """
    data = event.data
    place = place_at(places, data.property, event.time)
    day = place.gaming_day(event.time)
    if event.type in TAKE_A_SEAT or not place.ever_had_table(data.table):
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
        device_key=signer.key.kid if signer is not None and signer.is_device else None,
        **said_of(data),
    )
    return FactWithPostings(fact=fact)


def said_of(data: Any) -> dict[str, Any]:
    """Return the fields of a fact that depend on the kind of step: its values, or the content of an amendment."""
    if isinstance(data, AmendedRating | StepAmendment):
        return {"values": data.instead, "amends": data.step, "reason": data.reason}
    said = {name: value for name, value in data if name in _VALUES and value is not None}
    return {"values": RatingValues(**said) if said else None}


def step_to_amend(steps: Sequence[RecordedStep], amendment: StepAmendment, by: str, *, own: bool) -> RatingRecorded:
    """Return the step to be amended. With `own`, the person must have entered the step.

    A person who was overruled on a step may not amend it again. Raises: Rejected if the step does not exist, if this
    person may not amend it, or if its kind of step does not have the given values.
    """
    found = next((one.fact for one in steps if one.fact.step == amendment.step), None)
    if found is None:
        there = ", ".join(one.fact.step for one in steps if one.fact.amends is None)
        raise Rejected(Reason.NOT_FOUND, f"the rating has no step {amendment.step!r}; there are {there}")
    if found.amends is not None:
        raise Rejected(Reason.CONTRADICTS, f"step {found.step} amends step {found.amends}: amend that one again")
    overruler = overruled_by(found, (one.fact for one in steps), by)
    if overruler is not None:
        detail = f"step {found.step}: {overruler} overruled what you said: only another supervisor may amend it again"
        raise Rejected(Reason.SAME_PERSON, detail)
    if own and not same_person(found.by, by):
        raise Rejected(Reason.NOT_ALLOWED, f"step {found.step} was entered by {found.by}: a supervisor may amend it")
    said = set() if amendment.instead is None else set(amendment.instead.model_dump(exclude_none=True))
    if other := said - OF_STEP[found.event] - {"at"}:
        has, named = (", ".join(sorted(names)) for names in ({"at", *OF_STEP[found.event]}, other))
        raise Rejected(Reason.CONTRADICTS, f"step {found.step} ({found.event}) has {has}, not {named}")
    return found


def overruled_by(amended: RatingRecorded, steps: Iterable[RatingRecorded], by: str) -> str | None:
    """Return the person who overruled `by`: the last to amend the step after `by` entered or amended it; else None.

    `steps` are in the order in which they were recorded.
    """
    word, spoke = amended.by, same_person(amended.by, by)
    for one in steps:
        if one.amends == amended.step:
            word, spoke = one.by, spoke or same_person(one.by, by)
    return word if spoke and not same_person(word, by) else None


def require_place_in_order(
    steps: Sequence[RecordedStep], amended: RatingRecorded, at: datetime, place: PropertySnapshot
) -> None:
    """Raise Rejected if an amended moment is not between the moments of the previous and the next step.

    The first and the last step must also stay on their gaming day, because another day may be sealed already.
    """
    there, _ = effective_steps(steps)
    mine = next((one for one in there if one.name == amended.step), None)
    others = [one for one in there if one.name != amended.step]
    order = (amended.at, 1, (0, 0)) if mine is None else mine.order
    before = max((one for one in others if one.order < order), key=lambda one: one.order, default=None)
    behind = min((one for one in others if one.order > order), key=lambda one: one.order, default=None)
    for other, is_wrong, where in (
        (before, before is not None and at < before.at, "before"),
        (behind, behind is not None and at > behind.at, "behind"),
    ):
        if other is not None and is_wrong:
            moment, its = place.clock_text(at), place.clock_text(other.at)
            detail = f"{moment} is {where} step {other.name} ({other.event}) at {its}"
            raise Rejected(Reason.CONTRADICTS, f"step {amended.step}: {detail}: amend or void that step first")
    day = amended.gaming_day
    is_earlier, is_later = at < amended.at and before is None, at > amended.at and behind is None
    if (is_earlier or is_later) and not place.is_day(day, at, margin=place.pit_margin):
        detail = f"{place.clock_text(at)} is in gaming day {place.gaming_day(at)}, and the step was entered for {day}"
        way = "give a moment of that day, or void the rating's steps and have it rated on the other day"
        raise Rejected(Reason.CONTRADICTS, f"step {amended.step}: {detail}: {way}")
