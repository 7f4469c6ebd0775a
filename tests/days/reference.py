"""Where the chips of a table are, act by act: the reference, which knows nothing of the service. Amounts are cents.

Chips lie in the `tray`, in the `cage`, in the `hands` of patrons, or are on their way (`road`); cash and paper lie in
the box on the table, until it comes off. Acts are followed in the order in which they happened. A chip that moves
belongs to the gaming day and shift at which the people at the table are at that moment, and to no other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tests.days.acts import COUNTS, Act, as_told

Shift = tuple[date, str]
Lack = tuple[str, str, datetime]
"""What is missing, its name, and since when."""

_DAY = timedelta(days=1)
_CHANGED_FOR_THE_COUNT = timedelta(minutes=30)
_DROPPED = ("currency", "counter_check", "coupon")
_SOLD = ("currency", "counter_check", "prepaid_access")
_PLAY = dict.fromkeys((*_SOLD, "coupon", "waived"), ("tray", "hands")) | {"round": ("hands", "tray")}
_CAUSES = {"taken_back": "round"}
_WAY = {("taken", "fill"): ("cage", "road"), ("taken", "credit"): ("tray", "road")}
_WAY |= {("received", "fill"): ("road", "tray"), ("received", "credit"): ("road", "cage")}
_WAY |= {("voided", "fill"): ("road", "cage"), ("voided", "credit"): ("road", "tray")}
_WAY |= {("paper", "fill"): ("cage", "tray"), ("paper", "credit"): ("tray", "cage")}


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock on the wall of the pit, and how far off the end of a gaming day people may count of it."""

    zone: ZoneInfo
    begins: time
    margin: timedelta
    shifts: Sequence[tuple[time, str]]

    def day_of(self, moment: datetime) -> date:
        """Return the gaming day of a moment."""
        shown = moment.astimezone(self.zone)
        return shown.date() if shown.time() >= self.begins else shown.date() - _DAY

    def begins_at(self, day: date) -> datetime:
        """Return when a gaming day begins."""
        return datetime.combine(day, self.begins, self.zone).astimezone(UTC)

    def shift_at(self, moment: datetime) -> str:
        """Return the shift at work at a moment."""
        shown = moment.astimezone(self.zone).time()
        return max((one for one in self.shifts if one[0] <= shown), default=max(self.shifts))[1]


@dataclass(slots=True)
class Line:
    """A shift of a gaming day: counts that began and ended it, what moved (`into` the tray, by cause), its boxes."""

    tally: Counter[str] = field(default_factory=Counter)
    into: Counter[str] = field(default_factory=Counter)
    counts: set[int] = field(default_factory=set)
    boxes: list[int] = field(default_factory=list)
    missing: set[Lack] = field(default_factory=set)

    def win(self) -> int:
        """Return what the house has more than before: in the tray or the cage, and of what was taken for chips."""
        tray = self.tally["closer"] - self.tally["opener"] - self.into["fill"] - self.into["credit"]
        return tray + self.tally["currency"] + self.tally["checks"] - self.into["prepaid_access"]

    def variance(self) -> int:
        """Return what was counted beyond what moved: mistakes, and rounds whose chips lay there before they ended."""
        return self.tally["closer"] - self.tally["opener"] - sum(self.into.values())

    def counted_win(self) -> dict[str, int]:
        """Return what was won of what nobody told, in the tray and in boxes; of it, what boxes held."""
        held = {f"unrecorded_{name}_cents": self.tally[f"unrecorded_{name}"] for name in ("currency", "checks")}
        return held | {"counted_win_cents": self.variance() + sum(held.values())}


@dataclass(slots=True)
class _OnTable:
    """The box on the table: who placed it, how long it was there in play, since when on a day, and what fell in."""

    placed: Act | None
    time: dict[Shift, timedelta] = field(default_factory=dict)
    since: dict[date, datetime] = field(default_factory=dict)
    used: set[date] = field(default_factory=set)
    sold: Counter[str] = field(default_factory=Counter)
    back: Act | None = None


@dataclass(slots=True)
class Reference:
    """The table, as somebody sees it who stands there from the first act on, until `now`.

    Of a counted table `sales` says which of them are told, and nobody tells of its rounds.
    """

    clock: Clock
    now: datetime
    sales: str | None = None
    lines: dict[Shift, Line] = field(default_factory=dict)
    places: Counter[str] = field(default_factory=Counter)
    _at_work: Shift | None = None
    _counted_at: datetime | None = None
    _used_on: set[date] = field(default_factory=set)
    _written_at: dict[int, datetime] = field(default_factory=dict)
    _began_uncounted: bool = False
    _at: datetime | None = None
    _idle: Counter[str] = field(default_factory=Counter)
    """What moved since the last count, or since the day began, while nobody had opened the table; what was `_sold`."""
    _sold: list[Act] = field(default_factory=list)
    _boxes: list[_OnTable] = field(default_factory=lambda: [_OnTable(None)])
    _slips: dict[tuple[str, int], tuple[Act, datetime]] = field(default_factory=dict)

    def watch(self, acts: Iterable[Act]) -> "Reference":
        """Follow the acts, in whatever order they are told, and say what is missing now."""
        happened = (act for _, act in as_told(acts).values())
        told = [self._believed(act) for act in happened if act is not None]
        self._written_at = {one.number: one.at for one in told}
        self._used_on = {day for one in told for day in (one.day, self.clock.day_of(one.at))}
        in_order = _without_recounts(sorted((one for one in told if one.what not in _LATER), key=_order))
        ends = self._ends(in_order)
        for number, act in enumerate(in_order):
            while ends and ends[0] <= act.at:
                self._day_ends(ends.pop(0), in_order[number:])
            self._go_on_to(act.at)
            if act.what in COUNTS:
                self._count(act)
                self._stays_closed()
                self._is_it_today(act.at, in_order[number + 1 :])
            elif act.what == "exchanged":
                self._exchange(act)
            elif act.what not in ("tips", "accepted"):
                self._move(act)
        for end in ends:
            self._day_ends(end, ())
        self._stays_closed()
        self._go_on_to(self.now + _DAY)  # whoever is at work now is not about to stop
        self._afterwards([one for one in told if one.what in _LATER])
        return self

    def _believed(self, act: Act) -> Act:
        """Return a count or an exchange of the gaming days that it may claim; of another, that of its moment holds."""
        if act.what not in (*COUNTS, "exchanged"):
            return act
        around = [self.clock.day_of(act.at + sign * self.clock.margin) for sign in (-1, 1)]

        def believed(day: date) -> date:
            return day if around[0] <= day <= around[1] else self.clock.day_of(act.at)

        begins = None if act.begins is None else (believed(act.begins[0]), act.begins[1])
        return replace(act, day=believed(act.day), begins=begins)

    def days_at_work(self) -> set[date]:
        """Return the gaming days on which the table was open, or its inventory carried."""
        counted = {day for (day, _), line in self.lines.items() if line.tally["carried"] or line.tally["openings"]}
        return counted | {day for box in self._boxes for day, _ in box.time}

    def was_used_on(self, day: date) -> bool:
        """Return whether anybody did anything at the table on a gaming day, or it was open on it."""
        return day in self._used_on | self.days_at_work() | {of for of, _ in self.lines}

    def line(self, of: Shift) -> Line:
        """Return a shift of a gaming day."""
        return self.lines.setdefault(of, Line())

    def _ends(self, acts: Sequence[Act]) -> list[datetime]:
        if not acts:
            return []
        first, last = self.clock.day_of(acts[0].at), self.clock.day_of(self.now)
        return [self.clock.begins_at(first + number * _DAY) for number in range(1, (last - first).days + 1)]

    def _go_on_to(self, at: datetime) -> None:
        if self._at_work is not None and self._at is not None and self._at < at:
            box, day = self._boxes[-1], self._at_work[0]
            box.time[self._at_work] = box.time.get(self._at_work, timedelta()) + at - self._at
            box.since.setdefault(day, self._at)
        self._at = at

    def _is_it_today(self, at: datetime, later: Sequence[Act]) -> None:
        """Nobody is at work on a gaming day that is over, unless it is counted soon that it is."""
        if self._at_work is not None and (end := self.clock.begins_at(self._at_work[0] + _DAY)) <= at:
            self._day_ends(end, later)

    def _day_ends(self, end: datetime, later: Sequence[Act]) -> None:
        self._go_on_to(max(end, self._at or end))
        self._stays_closed()
        day, soon = self.clock.day_of(end), end + self.clock.margin
        if self._at_work is None or self._at_work[0] >= day or self.now < soon:
            return
        if any(
            end <= one.at <= soon and (one.what == "closed" or (one.begins or (date.min,))[0] >= day) for one in later
        ):
            return
        following = (day, self.clock.shift_at(self._at or end))
        for of in (self._at_work, following):
            self.line(of).missing.add(("day_count", "", end))
        self._at_work, self._began_uncounted = following, True

    def _count(self, act: Act) -> None:
        begun = act.begins or (act.day, act.shift)
        match act.what:
            case "carried":
                for name in ("opener", "closer"):
                    self.line(begun).tally[name] += act.cents
                self.line(begun).tally["carried"] += 1
                self.line(begun).counts.add(act.number)
            case "closed":
                self._end(act, self._at_work or self._nobody_opened(act))
                self._at_work = None
            case "opened" | "shift_count" | "drop_count":
                before = self._at_work
                if before is None and act.what != "opened":
                    self._end(act, self._nobody_opened(act))
                if before is None or (self._began_uncounted and before[0] == begun[0]):
                    self._begin(act, begun)
                elif before != begun:
                    if act.what == "opened" and before[0] != begun[0]:
                        self._lacks_closer(before)
                    if before[0] == begun[0]:
                        self.line(before).tally["handed_over"] += act.cents
                    self._end(act, before)
                    self._begin(act, begun)
                self._at_work, self._began_uncounted = begun, False
                self._counted_at = self._written_at[act.number]

    def _stays_closed(self) -> None:
        """Note that what was sold meanwhile lacks an opener."""
        for act in self._sold:
            of = (self.clock.day_of(act.at), self.clock.shift_at(act.at))
            self.line(of).missing.add(("opener", "", act.at))
        self._sold.clear()
        self._idle.clear()

    def _begin(self, act: Act, of: Shift) -> None:
        self.line(of).tally.update({"opener": act.cents, "openings": 1})
        self.line(of).counts.add(act.number)

    def _end(self, act: Act, of: Shift) -> None:
        self.line(of).tally.update({"closer": act.cents, "closings": 1})
        self.line(of).counts.add(act.number)

    def _nobody_opened(self, act: Act) -> Shift:
        self.line((act.day, act.shift)).missing.add(("opener", "", act.at))
        self.line((act.day, act.shift)).into.update(self._idle)
        self._sold.clear()
        return (act.day, act.shift)

    def _lacks_closer(self, of: Shift) -> None:
        assert self._counted_at is not None
        self.line(of).missing.add(("closer", "", self._counted_at))

    def _exchange(self, act: Act) -> None:
        self._boxes[-1].back = act
        self._boxes.append(_OnTable(act))

    def _move(self, act: Act) -> None:
        if act.slip:
            self._step(act)
        if act.what == "prepared":
            return
        cause = act.kind if act.slip else _CAUSES.get(act.what, act.what)
        cents = -act.cents if act.what == "taken_back" else act.cents
        self._carry(*(_WAY[act.what, act.kind] if act.slip else _PLAY[cause]), cents, cause)
        self._boxes[-1].sold[cause] += cents
        if self._at_work is None:
            if cause in _SOLD:
                self._sold.append(act)
        elif cause in _DROPPED:
            self._boxes[-1].used.add(self._at_work[0])

    def _step(self, act: Act) -> None:
        """Note where a slip is; paper slips begin and end at once."""
        key = (act.kind, act.slip)
        if act.what in ("received", "voided"):
            self._slips.pop(key, None)
        elif act.what != "paper":
            self._slips[key] = (self._slips.get(key, (act, act.at))[0], act.at)

    def _carry(self, source: str, target: str, cents: int, cause: str) -> None:
        self.places[source] -= cents
        self.places[target] += cents
        into = self._idle if self._at_work is None else self.line(self._at_work).into
        into[cause] += cents * ((target == "tray") - (source == "tray"))

    def _afterwards(self, told: Sequence[Act]) -> None:
        """Say what became of the boxes, and what has not ended by now."""
        found = {one.of: one for one in told if one.what == "found"}
        gone = {(one.of, one.kind) for one in told if one.what == "written_off"}
        done = {*found, *(of for of, which in gone if which == "removed")}
        for one in told:
            if one.what == "adjusted":
                sign = -1 if one.kind in ("opener", "fills") else 1
                self.line((one.day, one.shift)).tally["adjusted"] += sign * one.cents
        for box in self._boxes:
            if box.back is not None:
                self._came_off(box.back, found.get(box.back.number), box.sold, is_done=box.back.number in done)
        for day in {day for box in self._boxes for day, _ in box.time}:
            self._boxes_of_day(day, done, {of for of, which in gone if which == "placed"})
        for prepared, since in self._slips.values():
            of, name = (prepared.day, prepared.shift), f"{prepared.kind} {prepared.slip}"
            self.line(of).missing.add(("slip", name, since))
        if self._at_work is not None:
            self._lacks_closer(self._at_work)

    def _came_off(self, act: Act, found: Act | None, sold: Counter[str], *, is_done: bool) -> None:
        line = self.line((act.day, act.shift))
        line.boxes.append(act.number)
        if found is not None:
            coupons = found.coupons + found.match_play
            of_box = {"currency": found.cents, "checks": found.checks, "coupons": coupons}
            line.tally.update(of_box | {"match_play": found.match_play, "counted": 1})
            if self.sales in ("over", "none"):
                line.tally["unrecorded_currency"] += max(found.cents - sold["currency"], 0)
                line.tally["unrecorded_checks"] += max(found.checks - sold["counter_check"], 0)
        if not is_done:
            line.missing.add(("count", act.box, act.at))

    def _boxes_of_day(self, day: date, done: set[int], backoff: set[int]) -> None:
        there = [box for box in self._boxes if any(of[0] == day for of in box.time)]
        long = [box for box in there if day in box.used or _time_on(box, day) > _CHANGED_FOR_THE_COUNT]
        for box in long or there:
            placed, back = box.placed, box.back
            if placed is not None and placed.number in backoff:
                continue
            missing: list[Lack] = []
            if placed is not None and placed.placed is not None and (back is None or back.box != placed.placed):
                missing.append(("box", placed.placed, placed.at))
            elif back is None:
                missing.append(("drop", "", box.since[day]))
            if back is not None and back.number not in done:
                missing.append(("count", back.box, back.at))
            for of in [one for one in box.time if one[0] == day]:
                self.line(of).missing.update(missing)


def is_in_use(act: Act, told: Iterable[Act]) -> bool:
    """Return whether what an act names is another's already: the number of a check, a box, the slip of a table."""
    others = [one for number, (_, one) in as_told(told).items() if one is not None and number != act.number]
    match act.what:
        case "counter_check":
            return any(one.what == act.what and _serial(one) == _serial(act) for one in others)
        case "exchanged":
            on_others = [one for one in others if one.what == act.what and one.table != act.table]
            return act.placed is not None and bool(on_others) and max(on_others, key=_order).placed == act.placed
        case "taken" | "received":
            of = [one.table for one in others if (one.what, one.kind, one.slip) == ("prepared", act.kind, act.slip)]
            return of != [act.table]
    return False


def _serial(check: Act) -> int:
    return check.serial or check.number


_LATER = frozenset({"found", "written_off", "adjusted"})


def _time_on(box: _OnTable, day: date) -> timedelta:
    return sum((time for of, time in box.time.items() if of[0] == day), timedelta())


def _order(act: Act) -> tuple[datetime, int, int]:
    """Order acts by moment; of one moment, what moves is before the count, and the boxes are after it."""
    return act.at, 1 if act.what in COUNTS else 2 if act.what == "exchanged" else 0, act.number


def _without_recounts(acts: Sequence[Act]) -> list[Act]:
    """Leave out what was counted again before anything moved: the last count holds, where the first was made."""
    kept: list[Act] = []
    last: Act | None = None
    since: Counter[str] = Counter()
    for act in acts:
        if act.what in COUNTS and act.what != "spot_count":
            again = (act.what, act.day, act.begins)
            same_step = last is not None and again == (last.what, last.day, last.begins) and act.what != "carried"
            if last is not None and same_step and not any(since.values()):
                kept = [replace(act, at=one.at) if one.number == last.number else one for one in kept]
                last = act
                continue
            last, since = act, Counter()
        else:
            since.update(dict(_moved(act)))
        kept.append(act)
    return kept


def _moved(act: Act) -> Iterator[tuple[str, int]]:
    match act.what:
        case "round" | "taken_back":
            sign = 1 if act.what == "round" else -1
            yield "round", sign * act.cents
            yield "rounds", sign
        case "currency" | "prepaid_access" | "counter_check" | "coupon" | "waived":
            yield act.what, act.cents
        case "taken" | "voided" | "received" | "paper":
            if "tray" in _WAY[act.what, act.kind]:
                yield act.kind, -act.cents if act.what == "voided" else act.cents
