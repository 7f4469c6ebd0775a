"""Text that somebody else wrote, fit to be stored and shown."""

from typing import Final

_LENGTH_MAX: Final = 1000


def printable(text: str) -> str:
    """Return the text without characters that would steer a terminal, and not longer than 1,000 characters."""
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return clean if len(clean) <= _LENGTH_MAX else clean[: _LENGTH_MAX - 1] + "…"
