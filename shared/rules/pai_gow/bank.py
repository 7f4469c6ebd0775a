"""Rounds banked by a player, alone or with the house: who may bank, and the bank's result."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from shared.rules.errors import Refused
from shared.rules.line import Line
from shared.rules.pai_gow.main_wager import DEALER_WAGER
from shared.rules.pai_gow.paragraphs import Paragraphs
from shared.rules.pai_gow.record import MAIN, STARTING_POSITION, Bank, PaiGowSeat
from shared.rules.pai_gow.vigorish import Rounding, vigorish

_BANK: Final = "bank"


@dataclass(frozen=True, slots=True)
class BankRules:
    """The rules for banks: whether players may bank, alone or with the house, and how a bank's result is settled."""

    banking: bool
    co_banking: bool
    rounding: Rounding
    paragraphs: Paragraphs

    def check(self, bank: Bank, seats: Sequence[PaiGowSeat]) -> None:
        """Raise `Refused` for a bank that the submission does not offer, or that is impossible."""
        paragraphs, number = self.paragraphs, bank.seat
        if not self.banking:
            raise Refused(
                "'bank': the rules submission does not offer banking", seat=number, paragraph=paragraphs.banking
            )
        if bank.co and not self.co_banking:
            raise Refused(
                "'bank.co': the rules submission does not offer co-banking",
                seat=number,
                paragraph=paragraphs.co_banking,
            )
        if bank.co and bank.dealer_wager:
            raise Refused(
                f"'bank.dealer_wager' {bank.dealer_wager}: in co-banking the dealer places no wager",
                seat=number,
                paragraph=paragraphs.co_bank_no_dealer_wager,
            )
        seat = next((seat for seat in seats if seat.seat == number), None)
        if seat is None:
            raise Refused("'bank' names a seat that is not in the record", seat=number, paragraph=paragraphs.banking)
        self._check_seat(seat, seats)

    def _check_seat(self, seat: PaiGowSeat, seats: Sequence[PaiGowSeat]) -> None:
        number, paragraphs = seat.seat, self.paragraphs
        if seat.surrendered:
            raise Refused(
                "'surrendered': the bank has no wager to surrender", seat=number, paragraph=paragraphs.banking
            )
        for wager in (MAIN, STARTING_POSITION):
            cents = {str(name): cents for name, cents in seat.wagers.items()}.get(wager)
            if cents is not None:
                raise Refused(
                    f"wager '{wager}' {cents}: the bank plays against the wagers of the others and makes none",
                    seat=number,
                    paragraph=paragraphs.banking,
                )
        areas = [other.seat for other in seats if other.player == seat.player]
        if len(areas) > 1:
            raise Refused(
                f"player {seat.player!r} banks and holds boxes {' and '.join(map(str, sorted(areas)))}; "
                "the bank holds one",
                seat=number,
                paragraph=paragraphs.bank_one_area,
            )

    def result(self, bank: Bank, lines: Iterable[Line]) -> Line:
        """Return the bank's line: its total win or loss in all settled `lines` against it.

        In co-banking the house takes or pays the other half, including an odd cent.
        """
        center = 0
        for line in lines:
            if line.wager in (MAIN, DEALER_WAGER):
                center += line.stake - line.stake_returned - line.payout
        paragraphs = self.paragraphs
        paragraph = paragraphs.co_bank_result if bank.co else paragraphs.bank_result
        amount = abs(center)
        own = amount // 2 if bank.co else amount
        house_share = amount - own if bank.co else None
        if center > 0:
            taken = vigorish(own, self.rounding)
            return Line(bank.seat, _BANK, "win", 0, own, 0, paragraph, vigorish=taken, house_share=house_share)
        if center < 0:
            return Line(bank.seat, _BANK, "lose", own, 0, 0, paragraph, house_share=house_share)
        return Line(bank.seat, _BANK, "push", 0, 0, 0, paragraph, house_share=house_share)
