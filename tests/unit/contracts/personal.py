"""Which fields of models are marked as personal, also in the models that they hold."""

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from shared.contracts.envelope import PERSONAL


def personal_fields(model: Any, also: tuple[str, ...] = ()) -> set[str]:
    """Return the names of the personal fields of a model and of those in it, and of fields with these names."""
    found: set[str] = set()
    for kind in _models(model):
        for name, field in kind.model_fields.items():
            if name in also or PERSONAL in field.metadata or _is_personal(field.annotation):
                found.add(name)
            found |= personal_fields(field.annotation, also)
    return found


def _is_personal(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        return any(mark is PERSONAL for mark in annotation.__metadata__) or _is_personal(get_args(annotation)[0])
    return any(_is_personal(one) for one in get_args(annotation))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        return
    for one in get_args(annotation):
        yield from _models(one)
