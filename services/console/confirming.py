"""What was read of a form, shown before it counts: whoever typed an amount or a moment sees what was understood.

Which forms have this step follows from their fields, as the services declare them. The second step sends what was typed
again, with a hash of what was shown: what reads otherwise then is shown again. Both steps have the one key.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from services.console.forms import Filled
from services.console.operations import Field, Kind, Operation
from shared.contracts.envelope import canonical

_WEIGHED: Final[frozenset[Kind]] = frozenset({"cents", "moment"})
_UNSHOWN: Final[frozenset[Kind]] = frozenset({"secret"})


@dataclass(frozen=True, slots=True)
class Line:
    """A field as it was read: its value in cents, an exact moment, a text. `label` names the rows that it is in."""

    label: str
    kind: Kind
    value: Any

    @property
    def is_weighed(self) -> bool:
        """Return whether it is an amount or a moment."""
        return self.kind in _WEIGHED


def lines(operation: Operation, read: Filled) -> list[Line]:
    """Return what was read of a form, field by field; nothing of what is secret or was left out."""
    values = read.path | read.body
    return [line for one in operation.asked for line in _lines(one, one.label, values.get(one.name))]


def needs_a_look(shown: list[Line]) -> bool:
    """Return whether what was read is shown before it counts: it has an amount or a moment."""
    return any(one.is_weighed for one in shown)


def hash_of(operation: Operation, read: Filled) -> str:
    """Return the SHA-256 of what a form says, in hexadecimal."""
    return sha256(canonical({"command": operation.address, "path": read.path, "body": read.body})).hexdigest()


def _lines(one: Field, label: str, value: Any) -> Iterator[Line]:
    if value is None or one.kind in _UNSHOWN:
        return
    if one.kind == "group":
        for each in one.fields:
            yield from _lines(each, f"{label}: {each.label}", value.get(each.name))
    elif one.kind == "list":
        assert one.item is not None
        for number, each in enumerate(value, 1):
            yield from _lines(one.item, f"{label} {number}", each)
    else:
        yield Line(label, one.kind, value)
