"""Settle the optional wagers of a completed round, in the order of each regulation, under its payout limit."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from shared.rules.envy import EnvyHand, envy_lines
from shared.rules.line import Line
from shared.rules.meters import MeterBoard
from shared.rules.pai_gow.bonuses import INSURANCE, Bonus, Insurance
from shared.rules.pai_gow.progressive import PROGRESSIVE, Progressive
from shared.rules.pai_gow.record import MAIN
from shared.rules.paytable import settled
from shared.rules.set_hands.seats import SeatInPlay

_ONLY_MAIN: Final = frozenset({MAIN})


@dataclass(slots=True)
class _Allowance:
    """The payout limit in cents (None: unlimited), and the cents `paid` under it, by hand (seat) or by player."""

    limit: int | None
    paragraph: str
    paid: dict[int | str, int] = field(default_factory=dict)

    def left(self, owner: int | str) -> int | None:
        return None if self.limit is None else self.limit - self.paid.get(owner, 0)

    def use(self, owner: int | str, line: Line) -> Line:
        """Return the line with its payout reduced to the remaining limit, and add the payout to `paid`."""
        if self.limit is None or not line.payout:
            return line
        paid = self.paid.get(owner, 0)
        payout = min(line.payout, self.limit - paid)
        self.paid[owner] = paid + payout
        return line if payout == line.payout else replace(line, payout=payout, paragraph=self.paragraph)


@dataclass(frozen=True, slots=True)
class OptionalWagers:
    """The optional wagers of a submission, the order in which they are settled, and the payout limit, in cents.

    Pennsylvania settles hand by hand, then pays Envy Bonuses. Its limit is for each hand, and does not apply to Envy
    Bonuses, § 645a.13(f). Rhode Island's order (`premium_last`, (r)(4)) pays hands that earn envy bonuses last, each
    after the envy bonuses that its own player gets. Its limit, (s)(3), is for each player in the round: it covers the
    payouts of hands and the envy bonuses, but not the progressive payout wager.
    """

    bonuses: tuple[Bonus, ...]
    insurance: Insurance | None
    progressive: Progressive | None
    premium_last: bool
    limit: int | None
    limit_paragraph: str

    def contribute(self, seats: Sequence[SeatInPlay], board: MeterBoard) -> None:
        """Add to the meter the contributions of a completed round's wagers; a returned wager contributes nothing."""
        if self.progressive is None:
            return
        for seat in seats:
            stake = seat.wagers.get(PROGRESSIVE)
            if stake is not None and not seat.voided:
                self.progressive.contribute(seat.seat, stake, board)

    def settle(self, seats: Sequence[SeatInPlay], board: MeterBoard) -> list[Line]:
        """Return the lines of the seats, which are in settlement order; voided and abandoned seats have no lines."""
        allowance = _Allowance(self.limit, self.limit_paragraph)
        lines: list[Line] = []
        for seat in seats:
            if seat.wagers.keys() != _ONLY_MAIN and not seat.voided and seat.abandoned is None:
                self._settle_seat(seat, board, allowance, lines)
        for bonus in self.bonuses:
            self._settle_envy(bonus, seats, allowance, lines)
        return lines

    def _settle_seat(self, seat: SeatInPlay, board: MeterBoard, allowance: _Allowance, lines: list[Line]) -> None:
        number, wagers = seat.seat, seat.wagers
        for bonus in self.bonuses:
            stake = wagers.get(bonus.name)
            if stake is not None:
                row = bonus.rows[seat.formed]
                if row is None or not (self.premium_last and row.envy):
                    line = settled(row, number, bonus.name, stake, bonus.decided)
                    lines.append(allowance.use(self._owner(seat), line))
        stake = wagers.get(INSURANCE)
        if stake is not None:
            assert self.insurance is not None
            row = self.insurance.row(seat.seven, seat.formed)
            lines.append(allowance.use(number, settled(row, number, INSURANCE, stake, self.insurance.decided)))
        stake = wagers.get(PROGRESSIVE)
        if stake is not None:
            assert self.progressive is not None
            most = None if self.premium_last else allowance.left(number)
            lines.append(self.progressive.settle(number, stake, seat.seven, seat.formed, board, most))

    def _settle_envy(self, bonus: Bonus, seats: Sequence[SeatInPlay], allowance: _Allowance, lines: list[Line]) -> None:
        """Append the Envy Bonuses of one bonus wager and, with `premium_last`, the payouts of the hands that earn them.

        Interpretation: surrendered and abandoned hands and the bank's hand earn others an Envy Bonus, a voided hand
        does not.
        """
        hands = []
        for seat in seats:
            row = bonus.rows[seat.formed]
            if row is not None and row.envy and not seat.voided:
                hands.append(EnvyHand(seat.player, row))
        if not hands:
            return
        for seat in seats:
            stake = seat.wagers.get(bonus.name)
            if stake is None or seat.voided or seat.abandoned is not None:
                continue
            if stake >= bonus.qualifies_cents:
                envy = envy_lines(seat.seat, seat.player, hands)
                lines += [allowance.use(seat.player, line) for line in envy] if self.premium_last else envy
            row = bonus.rows[seat.formed]
            if self.premium_last and row is not None and row.envy:
                lines.append(allowance.use(seat.player, row.win(seat.seat, stake)))

    def _owner(self, seat: SeatInPlay) -> int | str:
        return seat.player if self.premium_last else seat.seat
