"""Reject JSON with duplicate members in an object, which readers would interpret differently. Pure.

Parsers silently keep the last duplicate. To detect duplicates, a text is parsed, serialized again and
compared with the result, which lacks the duplicates. This is cheaper than a parser with callbacks, which runs only if
the two texts cannot be compared.
"""

import json
from collections import Counter
from typing import Any, Final, TypeVar

import msgspec
from pydantic import BaseModel
from pydantic_core import from_json

_SHOWN_MAX: Final = 60


_ModelT = TypeVar("_ModelT", bound=BaseModel)


class MemberTwice(ValueError):
    """A JSON object has a duplicate member."""


def read_json(raw: bytes | str) -> Any:
    """Parse JSON from outside. Raises: ValueError, including MemberTwice.

    JSON written by this product needs no such check: use `pydantic_core.from_json`.

    >>> read_json('{"seats": [1, 2]}')
    {'seats': [1, 2]}
    """
    document = from_json(raw, allow_inf_nan=False)
    require_members_once(raw if isinstance(raw, bytes) else raw.encode())
    return document


def read_model(kind: type[_ModelT], raw: bytes | str) -> _ModelT:
    """Parse and validate JSON from outside.

    Raises: MemberTwice; pydantic's ValidationError for invalid JSON, or a document that violates the model.
    """
    found = kind.model_validate_json(raw)
    require_members_once(raw if isinstance(raw, bytes) else raw.encode())
    return found


def require_members_once(raw: bytes) -> None:
    """Raise MemberTwice if an object in a JSON text, at any depth, has a duplicate member.

    Raises: ValueError for a text that cannot be examined: not JSON in UTF-8, or nested too deeply.

    >>> require_members_once(b'{"seats": [{"seat": 1}, {"seat": 2}]}')
    >>> require_members_once(b'{"blackjack": 1000, "blackj\\\\u0061ck": 90000}')
    Traceback (most recent call last):
        ...
    shared.contracts.json_text.MemberTwice: member 'blackjack' is there twice in one object; say it once
    """
    if _is_the_same_again(raw):
        return
    try:
        # Numbers are not parsed (`len`): Python refuses very long ones, and only the members matter here.
        json.loads(raw.decode(), object_pairs_hook=members_once, parse_int=len, parse_float=len)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def members_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the dict of an object's members, as `object_pairs_hook` of `json.loads`. Raises: MemberTwice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise MemberTwice(f"member {twice[:_SHOWN_MAX]!r} is there twice in one object; say it once")
    return members


def _is_the_same_again(raw: bytes) -> bool:
    """Return whether parsing and serializing the text again provably loses no member."""
    try:
        again = _encode(_decode(raw))
    except (ValueError, RecursionError):  # no JSON, or JSON that msgspec does not read
        return False
    # Without escapes every colon is written back, and each lost member takes one colon with it.
    return again == raw or (b"\\" not in raw and again.count(b":") == raw.count(b":"))


_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode
