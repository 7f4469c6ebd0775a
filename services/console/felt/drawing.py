"""Draws a round on the felt of its game: one SVG with a title and a description, colored only by static/felt.css.

The view is from the dealer's side, like the pit's: seat 1, at the dealer's far left, is on the left, and the dealer is
at the bottom. The narrow layout is a column for small screens: the dealer, then the seats in order.
"""

from collections.abc import Mapping
from html import escape
from typing import Any, Final, Literal

from services.console.felt.blocks import PAD, TEXT, Block, flowed, hand_block, lines_block, place_block
from services.console.felt.felts import Felt
from services.console.felt.games import felt_of
from services.console.felt.glyphs import symbols
from services.console.felt.svg import element, text, width_of
from services.console.felt.telling import lines_of
from services.console.words import counted, say

Shape = Literal["wide", "narrow"]

_GAP: Final = 12
_EDGE: Final = 18
_NARROW: Final = 344
_WIDE_LEAST: Final = 640
_SEAT_WIDTHS: Final = {1: 280, 2: 260, 3: 230, 4: 210, 5: 190}
_SEAT_WIDTH: Final = 172
_ARC_PER_SEAT: Final = 11
_DEALER_LEAST: Final = 220.0
_TITLE: Final = 22.0
_SPACING: Final = 0.04


def draw(
    record: Mapping[str, Any],
    settlement: Mapping[str, Any] | None = None,
    *,
    game: str | None = None,
    name: str = "felt",
    shape: Shape = "wide",
) -> str:
    """Return a round as an SVG.

    `record` is the round as in docs/contract/ROUND.md; `settlement` is its settlement document with `lines`, or None.
    `game` is the game's name in the catalogue; without it, the game is inferred from the wagers. `name` prefixes every
    id in the drawing: two drawings on a page need two names. Never raises, whatever the record holds.
    """
    return drawn(felt_of(record, settlement, game=game), name=name, shape=shape)


def drawn(felt: Felt, *, name: str, shape: Shape) -> str:
    """Return a felt as an SVG."""
    body, width, height = _column(felt, name) if shape == "narrow" else _arc(felt, name)
    about = say(f"felt.drawing.{shape}", game=felt.title, seats=counted("felt.seats", len(felt.seats)))
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": f"felt felt-{shape}",
        "viewBox": f"0 0 {width:g} {height:g}",
        "width": f"{width:g}",
        "height": f"{height:g}",
        "role": "img",
        "aria-labelledby": f"{name}-title {name}-desc",
        "font-family": "system-ui, sans-serif",
        "font-size": f"{TEXT:g}",
    }
    return element(
        "svg",
        attributes,
        element("title", {"id": f"{name}-title"}, escape(about)),
        element("desc", {"id": f"{name}-desc"}, escape(" ".join(lines_of(felt)))),
        symbols(name),
        *body,
    )


def _notes(felt: Felt, width: float) -> list[Block]:
    unknown = [say("felt.unknown.note", what=what) for what in felt.unknown]
    blocks = [lines_block(felt.notes, width, "note"), lines_block(unknown, width, "note-unknown")]
    return [block for block in blocks if block.height]


def _column(felt: Felt, name: str) -> tuple[list[str], float, float]:
    """Return the elements of the narrow layout: all blocks stacked in one column."""
    room = _NARROW - 2 * _GAP
    blocks = [place_block(name, place, room) for place in (felt.dealer, *felt.seats)] + _notes(felt, room)
    body, y = [_title(felt, _NARROW, 29, 20)], 44.0
    for block in blocks:
        body.append(block.at(_GAP, y))
        y += block.height + _GAP
    cloth = element("rect", {"width": _NARROW, "height": f"{y:g}", "rx": 16, "class": "cloth"})
    return [cloth, *body], _NARROW, y


def _arc(felt: Felt, name: str) -> tuple[list[str], float, float]:
    """Return the elements of the wide layout: seats along the arc, the dealer at the straight edge below."""
    number = len(felt.seats)
    seat_width = _SEAT_WIDTHS.get(number, _SEAT_WIDTH)
    needed = number * (seat_width + _GAP) - _GAP + 2 * _EDGE
    width = max(_WIDE_LEAST, needed)
    sag = _ARC_PER_SEAT * max(number, 3)
    blocks = [place_block(name, seat, seat_width) for seat in felt.seats]
    body: list[str] = []
    x, bottom = (width - needed) / 2 + _EDGE, 0.0
    for block in blocks:
        far = max(abs(2 * x / width - 1), abs(2 * (x + seat_width) / width - 1))
        y = _EDGE + sag * far * far
        body.append(block.at(x, y))
        bottom = max(bottom, y + block.height)
        x += seat_width + _GAP
    y = bottom + 2 * _GAP + _TITLE
    body.append(_title(felt, width, y - 8, _TITLE))
    dealer = place_block(name, felt.dealer, _dealer_width(felt, name, width - 2 * _EDGE))
    body.append(dealer.at((width - dealer.width) / 2, y + 4))
    y += dealer.height + 4 + _GAP
    for block in _notes(felt, width - 2 * _EDGE - 2 * PAD):
        body.append(block.at(_EDGE + PAD, y))
        y += block.height + 6
    height = y + 6
    cloth = f"M0 {sag}Q{width / 2:g} {-sag} {width:g} {sag}V{height - 16:g}q0 16 -16 16H16q-16 0 -16 -16Z"
    return [element("path", {"d": cloth, "class": "cloth"}), *body], width, height


def _title(felt: Felt, width: float, y: float, size: float) -> str:
    """Return the game's name, centered and letter-spaced, in a smaller font if it is too long."""
    fits = (width - 2 * _EDGE) / (width_of(felt.title, 1, bold=True) + _SPACING * len(felt.title))
    return text(felt.title, width / 2, y, "felt-title", size=min(size, fits), middle=True)


def _dealer_width(felt: Felt, name: str, room: float) -> float:
    """Return the width of the dealer's side: enough for all hands in a row, but at most `room`."""
    hands = [hand for hand in felt.dealer.hands if hand.cards or hand.said]
    row = flowed((hand_block(name, hand, room - 2 * PAD, alone=False) for hand in hands), room - 2 * PAD)
    return min(room, max(_DEALER_LEAST, row.width + 2 * PAD))
