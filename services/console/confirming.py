"""The confirmation step of forms, which shows how amounts and times were interpreted before a command is sent.

Forms with amounts, times or documents (which may contain both) have this step. On confirmation, the browser sends the
typed text again with a hash of the shown interpretation; if the text is now interpreted differently, the step is
repeated. Both requests use the same idempotency key.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, datetime
from hashlib import sha256
from typing import Any, Final

from services.console.forms import Filled, cards_text
from services.console.operations import Field, Kind, Operation
from shared.contracts.envelope import canonical

_WEIGHED: Final[frozenset[Kind]] = frozenset({"cents", "moment"})
_LOOKED_AT: Final[frozenset[Kind]] = _WEIGHED | {"document"}
_UNSHOWN: Final[frozenset[Kind]] = frozenset({"secret"})

AMOUNTS: Final = frozenset(
    {
        "book",
        "by_instrument",
        "cents_per_seat",
        "dealer_wager",
        "double",
        "flows",
        "house_money_added",
        "least",
        "meters",
        "most",
        "payout_limit",
        "picks",
        "reset",
        "wagers",
    }
)
"""Members of records and rules submissions in cents whose names do not end in `_cents`."""
_CENTS: Final = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?", re.ASCII)
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}\S*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Line:
    """The interpretation of a form field: cents, an exact time, or a text.

    `label` begins with the labels of the groups and rows that contain the field.
    """

    label: str
    kind: Kind
    value: Any

    @property
    def is_weighed(self) -> bool:
        """Return whether the field is an amount or a moment."""
        return self.kind in _WEIGHED


def lines(operation: Operation, read: Filled) -> list[Line]:
    """Return the interpretation of a form's fields, without secrets and without omitted fields."""
    values = read.path | read.body
    return [line for one in operation.asked for line in _lines(one, one.label, values.get(one.name))]


def needs_a_look(shown: list[Line]) -> bool:
    """Return whether a form requires confirmation, because it has an amount, a time or a document."""
    return any(one.kind in _LOOKED_AT for one in shown)


def hash_of(operation: Operation, read: Filled) -> str:
    """Return the SHA-256 of a form's content, in hexadecimal."""
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
        if one.kind == "document":
            yield from _weighed_in(label, value)
        yield Line(label, one.kind, cards_text(value) if one.kind == "cards" else value)


def _weighed_in(label: str, document: Any) -> Iterator[Line]:
    """Yield the amounts and moments in a JSON document, in order, each labeled with its path."""
    waiting: list[tuple[str, str, Any]] = [(label, "", document)]
    while waiting:
        at, name, value = waiting.pop()
        if isinstance(value, dict):
            within = [
                (f"{at}: {_words(each)}", name if name in AMOUNTS and _is_whole(one) else each, one)
                for each, one in value.items()
            ]
        elif isinstance(value, list):
            within = [(f"{at} {number}", name, one) for number, one in enumerate(value, 1)]
        else:
            within = []
            if (kind := _kind(name, value)) is not None:
                yield Line(at, kind, value)
        waiting += reversed(within)


def _kind(name: str, value: Any) -> Kind | None:
    """Return whether a value is an amount or a moment, judged by name and format; None if it is neither."""
    of_money = name in AMOUNTS or name == "cents" or name.endswith("_cents")
    if of_money and (_is_whole(value) or (isinstance(value, str) and _CENTS.fullmatch(value))):
        return "cents"
    return "moment" if isinstance(value, str) and _MOMENT.fullmatch(value) and _is_exact(value) else None


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_exact(text: str) -> bool:
    """Return whether a text is a time with a UTC offset."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return False
    return at.tzinfo is not None and MINYEAR < at.year < MAXYEAR


def _words(name: str) -> str:
    return name.removesuffix("_cents").replace("_", " ").capitalize()
