"""The errors of the rules: a record or a rules submission that the regulation does not allow."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

_LONGEST_VALUE = 60
_ALLOWED_SHOWN = 12
"""The maximum number of allowed names that a message lists: enough for actions and ranks, too few for a deck."""
_DOLLARS = "write whole dollars, without a point and without quotes"
_FORMS = {
    "int_": "write a whole number, without a point and without quotes (of money: cents)",
    "bool_": "write true or false, without quotes",
    "string_type": "write text, in quotes",
    "timezone_": "write a moment with its offset from UTC: 2026-03-06T18:00:00-05:00",
    "datetime_": "write a moment with its offset from UTC: 2026-03-06T18:00:00-05:00",
    "date_": "write a day: 2026-03-06",
    "list_type": "write a list: [...]",
    "tuple_type": "write a list: [...]",
    "dict_type": "write an object: {...}",
    "model_type": "write an object: {...}",
    "model_attributes_type": "write an object: {...}",
}
"""The prefix of a pydantic error type -> how the value must be written."""


class Refused(Exception):
    """A record or a rules submission is refused because the regulation does not allow it.

    `reason` states what is wrong, with the value. `seat` is the seat at fault (None: no single seat), `paragraph` the
    rule that forbids it (None: only the form is wrong).

    >>> str(Refused("'double' 12000 exceeds the Blackjack Wager 10000", seat=3, paragraph="§ 633a.10(a)"))
    "seat 3: 'double' 12000 exceeds the Blackjack Wager 10000 (§ 633a.10(a))"
    """

    def __init__(self, reason: str, *, seat: int | None = None, paragraph: str | None = None) -> None:
        super().__init__(reason, seat, paragraph)
        self.reason = reason
        self.seat = seat
        self.paragraph = paragraph

    def __str__(self) -> str:
        where = "" if self.seat is None else f"seat {self.seat}: "
        source = "" if self.paragraph is None else f" ({self.paragraph})"
        return f"{where}{self.reason}{source}"

    def __reduce__(self) -> tuple[Callable[..., "Refused"], tuple[str, int | None, str | None]]:
        return _refused, (self.reason, self.seat, self.paragraph)


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault in a document: its place as a JSON pointer (RFC 6901), a message, and the rule that it violates.

    >>> str(Finding("/decks", "'decks' 9: at most 8", "§ 633a.3(a)"))
    "'decks' 9: at most 8 (§ 633a.3(a))"
    """

    pointer: str
    detail: str
    paragraph: str | None = None

    def __str__(self) -> str:
        return self.detail if self.paragraph is None else f"{self.detail} ({self.paragraph})"


def _refused(reason: str, seat: int | None, paragraph: str | None) -> Refused:
    return Refused(reason, seat=seat, paragraph=paragraph)


def refused_by_validation(
    error: ValidationError, raw: object, *, paragraphs: Mapping[str, str] | None = None
) -> Refused:
    """Convert pydantic's errors about the document `raw` to a refusal, which states the first faulty field.

    `paragraphs` maps names of record fields to the paragraphs that govern them. The refusal cites the paragraph of the
    innermost field that has one, unless only the form is wrong. If a seat is at fault, the refusal names its `seat`
    number.
    """
    first, *others = [(_location(details["loc"]), details) for details in error.errors(include_url=False)]
    # A field that may take several forms reports an error for each form. The deepest error is taken as the cause.
    siblings = [first, *(other for other in others if other[0][: len(first[0]) - 1] == first[0][:-1])]
    location, details = max(siblings, key=lambda sibling: len(sibling[0]))
    paragraph = None
    for part in location if _form(details["type"]) is None else ():
        paragraph = (paragraphs or {}).get(str(part), paragraph)
    absent = [str(place[-1]) for place, one in siblings if one["type"] == "missing" and place]
    return Refused(_reason(location, details, absent), seat=_seat(location, raw), paragraph=paragraph)


def _location(parts: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the path to a value without the parts that pydantic adds for types, such as `tuple[...]`."""
    return tuple(part for part in parts if isinstance(part, int) or ("[" not in part and part != "constrained-int"))


def _reason(location: tuple[int | str, ...], details: Mapping[str, Any], absent: Sequence[str]) -> str:
    where = ".".join(str(part) for part in location) or "the document"
    if details["type"] == "extra_forbidden":
        meant = get_close_matches(str(location[-1]) if location else "", absent, n=1)
        return f"unknown field '{where}'" + (f"; is '{meant[0]}' meant, which is missing?" if meant else "")
    if details["type"] == "missing":
        return f"field '{where}' is missing"
    if details["type"] == "union_tag_invalid":
        where = f"{where}.{details['ctx']['discriminator'].strip(chr(39))}"
        return f"'{where}' does not know {details['ctx']['tag']!r}: {what_is_wrong(details)}"
    value = _shown(details["input"])
    told = f"does not know {value}" if details["type"] == "literal_error" else value
    return f"'{where}' {told}: {what_is_wrong(details)}"


def what_is_wrong(details: Mapping[str, Any]) -> str:
    """Return the problem with a value and the allowed values, in words, given pydantic's details of one error.

    >>> what_is_wrong({"type": "int_from_float", "input": 10.5, "msg": "..."})
    'write a whole number, without a point and without quotes (of money: cents)'
    >>> what_is_wrong({"type": "int_from_float", "loc": ("dollars",), "input": 10.5, "msg": "..."})
    'write whole dollars, without a point and without quotes'
    """
    kind, value = str(details["type"]), details.get("input")
    if kind == "missing":
        return "it is missing"
    if kind == "extra_forbidden" and details["msg"].startswith("Extra inputs"):  # other messages of this type are clear
        return "there is no such member"
    if kind == "union_tag_not_found":
        return f"{details['ctx']['discriminator']} is missing"
    if kind in ("literal_error", "enum", "union_tag_invalid"):
        allowed = _quoted(details["ctx"].get("expected_tags") or details["ctx"]["expected"])
        given = details["ctx"].get("tag", value)
        meant = get_close_matches(given, allowed, n=1) if isinstance(given, str) else []
        if len(allowed) <= _ALLOWED_SHOWN:
            wanted = f"{'' if len(allowed) == 1 else 'one of '}{', '.join(map(repr, allowed))} is wanted"
        else:
            wanted = f"a name such as {', '.join(map(repr, allowed[:3]))} is wanted"
        return wanted + (f"; is {meant[0]!r} meant?" if meant else "")
    told = str(details["msg"]).removeprefix("Value error, ")
    if kind.startswith("int_") and str((details.get("loc") or ("",))[-1]).endswith("dollars"):
        return _DOLLARS
    return _form(kind) or f"{told[:1].lower()}{told[1:]}"


def _form(kind: str) -> str | None:
    """Return how the value must be written; None if the error is not about its form."""
    return next((words for begins, words in _FORMS.items() if kind.startswith(begins)), None)


def _quoted(text: str) -> list[str]:
    """Return the quoted names in pydantic's list of expected values."""
    return re.findall(r"'([^']*)'", text)


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python does not print integers of more than 4,300 digits
        return f"an {type(value).__name__} too long to show"
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."


def _seat(location: tuple[int | str, ...], raw: object) -> int | None:
    if len(location) < 2 or location[0] != "seats" or not isinstance(location[1], int):
        return None
    seats = raw.get("seats") if isinstance(raw, Mapping) else None
    entry = seats[location[1]] if isinstance(seats, list | tuple) and location[1] < len(seats) else None
    number = entry.get("seat") if isinstance(entry, Mapping) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None
