"""The Insurance Wager, § 633a.8."""

from dataclasses import dataclass
from typing import Final

from shared.cards import StandardCard
from shared.rules.blackjack.dealer import DealerHand
from shared.rules.blackjack.hands import SeatInPlay
from shared.rules.blackjack.paragraphs import Paragraphs
from shared.rules.blackjack.record import BlackjackSeat
from shared.rules.errors import Refused
from shared.rules.line import Line
from shared.rules.paytable import Row, returned, settled

INSURANCE: Final = "insurance"


@dataclass(frozen=True, slots=True)
class Insurance:
    """The limits of an Insurance Wager and its odds. `chip_unit` is the smallest chip, in cents."""

    row: Row
    needs_ace: str
    decided: str
    chip_unit: int
    switch: bool
    paragraphs: Paragraphs

    def check(self, seat: BlackjackSeat, up: StandardCard) -> None:
        """Raise `Refused` for a wager without an ace up, or above half of the initial Blackjack Wager.

        If half of that wager cannot be bet in whole chips, the limit is the next multiple of the chip unit. House Money
        does not raise the limit. Interpretation: at Blackjack Switch the initial wager is the sum of both equal wagers.
        """
        insurance, wager = seat.wagers[INSURANCE], seat.wagers["blackjack"]
        if up[0] != "A":
            raise Refused(
                f"'insurance' {insurance} against {up}: it needs an ace up", seat=seat.seat, paragraph=self.needs_ace
            )
        initial = wager * 2 if self.switch else wager
        most = -(-initial // (2 * self.chip_unit)) * self.chip_unit
        if insurance > most:
            raise Refused(
                f"'insurance' {insurance} exceeds {most}, half of the Blackjack Wager {initial} in chips of "
                f"{self.chip_unit}",
                seat=seat.seat,
                paragraph=self.paragraphs.insurance_limit,
            )

    def settle(self, seat: SeatInPlay, dealer: DealerHand) -> Line:
        """Return the line of a seat's Insurance Wager, which the hole card alone decides."""
        stake = seat.wagers[INSURANCE]
        if seat.initial is None:
            assert seat.dead is not None
            return returned(seat.seat, INSURANCE, stake, seat.dead)
        return settled(self.row if dealer.blackjack else None, seat.seat, INSURANCE, stake, self.decided)
