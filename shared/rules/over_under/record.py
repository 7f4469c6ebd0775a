"""The record of a round of Over/Under."""

from typing import Annotated, Literal

from pydantic import Field

from shared.cards import StandardCard
from shared.rules.record import Cents, Listed, Round, Seat, Seats

WagerType = Literal["ante", "over_23", "under_18", "bonus"]


class OverUnderSeat(Seat):
    """One betting position: three cards, or one in a hand that was called dead."""

    wagers: dict[WagerType, Cents]
    cards: Annotated[tuple[StandardCard, ...], Listed, Field(max_length=20)]
    surrendered: bool = False


class OverUnderRound(Round):
    """One round of Over/Under: every wager, every card, every decision. The dealer has no hand."""

    seats: Seats[OverUnderSeat]
