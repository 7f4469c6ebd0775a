"""The record of a round of DJ Wild Stud Poker."""

from typing import Annotated, Literal

from pydantic import Field

from shared.cards import Card
from shared.rules.record import Cents, Listed, Record, Round, Seat, Seats

WagerType = Literal["ante", "blind", "raise", "progressive_bonus", "trips_bonus", "two_way_bad_beat_bonus"]

Cards = Annotated[tuple[Card, ...], Listed, Field(max_length=53)]


class DjWildSeat(Seat):
    """One betting position: the five cards dealt to it, and whether the player folded."""

    wagers: dict[WagerType, Cents]
    cards: Cards = ()
    folded: bool = False


class Dealer(Record):
    """The dealer's five cards."""

    cards: Cards = ()


class DjWildRound(Round):
    """One round of DJ Wild Stud Poker; cards and decisions may be missing if it was stopped.

    `spare_card` was laid aside to replace the joker for the Progressive Bonus.
    """

    seats: Seats[DjWildSeat]
    dealer: Dealer = Dealer()
    spare_card: Card | None = None
