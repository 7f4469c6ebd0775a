"""Describe pydantic's validation errors for people, because the messages of libraries are meant for programs."""

from collections.abc import Mapping
from typing import Any, Final

from shared.rules.errors import what_is_wrong

_LIMITS: Final[Mapping[str, str]] = {
    "greater_than": "it must be more than {gt}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than": "it must be less than {lt}",
    "less_than_equal": "it must be at most {le}",
    "multiple_of": "it must be a multiple of {multiple_of}",
    "string_too_short": "it needs at least {min_length} {min_characters}",
    "string_too_long": "it takes at most {max_length} {max_characters}",
    "too_short": "it needs at least {min_length} {min_items}",
    "too_long": "it takes at most {max_length} {max_items}",
    "string_pattern_mismatch": "it must match the pattern '{pattern}'",
}
"""Message for a violated limit of a value, by pydantic's type of error."""


def said_of(details: Mapping[str, Any]) -> str:
    """Return a message about one error of a value, from pydantic's error details.

    >>> said_of({"type": "too_short", "ctx": {"min_length": 1}, "msg": "..."})
    'it needs at least 1 item'
    >>> said_of({"type": "missing", "msg": "Field required"})
    'it is missing'
    """
    kind = str(details["type"])
    if kind not in _LIMITS:
        return what_is_wrong(details)
    context = dict(details["ctx"])
    for one in ("min", "max"):
        plural = "" if context.get(f"{one}_length") == 1 else "s"
        context |= {f"{one}_characters": f"character{plural}", f"{one}_items": f"item{plural}"}
    return _LIMITS[kind].format(**context)
