"""Find changes to a JSON Schema that would reject formerly valid documents, or drop fields that readers need. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

Schema = Mapping[str, Any]

_LOWER_BOUNDS: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER_BOUNDS: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_TYPE_OF: Final = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    list: "array",
}
_INTO_MAX: Final = 60
"""The maximum depth of the comparison; a schema nested more deeply is recursive."""


def breaking_changes(old: Schema, new: Schema) -> list[str]:
    """Return the incompatible changes from one JSON Schema to another, each as `place: change`; empty if compatible.

    A change is incompatible if it removes a required property, or any property of a closed object; makes a property
    required; narrows a type or an enumeration; removes an alternative of a union; closes an object; tightens a bound;
    or changes a pattern.

    >>> breaking_changes({"type": ["string", "null"]}, {"type": "string"})
    ['(document): null is no longer allowed']
    """
    return list(dict.fromkeys(_compare(_Side(old, old), _Side(new, new), "(document)", 0)))


class _Side:
    """One of the two compared schemas, within its document, with references resolved."""

    __slots__ = ("document", "schema")

    def __init__(self, document: Schema, schema: Any) -> None:
        self.document = document
        while isinstance(schema, Mapping) and "$ref" in schema:
            schema = _pointed_to(document, schema["$ref"])
        self.schema: Schema = {} if schema is True else {"not": {}} if schema is False else schema

    def at(self, schema: Any) -> "_Side":
        return _Side(self.document, schema)

    def forms(self) -> list["_Side"]:
        """Return the alternatives of a union, or the schema itself."""
        union = self.schema.get("anyOf") or self.schema.get("oneOf")
        return [form for one in union for form in self.at(one).forms()] if union else [self]


def _pointed_to(document: Schema, reference: str) -> Any:
    assert reference.startswith("#/"), f"{reference} points outside of its document"
    found: Any = document
    for part in reference[2:].split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")]
    return found


def _compare(old: _Side, new: _Side, where: str, depth: int) -> Iterator[str]:
    if depth > _INTO_MAX:
        return
    old_forms, new_forms = old.forms(), new.forms()
    if len(old_forms) == 1 and len(new_forms) == 1:
        yield from _compare_form(old_forms[0], new_forms[0], where, depth)
        return
    for form in old_forms:
        # The form of the new union that is closest to the old form must allow everything that the old form allowed.
        yield from min((list(_compare_form(form, other, where, depth)) for other in new_forms), key=len)


def _compare_form(old: _Side, new: _Side, where: str, depth: int) -> Iterator[str]:
    gone = _allowed_types(old.schema) - _allowed_types(new.schema)
    for name in sorted(gone):
        yield f"{where}: {name} is no longer allowed"
    yield from _values(old.schema, new.schema, where)
    yield from _bounds(old.schema, new.schema, where)
    if "object" in _allowed_types(old.schema) and not gone:
        yield from _properties(old, new, where, depth)
    for name in ("items", "propertyNames"):
        if name in new.schema:
            yield from _compare(
                old.at(old.schema.get(name, True)), new.at(new.schema[name]), f"{where}[{name}]", depth + 1
            )
    before, after = old.schema.get("prefixItems", ()), new.schema.get("prefixItems", ())
    for number, item in enumerate(after):
        was = before[number] if number < len(before) else old.schema.get("items", True)
        yield from _compare(old.at(was), new.at(item), f"{where}[{number}]", depth + 1)


def _allowed_types(schema: Schema) -> frozenset[str]:
    if "type" not in schema:
        values = _allowed_values(schema)
        if values is not None:
            return frozenset(_TYPE_OF.get(type(value), "object") for value in values)
        return frozenset() if schema.get("not") == {} else _TYPES
    named = schema["type"]
    types = frozenset([named] if isinstance(named, str) else named)
    return types | {"integer"} if "number" in types else types


def _allowed_values(schema: Schema) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _values(old: Schema, new: Schema, where: str) -> Iterator[str]:
    before, after = _allowed_values(old), _allowed_values(new)
    if after is None:
        return
    if before is None:
        yield f"{where}: only {', '.join(map(repr, after))} are allowed now"
        return
    for value in before:
        if value not in after:
            yield f"{where}: {value!r} is no longer allowed"


def _bounds(old: Schema, new: Schema, where: str) -> Iterator[str]:
    for name in _LOWER_BOUNDS:
        if name in new and (name not in old or new[name] > old[name]):
            yield f"{where}: {name} {new[name]} where it was {old.get(name, 'free')}"
    for name in _UPPER_BOUNDS:
        if name in new and (name not in old or new[name] < old[name]):
            yield f"{where}: {name} {new[name]} where it was {old.get(name, 'free')}"
    for name in ("pattern", "format"):
        if name in new and new[name] != old.get(name):
            yield f"{where}: {name} {new[name]!r} where it was {old.get(name, 'free')!r}"


def _properties(old: _Side, new: _Side, where: str, depth: int) -> Iterator[str]:
    before, after = old.schema.get("properties", {}), new.schema.get("properties", {})
    required, closed = set(old.schema.get("required", ())), new.schema.get("additionalProperties") is False
    for name in before:
        if name not in after and (name in required or closed):
            yield f"{where}.{name}: removed"
    for name in new.schema.get("required", ()):
        if name not in required:
            yield f"{where}.{name}: newly required"
    if closed and old.schema.get("additionalProperties") is not False:
        yield f"{where}: other properties are no longer allowed"
    for name, schema in after.items():
        if name in before:
            yield from _compare(old.at(before[name]), new.at(schema), f"{where}.{name}", depth + 1)
    others = new.schema.get("additionalProperties", True)
    if isinstance(others, Mapping) and old.schema.get("additionalProperties") is not False:
        was = old.schema.get("additionalProperties", True)
        yield from _compare(old.at(was), new.at(others), f"{where}.*", depth + 1)
