"""The paragraph of each rule of play of Face Up Pai Gow Poker, as its catalogue gives them."""

from shared.rules.set_hands.record import SettingParagraphs


class Paragraphs(SettingParagraphs):
    """Where each rule stands in the text."""

    dealer_ace_high: str
