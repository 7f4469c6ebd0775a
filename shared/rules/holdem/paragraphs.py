"""The paragraph of each rule of play, from the catalogue."""

from shared.rules.record import Record


class Paragraphs(Record):
    """The paragraph of each rule in the regulation."""

    one_position: str
    initial_cards: str
    wrong_number_of_cards: str
    fold: str
    wins: str
    loses: str
    ante_returned: str
    ties: str
    folded_progressive: str
    random_selection: str
