"""The record of a round of Texas Hold 'Em Bonus Poker."""

from typing import Annotated, Literal

from pydantic import Field

from shared.cards import StandardCard
from shared.rules.record import Cents, Listed, Record, Round, Seat, SeatNumber, Seats

WagerType = Literal[
    "ante",
    "flop",
    "turn",
    "river",
    "texas_holdem_bonus",
    "progressive_payout",
    "five_card_hand_bonus_player",
    "five_card_hand_bonus_dealer",
]

# A misdealt hand may have any number of cards of the deck.
Cards = Annotated[tuple[StandardCard, ...], Listed, Field(max_length=52)]


class HoldemSeat(Seat):
    """One betting position: its wagers, its two cards, and whether the player folded."""

    wagers: dict[WagerType, Cents]
    cards: Cards
    folded: bool = False


class HoldemDealer(Record):
    """The dealer's two cards."""

    cards: Cards


class HoldemRound(Round):
    """One round: every wager, every card, every decision. `community` has the Flop, Turn and River cards in this order.

    In a round that was stopped, the dealer's cards may be missing, and hands may lack cards.
    """

    seats: Seats[HoldemSeat]
    dealer: HoldemDealer | None = None
    community: Cards = ()
    magic_card: StandardCard | None = None
    lucky_position: Literal["dealer"] | SeatNumber | None = None
