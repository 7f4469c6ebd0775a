"""A month of a casino as round settlement publishes it, generated without dealing every round, for volume tests.

For each day, a pool of simulated rounds of each game is played and settled. Each message is one of these rounds with a
new property, table, round id, dealer, time, gaming day, sequence and hash, which are written into a byte template. The
messages differ from real ones in two ways. Meter readings are copied from the pool, so they are not consecutive.
Paytable rows occur as often as in the pool, so the rounds are not a random sample for fairness tests.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256
from operator import itemgetter
from typing import Final

from loadtest.floor.floor_day import Dealt
from loadtest.floor.pit import PitBook, PitDay, bought_by, round_in_pit
from loadtest.floor.pit_items import Overpaying, RoundInPit
from loadtest.traffic.casino import Casino, Kind, Pools, Schedule, kind_of
from loadtest.traffic.journal import DESK, RECORDED
from loadtest.traffic.simulated_settlements import posted
from shared.contracts.envelope import shard_source, table_source
from shared.contracts.settlements import SettlementPosted, SubmissionRef
from shared.runtime.outbox.relay import Outgoing, entry_message

ROUNDS_IN_POOL: Final = 500
"""The number of rounds of each kind of table that are played and settled for each gaming day."""
_SERVICE: Final = "round-settlement"

# The placeholders in a round of the pool for the values that differ by message; no other value in a round equals one.
PROPERTY_SLOT, TABLE_SLOT, _ROUND, _DEALER = "slot.property", "slot.table", "slot.round", "slot.dealer"
_OPENED, _CLOSED, _OCCURRED, _RECORDED_AT = (datetime(2000, 1, day, tzinfo=UTC) for day in (1, 2, 3, 4))
_DAY: Final = date(2000, 2, 1)
_SHARD, _SEQ = 2_000_000_001, 2_000_000_002
_HASH, _DATA = "slot.hash", "slot.data"

_SLOTS: Final = (
    PROPERTY_SLOT, TABLE_SLOT, _ROUND, _DEALER, "2000-01-01T00:00:00Z", "2000-01-02T00:00:00Z", _DAY.isoformat(),
    _OCCURRED.isoformat(), _RECORDED_AT.isoformat(), str(_SHARD), str(_SEQ), _HASH, _DATA,
)  # fmt: skip
_SPLIT: Final = re.compile(b"(" + b"|".join(re.escape(slot.encode()) for slot in _SLOTS) + b")")


class Form:
    """A byte template with placeholders for the values of `_SLOTS`."""

    def __init__(self, text: bytes) -> None:
        """Split the template at its placeholders."""
        parts = _SPLIT.split(text)
        self._literals = tuple(parts[::2])
        places = {slot.encode(): len(self._literals) + number for number, slot in enumerate(_SLOTS)}
        order = [number // 2 if number % 2 == 0 else places[part] for number, part in enumerate(parts)]
        self._in_order = itemgetter(*order)

    def filled(self, values: tuple[bytes, ...]) -> bytes:
        """Return the template filled with values in the order of `_SLOTS`; trailing values may be omitted."""
        return b"".join(self._in_order(self._literals + values))


def month(
    where: Casino,
    *,
    gaming_days: Sequence[date],
    rounds_per_table_day: int,
    seed: int,
    rounds_in_pool: int = ROUNDS_IN_POOL,
    shards: int = DESK,
) -> Iterator[tuple[bytes, bytes]]:
    """Yield key and value of each message on `settlements`, in order of time; only a day's pool is kept in memory.

    Each shard has a dense sequence from 1. A hash covers the previous hash and the data, but not the other fields that
    a real entry hash covers.
    """
    pools = Pools(where, seed=seed, rounds=rounds_in_pool, property_name=PROPERTY_SLOT, table=TABLE_SLOT)
    schedule = Schedule(where, rounds_per_table_day, seed)
    streams = [_Shard(number) for number in range(shards)]
    refs = {one.game: SubmissionRef(version=one.version, hash=one.hash) for one in where.submissions}
    name, dealing = where.property.property.encode(), schedule.dealing
    for gaming_day in gaming_days:
        day_text = gaming_day.isoformat().encode()
        forms = {kind: [_form(one, refs[one.data.game]) for one in pool] for kind, pool in pools.next_day().items()}
        tables = [(plan.name.encode(), forms[kind_of(plan)]) for plan in where.plans]
        picks = [schedule.picks(table, gaming_day, len(pool)) for table, (_, pool) in enumerate(tables)]
        for number in range(rounds_per_table_day):
            for table, (table_name, pool) in enumerate(tables):
                opened = schedule.opened(table, gaming_day, number)
                closed = opened + dealing
                closed_text = closed.isoformat().encode()
                of_round = (
                    name,
                    table_name,
                    schedule.round_id(table, gaming_day, number).encode(),
                    schedule.dealer(table, gaming_day, number).encode(),
                    _zulu(opened.isoformat().encode()),
                    _zulu(closed_text),
                    day_text,
                )
                stream = streams[table % shards]
                data = pool[picks[table][number]].filled(of_round)
                yield stream.key, stream.message(of_round, data, closed_text, closed + RECORDED)


def pit_month(
    where: Casino,
    *,
    gaming_days: Sequence[date],
    rounds_per_table_day: int,
    seed: int,
    rounds_in_pool: int = ROUNDS_IN_POOL,
    overpaying: Overpaying | None = None,
) -> Iterator[PitDay]:
    """Yield the pit's day for each day of a `month` with the same arguments, exact to the cent.

    The day's `reports` are the records that its tables send on `pit.events`. `overpaying` is a dealer who gives away
    chips in each round dealt. Only one day is kept in memory.
    """
    pools = Pools(where, seed=seed, rounds=rounds_in_pool, property_name=PROPERTY_SLOT, table=TABLE_SLOT)
    pit = PitOfMonth(where, Schedule(where, rounds_per_table_day, seed), overpaying)
    for gaming_day in gaming_days:
        yield pit.day(gaming_day, gaming_day, pit.seen(pools.next_day()))


RoundsInPit = Mapping[Kind, Sequence[RoundInPit]]
"""The pit's view of the rounds of a day's pool, by kind of table."""


class PitOfMonth:
    """The pit of a casino, day by day; each table opens with its previous closer."""

    def __init__(self, where: Casino, schedule: Schedule, overpaying: Overpaying | None = None) -> None:
        """Initialize before the first day."""
        self._where = where
        self._schedule = schedule
        self._overpaying = overpaying
        self._seen: dict[Kind, set[str]] = {kind_of(plan): set() for plan in where.plans}
        self._closers: dict[str, int] = {}

    def seen(self, pools: Mapping[Kind, Sequence[Dealt]]) -> RoundsInPit:
        """Return the pit's view of the next day's pool of rounds, by kind of table."""
        return {kind: [_in_pit(one, self._seen[kind]) for one in pool] for kind, pool in pools.items()}

    def day(self, gaming_day: date, played_on: date, pools: RoundsInPit) -> PitDay:
        """Return the pit's day `gaming_day`, on which the tables play the rounds of the day `played_on`."""
        schedule = self._schedule
        where, of_property = self._where, self._where.property.property
        book = PitBook(of_property, where.plans, gaming_day, overpaying=self._overpaying, openers=self._closers)
        for table, plan in enumerate(where.plans):
            pool = pools[kind_of(plan)]
            for number, pick in enumerate(schedule.picks(table, played_on, len(pool))):
                opened = schedule.opened(table, gaming_day, number)
                own = replace(
                    pool[pick],
                    round_id=schedule.round_id(table, gaming_day, number),
                    dealer=schedule.dealer(table, played_on, number),
                    opened_at=opened,
                    closed_at=opened + schedule.dealing,
                )
                book.add(plan.name, own)
        day = book.day()
        self._closers = {table: money.closer for table, money in day.tables.items()}
        return day


def _in_pit(dealt: Dealt, seen: set[str]) -> RoundInPit:
    data = dealt.data.model_dump(mode="json")
    return round_in_pit(data, dealt.settlement, bought_by(data["round"]["seats"], seen))


class _Shard:
    """A shard of the published journal, with its last sequence and hash."""

    def __init__(self, number: int) -> None:
        self.key = shard_source(_SERVICE, number).encode()
        self._number = b"%d" % number
        self._seq = 0
        self._hash = ""

    def message(self, of_round: tuple[bytes, ...], data: bytes, closed: bytes, recorded_at: datetime) -> bytes:
        self._seq += 1
        self._hash = sha256(self._hash.encode() + data).hexdigest()
        of_entry = (closed, recorded_at.isoformat().encode(), self._number, b"%d" % self._seq, self._hash.encode())
        return _ENVELOPE.filled((*of_round, *of_entry, data))


def _zulu(moment: bytes) -> bytes:
    """Return a time in UTC with the suffix Z, the format of the contracts."""
    return moment.removesuffix(b"+00:00") + b"Z"


def _form(dealt: Dealt, submission: SubmissionRef) -> Form:
    own = {"round_id": _ROUND, "opened_at": _OPENED, "closed_at": _CLOSED, "dealer_id": _DEALER, "gaming_day": _DAY}
    return Form(posted(dealt, submission).model_copy(update=own).encode())


def _envelope() -> Form:
    row = Outgoing(
        seq=_SEQ,
        kind=SettlementPosted.KIND.name,
        source=table_source(PROPERTY_SLOT, TABLE_SLOT),
        occurred_at=_OCCURRED,
        recorded_at=_RECORDED_AT,
        hash=_HASH,
        data=_DATA.encode(),
    )
    return Form(entry_message(shard_source(_SERVICE, _SHARD), _SHARD, row))


_ENVELOPE: Final = _envelope()
