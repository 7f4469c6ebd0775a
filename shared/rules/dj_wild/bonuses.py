"""The Trips Bonus, § 687a.11(f)(2), and the Two-Way Bad Beat Bonus, § 687a.11(f)(3)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from shared.cards import Card
from shared.rules.dj_wild.hands import category_name, has_wild, natural_category
from shared.rules.line import Line
from shared.rules.odds import Odds
from shared.rules.paytable import Row, rows_by_category, settled
from shared.rules.submission import Offer

TRIPS: Final = "trips_bonus"
BAD_BEAT: Final = "two_way_bad_beat_bonus"


class TripsBonus:
    """The rows of the selected paytable by category, for natural hands and for hands with a wild card."""

    def __init__(self, offer: Offer) -> None:
        """Read the selected paytable of the offered wager."""
        rows = rows_by_category(offer)
        self._natural = {
            entry.category: rows[entry.category] for entry in offer.paytable.rows if entry.odds is not None
        }
        self._with_wild = {
            entry.category: replace(rows[entry.category], odds=Odds.parse(entry.odds_with_wild))
            for entry in offer.paytable.rows
            if entry.odds_with_wild is not None
        }
        self._decided = offer.wager.decided

    def row(self, cards: Sequence[Card], rank: int) -> Row | None:
        """Return the row that a hand of this rank wins, or None.

        A hand with a wild card wins the better of its rows with the wild card and as a natural hand.
        """
        category = category_name(rank)
        if not has_wild(cards):
            return self._natural.get(category)
        row = self._with_wild.get(category)
        as_dealt = natural_category(cards)
        natural = None if as_dealt is None else self._natural.get(as_dealt)
        if row is None or natural is None:
            return row or natural
        return natural if natural.odds.ratio > row.odds.ratio else row

    def settle(self, seat: int, stake: int, cards: Sequence[Card], rank: int) -> Line:
        """Return the line of a Trips Bonus Wager of `stake` cents."""
        return settled(self.row(cards, rank), seat, TRIPS, stake, self._decided)


class BadBeatBonus:
    """The rows of the selected paytable by category; with `dealer_hand_pays`, a beaten dealer's hand pays too."""

    def __init__(self, offer: Offer, *, dealer_hand_pays: bool) -> None:
        """Read the selected paytable of the offered wager."""
        self._rows = rows_by_category(offer)
        self._dealer_hand_pays = dealer_hand_pays
        self._decided = offer.wager.decided

    def row(self, rank: int, dealer: int) -> Row | None:
        """Return the row of the losing hand, given the ranks of both hands, or None."""
        if rank == dealer or (rank > dealer and not self._dealer_hand_pays):
            return None
        return self._rows.get(category_name(min(rank, dealer)))

    def settle(self, seat: int, stake: int, rank: int, dealer: int) -> Line:
        """Return the line of a Two-Way Bad Beat Bonus Wager of `stake` cents on a hand that was not folded."""
        return settled(self.row(rank, dealer), seat, BAD_BEAT, stake, self._decided)
