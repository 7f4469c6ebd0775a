"""The poker tables of a simulated pit, where players play against each other and pay for time.

Chance is seeded by the table's name and the gaming day, so that the result does not depend on other tables.
"""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from random import Random
from typing import Any, Final

from loadtest.floor.floor_day import opening
from loadtest.floor.pit_items import Dropped, PitEvent, contents
from loadtest.floor.pit_table import FLOORPERSON, SECURITY, SHIFTS

TRAY_CENTS: Final = 5_000_00
"""The contents of a table's tray in cents, constant all day, because players bring their own chips."""

_HALF: Final = timedelta(hours=2)
_COLLECTIONS: Final = 4
"""The number of time collections in each half of the day, one every thirty minutes."""
_MINUTES: Final = 30
_MINUTE, _SECOND = timedelta(minutes=1), timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class PokerPlan:
    """A poker table: name, game (by the licensee's name), seats, and the charge in cents per seat and half hour."""

    name: str
    game: str
    seats: int
    cents_per_seat: int


POKER: Final = (PokerPlan("PK01", "no-limit-holdem", 9, 6_00),)


@dataclass(slots=True)
class PokerDay:
    """The day of a poker table from opener to closer: its events and boxes, and the time collection in cents."""

    plan: PokerPlan
    gaming_day: date
    events: list[PitEvent] = field(default_factory=list)
    boxes: list[tuple[str, Dropped]] = field(default_factory=list)
    time_cents: int = 0
    _box: Dropped = field(default_factory=Dropped)
    _shift: str = SHIFTS[0]

    def play(self) -> None:
        """Simulate two shifts of two hours each."""
        chance = Random(f"{self.plan.name}/{self.gaming_day}")
        begins = opening(self.gaming_day)
        middle, ends = begins + _HALF, begins + 2 * _HALF
        self._count(begins - 15 * _MINUTE, "table.opened", game=self.plan.game)
        self._collect(begins, chance)
        self._exchange_box(middle, placed=f"{self.plan.name}-2")
        following = {"gaming_day": self.gaming_day.isoformat(), "shift": SHIFTS[1]}
        self._count(middle + _SECOND, "table.counted", purpose="shift", begins=following)
        self._shift = SHIFTS[1]
        self._collect(middle, chance)
        self._exchange_box(ends, placed=None)
        self._count(ends + _MINUTE, "table.closed")

    @property
    def _dealer(self) -> str:
        return f"dealer-{self.plan.name}-1"

    def _collect(self, since: datetime, chance: Random) -> None:
        """Collect time from the occupied seats in the middle of each half hour."""
        for number in range(_COLLECTIONS):
            seats = chance.randint(self.plan.seats - 4, self.plan.seats)
            at = since + (number + 0.5) * _MINUTES * _MINUTE
            said: dict[str, Any] = {"seats": seats, "cents_per_seat": self.plan.cents_per_seat, "minutes": _MINUTES}
            self._report(at, "time.collected", **said, dealer=self._dealer)
            self._box.rake += seats * self.plan.cents_per_seat
        self.time_cents += self._box.rake

    def _count(self, at: datetime, kind: str, **more: Any) -> None:
        people: dict[str, Any] = {"dealer": self._dealer, "floorperson": FLOORPERSON}
        self._report(at, kind, contents=contents(TRAY_CENTS), **people, **more)

    def _exchange_box(self, at: datetime, *, placed: str | None) -> None:
        removed = f"{self.plan.name}-{len(self.boxes) + 1}"
        boxes: dict[str, Any] = {"removed_box": removed} | ({} if placed is None else {"placed_box": placed})
        self._report(at, "box.exchanged", **boxes, removed_by=SECURITY, witnessed_by=FLOORPERSON)
        people: dict[str, Any] = {"carried_by": SECURITY, "received_by": "demo.counter"}
        self._report(at + 2 * _MINUTE, "box.transported", box=removed, **people)
        self.boxes.append((self._shift, self._box))
        self._box = Dropped()

    def _report(self, at: datetime, kind: str, **data: Any) -> None:
        self.events.append(PitEvent(at, kind, self._shift, data))
