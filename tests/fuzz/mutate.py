"""Makes new inputs of old ones: JSON that is well-formed and says something else, and sometimes damaged bytes."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

_BYTES_MAX: Final = 64 * 1024
_STEPS_MAX: Final = 4
_OF_JSON: Final = 0.9
_ODD: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**30, 0.1, -0.0, 1e308),
    *("", "0", "-0", "1e9", "NaN", " ", "\u0000", "\ud83c\udca1", "\u202e", "é" * 500, "a" * 70_000, "../..", "${x}"),
    *("9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00Z", "2026-02-30", "2026-11-01T01:30:00-05:00"),
    *([], {}, [[]], [None], {"": None}, [0] * 2_000),
    *("\ud800", "@deep@", "@huge@", "@nan@", "@infinite@"),
)
"""Values that are at an end of what can be said, or beyond it."""
_DEEP: Final = b"[" * 5_000 + b"]" * 5_000
_WRITTEN: Final = {
    b'"@deep@"': b"[" * 1_500 + b"]" * 1_500,
    b'"@huge@"': b"9" * 5_000,
    b'"@nan@"': b"NaN",
    b'"@infinite@"': b"-1e999",
}
"""What nobody writes from a document, but anybody can send."""


def mutated(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """Return an input made of this one, and sometimes of a part of another, of at most 64 KiB."""
    for _ in range(random.randint(1, _STEPS_MAX)):
        document = _document(data) if random.random() < _OF_JSON else None
        data = _of_bytes(data, others, random) if document is None else _of_json(document, others, random)
    return data[:_BYTES_MAX]


def _document(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Return every place in a document where a value stands: the object or list, and the key or index."""
    found: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        one = waiting.pop()
        keys = one.keys() if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            found.append((one, key))
            waiting.append(one[key])
    return found


def _of_json(document: Any, others: Sequence[bytes], random: Random) -> bytes:
    places = _places(document)
    if places:
        holder, key = random.choice(places)
        match random.randrange(6):
            case 0:
                holder[key] = random.choice(_ODD)
            case 1:
                del holder[key]
            case 2:
                other, another = random.choice(places)
                holder[key], other[another] = other[another], holder[key]
                document = json.loads(_text(document)) if _is_tree(document) else None
            case 3:
                holder[key] = _near(holder[key], random)
            case 4 if isinstance(holder, list):
                holder.append(holder[key])
            case _:
                there = _places(_document(random.choice(others)))
                if there:
                    found, at = random.choice(there)
                    holder[key] = found[at]
    return b"" if document is None else _text(document)


def _is_tree(document: Any) -> bool:
    """Return whether nothing came to stand within itself."""
    try:
        json.dumps(document)
    except (ValueError, RecursionError):
        return False
    return True


def _text(document: Any) -> bytes:
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True).encode()
    for name, written in _WRITTEN.items():
        text = text.replace(name, written)
    return text


def _near(value: Any, random: Random) -> Any:
    """Return a value like this one, but not it."""
    match value:
        case bool():
            return not value
        case int():
            return value + random.choice((-1, 1, -100, 100, value, 10**9))
        case str() if value:
            at = random.randrange(len(value))
            return value[:at] + random.choice(("", "0", "-", "Z", "\u00df", value)) + value[at + 1 :]
        case list():
            return value[::-1]
        case _:
            return [value]


def _of_bytes(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    at, end = sorted((random.randrange(len(data) + 1), random.randrange(len(data) + 1)))
    match random.randrange(7):
        case 0:
            return data[:at] + bytes((random.randrange(256),)) + data[at + 1 :]
        case 1:
            return data[:at] + data[end:]
        case 2:
            return data[:at]
        case 3:
            return data[:end] + data[at:]
        case 4:
            return data[:at] + random.choice(others)[: random.randrange(64)] + data[at:]
        case 5:
            return data[:at] + random.randbytes(random.randrange(1, 9)) + data[end:]
        case _:
            return _DEEP if random.random() < 0.02 else data[:at] + b"\xff\x00" + data[at:]
