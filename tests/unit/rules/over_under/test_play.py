"""The Ante Wager of Over/Under as it is played best: settled deal by deal, and as the Board states it."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

from shared.rules import compile_rules, parse_round, parse_submission, play
from shared.rules.over_under.totals import VALUES

REGULATION = "pa-686a"
SUBMISSION = parse_submission({})
CARD = {value: card for card, value in VALUES.items()}
DECISIONS: tuple[dict[str, Any], ...] = (
    {"wagers": {"over_23": 1}},
    {"wagers": {"under_18": 1}},
    {"surrendered": True},
)


def test_the_payback_is_that_of_all_deals_settled() -> None:
    """Each value of three cards with each decision goes through the settlement; the best one for the first counts."""
    rules = compile_rules(REGULATION, SUBMISSION)
    shoe = Counter({value: 6 * cards for value, cards in Counter(VALUES.values()).items()})
    won: Counter[tuple[int, int]] = Counter()
    for first, second, third in product(shoe, repeat=3):
        left = shoe - Counter([first])
        ways = shoe[first] * left[second] * (left[third] - (second == third))
        for number, decision in enumerate(DECISIONS):
            seat = {"seat": 1, "player": "p", "cards": [CARD[value] for value in (first, second, third)], **decision}
            seat["wagers"] = {"ante": 1, **decision.get("wagers", {})}
            settled = rules.settle(parse_round(REGULATION, {"seats": [seat]}))
            won[first, number] += ways * sum(line.net for line in settled.lines)
    best = sum(max(won[first, number] for number in range(3)) for first in shoe)
    assert Fraction(-best, 312 * 311 * 310) == play(REGULATION, "ante", SUBMISSION).house_edge


def test_the_figures_are_those_that_the_board_states() -> None:
    """98.95% of all that is staked; nobody surrenders, so that this is two wagers."""
    found = play(REGULATION, "ante", SUBMISSION)
    assert "98.95%" == f"{float(1 - found.edge_of_all_staked):.2%}"
    assert [Fraction(2), Fraction(0)] == [found.staked, found.probability("surrendered")]
    assert ("ante", "over_23", "under_18") == found.wagers
