"""The Progressive Payout Wager, § 688a.11(h)(4) and § 688a.12(d)."""

from fractions import Fraction
from typing import Final

from shared.cards import JOKER
from shared.cards.ranking.pai_gow import CardSet, card_set, formed
from shared.rules.errors import Refused
from shared.rules.face_up_pai_gow.record import PROGRESSIVE
from shared.rules.line import Line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import Row, settled
from shared.rules.set_hands.bonuses import BonusRows
from shared.rules.submission import Offer

_JOKER: Final = card_set([JOKER])


class Progressive:
    """The selected paytable with its meter. `stake` is the only permitted amount, `reset` the seed, in cents."""

    def __init__(self, offer: Offer) -> None:
        """Read the terms of the offered wager and its selected paytable."""
        assert offer.meter is not None
        assert offer.paytable.stake is not None
        self.rows: Final = BonusRows(offer)
        self.wild_joker: Final = offer.paytable.wild_joker
        self.stake: Final = offer.paytable.stake
        self.reset: Final = offer.meter.reset
        self._rate = Fraction(offer.meter.rate)
        self._paragraph = offer.paytable.paragraph
        self._decided = offer.wager.decided

    def check(self, seat: int, stake: int) -> None:
        """Raise `Refused` for an amount other than the paytable's."""
        if stake != self.stake:
            raise Refused(
                f"'{PROGRESSIVE}' {stake}: the selected paytable is for a wager of {self.stake}",
                seat=seat,
                paragraph=self._paragraph,
            )

    def row(self, seven: CardSet, can_form: int) -> Row | None:
        """Return the row that the best seven-card hand wins; the joker may be any card if the paytable allows it.

        `can_form` has the hands that the cards can form with the joker restricted, as in the other wagers.
        """
        if self.wild_joker and seven & _JOKER:
            can_form = formed(seven, wild_joker=True)
        return self.rows[can_form]

    def contribute(self, seat: int, stake: int, board: MeterBoard) -> None:
        """Add the share of one wager to the meter. Interpretation: the reserve is never displayed."""
        board.contribute(seat, PROGRESSIVE, PROGRESSIVE, stake, self._rate)

    def settle(self, seat: int, stake: int, row: Row | None, board: MeterBoard) -> Line:
        """Return the line of a wager on a hand that wins `row`, in settlement order, with its award from the meter.

        Interpretation of "$5,000/100% of meter": both are paid. After an award of 100%, the meter shows the seed.
        """
        won = 0 if row is None else board.award(PROGRESSIVE, row.meter, self.reset)
        return settled(row, seat, PROGRESSIVE, stake, self._decided, from_meter=won)
