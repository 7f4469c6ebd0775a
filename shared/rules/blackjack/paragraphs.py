"""The paragraph of each rule of play, read from the catalogue because regulations number them differently."""

from shared.rules.record import Record


class Paragraphs(Record):
    """The paragraph of each rule in the regulation under which a round is settled."""

    no_cards_dealt: str
    initial_cards: str
    hole_card: str
    no_draw_at_21: str
    one_card_after_double: str
    dealer_draws: str
    dealer_stays: str
    wins: str
    loses: str
    ties: str
    insurance_limit: str
    even_money: str
    surrender: str
    surrender_low_card_up: str
    surrender_high_card_up: str
    double_down: str
    double_against_late_blackjack: str
    split: str
    resplit: str
    split_against_late_blackjack: str
    switch: str
    switch_equal_wagers: str
    switch_decisions: str
    switch_blackjack_against_21: str
    switch_blackjack_against_blackjack: str
    switched_against_blackjack: str
    switched_against_21_or_22: str
    switch_against_22: str
    house_money: str
    house_money_against_blackjack: str
    house_money_portion: str
    house_money_matched: str
    random_selection: str
