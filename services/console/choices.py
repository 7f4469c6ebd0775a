"""Choices for form fields, such as the property's tables, games and shifts."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from services.console.console import Person
from services.console.operations import Field
from services.console.services import REPORTING, Missing, or_missing, path
from shared.contracts.cage_locations import OUTSIDE

Choices = Mapping[str, Sequence[str]]
"""The choices of a field, by the field's name."""

NO_CHOICES: Final[Choices] = MappingProxyType({})

_PROPERTY: Final = "property"

_CHOSEN: Final[Mapping[str, str]] = {
    "table": "tables",
    "tables": "tables",
    "pit": "pits",
    "pits": "pits",
    "game": "games",
    "shift": "shifts",
    "pool": "pools",
    "progressive_links": "pools",
    "location": "locations",
    "giver": "locations",
    "receiver": "locations",
    "chip_set": "chip_sets",
}
"""The kind of names that a form field offers, by field name."""


_SIDES: Final = ("giver", "receiver")
"""The sides of a transfer at the cage, one of which may be outside the property."""


async def choices_of_property(person: Person, property_name: str) -> Choices:
    """Return a property's choices by field name; none if reporting does not answer or refuses."""
    found = await or_missing(person.calls.get(REPORTING, path("floors", property_name, "names")))
    if isinstance(found, Missing):
        return NO_CHOICES
    chosen = {name: found[kind] for name, kind in _CHOSEN.items() if found.get(kind)}
    return chosen | {name: [*chosen[name], *OUTSIDE] for name in _SIDES if name in chosen}


async def choices_for(person: Person, fields: Iterable[Field], given: Mapping[str, str]) -> Choices:
    """Return the choices for a form's fields, by field name; `given` has the property, if it is known."""
    names = {name for one in fields for name in _names(one)}
    property_name = given.get(_PROPERTY, "")
    if _PROPERTY in names and not property_name:
        return {_PROPERTY: await properties_of(person)}
    return await choices_of_property(person, property_name) if property_name and names & _CHOSEN.keys() else NO_CHOICES


async def properties_of(person: Person) -> Sequence[str]:
    """Return the properties that a person works for; empty if reporting does not answer."""
    floors = await or_missing(person.calls.get(REPORTING, "/floors"))
    return person.properties if isinstance(floors, Missing) else [one["property"] for one in floors]


def _names(one: Field) -> Iterable[str]:
    yield one.name
    for each in (*one.fields, *(() if one.item is None else (one.item,))):
        yield from _names(each)
