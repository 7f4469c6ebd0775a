"""The reports as documents: readings for signs, the daily reconciliation, hits, exceptions. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from hashlib import sha256
from typing import Literal

from pydantic import BaseModel

from services.progressive_meters.comparison import Difference
from services.progressive_meters.configuration import PoolVersion
from services.progressive_meters.exact import exact_text, nanocents, shown
from shared.contracts.envelope import as_json, canonical
from shared.contracts.meters import ChangeKind, Feed, Movement, PoolDay


class SignReading(BaseModel):
    """What a sign shows: whole cents. `number` is that of the pool's last movement: a higher one is newer."""

    property: str
    pool: str
    display_cents: int
    number: int
    at: datetime


class SignReadings(BaseModel):
    """What the signs of a property show."""

    property: str
    readings: list[SignReading]


class FeedTerms(Feed):
    """A feed with what its rules submission says of its meter; nothing where none is in effect."""

    rate: str | None = None
    reserve_rate: str | None = None


class PoolStatus(BaseModel):
    """A pool as it stands (N.J.A.C. 13:69E-1.39A): its terms in effect, its exact meters in cents, its counters."""

    property: str
    pool: str
    terms: PoolVersion | None
    feeds: list[FeedTerms]
    number: int
    at: datetime
    display: str
    display_cents: int
    reserve: str
    overflow: str
    in_count: int
    in_cents: int
    hits: int
    wins_cents: int


class PoolPage(BaseModel):
    """Pools in the order of their names; `next` is the cursor of those that follow."""

    items: list[PoolStatus]
    next: str | None = None


class VersionPage(BaseModel):
    """The versions of a pool's terms, oldest first; `next` is the cursor of those that follow."""

    items: list[PoolVersion]
    next: str | None = None


class MovementItem(BaseModel):
    """A movement of a pool, with its cause and the entry of the journal that says so."""

    kind: str
    gaming_day: date
    at: datetime
    table: str | None = None
    game: str | None = None
    round_id: str | None = None
    revision: int | None = None
    movement: Movement
    shard: int
    seq: int


class MovementPage(BaseModel):
    """Movements of a pool in their order; `next` is the cursor of those that follow."""

    items: list[MovementItem]
    next: str | None = None


class ChangeItem(BaseModel):
    """A change that people made, wanted, or turned down; `before` and `after` are the display's exact cents."""

    property: str
    pool: str
    change: int
    status: Literal["requested", "approved", "rejected"]
    kind: ChangeKind
    cents: int | None = None
    to: str | None = None
    gaming_day: date
    reason: str
    requested_by: str
    requested_at: datetime
    approved_by: str | None = None
    approved_at: datetime | None = None
    before: str | None = None
    after: str | None = None


class ChangePage(BaseModel):
    """Changes in the order of their numbers; `next` is the cursor of those that follow."""

    items: list[ChangeItem]
    next: str | None = None


class HitItem(BaseModel):
    """An award that came off a meter. It stands unless its round was taken back."""

    property: str
    pool: str
    gaming_day: date
    at: datetime
    table: str
    game: str
    round_id: str
    revision: int
    seat: int
    wager: str
    category: str | None = None
    cents: int
    standing: bool
    shard: int
    seq: int


class HitPage(BaseModel):
    """Awards by pool, in their order; `next` is the cursor of those that follow."""

    items: list[HitItem]
    next: str | None = None


class ExceptionItem(BaseModel):
    """Something that does not agree.

    `reading`: what the table said before the round, or the settlement after it, is not what the ledger showed.
    `contribution`: rate times wagers is not what the settlement added. `reset`: the submission's reset amount is not
    the pool's.
    """

    kind: Literal["reading", "contribution", "reset"]
    pool: str
    meter: str
    table: str
    game: str
    gaming_day: date
    round_id: str
    reported_before_cents: int | None = None
    ledger_before_cents: int | None = None
    reported_after_cents: int | None = None
    ledger_after_cents: int | None = None
    settled_cents: int | None = None
    rated: str | None = None
    reset_cents: int | None = None


class ExceptionList(BaseModel):
    """What does not agree on a gaming day, by pool; and how many settlements have not come or were refused."""

    title: str = "Progressive meters: exceptions"
    property: str
    gaming_day: date
    generated_at: datetime
    generated_by: str
    system_version: str
    input_open: int
    items: list[ExceptionItem]


class TableContribution(BaseModel):
    """What the wagers of a table put on a pool, exact cents."""

    pool: str
    table: str
    game: str
    in_count: int
    in_cents: int
    contribution: str
    reserved: str
    overflow: str


class Reconciliation(BaseModel):
    """The pools of a property on a gaming day.

    `balanced`: every identity holds, the movements of each pool are complete, its accounts hold what it shows, and its
    wins are its hits. `status` is `reconciled` where a person recorded these very rows, `changed` where they have
    changed since, `preliminary` where nobody has. `rows_sha256` is taken over `pools` as canonical JSON.
    """

    title: str = "Progressive reconciliation"
    property: str
    gaming_day: date
    status: Literal["preliminary", "reconciled", "changed"]
    generated_at: datetime
    generated_by: str
    system_version: str
    balanced: bool
    wrong: list[str]
    exceptions: int
    input_open: int
    liability_cents: int
    pools: list[PoolDay]
    tables: list[TableContribution]
    rows_sha256: str


@dataclass(frozen=True, slots=True)
class Sums:
    """What movements add up to. Nanocents, but for counters and `award_cents`."""

    in_count: int = 0
    in_cents: int = 0
    contribution: int = 0
    reserved: int = 0
    overflow: int = 0
    award_cents: int = 0
    hits: int = 0
    reset: int = 0
    reserve_used: int = 0
    seed: int = 0
    transfer: int = 0
    released: int = 0

    @property
    def display(self) -> int:
        """What they do to the display."""
        award = nanocents(self.award_cents)
        return self.contribution + self.reset + self.seed + self.transfer + self.released - award

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Sums)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolBooks:
    """All that is known of a pool for a day: sums before, on and after it, and what other records say in all.

    `display`, `reserve` and `overflow` are what the pool shows now (nanocents), `number` its last movement, of which
    `movements` are there; `accounts` the balances of its three accounts, cents; `wins_cents` and `hits_cents` its wins
    meter and the sum of its standing hits.
    """

    pool: str
    before: Sums
    day: Sums
    later: Sums
    display: int
    reserve: int
    overflow: int
    number: int
    movements: int
    accounts: Mapping[str, int]
    wins_cents: int
    hits_cents: int


def pool_day(books: PoolBooks, *, readings: int, different: int) -> PoolDay:
    """The row of a pool."""
    before, day = books.before, books.day
    closing = before.display + day.display
    reserve = before.reserved - before.reserve_used
    reserve_closing = reserve + day.reserved - day.reserve_used
    overflow = before.overflow - before.released
    overflow_closing = overflow + day.overflow - day.released
    return PoolDay(
        pool=books.pool,
        opening=exact_text(before.display),
        seed=exact_text(day.seed),
        contribution=exact_text(day.contribution),
        award=exact_text(nanocents(day.award_cents)),
        reset=exact_text(day.reset),
        transfer=exact_text(day.transfer),
        released=exact_text(day.released),
        closing=exact_text(closing),
        closing_cents=shown(closing),
        difference=exact_text(books.display - books.later.display - closing),
        reserve_opening=exact_text(reserve),
        reserved=exact_text(day.reserved),
        reserve_used=exact_text(day.reserve_used),
        reserve_closing=exact_text(reserve_closing),
        overflow_opening=exact_text(overflow),
        overflow=exact_text(day.overflow),
        overflow_closing=exact_text(overflow_closing),
        in_count=day.in_count,
        in_cents=day.in_cents,
        hits=day.hits,
        readings=readings,
        readings_different=different,
        liability_cents=shown(closing) + shown(reserve_closing) + shown(overflow_closing),
    )


def wrong_with(books: PoolBooks) -> list[str]:
    """What does not hold of a pool: nothing."""
    all_time = books.before + books.day + books.later
    said = (
        ("display", all_time.display, books.display),
        ("reserve", all_time.reserved - all_time.reserve_used, books.reserve),
        ("overflow", all_time.overflow - all_time.released, books.overflow),
    )
    found = [
        f"pool {books.pool}: its {name} meter holds {exact_text(held)} cents, the movements come to {exact_text(moved)}"
        for name, moved, held in said
        if moved != held
    ]
    found += [
        f"pool {books.pool}: {name} shows {shown(held)} cents, its account holds {-books.accounts.get(name, 0)}"
        for name, _, held in said
        if shown(held) != -books.accounts.get(name, 0)
    ]
    if books.movements != books.number:
        found.append(f"pool {books.pool}: {books.movements} movements are there, the last is number {books.number}")
    if books.wins_cents != books.hits_cents:
        found.append(f"pool {books.pool}: the wins meter is {books.wins_cents} cents, the hits {books.hits_cents}")
    return found


def rows_sha256(rows: Sequence[PoolDay]) -> str:
    """SHA-256 of the rows as canonical JSON."""
    return sha256(canonical([as_json(row) for row in rows])).hexdigest()


def reading_exception(difference: Difference) -> ExceptionItem:
    """The exception that a reading is."""
    reading = difference.reading
    return ExceptionItem(
        kind="reading",
        pool=reading.pool,
        meter=reading.meter,
        table=reading.table,
        game=reading.game,
        gaming_day=reading.gaming_day,
        round_id=reading.round_id,
        reported_before_cents=reading.before_cents,
        ledger_before_cents=difference.ledger_before_cents,
        reported_after_cents=reading.after_cents,
        ledger_after_cents=difference.ledger_after_cents,
    )
