"""Envy Bonuses: bonuses paid to players who made a bonus wager, for the hands of other players."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from shared.rules.line import Line, line
from shared.rules.paytable import Row

ENVY_BONUS: Final = "envy_bonus"


class EnvyHand(NamedTuple):
    """A hand that earns other players an Envy Bonus, and the bonus wager's row that pays it."""

    player: str
    row: Row


def envy_lines(seat: int, player: str, hands: Sequence[EnvyHand]) -> list[Line]:
    """Return the Envy Bonuses of one wager: a line for each qualifying hand of another player."""
    return [
        line(seat, ENVY_BONUS, "win", 0, hand.row.envy, 0, hand.row.envy_paragraph, None, hand.row.category)
        for hand in hands
        if hand.player != player
    ]
