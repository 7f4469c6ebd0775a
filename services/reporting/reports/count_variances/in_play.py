"""Rounds in play at a count of a table inventory: opened before it, and closed after it. Amounts are cents."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef, Figure
from services.reporting.read_model.reading import Books
from services.reporting.read_model.spans import NEIGHBORS, Span, given_spans
from shared.contracts.wager_totals import FIGURES

# `places` reads only the index, because few of a table's rounds of a day are in play at a count. OFFSET 0: each count
# searches the index by itself.
_IN_PLAY: Final = text("""
    WITH counts AS (
        SELECT * FROM json_to_recordset(CAST(:spans AS json))
                      AS s(number integer, table_name text, until timestamptz, first date, last date)),
    places AS (
        SELECT DISTINCT c.number, c.table_name, r.gaming_day, r.closed_at
        FROM counts c CROSS JOIN LATERAL (
            SELECT gaming_day, closed_at FROM reporting.rounds
            WHERE property = :property AND gaming_day BETWEEN c.first AND c.last AND table_name = c.table_name
              AND closed_at > c.until AND opened_at < c.until AND recorded_at <= :known_at OFFSET 0) r)
    SELECT p.number, r.round_id, max(r.opened_at) AS opened_at, r.closed_at, sum(r.chips_cents) AS chips_cents,
           max(r.shard) FILTER (WHERE r.sign > 0) AS shard, max(r.seq) FILTER (WHERE r.sign > 0) AS seq,
           max(r.figures) FILTER (WHERE r.sign > 0) AS figures
    FROM places p JOIN reporting.rounds r
      ON r.property = :property AND r.gaming_day = p.gaming_day AND r.table_name = p.table_name
     AND r.closed_at = p.closed_at AND r.recorded_at <= :known_at
    GROUP BY p.number, r.round_id, r.revision, r.closed_at HAVING sum(r.sign) > 0
    ORDER BY p.number, r.closed_at, r.round_id""")


@dataclass(frozen=True, slots=True)
class RoundInPlay:
    """A round in play at a count: its handle, and the chips that it added to the table inventory, in cents."""

    round_id: str
    opened_at: datetime
    closed_at: datetime
    wagered: Figure
    chips: Figure


async def rounds_in_play(
    books: Books, counts: Iterable[tuple[str, datetime]]
) -> dict[tuple[str, datetime], list[RoundInPlay]]:
    """Return the rounds in play at each count (given as table and moment), ordered by closing time.

    Reversed rounds are left out.
    """
    spans = [Span(table, None, at) for table, at in dict.fromkeys(counts)]
    days = {span: books.place.gaming_day(span.until) for span in spans}
    given = given_spans(spans, lambda span: {"first": days[span] - NEIGHBORS, "last": days[span]})
    found: dict[tuple[str, datetime], list[RoundInPlay]] = {}
    for row in await books.read(_IN_PLAY, spans=given):
        span, because = spans[row.number - 1], (EntryRef("round-settlement", row.shard, row.seq),)
        wagered = sum(row.figures[FIGURES.index("handle_cents") :: len(FIGURES)])
        played = RoundInPlay(
            row.round_id,
            row.opened_at,
            row.closed_at,
            Figure(wagered, because),
            Figure(int(row.chips_cents), because),
        )
        found.setdefault((span.table, span.until), []).append(played)
    return found
