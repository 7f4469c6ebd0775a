"""Make text from outside safe to store and to show."""

from typing import Final

_LENGTH_MAX: Final = 1000


def printable(text: str) -> str:
    """Return the text with unprintable characters replaced, at most 1,000 characters long."""
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return clean if len(clean) <= _LENGTH_MAX else clean[: _LENGTH_MAX - 1] + "…"
