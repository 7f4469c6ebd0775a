"""The messages of a floor's tables: rounds in dense streams, and planted faults that cause exceptions.

With `plants`, seven faults are planted on known tables, one of each kind. All but the last are on Blackjack tables
without a meter:

| plant | round | fault |
|---|---|---|
| void | 2 of the first table | voided after round 4 |
| correction | 3 of the second table | a wager was twice as high; corrected after round 5 |
| late | 6 of the third table | sent after round 8: a gap that is filled |
| duplicate | 9 of the fourth table | sent twice |
| malformed | after 10 of the first table | bytes that are no JSON, with the table's key |
| refused | 11 of the second table | a wager that the table does not offer: quarantined; its sequence stays a gap |
| misset | 7 of the first table of Face Up Pai Gow | the dealer's hand is not set by the house way |

With fewer than four such Blackjack tables, a table has several of the faults. A table with fewer than `PLANTED_ROUNDS`
rounds has no fault.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations, islice
from operator import attrgetter
from types import MappingProxyType
from typing import Final, Literal

from loadtest.floor.blackjack import BLACKJACK
from loadtest.floor.face_up import FACE_UP_PAI_GOW
from loadtest.floor.floor_day import Amend, Dealt, initial_meters, pace, table_rounds
from loadtest.floor.game import TablePlan
from loadtest.floor.links import LinkedTables
from shared.contracts.envelope import Correction, encode, table_source
from shared.contracts.tables import (
    RoundCompleted,
    RoundCorrected,
    RoundVoided,
    VoidedRound,
)
from shared.rules import Settlement, compile_rules
from shared.rules.blackjack import BlackjackRound
from shared.rules.face_up_pai_gow.record import FaceUpRound

Kind = Literal["round", "void", "correction", "late", "duplicate", "malformed", "refused", "misset"]
Sign = Literal[1, -1]

PLANTED_ROUNDS: Final = 12
"""The minimum number of rounds of a table with planted faults."""

_VOID, _CORRECTION, _LATE, _MISSET, _DUPLICATE, _MALFORMED, _REFUSED = 2, 3, 6, 7, 9, 10, 11
_LATER: Final = 2
"""The number of rounds after which a table sends the void, the correction or the delayed record of a round."""

_SOON: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Message:
    """A Kafka record as sent by a table, the time of sending, and its effect on the books.

    `key` is the table's stream. `books` lists the settlements that the message adds (1) and reverses (-1).
    """

    key: str
    table: str
    kind: Kind
    value: bytes
    sent_at: datetime
    sequence: int | None = None
    round_id: str | None = None
    books: tuple[tuple[Sign, Settlement], ...] = ()

    @property
    def property(self) -> str:
        """Return the property of the table."""
        return self.key.split("/")[2]


def day(
    *,
    property_name: str,
    plans: Sequence[TablePlan],
    gaming_day: date,
    seed: int,
    rounds: int,
    plants: bool,
    linked: bool = False,
    amends: Mapping[str, Amend] = MappingProxyType({}),
) -> Iterator[Message]:
    """Return all messages of the tables during a day of `rounds` rounds, shared evenly, in order of time.

    With `linked`, the linked progressive is fed by its tables, and hit once: see `loadtest.floor.links`. `amends` maps
    tables that are not linked to functions that change each of their records: see `loadtest.floor.cheating_scenarios`.
    """
    counts = {plan.name: rounds // len(plans) + (number < rounds % len(plans)) for number, plan in enumerate(plans)}
    link = LinkedTables(property_name, plans, gaming_day, seed, counts) if linked else None
    carriers = _carriers(plans)
    streams = []
    dealt: Iterator[Dealt]
    for plan in plans:
        count = counts[plan.name]
        if link is not None and plan.name in link.tables:
            dealt = link.rounds(plan.name)
        else:
            played = table_rounds(
                property_name=property_name,
                plan=plan,
                gaming_day=gaming_day,
                seed=seed,
                seconds_per_round=pace(count),
                amend=amends.get(plan.name),
            )
            dealt = islice(played, count)
        planted = carriers.get(plan.name, frozenset()) if plants and count >= PLANTED_ROUNDS else frozenset()
        streams.append(_stream(property_name, plan, dealt, planted))
    return heapq.merge(*streams, key=attrgetter("sent_at"))


def _carriers(plans: Sequence[TablePlan]) -> dict[str, frozenset[Kind]]:
    """Return the planted faults by table; none change wagers at tables with meters, whose readings would be wrong."""
    without_meter = [plan.name for plan in plans if plan.kind is BLACKJACK and not initial_meters(plan)]
    turns: tuple[tuple[Kind, int], ...] = (
        ("void", 0), ("correction", 1), ("late", 2), ("duplicate", 3), ("malformed", 0), ("refused", 1),
    )  # fmt: skip
    found: dict[str, frozenset[Kind]] = {
        table: frozenset(kind for kind, turn in turns if turn % len(without_meter) == number)
        for number, table in enumerate(without_meter)
    }
    dealers = [plan.name for plan in plans if plan.kind is FACE_UP_PAI_GOW]
    return found | dict.fromkeys(dealers[:1], frozenset[Kind]({"misset"}))


def _stream(
    property_name: str, plan: TablePlan, rounds: Iterator[Dealt], planted: frozenset[Kind]
) -> Iterator[Message]:
    """Yield one table's messages. The sequence counts every record that the table sends, even if it is refused."""
    sender = _Sender(table_source(property_name, plan.name), plan)
    waiting: list[tuple[int, Message | Dealt, Kind]] = []
    for number, dealt in enumerate(rounds, start=1):
        if number == _REFUSED and "refused" in planted:
            yield sender.refused(dealt)
        elif number == _LATE and "late" in planted:
            waiting.append((number + _LATER, sender.completed(dealt), "late"))
        elif number == _MISSET and "misset" in planted:
            yield sender.misset(dealt)
        else:
            message = sender.completed(dealt)
            yield message
            if number == _DUPLICATE and "duplicate" in planted:
                yield sender.duplicate(message)
        if number == _VOID and "void" in planted:
            waiting.append((number + _LATER, dealt, "void"))
        if number == _CORRECTION and "correction" in planted:
            waiting.append((number + _LATER, dealt, "correction"))
        if number == _MALFORMED and "malformed" in planted:
            yield sender.malformed()
        for due, what, kind in waiting:
            if due == number:
                yield sender.later(what, kind)
        waiting = [item for item in waiting if item[0] > number]


class _Sender:
    """A table's system, which numbers and encodes the table's messages."""

    def __init__(self, source: str, plan: TablePlan) -> None:
        self._source = source
        self._plan = plan
        self._sequence = 0
        self._sent_at: datetime | None = None

    def completed(self, dealt: Dealt) -> Message:
        self._sent_at = dealt.data.closed_at
        return self._message("round", RoundCompleted, dealt.data, ((1, dealt.settlement),))

    def refused(self, dealt: Dealt) -> Message:
        self._sent_at = dealt.data.closed_at
        original = dealt.data.round
        assert isinstance(original, BlackjackRound)
        first, *others = original.seats
        wrong = first.model_copy(update={"wagers": {**first.wagers, "straight_jack_progressive": 500}})
        record = original.model_copy(update={"seats": (wrong, *others)})
        return self._message("refused", RoundCompleted, dealt.data.model_copy(update={"round": record}), ())

    def misset(self, dealt: Dealt) -> Message:
        """Return the message of a round whose dealer's hand is misset: its low hand is not that of the house way."""
        self._sent_at = dealt.data.closed_at
        original = dealt.data.round
        assert isinstance(original, FaceUpRound)
        rules = compile_rules(self._plan.regulation, self._plan.submission)
        dealer = original.dealer
        for low in combinations(dealer.cards, 2):
            record = original.model_copy(update={"dealer": dealer.model_copy(update={"low": low})})
            settlement = rules.settle(record)
            if settlement.notices:
                data = dealt.data.model_copy(update={"round": record})
                return self._message("misset", RoundCompleted, data, ((1, settlement),))
        raise AssertionError(f"the house way takes every low hand of {dealer.cards}")

    def duplicate(self, message: Message) -> Message:
        return Message(message.key, message.table, "duplicate", message.value, self._next_moment(), message.sequence)

    def malformed(self) -> Message:
        return Message(self._source, self._plan.name, "malformed", b"\x00\xff not a table event", self._next_moment())

    def later(self, what: Message | Dealt, kind: Kind) -> Message:
        self._next_moment()
        if isinstance(what, Message):
            assert self._sent_at is not None
            return Message(
                what.key, what.table, "late", what.value, self._sent_at, what.sequence, what.round_id, what.books
            )
        return self._voided(what) if kind == "void" else self._corrected(what)

    def _voided(self, dealt: Dealt) -> Message:
        data = dealt.data
        void = VoidedRound(
            property=data.property,
            table=data.table,
            game=data.game,
            gaming_day=data.gaming_day,
            round_id=data.round_id,
            correction=Correction(
                reason="a card was dealt twice by mistake; the floorperson called the round void",
                entered_by="floor-101",
                approved_by="shift-201",
            ),
        )
        return self._message("void", RoundVoided, void, ((-1, dealt.settlement),))

    def _corrected(self, dealt: Dealt) -> Message:
        original = dealt.data.round
        assert isinstance(original, BlackjackRound)
        record = _with_double_wager(original)
        settlement = compile_rules(self._plan.regulation, self._plan.submission).settle(record)
        fields = {name: getattr(dealt.data, name) for name in type(dealt.data).model_fields}
        seat = record.seats[0].seat
        data = {
            **fields,
            "round": record,
            "correction": Correction(
                reason=f"surveillance: the Blackjack Wager at seat {seat} was twice what was entered",
                entered_by="floor-101",
                approved_by="shift-201",
            ),
        }
        return self._message("correction", RoundCorrected, data, ((-1, dealt.settlement), (1, settlement)))

    def _message(
        self,
        kind: Kind,
        event: type[RoundCompleted | RoundVoided | RoundCorrected],
        data: object,
        books: tuple[tuple[Sign, Settlement], ...],
    ) -> Message:
        self._sequence += 1
        assert self._sent_at is not None
        content: dict[str, object] = {
            "specversion": "1.0",
            "id": f"{self._plan.name}-{self._sequence}",
            "source": self._source,
            "type": {"void": "round.voided", "correction": "round.corrected"}.get(kind, "round.completed"),
            "time": self._sent_at,
            "sequence": self._sequence,
            "data": data,
        }
        built = event.model_validate(content)
        return Message(
            self._source,
            self._plan.name,
            kind,
            encode(built),
            self._sent_at,
            self._sequence,
            built.data.round_id,
            books,
        )

    def _next_moment(self) -> datetime:
        assert self._sent_at is not None
        self._sent_at += _SOON
        return self._sent_at


def _with_double_wager(record: BlackjackRound) -> BlackjackRound:
    first, *others = record.seats
    wagers = {**first.wagers, "blackjack": 2 * first.wagers["blackjack"]}
    return record.model_copy(update={"seats": (first.model_copy(update={"wagers": wagers}), *others)})
