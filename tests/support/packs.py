"""Packs with other values at some places: law that is made up, or changes, for tests."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from shared.jurisdictions import Pack

PackT = TypeVar("PackT", bound=Pack)


def dated(value: Any, since: str = "2000-01-01", **more: Any) -> dict[str, Any]:
    """A value as a pack has it, confirmed unless `more` says otherwise."""
    return {"value": value, "effective_from": since, "source": "§ 1", "status": "confirmed"} | more


def changed(found: PackT, changes: Mapping[str, Any]) -> PackT:
    """A pack with what the changes say at their places, such as `taxes.state_tax.rate`; None takes a part away."""
    law = found.model_dump(mode="json")
    for place, value in changes.items():
        *parts, last = place.split(".")
        part = law
        for name in parts:
            part = part[name]
        part[last] = value
        if value is None:
            del part[last]
    return type(found).model_validate_json(json.dumps(law))
