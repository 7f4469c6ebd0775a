"""The data of a simulated pit: the pit's view of rounds, slips, drop boxes, a table's money, and its events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from loadtest.floor.game import TablePlan

PAR_CENTS: Final = 100_000_00
"""The par amount of a table's tray in cents: its default opening inventory, and its level after a fill."""

STACKS: Final = (
    ("chip", 1_000_00), ("chip", 100_00), ("chip", 25_00), ("chip", 5_00), ("chip", 1_00),
    ("coin", 25), ("coin", 5), ("coin", 1),
)  # fmt: skip
"""The chips and coins of the property, most valuable first: (kind, cents)."""


def contents(cents: int) -> list[dict[str, Any]]:
    """Return an amount in the fewest possible chips and coins."""
    found = []
    for kind, denomination in STACKS:
        count, cents = divmod(cents, denomination)
        if count:
            found.append({"kind": kind, "cents": denomination, "count": count})
    return found


def dealt_from_hand(plan: TablePlan) -> bool:
    """Return whether a table's cards are dealt from the hand."""
    return plan.submission.options.get("dealt_from_hand") is True


@dataclass(slots=True)
class RoundInPit:
    """The pit's view of a round: buy-ins before it, chips that it added to the tray, and vigorish, all in cents.

    `vigorish` contains (seat, whether as the bank, cents). `largest` is the seat of the largest wager, and whether it
    won. `handle` is the amount wagered against the house by seat.
    """

    round_id: str
    dealer: str
    opened_at: datetime
    closed_at: datetime
    bought: tuple[int, ...]
    chips: int
    vigorish: tuple[tuple[int, bool, int], ...]
    largest: tuple[int, bool] | None
    handle: Mapping[int, int]
    void: bool = False

    def take_back(self) -> None:
        """Void the round, but keep the buy-ins before it."""
        self.chips, self.vigorish, self.largest, self.void = 0, (), None, True


@dataclass(frozen=True, slots=True)
class Slip:
    """A fill or credit requested by the pit; the cage assigns its number."""

    slip: str
    table: str
    shift: str
    cents: int
    at: datetime


@dataclass(frozen=True, slots=True)
class PaperFill:
    """A fill on a paper slip during an outage, received by `dealer`."""

    table: str
    shift: str
    cents: int
    at: datetime
    dealer: str


@dataclass(slots=True)
class Dropped:
    """The contents of a drop box: currency and rake in cents, counter checks by serial number, coupons by name."""

    currency: int = 0
    checks: dict[str, int] = field(default_factory=dict)
    coupons: dict[str, int] = field(default_factory=dict)
    rake: int = 0


class IssuedCheck(NamedTuple):
    """A counter check that a table issued."""

    table: str
    serial: str
    cents: int


@dataclass(frozen=True, slots=True)
class Box:
    """A drop box; `exchange` is the sequence of the exchange that removed it, counted from the day's first event."""

    table: str
    shift: str
    exchange: int
    dropped: Dropped


@dataclass(frozen=True, slots=True)
class Overpaying:
    """A dealer who gives away `cents` of chips in each round dealt; the records are correct.

    Only a count of the table can show that chips are missing.
    """

    dealer: str
    cents: int


@dataclass(frozen=True, slots=True)
class Counted:
    """The expected books of a table count: the dealers since the last count, and the count's variance in cents."""

    dealers: frozenset[str]
    variance_cents: int


@dataclass(slots=True)
class TableMoney:
    """The expected win report of a table, in cents (§ 601a.9).

    `rounds_win` is the settled win in chips, and `counted_win` the win by count, which is the whole win of a counted
    table. `drop` is currency and counter checks; coupons are counted at their stated value, and are not part of the
    drop. Table inventory reports no `tips`.
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
    counted_win: int = 0
    waived: int = 0
    variance: int = 0
    tips: int = 0

    @property
    def win(self) -> int:
        """Return the table's win in cents: closer + credits + drop - opener - fills."""
        return self.closer + self.credits + self.drop - self.opener - self.fills


@dataclass(slots=True)
class Vigorish:
    """The totals of vigorish of the day, in cents."""

    assessed: int = 0
    collected: int = 0
    waived: int = 0
    returned: int = 0


@dataclass(frozen=True, slots=True)
class PitEvent:
    """A pit event before its sequence is assigned; `slip` is the slip whose number is to be added to its data."""

    at: datetime
    type: str
    shift: str
    data: Mapping[str, Any]
    slip: Slip | None = None
