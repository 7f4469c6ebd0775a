"""The result of the Blackjack Wager under basic strategy: the total stake, and the return.

The player's first two cards and the up card are counted exactly. All other cards are drawn with replacement from the
shoe without these three, in double precision; probabilities are rounded to 1e-12.
"""

from collections.abc import Mapping
from typing import Final

from shared.rules.blackjack.hand_ends import AGAINST, STAKED, Backs, Chances, ends_of_natural, ends_of_pair, rounded
from shared.rules.blackjack.main_wager import BLACKJACK
from shared.rules.blackjack.shoe import VALUES_OF_CARDS, Dealer, full_shoe, is_natural, shares, without
from shared.rules.blackjack.strategy import Strategy, Terms, strategy_against
from shared.rules.blackjack.switch_play import SWITCH_ASSUMED, switch_chances
from shared.rules.game import CountPlay
from shared.rules.paytable import rows_by_category
from shared.rules.play import Play
from shared.rules.submission import Offer, Selection

_ASSUMED: Final = (
    "the best play by total, pair and up card; no Insurance, no House Money added; the first two cards and the up card "
    "are dealt from full decks, each further card as if all cards but these three were in the shoe again"
)


def play_blackjack(selection: Selection, offer: Offer) -> Play:
    """Return the result of the Blackjack Wager with doubles and splits; at Blackjack Switch, of both equal wagers."""
    terms = terms_of(selection, offer)
    assert selection.decks is not None
    shoe = full_shoe(selection.decks)
    backs = Backs.of(terms)
    if terms.switch:
        hands = rounded(switch_chances(shoe, terms, backs), backs, wagers=2)
        return Play.counted([offer.name], SWITCH_ASSUMED, hands, by_model=True)
    return Play.counted([offer.name], _ASSUMED, rounded(_ends(shoe, terms, backs), backs, wagers=1), by_model=True)


def terms_of(selection: Selection, offer: Offer) -> Terms:
    """Return the terms of a submission that decide the results of hands."""
    rows, options = rows_by_category(offer), selection.options
    resplits = options["resplits"]
    assert isinstance(resplits, int)
    return Terms(
        wins=rows["any_other_win"].odds.returns,
        blackjack=rows["blackjack"].odds.returns,
        resplits=resplits,
        switch=options["switch"] is True,
        from_hand=options["dealt_from_hand"] is True,
        even_money=options.get("even_money") is True,
    )


def _ends(shoe: list[int], terms: Terms, backs: Backs) -> Chances:
    chances: Chances = {}
    for up in VALUES_OF_CARDS:
        left = without(shoe, up)
        strategy = strategy_against(up, tuple(left), terms)
        for first in VALUES_OF_CARDS:
            for second in range(first, VALUES_OF_CARDS.stop):
                rest = without(left, first, second)
                drawn = shares(rest)
                natural = is_natural(first, second)
                pair = (
                    ends_of_natural(strategy, backs)
                    if natural
                    else ends_of_pair(first, second, strategy, drawn, left[first], backs)
                )
                kind = "natural" if natural else strategy.first(first, second)
                dealt = _dealt(shoe, up, first, second)
                for final, ends, chance in zip(AGAINST, pair, Dealer(drawn, up).chances, strict=True):
                    for end, weight in ends.items():
                        named = (_category(kind, final, end, strategy, backs), end)
                        chances[named] = chances.get(named, 0.0) + dealt * chance * weight
    return chances


def _dealt(shoe: list[int], up: int, first: int, second: int) -> float:
    """Return the probability that these cards are dealt, with the player's two in either order."""
    number = sum(shoe)
    ways, left = 1, list(shoe)
    for value in (up, first, second):
        ways *= left[value]
        left[value] -= 1
    return (1 if first == second else 2) * ways / (number * (number - 1) * (number - 2))


def _category(kind: str, final: int | None, end: int, strategy: Strategy, backs: Backs) -> str:
    if kind == "natural":
        return "even_money" if strategy.takes_even_money else "blackjack_tied" if final is None else "blackjack"
    if final is None:
        return "dealer_blackjack"
    if kind == "split":
        return "split"
    if kind == "surrender":
        return "surrendered"
    return ("doubled_" if end >= 2 * STAKED else "") + backs.outcome(end)


PLAYS: Final[Mapping[str, CountPlay]] = {BLACKJACK: play_blackjack}
