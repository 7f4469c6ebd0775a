"""The Ante, Flop, Turn and River Wagers, § 647a.11(b) and (h)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.cards import StandardCard
from shared.cards.ranking import Category, category_of, rank_best
from shared.rules.holdem.hands import SeatInPlay
from shared.rules.holdem.paragraphs import Paragraphs
from shared.rules.line import Line, line
from shared.rules.paytable import Row, lost

ANTE: Final = "ante"
MAIN_WAGERS: Final = (ANTE, "flop", "turn", "river")


@dataclass(frozen=True, slots=True)
class MainWagers:
    """The rules of the four wagers against the dealer: their rows, and the lowest winning hand that pays the Ante."""

    rows: dict[str, Row]
    ante_pays_from: Category
    paragraphs: Paragraphs

    def settle(
        self, seat: SeatInPlay, community: Sequence[StandardCard], dealer_rank: int, *, lines: list[Line]
    ) -> None:
        """Append the lines of one seat to `lines`; a folded hand has only the line of its Ante."""
        number, wagers, paragraphs = seat.number, seat.wagers, self.paragraphs
        if seat.folded:
            lines.append(lost(number, ANTE, wagers[ANTE], paragraphs.fold))
            return
        own_rank = rank_best((*seat.cards, *community))
        for wager in MAIN_WAGERS:
            stake = wagers.get(wager)
            if stake is None:
                continue
            if own_rank < dealer_rank:
                lines.append(lost(number, wager, stake, paragraphs.loses))
            elif own_rank == dealer_rank:
                lines.append(line(number, wager, "push", stake, 0, stake, paragraphs.ties))
            elif wager == ANTE and category_of(own_rank) < self.ante_pays_from:
                lines.append(line(number, wager, "push", stake, 0, stake, paragraphs.ante_returned))
            else:
                payout = self.rows[wager].odds.pay(stake)
                lines.append(line(number, wager, "win", stake, payout, stake, paragraphs.wins))
