"""The paragraph of each rule of play of Pai Gow Poker, as its catalogue gives them."""

from shared.rules.record import Record


class Paragraphs(Record):
    """Where each rule stands in the text."""

    seven_cards: str
    setting: str
    dealer_setting: str
    dealer_reset: str
    bank_reset: str
    surrender: str
    void_hand: str
    both_lower: str
    copied: str
    low_above_high: str
    not_two_cards: str
    only_high_higher: str
    only_low_higher: str
    both_higher: str
    banking: str
    bank_one_area: str
    co_banking: str
    co_bank_no_dealer_wager: str
    dealer_against_bank: str
    bank_result: str
    co_bank_result: str
    starting_position_pick: str | None = None
    starting_position_draw: str | None = None
