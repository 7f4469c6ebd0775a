"""Comparison of persons by name, for steps that different people must take.

Names come from an OpenID provider, from table systems and from manual entry. Spellings of a name that look the same on
paper or on a screen belong to one person. But look-alike letters of different scripts (a Cyrillic and a Latin `a`) make
different names: the system that assigns names must prevent such look-alikes (docs/security.md).
"""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_UNSEEN: Final = frozenset(
    code
    for first, last in (
        (0x034F, 0x034F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0xE0000, 0xE0FFF),
    )
    for code in range(first, last + 1)
)
"""Invisible characters other than format characters: Unicode's Default_Ignorable_Code_Point, and the blank Braille."""

_ROUNDS_MAX: Final = 8
"""The maximum number of normalization rounds: two are known to suffice, and the limit prevents an endless loop."""


@lru_cache(maxsize=20_000)
def canonical_person(name: str) -> str:
    """Return the canonical form of a name: NFKC, without invisible characters, casefolded, spaces collapsed.

    >>> canonical_person(" Jane ‍ ROE"), canonical_person("Kim")
    ('jane roe', 'kim')
    """
    if name.isascii():
        return " ".join(name.split()).casefold()
    for _ in range(_ROUNDS_MAX):
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _seen(name)).casefold())
        after = " ".join(_seen(folded).split())
        if after == name:
            break
        name = after
    return name


def same_person(one: str | None, other: str | None) -> bool:
    """Return whether two names belong to one person. None never matches, not even another None."""
    return one is not None and other is not None and canonical_person(one) == canonical_person(other)


def held_twice(steps: Iterable[tuple[str, str | None]]) -> tuple[str, str, str] | None:
    """Return (person, step, step) for the first person who took two of the steps, or None.

    `steps` are (step, person); the person is None if the step has not been taken yet, and such steps are ignored.
    """
    held: dict[str, str] = {}
    for step, person in steps:
        if person is not None and (before := held.setdefault(canonical_person(person), step)) != step:
            return person, before, step
    return None


def is_legible(name: str) -> bool:
    """Return whether all characters of a name are visible, so that invisible ones cannot make two names look alike.

    >>> is_legible("Jane Roe"), is_legible("Jane‍ Roe"), is_legible("Jane Roe")
    (True, False, False)
    """
    return name.isprintable() and _seen(name) == name


def _seen(name: str) -> str:
    return "".join(char for char in name if unicodedata.category(char) != "Cf" and ord(char) not in _UNSEEN)
