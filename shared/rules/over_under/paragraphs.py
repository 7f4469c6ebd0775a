"""Where the rules of Over/Under stand in its text."""

from shared.rules.record import Record


class Paragraphs(Record):
    """Where each rule of play stands."""

    decision: str
    surrender: str
    three_cards: str
    wrong_side: str
    house_wins: str
    dead_hand: str
