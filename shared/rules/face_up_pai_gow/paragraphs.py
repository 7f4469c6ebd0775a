"""The paragraph of each rule of play of Face Up Pai Gow Poker, from its catalogue."""

from shared.rules.set_hands.record import SettingParagraphs


class Paragraphs(SettingParagraphs):
    """The paragraph of each rule of play in the regulation."""

    dealer_ace_high: str
