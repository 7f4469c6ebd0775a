"""The pit of a simulated day: what floorpersons, dealers and security report about the tables, beside the rounds.

It is made of the rounds that the tables sent: chips are sold to whoever sits down, the cage fills a tray that runs low,
two shifts are counted, drop boxes are exchanged, vigorish is collected where a round assessed it. What a count finds is
opener, movements and rounds added up here, from the simulator's own settlements, but for one planted variance.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

from loadtest.electronic import account_money
from loadtest.floor import opening
from loadtest.game import TablePlan
from loadtest.messages import Message
from shared.contracts.pit_events import decode, encode, pit_source
from shared.rules import Settlement

SHIFTS: Final = ("day", "swing")
PAR_CENTS: Final = 100_000_00
"""What a table opens with, and what a fill brings it back to."""
LOW_CENTS: Final = 50_000_00
"""Below it, the pit requests a fill before it sells more chips."""
CREDIT_CENTS: Final = 2_000_00
"""What every third table sends back to the cage in the second shift."""
PLANTED_CENTS: Final = -100_00
"""What is missing at the shift count of the first table."""

PIT, FLOORPERSON, SHIFT_MANAGER, SECURITY = "demo.pit", "floor-101", "shift-201", "security-301"
BUY_IN_WAGERS: Final = 10
"""A player buys chips for so many of the wagers of the first round, in hundreds of dollars."""

_NOTE_CENTS: Final = 100_00
_STACKS: Final = (
    ("chip", 1_000_00), ("chip", 100_00), ("chip", 25_00), ("chip", 5_00), ("chip", 1_00),
    ("coin", 25), ("coin", 5), ("coin", 1),
)  # fmt: skip
_CARD_LIFE: Final = timedelta(hours=3, minutes=50)
"""New cards come in time for the shortest of the clocks, four hours."""
_MINUTE, _SECOND = timedelta(minutes=1), timedelta(seconds=1)


def contents(cents: int) -> list[dict[str, Any]]:
    """An amount in the fewest chips and coins."""
    found = []
    for kind, denomination in _STACKS:
        count, cents = divmod(cents, denomination)
        if count:
            found.append({"kind": kind, "cents": denomination, "count": count})
    return found


def chips(settlement: Settlement, funded: Sequence[Mapping[str, Any]] = ()) -> int:
    """The chips that a round brought into the tray, cents: neither meter awards nor electronic wagers pass it."""
    total = 0
    for line in settlement.lines:
        if line.outcome == "void":
            continue
        total += line.vigorish
        if line.seat:  # the dealer's own wager is the house's money on both sides
            total += line.stake - line.stake_returned - (line.payout - line.from_meter)
    return total - sum(one.staked - one.credited for one in account_money(settlement, funded))


@dataclass(slots=True)
class _Round:
    round_id: str
    dealer: str
    opened_at: datetime
    closed_at: datetime
    bought: tuple[int, ...]
    chips: int
    vigorish: tuple[tuple[int, bool, int], ...]
    void: bool = False

    def take_back(self) -> None:
        """Everything goes back; what players bought is theirs."""
        self.chips, self.vigorish, self.void = 0, (), True


@dataclass(frozen=True, slots=True)
class Slip:
    """A fill or a credit that the pit requests; the cage gives it its number."""

    slip: str
    table: str
    shift: str
    cents: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Box:
    """A drop box: `exchange` is the sequence of its exchange in the pit stream, `cents` the currency in it."""

    table: str
    shift: str
    exchange: int
    cents: int


@dataclass(frozen=True, slots=True)
class Report:
    """A Kafka record of a pit stream."""

    key: str
    value: bytes


@dataclass(slots=True)
class TableMoney:
    """What the win report must say of a table, cents (§ 601a.9). `rounds_win` is what its settled rounds imply."""

    opened: bool = True
    opener: int = PAR_CENTS
    fills: int = 0
    credits: int = 0
    closer: int = PAR_CENTS
    drop: int = 0
    rounds: int = 0
    rounds_win: int = 0
    waived: int = 0
    variance: int = 0

    @property
    def win(self) -> int:
        """Closer + credits + drop - opener - fills."""
        return self.closer + self.credits + self.drop - self.opener - self.fills


@dataclass(slots=True)
class Vigorish:
    """Vigorish of the day, cents."""

    assessed: int = 0
    collected: int = 0
    waived: int = 0


@dataclass(frozen=True, slots=True)
class PitDay:
    """The day of the pit: slips in the order in which they are requested, boxes, and what the books must show."""

    property: str
    gaming_day: date
    slips: tuple[Slip, ...]
    boxes: tuple[Box, ...]
    tables: Mapping[str, TableMoney]
    vigorish: Vigorish
    planted: tuple[str, int] | None
    _events: Mapping[str, Sequence["_Event"]]

    def reports(self, numbers: Mapping[Slip, int]) -> Iterator[Report]:
        """The pit streams of all tables, once the slips have their numbers."""
        for table, events in self._events.items():
            source = pit_source(self.property, table)
            for sequence, event in enumerate(events, start=1):
                data: dict[str, Any] = {
                    "property": self.property,
                    "table": table,
                    "gaming_day": self.gaming_day.isoformat(),
                }
                data |= {"shift": event.shift, **event.data}
                if event.slip is not None:
                    data["number"] = numbers[event.slip]
                document = {
                    "specversion": "1.0",
                    "id": f"{table}-pit-{sequence}",
                    "source": source,
                    "type": event.type,
                    "time": event.at.isoformat(),
                    "sequence": sequence,
                    "data": data,
                }
                yield Report(source, encode(decode(json.dumps(document).encode())))


@dataclass(frozen=True, slots=True)
class _Event:
    at: datetime
    type: str
    shift: str
    data: Mapping[str, Any]
    slip: Slip | None = None


class PitBook:
    """Looks at what tables send, and makes the day of the pit of it."""

    def __init__(self, property_name: str, plans: Sequence[TablePlan], gaming_day: date) -> None:
        self._property = property_name
        self._plans = plans
        self._gaming_day = gaming_day
        self._rounds: dict[str, dict[str, _Round]] = {plan.name: {} for plan in plans}
        self._seen: set[str] = set()

    def look(self, message: Message) -> Message:
        """Looks at a message on its way."""
        if message.books and message.round_id is not None:
            rounds = self._rounds[message.table]
            if message.kind == "void":
                rounds[message.round_id].take_back()
            else:
                data = json.loads(message.value)["data"]
                before = rounds.get(message.round_id)
                bought = self._bought(data["round"]["seats"]) if before is None else before.bought
                rounds[message.round_id] = _round(data, message.books[-1][1], bought)
        return message

    def _bought(self, seats: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
        """What those buy chips for who are at the table for the first time, cents."""
        found = []
        for seat in seats:
            player = seat.get("player")
            if player is not None and player not in self._seen:
                self._seen.add(player)
                wagered = max(BUY_IN_WAGERS * sum(seat.get("wagers", {}).values()), 1)
                found.append(-(-wagered // _NOTE_CENTS) * _NOTE_CENTS)
        return tuple(found)

    def day(self) -> PitDay:
        """The day as far as it was looked at."""
        slips: list[Slip] = []
        boxes: list[Box] = []
        events: dict[str, list[_Event]] = {}
        money: dict[str, TableMoney] = {}
        vigorish = Vigorish()
        planted: tuple[str, int] | None = None
        for number, plan in enumerate(self._plans):
            rounds = sorted(self._rounds[plan.name].values(), key=lambda one: one.closed_at)
            plant = planted is None and len(rounds) > 1
            table = _Table(plan, self._gaming_day, vigorish, sends_credit=number % 3 == 0, short=plant)
            table.play(rounds)
            events[plan.name] = sorted(table.events, key=lambda event: event.at)
            if plant:
                planted = (plan.name, 1 + _place(events[plan.name], "table.counted"))
            exchanges = [n for n, event in enumerate(events[plan.name], 1) if event.type == "box.exchanged"]
            boxes += [
                Box(plan.name, shift, exchange, cents)
                for (shift, cents), exchange in zip(table.boxes, exchanges, strict=True)
            ]
            slips += table.slips
            money[plan.name] = table.money
        slips.sort(key=lambda slip: (slip.at, slip.table, slip.slip))
        return PitDay(self._property, self._gaming_day, tuple(slips), tuple(boxes), money, vigorish, planted, events)


def _place(events: Sequence[_Event], kind: str) -> int:
    return next(number for number, event in enumerate(events) if event.type == kind)


def _round(data: Mapping[str, Any], settlement: Settlement, bought: tuple[int, ...]) -> _Round:
    vigorish: dict[tuple[int, bool], int] = {}
    for line in settlement.lines:
        if line.vigorish:
            key = (line.seat, line.wager == "bank")
            vigorish[key] = vigorish.get(key, 0) + line.vigorish
    return _Round(
        round_id=data["round_id"],
        dealer=data["dealer_id"],
        opened_at=datetime.fromisoformat(data["opened_at"]),
        closed_at=datetime.fromisoformat(data["closed_at"]),
        bought=bought,
        chips=chips(settlement, data.get("account_funded", ())),
        vigorish=tuple((seat, bank, cents) for (seat, bank), cents in vigorish.items()),
    )


@dataclass(slots=True)
class _Table:
    """One table from its opener to its closer."""

    plan: TablePlan
    gaming_day: date
    vigorish: Vigorish
    sends_credit: bool
    short: bool
    events: list[_Event] = field(default_factory=list)
    slips: list[Slip] = field(default_factory=list)
    boxes: list[tuple[str, int]] = field(default_factory=list)
    money: TableMoney = field(default_factory=TableMoney)
    _held: int = PAR_CENTS
    _box: int = 0
    _shift: str = SHIFTS[0]
    _new_cards_at: datetime | None = None

    def play(self, rounds: Sequence[_Round]) -> None:
        """What is reported around the rounds, which are in the order of time."""
        begin = opening(self.gaming_day)
        if not rounds:
            people: dict[str, Any] = {"recorded_by": FLOORPERSON, "checked_by": SHIFT_MANAGER}
            self._report(begin, "table.carried", contents=contents(PAR_CENTS), **people)
            self.money.opened = False
            return
        self._open(begin, rounds)
        low_at = rounds[0].opened_at - 5 * _SECOND
        for number, one in enumerate(rounds, start=1):
            if self._new_cards_at is not None and one.opened_at >= self._new_cards_at:
                self._change_cards(low_at)
            self._sell(one, low_at)
            self._collect(one)
            self._held += one.chips
            self.money.rounds += not one.void
            self.money.rounds_win += one.chips
            low_at = one.closed_at + 4 * _SECOND
            if number == len(rounds) // 2:
                self._change_shift(one)
        self._close(rounds[-1])

    def _open(self, begin: datetime, rounds: Sequence[_Round]) -> None:
        plan = self.plan
        reader, dice = plan.kind.code == "BJ" and not self._from_hand, plan.kind.code == "PG"
        self._report(
            begin - 15 * _MINUTE,
            "table.opened",
            contents=contents(PAR_CENTS),
            dealer=rounds[0].dealer,
            floorperson=FLOORPERSON,
            game=plan.game,
            regulation=plan.regulation,
            card_reader=reader,
            dice=dice,
        )
        at = begin - 14 * _MINUTE
        if reader:
            self._report(at, "card_reader.inspected", passed=True, inspected_by=FLOORPERSON)
        if dice:
            self._report(at, "dice.changed", changed_by=FLOORPERSON)
        self._change_cards(at)

    def _change_cards(self, at: datetime) -> None:
        self._report(
            at,
            "cards.changed",
            regulation=self.plan.regulation,
            dealing="hand" if self._from_hand else "shoe",
            decks=self.plan.submission.decks or 1,
            counting_shuffler=True,
            changed_by=FLOORPERSON,
        )
        self._new_cards_at = at + _CARD_LIFE

    @property
    def _from_hand(self) -> bool:
        return self.plan.submission.options.get("dealt_from_hand") is True

    def _sell(self, one: _Round, low_at: datetime) -> None:
        wanted = sum(one.bought)
        if self._held - wanted < LOW_CENTS:
            self._fill(low_at, one.dealer)
        for cents in one.bought:
            self._report(one.opened_at - _SECOND, "chips.sold", instrument="currency", cents=cents, dealer=one.dealer)
        self._held -= wanted
        self._box += wanted

    def _fill(self, at: datetime, dealer: str) -> None:
        cents = -(-(PAR_CENTS - self._held) // CREDIT_CENTS) * CREDIT_CENTS
        slip = self._slip("fill", at, cents)
        self._report(at, "fill.carried", slip=slip, carried_by=SECURITY)
        people: dict[str, Any] = {"received_by": dealer, "observed_by": FLOORPERSON}
        self._report(at + _SECOND, "fill.received", slip=slip, contents=contents(cents), **people)
        self._held += cents
        self.money.fills += cents

    def _credit(self, at: datetime, dealer: str) -> None:
        slip = self._slip("credit", at, CREDIT_CENTS)
        people: dict[str, Any] = {"surrendered_by": dealer, "observed_by": FLOORPERSON, "carried_by": SECURITY}
        self._report(at, "credit.carried", slip=slip, **people)
        self._held -= CREDIT_CENTS
        self.money.credits += CREDIT_CENTS

    def _slip(self, kind: str, at: datetime, cents: int) -> Slip:
        slip = Slip(kind, self.plan.name, self._shift, cents, at)
        self.slips.append(slip)
        return slip

    def _collect(self, one: _Round) -> None:
        for seat, bank, cents in one.vigorish:
            what: dict[str, Any] = {
                "round_id": one.round_id,
                "seat": seat,
                "dealer_id": one.dealer,
                "cents": cents,
                "bank": bank,
            }
            self.vigorish.assessed += cents
            if self.vigorish.waived:
                self.vigorish.collected += cents
                self._report(one.closed_at, "vigorish.collected", **what, by=one.dealer)
            else:  # the first of the day, so that there is one
                self.vigorish.waived += cents
                self.money.waived += cents
                self._held -= cents
                reason = "announced wrongly by the dealer; the floorperson waived it"
                self._report(one.closed_at, "vigorish.waived", **what, by=FLOORPERSON, reason=reason)

    def _change_shift(self, one: _Round) -> None:
        self._exchange_box(one.closed_at + _SECOND, placed=f"{self.plan.name}-2")
        if self.short:
            self._held += PLANTED_CENTS
            self.money.variance = PLANTED_CENTS
        begins = {"gaming_day": self.gaming_day.isoformat(), "shift": SHIFTS[1]}
        people: dict[str, Any] = {"dealer": one.dealer, "floorperson": FLOORPERSON}
        counted = contents(self._held)
        self._report(
            one.closed_at + 2 * _SECOND, "table.counted", contents=counted, purpose="shift", begins=begins, **people
        )
        self._shift = SHIFTS[1]
        if self.sends_credit:
            self._credit(one.closed_at + 3 * _SECOND, one.dealer)

    def _close(self, last: _Round) -> None:
        at = last.closed_at + 10 * _SECOND
        self._exchange_box(at, placed=None)
        people: dict[str, Any] = {"dealer": last.dealer, "floorperson": FLOORPERSON}
        self._report(at + _MINUTE, "table.closed", contents=contents(self._held), **people)
        self.money.closer = self._held

    def _exchange_box(self, at: datetime, *, placed: str | None) -> None:
        removed = f"{self.plan.name}-{len(self.boxes) + 1}"
        boxes: dict[str, Any] = {"removed_box": removed} | ({} if placed is None else {"placed_box": placed})
        self._report(at, "box.exchanged", **boxes, removed_by=SECURITY, witnessed_by=FLOORPERSON)
        people: dict[str, Any] = {"carried_by": SECURITY, "received_by": "demo.counter"}
        self._report(at + 2 * _MINUTE, "box.transported", box=removed, **people)
        self.boxes.append((self._shift, self._box))
        self.money.drop += self._box
        self._box = 0

    def _report(self, at: datetime, kind: str, *, slip: Slip | None = None, **data: Any) -> None:
        self.events.append(_Event(at, kind, self._shift, data, slip))
