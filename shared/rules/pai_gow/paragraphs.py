"""The paragraph of each rule of play of Pai Gow Poker, from its catalogue."""

from shared.rules.set_hands.record import SettingParagraphs


class Paragraphs(SettingParagraphs):
    """The paragraph of each rule of play in the regulation."""

    bank_reset: str
    banking: str
    bank_one_area: str
    co_banking: str
    co_bank_no_dealer_wager: str
    dealer_against_bank: str
    bank_result: str
    co_bank_result: str
    starting_position_pick: str | None = None
    starting_position_draw: str | None = None
