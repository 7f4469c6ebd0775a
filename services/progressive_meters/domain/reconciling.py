"""The reconciliation of a gaming day: its figures by pool, its exceptions, and its document. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from services.progressive_meters.domain.comparison import Difference, MeterOfTable
from services.progressive_meters.domain.pools import Delta, Pool, parts
from shared.contracts.exact import ExactCents, displayed, exact_text, shown
from shared.contracts.meters import PoolDay
from shared.contracts.reports import rows_sha256
from shared.contracts.versions import fields_of

ExceptionKind = Literal["reading", "contribution", "reset", "award"]


class ExceptionItem(MeterOfTable):
    """An exception of the reconciliation.

    `reading`: the table's reading before the round, or the settlement's reading after it, differs from the ledger.
    `contribution`: rate times wagers differs from what the settlement added. `reset`: the submission's reset amount
    differs from the pool's. `award`: the award of movement `number` exceeded the meter by `short_cents`, taking winning
    rounds in the order in which they closed. The day cannot be reconciled until that round is corrected, or two people
    accept the award.
    """

    kind: ExceptionKind
    reported_before_cents: int | None = None
    ledger_before_cents: int | None = None
    reported_after_cents: int | None = None
    ledger_after_cents: int | None = None
    settled_cents: int | None = None
    rated_cents: ExactCents | None = Field(default=None, description="rate times wagers, decimal")
    reset_cents: int | None = None
    award_cents: int | None = None
    short_cents: int | None = None
    number: int | None = None

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """Return the sort key of the exception."""
        return (self.pool, self.table, self.round_id, self.kind, self.meter)


class ReadingItem(MeterOfTable):
    """A table's meter readings before and after a round, next to the ledger's. Cents.

    `number` is the movement of the round. `different` is true if the readings do not agree with the ledger.
    """

    number: int
    revision: int
    opened_at: datetime
    closed_at: datetime
    settled_cents: int
    award_cents: int
    reset_cents: int
    reported_before_cents: int | None
    ledger_before_cents: int | None
    reported_after_cents: int | None
    ledger_after_cents: int | None
    different: bool = False


class Reconciliation(BaseModel):
    """The reconciliation of a property's pools on a gaming day, with the figures that would be recorded now.

    `balanced` is true if each identity holds, the movements of each pool are complete, its accounts match its meters,
    its wins match its hits, and no award above a meter needs correction or acceptance. `recorded` is `as_it_is` if a
    person has recorded these rows, and `changed_since` if the recorded rows differ. `rows_sha256` is the hash of
    `pools` as canonical JSON. `input_open` is the number of input records that are missing or were refused.
    """

    property: str
    gaming_day: date
    recorded: Literal["never", "as_it_is", "changed_since"]
    balanced: bool
    wrong: list[str]
    input_open: int = Field(ge=0)
    exceptions: int
    liability_cents: int
    pools: list[PoolDay]
    rows_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolBooks:
    """The figures of a pool around a gaming day, from which its row and its faults are computed.

    `pool` is its current state. `before`, `day` and `later` sum its movements before, on and after the day. `movements`
    is the number of all its movements. `listed` has the number of the day's movements and their sums on each meter of
    HELD (nanocents), computed from the single movements. `accounts` has the balances of the three legs of HELD, and
    `hits_cents` is the sum of the pool's hits in force.
    """

    pool: Pool
    before: Delta
    day: Delta
    later: Delta
    movements: int
    movements_of_day: int
    listed: tuple[int, int, int, int]
    accounts: Mapping[str, int]
    hits_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The reconciled figures of a property's pools on a gaming day: rows, violated identities, exceptions."""

    rows: tuple[PoolDay, ...]
    wrong: tuple[str, ...]
    exceptions: tuple[ExceptionItem, ...]

    @property
    def awards(self) -> tuple[ExceptionItem, ...]:
        """Return the exceptions for awards that exceeded a meter."""
        return tuple(one for one in self.exceptions if one.kind == "award")

    @property
    def figures(self) -> dict[str, Any]:
        """Return the figures that the day's document and its recorded fact have in common."""
        return {
            "balanced": not self.wrong and not self.awards and all(row.difference_cents == "0" for row in self.rows),
            "exceptions": len(self.exceptions),
            "liability_cents": sum(row.liability_cents for row in self.rows),
            "pools": self.rows,
            "rows_sha256": rows_sha256(self.rows),
        }


def reconciliation(day: Day, recorded: str | None, **more: Any) -> Reconciliation:
    """Return the document of a gaming day; `recorded` is the hash of the last recorded rows, or None."""
    figures = day.figures
    is_recorded = "never" if recorded is None else "as_it_is" if recorded == figures["rows_sha256"] else "changed_since"
    return Reconciliation(**more, **figures, recorded=is_recorded, wrong=list(day.wrong))


def pool_day(books: PoolBooks, *, readings: int, different: int) -> PoolDay:
    """Return a pool's reconciliation row; `readings` and `different` count the compared and the differing readings."""
    before, day, pool = books.before, books.day, books.pool
    closing = before + day
    return PoolDay(
        pool=pool.name,
        **parts(day),
        opening_cents=exact_text(before.on_display),
        closing_cents=exact_text(closing.on_display),
        shown_cents=displayed(closing.on_display),
        difference_cents=exact_text(pool.display - books.later.on_display - closing.on_display),
        reserve_opening_cents=exact_text(before.on_reserve),
        reserve_closing_cents=exact_text(closing.on_reserve),
        overflow_opening_cents=exact_text(before.on_overflow),
        overflow_closing_cents=exact_text(closing.on_overflow),
        readings=readings,
        readings_different=different,
        liability_cents=shown(closing.on_display) + shown(closing.on_reserve) + shown(closing.on_overflow),
    )


def wrong_with(books: PoolBooks) -> list[str]:
    """Return a message for each violated identity of a pool; normally empty."""
    pool, moved = books.pool, books.before + books.day + books.later
    meters = (
        ("display", moved.on_display, pool.display),
        ("reserve", moved.on_reserve, pool.reserve),
        ("overflow", moved.on_overflow, pool.overflow),
    )
    found = [
        f"pool {pool.name}: its {name} meter holds {exact_text(held)} cents, the movements come to {exact_text(sums)}"
        for name, sums, held in meters
        if sums != held
    ]
    found += [
        f"pool {pool.name}: {name} shows {shown(held)} cents, its account holds {books.accounts[name]}"
        for name, _, held in meters
        if shown(held) != books.accounts[name]
    ]
    day = (books.movements_of_day, books.day.on_display, books.day.on_reserve, books.day.on_overflow)
    if books.listed != day:
        found.append(
            f"pool {pool.name}: movements of the day: {books.listed[0]} listed, {day[0]} counted; "
            f"{_parts(books.listed)} cents listed, {_parts(day)} counted"
        )
    if books.movements != pool.number:
        found.append(f"pool {pool.name}: {books.movements} movements were counted, the last is number {pool.number}")
    if pool.wins_cents != books.hits_cents:
        found.append(f"pool {pool.name}: the wins meter is {pool.wins_cents} cents, the hits {books.hits_cents}")
    return found


def _parts(sums: tuple[int, int, int, int]) -> str:
    return ", ".join(map(exact_text, sums[1:]))


def reading_exception(difference: Difference) -> ExceptionItem:
    """Return the exception for a reading that differs from the ledger."""
    reading = difference.reading
    return ExceptionItem(
        kind="reading",
        **fields_of(reading, MeterOfTable),
        reported_before_cents=reading.before_cents,
        ledger_before_cents=difference.ledger_before_cents,
        reported_after_cents=reading.after_cents,
        ledger_after_cents=difference.ledger_after_cents,
    )
