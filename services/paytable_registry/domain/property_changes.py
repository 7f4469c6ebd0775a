"""The differences between two versions of a property, as text. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from shared.contracts.envelope import as_json
from shared.contracts.properties import PropertyDocument

_NAMED: Final = {
    "pits": ("pit", None),
    "packs": ("pack", None),
    "shifts": ("shift", "shift"),
    "tables": ("table", "table"),
    "games": ("game", "game"),
    "expected_holds": ("expected hold from", "first_day"),
    "rated_games": ("rated game", "game"),
    "terms": ("terms of ratings from", "first_day"),
    "chip_sets": ("chip set", "chip_set"),
    "cage_locations": ("cage location", "location"),
    "denominations_cents": ("denomination", None),
    "people": ("person", "person"),
    "devices": ("device", "asset_number"),
    "progressive_links": ("progressive link", None),
    "roles": ("role", None),
    "systems": ("system", "system"),
    "signs": ("signed topic", None),
    "signing_keys": ("key", "kid"),
}
"""List field of a property -> (word for an item, field with an item's name; None if the item is the name itself)."""

Change = str


def changes(before: PropertyDocument, after: PropertyDocument) -> list[Change]:
    """Return the changes made by a later version as text, one per line, omitting its number and `effective_from`."""
    one, other = _document(before), _document(after)
    return list(_changes("", one, other))


def _document(version: PropertyDocument) -> dict[str, Any]:
    said = PropertyDocument.model_fields.keys() - {"effective_from"}
    return {name: value for name, value in as_json(version).items() if name in said}


def _changes(where: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name), after.get(name)
        if one == other:
            continue
        if name in _NAMED:
            yield from _listed(where, name, one or [], other or [])
        elif isinstance(one or other, dict):
            yield from _changes(f"{where}{_words(name)}: ", one or {}, other or {})
        else:
            yield f"{where}{_words(name)}: {_said(one)} to {_said(other)}"


def _listed(where: str, name: str, before: Sequence[Any], after: Sequence[Any]) -> Iterator[Change]:
    what, key = _NAMED[name]
    if not all(isinstance(item, dict) for item in (*before, *after)):
        key = None  # in some places, the list has names of tables instead of tables
    one = {item if key is None else item[key]: item for item in before}
    other = {item if key is None else item[key]: item for item in after}
    for each in sorted(one.keys() - other.keys()):
        yield f"{where}{what} {each}: removed"
    for each in sorted(other.keys() - one.keys()):
        yield f"{where}{what} {each}: added{_in_words(other[each], key)}"
    for each in sorted(one.keys() & other.keys()):
        if key is not None:
            yield from _changes(f"{where}{what} {each}: ", one[each], other[each])


def _in_words(item: Any, key: str | None) -> str:
    if not isinstance(item, dict):
        return ""
    members = {name: value for name, value in item.items() if name != key and value not in ([], False)}
    return f" ({', '.join(f'{_words(name)} {_said(value)}' for name, value in members.items())})"


def _said(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(_said, value)) or "none"
        case dict():
            return " ".join(_said(each) for each in value.values())
        case _:
            return str(value)


def _words(name: str) -> str:
    return name.replace("_", " ")
