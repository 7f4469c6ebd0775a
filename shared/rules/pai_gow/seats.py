"""Check one seat of the record: its decisions, wagers and amounts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from shared.rules.errors import Refused
from shared.rules.pai_gow.paragraphs import Paragraphs
from shared.rules.pai_gow.progressive import PROGRESSIVE, Progressive
from shared.rules.pai_gow.record import MAIN, STARTING_POSITION, PaiGowSeat
from shared.rules.set_hands.hands import SettingRules
from shared.rules.set_hands.interruptions import Interruptions
from shared.rules.set_hands.seats import SeatInPlay, check_surrendered, check_voided, read_seat
from shared.rules.table import Table


@dataclass(frozen=True, slots=True)
class SeatRules:
    """The rules under which a seat's record is checked.

    A player who made a wager of `barred` may not surrender. `least` has the lowest permitted amounts by wager, in
    cents.
    """

    table: Table
    setting: SettingRules
    progressive: Progressive | None
    barred: frozenset[str]
    least: Mapping[str, int]
    paragraphs: Paragraphs

    def check(self, seat: PaiGowSeat, happened: Interruptions, *, banks: bool) -> None:
        """Raise `Refused` for impossible wagers and decisions, in a completed or a stopped round."""
        number, wagers = seat.seat, cast("Mapping[str, int]", seat.wagers)
        if MAIN not in wagers and not banks:
            raise self.table.missing(seat, MAIN)
        check_surrendered(seat, self.barred, self.paragraphs.surrender)
        check_voided(seat, happened, self.paragraphs.void_hand)
        if self.least:
            for name, least in self.least.items():
                if name in wagers and wagers[name] < least:
                    raise Refused(
                        f"'{name}' {wagers[name]} is below the least wager {least}",
                        seat=number,
                        paragraph=self.table.catalogue.wagers[name].paragraph,
                    )
        if self.progressive is not None and PROGRESSIVE in wagers:
            self.progressive.check(number, wagers[PROGRESSIVE])
        if seat.picks and STARTING_POSITION not in wagers:
            raise Refused(
                f"'picks' without the wager '{STARTING_POSITION}'",
                seat=number,
                paragraph=self.paragraphs.starting_position_pick or self.table.catalogue.offered,
            )

    def read(self, seat: PaiGowSeat, happened: Interruptions, *, ranks_seven: bool, banks: bool) -> SeatInPlay:
        """Return the seat of a completed round; raise `Refused` if its cards are impossible."""
        return read_seat(seat, self.setting, happened, ranks_seven=ranks_seven, banks=banks)
