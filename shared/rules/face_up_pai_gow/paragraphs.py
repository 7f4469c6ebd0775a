"""The paragraph of each rule of play of Face Up Pai Gow Poker, as its catalogue gives them."""

from shared.rules.record import Record


class Paragraphs(Record):
    """Where each rule stands in the text."""

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
    dealer_ace_high: str
    both_higher: str
