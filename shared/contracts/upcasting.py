"""Upcasting: upgrade data of older versions step by step to the current one.

Recorded entries are never rewritten: they keep their bytes and hashes. A kind gets a new version when its data can no
longer be read as before; `upcasts`, next to its declaration, converts the older version:

    @fact("vigorish.waived", VIGORISH, moves_money=True, version=2)
    class VigorishWaived(Fact): ...

    @upcasts("vigorish.waived", 1)
    def _with_a_shift(data: Data) -> Data:
        return {**data, "shift": "day"}
"""

from collections.abc import Callable
from typing import Any

from pydantic_core import from_json, to_json

from shared.contracts.facts import KINDS, EventKind, name_and_version

Data = dict[str, Any]
"""The data of an entry or event as a JSON object."""
Upcaster = Callable[[Data], Data]

_UPCASTERS: dict[tuple[str, int], Upcaster] = {}


def upcasts(name: str, version: int) -> Callable[[Upcaster], Upcaster]:
    """Declare the conversion from a version of a kind to the next one. The function must be pure and never change.

    Raises: ValueError if the kind is not declared with a later version, or the version has an upcaster already.
    """

    def declare(upcaster: Upcaster) -> Upcaster:
        if name not in KINDS or not 1 <= version < KINDS[name].version:
            raise ValueError(f"there is no version of {name!r} after {version}; declare it first, with version=")
        if _UPCASTERS.setdefault((name, version), upcaster) is not upcaster:
            raise ValueError(f"version {version} of {name!r} has an upcaster already")
        return upcaster

    return declare


def without_upcaster() -> list[str]:
    """Return the versions without an upcaster, whose entries could not be read."""
    return [
        type_
        for kind in KINDS
        for version, type_ in enumerate(kind.types[:-1], 1)
        if (kind.name, version) not in _UPCASTERS
    ]


def upcast(type_: str, data: Data) -> Data:
    """Return data of any version upgraded to the version that this release writes.

    Raises: LookupError if kind or version is unknown; ValueError if the data does not fit its version.
    """
    kind = kind_of_type(type_)
    for version in range(name_and_version(type_)[1], kind.version):
        try:
            data = _UPCASTERS[kind.name, version](data)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError(f"it is not as version {version} of {kind.name!r} has it: {error!r}") from error
    return data


def upcast_data(type_: str, data: bytes) -> bytes:
    """Return JSON data of any version upgraded; current data is unchanged. Raises the same errors as `upcast`."""
    return data if kind_of_type(type_).type == type_ else to_json(upcast(type_, from_json(data)))


def upcast_event(raw: bytes) -> bytes | None:
    """Return an upgraded CloudEvent of an older version; None for anything else.

    Raises: ValueError if its data does not fit its version.
    """
    try:
        event = from_json(raw)
    except ValueError:
        return None
    match event:
        case {"type": str(type_), "data": dict(data)}:
            kind = KINDS.of_type(type_)
            if kind is not None and kind.type != type_:
                return to_json({**event, "type": kind.type, "data": upcast(type_, data)})
    return None


def kind_of_type(type_: str) -> EventKind:
    """Return the kind of a type of any version. Raises: LookupError if this release does not know it."""
    kind = KINDS.of_type(type_)
    if kind is None:
        raise LookupError(f"kind {type_!r} is not known here; use a release that knows it")
    return kind
