"""The record of a Blackjack round."""

from typing import Annotated, Literal

from pydantic import Field

from shared.cards import StandardCard
from shared.rules.record import Cents, CentsOrNone, Listed, Record, Round, Seat, SeatNumber, Seats

WagerType = Literal[
    "blackjack",
    "insurance",
    "twenty_point_bonus",
    "match_the_dealer",
    "in_between",
    "royal_match_21",
    "bet_the_set_21",
    "kings_bounty",
    "super_match",
    "bad_beat_progressive",
    "three_card_poker",
    "hit_and_run_progressive",
    "straight_jack_progressive",
    "house_money",
]

# 21 aces are 21 points, so no hand can reach a 23rd card.
Cards = Annotated[tuple[StandardCard, ...], Listed, Field(max_length=22)]
InitialTwo = Annotated[tuple[StandardCard, StandardCard], Listed]
TwoHands = Annotated[tuple[InitialTwo, InitialTwo], Listed]
NoCards = Annotated[tuple[()], Listed]


class BlackjackHand(Record):
    """A hand as played: its cards in order, and the player's decisions."""

    cards: Cards
    double: CentsOrNone = 0
    surrendered: bool = False
    even_money: bool = False


class BlackjackSeat(Seat):
    """A betting position with wagers: the initial cards (of two hands at Blackjack Switch) and the resulting hands."""

    wagers: dict[WagerType, Cents]
    dealt: Annotated[InitialTwo | TwoHands | NoCards, Field(union_mode="left_to_right")] = ()
    hands: Annotated[tuple[BlackjackHand, ...], Listed, Field(max_length=64)] = ()
    switched: bool = False
    house_money_added: CentsOrNone = 0


class Dealer(Record):
    """The dealer's cards: the up card, the hole card, then the cards drawn."""

    cards: Cards


class BlackjackRound(Round):
    """One round of Blackjack: every wager, every card, every decision."""

    seats: Seats[BlackjackSeat]
    dealer: Dealer
    magic_card: StandardCard | None = None
    lucky_seat: SeatNumber | None = None
