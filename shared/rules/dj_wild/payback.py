"""Returns of the wagers decided by the cards alone: exact, by counting classes of hands and pairs of hands."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import comb
from typing import Final

from shared.cards import JOKER, Card
from shared.cards.ranking.deuces_wild import rank_with_wilds
from shared.rules.dj_wild.bonuses import BAD_BEAT, TRIPS, TripsBonus
from shared.rules.dj_wild.classes import classes
from shared.rules.dj_wild.hands import category_name, has_wild, natural_category, progressive_category
from shared.rules.dj_wild.pairs import losing_hands
from shared.rules.dj_wild.progressive import PROGRESSIVE
from shared.rules.game import CountProgressive, CountReturns
from shared.rules.paytable import count_returns, rows_by_category
from shared.rules.progressive import Progressive
from shared.rules.returns import Returns
from shared.rules.submission import Offer, Selection

_HANDS: Final = comb(53, 5)
_PAIRS_OF_HANDS: Final = _HANDS * comb(48, 5)


def count_progressive(selection: Selection, offer: Offer) -> Progressive:
    """Return the payback of the Progressive Bonus as a function of its meter, without Envy Bonuses.

    Hands with the joker are not counted: a drawn card replaces the joker, so all hands of five of the other 52 cards
    are equally likely.
    """
    deuces_wild, rows = selection.options["progressive_deuces_wild"] is True, rows_by_category(offer)
    hands = ((ways, cards) for cards, ways in _hands_by_kind().items() if JOKER not in cards)
    return Progressive.counted(
        offer,
        ((ways, rows.get(progressive_category(cards, deuces_wild=deuces_wild))) for ways, cards in hands),
        "no hand that wins is folded; the cards alone decide it",
    )


def progressive_at_reset(selection: Selection) -> Fraction:
    """Return the Progressive Bonus's return per unit staked at its reset amount, without Envy Bonuses.

    Raise `Refused` if the wager is not offered.
    """
    counted = count_progressive(selection, selection.offer(PROGRESSIVE))
    return counted.at(counted.reset_cents).payback


@cache
def _hands_by_kind() -> Mapping[tuple[Card, ...], int]:
    """Return the number of hands of each kind that the paytables distinguish, keyed by an example."""
    examples: dict[object, tuple[Card, ...]] = {}
    found: Counter[tuple[Card, ...]] = Counter()
    for cards, ways in classes():
        against_dealer = category_name(rank_with_wilds(cards))
        joker = JOKER in cards
        progressive = None if joker else progressive_category(cards, deuces_wild=True)
        kind = (against_dealer, natural_category(cards), has_wild(cards), joker, progressive)
        found[examples.setdefault(kind, cards)] += ways
    return found


def _of_trips(selection: Selection, offer: Offer) -> Returns:
    del selection
    bonus = TripsBonus(offer)
    return count_returns((ways, bonus.row(cards, rank_with_wilds(cards))) for cards, ways in _hands_by_kind().items())


def _of_bad_beat(selection: Selection, offer: Offer) -> Returns:
    """Return the returns of the Two-Way Bad Beat Bonus for players who never fold three of a kind or better.

    In each category, the dealer's hand loses as often as the player's.
    """
    rows, sides = rows_by_category(offer), 2 if selection.options["bad_beat_dealer_hand_pays"] is True else 1
    hands = [(deals * sides, rows.get(category.name)) for category, deals in losing_hands().items()]
    return count_returns([*hands, (_PAIRS_OF_HANDS - sum(deals for deals, _ in hands), None)])


COUNTS: Final[Mapping[str, CountReturns]] = {TRIPS: _of_trips, BAD_BEAT: _of_bad_beat}
PROGRESSIVES: Final[Mapping[str, CountProgressive]] = {PROGRESSIVE: count_progressive}
