"""Exact paybacks of the Texas Hold 'Em Bonus Wager against published figures and a count of every deal."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from shared.cards import standard_deck
from shared.rules import parse_submission, payback

METER = {"rate": "0.1", "reset": 1000000}


def submission(paytable: str) -> Any:
    """Return a submission that offers everything, with one paytable of the bonus."""
    return parse_submission(
        {
            "options": {"ante_pays_on": "straight"},
            "wagers": {
                "texas_holdem_bonus": {"paytable": paytable},
                "progressive_payout": {"meter": METER},
                "five_card_hand_bonus": {"meter": METER},
            },
        }
    )


@pytest.mark.parametrize(("paytable", "house_edge"), [("A", "8.54%"), ("B", "8.90%")])
def test_the_house_edge_is_the_published_one(paytable: str, house_edge: str) -> None:
    """8.54% with 1,000 to 1 for ace-ace of both, 8.90% without."""
    back = payback("pa-647a", "texas_holdem_bonus", submission(paytable))
    assert house_edge == f"{float(1 - back):.2%}"


def test_the_payback_is_what_every_deal_pays() -> None:
    """All 1,326 hands against all 1,225 of the dealer, told by their ranks in the obvious way."""
    odds = {"AK": (25, 15), "AQ": (20, 5), "AJ": (20, 5)}
    total = deals = 0
    deck = standard_deck()
    for player in combinations(deck, 2):
        ranks = "".join(sorted((card[0] for card in player), key="AKQJT98765432".index))
        suited = player[0][1] == player[1][1]
        rest = [card for card in deck if card not in player]
        against = 1 if ranks == "AA" else 0
        both = against * sum(one[0] == other[0] == "A" for one, other in combinations(rest, 2))
        if ranks[0] == ranks[1]:
            pays = 30 if ranks == "AA" else 10 if ranks[0] in "KQJ" else 3
        elif ranks in odds:
            pays = odds[ranks][0 if suited else 1]
        else:
            pays = -1
        deals += 1225
        total += (pays + 1) * (1225 - both) + 1001 * both
    assert Fraction(total, deals) == payback("pa-647a", "texas_holdem_bonus", submission("A"))
