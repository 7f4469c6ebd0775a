"""Paybacks of the optional wagers that the cards alone decide: exact, by counting."""

from fractions import Fraction

from shared.rules.errors import Refused
from shared.rules.face_up_pai_gow.ace_high import ace_high_bonus
from shared.rules.face_up_pai_gow.ace_high_counts import ace_high_counts
from shared.rules.face_up_pai_gow.progressive import progressive
from shared.rules.face_up_pai_gow.record import ACE_HIGH_BONUS, FORTUNE_BONUS, PROGRESSIVE
from shared.rules.set_hands.bonuses import BonusRows
from shared.rules.set_hands.payback import bonus_payback
from shared.rules.submission import Offer, Selection


def payback(selection: Selection, wager: str) -> Fraction:
    """The expected return of one cent of `wager`, its stake included, without Envy Bonuses.

    Raises `Refused` for a wager that is not offered, and for those that how hands are set or a meter decides.
    """
    offer = _offer(selection, wager)
    if wager == FORTUNE_BONUS:
        return bonus_payback(BonusRows(offer))
    if wager == ACE_HIGH_BONUS:
        return _of_ace_high(offer)
    raise Refused(
        f"the payback of '{wager}' depends on how hands are set or on a meter; it is counted for "
        + ", ".join(name for name in selection.offers if name in (FORTUNE_BONUS, ACE_HIGH_BONUS)),
        paragraph=offer.wager.decided,
    )


def progressive_at_reset(selection: Selection) -> Fraction:
    """What the Progressive Payout Wager returns of one cent while its meter shows the seed, without Envy Bonuses.

    Raises `Refused` where the wager is not offered.
    """
    wager = progressive(_offer(selection, PROGRESSIVE))
    return bonus_payback(wager.rows, wild_joker=wager.wild_joker, meter=Fraction(wager.reset, wager.stake))


def _offer(selection: Selection, wager: str) -> Offer:
    if wager not in selection.offers:
        raise Refused(
            f"wager '{wager}' is not offered; there are: {', '.join(selection.offers)}",
            paragraph=selection.catalogue.offered,
        )
    return selection.offers[wager]


def _of_ace_high(offer: Offer) -> Fraction:
    counts, rows = ace_high_counts(), ace_high_bonus(offer)
    back = Fraction(0)
    for row, pairs in (
        (rows.both, counts.both),
        (rows.with_joker, counts.only_dealer_with_joker),
        (rows.no_joker, counts.only_dealer_no_joker),
    ):
        back += pairs * (row.odds.ratio + (1 if row.odds.stake_returned else 0))
    return back / counts.all_pairs
