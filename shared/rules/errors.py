"""The one error of the rules: a record or a rules submission that the regulation does not allow."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

_LONGEST_VALUE = 60


class Refused(Exception):
    """A record or a rules submission is refused: it cannot be what the regulation describes.

    `reason` says what is wrong in words with the value, `seat` where it is (None: not at one seat),
    `paragraph` which rule forbids it (None: only the form is wrong).

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
    """One thing that is wrong with a document: where, as a JSON pointer (RFC 6901), what, and which rule says so.

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
    """Turn the first pydantic error over `raw` into a refusal.

    `paragraphs` maps names of record fields to the paragraph that governs them; the innermost field with an
    entry is cited. The seat is the number that the seat at fault gives itself, where it gives one.
    """
    first, *others = [
        (_location(details["loc"]), details) for details in error.errors(include_url=False, include_context=False)
    ]
    # A field that may take two forms reports an error for each form; the one that got furthest into it is the cause.
    siblings = [first, *(other for other in others if other[0][: len(first[0]) - 1] == first[0][:-1])]
    location, details = max(siblings, key=lambda sibling: len(sibling[0]))
    paragraph = None
    for part in location:
        paragraph = (paragraphs or {}).get(str(part), paragraph)
    return Refused(_reason(details["type"], location, details), seat=_seat(location, raw), paragraph=paragraph)


def _location(parts: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the path to a value without the parts that name a form of it, such as `tuple[...]`, `constrained-int`."""
    return tuple(part for part in parts if isinstance(part, int) or ("[" not in part and part != "constrained-int"))


def _reason(kind: str, location: tuple[int | str, ...], details: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in location) or "the document"
    value = details["input"]
    if kind == "extra_forbidden":
        return f"unknown field '{where}'"
    if kind == "missing":
        return f"field '{where}' is missing"
    if kind == "literal_error" and isinstance(value, str):
        return f"'{where}' does not know {_shown(value)}"
    if kind == "literal_error":
        return f"'{where}' {_shown(value)}: not a name that is known there"
    return f"'{where}' {_shown(value)}: {details['msg'][:1].lower()}{details['msg'][1:]}"


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of more than 4,300 digits
        return f"an {type(value).__name__} too long to show"
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."


def _seat(location: tuple[int | str, ...], raw: object) -> int | None:
    if len(location) < 2 or location[0] != "seats" or not isinstance(location[1], int):
        return None
    seats = raw.get("seats") if isinstance(raw, Mapping) else None
    entry = seats[location[1]] if isinstance(seats, list | tuple) and location[1] < len(seats) else None
    number = entry.get("seat") if isinstance(entry, Mapping) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None
