"""Compare what tables said of their meters with the ledger's own reading, in the order in which things happened. Pure.

Settlements of linked tables arrive one shard after the other; the order in which things happened does not depend on it.
A table says what its meter showed before its round's wagers were added. Other tables go on adding meanwhile, so the
ledger agrees where it showed that at some moment between the opening and the closing of the round; what the same table
did before must be in it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import accumulate

from pydantic import BaseModel

from shared.contracts.exact import shown


@dataclass(frozen=True, slots=True)
class Step:
    """A movement of a pool: when and where, and by how much its display moved (nanocents)."""

    at: datetime
    number: int
    table: str | None
    round_id: str | None
    display: int


class MeterOfTable(BaseModel):
    """A meter at a table, in a round."""

    pool: str
    meter: str
    table: str
    game: str
    gaming_day: date
    round_id: str


class Reading(MeterOfTable):
    """What a table said of a meter before a round, and what the settlement came to. Cents; `number` is the movement."""

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
    """A reading that is not the ledger's. Cents."""

    reading: Reading
    ledger_before_cents: int
    ledger_after_cents: int


def differences(readings: Sequence[Reading], opening: int, steps: Sequence[Step]) -> list[Difference]:
    """Return the readings of one pool that differ from the ledger's.

    `opening` is what the pool held before the first step (nanocents); `steps` reach from the first opening of these
    rounds to the last closing.
    """
    ordered = sorted(steps, key=lambda step: (step.at, step.number))
    moments = [step.at for step in ordered]
    held = list(accumulate((step.display for step in ordered), initial=opening))
    found: list[Difference] = []
    for reading in readings:
        first, last = bisect_left(moments, reading.opened_at), bisect_right(moments, reading.closed_at)
        before = _ledger_before(reading, held[first], ordered[first:last])
        change = reading.settled_cents - reading.award_cents + reading.reset_cents
        if before is not None or reading.after_cents != reading.before_cents + change:
            before = reading.before_cents if before is None else before
            found.append(Difference(reading, before, before + change))
    return found


def _ledger_before(reading: Reading, held: int, steps: Sequence[Step]) -> int | None:
    """Return what the ledger showed instead before a round; None where it showed what the table said."""
    others: list[Step] = []
    for step in steps:
        if step.table != reading.table:
            others.append(step)
        elif step.round_id != reading.round_id and (step.at, step.number) < (reading.closed_at, reading.number):
            held += step.display
    for step in others:
        if shown(held) == reading.before_cents:
            return None
        held += step.display
    return None if shown(held) == reading.before_cents else shown(held)
