"""The paragraphs of the rules of Over/Under."""

from shared.rules.record import Record


class Paragraphs(Record):
    """The paragraph of each rule of play."""

    decision: str
    surrender: str
    three_cards: str
    wrong_side: str
    house_wins: str
    dead_hand: str
