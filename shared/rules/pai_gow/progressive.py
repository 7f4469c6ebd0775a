"""The Progressive Payout Wager: on seven cards in Pennsylvania, on two hands formed from them in Rhode Island."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

from shared.cards.ranking.pai_gow import CardSet, Formed, by_value, formed, holds_joker
from shared.rules.errors import Refused
from shared.rules.line import Line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import Row, lost, rows_by_category
from shared.rules.set_hands.bonuses import BonusRows
from shared.rules.submission import Offer

PROGRESSIVE: Final = "progressive_payout"

_AND_PAIR: Final = "_and_pair"
_BESIDE_A_PAIR: Final = int(
    Formed.straight | Formed.flush | Formed.full_house | Formed.four_of_a_kind | Formed.five_aces
)


class HandTypes:
    """Rhode Island's hand types: a five-card hand, or a five-card hand with a pair in the other two cards.

    The type with the highest payout is formed, so the rows are ordered by payout, highest first.
    """

    def __init__(self, offer: Offer) -> None:
        """Read the selected paytable of an offer."""
        assert offer.paytable.stake is not None
        stake = offer.paytable.stake
        rows = sorted(rows_by_category(offer).values(), key=lambda row: (row.meter, row.odds.pay(stake)), reverse=True)
        self._rows: Final = tuple(
            (int(Formed[row.category.removesuffix(_AND_PAIR)]), row.category.endswith(_AND_PAIR), row) for row in rows
        )
        self._found: Final[dict[FormedBesidePair, tuple[Row, ...]]] = {}

    def rows(self, formed_: "FormedBesidePair") -> tuple[Row, ...]:
        """Return the rows won by seven cards that can form these hands, usually the highest-paying row first."""
        found = self._found.get(formed_)
        if found is None:
            anything, with_pair = formed_
            found = self._found[formed_] = tuple(
                row for flags, and_pair, row in self._rows if flags & (with_pair if and_pair else anything)
            )
        return found


class FormedBesidePair(NamedTuple):
    """The hands that seven cards can form, as flags of `Formed`: all of them, and those that leave a pair over."""

    anything: int
    with_pair: int


def formed_beside_pair(seven: CardSet, anything: int) -> FormedBesidePair:
    """Return the hands that seven cards can form, also those that leave a pair over; `anything` has all their flags."""
    with_pair = _beside_a_pair(seven) if anything & _BESIDE_A_PAIR and anything & Formed.pair else 0
    if anything & Formed.natural_royal_flush and not holds_joker(seven):  # its highest type
        return FormedBesidePair(int(Formed.natural_royal_flush), with_pair & Formed.natural_royal_flush)
    return FormedBesidePair(anything, with_pair)


def _beside_a_pair(seven: CardSet) -> int:
    """Return the hands that five cards can form if the other two are a pair, as flags for all such pairs together."""
    found = 0
    for pair in _pairs(seven):
        found |= formed(seven ^ pair)
    return found


def _pairs(seven: CardSet) -> Iterator[CardSet]:
    for cards in by_value(seven).values():
        for one, other in combinations(cards, 2):
            yield one | other


def pays_hand_types(offer: Offer) -> bool:
    """Return whether the selected paytable pays Rhode Island's hand types."""
    return any(row.category.endswith(_AND_PAIR) for row in offer.paytable.rows)


class Progressive:
    """The paytable with its meter. `stake` is the only permitted amount (None: any), `reset` is in cents."""

    def __init__(self, offer: Offer) -> None:
        """Read the terms of the offered wager and its selected paytable."""
        assert offer.meter is not None
        by_hand_types = pays_hand_types(offer)
        self._rows = None if by_hand_types else BonusRows(offer)
        self._hand_types = HandTypes(offer) if by_hand_types else None
        self._stake = offer.paytable.stake
        self._rate = Fraction(offer.meter.rate)
        self._reset = offer.meter.reset
        self._stake_paragraph = offer.wager.paragraph
        self._decided = offer.wager.decided

    def check(self, seat: int, stake: int) -> None:
        """Raise `Refused` for an amount other than the paytable's."""
        if self._stake is not None and stake != self._stake:
            raise Refused(
                f"'{PROGRESSIVE}' {stake}: the selected paytable is for a wager of {self._stake}",
                seat=seat,
                paragraph=self._stake_paragraph,
            )

    def row(self, seven: CardSet, anything: int, stake: int, shown: int) -> Row | None:
        """Return the row won by seven cards that can form `anything`, at a meter reading of `shown` cents."""
        if self._hand_types is None:
            assert self._rows is not None
            return self._rows[anything]
        return highest(self._hand_types.rows(formed_beside_pair(seven, anything)), stake, shown)

    def contribute(self, seat: int, stake: int, board: MeterBoard) -> None:
        """Add the share of one wager to the meter."""
        board.contribute(seat, PROGRESSIVE, PROGRESSIVE, stake, self._rate)

    def settle(self, seat: int, stake: int, seven: CardSet, anything: int, board: MeterBoard, most: int | None) -> Line:
        """Return the line of a wager on seven cards that can form `anything`, in settlement order.

        The payout is at most `most` cents (None: no limit).
        """
        row = self.row(seven, anything, stake, board.shows[PROGRESSIVE])
        if row is None:
            return lost(seat, PROGRESSIVE, stake, self._decided)
        fixed = row.odds.pay(stake)
        from_meter = 0
        if row.meter:
            from_meter = self._award(row.meter, board, None if most is None else most - min(fixed, most))
        elif row.off_meter:
            from_meter = board.award_amount(PROGRESSIVE, fixed if most is None else min(fixed, most))
        payout = fixed + from_meter if row.meter else fixed
        if most is not None:
            payout = min(payout, most)
        back = stake if row.odds.stake_returned else 0
        return Line(
            seat, PROGRESSIVE, "win", stake, payout, back, row.paragraph, category=row.category, from_meter=from_meter
        )

    def _award(self, share: Fraction, board: MeterBoard, most: int | None) -> int:
        """Deduct a share of the meter, at most `most` cents (None: no limit); return the cents deducted.

        Cents that the payout limit withholds stay on the meter. An award of the whole meter resets it.
        """
        shown = board.shows[PROGRESSIVE]
        cents = shown * share.numerator // share.denominator
        if most is not None and cents > most:
            return board.award_amount(PROGRESSIVE, most, reset=self._reset if share == 1 else 0)
        return board.award(PROGRESSIVE, share, self._reset)


def highest(rows: Sequence[Row], stake: int, shown: int) -> Row | None:
    """Return the row with the highest payout at a meter reading of `shown` cents; None if there are no rows.

    A small share of the meter may be less than another row's fixed amount.
    """
    if len(rows) < 2:
        return rows[0] if rows else None
    return max(rows, key=lambda row: row.odds.pay(stake) + shown * row.meter.numerator // row.meter.denominator)
