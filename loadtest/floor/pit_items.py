"""What a simulated pit is made of: rounds as it sees them, slips, drop boxes, a table's money, and its events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from loadtest.floor.game import TablePlan

PAR_CENTS: Final = 100_000_00
"""What a table opens with, and what a fill brings it back to."""

STACKS: Final = (
    ("chip", 1_000_00), ("chip", 100_00), ("chip", 25_00), ("chip", 5_00), ("chip", 1_00),
    ("coin", 25), ("coin", 5), ("coin", 1),
)  # fmt: skip
"""What the property has, the most valuable first: kinds, and cents each."""


def contents(cents: int) -> list[dict[str, Any]]:
    """Return an amount in the fewest chips and coins."""
    found = []
    for kind, denomination in STACKS:
        count, cents = divmod(cents, denomination)
        if count:
            found.append({"kind": kind, "cents": denomination, "count": count})
    return found


def dealt_from_hand(plan: TablePlan) -> bool:
    """Return whether the cards of a table are dealt from the hand."""
    return plan.submission.options.get("dealt_from_hand") is True


@dataclass(slots=True)
class RoundInPit:
    """A round as the pit sees it: what players bought before it, the chips that it moved, and its vigorish, in cents.

    `vigorish` is by seat and whether as the bank. `largest` is the seat of the largest wager, and whether it won.
    """

    round_id: str
    dealer: str
    opened_at: datetime
    closed_at: datetime
    bought: tuple[int, ...]
    chips: int
    vigorish: tuple[tuple[int, bool, int], ...]
    largest: tuple[int, bool] | None
    void: bool = False

    def take_back(self) -> None:
        """Give everything back; what players bought is theirs."""
        self.chips, self.vigorish, self.largest, self.void = 0, (), None, True


@dataclass(frozen=True, slots=True)
class Slip:
    """A fill or a credit that the pit requests; the cage gives it its number."""

    slip: str
    table: str
    shift: str
    cents: int
    at: datetime


@dataclass(frozen=True, slots=True)
class PaperFill:
    """A fill that came on a paper slip while the system was away, to the dealer named."""

    table: str
    shift: str
    cents: int
    at: datetime
    dealer: str


@dataclass(slots=True)
class Dropped:
    """What is in a drop box: currency in cents, counter checks by serial number, coupons by name."""

    currency: int = 0
    checks: dict[str, int] = field(default_factory=dict)
    coupons: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Box:
    """A drop box: `exchange` is the sequence of its exchange in the pit stream."""

    table: str
    shift: str
    exchange: int
    dropped: Dropped


@dataclass(frozen=True, slots=True)
class Overpaying:
    """A dealer who gives away `cents` in chips in each round that the dealer deals; the records are right.

    The chips leave the table, and nothing but a count of it can show that.
    """

    dealer: str
    cents: int


@dataclass(frozen=True, slots=True)
class Counted:
    """A count of a table as its books must show it: who dealt there since the count before, and counted - expected."""

    dealers: frozenset[str]
    variance_cents: int


@dataclass(slots=True)
class TableMoney:
    """What the win report must say of a table, cents (§ 601a.9). `rounds_win` is what its settled rounds imply.

    `drop` is currency and counter checks; coupons are counted at their stated value and never drop. `tips` are in no
    report of the inventory.
    """

    opened: bool = True
    opener: int = PAR_CENTS
    fills: int = 0
    credits: int = 0
    closer: int = PAR_CENTS
    drop: int = 0
    checks: int = 0
    coupons: int = 0
    coupons_paid: int = 0
    rounds: int = 0
    rounds_win: int = 0
    waived: int = 0
    variance: int = 0
    tips: int = 0

    @property
    def win(self) -> int:
        """Return closer + credits + drop - opener - fills."""
        return self.closer + self.credits + self.drop - self.opener - self.fills


@dataclass(slots=True)
class Vigorish:
    """Vigorish of the day, cents."""

    assessed: int = 0
    collected: int = 0
    waived: int = 0
    returned: int = 0


@dataclass(frozen=True, slots=True)
class PitEvent:
    """An event of a pit stream before it has its place there; `slip` is the slip whose number belongs to it."""

    at: datetime
    type: str
    shift: str
    data: Mapping[str, Any]
    slip: Slip | None = None
