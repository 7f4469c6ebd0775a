"""The facts that table inventory publishes for a simulated day of the pit, exact to the cent."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256
from operator import itemgetter
from typing import Any, Final

from loadtest.floor.pit import PitDay
from loadtest.floor.pit_items import Box, PaperFill, Slip, contents
from loadtest.floor.pit_table import CAGE, COUPON_CENTS, FLOORPERSON, PAPER_NUMBER, PIT, PLANTED_CENTS, SECURITY, SHIFTS
from loadtest.traffic.casino import Casino
from loadtest.traffic.journal import DESK, SEALS, WINS, Journal, Published
from loadtest.traffic.stated_facts import stated_wins
from shared.contracts import counts, inventory, pit
from shared.contracts.cage import CheckRedeemed
from shared.contracts.chips import Pieces, value_of
from shared.contracts.envelope import Event, canonical
from shared.contracts.facts import Fact
from shared.contracts.topics import INVENTORY
from shared.contracts.win import WinStated

COUNTER, VERIFIER, CASHIER = "demo.counter", "demo.verifier", "demo.cashier"
ACCOUNTANT, AUDITOR, CONTROLLER = "demo.accountant", "demo.revenue_auditor", "demo.controller"

_MINUTE: Final = timedelta(minutes=1)
_STATED: Final = timedelta(seconds=1)
"""The delay between a fact that changes a win and the statement of that win."""
_NOTE_CENTS: Final = 100_00
_KEPT: Final = 20
"""Every `_KEPT`th counter check is not redeemed."""


@dataclass(frozen=True, slots=True)
class NumberedDay:
    """A day of the pit with numbered slips. `sent` is the number of events that each table had sent before the day.

    `events` are the events of the day's tables, in order of time.
    """

    day: PitDay
    slips: Mapping[Slip, int]
    sent: Mapping[str, int]
    events: Sequence[Event[Any]]


class InventoryFacts:
    """Derives the facts of a casino's table inventory, day by day, with continuous sequences and numbers."""

    def __init__(self, where: Casino) -> None:
        """Initialize without facts."""
        assert INVENTORY.publisher is not None
        self._journal = Journal(INVENTORY.publisher)
        self._shard = {plan.name: number % DESK for number, plan in enumerate(where.plans)}
        self._sent: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()
        self._requests = 0
        self._papers = PAPER_NUMBER - 1
        self._counts = 0
        self._steps = 0

    def numbered(self, day: PitDay) -> NumberedDay:
        """Assign numbers to the slips of the next day, and sequences to its tables' events."""
        slips: dict[Slip, int] = {}
        for slip in day.slips:
            self._numbers[slip.slip] += 1
            slips[slip] = self._numbers[slip.slip]
        sent = dict(self._sent)
        events = list(day.events(slips, sent))
        self._sent.update(event.data.table for event in events)
        return NumberedDay(day, slips, sent, sorted(events, key=lambda event: event.time))

    def of_tables(self, numbered: NumberedDay, events: Iterable[Event[Any]]) -> Iterator[Published]:
        """Yield the facts of the day's pit events."""
        cents = {(slip.slip, number): slip.cents for slip, number in numbered.slips.items()}
        for event in events:
            fact = _recorded(event, cents)
            yield self._journal.entry(self._shard[fact.table], fact, event.time, source=event.source)

    def at_desks(self, numbered: NumberedDay, ends_at: datetime) -> Iterator[Published]:
        """Yield the facts of people's work on a day that ends at `ends_at`, up to the resolution of its variance."""
        said = [one for slip, number in numbered.slips.items() for one in self._slip(numbered.day, slip, number)]
        for at, fact in sorted(said, key=itemgetter(0)):
            yield self._journal.at_desk(fact, at)
        for paper in numbered.day.paper:
            yield self._enter(numbered.day, paper, ends_at)
        closed, counted = stated_wins(numbered.day, numbered.events, numbered.slips)
        yield from self._state(closed, ends_at)
        yield from self._redeem(numbered.day, ends_at + 10 * _MINUTE)
        yield from self._count(numbered, ends_at + 30 * _MINUTE)
        yield from self._state(counted, ends_at + 60 * _MINUTE + _STATED)
        yield from self._resolve(numbered, ends_at + 90 * _MINUTE)

    def seal(self, day: PitDay, at: datetime) -> Iterator[Published]:
        """Yield the facts by which three people close and seal a day; the seal is at `at`."""
        of_day: dict[str, Any] = {"property": day.property, "gaming_day": day.gaming_day}
        report = {
            "tables": [{"table": table, "final_win_cents": money.win} for table, money in day.tables.items()],
            "total": {"final_win_cents": sum(money.win for money in day.tables.values())},
        }
        digest = sha256(canonical(report)).hexdigest()
        first, second = at - 20 * _MINUTE, at - 10 * _MINUTE
        steps: tuple[tuple[datetime, inventory.DayClosed], ...] = (
            (first, inventory.DayPreliminary(**of_day, preliminary_by=ACCOUNTANT, preliminary_at=first)),
            (second, inventory.DayAudited(**of_day, audited_by=AUDITOR, audited_at=second)),
            (at, inventory.DayFinal(**of_day, final_by=CONTROLLER, final_at=at, hash=digest, report=report)),
        )
        for moment, fact in steps:
            yield self._journal.at_desk(fact, moment, shard_number=SEALS)

    def _state(self, wins: Iterable[WinStated], at: datetime) -> Iterator[Published]:
        for win in wins:
            yield self._journal.entry(WINS, win, at)

    def _slip(self, day: PitDay, slip: Slip, number: int) -> Iterator[tuple[datetime, Fact]]:
        """Yield the steps that people take for a slip, each with its time."""
        self._requests += 1
        asked_at, prepared_at, received_at = slip.at - 3 * _MINUTE, slip.at - 2 * _MINUTE, slip.at + 5 * _MINUTE
        asked = _of_slip(day, slip) | {"request": self._requests, "requested_by": PIT, "requested_at": asked_at}
        yield asked_at, inventory.SlipRequested(**asked)
        yield prepared_at, inventory.SlipPrepared(**asked, number=number, prepared_by=CAGE, prepared_at=prepared_at)
        if slip.slip == "credit":
            step: dict[str, Any] = {"property": day.property, "table": slip.table, "gaming_day": day.gaming_day}
            step |= {"slip": "credit", "number": number, "received_contents": _pieces(slip.cents)}
            yield received_at, inventory.CreditReceived(**step, received_by=CASHIER, received_at=received_at)

    def _enter(self, day: PitDay, fill: PaperFill, at: datetime) -> Published:
        self._papers += 1
        entered = inventory.ManualSlipEntered(
            **_of_slip(day, fill) | {"slip": "fill"},
            number=self._papers,
            occurred_at=fill.at,
            requested_by=PIT,
            prepared_by=CAGE,
            carried_by=SECURITY,
            received_by=fill.dealer,
            observed_by=FLOORPERSON,
            reason=f"the network was down; paper fill slip {self._papers}",
            entered_by=CASHIER,
            entered_at=at,
        )
        return self._journal.at_desk(entered, fill.at, recorded_at=at)

    def _redeem(self, day: PitDay, at: datetime) -> Iterator[Published]:
        """Yield the facts by which patrons redeem their counter checks in chips; some checks stay unredeemed."""
        checks = [(box, serial, cents) for box in day.boxes for serial, cents in box.dropped.checks.items()]
        for number, (box, serial, cents) in enumerate(checks, 1):
            if number % _KEPT == 0:
                continue
            self._steps += 1
            redeemed = CheckRedeemed(
                property=day.property,
                gaming_day=day.gaming_day,
                shift=SHIFTS[-1],
                step=self._steps,
                by=CASHIER,
                at=at,
                table=box.table,
                serial=serial,
                cents=cents,
                paid_in="chips",
                left_cents=0,
            )
            yield self._journal.at_desk(redeemed, at)

    def _count(self, numbered: NumberedDay, at: datetime) -> Iterator[Published]:
        """Yield the facts of a drop count, in which two people count each box."""
        self._counts += 1
        day, removed = numbered.day, {}
        for event in numbered.events:
            if isinstance(event.data, pit.ExchangedBox):
                removed[event.data.table, event.sequence] = event.data.removed_box
        opened: dict[str, Any] = {"property": day.property, "gaming_day": day.gaming_day, "count": self._counts}
        opened |= {"opened_by": COUNTER, "opened_at": at}
        yield self._journal.at_desk(counts.CountOpened(**opened), at)
        counted = []
        for box in day.boxes:
            figures, exchange = _found(box), numbered.sent.get(box.table, 0) + box.exchange
            turns = []
            for turn, person in enumerate((COUNTER, VERIFIER), 1):
                salt = sha256(f"{day.gaming_day}/{box.table}/{exchange}/{turn}".encode()).hexdigest()[:32]
                said = {"figures": figures.model_dump(mode="json"), "salt": salt}
                sealed = counts.CountSealed(
                    property=day.property,
                    gaming_day=day.gaming_day,
                    count=self._counts,
                    table=box.table,
                    exchange=exchange,
                    turn=turn,
                    commitment=sha256(canonical(said)).hexdigest(),
                    counted_by=person,
                    counted_at=at,
                )
                yield self._journal.at_desk(sealed, at)
                turns.append(counts.BoxTurn(turn=turn, counted_by=person, salt=salt, figures=figures))
            name = removed[box.table, exchange]
            counted.append(_counted(day.gaming_day, box, name, exchange, figures, tuple(turns)))
        end = at + 30 * _MINUTE
        concluded = counts.CountConcluded(**opened, boxes=tuple(counted), concluded_by=COUNTER, concluded_at=end)
        yield self._journal.at_desk(concluded, end)

    def _resolve(self, numbered: NumberedDay, at: datetime) -> Iterator[Published]:
        """Yield the facts that assign the planted variance to an owner, and resolve it."""
        day = numbered.day
        if day.planted is None:
            return
        table, sequence = day.planted
        about = {"property": day.property, "table": table, "gaming_day": day.gaming_day, "variance": "inventory"}
        about |= {"number": numbered.sent.get(table, 0) + sequence, "cents": PLANTED_CENTS, "owner": AUDITOR}
        owned: Any = about | {"owned_at": at, "named_by": ACCOUNTANT}
        yield self._journal.at_desk(inventory.VarianceOwned(**owned), at)
        resolved: Any = about | {"conclusion": "surveillance: a $100 chip was paid twice", "resolved_at": at}
        yield self._journal.at_desk(inventory.VarianceResolved(**resolved), at)


def _pieces(cents: int) -> tuple[Pieces, ...]:
    return tuple(Pieces(**one) for one in contents(cents))


def _of_slip(day: PitDay, slip: Slip | PaperFill) -> dict[str, Any]:
    where = {"property": day.property, "table": slip.table, "gaming_day": day.gaming_day, "shift": slip.shift}
    kind = {"slip": slip.slip} if isinstance(slip, Slip) else {}
    return where | kind | {"contents": _pieces(slip.cents)}


def _found(box: Box) -> counts.BoxFigures:
    dropped = box.dropped
    notes = dropped.currency // _NOTE_CENTS
    return counts.BoxFigures(
        currency=(counts.CurrencyPieces(cents=_NOTE_CENTS, count=notes),) if notes else (),
        counter_checks=tuple(counts.CheckInBox(serial=name, cents=cents) for name, cents in dropped.checks.items()),
        coupons=tuple(
            counts.CouponsInBox(coupon=name, cents=COUPON_CENTS, count=count) for name, count in dropped.coupons.items()
        ),
    )


def _counted(
    gaming_day: date,
    box: Box,
    name: str,
    exchange: int,
    figures: counts.BoxFigures,
    turns: tuple[counts.BoxTurn, ...],
) -> counts.CountedBox:
    return counts.CountedBox(
        table=box.table,
        exchange=exchange,
        box=name,
        gaming_day=gaming_day,
        shift=box.shift,
        figures=figures,
        currency_cents=box.dropped.currency,
        counter_checks_cents=sum(box.dropped.checks.values()),
        coupons_cents=COUPON_CENTS * sum(box.dropped.coupons.values()),
        turns=turns,
    )


def _recorded(event: Event[Any], slips: Mapping[tuple[str, int], int]) -> inventory.PitRecorded:
    at_table = {name: getattr(event.data, name) for name in pit.PitData.model_fields}
    return inventory.PitRecorded.construct_unvalidated(
        at_table
        | {
            "event": event.type,
            "sequence": event.sequence,
            "moved": _moved(event.data, slips),
            "claimed_day": None,
            "data": event.data,
            "revision": None,
            "correction": None,
        }
    )


def _moved(data: pit.PitData, slips: Mapping[tuple[str, int], int]) -> inventory.Moved | None:
    """Return an event's movement of the table inventory in cents, without denominations; None if there is none."""
    match data:
        case pit.ReceivedFill():
            return inventory.Moved(movement="transfer", cents=value_of(data.contents))
        case pit.CarriedCredit():
            return inventory.Moved(movement="transfer", cents=-slips["credit", data.number])
        case pit.SoldChips():
            return inventory.Moved(movement="cash", cents=-data.cents)
        case pit.IssuedCounterCheck():
            return inventory.Moved(movement="counter_check", cents=-data.cents)
        case pit.ChangedChips():
            return inventory.Moved(movement="change", cents=0)
        case pit.DroppedCoupon():
            return inventory.Moved(movement="wager", cents=-data.paid_cents)
        case pit.WaivedVigorish():
            return inventory.Moved(movement="vigorish", cents=-data.cents)
        case pit.CollectedVigorish() | pit.ReturnedVigorish():
            return inventory.Moved(movement="vigorish", cents=0)
        case _:
            return None
