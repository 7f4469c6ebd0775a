"""The result of a settled round: its lines, contributions to meters, and the displays of the meters."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from shared.rules.line import Line


@dataclass(frozen=True, slots=True)
class Contribution:
    """The amount that one wager added to a meter, in cents, which is an expense of the house."""

    seat: int
    wager: str
    meter: str
    cents: int


@lru_cache(maxsize=1 << 12)
def contribution(seat: int, wager: str, meter: str, cents: int) -> Contribution:
    """Return a contribution; equal contributions are the same object."""
    return Contribution(seat, wager, meter, cents)


@dataclass(frozen=True, slots=True)
class Notice:
    """A finding about the round that moved no money but that reports list as an exception.

    `code` identifies it, such as `hand_reset`. `seat` is where it happened, 0 for the dealer. `detail` describes it.
    """

    code: str
    seat: int
    paragraph: str
    detail: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled round.

    `meters_before` and `meters` are the displays of the meters before and after the round. `meter_resets` are the
    amounts with which the house restored meters after awards of the whole meter. Raise `AssertionError` if the
    settlement does not balance.
    """

    lines: tuple[Line, ...]
    meters: Mapping[str, int]
    contributions: tuple[Contribution, ...]
    meter_resets: Mapping[str, int]
    meters_before: Mapping[str, int]
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        players, bank, house = self._nets()
        meters = self.meters_net
        assert players + house + bank + meters == 0, (
            f"money is not conserved: players {players}, house {house}, bank {bank}, meters {meters} cents"
        )

    def _nets(self) -> tuple[int, int, int]:
        """Return the net results of players, a banking player and the house, in cents."""
        players = bank = house = 0
        for entry in self.lines:
            vigorish = entry.vigorish
            net = entry.payout + entry.stake_returned - entry.stake - vigorish
            house += vigorish
            if entry.wager == "bank":
                share = entry.house_share or 0
                bank += net
                house += share if entry.outcome == "win" else -share
            elif entry.seat == 0:
                house += net
            else:
                players += net
                if entry.paid_by == "house":
                    house += entry.from_meter - net - vigorish
        house -= sum(contribution.cents for contribution in self.contributions) + sum(self.meter_resets.values())
        return players, bank, house

    @property
    def players_net(self) -> int:
        """Return the players' net win (negative: loss) against the house, the bank and the meters, in cents."""
        return self._nets()[0]

    @property
    def bank_net(self) -> int:
        """Return a banking player's net win, vigorish included, in cents; 0 in a round that the house banks."""
        return self._nets()[1]

    @property
    def house_net(self) -> int:
        """Return the house's net win, less the amounts that it added to the meters, in cents."""
        return self._nets()[2]

    @property
    def meters_net(self) -> int:
        """Return the net change of all meters, in cents."""
        return sum(self.meters.values()) - sum(self.meters_before.values())
