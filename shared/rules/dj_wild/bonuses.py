"""The Trips Bonus, § 687a.11(f)(2), and the Two-Way Bad Beat Bonus, § 687a.11(f)(3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.cards import Card
from shared.rules.dj_wild.hands import category_name, has_wild, natural_category
from shared.rules.odds import Odds
from shared.rules.paytable import Row, lost, rows_by_category
from shared.rules.settlement import Line
from shared.rules.submission import Offer

TRIPS: Final = "trips_bonus"
BAD_BEAT: Final = "two_way_bad_beat_bonus"


@dataclass(frozen=True, slots=True)
class TripsBonus:
    """The columns of the selected paytable, by category."""

    natural: Mapping[str, Row]
    with_wild: Mapping[str, Row]
    decided: str

    def row(self, cards: Sequence[Card], rank: int) -> Row | None:
        """The row that a hand of this rank wins: the better one of the hand with wild cards and the natural hand."""
        category = category_name(rank)
        if not has_wild(cards):
            return self.natural.get(category)
        row = self.with_wild.get(category)
        as_dealt = natural_category(cards)
        natural = None if as_dealt is None else self.natural.get(as_dealt)
        if row is None or natural is None:
            return row or natural
        return natural if natural.odds.ratio > row.odds.ratio else row

    def settle(self, seat: int, stake: int, cards: Sequence[Card], rank: int) -> Line:
        """The line of a Trips Bonus Wager of `stake` cents."""
        row = self.row(cards, rank)
        return lost(seat, TRIPS, stake, self.decided) if row is None else row.win(seat, stake)


def trips_bonus(offer: Offer) -> TripsBonus:
    """Make the offered Trips Bonus ready for settlement."""
    rows = rows_by_category(offer)
    return TripsBonus(
        natural={entry.category: rows[entry.category] for entry in offer.paytable.rows if entry.odds is not None},
        with_wild={
            entry.category: replace(rows[entry.category], odds=Odds.parse(entry.odds_with_wild))
            for entry in offer.paytable.rows
            if entry.odds_with_wild is not None
        },
        decided=offer.wager.decided,
    )


@dataclass(frozen=True, slots=True)
class BadBeatBonus:
    """The rows of the selected paytable, by category; with `dealer_hand_pays` a beaten dealer's hand pays too."""

    rows: Mapping[str, Row]
    dealer_hand_pays: bool
    decided: str

    def row(self, rank: int, dealer: int) -> Row | None:
        """The row that wins between these ranks: that of the hand that loses."""
        if rank == dealer or (rank > dealer and not self.dealer_hand_pays):
            return None
        return self.rows.get(category_name(min(rank, dealer)))

    def settle(self, seat: int, stake: int, rank: int, dealer: int) -> Line:
        """The line of a Two-Way Bad Beat Bonus Wager of `stake` cents on a hand that was not folded."""
        row = self.row(rank, dealer)
        return lost(seat, BAD_BEAT, stake, self.decided) if row is None else row.win(seat, stake)


def bad_beat_bonus(offer: Offer, *, dealer_hand_pays: bool) -> BadBeatBonus:
    """Make the offered Two-Way Bad Beat Bonus ready for settlement."""
    return BadBeatBonus(rows=rows_by_category(offer), dealer_hand_pays=dealer_hand_pays, decided=offer.wager.decided)
