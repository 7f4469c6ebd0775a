"""Check one seat of the record: its decisions, wagers and amounts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from shared.rules.face_up_pai_gow.paragraphs import Paragraphs
from shared.rules.face_up_pai_gow.progressive import Progressive
from shared.rules.face_up_pai_gow.record import ACE_HIGH_BONUS, FORTUNE_BONUS, PROGRESSIVE, FaceUpSeat
from shared.rules.set_hands.hands import SettingRules
from shared.rules.set_hands.interruptions import Interruptions
from shared.rules.set_hands.seats import SeatInPlay, check_surrendered, check_voided, read_seat

# With an optional wager a player may not surrender, § 688a.11(d).
_BARRED: Final = frozenset({ACE_HIGH_BONUS, FORTUNE_BONUS, PROGRESSIVE})


@dataclass(frozen=True, slots=True)
class SeatRules:
    """The rules under which a seat's record is checked; `ranks_seven` is whether a bonus wager is offered."""

    setting: SettingRules
    progressive: Progressive | None
    ranks_seven: bool
    paragraphs: Paragraphs

    def check(self, seat: FaceUpSeat, happened: Interruptions) -> None:
        """Raise `Refused` for impossible decisions and amounts, in a completed or a stopped round."""
        check_surrendered(seat, _BARRED, self.paragraphs.surrender)
        check_voided(seat, happened, self.paragraphs.void_hand)
        if self.progressive is not None:
            stake = cast("Mapping[str, int]", seat.wagers).get(PROGRESSIVE)
            if stake is not None:
                self.progressive.check(seat.seat, stake)

    def read(self, seat: FaceUpSeat, happened: Interruptions) -> SeatInPlay:
        """Return the seat of a completed round; raise `Refused` if its cards are impossible."""
        return read_seat(seat, self.setting, happened, ranks_seven=self.ranks_seven)
