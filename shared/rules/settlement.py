"""What a settled round comes to: lines per wager, contributions to meters, and what the meters show afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

Outcome = Literal["win", "lose", "push", "void", "surrender"]
Payer = Literal["house", "bank"]
HOUSE: Final = "house"


@dataclass(frozen=True, slots=True)
class Line:
    """One stake, or one bonus without a stake of its own, settled. All amounts are whole cents.

    `stake` was at risk; `payout` comes on top of `stake_returned` and counts what came off a meter (`from_meter`);
    `vigorish` is taken from the player. `paragraph` says which rule decided it. `house_share` is what the house
    takes of a co-banked surplus, or puts into a co-banked shortage. `paid_by` is `bank` on every line that is played
    against a banking player.
    """

    seat: int
    wager: str
    outcome: Outcome
    stake: int
    payout: int
    stake_returned: int
    paragraph: str
    hand: int | None = None
    category: str | None = None
    vigorish: int = 0
    from_meter: int = 0
    paid_by: Payer = HOUSE
    house_share: int | None = None

    @property
    def net(self) -> int:
        """Return what the line changes for the player, cents."""
        return self.payout + self.stake_returned - self.stake - self.vigorish

    def as_document(self) -> dict[str, Any]:
        """Return the line in the field names of the round record, without what is as by default."""
        document: dict[str, Any] = {
            "seat": self.seat,
            "wager": self.wager,
            "outcome": self.outcome,
            "stake": self.stake,
            "payout": self.payout,
            "stake_returned": self.stake_returned,
            "paragraph": self.paragraph,
        }
        if self.hand is not None:
            document["hand"] = self.hand
        if self.category is not None:
            document["category"] = self.category
        if self.vigorish:
            document["vigorish"] = self.vigorish
        if self.from_meter:
            document["from_meter"] = self.from_meter
        if self.paid_by != HOUSE:
            document["paid_by"] = self.paid_by
        if self.house_share is not None:
            document["house_share"] = self.house_share
        return document


@lru_cache(maxsize=1 << 14)
def line(
    seat: int,
    wager: str,
    outcome: Outcome,
    stake: int,
    payout: int,
    stake_returned: int,
    paragraph: str,
    hand: int | None = None,
    category: str | None = None,
    *,
    vigorish: int = 0,
    paid_by: Payer = "house",
) -> Line:
    """Return a line that no meter pays: one object for the same facts.

    Rounds repeat the same few amounts, and a line that cannot change is quicker to find than to make.
    """
    return Line(seat, wager, outcome, stake, payout, stake_returned, paragraph, hand, category, vigorish, 0, paid_by)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one wager added to a meter, cents: an expense of the house."""

    seat: int
    wager: str
    meter: str
    cents: int


@lru_cache(maxsize=1 << 12)
def contribution(seat: int, wager: str, meter: str, cents: int) -> Contribution:
    """Return a contribution: one object for the same facts, as for lines."""
    return Contribution(seat, wager, meter, cents)


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the round that moved no money but that reports show as an exception.

    `code` names it, such as `hand_reset`; `seat` is where it happened, 0 for the dealer; `detail` says it in words.
    """

    code: str
    seat: int
    paragraph: str
    detail: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled round.

    `meters_before` and `meters` are what the meters show before and after the round; `meter_resets` what the house put
    on a meter to restore it after an award of all of it. Raise `AssertionError` where money appears or vanishes.
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
        """Return what players, a banking player and the house won or lost, cents."""
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
        """Return what the players won (or lost, below zero) to the house, the bank and the meters, cents."""
        return self._nets()[0]

    @property
    def bank_net(self) -> int:
        """Return what a banking player won or lost, vigorish included, cents; 0 in a round that the house banks."""
        return self._nets()[1]

    @property
    def house_net(self) -> int:
        """Return what the house won or lost, and put on the meters, cents."""
        return self._nets()[2]

    @property
    def meters_net(self) -> int:
        """Return what the meters gained or lost together, cents."""
        return sum(self.meters.values()) - sum(self.meters_before.values())
