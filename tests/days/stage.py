"""Tables and their people: what they did, what was told of it and when, and the look at what is stated of it."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from random import Random
from typing import Any, ClassVar, Final

import yaml
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from shared.rules.errors import Refused
from tests.days.acts import CHANGES, COUNTS, TABLES, Act, What
from tests.days.closing import unlike_closed
from tests.days.comparing import Ledger, Seen, books_of, differences, place_of
from tests.days.difference import Difference
from tests.days.reference import is_in_use
from tests.days.sign import Sign
from tests.days.telling import BASE_CENTS, is_event

PROPERTIES: Final = (
    *(("06:00", 240, "refuse", None), ("06:00", 30, "flag", None), ("03:00", 120, "flag", None)),
    *(("06:00", 240, "refuse", "none"), ("06:00", 30, "flag", "each"), ("03:00", 120, "flag", "over")),
)
"""When a gaming day begins, the margin of the pit in minutes, and what happens to another day than that of a moment.

The last: one of the tables is counted, and reports these sales.
"""

FIRST_DAYS: Final = (date(2026, 11, 20), date(2026, 3, 6), date(2026, 3, 7), date(2026, 10, 30), date(2026, 10, 31))
"""Days some of which are followed by one in which the clocks change."""

SECOND: Final = timedelta(seconds=1)
DAY: Final = timedelta(days=1)
_TRAY_CENTS: Final = 100_000_00
_AT_DESKS: Final = ("prepared", "voided", "found", "written_off", "adjusted", "accepted")
"""What is recorded when it is done: it never comes late."""

_OF_A_TABLE: Final = ("tray", "at_work", "last_count", "quiet", "box", "inside", "rounds", "rank", "played_until")
"""What people at a table know of it."""

_IN_USE: Final[Mapping[What, str]] = {
    "counter_check": "was issued already",
    "exchanged": "as its last exchange says",
    "taken": "is for table",
    "received": "is for table",
}
"""Why what names what is in use is refused."""

rarely = st.integers(0, 7).map(lambda number: number == 7)


class Stage(RuleBasedStateMachine):
    """Two tables from their first day on. `played` counts what was played of all of them.

    Something is done at one table at a time, the one `at_hand`; `beside` is what is known of the other one.
    """

    played: ClassVar[Counter[str]] = Counter()

    @initialize(at=st.sampled_from(PROPERTIES), first=st.sampled_from(FIRST_DAYS), tidy=st.booleans(), never=rarely)
    def begins(self, at: tuple[str, int, str, str | None], first: date, tidy: bool, never: bool) -> None:
        """The first day begins.

        A `tidy` pit makes no mistake but those that it mends; a table that `never_closes` is counted as a day ends.
        """
        self.place, self.tidy, self.first, self.never_closes = place_of(*at), tidy, first, never
        self.books = self.ledger()
        self.now = self.place.begins_at(first)
        self.told, self.withheld = list[Act](), list[Act]()
        self.events, self.wrong = dict[int, Act](), dict[int, Act | None]()
        self.void, self.placed_gone = set[int](), set[int]()
        self.line_is_down = self.loses_one = False
        self.number, self.boxes_made, self.mistaken = 0, 0, set[int]()
        self.at_hand, self.beside = TABLES[-1], dict[str, Any]()
        for _ in TABLES:
            self.begins_at_table()
            self.turns()
        self.off: dict[int, tuple[Act, Counter[str]]] = {}
        self.backoff = set[int]()
        self.slips: dict[tuple[str, int], list[Act]] = {}
        self.prepared, self.papers = Counter[str](), 0
        self.paid = self.held = 0

    def begins_at_table(self) -> None:
        """Nothing has happened at the table at hand: some box is on it."""
        self.tray, self.rank = _TRAY_CENTS, 0
        self.at_work: tuple[date, str] | None = None
        self.last_count: Act | None = None
        self.quiet, self.played_until = True, self.now
        self.box: str | None = f"B0-{self.at_hand}"
        self.inside, self.rounds = Counter[str](), list[Act]()

    def turns(self) -> None:
        """Go to the other table."""
        of_this = {name: getattr(self, name) for name in _OF_A_TABLE}
        for name, known in self.beside.items():
            setattr(self, name, known)
        self.beside = of_this
        self.at_hand = next(name for name in TABLES if name != self.at_hand)

    @rule()
    def goes_to_the_other_table(self) -> None:
        """People come to another table."""
        self.turns()

    def sales(self) -> str | None:
        """Return which of its sales the table at hand tells, if it is counted."""
        return self.place.counted_on(self.first).get(self.at_hand)

    def ledger(self) -> Ledger:
        """Return what is told of the table: books in memory."""
        return books_of(self.place, self.first)

    def act(
        self, what: What, cents: int = 0, *, late_by: timedelta = timedelta(), at_once: bool = False, **said: Any
    ) -> Act:
        """Do something, and tell it, unless it comes late; what may not is told `at_once`."""
        rank = 1 if what in COUNTS else 2 if what == "exchanged" else 0
        if rank < self.rank:
            self.now += SECOND  # of one moment, what moves is before the count, and the count before the boxes
        self.rank, self.number = rank, self.number + 1
        at = self.now + late_by
        of: dict[str, Any] = {"day": self.place.gaming_day(at), "shift": self.place.shift_at(at), "table": self.at_hand}
        made = Act(what=what, at=at, number=self.number, cents=cents, **of | said)
        self.played[what] += 1
        self.books.expect(made)
        self.events |= {made.number: made} if is_event(made) and what not in CHANGES else {}
        at_once = at_once or what in _AT_DESKS or (what, made.kind) == ("received", "credit")
        if not at_once and (self.line_is_down or self.loses_one):
            self.withheld.append(made)
            self.loses_one = False
        else:
            self.tell(made)
        return made

    def tell(self, act: Act) -> None:
        """Tell the service of an act. Raises: Difference where it refuses what nothing stands against."""
        try:
            taken = self.books.take(act)
        except Refused as refused:
            raise Difference(self.script([f"{act.written()} is refused: {refused}"])) from refused
        if taken:
            self.told.append(act)

    def tell_in_vain(self, act: Act) -> None:
        """Tell the service of an act that names what is in use. Raises: Difference where it takes it."""
        if is_in_use(act, self.told):
            self.played["refused"] += 1
            self.books.expect(act)
            why = self.books.refusal(act)
            said = f"{act.written()}: it names what is in use, and is {'taken' if why is None else f'refused: {why}'}"
            self.require([] if why is not None and _IN_USE[act.what] in why else [said])

    def require(self, said: list[str]) -> None:
        """Raise Difference where anything is said."""
        if said:
            raise Difference(self.script(said))

    def days_around(self) -> list[date]:
        """Return the gaming days that may be claimed now, in their order."""
        margin = self.place.pit_margin
        return sorted(
            {self.place.gaming_day(self.now - margin), self.today(), self.place.gaming_day(self.now + margin)}
        )

    def today(self) -> date:
        """Return the gaming day that runs."""
        return self.place.gaming_day(self.now)

    def another_day(self) -> date:
        """Return a gaming day that may be claimed, other than that of now where there is one."""
        if self.place.document.other_gaming_day == "flag" and not self.tidy and self.number % 2:
            return self.today() - 3 * DAY  # nobody believes that
        return next((day for day in self.days_around() if day != self.today()), self.today())

    def claimed(self, day: date) -> date:
        """Return a gaming day, where it may be claimed now; else that of now."""
        return day if day in self.days_around() else self.today()

    def working(self) -> tuple[date, str]:
        """Return the gaming day and shift that are at work at the table."""
        assert self.at_work is not None, "the table is open"
        return self.at_work

    def count(self, what: What, typo: int = 0, **said: Any) -> Act:
        """Count the table, perhaps with a slip of the pen, in cents."""
        made = self.act(what, max(self.tray + typo, 0), **said)
        if what not in ("spot_count", "carried"):
            self.last_count, self.quiet = made, True
            if made.cents != self.tray:
                self.mistaken.add(made.number)
        return made

    def count_again(self) -> None:
        """Count what was counted last; before anything moved, this figure takes the place of that one."""
        last, allowed = self.last_count, self.days_around()
        assert last is not None
        if last.day in allowed and (last.begins is None or last.begins[0] in allowed):
            self.mistaken -= {last.number} if self.quiet else set()
            self.count(last.what, day=last.day, shift=last.shift, begins=last.begins)
            self.at_work = None if last.what == "closed" else last.begins or (last.day, last.shift)

    def exchange(self, removed: str | None = None, placed: str | None = None, **said: Any) -> None:
        """Take the box off the table, and put another one on."""
        self.boxes_made += 1
        made = self.act("exchanged", box=removed or self.box or f"X{self.boxes_made}", placed=placed, **said)
        self.off[made.number] = (made, self.inside)
        self.box, self.inside = placed, Counter()

    def go_on_to(self, moment: datetime) -> None:
        """Let it be so late."""
        if moment > self.now:
            self.now, self.rank, self.beside["rank"] = moment, 0, 0

    def pass_to(self, moment: datetime) -> None:
        """Let time pass to a moment; a tidy pit, and a table that never closes, is counted where a gaming day ends."""
        until = self.place.gaming_day(moment)
        while self.tidy or self.never_closes:
            days = [work[0] for work in (self.at_work, self.beside["at_work"]) if work is not None and work[0] < until]
            if not days:
                break
            for _ in TABLES:
                if self.at_work is not None and self.at_work[0] == min(days):
                    self.day_ends(*self.at_work)
                self.turns()
        self.go_on_to(moment)

    def day_ends(self, day: date, shift: str) -> None:
        """Count the table at hand where a gaming day ends, and change its box."""
        self.go_on_to(self.place.begins_at(day + DAY))
        self.count("drop_count", day=day, shift=shift, begins=(day + DAY, "day"))
        self.exchange(placed=f"B{self.boxes_made + 1}", day=day, shift=shift)
        self.at_work = (day + DAY, "day")

    @rule()
    def loses_the_next_event(self) -> None:
        """The next event comes late."""
        self.loses_one = True

    @rule()
    def line_breaks(self) -> None:
        """All events come late from now on."""
        self.line_is_down = True

    @precondition(lambda self: self.withheld)
    @rule(order=st.randoms(use_true_random=False), twice=st.booleans())
    def line_works(self, order: Random, twice: bool) -> None:
        """What was late is told, in any order, and perhaps twice."""
        self.line_is_down = self.loses_one = False
        order.shuffle(self.withheld)
        for act in self.withheld:
            self.tell(act)
            if twice:
                self.books.take(act)
        self.withheld.clear()

    @rule()
    def looks(self) -> None:
        """State what is due, and compare it with what the reference has seen of what was told."""
        self.books.state(self.now)
        self.require(list(differences(self.books, self.seen(), self.now)))

    def sign(self) -> Sign:
        """Return the sign of the meter, as everything that was done has it, told or not."""
        return Sign(BASE_CENTS, [*self.told, *self.withheld])

    def seen(self) -> Seen:
        """Return what the reference has seen of what was told."""
        return Seen.of(self.place, self.told, self.now)

    @rule(back=st.integers(1, 4), steps=st.integers(1, 3))
    def closes_the_day(self, back: int, steps: int) -> None:
        """Somebody closes a gaming day that is over, a step or more."""
        self.looks()
        self.close_day(self.today() - back * DAY, steps)

    def close_day(self, day: date, steps: int) -> None:
        """Close a gaming day so many steps, as far as nothing is missing of it."""
        seen = self.seen()
        for _ in range(steps):
            left = self.books.left(day, self.now, seen.excused(day))
            self.require([] if left is None else list(unlike_closed(seen, day, left, self.is_told_in_part())))
            if left is None or left:
                return

    def is_told_in_part(self) -> bool:
        """Return whether the pit has told of something that came after what it has not told yet."""

        def is_in_part(table: str, stream: Callable[[Act], object]) -> bool:
            last = max((act.number for act in self.told if act.table == table and stream(act)), default=0)
            return any(act.table == table and stream(act) and act.number < last for act in self.withheld)

        return any(is_in_part(one, is_event) or is_in_part(one, lambda act: act.behind) for one in TABLES)

    def script(self, said: list[str]) -> str:
        """Return what was said, and the acts as a golden day has them."""
        zone = self.place.zone
        shown = (
            replace(act, at=act.at.astimezone(zone), moment=act.moment and act.moment.astimezone(zone))
            for act in self.told
        )
        acts = [act.written() for act in shown]
        written = yaml.safe_dump(acts, default_flow_style=None, sort_keys=False, width=200)
        document = self.place.document
        at = f"now: {self.now}, gaming day begins {document.gaming_day_begins}, margin {self.place.pit_margin}"
        return "\n".join([*said, at, written])
