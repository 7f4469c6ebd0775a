"""Refuse JSON that names a member twice in one object: one reader takes the first, another the last. Pure.

Parsers keep the last and say nothing. Here a text is parsed and written again, which is cheaper than any parser that
calls back: what it says twice is not there any more. Only where the two texts cannot be compared it is read with a
look at each member.
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
    """An object has a member twice."""


def read_json(raw: bytes | str) -> Any:
    """Return the document of a JSON text that somebody else wrote. Raises: ValueError, MemberTwice among them.

    What this product wrote itself needs no such look: `pydantic_core.from_json` reads it.

    >>> read_json('{"seats": [1, 2]}')
    {'seats': [1, 2]}
    """
    document = from_json(raw, allow_inf_nan=False)
    require_members_once(raw if isinstance(raw, bytes) else raw.encode())
    return document


def read_model(kind: type[_ModelT], raw: bytes | str) -> _ModelT:
    """Return the model in a JSON text that somebody else wrote.

    Raises: MemberTwice; pydantic's ValidationError for what is no JSON, or not as the model has it.
    """
    found = kind.model_validate_json(raw)
    require_members_once(raw if isinstance(raw, bytes) else raw.encode())
    return found


def require_members_once(raw: bytes) -> None:
    """Raise MemberTwice where an object in a JSON text, at whatever depth, has a member twice.

    Raises: ValueError for a text that cannot be looked at: what is no JSON in UTF-8, or is nested too deeply.

    >>> require_members_once(b'{"seats": [{"seat": 1}, {"seat": 2}]}')
    >>> require_members_once(b'{"blackjack": 1000, "blackj\\\\u0061ck": 90000}')
    Traceback (most recent call last):
        ...
    shared.contracts.json_text.MemberTwice: member 'blackjack' is there twice in one object; say it once
    """
    if _is_the_same_again(raw):
        return
    try:
        # A number of more digits than Python reads hides nothing: it is not read.
        json.loads(raw.decode(), object_pairs_hook=members_once, parse_int=len, parse_float=len)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def members_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these members: a hook for `json.loads`. Raises: MemberTwice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise MemberTwice(f"member {twice[:_SHOWN_MAX]!r} is there twice in one object; say it once")
    return members


def _is_the_same_again(raw: bytes) -> bool:
    """Return whether a text, parsed and written again, is known to have lost nothing."""
    try:
        again = _encode(_decode(raw))
    except (ValueError, RecursionError):  # of what msgspec does not read, or no JSON
        return False
    # Without escapes each colon in a text is written again as it is, and each member that is lost takes one with it.
    return again == raw or (b"\\" not in raw and again.count(b":") == raw.count(b":"))


_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode
