"""Blocks of a drawing: hands, wagers and betting positions as SVG, each with its size, so that none overlap."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from services.console.felt.felts import DEALERS_HAND, Hand, Place, Wager
from services.console.felt.glyphs import CARD_HEIGHT, CARD_WIDTH, CHIP_RADIUS, MARK_SIZE, card, chips, mark
from services.console.felt.svg import element, text, width_of, wrapped

TEXT: Final = 13.0
SMALL: Final = 12.0
LINE: Final = 16
PAD: Final = 10
_GAP: Final = 8
_STEP: Final = CARD_WIDTH + 4
_STEP_MIN: Final = 16
_CHIP_COLUMN: Final = 2 * CHIP_RADIUS + 8
_SAID_WIDTH: Final = 130


@dataclass(frozen=True, slots=True)
class Block:
    """SVG elements drawn from (0, 0), and their size."""

    width: float
    height: float
    elements: tuple[str, ...]

    def at(self, x: float, y: float, kind: str = "") -> str:
        """Return the block as a group at a position."""
        attributes: dict[str, object] = {"transform": f"translate({x:g} {y:g})"}
        return element("g", {**attributes, "class": kind} if kind else attributes, *self.elements)


def lines_block(lines: Iterable[str], width: float, kind: str, *, size: float = TEXT, bold: bool = False) -> Block:
    """Return a block of text lines, each wrapped to the width."""
    broken = [part for line in lines for part in wrapped(line, width, size, bold=bold)]
    drawn = (text(part, 0, (at + 1) * LINE - 4, kind, size=size) for at, part in enumerate(broken))
    return Block(width, len(broken) * LINE, tuple(drawn))


def stacked(blocks: Iterable[Block], gap: float = 4) -> Block:
    """Return blocks stacked vertically; empty blocks take no space."""
    drawn: list[str] = []
    y = width = 0.0
    for block in blocks:
        if not block.height:
            continue
        y += gap if drawn else 0
        drawn.append(block.at(0, y))
        y += block.height
        width = max(width, block.width)
    return Block(width, y, tuple(drawn))


def flowed(blocks: Iterable[Block], width: float) -> Block:
    """Return blocks side by side, wrapped into as many rows as needed."""
    drawn: list[str] = []
    x = y = height = widest = 0.0
    for block in blocks:
        if x and x + block.width > width:
            x, y, height = 0.0, y + height + _GAP, 0.0
        drawn.append(block.at(x, y))
        x += block.width + 2 * _GAP
        height = max(height, block.height)
        widest = max(widest, x - 2 * _GAP)
    return Block(widest, y + height, tuple(drawn))


def hand_block(name: str, hand: Hand, width: float, *, alone: bool) -> Block:
    """Return a block with a hand: its name, its cards side by side or as a fan, and its captions."""
    wide = width if alone else max(_cards_width(len(hand.cards), width), min(_said_width(hand), width))
    named = lines_block(
        [hand.name] if hand.name and not (alone and hand.name == DEALERS_HAND) else [], wide, "hand-name", size=SMALL
    )
    return stacked([named, _cards(name, hand, width), lines_block(hand.said, wide, "decision")])


def _said_width(hand: Hand) -> float:
    said = [width_of(line, TEXT) for line in hand.said]
    return max([width_of(hand.name, SMALL), min(max(said, default=0.0), _SAID_WIDTH)])


def _cards_width(number: int, width: float) -> float:
    return min(width, max(0, number - 1) * _STEP + CARD_WIDTH) if number else 0.0


def _cards(name: str, hand: Hand, width: float) -> Block:
    if not hand.cards:
        return Block(0, 0, ())
    fit = max(1, int((width - CARD_WIDTH) // _STEP_MIN) + 1)
    in_row = min(len(hand.cards), fit)
    step = min(_STEP, (width - CARD_WIDTH) / (in_row - 1)) if in_row > 1 else _STEP
    drawn = []
    for at, code in enumerate(hand.cards):
        row, place = divmod(at, in_row)
        drawn.append(card(name, code, place * step, row * (CARD_HEIGHT + 4), wild=at in hand.wild))
    rows = -(-len(hand.cards) // in_row)
    return Block((in_row - 1) * step + CARD_WIDTH, rows * (CARD_HEIGHT + 4) - 4, tuple(drawn))


def wager_block(name: str, wager: Wager, width: float) -> Block:
    """Return a block with a wager: its chips, amount and name, and its outcome with a mark."""
    room = width - _CHIP_COLUMN
    amount = [] if not wager.cents else [wager.amount]
    head = lines_block([" ".join([*amount, wager.title])], room, "wager", bold=True)
    parts = [head]
    if wager.result is not None:
        inner = lines_block([wager.result.words], room - MARK_SIZE - 5, f"outcome-{wager.outcome}")
        sign = mark(name, wager.outcome, 0, 3)
        shift = MARK_SIZE + 5
        parts.append(Block(room, inner.height, (*([sign] if sign else []), inner.at(shift, 0))))
    body = stacked(parts, gap=0)
    height = max(body.height, 2.0 * CHIP_RADIUS + 12)
    drawn = (
        body.at(_CHIP_COLUMN, 0),
        *([chips(wager.cents, CHIP_RADIUS + 1, CHIP_RADIUS + 11)] if wager.cents else []),
    )
    return Block(width, height, drawn)


def place_block(name: str, place: Place, width: float) -> Block:
    """Return a block with a framed betting position: name, hands, decisions, wagers. `width` is the frame's width."""
    room = width - 2 * PAD
    hands = [hand for hand in place.hands if hand.cards or hand.said]
    inner = stacked(
        [
            lines_block([place.name], room, "place-name", size=14, bold=True),
            flowed((hand_block(name, hand, room, alone=len(hands) == 1) for hand in hands), room),
            lines_block(place.said, room, "decision"),
            stacked((wager_block(name, wager, room) for wager in place.wagers), gap=6),
        ],
        gap=_GAP,
    )
    frame = element(
        "rect", {"width": f"{width:g}", "height": f"{inner.height + 2 * PAD:g}", "rx": 8, "class": "place-frame"}
    )
    return Block(width, inner.height + 2 * PAD, (frame, inner.at(PAD, PAD)))
