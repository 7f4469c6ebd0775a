"""Paybacks of the wagers that the cards alone decide: exact, by counting classes of hands and pairs of hands."""

from fractions import Fraction
from math import comb
from typing import Final

from shared.cards import JOKER
from shared.cards.ranking.deuces_wild import rank_with_wilds
from shared.rules.dj_wild.bonuses import BAD_BEAT, TRIPS, trips_bonus
from shared.rules.dj_wild.classes import classes
from shared.rules.dj_wild.hands import progressive_category
from shared.rules.dj_wild.pairs import losing_hands
from shared.rules.dj_wild.progressive import PROGRESSIVE
from shared.rules.errors import Refused
from shared.rules.paytable import rows_by_category
from shared.rules.submission import Offer, Selection

_HANDS: Final = comb(53, 5)
_HANDS_WITHOUT_JOKER: Final = comb(52, 5)
_PAIRS_OF_HANDS: Final = _HANDS * comb(48, 5)


def payback(selection: Selection, wager: str) -> Fraction:
    """The expected return of one cent of `wager`, its stake included.

    The Two-Way Bad Beat Bonus counts for players who never fold three of a kind or better. Raises `Refused` for a wager
    that is not offered, and for those that depend on how hands are played or on a meter.
    """
    offer = _offer(selection, wager)
    if wager == TRIPS:
        return _of_trips(offer)
    if wager == BAD_BEAT:
        return _of_bad_beat(offer, both_ways=selection.options["bad_beat_dealer_hand_pays"] is True)
    raise Refused(
        f"the payback of '{wager}' depends on how hands are played or on a meter; it is counted for "
        f"{TRIPS}, {BAD_BEAT}",
        paragraph=offer.wager.decided,
    )


def progressive_at_reset(selection: Selection) -> Fraction:
    """What the Progressive Bonus returns of one cent while its meter shows the reset amount, without Envy Bonuses.

    Counted for hands that qualify. As a drawn card replaces the joker, every five of the other 52 cards are as likely.
    Raises `Refused` where the wager is not offered.
    """
    offer = _offer(selection, PROGRESSIVE)
    deuces_wild = selection.options["progressive_deuces_wild"] is True
    rows, stake = rows_by_category(offer), offer.paytable.stake
    assert offer.meter is not None
    assert stake is not None
    back = Fraction(0)
    for cards, ways in classes():
        row = None if JOKER in cards else rows.get(progressive_category(cards, deuces_wild=deuces_wild))
        if row is not None:
            back += ways * (row.meter * offer.meter.reset / stake if row.meter else row.odds.ratio + 1)
    return back / _HANDS_WITHOUT_JOKER


def _offer(selection: Selection, wager: str) -> Offer:
    if wager not in selection.offers:
        raise Refused(
            f"wager '{wager}' is not offered; there are: {', '.join(selection.offers)}",
            paragraph=selection.catalogue.offered,
        )
    return selection.offers[wager]


def _of_trips(offer: Offer) -> Fraction:
    bonus = trips_bonus(offer)
    back = Fraction(0)
    for cards, ways in classes():
        row = bonus.row(cards, rank_with_wilds(cards))
        if row is not None:
            back += ways * (row.odds.ratio + 1)
    return back / _HANDS


def _of_bad_beat(offer: Offer, *, both_ways: bool) -> Fraction:
    """The dealer loses with as many hands of a category as the player does."""
    rows = rows_by_category(offer)
    back = Fraction(0)
    for category, deals in losing_hands().items():
        row = rows.get(category.name)
        if row is not None:
            back += deals * (row.odds.ratio + 1)
    return back * (2 if both_ways else 1) / _PAIRS_OF_HANDS
