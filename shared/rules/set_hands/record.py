"""The record of seven cards set as a high and a low hand, and the paragraphs of the rules about them."""

from typing import Annotated

from pydantic import Field

from shared.cards import Card
from shared.rules.record import Listed, Record, Seat

# The deck has 53 cards; how many of them a hand may have depends on the irregularities of the round.
Cards = Annotated[tuple[Card, ...], Listed, Field(max_length=53)]


class SetSeat(Seat):
    """A betting position: its seven cards, those set as the low hand, and the player's decisions."""

    cards: Cards = ()
    low: Cards = ()
    surrendered: bool = False
    voided: bool = False


class SetDealer(Record):
    """The dealer's seven cards and those set as the low hand; both may be missing in a stopped round."""

    cards: Cards = ()
    low: Cards = ()


class SettingParagraphs(Record):
    """The paragraphs of the rules on setting and comparing hands in a regulation."""

    seven_cards: str
    setting: str
    dealer_setting: str
    dealer_reset: str
    surrender: str
    void_hand: str
    both_lower: str
    copied: str
    low_above_high: str
    not_two_cards: str
    only_high_higher: str
    only_low_higher: str
    both_higher: str
