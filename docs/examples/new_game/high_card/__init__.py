"""High Card, a made-up game: the player and the dealer get one card each, and the higher one wins."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Annotated, Final, Literal

from pydantic import Field

from shared.cards import RANKS, StandardCard
from shared.rules.errors import Refused
from shared.rules.game import CountReturns, Game
from shared.rules.line import Line, line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import count_returns, lost, returned, rows_by_category, settled
from shared.rules.record import Cents, Listed, Record, Round, Seat, Seats
from shared.rules.returns import Returns
from shared.rules.settlement import Settlement
from shared.rules.submission import Offer, Selection
from shared.rules.table import Table

ANTE: Final = "ante"
MATCH: Final = "match"

Cards = Annotated[tuple[StandardCard, ...], Listed, Field(max_length=52)]


class HighCardSeat(Seat):
    """One betting position with its card."""

    wagers: dict[Literal["ante", "match"], Cents]
    cards: Cards


class HighCardRound(Round):
    """One round of High Card; the dealer's card may be missing where the round was stopped."""

    seats: Seats[HighCardSeat]
    dealer: Cards = ()


class Paragraphs(Record):
    """Where each rule of play stands in the text."""

    one_card: str
    higher: str
    same: str
    lower: str


class HighCardRules:
    """One rules submission, ready to settle rounds."""

    def __init__(self, selection: Selection) -> None:
        """Resolve a selection from the catalogue."""
        self._table = Table.of(selection)
        self._paragraphs = Paragraphs.model_validate(selection.catalogue.paragraphs)
        self._ante = rows_by_category(selection.offers[ANTE])["higher_card"]
        match = selection.offers.get(MATCH)
        self._match = None if match is None else rows_by_category(match)["same_rank"]
        self._match_decided = selection.catalogue.wagers[MATCH].decided

    def settle(self, round_: HighCardRound) -> Settlement:
        """Settle one round; raise `Refused` for a record of something that cannot have happened."""
        seats = sorted(round_.seats, key=attrgetter("seat"), reverse=True)
        self._table.check_seats(seats)
        self._table.check_meters(seats, round_.meters)
        self._table.check_cards([(None, round_.dealer), *((seat.seat, seat.cards) for seat in seats)])
        lines: list[Line] = []
        for _, rule in self._table.in_effect(round_.irregularities, {seat.seat for seat in seats}):
            for seat in seats:
                lines += [returned(seat.seat, wager, stake, rule.paragraph) for wager, stake in seat.wagers.items()]
            return MeterBoard({}).settlement(lines)
        dealer = self._rank(round_.dealer, None)
        for seat in seats:
            lines += self._settle_seat(seat, self._rank(seat.cards, seat.seat), dealer)
        return MeterBoard({}).settlement(lines)

    def _rank(self, cards: Cards, seat: int | None) -> int:
        """Return the place of the one card from the lowest rank up."""
        if len(cards) != 1:
            raise Refused(f"{len(cards)} cards, not 1", seat=seat, paragraph=self._paragraphs.one_card)
        return -RANKS.index(cards[0][0])

    def _settle_seat(self, seat: HighCardSeat, rank: int, dealer: int) -> list[Line]:
        number, stake, text = seat.seat, seat.wagers[ANTE], self._paragraphs
        if rank > dealer:
            ante = line(number, ANTE, "win", stake, self._ante.odds.pay(stake), stake, text.higher)
        elif rank == dealer:
            ante = line(number, ANTE, "push", stake, 0, stake, text.same)
        else:
            ante = lost(number, ANTE, stake, text.lower)
        if MATCH not in seat.wagers:
            return [ante]
        row = self._match if rank == dealer else None
        return [ante, settled(row, number, MATCH, seat.wagers[MATCH], self._match_decided)]


def _of_match(selection: Selection, offer: Offer) -> Returns:
    """Count the 3 of 51 cards that have the rank of the player's."""
    del selection
    return count_returns([(3, rows_by_category(offer)["same_rank"]), (48, None)])


COUNTS: Final[Mapping[str, CountReturns]] = {MATCH: _of_match}

GAME: Final = Game(title="High Card", round_type=HighCardRound, compile=HighCardRules, counts=COUNTS)
