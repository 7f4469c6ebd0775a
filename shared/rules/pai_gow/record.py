"""The record of a round of Pai Gow Poker."""

from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field

from shared.rules.record import Cents, CentsOrNone, Record, Round, SeatNumber, Seats
from shared.rules.set_hands.record import SetDealer, SetSeat

MAIN: Final = "pai_gow_poker"
STARTING_POSITION: Final = "starting_position"
DEALER: Final = 0
"""The seat number of the dealer in lines and notices."""

WagerType = Literal[
    "pai_gow_poker",
    "fortune_bonus",
    "emperors_treasure",
    "pai_gow_insurance",
    "progressive_payout",
    "bonus",
    "starting_position",
]


def _number(key: object) -> object:
    """Return the number in the key of a JSON object, which is a string; other values are returned unchanged."""
    return int(key) if isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 4 else key


# A number that the random number generator displays.
Pick = Annotated[int, BeforeValidator(_number), Field(ge=1, le=7)]

# Three dice show 3 to 18, a random number generator 1 to 7.
StartingPosition = Annotated[int, Field(ge=1, le=18)]


class PaiGowSeat(SetSeat):
    """One betting position: cents by wager type and by number picked, the seven cards as set, and decisions."""

    wagers: dict[WagerType, Cents]
    picks: Annotated[dict[Pick, Cents], Field(default_factory=dict, max_length=7)]


class Bank(Record):
    """The seat that banks the round, alone or with the house, and the dealer's wager against it, in cents."""

    seat: SeatNumber
    co: bool = False
    dealer_wager: CentsOrNone = 0


class PaiGowRound(Round):
    """One round of Pai Gow Poker: every wager, every card, every decision."""

    seats: Seats[PaiGowSeat]
    dealer: SetDealer = SetDealer()
    bank: Bank | None = None
    starting_position: StartingPosition | None = None
