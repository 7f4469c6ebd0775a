"""The rules submissions of five Blackjack games under chapter 633a, keyed by the licensee's name of the game."""

from collections.abc import Mapping
from typing import Any, Final

CLASSIC: Final = "blackjack"
PROGRESSIVE: Final = "blackjack-progressive"
HOUSE_MONEY: Final = "blackjack-house-money"
SWITCH: Final = "blackjack-switch"
DOUBLE_DECK: Final = "blackjack-double-deck"

OFFERS: Final[Mapping[str, Mapping[str, Any]]] = {
    CLASSIC: {
        "decks": 6,
        "options": {"even_money": True, "resplits": 2, "chip_unit": 250},
        "wagers": {
            "twenty_point_bonus": {},
            "match_the_dealer": {},
            "royal_match_21": {"paytable": "C", "crown_treasure": True},
        },
        "payout_limit": 2_500_000,
    },
    PROGRESSIVE: {
        "decks": 6,
        "options": {"even_money": True, "resplits": 2, "chip_unit": 250},
        "wagers": {
            "kings_bounty": {},
            "three_card_poker": {"paytable": "B"},
            "bad_beat_progressive": {
                "any_20": False,
                "magic_card": True,
                "lucky_player": True,
                "meter": {"rate": "0.20", "reset": 500_000},
            },
        },
    },
    HOUSE_MONEY: {
        "decks": 6,
        "options": {"resplits": 2, "chip_unit": 250},
        "wagers": {
            "house_money": {},
            "in_between": {},
            "bet_the_set_21": {"paytable": "C"},
            "hit_and_run_progressive": {"meter": {"rate": "0.15", "reset": 100_000}},
            "straight_jack_progressive": {"meter": {"rate": "0.20", "reset": 500_000}},
        },
    },
    SWITCH: {
        "decks": 6,
        "options": {"switch": True, "resplits": 1, "chip_unit": 250},
        "wagers": {"super_match": {}},
    },
    DOUBLE_DECK: {
        "decks": 2,
        "options": {"dealt_from_hand": True, "resplits": 1, "chip_unit": 250},
        "wagers": {"bet_the_set_21": {"paytable": "B"}, "royal_match_21": {"paytable": "D"}},
    },
}
