"""Table inventory without its database: acts become events, facts, rows in memory, marks, and stated wins.

Everything that decides is the service's: what it decodes, records, touches, and makes of marks and boxes. Only what
PostgreSQL does is done here: to keep rows, and to give those of a time.
"""

from bisect import bisect_right, insort
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, ClassVar, Final, NamedTuple

from services.table_inventory import projector
from services.table_inventory import tables as t
from services.table_inventory.domain import changing, days, occupancy, pit, slips, stated, win
from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.denominations import stacks
from services.table_inventory.domain.dependents import Dependents
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.sessions import Sessions, nothing_of, sessions_of
from services.table_inventory.domain.windows import Count, Mark, Moves
from services.table_inventory.handlers import PitEvents, Settlements
from services.table_inventory.queries.windows import Span
from shared.contracts import counts, inventory
from shared.contracts.facts import Fact
from shared.contracts.pit_changes import DeskChange
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.settlements import RoundKey
from shared.contracts.win import Missing, WinFigures, WinStated
from shared.journal.recording import FactWithPostings
from shared.runtime.ingest.pit_events import PitPlace
from tests.days import telling
from tests.days.acts import CHANGES, COUNTS, Act
from tests.days.telling import NAME
from tests.support.pit import Rounds, Table
from tests.support.rounds import encoded

_DAY: Final = timedelta(days=1)


_FIGURES: Final = {
    "fill": ("fills_cents", 1),
    "credit": ("credits_cents", -1),
    "currency": ("currency_cents", -1),
    "prepaid_access": ("prepaid_cents", -1),
    "counter_check": ("counter_checks_cents", -1),
    "round": ("rounds_cents", 1),
    "coupon": ("coupons_paid_cents", -1),
    "waived": ("vigorish_waived_cents", -1),
}
"""The figure of each cause, and its sign where chips come into the tray."""


class Moved(NamedTuple):
    """A movement of the inventory, as the read model has it."""

    at: datetime
    number: int
    cause: str
    cents: int
    rounds: int = 0

    def named(self) -> tuple[tuple[str, int], ...]:
        """Return the figures of what moved that it changes."""
        name, sign = _FIGURES[self.cause]
        coupons = ("coupons", int(self.cause == "coupon"))
        return (("cents", self.cents), (name, sign * self.cents), ("rounds", self.rounds), coupons)


@dataclass
class Standing:
    """What is stated of a shift, by whoever adds up: figures, what is missing, and of which counts and boxes."""

    last: stated.Stated
    sums: WinFigures = field(default_factory=WinFigures)
    missing: set[Missing] = field(default_factory=set)

    @classmethod
    def of(cls, shift: str) -> "Standing":
        """Return what is stated of a shift of which nothing was stated."""
        return cls(stated.Stated(table=NAME, shift=shift))

    def take(self, fact: WinStated) -> None:
        """Add the next revision. Raises: AssertionError where revisions, changes and figures do not fit."""
        assert fact.revision == self.last.revision + 1, f"revision {fact.revision} after {self.last.revision}"
        self.sums += fact.changes
        self.missing = (self.missing - set(fact.found)) | set(fact.missing)
        assert self.sums == fact.figures, f"changes add up to {self.sums}, figures are {fact.figures}"
        assert self.missing == set(fact.missing), f"missing less found: {self.missing}, missing: {fact.missing}"
        self.last = stated.Stated.model_validate(fact.model_dump(include=set(stated.Stated.model_fields)))


@dataclass
class Books:
    """The ledger of one table."""

    resolves: ClassVar[bool] = False

    place: PropertySnapshot
    provisions: Provisions
    counts: list[Count] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    boxes: dict[int, Box] = field(default_factory=dict)
    standing: dict[tuple[date, str], Standing] = field(default_factory=dict)
    revisions: int = 0
    _adjustments: list[inventory.AdjustmentEntered] = field(default_factory=list)
    _taken: set[int] = field(default_factory=set)
    _events: set[int] = field(default_factory=set)
    _approved: set[int] = field(default_factory=set)
    _void: dict[int, Box] = field(default_factory=dict)
    _closed_at: dict[RoundKey, datetime] = field(default_factory=dict)
    _touched: set[date] = field(default_factory=set)
    _doubtful: set[date] = field(default_factory=set)
    _running: date | None = None

    def __post_init__(self) -> None:
        self._known = pit.Known(lambda *_: self.place)
        self._rounds = Rounds()
        self._table = Table(NAME, property_name=self.place.document.property)
        self._known.books[pit.TableKey(self.place.document.property, NAME)] = pit.Books()

    def expect(self, act: Act) -> None:
        """Note that the pit, or what a desk has approved, will tell of an act."""
        self._events |= {act.number} if telling.is_event(act) else set()
        self._approved |= {act.number} if act.behind else set()

    def take(self, act: Act) -> bool:
        """Record an act, once, and return that it was accepted. Raises: Refused."""
        if act.number in self._taken:
            return True  # the place in its stream is taken
        recordings = self._recorded(act)
        self._taken.add(act.number)
        for one in recordings:
            self._project(one.fact, one.occurred_at or act.at, act.happened() or act)
            self._touched |= {day for _, _, day in projector.touched(one.fact)}
        return True

    def state(self, now: datetime) -> list[WinStated]:
        """State what is other than was stated of it, as `Stating` does: of what was touched, or ended meanwhile."""
        waiting = deque([*sorted(self._touched), *self._ended(now), *sorted(self._doubtful)])
        self._touched.clear()
        found: dict[tuple[date, str], WinStated] = {}
        looked_at: set[date] = set()
        while waiting:
            day = waiting.popleft()
            if day in looked_at:
                continue
            looked_at.add(day)
            waiting += self._others(day)
            for fact in self._around(day, now):
                found[fact.gaming_day, fact.shift] = fact
                if fact.gaming_day > day:
                    waiting.append(fact.gaming_day)
        for key, fact in found.items():
            self._standing(key).take(fact)
        self.revisions += len(found)
        return list(found.values())

    def wins(self, day: date, now: datetime) -> list[win.Win]:
        """Return the win of each shift of a gaming day, as it is read and sealed."""
        return self._wins(day, self.sessions(day, day, now), self.boxes_between(day, day))

    def variances(self, day: date, now: datetime) -> dict[str, int]:
        """Return the variance of the inventory that is read of each shift of a gaming day."""
        return {one.shift or "": one.inventory_variance_cents for one in self.wins(day, now)}

    def unlike_stated(self, day: date, now: datetime) -> Iterator[str]:
        """Return in words where a gaming day is read otherwise than it is stated: it could not be sealed."""
        wins = {NAME: self.wins(day, now)}
        for fact in stated.unstated_of(self.place, self._key(day), wins, self._last(day)):
            yield f"{day} {fact.shift}: read as {fact.figures} {fact.missing}, and not stated so"

    def left(self, day: date, now: datetime) -> list[str]:
        """Return what keeps a gaming day that is over from being closed, in words."""
        wins = self.wins(day, now)
        not_told = [
            f"event {number} is missing"
            for stream in (self._events, self._approved)
            for number in stream - self._taken
            if number < max(stream & self._taken, default=0)
        ]
        return not_told + list(days.incomplete(self.place, day, {NAME: wins} if wins else {}, set()))

    def sessions(self, first: date, last: date, now: datetime) -> Sessions:
        """Return the sessions from one gaming day to another."""
        if not (self.counts or self.moved):
            return nothing_of(NAME)
        return sessions_of(self.place, self.marks(first, last), now)

    def marks(self, first: date, last: date) -> list[Mark]:
        """Return the marks from one gaming day to another, beginning where the statement of the service begins."""
        asked = Span(self.place, first, last).asked(self.place.document.property, NAME)
        before = [one for one in self.counts if one.at < asked["first"]]
        known = [one for one in before if one.purpose in ("closer", "shift", "drop")][-1:] or before[:1]
        begun = (known[0].at, known[0].sequence) if known else None
        cuts = {*asked["cuts"], *(box.removed_at for box in self.boxes.values() if box.removed_at <= asked["last"])}
        places: list[tuple[datetime, int, Count | None]] = [
            *((one.at, one.sequence, one) for one in self.counts if one.at <= asked["recounted"]),
            *((at, 2**31, None) for at in cuts if begun is None or at > begun[0]),
        ]
        found: list[Mark] = []
        since: datetime | None = None
        for at, sequence, count in sorted(places, key=lambda one: one[:2]):
            if begun is not None and (at, sequence) < begun:
                continue
            moves = None if begun is not None and since is None else self.moves(since, at)
            found.append(Mark(table=NAME, at=at, count=count, moves=moves))
            since = at
        return found

    def moves(self, after: datetime | None, until: datetime) -> Moves:
        """Return what moved after a moment, up to and with another."""
        first = 0 if after is None else bisect_right(self.moved, after, key=lambda one: one.at)
        sums = Counter[str]()
        for one in self.moved[first : bisect_right(self.moved, until, key=lambda one: one.at)]:
            for name, value in one.named():
                sums[name] += value
        return Moves(**sums)

    def boxes_between(self, first: date, last: date) -> list[Box]:
        """Return the exchanges from one gaming day to another, with the one before and the one after."""
        asked = Span(self.place, first, last).asked(self.place.document.property, NAME)
        listed = sorted(self.boxes.values(), key=lambda box: (box.removed_at, box.exchange))
        inside = [box for box in listed if asked["first"] <= box.removed_at <= asked["last"]]
        before = [box for box in listed if box.removed_at < asked["first"]][-1:]
        after = [box for box in listed if box.removed_at > asked["last"]][:1]
        return [self._with_recorded(box, listed) for box in (*before, *inside, *after)]

    def _with_recorded(self, box: Box, listed: list[Box]) -> Box:
        earlier = [one.removed_at for one in listed if (one.removed_at, one.exchange) < (box.removed_at, box.exchange)]
        moves = self.moves(earlier[-1] if earlier else None, box.removed_at)
        recorded = {"currency": moves.currency_cents, "checks": moves.counter_checks_cents}
        return box.model_copy(update={f"recorded_{name}_cents": cents for name, cents in recorded.items()})

    def _ended(self, now: datetime) -> Iterator[date]:
        """Return the gaming day that is over since the last look, for good, if anything is missing of it."""
        running = self.place.gaming_day(now - self.place.pit_margin)
        for day in stated.days_since(self._running or running - _DAY, running):
            if any(one.missing for one in self._last(day)):
                yield day
        self._running = running

    def _around(self, day: date, now: datetime) -> Iterator[WinStated]:
        first, last = day - _DAY, day + _DAY
        found, boxes = self.sessions(first, last, now), self.boxes_between(first, last)
        self._doubtful.discard(day)
        if any(count.gaming_day == day for count in found.repeated):
            self._doubtful.add(day)
        for one in (first, day, last):
            wins = {NAME: self._wins(one, found, boxes)}
            yield from stated.unstated_of(self.place, self._key(one), wins, self._last(one))

    def _others(self, day: date) -> list[date]:
        """Return the other gaming days that may have waited for a box of a day."""
        came_off = {number for last in self._last(day) for number in last.boxes}
        days = occupancy.other_days(self.boxes_between(day - _DAY, day + _DAY), day, came_off)
        lacking = {of for (of, _), one in self.standing.items() if one.missing}
        return (
            [] if days is None else [of for of in sorted(lacking) if days[0] <= of < days[1] and abs(of - day) > _DAY]
        )

    def _wins(self, day: date, found: Sessions, boxes: list[Box]) -> list[win.Win]:
        adjusted = [one for one in self._adjustments if one.gaming_day == day]
        on_their_way = [
            slip
            for slip in self._known.slips.values()
            if slip.gaming_day == day and slip.received_at is None and slip.voided_at is None
        ]
        return win.shift_wins(self.provisions, day, found, boxes, adjusted, on_their_way)

    def _key(self, day: date) -> days.DayKey:
        return days.DayKey(self.place.document.property, day)

    def _last(self, day: date) -> list[stated.Stated]:
        return [one.last for (of, _), one in self.standing.items() if of == day]

    def _standing(self, key: tuple[date, str]) -> Standing:
        return self.standing.setdefault(key, Standing.of(key[1]))

    def _recorded(self, act: Act) -> tuple[FactWithPostings, ...]:
        """Return what is recorded of an act."""
        if act.what in ("round", "taken_back"):
            figures = {"handle": max(act.cents, 0), "payout": max(-act.cents, 0)}
            write = self._rounds.posted if act.what == "round" else self._rounds.reversed
            self._table.day = act.day.isoformat()
            event = write(self._table, act.at, f"r-{act.of or act.number}", **figures)
            read = Settlements.reader.decode(encoded(event))
            return (pit.count_round(read.data, self._closed_at),)
        if act.what in CHANGES or telling.is_event(act):
            said = PitEvents.reader.decode(encoded(telling.written(act, self._table, lambda number: number)))
            if act.behind:
                said = DeskChange(**dict(said) | {"sequence": act.behind, "desk": act.number})
            if act.what in CHANGES:
                self._known.dependents = {PitPlace(said.source, act.of): self._dependents(act.of)}
            return changing.of_event(said, self._known)
        slip = self._known.slips.get(self._slip(act)) if act.slip else None
        fact = telling.command_of(act, self.place.document.property, slip, self.boxes.get(act.of))
        return (FactWithPostings(fact=fact, occurred_at=act.at),)

    def _dependents(self, number: int) -> Dependents:
        """Return what was done since about the box that an exchange took off."""
        box = self.boxes.get(number)
        if box is None:
            return Dependents()
        *before, last = sorted(self.boxes.values(), key=lambda one: (one.removed_at, one.exchange))
        write_off = 1 if box.written_off or box.placed_written_off else None
        if last.exchange != number:
            return Dependents(count=box.count, write_off=write_off, is_last=False)
        under = before[-1].placed_box if before else None
        on = None if under is None else (self.place.document.property, under)
        return Dependents(count=box.count, write_off=write_off, box_before=on)

    def _slip(self, act: Act) -> slips.SlipKey:
        return slips.SlipKey(self.place.document.property, "fill" if act.kind == "fill" else "credit", act.slip)

    def _project(self, fact: Fact, at: datetime, act: Act) -> None:
        """Keep the rows of a fact, as the projector writes them."""
        match fact:
            case inventory.PitRecorded():
                self._project_event(fact, at, act)
            case inventory.PitVoided():
                self._take_away(fact)
            case inventory.TableRoundCounted():
                self._move(at, act, "round", fact.cents, fact.rounds)
            case inventory.SlipPrepared():
                slip = slips.Slip.of({**dict(fact), "cents": act.cents})
                self._known.slips[slip.key] = slip
            case inventory.SlipVoided() | inventory.CreditReceived():
                key = self._slip(act)
                self._known.slips[key] = self._known.slips[key].after(**_said(fact))
                if isinstance(fact, inventory.SlipVoided) and fact.slip == "credit" and fact.returned:
                    self._move(at, act, "credit", self._known.slips[key].cents)
            case inventory.ManualSlipEntered():
                self._move(at, act, fact.slip, act.cents if fact.slip == "fill" else -act.cents)
            case counts.CountConcluded():
                for one in fact.boxes:
                    found = {name: getattr(one, name) for name in _COUNTED}
                    self._box(one.exchange, count=fact.count, **found)
            case inventory.BoxWrittenOff():
                self._box(fact.exchange, **{"written_off" if fact.which == "removed" else "placed_written_off": True})
            case inventory.AdjustmentApproved():
                self._adjustments.append(fact)

    def _project_event(self, fact: inventory.PitRecorded, at: datetime, act: Act) -> None:
        data: Any = fact.data
        match act.what:
            case what if what in COUNTS:
                purpose = telling.PURPOSES[what]
                begins = getattr(data, "begins", None)
                begun = {} if begins is None else {"begins_day": begins.gaming_day, "begins_shift": begins.shift}
                of = {"table": NAME, "sequence": act.number, "at": at, "gaming_day": fact.gaming_day}
                said = {"shift": fact.shift, "purpose": purpose, "cents": act.cents}
                count = Count(**of, **said, contents=stacks(data.contents), **begun)
                insort(self.counts, count, key=lambda one: (one.at, one.sequence))
            case "exchanged":
                self.boxes[act.number] = Box(
                    table=NAME,
                    exchange=act.number,
                    box=data.removed_box,
                    placed_box=data.placed_box,
                    gaming_day=fact.gaming_day,
                    shift=fact.shift,
                    removed_at=at,
                    transported_at=at,
                    recorded_currency_cents=0,
                    recorded_checks_cents=0,
                )
                if (before := self._void.get(act.number)) is not None:
                    self._box(act.number, **{name: getattr(before, name) for name in _OF_A_BOX})
            case _ if fact.moved is not None:
                cause = act.kind if act.what in ("taken", "received") else act.what
                self._move(at, act, cause, fact.moved.cents)

    def _take_away(self, fact: inventory.PitVoided) -> None:
        """Take the rows of an event away, of the tables from which the projector deletes them."""
        rows = {table for model, table, _ in projector.ROWS_OF_EVENTS if isinstance(fact.data, model)}
        self.moved = [one for one in self.moved if one.number != fact.sequence]
        if t.counts in rows:
            self.counts = [one for one in self.counts if one.sequence != fact.sequence]
        if t.boxes in rows:
            self._void[fact.sequence] = self.boxes.pop(fact.sequence)

    def _move(self, at: datetime, act: Act, cause: str, cents: int, rounds: int = 0) -> None:
        insort(self.moved, Moved(at, act.number, cause, cents, rounds))

    def _box(self, exchange: int, **changes: Any) -> None:
        self.boxes[exchange] = self.boxes[exchange].model_copy(update=changes)


_COUNTED: Final = ("currency_cents", "counter_checks_cents", "coupons_cents", "figures")
_OF_A_BOX: Final = (*_COUNTED, "count", "written_off", "placed_written_off")
"""What became of a box, however its exchange is corrected."""


def _said(fact: Fact) -> dict[str, Any]:
    said = {name: value for name, value in fact if name in slips.Slip.model_fields}
    if "received_contents" in said:
        said["received_cents"] = sum(pieces.cents * pieces.count for pieces in said["received_contents"])
    return said
