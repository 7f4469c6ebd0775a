"""Steps that the property's law requires different people to take."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from shared.contracts.inventory import SlipKind
from shared.contracts.people import held_twice
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.jurisdictions import Dated

Law = Dated[Any]
"""A dated rule that lists the steps that different people must take, with its source."""


def law_of_slips(place: PropertySnapshot, slip: SlipKind, gaming_day: date) -> Law:
    """Return the steps of a fill or credit slip that require different people on a gaming day."""
    people = place.law.people
    return people.fill.on(gaming_day) if slip == "fill" else people.credit.on(gaming_day)


def require_different(what: str, law: Law, people: Mapping[str, str | None]) -> None:
    """Raise Rejected if one person took two steps that the law requires different people to take.

    `people` maps each step to its person, or to None if the step was not taken yet. Steps that the law does not list
    are ignored.
    """
    if (found := held_twice((step, people.get(step)) for step in law.value)) is not None:
        person, one, other = found
        detail = f"{person} is '{one}' of {what} and cannot be '{other}' too"
        raise Rejected(Reason.SAME_PERSON, detail, cites=law.source)
