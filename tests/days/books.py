"""Table inventory without its database: acts become events, facts, rows in memory, marks, and stated wins.

Everything that decides is the service's: what it decodes, records, touches, and makes of marks and boxes. Only what
PostgreSQL does is done here: to keep rows, and to give those of a time.
"""

from bisect import bisect_right, insort
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, ClassVar, Final, NamedTuple

from services.table_inventory import projections
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
from shared.rules.errors import Refused
from shared.runtime.ingest.pit_events import PitPlace
from tests.days import telling
from tests.days.acts import CHANGES, COUNTS, TABLES, Act
from tests.days.difference import Difference
from tests.days.meter import Meter, Metered
from tests.support.pit import Rounds, Table
from tests.support.rounds import encoded

Shift = tuple[date, str]
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
    def of(cls, table: str, shift: str) -> "Standing":
        """Return what is stated of a shift of which nothing was stated."""
        return cls(stated.Stated(table=table, shift=shift))

    def take(self, fact: WinStated) -> None:
        """Add the next revision. Raises: Difference where revisions, changes and figures do not fit."""
        if fact.revision != self.last.revision + 1:
            raise Difference(f"revision {fact.revision} after {self.last.revision}")
        self.sums += fact.changes
        self.missing = (self.missing - set(fact.found)) | set(fact.missing)
        if self.sums != fact.figures:
            raise Difference(f"changes add up to {self.sums}, figures are {fact.figures}")
        if self.missing != set(fact.missing):
            raise Difference(f"missing less found: {self.missing}, missing: {fact.missing}")
        self.last = stated.Stated.model_validate(fact.model_dump(include=set(stated.Stated.model_fields)))


@dataclass
class OfTable:
    """What is kept of one table, and stated of it. `known` is of the property: its slips are."""

    table: str
    place: PropertySnapshot
    provisions: Provisions
    known: pit.Known
    counts: list[Count] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    boxes: dict[int, Box] = field(default_factory=dict)
    standing: dict[Shift, Standing] = field(default_factory=dict)
    touched: set[date] = field(default_factory=set)
    revisions: int = 0
    _adjustments: list[inventory.AdjustmentEntered] = field(default_factory=list)
    _void: dict[int, Box] = field(default_factory=dict)
    _doubtful: set[date] = field(default_factory=set)
    _running: date | None = None

    def state(self, now: datetime) -> list[WinStated]:
        """State what is other than was stated of it, as `Stating` does: of what was touched, or ended meanwhile."""
        waiting = deque([*sorted(self.touched), *self._ended(now), *sorted(self._doubtful)])
        self.touched.clear()
        found: dict[tuple[date, str], WinStated] = {}
        looked_at: set[date] = set()
        while waiting:
            day = waiting.popleft()
            if day in looked_at:
                continue
            looked_at.add(day)
            facts, later = self._around(day, now)
            waiting += [*self._others(day), *later]
            for fact in facts:
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

    def unlike_stated(self, day: date, now: datetime) -> Iterator[str]:
        """Return in words where a gaming day is read otherwise than it is stated: it could not be sealed."""
        wins = {self.table: self.wins(day, now)}
        for fact in stated.unstated_of(self.place, self._key(day), wins, self._last(day)):
            yield f"{day} {fact.shift}: read as {fact.figures} {fact.missing}, and not stated so"

    def sessions(self, first: date, last: date, now: datetime) -> Sessions:
        """Return the sessions from one gaming day to another."""
        if not (self.counts or self.moved):
            return nothing_of(self.table)
        return sessions_of(self.place, self.marks(first, last), now)

    def marks(self, first: date, last: date) -> list[Mark]:
        """Return the marks from one gaming day to another, beginning where the statement of the service begins."""
        asked = Span(self.place, first, last).asked(self.place.document.property, self.table)
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
            found.append(Mark(table=self.table, at=at, count=count, moves=moves))
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
        asked = Span(self.place, first, last).asked(self.place.document.property, self.table)
        listed = sorted(self.boxes.values(), key=_in_order)
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

    def _around(self, day: date, now: datetime) -> tuple[list[WinStated], list[date]]:
        first, last = day - _DAY, day + _DAY
        found, boxes = self.sessions(first, last, now), self.boxes_between(first, last)
        self._doubtful.discard(day)
        if any(count.gaming_day == day for count in found.repeated):
            self._doubtful.add(day)
        facts: list[WinStated] = []
        for one in (first, day, last):
            wins = self._wins(one, found, boxes)
            facts += stated.unstated_of(self.place, self._key(one), {self.table: wins}, self._last(one))
        return facts, [last] if stated.goes_on(self.place, last, wins) else []

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
            for slip in self.known.slips.values()
            if (slip.table, slip.gaming_day) == (self.table, day)
            and slip.received_at is None
            and slip.voided_at is None
        ]
        return win.shift_wins(self.provisions, day, found, boxes, adjusted, on_their_way)

    def _key(self, day: date) -> days.DayKey:
        return days.DayKey(self.place.document.property, day)

    def _last(self, day: date) -> list[stated.Stated]:
        return [one.last for (of, _), one in self.standing.items() if of == day]

    def _standing(self, key: tuple[date, str]) -> Standing:
        return self.standing.setdefault(key, Standing.of(self.table, key[1]))

    def project(self, fact: Fact, at: datetime, act: Act) -> None:
        """Keep the rows of a fact, as the projector writes them."""
        match fact:
            case inventory.PitRecorded():
                self._project_event(fact, at, act)
            case inventory.PitVoided():
                self._take_away(fact)
            case inventory.TableRoundCounted():
                self._move(at, act, "round", fact.cents, fact.rounds)
            case inventory.SlipVoided(slip="credit") if fact.returned:
                self._move(at, act, "credit", sum(pieces.cents * pieces.count for pieces in fact.returned))
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
                of = {"table": self.table, "sequence": act.number, "at": at, "gaming_day": fact.gaming_day}
                said = {"shift": fact.shift, "purpose": purpose, "cents": act.cents}
                count = Count(**of, **said, contents=stacks(data.contents), **begun)
                insort(self.counts, count, key=lambda one: (one.at, one.sequence))
            case "exchanged":
                self.boxes[act.number] = Box(
                    table=self.table,
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
        rows = {table for model, table, _ in projections.pit.ROWS_OF_EVENTS if isinstance(fact.data, model)}
        self.moved = [one for one in self.moved if one.number != fact.sequence]
        if t.counts in rows:
            self.counts = [one for one in self.counts if one.sequence != fact.sequence]
        if t.boxes in rows:
            self._void[fact.sequence] = self.boxes.pop(fact.sequence)

    def _move(self, at: datetime, act: Act, cause: str, cents: int, rounds: int = 0) -> None:
        insort(self.moved, Moved(at, act.number, cause, cents, rounds))

    def _box(self, exchange: int, **changes: Any) -> None:
        self.boxes[exchange] = self.boxes[exchange].model_copy(update=changes)


@dataclass
class Books:
    """The ledger of a property: what its tables share, and what is kept of each."""

    resolves: ClassVar[bool] = False

    place: PropertySnapshot
    provisions: Provisions
    tables: dict[str, OfTable] = field(default_factory=dict)
    _taken: set[int] = field(default_factory=set)
    _expected: defaultdict[tuple[str, bool], set[int]] = field(default_factory=lambda: defaultdict(set))
    _closed_at: dict[RoundKey, datetime] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._known = pit.Known(lambda *_: self.place)
        self._rounds, self._meter = Rounds(), Meter(self.place)
        for table in TABLES:
            self.tables[table] = OfTable(table, self.place, self.provisions, self._known)
            self._known.books[pit.TableKey(self._property, table)] = pit.Books()
        self._streams = {table: Table(table, property_name=self._property) for table in TABLES}

    @property
    def _property(self) -> str:
        return self.place.document.property

    @property
    def standing(self) -> dict[str, dict[Shift, Standing]]:
        """Return what is stated of each shift, by table."""
        return {name: table.standing for name, table in self.tables.items()}

    @property
    def revisions(self) -> int:
        """Return how often something was stated."""
        return sum(table.revisions for table in self.tables.values())

    def expect(self, act: Act) -> None:
        """Note that the pit, or what a desk has approved, will tell of an act."""
        if act.behind or telling.is_event(act):
            self._expected[act.table, bool(act.behind)].add(act.number)

    def take(self, act: Act) -> bool:
        """Record an act, once, and return that it was accepted. Raises: Refused."""
        if act.number in self._taken:
            return True  # the place in its stream is taken
        recordings = () if act.what == "accepted" else self._recorded(act)
        if act.what == "accepted":
            self._meter.accept(act)
        self._taken.add(act.number)
        for one in recordings:
            at, happened = one.occurred_at or act.at, act.happened() or act
            self._project_slip(one.fact, happened)
            self.tables[act.table].project(one.fact, at, happened)
            for _, table, day in projections.gaming_days.touched(one.fact):
                self.tables[table].touched.add(day)
        return True

    def refusal(self, act: Act) -> str | None:
        """Return why an act is refused, and dismiss its record; None where it is taken."""
        try:
            self.take(act)
        except Refused as refused:
            self._expected[act.table, False].discard(act.number)
            return str(refused)
        return None

    def state(self, now: datetime) -> None:
        """State what is due of each table."""
        for table in self.tables.values():
            table.state(now)

    def variances(self, table: str, day: date, now: datetime) -> dict[str, int]:
        """Return the variance of the inventory that is read of each shift of a table on a gaming day."""
        return {one.shift or "": one.inventory_variance_cents for one in self.tables[table].wins(day, now)}

    def unlike_stated(self, table: str, day: date, now: datetime) -> Iterator[str]:
        """Return in words where a gaming day of a table is read otherwise than it is stated: it could not be sealed."""
        return self.tables[table].unlike_stated(day, now)

    def metered(self, day: date) -> Metered:
        """Return what is said of the meter on a gaming day."""
        return self._meter.metered(day)

    def left(self, day: date, now: datetime, excused: Collection[str] = ()) -> list[str]:
        """Return what keeps a gaming day that is over from being closed, in words."""
        wins = {name: found for name, table in self.tables.items() if (found := table.wins(day, now))}
        not_told = [
            f"event {number} of {table} is missing"
            for (table, _), stream in self._expected.items()
            for number in stream - self._taken
            if number < max(stream & self._taken, default=0)
        ]
        counted = [
            f"{table} cannot be excused"
            for table in excused
            if self.tables[table].sessions(day, day, now).happened_on(self.place, day)
        ]
        return [*not_told, *counted, *days.incomplete(self.place, day, wins, excused)]

    def _recorded(self, act: Act) -> tuple[FactWithPostings, ...]:
        """Return what is recorded of an act."""
        if act.what in ("round", "taken_back"):
            event = encoded(telling.settlement_of(act, self._streams[act.table], self._rounds))
            if act.wagered:
                self._meter.take(event, act)
            read = Settlements.reader.decode(event)
            return (pit.count_round(read.data, self._closed_at),)
        if act.what in CHANGES or telling.is_event(act):
            said = PitEvents.reader.decode(
                encoded(telling.written(act, self._streams[act.table], lambda number: number))
            )
            if act.behind:
                said = DeskChange(**dict(said) | {"sequence": act.behind, "desk": act.number})
            if act.what in CHANGES:
                self._known.dependents = {PitPlace(said.source, act.of): self._dependents(act)}
            self._known.boxes = self._boxes_on_tables()
            return changing.of_event(said, self._known)
        slip = self._known.slips.get(self._slip(act)) if act.slip else None
        fact = telling.command_of(act, self._property, slip, self.tables[act.table].boxes.get(act.of))
        return (FactWithPostings(fact=fact, occurred_at=act.at),)

    def _boxes_on_tables(self) -> dict[pit.BoxName, set[str]]:
        """Return the table of each box, as the last exchanges of the tables say."""
        found: dict[pit.BoxName, set[str]] = {}
        for name, table in self.tables.items():
            if table.boxes and (placed := max(table.boxes.values(), key=_in_order).placed_box) is not None:
                found.setdefault((self._property, placed), set()).add(name)
        return found

    def _dependents(self, change: Act) -> Dependents:
        """Return what was done since about the box that an exchange took off."""
        boxes, number = self.tables[change.table].boxes, change.of
        box = boxes.get(number)
        if box is None:
            return Dependents()
        *before, last = sorted(boxes.values(), key=_in_order)
        write_off = 1 if box.written_off or box.placed_written_off else None
        if last.exchange != number:
            return Dependents(count=box.count, write_off=write_off, is_last=False)
        under = before[-1].placed_box if before else None
        on = None if under is None else (self._property, under)
        return Dependents(count=box.count, write_off=write_off, box_before=on)

    def _slip(self, act: Act) -> slips.SlipKey:
        return slips.SlipKey(self._property, "fill" if act.kind == "fill" else "credit", act.slip)

    def _project_slip(self, fact: Fact, act: Act) -> None:
        match fact:
            case inventory.SlipPrepared():
                slip = slips.Slip.of({**dict(fact), "cents": act.cents})
                self._known.slips[slip.key] = slip
            case inventory.SlipVoided() | inventory.CreditReceived():
                key = self._slip(act)
                self._known.slips[key] = self._known.slips[key].after(**_said(fact))


_COUNTED: Final = ("currency_cents", "counter_checks_cents", "coupons_cents", "figures")
_OF_A_BOX: Final = (*_COUNTED, "count", "written_off", "placed_written_off")
"""What became of a box, however its exchange is corrected."""


def _in_order(box: Box) -> tuple[datetime, int]:
    return box.removed_at, box.exchange


def _said(fact: Fact) -> dict[str, Any]:
    said = {name: value for name, value in fact if name in slips.Slip.model_fields}
    if "received_contents" in said:
        said["received_cents"] = sum(pieces.cents * pieces.count for pieces in said["received_contents"])
    return said
