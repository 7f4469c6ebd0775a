"""Returns of the optional wagers decided by the cards alone: exact, by counting."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from shared.rules.face_up_pai_gow.ace_high import AceHighBonus
from shared.rules.face_up_pai_gow.ace_high_counts import ace_high_counts
from shared.rules.face_up_pai_gow.progressive import Progressive as Wager
from shared.rules.face_up_pai_gow.record import ACE_HIGH_BONUS, FORTUNE_BONUS, PROGRESSIVE
from shared.rules.game import CountProgressive, CountReturns
from shared.rules.paytable import count_returns
from shared.rules.progressive import Progressive
from shared.rules.returns import Returns
from shared.rules.set_hands.bonuses import BonusRows
from shared.rules.set_hands.payback import bonus_hands, bonus_returns
from shared.rules.submission import Offer, Selection


def progressive_at_reset(selection: Selection) -> Fraction:
    """Return the Progressive Payout Wager's return per unit staked at its seed, without Envy Bonuses.

    Raise `Refused` if the wager is not offered.
    """
    counted = count_progressive(selection, selection.offer(PROGRESSIVE))
    return counted.at(counted.reset_cents).payback


def count_progressive(selection: Selection, offer: Offer) -> Progressive:
    """Return the payback of the Progressive Payout Wager as a function of its meter, without Envy Bonuses."""
    del selection
    wager = Wager(offer)
    return Progressive.counted(offer, bonus_hands(wager.rows, wild_joker=wager.wild_joker))


def _of_fortune(selection: Selection, offer: Offer) -> Returns:
    """Return the returns of the Fortune Bonus, without Envy Bonuses, which depend on the number of other players."""
    del selection
    return bonus_returns(BonusRows(offer))


def _of_ace_high(selection: Selection, offer: Offer) -> Returns:
    del selection
    counts, rows = ace_high_counts(), AceHighBonus(offer)
    decided = counts.both + counts.only_dealer_with_joker + counts.only_dealer_no_joker
    return count_returns(
        [
            (counts.both, rows.both),
            (counts.only_dealer_with_joker, rows.with_joker),
            (counts.only_dealer_no_joker, rows.no_joker),
            (counts.all_pairs - decided, None),
        ]
    )


COUNTS: Final[Mapping[str, CountReturns]] = {FORTUNE_BONUS: _of_fortune, ACE_HIGH_BONUS: _of_ace_high}
PROGRESSIVES: Final[Mapping[str, CountProgressive]] = {PROGRESSIVE: count_progressive}
