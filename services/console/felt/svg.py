"""Elements of an SVG as text, and how much room a text takes in it."""

from collections.abc import Mapping
from html import escape
from typing import Final

_NARROW: Final = frozenset("ijltfrI.,:;'!|()[] ·-")
_BROAD: Final = frozenset("mwMW@%—…×")


def element(name: str, attributes: Mapping[str, object], *children: str) -> str:
    """Return an element; attributes are escaped, children are elements or escaped text."""
    written = "".join(f' {key}="{escape(str(value))}"' for key, value in attributes.items())
    return f"<{name}{written}/>" if not children else f"<{name}{written}>{''.join(children)}</{name}>"


def text(line: str, x: float, y: float, kind: str = "", *, size: float | None = None, middle: bool = False) -> str:
    """Return a line of text whose baseline begins, or has its middle, at a place."""
    attributes: dict[str, object] = {"x": f"{x:g}", "y": f"{y:g}"}
    if kind:
        attributes["class"] = kind
    if size is not None:
        attributes["font-size"] = f"{size:g}"
    if middle:
        attributes["text-anchor"] = "middle"
    return element("text", attributes, escape(line))


def width_of(line: str, size: float, *, bold: bool = False) -> float:
    """Return the room that a line takes at most in any common sans serif, in units of the drawing."""
    ems = sum(_ems(character) for character in line)
    return ems * size * (1.16 if bold else 1.0)


def _ems(character: str) -> float:
    if character in _NARROW:
        return 0.36
    if character in _BROAD or ord(character) > 0x2FF:
        return 1.0
    return 0.7 if character.isupper() else 0.59


def wrapped(words: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Return a text broken into lines that fit; a word that is too long for a line is broken itself."""
    lines: list[str] = []
    line = ""
    for word in filter(None, words.split(" ")):
        joined = f"{line} {word}" if line else word
        if width_of(joined, size, bold=bold) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        line = word
        while width_of(line, size, bold=bold) > width and len(line) > 1:
            fits = next(
                end for end in range(len(line) - 1, 0, -1) if end == 1 or width_of(line[:end], size, bold=bold) <= width
            )
            lines.append(line[:fits])
            line = line[fits:]
    return [*lines, line] if line else lines
