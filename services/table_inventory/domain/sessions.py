"""Sessions of a table, derived from its counts: its windows by gaming day and shift, and the missing counts.

An opener begins a session and a closer ends it. A count of an open table that begins another shift or gaming day
divides the session. A spot count only begins another window of the same shift. The count that begins a window
determines its gaming day and shift, and all movements in the window belong to that day, whatever day they claim. A
table that stays open past the end of a gaming day must be counted within the pit's margin. Without such a count, the
session is cut at the end of the day, and both days miss the count.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, NamedTuple, Protocol

from services.table_inventory.domain.windows import NOTHING, Count, Mark, Moves, Window
from shared.contracts.win import Missing, MissingKind

_DAY: Final = timedelta(days=1)
TICK: Final = timedelta(microseconds=1)
"""The smallest difference in time. A gaming day ends one tick before the next one begins."""
EVER: Final = datetime.max.replace(tzinfo=UTC)


class Clock(Protocol):
    """A property's gaming days and shifts by moment (`shared.contracts.property_snapshot.PropertySnapshot`)."""

    @property
    def pit_margin(self) -> timedelta:
        """Return the maximum time by which a count in the pit may lie outside its gaming day."""

    def gaming_day(self, moment: datetime) -> date:
        """Return the gaming day in which a moment lies."""

    def begins_at(self, day: date) -> datetime:
        """Return the moment at which a gaming day begins."""

    def shift_at(self, moment: datetime) -> str:
        """Return the shift in progress at a moment."""


class ShiftKey(NamedTuple):
    """The key of a shift: gaming day and name."""

    gaming_day: date
    shift: str


class Lack(NamedTuple):
    """A missing item, and the shift in which it is missing."""

    of: ShiftKey
    missing: Missing


@dataclass(frozen=True, slots=True)
class Piece:
    """The time between two marks at an open table, with its shift and movements."""

    since: datetime
    until: datetime
    of: ShiftKey
    moves: Moves


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of a table, from its counts.

    `carried` are inventories carried over on days without an opener. `recounted` are counts that a recount replaced.
    `repeated` are all counts that were made again, also those that remain valid because something moved in between.
    `unexpected` are openers of a table that was already open: they are valid counts, but need an explanation.
    """

    table: str
    windows: Sequence[Window]
    pieces: Sequence[Piece]
    lacks: Sequence[Lack]
    carried: Sequence[Count]
    recounted: Sequence[Count]
    repeated: Sequence[Count]
    unexpected: Sequence[Count]

    def happened_on(self, clock: Clock, day: date) -> bool:
        """Return whether the table was open on a gaming day, or had a count, a movement or play on that day."""
        begins, ends = clock.begins_at(day), clock.begins_at(day + _DAY)
        return any(one.gaming_day == day for one in self.carried) or any(
            (window.play and window.gaming_day == day)
            or (window.end is not None and begins <= window.end.at < ends)
            or (window.since is not None and begins <= window.since < ends and window.moves.any)
            for window in self.windows
        )


def nothing_of(table: str) -> Sessions:
    """Return the sessions of a table without counts."""
    return Sessions(table, (), (), (), (), (), (), ())


def sessions_of(clock: Clock, marks: Sequence[Mark], now: datetime) -> Sessions:
    """Return the sessions of one table. `marks` are in order of time, counts before other marks at the same moment.

    A mark at the end of a gaming day (a `TICK` before the next day) cuts the session of an open table only if the pit's
    margin after it has passed by `now`.
    """
    recounted: list[Count] = []
    repeated: list[Count] = []
    effective = _effective(marks, recounted, repeated)
    table = marks[0].table if marks else ""
    made = _Making(table, clock, now, deque(mark for mark in effective if mark.count is not None))
    for mark in effective:
        made.take(mark)
    made.finish()
    return Sessions(table, made.windows, made.pieces, made.lacks, made.carried, recounted, repeated, made.unexpected)


def _effective(marks: Iterable[Mark], recounted: list[Count], repeated: list[Count]) -> list[Mark]:
    """Return the marks without replaced counts: if a count is repeated before anything moves, only the last remains.

    The last count takes the position of the first, so that the window before it ends at the same mark. Replaced counts
    are added to `recounted`, and all repeated counts to `repeated`.
    """
    found: list[Mark] = []
    last: int | None = None
    moved = False
    for mark in marks:
        moved = moved or (mark.moves is not None and mark.moves.any)
        count = mark.count
        if count is not None and count.purpose != "spot":
            before = None if last is None else found[last].count
            if last is not None and before is not None and _is_recount(before, count):
                repeated.append(before)
                if not moved:
                    recounted.append(before)
                    found[last] = found[last].model_copy(update={"count": count})
                    found.append(mark.model_copy(update={"count": None}))
                    continue
            last, moved = len(found), False
        found.append(mark)
    return found


def _is_recount(before: Count, count: Count) -> bool:
    """Return whether a count repeats the previous one: the same purpose on the same gaming day."""
    if before.purpose != count.purpose or before.gaming_day != count.gaming_day:
        return False
    return count.purpose in ("opener", "closer") or (count.purpose != "carried" and before.begun == count.begun)


def _ends_a_day(count: Count | None, following: date) -> bool:
    assert count is not None, "a mark of a count"
    return count.purpose == "closer" or (count.purpose in ("shift", "drop") and count.begun[0] >= following)


@dataclass(slots=True)
class _Running:
    """The current window: its first count, its movements, and its shift while the table is open.

    `earlier` are movements between the first count and a cut. `uncounted`: the current gaming day began without a
    count.
    """

    start: Count | None = None
    moves: Moves = NOTHING
    earlier: Moves = NOTHING
    since: datetime | None = None
    opens: bool = False
    open: ShiftKey | None = None
    opened_at: datetime | None = None
    uncounted: bool = False

    def after(self, count: Count, at: datetime) -> "_Running":
        """Return the window that begins with a count; a spot count or carried inventory begins no new session."""
        if count.purpose in ("spot", "carried"):
            return replace(self, start=count, since=at, moves=NOTHING, earlier=NOTHING, opens=False)
        return _Running(start=count, since=at, open=self.open, opened_at=count.at)


@dataclass(slots=True)
class _Making:
    """A state machine that derives windows, missing items and play from marks, one mark at a time."""

    table: str
    clock: Clock
    now: datetime
    counts: deque[Mark]
    """The marks of the counts not processed yet."""
    windows: list[Window] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    lacks: list[Lack] = field(default_factory=list)
    carried: list[Count] = field(default_factory=list)
    unexpected: list[Count] = field(default_factory=list)
    running: _Running = field(default_factory=_Running)
    _at: datetime | None = None

    def take(self, mark: Mark) -> None:
        """Process the next mark."""
        running, moves = self.running, mark.moves or NOTHING
        ends_day = mark.count is None and self._begins_day(mark.at + TICK)
        at = mark.at + TICK if ends_day else mark.at
        running.moves += moves
        if running.open is not None and self._at is not None and self._at < at:
            self.pieces.append(Piece(self._at, at, running.open, moves))
        self._at = at
        if mark.count is not None:
            self.counts.popleft()
            self._count(mark.count, at)
            self._require_today(at)
        elif ends_day:
            self._day_ends(at)

    def _begins_day(self, at: datetime) -> bool:
        return self.clock.begins_at(self.clock.gaming_day(at)) == at

    def finish(self) -> None:
        """End the last window, which has no count at its end."""
        running = self.running
        if running.open is not None and self._at is not None:
            self._lacks_closer(running.open)
            self.pieces.append(Piece(self._at, EVER, running.open, NOTHING))  # the table is still open
        if running.start is not None or running.since is not None:
            self._emit(None)

    def _count(self, count: Count, at: datetime) -> None:
        match count.purpose:
            case "opener" if self.running.open is None:
                self._emit(count)
                self._open(count, at)
            case "closer" if self.running.open is not None:
                self._emit(count, closes=True)
                self.running = _Running(start=count, since=at)
            case "closer":
                self._unopened(count, at)
                self.running = _Running(start=count, since=at)
            case "opener" | "shift" | "drop":
                self._divide(count, at)
            case "spot" | "carried":
                if count.purpose == "carried":
                    self.carried.append(count)
                self._emit(count)
                self.running = self.running.after(count, at)

    def _divide(self, count: Count, at: datetime) -> None:
        """Process a count during a session, which may begin another shift or gaming day."""
        running, begun = self.running, ShiftKey(*count.begun)
        if count.purpose == "opener":
            self.unexpected.append(count)
        if running.open is None:
            self._unopened(count, at)
            self._open(count, at)
        elif running.uncounted and running.open.gaming_day == begun.gaming_day:
            self._emit(count)  # the day now has its first count, but still misses its opening count
            self.running = replace(running.after(count, at), open=begun, opens=True)
        elif running.open == begun:
            self._emit(count)
            self.running = running.after(count, at)
        else:
            if count.purpose == "opener" and running.open.gaming_day != begun.gaming_day:
                self._lacks_closer(running.open)
            self._emit(count, closes=True, hands_over=running.open.gaming_day == begun.gaming_day)
            self.running = replace(running.after(count, at), open=begun, opens=True)

    def _open(self, count: Count, at: datetime) -> None:
        self.running = _Running(start=count, since=at, open=ShiftKey(*count.begun), opens=True, opened_at=count.at)

    def _unopened(self, count: Count, at: datetime) -> None:
        """End a session without an opener. It began on the count's gaming day, at or after the previous count."""
        running, of = self.running, ShiftKey(count.gaming_day, count.shift)
        self._lack(of, "opener", count.at if running.start is None else running.start.at)
        begun = max(running.since or at, self.clock.begins_at(count.gaming_day))
        if begun < at:
            self.pieces.append(Piece(begun, at, of, running.moves))
        running.open = of
        self._emit(count, closes=True)

    def _require_today(self, at: datetime) -> None:
        """End the gaming day of the open session if that day was over by the moment `at`."""
        if self.running.open is not None:
            ended = self.clock.begins_at(self.running.open.gaming_day + _DAY)
            if ended <= at:
                self._day_ends(ended)

    def _day_ends(self, at: datetime) -> None:
        """Cut the current window at the end of a gaming day.

        The window of an open table is not cut if a count ends the day within the pit's margin, or may still do so.
        """
        running, next_day = self.running, self.clock.gaming_day(at)
        if running.open is None:
            if running.start is not None or running.since is not None:
                self._emit(None, until=at)
            self._go_on(at)
            return
        if running.open.gaming_day >= next_day or self.now < at + self.clock.pit_margin or self._is_counted(at):
            return
        cut = at if running.since is None else max(at, running.since)
        following = ShiftKey(next_day, self.clock.shift_at(cut))
        self._lack(running.open, "day_count", at)
        self._lack(following, "day_count", at)
        self._emit(None, until=cut)
        self._go_on(cut)
        running.open, running.uncounted = following, True

    def _go_on(self, at: datetime) -> None:
        running = self.running
        running.earlier += running.moves
        running.moves, running.since, running.opens = NOTHING, at, False

    def _is_counted(self, at: datetime) -> bool:
        """Return whether a count within the margin ends the gaming day; an opener does not end it."""
        day, until = self.clock.gaming_day(at), at + self.clock.pit_margin
        return any(at <= mark.at <= until and _ends_a_day(mark.count, day) for mark in self.counts)

    def _emit(self, end: Count | None, *, until: datetime | None = None, **more: Any) -> None:
        """Add the current window to `windows`. It ends with the count `end`, or is cut at `until`."""
        running = self.running
        of = running.open or self._closed(end)
        self.windows.append(
            Window(
                table=self.table,
                start=running.start,
                end=end,
                moves=running.moves,
                earlier=running.earlier,
                since=running.since,
                until=until,
                play=running.open is not None,
                opens=running.opens,
                gaming_day=of.gaming_day,
                shift=of.shift,
                **more,
            )
        )

    def _closed(self, end: Count | None) -> ShiftKey:
        """Return the gaming day and shift of a closed table's window: those of the count `end`, or of its beginning.

        If chips were sold in the window, record that an opener is missing.
        """
        running = self.running
        moment = running.since or (None if end is None else end.at)
        assert moment is not None, "a window begins or ends somewhere"
        of = ShiftKey(self.clock.gaming_day(moment), self.clock.shift_at(moment))
        if running.moves.sold:
            self._lack(of, "opener", moment)
        return of if end is None else ShiftKey(end.gaming_day, end.shift)

    def _lacks_closer(self, of: ShiftKey) -> None:
        """Record that the closer of a session is missing since the session was opened."""
        assert self.running.opened_at is not None
        self._lack(of, "closer", self.running.opened_at)

    def _lack(self, of: ShiftKey, what: MissingKind, since: datetime, name: str = "") -> None:
        self.lacks.append(Lack(of, Missing(what=what, name=name, since=since)))
