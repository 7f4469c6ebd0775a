"""The tables of a simulated pit that report no rounds: craps, roulette and baccarat.

Their win is known only from the counts of the chip trays and drop boxes, as in a casino. The random numbers of a table
depend on its name and the gaming day alone, so that other tables do not change its result.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from random import Random
from typing import Any, Final

from loadtest.floor.floor_day import opening
from loadtest.floor.pit_items import PAR_CENTS, Counted, Dropped, PitEvent, Slip, TableMoney, contents
from loadtest.floor.pit_table import FLOORPERSON, SECURITY, SHIFTS, TIP_COLLECTOR
from shared.contracts.properties import ExpectedHold, PropertyGame, Sales

OVER_CENTS: Final = 1_000_00
"""The smallest sale, in cents, reported by a table that reports only large sales."""

_HALF: Final = timedelta(hours=2)
_SALES: Final = 12
"""The number of sales of chips in each half of the day."""
_NOTE_CENTS: Final = 100_00
_CHIP_CENTS: Final = 5_00
_SLIP_CENTS: Final = 10_000_00
_TIPS_CENTS: Final = 40_00
_MINUTE, _SECOND = timedelta(minutes=1), timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class CountedPlan:
    """A counted table: name, game (by the licensee's name), kind of game, reported sales, seats and minimum in cents.

    `hold` is the expected hold in percent. In the middle of the day the cage fills the tray, or with `sends_credit` the
    table sends a credit.
    """

    name: str
    game: str
    kind: str
    sales: Sales
    seats: int
    minimum_cents: int
    hold: str
    sends_credit: bool = False


COUNTED: Final = (
    CountedPlan("CR01", "craps", "craps", "each", 16, 15_00, "14.5"),
    CountedPlan("RL01", "double-zero-roulette", "roulette", "over", 7, 10_00, "19.0"),
    CountedPlan("MB01", "mini-baccarat", "minibaccarat", "none", 7, 25_00, "12.5", sends_credit=True),
)
"""One table for each kind of game without a catalogue; together the tables cover every way of reporting sales."""


def games_of(plans: Sequence[CountedPlan], since: date) -> tuple[PropertyGame, ...]:
    """Return these tables' games for the property document, with expected hold from `since` on."""
    return tuple(
        PropertyGame(
            game=plan.game,
            kind=plan.kind,
            expected_holds=(ExpectedHold(hold=plan.hold, source="this floor, three years", first_day=since),),
        )
        for plan in plans
    )


@dataclass(slots=True)
class CountedDay:
    """The day of a counted table from opener to closer: its events, slips, boxes and counts, and the expected books."""

    plan: CountedPlan
    gaming_day: date
    events: list[PitEvent] = field(default_factory=list)
    slips: list[Slip] = field(default_factory=list)
    boxes: list[tuple[str, Dropped]] = field(default_factory=list)
    counts: list[Counted] = field(default_factory=list)
    money: TableMoney = field(default_factory=TableMoney)
    _chance: Random = field(init=False)
    _held: int = PAR_CENTS
    _box: Dropped = field(default_factory=Dropped)
    _shift: str = SHIFTS[0]

    def __post_init__(self) -> None:
        """Start a table's day, with chance seeded by the table's name and the gaming day."""
        self._chance = Random(f"{self.plan.name}/{self.gaming_day}")

    def play(self) -> None:
        """Simulate two shifts of two hours each."""
        begins = opening(self.gaming_day)
        middle, ends = begins + _HALF, begins + 2 * _HALF
        opener: dict[str, Any] = {"contents": contents(self._held), "dealer": self._dealer, "floorperson": FLOORPERSON}
        self._report(begins - 15 * _MINUTE, "table.opened", **opener, game=self.plan.game)
        self._play_half(begins)
        self._move(begins + _HALF / 2)
        self._exchange_box(middle, placed=f"{self.plan.name}-2")
        self._count(middle + _SECOND, "table.counted", purpose="shift", begins=self._next_shift())
        self._shift = SHIFTS[1]
        self._play_half(middle + 2 * _SECOND)
        people: dict[str, Any] = {"collected_by": TIP_COLLECTOR, "observed_by": FLOORPERSON}
        self._report(ends, "tips.collected", cents=_TIPS_CENTS, **people)
        self.money.tips = _TIPS_CENTS
        self._exchange_box(ends, placed=None)
        self._count(ends + _MINUTE, "table.closed")
        self.money.closer = self._held
        self.money.counted_win = self.money.win

    @property
    def _dealer(self) -> str:
        return f"dealer-{self.plan.name}-1"

    def _next_shift(self) -> dict[str, str]:
        return {"gaming_day": self.gaming_day.isoformat(), "shift": SHIFTS[1]}

    def _play_half(self, since: datetime) -> None:
        """Sell chips, and let players win or lose some of them, which is not recorded."""
        for number in range(_SALES):
            cents = _NOTE_CENTS * self._chance.choice((1, 2, 2, 3, 5, 10, 20))
            self._sell(since + (number + 1) * 9 * _MINUTE, cents, is_check=number == 1)
            self._held += _CHIP_CENTS * self._chance.randint(-60, 120)

    def _sell(self, at: datetime, cents: int, *, is_check: bool) -> None:
        """Sell chips, and report the sale: always for a counter check; for currency, depending on `plan.sales`."""
        self._held -= cents
        self.money.drop += cents
        if is_check:
            serial = f"CC-{self.plan.name}-{self.gaming_day:%m%d}-{self._shift}"
            people: dict[str, Any] = {"dealer": self._dealer, "floorperson": FLOORPERSON}
            self._report(at, "counter_check.issued", serial=serial, cents=cents, **people)
            self._box.checks[serial] = cents
            self.money.checks += cents
            return
        self._box.currency += cents
        if self.plan.sales == "each" or (self.plan.sales == "over" and cents >= OVER_CENTS):
            self._report(at, "chips.sold", instrument="currency", cents=cents, dealer=self._dealer)

    def _move(self, at: datetime) -> None:
        """Receive a fill from the cage, or send a credit to it."""
        kind = "credit" if self.plan.sends_credit else "fill"
        slip = Slip(kind, self.plan.name, self._shift, _SLIP_CENTS, at)
        self.slips.append(slip)
        if kind == "credit":
            people: dict[str, Any] = {"surrendered_by": self._dealer, "observed_by": FLOORPERSON}
            self._report(at, "credit.carried", slip=slip, **people, carried_by=SECURITY)
            self._held -= _SLIP_CENTS
            self.money.credits += _SLIP_CENTS
            return
        people = {"received_by": self._dealer, "observed_by": FLOORPERSON}
        self._report(at, "fill.carried", slip=slip, carried_by=SECURITY)
        self._report(at + _SECOND, "fill.received", slip=slip, contents=contents(_SLIP_CENTS), **people)
        self._held += _SLIP_CENTS
        self.money.fills += _SLIP_CENTS

    def _count(self, at: datetime, kind: str, **more: Any) -> None:
        people: dict[str, Any] = {"dealer": self._dealer, "floorperson": FLOORPERSON}
        self._report(at, kind, contents=contents(self._held), **people, **more)
        self.counts.append(Counted(frozenset({self._dealer}), 0))

    def _exchange_box(self, at: datetime, *, placed: str | None) -> None:
        removed = f"{self.plan.name}-{len(self.boxes) + 1}"
        boxes: dict[str, Any] = {"removed_box": removed} | ({} if placed is None else {"placed_box": placed})
        self._report(at, "box.exchanged", **boxes, removed_by=SECURITY, witnessed_by=FLOORPERSON)
        people: dict[str, Any] = {"carried_by": SECURITY, "received_by": "demo.counter"}
        self._report(at + 2 * _MINUTE, "box.transported", box=removed, **people)
        self.boxes.append((self._shift, self._box))
        self._box = Dropped()

    def _report(self, at: datetime, kind: str, *, slip: Slip | None = None, **data: Any) -> None:
        self.events.append(PitEvent(at, kind, self._shift, data, slip))
