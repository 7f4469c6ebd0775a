"""Drop boxes: recorded and counted contents. Amounts are cents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from sqlalchemy import text

from services.reporting.framework.figures import NOTHING, EntryRef, Figure
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.spans import Span
from services.reporting.read_model.variances import CaseKey
from services.reporting.read_model.windows import Moves, last_and_all, moved_in
from shared.contracts import pit
from shared.contracts.properties import Sales

_RECORDED: Final[Mapping[str, str]] = {"currency": "currency", "counter_check": "counter_check.issued"}
"""The movements of a table that go into its box, by instrument."""


class Turn(NamedTuple):
    """One person's count of a drop box: currency and counter checks."""

    counted_by: str
    drop_cents: int


class Counted(NamedTuple):
    """The final count of a drop box, the counts that each person made, in order, and the entry that records them."""

    entry: EntryRef
    currency_cents: int
    counter_checks_cents: int
    turns: Sequence[Turn]


@dataclass(frozen=True)
class Box:
    """A drop box removed from a table, its recorded drop, and its count, if any.

    `sales` is the kind of sales that a counted table reports; None for a table that reports rounds.
    """

    exchanged: Listed
    moves: Moves
    counted: Counted | None = None
    sales: Sales | None = None

    @property
    def key(self) -> CaseKey:
        """Return the key under which the case of this box's variance is recorded."""
        fact = self.exchanged.fact
        return (fact.gaming_day, fact.table, "drop", fact.sequence)

    def recorded(self, instrument: str) -> Figure:
        """Return the drop that the table recorded for an instrument, `currency` or `counter_check`."""
        return -self.moves.get(_RECORDED[instrument], NOTHING)

    @property
    def entry(self) -> tuple[EntryRef, ...]:
        """Return a tuple with the entry of the box's count; empty before the count."""
        return () if self.counted is None else (self.counted.entry,)

    def found(self, instrument: str) -> Figure | None:
        """Return the counted amount of an instrument, in cents; None before the count."""
        if self.counted is None:
            return None
        currency, checks = self.counted.currency_cents, self.counted.counter_checks_cents
        return Figure(currency if instrument == "currency" else checks, self.entry)

    def difference(self, instrument: str) -> Figure | None:
        """Return the variance of an instrument: counted less recorded less unrecorded sales; None before the count."""
        found = self.found(instrument)
        return None if found is None else found - self.recorded(instrument) - self.unrecorded(instrument)

    def unrecorded(self, instrument: str) -> Figure:
        """Return the unrecorded sales: at a table that does not report each sale, counted less recorded; else zero."""
        found = self.found(instrument)
        if found is None or is_each_reported(self.sales) or found.value <= self.recorded(instrument).value:
            return NOTHING
        return found - self.recorded(instrument)

    def turn(self, number: int) -> Turn | None:
        """Return one person's count by number (1: first, 2: blind second); None if there are fewer counts."""
        turns = () if self.counted is None else self.counted.turns
        return turns[number - 1] if len(turns) >= number else None


def is_each_reported(sales: Sales | None) -> bool:
    """Return whether a table with this kind of sales reports each sale; with None (it reports rounds), it does."""
    return sales in (None, "each")


async def boxes_of(books: Books) -> list[Box]:
    """Return the boxes of the queried gaming days, in the order of tables and time."""
    first, last = books.question.first, books.question.last
    pairs = await last_and_all(books, pit.ExchangedBox)
    return await boxes_between(
        books, [(_span(before, one), one) for before, one in pairs if first <= one.fact.gaming_day <= last]
    )


async def boxes_between(books: Books, exchanged: Sequence[tuple[Span, Listed]]) -> list[Box]:
    """Return the boxes removed from tables, given for each the span at the table and the exchange that removed it."""
    if not exchanged:
        return []
    moves = await moved_in(books, [span for span, _ in exchanged])
    named = [f"{one.fact.table}/{one.fact.sequence}" for _, one in exchanged]
    counted: dict[tuple[str, int], Counted] = {}
    for row in await books.read(_COUNTED, **_days(books), named=named):
        turns = [Turn(one["counted_by"], one["drop_cents"]) for one in row.turns]
        entry = EntryRef(row.service, row.shard, row.seq)
        counted[row.table, row.exchange] = Counted(entry, row.currency_cents, row.counter_checks_cents, turns)
    return [
        Box(
            one,
            moves[span],
            counted.get((one.fact.table, one.fact.sequence)),
            books.sales_of(one.fact.table, one.fact.gaming_day),
        )
        for span, one in exchanged
    ]


def _span(before: Listed | None, exchanged: Listed) -> Span:
    return Span(exchanged.fact.table, None if before is None else before.occurred_at, exchanged.occurred_at)


# The document of a count lists every note and check of every box twice, so the database adds them up instead of
# returning them.
_COUNTED: Final = text("""
    SELECT f.service, f.shard, f.seq, b."table", b.exchange, b.currency_cents, b.counter_checks_cents, t.turns
    FROM reporting.facts f
    CROSS JOIN LATERAL jsonb_to_recordset(f.data -> 'boxes')
         AS b("table" text, exchange bigint, currency_cents bigint, counter_checks_cents bigint, turns jsonb)
    CROSS JOIN LATERAL (
        SELECT coalesce(json_agg(
                   json_build_object('counted_by', o.turn ->> 'counted_by', 'drop_cents', d.cents) ORDER BY o.n), '[]')
               AS turns
        FROM jsonb_array_elements(b.turns) WITH ORDINALITY AS o(turn, n)
        CROSS JOIN LATERAL (
            SELECT coalesce(CAST(sum(p.cents * coalesce(p.count, 1)) AS bigint), 0) AS cents
            FROM jsonb_to_recordset(
                coalesce(o.turn #> '{figures,currency}', '[]') || coalesce(o.turn #> '{figures,counter_checks}', '[]'))
                 AS p(cents bigint, count bigint)) d) t
    WHERE f.property = :property AND f.kind = 'count.concluded' AND f.gaming_day BETWEEN :first AND :last
      AND f.recorded_at <= :known_at AND concat(b."table", '/', b.exchange) = ANY(:named)
    ORDER BY f.recorded_at, f.service, f.shard, f.seq""")

_FOUND: Final = text("""
    SELECT b.* FROM reporting.facts f
    CROSS JOIN LATERAL jsonb_to_recordset(f.data -> 'boxes')
         AS b("table" text, exchange bigint, currency_cents bigint, counter_checks_cents bigint)
    WHERE f.property = :property AND f.kind = 'count.concluded' AND f.gaming_day BETWEEN :first AND :last
      AND f.recorded_at <= :known_at
    ORDER BY f.recorded_at, f.service, f.shard, f.seq""")


async def counted_boxes(books: Books) -> dict[tuple[str, int], tuple[int, int]]:
    """Return the currency and counter checks found in each box, in cents, keyed by table and exchange."""
    rows = await books.read(_FOUND, **_days(books))
    return {(row.table, row.exchange): (row.currency_cents, row.counter_checks_cents) for row in rows}


def _days(books: Books) -> dict[str, date]:
    """Return the first and last queried gaming day as parameters of a query for counts."""
    return {"first": books.question.first, "last": books.question.last}
