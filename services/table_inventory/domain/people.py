"""Steps that different people take, as the law of the property lists them."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from shared.contracts.inventory import SlipKind
from shared.contracts.people import held_twice
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.jurisdictions import Dated

Law = Dated[Any]
"""Steps by name that one person each takes, and where that is written."""


def law_of_slips(place: PropertySnapshot, slip: SlipKind, gaming_day: date) -> Law:
    """Return who has a hand in a slip of a gaming day."""
    people = place.law.people
    return people.fill.on(gaming_day) if slip == "fill" else people.credit.on(gaming_day)


def require_different(what: str, law: Law, people: Mapping[str, str | None]) -> None:
    """Let these people, by step, do what they did. Raises: Rejected where one takes two of the steps of the law.

    Steps that the law does not list do not count, nor do those that nobody has taken.
    """
    if (found := held_twice((step, people.get(step)) for step in law.value)) is not None:
        person, one, other = found
        detail = f"{person} is '{one}' of {what} and cannot be '{other}' too"
        raise Rejected(Reason.SAME_PERSON, detail, cites=law.source)
