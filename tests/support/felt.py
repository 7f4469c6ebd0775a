"""A table on paper: its counts, movements and drop boxes, and the wins that the pure model makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from datetime import time as time_of
from typing import Any, Final

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.sessions import TICK, Sessions, sessions_of
from services.table_inventory.domain.slips import Slip
from services.table_inventory.domain.win import Win, of_day, shift_wins
from services.table_inventory.domain.windows import Count, Mark, Moves, Purpose
from shared.contracts.counts import BoxFigures
from shared.contracts.inventory import AdjustmentEntered
from shared.contracts.property_snapshot import PropertySnapshot
from tests.support.properties import place

DAY: Final = date(2026, 11, 20)
PLACE: Final = place("riverbend", gaming_day_begins="06:00")
NAME: Final = "BJ-01"
_SIGNS: Final = {"fills": 1, "credits": -1, "rounds": 1}
"""How a movement changes the inventory; all others take chips from it."""


def clock(time: str, day: date = DAY, property_place: PropertySnapshot = PLACE) -> datetime:
    """Return a moment of a gaming day by the clock of the property: times before six are of the morning after."""
    of_clock = time_of.fromisoformat(time)
    later = timedelta(days=1) if of_clock.hour < 6 else timedelta()
    return datetime.combine(day + later, of_clock, property_place.zone)


@dataclass
class Felt:
    """What happens at a table, told in any order."""

    place: PropertySnapshot = PLACE
    counts: list[Count] = field(default_factory=list)
    moves: list[tuple[datetime, Moves]] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    _sequence: int = 0

    def count(
        self,
        purpose: Purpose,
        moment: datetime,
        cents: int,
        *,
        day: date = DAY,
        shift: str = "day",
        begins: tuple[date, str] | None = None,
    ) -> Count:
        """Count the table."""
        self._sequence += 1
        begun = {} if begins is None else {"begins_day": begins[0], "begins_shift": begins[1]}
        place = {"table": NAME, "sequence": self._sequence, "at": moment, "gaming_day": day, "shift": shift}
        made = Count(**place, purpose=purpose, cents=cents, contents={"chip:100": cents // 100}, **begun)
        self.counts.append(made)
        return made

    def move(self, moment: datetime, **cents: int) -> None:
        """Move chips: `fills=`, `currency=`, `rounds=` and so on, in cents."""
        [(what, value)] = cents.items()
        figures: dict[str, int] = {f"{what}_cents": value, "cents": _SIGNS.get(what, -1) * value}
        if what == "rounds":
            figures["rounds"] = 1
        self.moves.append((moment, Moves(**figures)))

    def box(
        self,
        moment: datetime,
        removed: str,
        placed: str | None = None,
        *,
        day: date = DAY,
        shift: str = "day",
        **counted: Any,
    ) -> Box:
        """Take a box off the table, and put another one on; what was found in it, where it is counted."""
        self._sequence += 1
        found: dict[str, Any] = {"counter_checks_cents": 0, "coupons_cents": 0, "figures": BoxFigures()}
        made = Box(
            table=NAME,
            exchange=self._sequence,
            box=removed,
            placed_box=placed,
            gaming_day=day,
            shift=shift,
            removed_at=moment,
            transported_at=moment,
            recorded_currency_cents=0,
            recorded_checks_cents=0,
            **(found | counted if "currency_cents" in counted else counted),
        )
        self.boxes.append(made)
        return made

    def marks(self, first: date, last: date) -> list[Mark]:
        """Return the marks from one gaming day to another, with what moved between them."""
        days = [first + number * timedelta(days=1) for number in range((last - first).days + 2)]
        ends = [self.place.begins_at(day) for day in days]
        cuts = [*(end - TICK for end in ends), ends[-1] + self.place.pit_margin]
        cuts += [box.removed_at for box in self.boxes]
        counted = [(one.at, one.sequence, one) for one in self.counts]
        places: list[tuple[datetime, int, Count | None]] = [*counted, *((at, 10**9, None) for at in {*cuts})]
        found: list[Mark] = []
        before: datetime | None = None
        for at, _, one in sorted(places, key=lambda place: place[:2]):
            moved = [moves for moment, moves in self.moves if moment <= at and (before is None or moment > before)]
            found.append(Mark(table=NAME, at=at, count=one, moves=sum(moved, start=Moves())))
            before = at
        return found

    def sessions(self, day: date = DAY, *, now: datetime | None = None) -> Sessions:
        """Return the sessions around a gaming day."""
        return sessions_of(self.place, self.marks(day, day), now or clock("12:00", day + timedelta(days=3)))

    def shifts(
        self,
        day: date = DAY,
        *,
        adjustments: Sequence[AdjustmentEntered] = (),
        slips: Sequence[Slip] = (),
        provisions: Provisions | None = None,
        now: datetime | None = None,
    ) -> dict[str, Win]:
        """Return the win of each shift of a gaming day."""
        law = provisions or Provisions.of(self.place, day)
        then = now or clock("12:00", day + timedelta(days=3))
        boxes = sorted(self.boxes, key=lambda box: (box.removed_at, box.exchange))
        sessions = sessions_of(self.place, self.marks(day, day), then)
        wins = shift_wins(law, day, sessions, boxes, adjustments, slips)
        return {win.shift or "": win for win in wins}

    def win(self, day: date = DAY, *, provisions: Provisions | None = None, now: datetime | None = None) -> Win:
        """Return the win of a gaming day."""
        shifts = self.shifts(day, provisions=provisions, now=now)
        return of_day(provisions or Provisions.of(self.place, day), list(shifts.values()))
