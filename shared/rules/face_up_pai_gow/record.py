"""The record of a round of Face Up Pai Gow Poker."""

from typing import Annotated, Final, Literal

from pydantic import Field

from shared.rules.record import Cents, Round, Seats
from shared.rules.set_hands.record import SetDealer, SetSeat

MAIN: Final = "face_up_pai_gow_poker"
ACE_HIGH_BONUS: Final = "ace_high_bonus"
FORTUNE_BONUS: Final = "fortune_bonus"
PROGRESSIVE: Final = "progressive_payout"

WagerType = Literal["face_up_pai_gow_poker", "ace_high_bonus", "fortune_bonus", "progressive_payout"]

# Three dice show 3 to 18, a random number generator 1 to 7.
StartingPosition = Annotated[int, Field(ge=1, le=18)]


class FaceUpSeat(SetSeat):
    """One betting position with wagers: cents by wager type, the seven cards as set, and the player's decisions."""

    wagers: dict[WagerType, Cents]


class FaceUpRound(Round):
    """One round of Face Up Pai Gow Poker: every wager, every card, every decision."""

    seats: Seats[FaceUpSeat]
    dealer: SetDealer = SetDealer()
    starting_position: StartingPosition | None = None
