"""Form fields for a round record or a pit event, from its model, filled in with what is in force."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from services.console.forms import cards_text
from services.console.operations import Field, Kind
from shared.cards import Card
from shared.contracts.facts import KINDS
from shared.contracts.money import dollars
from shared.rules import REGULATIONS, round_type
from shared.rules.record import MOST_CENTS

_CARDS: Final = frozenset(get_args(Card))
_PICKS: Final = tuple(map(str, range(1, 8)))
"""The numbers of a random number generator that a player may pick."""


def record_fields(name: str, regulation: str | None, record: Mapping[str, Any]) -> Field | None:
    """Return a group field `name` with the fields of a record; None if no implemented game has the regulation.

    Meter fields come from the record; all other fields come from the model of the regulation's game.
    """
    if regulation not in REGULATIONS:
        return None
    model = round_type(regulation).model_json_schema()
    keys = {"meters": record.get("meters", ()), "picks": _PICKS}
    return _Model(model["$defs"], keys).field(name, model, required=True)


def event_fields(name: str, event: str) -> Field | None:
    """Return a group field `name` with the fields of a pit event's data; None if the type of the event is unknown."""
    if event not in KINDS:
        return None
    model = KINDS[event].model.model_json_schema()
    return _Model(model.get("$defs", {}), {}).field(name, model, required=True)


def record_typed(one: Field, at: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield each field's name in the form, and its value in the record or event as a person would type it."""
    match one.kind:
        case _ if value is None:
            return
        case "group":
            for each in one.fields:
                yield from record_typed(each, f"{at}.{each.name}", value.get(each.name))
        case "list":
            assert one.item is not None
            for number, each in enumerate(value):
                yield from record_typed(one.item, f"{at}.{number}", each)
        case "cards":
            yield at, cards_text(value)
        case "flag":
            yield at, "yes" if value else "no"
        case "cents":
            yield at, dollars(value, grouped=False)
        case "document":
            yield at, json.dumps(value)
        case _:
            yield at, str(value)


@dataclass(frozen=True, slots=True)
class _Model:
    """The JSON Schema of a record or event: its definitions, and, by member, the keys of maps from names to cents."""

    definitions: Mapping[str, Any]
    keys: Mapping[str, Collection[str]]

    def field(self, name: str, schema: Mapping[str, Any], *, required: bool) -> Field:
        """Return the form field for a member of the record or event."""
        schema = self._resolved(schema)
        default = schema.get("default")
        if set(_names_in(schema)) <= _CARDS and _is_list(schema):
            return Field(name=name, kind="cards", required=required)
        match schema:
            case {"properties": members}:
                needed = schema.get("required", ())
                shown = {one: each for one, each in members.items() if self.keys.get(one, "any")}
                fields = tuple(self.field(one, each, required=one in needed) for one, each in shown.items())
                return Field(name=name, kind="group", fields=fields, required=required)
            case {"additionalProperties": {"type": "integer"} as each}:
                keys = schema.get("propertyNames", {}).get("enum") or self.keys[name]
                fields = tuple(self.field(one, each, required=False) for one in keys)
                return Field(name=name, kind="group", fields=fields, required=required)
            case {"type": "array", "items": items}:
                item = self.field(name, items, required=True)
                most = schema["maxItems"]
                return Field(name=name, kind="list", item=item, items_max=most, required=required)
            case {"enum": choices}:
                # Not required: nothing is chosen for a row that stays empty.
                return Field(name=name, kind="choice", choices=tuple(choices), default=default, required=False)
            case {"type": "boolean"}:
                return Field(name=name, kind="flag", default=default, required=required)
            case {"type": "integer", "maximum": most}:
                kind: Kind = "cents" if most == MOST_CENTS else "whole"
                return Field(name=name, kind=kind, default=default, required=required)
            case {"type": "string", "format": "date"}:
                return Field(name=name, kind="day", required=required)
            case {"type": "string"}:
                return Field(name=name, kind="text", required=required)
            case {"anyOf": [{"const": str()}, {"type": "integer"}, *_]}:
                return Field(name=name, kind="number_or_text", required=required)
            case _:
                return Field(name=name, kind="document", required=required)

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a schema with its reference resolved, and without the null of an optional member."""
        options = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
        found = {**schema, **options[0]} if len(options) == 1 else schema
        return self.definitions[found["$ref"].rpartition("/")[2]] if "$ref" in found else found


def _is_list(schema: Mapping[str, Any]) -> bool:
    options = schema.get("anyOf", ())
    return all(map(_is_list, options)) if options else schema.get("type") == "array"


def _names_in(schema: Mapping[str, Any]) -> Iterator[str | None]:
    """Yield the enumerated values that a schema and its nested lists allow; yield None for any other content."""
    within = [*schema.get("anyOf", ()), *schema.get("prefixItems", ())]
    within += [schema["items"]] if schema.get("items") else []
    for each in within:
        yield from _names_in(each)
    if not within and not _is_list(schema):
        yield from schema.get("enum", [None])
