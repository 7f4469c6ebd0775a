"""The pit of a simulated day: what floorpersons, dealers and security report about the tables, besides rounds.

The pit's day is derived from the rounds that the tables sent: new players buy chips for currency and counter checks,
the cage fills a low tray, two shifts are counted, drop boxes are exchanged, coupons dropped, tips collected, and
assessed vigorish collected. A count equals the opener plus movements and the results of rounds by the simulator's own
settlements, except for one planted variance and the losses by an overpaying dealer. Also planted, if the pit has
suitable tables: a fill on paper, waived and returned vigorish, and cards that are changed too late.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from loadtest.floor.counted_tables import CountedDay, CountedPlan
from loadtest.floor.electronic import account_money
from loadtest.floor.game import TablePlan
from loadtest.floor.messages import Message
from loadtest.floor.pit_items import (
    PAR_CENTS,
    Box,
    Counted,
    IssuedCheck,
    Overpaying,
    PaperFill,
    PitEvent,
    RoundInPit,
    Slip,
    TableMoney,
    Vigorish,
    dealt_from_hand,
)
from loadtest.floor.pit_table import TableDay
from loadtest.floor.poker_tables import PokerDay, PokerPlan
from shared.contracts.envelope import Event, encode, pit_source
from shared.contracts.pit import EVENTS, PitReader
from shared.contracts.topics import PIT_EVENTS
from shared.rules import Settlement

BUY_IN_WAGERS: Final = 10
"""The buy-in of a new player as a multiple of the wagers of the first round, rounded up to hundreds of dollars."""

_READER: Final = PitReader(PIT_EVENTS, *EVENTS)
_NOTE_CENTS: Final = 100_00


def chips(settlement: Settlement, funded: Sequence[Mapping[str, Any]] = ()) -> int:
    """Return the chips that a round added to the tray, in cents, without meter awards and electronic wagers."""
    total = 0
    for line in settlement.lines:
        if line.outcome == "void":
            continue
        total += line.vigorish
        if line.seat:  # the dealer's own wager is house money, whether it wins or loses
            total += line.stake - line.stake_returned - (line.payout - line.from_meter)
    return total - sum(one.staked - one.credited for one in account_money(settlement, funded))


@dataclass(frozen=True, slots=True)
class Report:
    """A record of a pit stream to be sent to Kafka."""

    key: str
    value: bytes


@dataclass(frozen=True, slots=True)
class PitDay:
    """The pit's day: slips in the order of their requests, boxes, and the expected books.

    `planted` is the table of the planted variance, and the sequence of its count. `late_cards` are the tables with
    overdue cards. `counts` lists each table's counts after its opener. `poker` is the time collection by poker table,
    in cents; poker tables are not in `tables`, because they have no win.
    """

    property: str
    gaming_day: date
    slips: tuple[Slip, ...]
    paper: tuple[PaperFill, ...]
    boxes: tuple[Box, ...]
    tables: Mapping[str, TableMoney]
    vigorish: Vigorish
    planted: tuple[str, int] | None
    late_cards: tuple[str, ...]
    counts: Mapping[str, Sequence[Counted]]
    poker: Mapping[str, int]
    _events: Mapping[str, Sequence[PitEvent]]

    def issued_checks(self) -> list[IssuedCheck]:
        """Return the counter checks that the tables issued, ordered by table and box."""
        return [
            IssuedCheck(box.table, serial, cents) for box in self.boxes for serial, cents in box.dropped.checks.items()
        ]

    def reports(self, numbers: Mapping[Slip, int]) -> Iterator[Report]:
        """Yield the records of all pit streams; `numbers` maps each slip to its number."""
        for event in self.events(numbers):
            yield Report(event.source, encode(event))

    def events(self, numbers: Mapping[Slip, int], sent: Mapping[str, int] | None = None) -> Iterator[Event[Any]]:
        """Yield each table's pit events in order; `sent` is the number of events by table sent before the day."""
        for table, events in self._events.items():
            source = pit_source(self.property, table)
            first = 1 + (sent or {}).get(table, 0)
            for sequence, event in enumerate(events, start=first):
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
                yield _READER.decode(json.dumps(document).encode())


def bought_by(seats: Sequence[Mapping[str, Any]], seen: set[str]) -> tuple[int, ...]:
    """Return the buy-ins, in cents, of players who are not in `seen` yet, and add these players to `seen`."""
    found = []
    for seat in seats:
        player = seat.get("player")
        if player is not None and player not in seen:
            seen.add(player)
            wagered = max(BUY_IN_WAGERS * sum(seat.get("wagers", {}).values()), 1)
            found.append(-(-wagered // _NOTE_CENTS) * _NOTE_CENTS)
    return tuple(found)


class PitBook:
    """Collects the tables' rounds, and derives the pit's day from them."""

    def __init__(
        self,
        property_name: str,
        plans: Sequence[TablePlan],
        gaming_day: date,
        *,
        overpaying: Overpaying | None = None,
        openers: Mapping[str, int] | None = None,
        counted: Sequence[CountedPlan] = (),
        poker: Sequence[PokerPlan] = (),
    ) -> None:
        """Start a day. `openers` are the opening inventories that differ from the default, in cents by table.

        `counted` and `poker` are further tables, in addition to `plans`; they report no rounds.
        """
        self._counted = counted
        self._poker = poker
        self._property = property_name
        self._openers = openers or {}
        self._overpaying = overpaying
        self._plans = plans
        self._gaming_day = gaming_day
        self._rounds: dict[str, dict[str, RoundInPit]] = {plan.name: {} for plan in plans}
        self._seen: set[str] = set()

    def look(self, message: Message) -> Message:
        """Collect, correct or void the round that a message reports; return the message unchanged."""
        if message.books and message.round_id is not None:
            rounds = self._rounds[message.table]
            if message.kind == "void":
                rounds[message.round_id].take_back()
            else:
                data = json.loads(message.value)["data"]
                before = rounds.get(message.round_id)
                bought = bought_by(data["round"]["seats"], self._seen) if before is None else before.bought
                rounds[message.round_id] = round_in_pit(data, message.books[-1][1], bought)
        return message

    def add(self, table: str, one: RoundInPit) -> None:
        """Collect a round directly, without a message."""
        self._rounds[table][one.round_id] = one

    def closed_at(self, table: str) -> list[datetime]:
        """Return the closing times of a table's rounds that were not voided; empty if the table reports no rounds."""
        return [one.closed_at for one in self._rounds.get(table, {}).values() if not one.void]

    def handle_cents(self, table: str, seat: int, spans: Iterable[tuple[datetime, datetime]]) -> int:
        """Return a seat's handle in cents, from rounds in force that closed within one of the time spans."""
        rounds = [one for one in self._rounds.get(table, {}).values() if not one.void]
        listed = list(spans)
        return sum(
            one.handle.get(seat, 0) for one in rounds if any(begins < one.closed_at <= ends for begins, ends in listed)
        )

    def day(self) -> PitDay:
        """Return the pit's day for the rounds collected so far."""
        slips: list[Slip] = []
        paper: list[PaperFill] = []
        boxes: list[Box] = []
        events: dict[str, list[PitEvent]] = {}
        money: dict[str, TableMoney] = {}
        counts: dict[str, Sequence[Counted]] = {}
        vigorish = Vigorish()
        planted: tuple[str, int] | None = None
        late_cards: list[str] = []
        for number, plan in enumerate(self._plans):
            rounds = sorted(self._rounds[plan.name].values(), key=lambda one: one.closed_at)
            plant = planted is None and len(rounds) > 1
            forgets = not late_cards and dealt_from_hand(plan) and bool(rounds)
            if forgets:
                late_cards.append(plan.name)
            table = TableDay(
                plan,
                self._gaming_day,
                vigorish,
                sends_credit=number % 3 == 0,
                on_paper=number == 1,
                short=plant,
                forgets_cards=forgets,
                overpaying=self._overpaying,
                opener_cents=self._openers.get(plan.name, PAR_CENTS),
            )
            table.play(rounds)
            events[plan.name] = _in_order(table)
            if plant:
                planted = (plan.name, 1 + _place(events[plan.name], "table.counted"))
            boxes += _boxes(plan.name, table, events[plan.name])
            slips += table.slips
            paper += table.paper
            money[plan.name] = table.money
            counts[plan.name] = table.counts
        for counted in self._counted:
            day = CountedDay(counted, self._gaming_day)
            day.play()
            events[counted.name] = _in_order(day)
            boxes += _boxes(counted.name, day, events[counted.name])
            slips += day.slips
            money[counted.name] = day.money
            counts[counted.name] = day.counts
        poker: dict[str, int] = {}
        for plan_of_poker in self._poker:
            poker_day = PokerDay(plan_of_poker, self._gaming_day)
            poker_day.play()
            events[plan_of_poker.name] = _in_order(poker_day)
            boxes += _boxes(plan_of_poker.name, poker_day, events[plan_of_poker.name])
            poker[plan_of_poker.name] = poker_day.time_cents
        slips.sort(key=lambda slip: (slip.at, slip.table, slip.slip))
        return PitDay(
            property=self._property,
            gaming_day=self._gaming_day,
            slips=tuple(slips),
            paper=tuple(paper),
            boxes=tuple(boxes),
            tables=money,
            vigorish=vigorish,
            planted=planted,
            late_cards=tuple(late_cards),
            counts=counts,
            poker=poker,
            _events=events,
        )


def _in_order(table: TableDay | CountedDay | PokerDay) -> list[PitEvent]:
    return sorted(table.events, key=lambda event: event.at)


def _boxes(name: str, table: TableDay | CountedDay | PokerDay, events: Sequence[PitEvent]) -> list[Box]:
    """Return the boxes of a table, with the sequences of their exchanges in its day's events."""
    exchanges = [number for number, event in enumerate(events, 1) if event.type == "box.exchanged"]
    return [
        Box(name, shift, exchange, dropped) for (shift, dropped), exchange in zip(table.boxes, exchanges, strict=True)
    ]


def _place(events: Sequence[PitEvent], kind: str) -> int:
    return next(number for number, event in enumerate(events) if event.type == kind)


def round_in_pit(data: Mapping[str, Any], settlement: Settlement, bought: tuple[int, ...]) -> RoundInPit:
    """Return the pit's view of a reported round; `bought` are the buy-ins before the round, in cents."""
    vigorish: dict[tuple[int, bool], int] = {}
    for line in settlement.lines:
        if line.vigorish:
            key = (line.seat, line.wager == "bank")
            vigorish[key] = vigorish.get(key, 0) + line.vigorish
    players = [line for line in settlement.lines if line.seat and line.paid_by == "house" and line.wager != "bank"]
    largest = max(players, key=lambda line: line.stake, default=None)
    handle: dict[int, int] = {}
    for line in players:
        if line.outcome != "void":
            handle[line.seat] = handle.get(line.seat, 0) + line.stake
    return RoundInPit(
        round_id=data["round_id"],
        dealer=data["dealer_id"],
        opened_at=datetime.fromisoformat(data["opened_at"]),
        closed_at=datetime.fromisoformat(data["closed_at"]),
        bought=bought,
        chips=chips(settlement, data.get("account_funded", ())),
        vigorish=tuple((seat, bank, cents) for (seat, bank), cents in vigorish.items()),
        largest=None if largest is None else (largest.seat, largest.outcome == "win"),
        handle=handle,
    )
