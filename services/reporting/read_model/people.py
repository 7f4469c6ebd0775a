"""The persons that facts name, counted by kind of fact, to determine when a role was last used. Pure."""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, get_args

from pydantic import BaseModel

from services.reporting.read_model.measures import Amount
from shared.contracts.envelope import A_PERSON
from shared.contracts.facts import Fact

ACTS: Final = "acts"
"""The measure that counts the facts naming a person; its item is the kind of fact, a space, and the person."""


def acts_of(fact: Fact) -> list[Amount]:
    """Return one amount of 1 in the measure `acts` for each person that a fact names: what people did is counted."""
    return [Amount(ACTS, 1, item=f"{fact.KIND.name} {person}") for person in dict.fromkeys(people_in(fact))]


def person_of(item: str) -> tuple[str, str]:
    """Return (kind of fact, person) from the item that `acts_of` writes."""
    kind, _, person = item.partition(" ")
    return kind, person


def people_in(said: BaseModel) -> Iterator[str]:
    """Yield the people that a fact names, including in nested models; a person may be repeated."""
    for name in type(said).model_fields:
        value = getattr(said, name)
        if isinstance(value, str):
            if name in people_fields(type(said)):
                yield value
        elif isinstance(value, BaseModel):
            yield from people_in(value)
        elif isinstance(value, tuple):
            for one in value:
                if isinstance(one, BaseModel):
                    yield from people_in(one)
                elif isinstance(one, str) and name in people_fields(type(said)):
                    yield one


@cache
def people_fields(model: type[BaseModel]) -> frozenset[str]:
    """Return the names of a model's fields that contain a person or several persons."""
    fields = model.model_fields.items()
    return frozenset(name for name, field in fields if A_PERSON in field.metadata or _names(field.annotation))


def _names(annotation: Any) -> bool:
    return A_PERSON in getattr(annotation, "__metadata__", ()) or any(map(_names, get_args(annotation)))
