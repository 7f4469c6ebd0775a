"""Point totals of three cards, § 686a.3(d), and the wagers that win on them, § 686a.7(i)-(k)."""

from collections.abc import Sequence
from typing import Final, cast, get_args

from shared.cards import StandardCard

VALUES: Final[dict[StandardCard, int]] = {
    card: 11 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0])
    for card in cast("tuple[StandardCard, ...]", get_args(StandardCard))
}
"""The points of each card; an ace is always 11."""

BONUS: Final = "bonus"
CARDS_IN_HAND: Final = 3
LEAST: Final = 3 * min(VALUES.values())
MOST: Final = 3 * max(VALUES.values())

OVER_FROM: Final = 24
UNDER_TO: Final = 17

CHOICES: Final = ("over_23", "under_18")
"""The two sides to wager on; a player who does not surrender wagers on one of them."""


def total(cards: Sequence[StandardCard]) -> int:
    """Return the points of a hand.

    >>> total(["Ah", "Kd", "2c"])
    23
    """
    return sum([VALUES[card] for card in cards])


def wins(choice: str, points: int) -> bool:
    """Return whether a wager of `CHOICES` wins on a total; the other side and totals from 18 to 23 lose."""
    return points >= OVER_FROM if choice == "over_23" else points <= UNDER_TO


def bonus_category(points: int) -> str:
    """Return the name of the row for a total; each row is for two totals, equally far from the lowest and the highest.

    >>> bonus_category(32), bonus_category(12)
    ('7_or_32', '12_or_27')
    """
    low = min(points, LEAST + MOST - points)
    return f"{low}_or_{LEAST + MOST - low}"
