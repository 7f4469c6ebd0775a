"""When two names are one person's: what is asked wherever a step takes somebody else than another step.

Names come from an OpenID provider, from table systems and from people who type. One name is written in many ways that
nobody tells apart on paper or on a screen; all of them are one person here. Letters of other scripts that look alike
(a Cyrillic and a Latin `a`) are different letters, and different names: whoever gives out names sees to those
(docs/security.md).
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
"""What is shown as nothing and is no format character: Default_Ignorable_Code_Point of Unicode, the empty Braille."""

_ROUNDS_MAX: Final = 8
"""What follows from a name is stable after two rounds, as far as anybody knows; a loop has an end nevertheless."""


@lru_cache(maxsize=20_000)
def canonical_person(name: str) -> str:
    """Return the one form of a name: NFKC, without characters that are not seen, casefolded, spaces collapsed.

    >>> canonical_person(" Jane\N{NO-BREAK SPACE}\N{ZERO WIDTH JOINER} ROE"), canonical_person("\N{KELVIN SIGN}im")
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
    """Return whether two names are one person's; nobody is the same as somebody."""
    return one is not None and other is not None and canonical_person(one) == canonical_person(other)


def held_twice(steps: Iterable[tuple[str, str | None]]) -> tuple[str, str, str] | None:
    """Return the first person who takes two of these steps, by step, with both steps; None where all are different.

    Steps that nobody has taken do not count.
    """
    held: dict[str, str] = {}
    for step, person in steps:
        if person is not None and (before := held.setdefault(canonical_person(person), step)) != step:
            return person, before, step
    return None


def is_legible(name: str) -> bool:
    """Return whether everything that a name is made of is seen, so that no two names look the same on a page for it.

    >>> is_legible("Jane Roe"), is_legible("Jane\N{ZERO WIDTH JOINER} Roe"), is_legible("Jane\N{NO-BREAK SPACE}Roe")
    (True, False, False)
    """
    return name.isprintable() and _seen(name) == name


def _seen(name: str) -> str:
    return "".join(char for char in name if unicodedata.category(char) != "Cf" and ord(char) not in _UNSEEN)
