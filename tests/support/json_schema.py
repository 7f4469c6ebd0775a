"""A JSON Schema as somebody else's validator reads it."""

from functools import cache
from typing import TYPE_CHECKING, Any

from shared.contracts.schemas import json_schemas

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from referencing import Registry


@cache
def published() -> dict[str, dict[str, Any]]:
    """Return the schemas of today by name, which nobody changes."""
    return json_schemas()


def validator(schema: Any, known: "Registry[Any] | None" = None) -> "Draft202012Validator":
    """Return what validates documents by a schema; `known` are those that it refers to."""
    # Its import takes 1.5 s, for addresses of every kind: whoever only collects the tests does without.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema) if known is None else Draft202012Validator(schema, registry=known)
