"""Check that a round's cards and decisions are possible: § 687a.3, § 687a.7(d)(1), § 687a.8, § 687a.11(b)."""

from dataclasses import dataclass
from typing import Final

from shared.rules.dj_wild.irregularities import Stopped
from shared.rules.dj_wild.paragraphs import Paragraphs
from shared.rules.dj_wild.record import DjWildRound, DjWildSeat
from shared.rules.errors import Refused
from shared.rules.table import Table

HAND: Final = 5
_BY_THE_CARDS_ALONE: Final = frozenset({"trips_bonus", "progressive_bonus"})
_RAISE_PER_ANTE: Final = 2


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks under one rules submission. `progressive_stake` is the Progressive Bonus's only amount, in cents."""

    table: Table
    paragraphs: Paragraphs
    progressive_stake: int | None

    def check(self, round_: DjWildRound, stopped: Stopped) -> None:
        """Raise `Refused` if the round's cards or decisions are impossible."""
        seats = round_.seats
        for seat in seats:
            self._check_wagers(seat)
            self._check_decision(seat, stopped)
            self._check_number(seat, stopped)
        self._check_dealer(round_, stopped)
        if not stopped.any_deck:
            spare = () if round_.spare_card is None else (round_.spare_card,)
            hands = [(seat.seat, seat.cards) for seat in seats]
            self.table.check_cards([*hands, (None, round_.dealer.cards), (None, spare)])

    def _check_wagers(self, seat: DjWildSeat) -> None:
        stake = seat.wagers.get("progressive_bonus")
        if stake is not None and stake != self.progressive_stake:
            raise Refused(
                f"'progressive_bonus' {stake}: the selected paytable is for wagers of {self.progressive_stake}",
                seat=seat.seat,
                paragraph=self.paragraphs.progressive_paytable,
            )
        raised, ante = seat.wagers.get("raise"), seat.wagers["ante"]
        if raised is not None and raised != _RAISE_PER_ANTE * ante:
            raise Refused(
                f"'raise' {raised} is not twice the Ante Wager {ante}",
                seat=seat.seat,
                paragraph=self.paragraphs.decision,
            )

    def _check_decision(self, seat: DjWildSeat, stopped: Stopped) -> None:
        raised = "raise" in seat.wagers
        if raised and seat.folded:
            why = f"'folded' and 'raise' {seat.wagers['raise']}: a player who folds makes no Raise Wager"
        elif (raised or seat.folded) and not seat.cards:
            why = f"{'a Raise Wager' if raised else 'a fold'} without cards: a player decides on the five cards"
        elif raised or seat.folded or stopped.before_the_end or seat.seat in stopped.abandoned:
            return
        else:
            why = "the decision is missing: neither 'raise' is wagered nor 'folded' true"
        raise Refused(why, seat=seat.seat, paragraph=self.paragraphs.decision)

    def _check_number(self, seat: DjWildSeat, stopped: Stopped) -> None:
        number = len(seat.cards)
        if number == HAND or (stopped.void is not None and self._may_hold(number, stopped)):
            return
        if stopped.void is None and stopped.void_but_bonuses is not None and number < HAND:
            needs = [wager for wager in seat.wagers if wager in _BY_THE_CARDS_ALONE]
            if not needs:
                return
            raise Refused(
                f"the hand holds {number} cards; '{needs[0]}' is settled on {HAND}",
                seat=seat.seat,
                paragraph=stopped.void_but_bonuses,
            )
        raise self._wrong_number(number, "the hand", seat=seat.seat, stopped=stopped)

    def _check_dealer(self, round_: DjWildRound, stopped: Stopped) -> None:
        number = len(round_.dealer.cards)
        if number == HAND or (stopped.before_the_end and self._may_hold(number, stopped)):
            return
        raise self._wrong_number(number, "the dealer", seat=None, stopped=stopped)

    def _may_hold(self, number: int, stopped: Stopped) -> bool:
        return number < HAND or stopped.any_number_of_cards

    def _wrong_number(self, number: int, whose: str, *, seat: int | None, stopped: Stopped) -> Refused:
        if stopped.before_the_end:
            why, paragraph = "and no irregularity 'misdeal' says why", self.paragraphs.wrong_number_of_cards
        else:
            why, paragraph = "and no irregularity says that the round was stopped", self.paragraphs.five_cards
        return Refused(f"{whose} holds {number} cards, not {HAND}, {why}", seat=seat, paragraph=paragraph)
