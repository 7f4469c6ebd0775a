"""Compare the progressive meters that tables report with the pool's balance in the ledger. Pure; amounts in cents.

The tables of a linked pool are settled in several shards, which do not keep their common order. Contributions and
payouts are therefore ordered by the time of their events. A table reports the meter before the wagers of its own round
are added, and other tables go on adding to the pool. A reported meter therefore agrees if the pool had this balance at
some moment between the opening and the closing of the round, all earlier rounds of the same table included.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import accumulate
from operator import attrgetter

from pydantic import BaseModel

from shared.contracts.exact import shown


@dataclass(frozen=True, slots=True)
class Step:
    """A movement of a pool: when and in which round it happened, and the change to the display (nanocents)."""

    at: datetime
    number: int
    table: str | None
    round_id: str | None
    display: int


class MeterOfTable(BaseModel):
    """A meter of a table in a round, and the pool that it feeds."""

    pool: str
    meter: str
    table: str
    game: str
    gaming_day: date
    round_id: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A table's meter reading before a round, with the effect of the round's settlement on the meter. Cents.

    `number` is the number of the round's movement in its pool.
    """

    pool: str
    meter: str
    table: str
    game: str
    gaming_day: date
    round_id: str
    number: int
    opened_at: datetime
    closed_at: datetime
    before_cents: int
    after_cents: int
    settled_cents: int
    award_cents: int
    reset_cents: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A reading that differs from the ledger, with the ledger's display before and after the round. Cents."""

    reading: Reading
    ledger_before_cents: int
    ledger_after_cents: int


def differences(readings: Sequence[Reading], opening: int, steps: Sequence[Step]) -> list[Difference]:
    """Return the readings of one pool that differ from the ledger.

    `opening` is the pool's display before the first step (nanocents). `steps` must cover the time from the first
    opening of these rounds to the last closing.
    """
    ordered = sorted(steps, key=lambda step: (step.at, step.number))
    moments = [step.at for step in ordered]
    held = list(accumulate((step.display for step in ordered), initial=opening))
    by_table: defaultdict[str | None, list[Step]] = defaultdict(list)
    for step in ordered:
        by_table[step.table].append(step)
    found: list[Difference] = []
    for reading in readings:
        first, last = bisect_left(moments, reading.opened_at), bisect_right(moments, reading.closed_at)
        own = _own(by_table[reading.table], reading)
        others = (ordered[number] for number in range(first, last) if ordered[number].table != reading.table)
        before = _ledger_before(reading, held[first] + own, others)
        change = reading.settled_cents - reading.award_cents + reading.reset_cents
        if before is not None or reading.after_cents != reading.before_cents + change:
            before = reading.before_cents if before is None else before
            found.append(Difference(reading, before, before + change))
    return found


def _own(steps: Sequence[Step], reading: Reading) -> int:
    """Return the change to the display (nanocents) by earlier movements of the same table during the round."""
    moved = 0
    for number in range(bisect_left(steps, reading.opened_at, key=attrgetter("at")), len(steps)):
        step = steps[number]
        if (step.at, step.number) >= (reading.closed_at, reading.number):
            break
        if step.round_id != reading.round_id:
            moved += step.display
    return moved


def _ledger_before(reading: Reading, held: int, others: Iterable[Step]) -> int | None:
    """Return the ledger's display (cents) at the round's end, or None if the reading matched it during the round."""
    for step in others:
        if shown(held) == reading.before_cents:
            return None
        held += step.display
    return None if shown(held) == reading.before_cents else shown(held)
