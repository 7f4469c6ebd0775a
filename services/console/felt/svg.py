"""Write SVG elements as text, and estimate the width of text in them."""

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
    """Return a line of text; (x, y) is the start or the middle of its baseline."""
    attributes: dict[str, object] = {"x": f"{x:g}", "y": f"{y:g}"}
    if kind:
        attributes["class"] = kind
    if size is not None:
        attributes["font-size"] = f"{size:g}"
    if middle:
        attributes["text-anchor"] = "middle"
    return element("text", attributes, escape(line))


def width_of(line: str, size: float, *, bold: bool = False) -> float:
    """Return an upper bound for the width of a line in any common sans serif, in drawing units."""
    ems = sum(_ems(character) for character in line)
    return ems * size * (1.16 if bold else 1.0)


def _ems(character: str) -> float:
    if character in _NARROW:
        return 0.36
    if character in _BROAD or ord(character) > 0x2FF:
        return 1.0
    return 0.7 if character.isupper() else 0.59


def wrapped(words: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Return a text wrapped into lines that fit; a word longer than a line is split."""
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
