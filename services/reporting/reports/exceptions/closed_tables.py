"""Exceptions of recorded winners: wins at counted tables that, according to the pit, were not open."""

from typing import Final

from sqlalchemy import Row, text

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.derived import stands
from services.reporting.read_model.exceptions import Exceptional
from services.reporting.read_model.reading import Books

_LAST: Final = f"""
    SELECT max(occurred_at) AS at FROM reporting.facts
    WHERE property = :property AND table_name = w.table_name AND event = '{{event}}'
      AND occurred_at < w.won_at + interval '1 minute' AND recorded_at <= :known_at AND {stands()}"""  # noqa: S608 - our own text

# A win is to the minute: a table that opened or closed in that minute was open.
_WON: Final = text(f"""
    SELECT w.*, o.at AS opened_at, c.at AS closed_at
    FROM (
        SELECT DISTINCT ON (table_name, won_at, seat, wager) *
        FROM (
            SELECT service, shard, seq, recorded_at, gaming_day, table_name, data ->> 'seat' AS seat,
                   data ->> 'wager' AS wager, data ->> 'by' AS by, CAST(data ->> 'won_at' AS timestamptz) AS won_at
            FROM reporting.facts
            WHERE property = :property AND kind = 'winner.identified' AND gaming_day BETWEEN :first AND :last
              AND recorded_at <= :known_at AND (CAST(:table AS text) IS NULL OR table_name = :table)
              AND data ->> 'won_at' IS NOT NULL) known
        ORDER BY table_name, won_at, seat, wager, recorded_at DESC, shard, seq DESC) w
    CROSS JOIN LATERAL ({_LAST.format(event="table.opened")}) o
    CROSS JOIN LATERAL ({_LAST.format(event="table.closed")}) c
    WHERE coalesce(c.at >= o.at, o.at IS NULL) AND coalesce(c.at < w.won_at, true)
    ORDER BY w.won_at, w.table_name, w.seat, w.wager""")  # noqa: S608 - our own text


async def wins_at_closed_tables(books: Books) -> list[Exceptional]:
    """Return exceptions for wins on the queried gaming days at tables that, according to the pit, were not open."""
    asked = books.question
    found = await books.read(_WON, first=asked.first, last=asked.last, table=asked.table)
    return [_won(row) for row in found]


def _won(row: Row[tuple[object, ...]]) -> Exceptional:
    closed = "was not opened before" if row.closed_at is None else f"was closed since {row.closed_at.isoformat()}"
    return Exceptional(
        kind="win_at_closed_table",
        status="noted",
        since=row.won_at,
        subject=f"{row.table_name}/{row.seat}, {row.wager}",
        reason=f"the table {closed}, as far as the pit reported",
        entries=(EntryRef(row.service, row.shard, row.seq),),
        gaming_day=row.gaming_day,
        table=row.table_name,
        by=row.by,
    )
