"""The shapes of ranks, suits, marks and chips as vector paths, so that no font or file is needed."""

from typing import Final

from services.console.felt.svg import element

_RANKS: Final = {
    "A": "M1 16 6 0 11 16M3 10.5H9",
    "K": "M1.5 0V16M11 0 1.5 10M5 6.5 11 16",
    "Q": "M6 0C2.5 0 1 3 1 8S2.5 16 6 16 11 13 11 8 9.5 0 6 0ZM7 11.5 11.5 16.5",
    "J": "M9.5 0V11.5C9.5 14.5 8 16 5.5 16S1.5 14.5 1.5 12",
    "T": "M.8 3 3 .5V16M9 0C6.8 0 6 2.5 6 8S6.8 16 9 16 12 13.5 12 8 11.2 0 9 0Z",
    "9": "M10.5 5C10.5 2 8.8 0 6 0S1.5 2 1.5 5 3.2 10 6 10 10.5 8 10.5 5C10.5 11 9.5 16 4 16",
    "8": (
        "M6 7.5C3.5 7.5 2 6 2 3.8S3.5 0 6 0 10 1.6 10 3.8 8.5 7.5 6 7.5"
        "C3 7.5 1.3 9.2 1.3 11.8S3 16 6 16 10.7 14.4 10.7 11.8 9 7.5 6 7.5Z"
    ),
    "7": "M1 0H11L5 16",
    "6": "M1.5 11C1.5 14 3.2 16 6 16S10.5 14 10.5 11 8.8 6 6 6 1.5 8 1.5 11C1.5 5 2.5 0 8 0",
    "5": "M10 0H2.5L1.8 7C3 6 4.3 5.6 6 5.6C9 5.6 10.8 7.8 10.8 10.8C10.8 14 8.8 16 5.8 16C3.5 16 2 15 1.2 13.2",
    "4": "M8.5 16V0L1 11.5H11.5",
    "3": (
        "M1.5 2.6C2.3 1 3.8 0 6 0C8.6 0 10.2 1.5 10.2 3.8C10.2 6.2 8.4 7.5 5.5 7.5"
        "C8.8 7.5 10.8 9.2 10.8 11.8C10.8 14.4 8.8 16 5.8 16C3.4 16 1.9 15 1.2 13.2"
    ),
    "2": "M1.3 4C1.5 1.5 3.3 0 6 0C8.8 0 10.5 1.6 10.5 4.2C10.5 7.5 7 9.5 1.2 16H11",
}
"""Strokes in a box of 12 by 16."""

_SUITS: Final = {
    "s": (
        "M8 0C9.5 3 15 6.5 15 10C15 13.5 11 14 9 11.8C9.2 13.8 9.8 15 11 16H5C6.2 15 6.8 13.8 7 11.8"
        "C5 14 1 13.5 1 10C1 6.5 6.5 3 8 0Z"
    ),
    "h": ("M8 15.5 1.6 8.4C-.4 6 .2 2.2 3.2 1.4C5.4 .8 7.2 2 8 4C8.8 2 10.6 .8 12.8 1.4C15.8 2.2 16.4 6 14.4 8.4Z"),
    "d": "M8 0 14 8 8 16 2 8Z",
    "c": (
        "M8 .5A3.6 3.6 0 0 1 10.9 6.2A3.6 3.6 0 1 1 9 12.1C9.1 13.8 9.8 15 11 16H5C6.2 15 6.9 13.8 7 12.1"
        "A3.6 3.6 0 1 1 5.1 6.2A3.6 3.6 0 0 1 8 .5Z"
    ),
    "star": "M8 0 9.9 5.5 15.6 5.6 11.1 9.1 12.7 14.7 8 11.4 3.3 14.7 4.9 9.1 .4 5.6 6.1 5.5Z",
}
"""Filled shapes in a box of 16 by 16; the star is the joker's."""

_MARKS: Final = {
    "win": "M1 5.5 4 8.5 9 1.5",
    "lose": "M1.5 1.5 8.5 8.5M8.5 1.5 1.5 8.5",
    "push": "M1 3.5H9M1 6.5H9",
    "void": "M5 .8A4.2 4.2 0 1 0 5 9.2A4.2 4.2 0 1 0 5 .8ZM2.2 7.8 7.8 2.2",
    "surrender": "M2 10V.5H9L7 3 9 5.5H2",
}
"""Strokes in a box of 10 by 10."""

# CSS cannot style the content of a symbol by its use, so strokes take the color of the using element.
_STROKE: Final = {
    "fill": "none",
    "stroke": "currentColor",
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
}

CARD_WIDTH: Final = 34
CARD_HEIGHT: Final = 48
CHIP_RADIUS: Final = 9
MARK_SIZE: Final = 10


def symbols(name: str) -> str:
    """Return the symbols used by a drawing; `name` makes their ids unique on the page."""
    shapes = [
        *_symbols(
            f"{name}-rank-", _RANKS, "-1.5 -1.5 15 19.5", {"class": "felt-rank", **_STROKE, "stroke-width": "2.3"}
        ),
        *_symbols(f"{name}-suit-", _SUITS, "0 0 16 16", {"class": "felt-suit", "fill": "currentColor"}),
        *_symbols(f"{name}-mark-", _MARKS, "-1 -1 12 12", {"class": "felt-mark", **_STROKE, "stroke-width": "2"}),
    ]
    return element("defs", {}, *shapes)


def _symbols(name: str, paths: dict[str, str], box: str, look: dict[str, str]) -> list[str]:
    return [
        element("symbol", {"id": name + key, "viewBox": box}, element("path", {"d": path, **look}))
        for key, path in paths.items()
    ]


def card(name: str, code: str, x: float, y: float, *, wild: bool = False) -> str:
    """Return a card as SVG: rank and suit in the corner that a fan leaves visible, the suit again below."""
    rank, suit = ("", "star") if code == "Jk" else (code[0], code[1])
    kinds = ["card", "card-red" if suit in "hd" else "card-joker" if suit == "star" else "card-black"]
    face = [element("rect", {"width": CARD_WIDTH, "height": CARD_HEIGHT, "rx": 4, "class": "card-face"})]
    if rank:
        face.append(_use(f"{name}-rank-{rank}", 3, 4, 11, 14.5))
    face.append(_use(f"{name}-suit-{suit}", 3.5, 21 if rank else 4, 10, 10))
    face.append(_use(f"{name}-suit-{suit}", 15.5, 27, 15.5, 15.5))
    if wild:
        kinds.append("card-wild")
        face.append(_use(f"{name}-suit-star", 21, 4, 9, 9))
    attributes = {"class": " ".join(kinds), "data-card": code, "transform": f"translate({_number(x)} {_number(y)})"}
    return element("g", attributes, *face)


def mark(name: str, outcome: str, x: float, y: float) -> str:
    """Return the mark of an outcome as SVG; empty if the outcome has none."""
    if outcome not in _MARKS:
        return ""
    return element("g", {"class": f"outcome-{outcome}"}, _use(f"{name}-mark-{outcome}", x, y, MARK_SIZE, MARK_SIZE))


# Chip denominations in dollars, largest first; each has its own color.
_CHIPS: Final = (5000, 1000, 500, 100, 25, 5, 1)
_STACK_MAX: Final = 4


def chips_of(cents: int) -> list[int]:
    """Return chip values in dollars that add up to an amount of cents, largest first; 0 represents coin.

    >>> chips_of(13050)
    [100, 25, 5, 0]
    >>> chips_of(1000000)
    [5000, 5000]
    """
    found: list[int] = []
    if cents <= 0:
        return found
    for dollars in _CHIPS:
        number = min(cents // (dollars * 100), _STACK_MAX)
        cents -= number * dollars * 100
        found += [dollars] * number
        if len(found) >= _STACK_MAX:
            break
    return (found + [0] * (0 < cents < 100))[:_STACK_MAX]


def chips(cents: int, x: float, y: float) -> str:
    """Return a stack of chips as SVG; the lowest chip is centered on the point."""
    stack = []
    for height, dollars in enumerate(chips_of(cents)):
        at = {"cx": _number(x), "cy": _number(y - 3 * height)}
        stack.append(element("circle", {**at, "r": CHIP_RADIUS, "class": f"chip chip-{dollars}"}))
        spots = {
            **at,
            "r": CHIP_RADIUS - 2,
            "class": f"chip-spots chip-spots-{dollars}",
            "stroke-dasharray": "3.7 3.63",
        }
        stack.append(element("circle", spots))
    return element("g", {"class": "chips"}, *stack)


def _use(reference: str, x: float, y: float, width: float, height: float) -> str:
    place = {"x": _number(x), "y": _number(y), "width": _number(width), "height": _number(height)}
    return element("use", {"href": f"#{reference}", **place})


def _number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
