"""The texts of the console: every text shown to people is in words.yaml."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from shared.rules.packaged import packaged


@cache
def words() -> Mapping[str, str]:
    """Return the texts by key, such as `floor.title`."""
    return dict(_flat(packaged("services.console", "words.yaml"), ""))


def _flat(document: Mapping[str, Any], before: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in document.items():
        found += _flat(value, f"{before}{name}.") if isinstance(value, dict) else [(f"{before}{name}", str(value))]
    return found


@cache
def said(name: str) -> Mapping[str, str]:
    """Return the texts below a key prefix, by the remainder of their keys."""
    return {one.removeprefix(f"{name}."): text for one, text in words().items() if one.startswith(f"{name}.")}


def say(name: str, /, **parts: object) -> str:
    """Return a text with its placeholders filled in. Raises: KeyError for an unknown key."""
    text = words()[name]
    return text.format(**parts) if parts else text


def counted(name: str, count: int, /, **parts: object) -> str:
    """Return the singular (`one`) or plural (`other`) form of a text, with `count` filled in.

    >>> counted("felt.seats", 1), counted("felt.seats", 1200)
    ('1 seat', '1,200 seats')
    """
    return say(f"{name}.{'one' if count == 1 else 'other'}", count=f"{count:,}", **parts)
