"""Point counts of hands, § 633a.3(e), and the definition of a Blackjack."""

from collections.abc import Sequence
from typing import Final

from shared.cards import RANKS, StandardCard, standard_deck

_RANK_VALUES: Final = {rank: 11 if rank == "A" else int(rank) if rank in "23456789" else 10 for rank in RANKS}

VALUES: Final[dict[str, int]] = {card: _RANK_VALUES[card[0]] for card in standard_deck()}
"""The value of each card; an ace is 11."""

MOST: Final = 21


def total(cards: Sequence[StandardCard]) -> int:
    """Return the point count: each ace is 11 unless that would exceed 21, then 1.

    >>> total(["As", "6d"]), total(["As", "6d", "Th"]), total(["As", "Ah", "9c"])
    (17, 17, 21)
    """
    points = aces = 0
    for card in cards:
        value = VALUES[card]
        points += value
        if value == 11:
            aces += 1
    while points > MOST and aces:
        points -= 10
        aces -= 1
    return points


def first_full(cards: Sequence[StandardCard]) -> int | None:
    """Return the number of cards, at least two, at which the total first reached 21; None if it never did.

    >>> first_full(["As", "5d", "5h", "2c"]), first_full(["Th", "2d"])
    (3, None)
    """
    return next((count for count in range(2, len(cards) + 1) if total(cards[:count]) >= MOST), None)


def is_blackjack(first: StandardCard, second: StandardCard) -> bool:
    """Return whether two initial cards are an ace and a card with the value 10 (§ 633a.1)."""
    return VALUES[first] + VALUES[second] == MOST
