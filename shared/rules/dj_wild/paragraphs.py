"""The paragraph of each rule of play, read from the catalogue."""

from shared.rules.record import Record


class Paragraphs(Record):
    """The paragraph of each rule of play."""

    decision: str
    five_cards: str
    wrong_number_of_cards: str
    wins: str
    ties: str
    loses: str
    folded: str
    folded_with_bad_beat: str
    folded_with_progressive: str
    joker_replaced: str
    progressive_paytable: str
