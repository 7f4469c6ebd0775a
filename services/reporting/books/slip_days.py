"""Slips of many gaming days: added up by day where they were written, and those that somebody has to look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from sqlalchemy import text

from services.reporting.books.reading import Books, Listed
from services.reporting.books.slips import AT_DESKS, STEPS, USUAL, Slip, slips_by
from services.reporting.kit.figures import EntryRef, Figure
from shared.contracts.inventory import SlipKind, SlipRequested
from shared.contracts.pit import CarriedFill
from shared.contracts.reading import kind_of

_RAW: Final = """
    raw AS MATERIALIZED (
        SELECT service, shard, seq, kind, coalesce(event, kind) AS step, gaming_day, occurred_at, recorded_at, data,
               coalesce(data ->> 'slip', split_part(event, '.', 1)) AS slip,
               CASE WHEN kind LIKE 'manual_slip.%' THEN 'paper' ELSE 'system' END AS series,
               CAST(coalesce(data ->> 'number', data #>> '{data,number}') AS bigint) AS number,
               CAST(data ->> 'request' AS bigint) AS request,
               coalesce(data -> 'contents', data #> '{data,contents}', data -> 'received_contents', data -> 'returned')
                   AS contents
        FROM reporting.facts
        WHERE property = :property AND (kind = ANY(:kinds) OR event = ANY(:events)) AND recorded_at <= :known_at
          AND gaming_day BETWEEN :begin AND :end
          AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table))"""

_DAYS: Final = text(
    """
    WITH {raw}
    SELECT r.gaming_day, r.slip, r.step, count(*) AS slips, coalesce(sum(v.cents), 0) AS cents,
           bool_and(r.step <> 'credit.carried' OR p.contents IS NOT NULL) AS is_known,
           array_agg(r.service) AS services, array_agg(r.shard) AS shards, array_agg(r.seq) AS seqs
    FROM raw r
    LEFT JOIN raw p ON r.step = 'credit.carried' AND p.kind = 'slip.prepared' AND p.slip = 'credit'
        AND p.number = r.number
    CROSS JOIN LATERAL (
        SELECT sum(CAST(one ->> 'cents' AS bigint) * CAST(one ->> 'count' AS bigint)) AS cents
        FROM json_array_elements(coalesce(r.contents, p.contents)) one) v
    WHERE r.gaming_day BETWEEN :first AND :last
    GROUP BY r.gaming_day, r.slip, r.step ORDER BY r.gaming_day, r.slip, r.step""".replace("{raw}", _RAW)
)

_TO_LOOK_AT: Final = text(
    """
    WITH {raw},
    steps AS (
        SELECT r.*, coalesce(r.number, p.number, 0) AS of_number,
               CASE WHEN coalesce(r.number, p.number) IS NULL THEN r.request ELSE 0 END AS alone
        FROM raw r LEFT JOIN raw p ON r.kind = 'slip.requested' AND p.kind = 'slip.prepared' AND p.request = r.request),
    found AS (
        SELECT slip, series, of_number, alone FROM steps
        GROUP BY slip, series, of_number, alone
        HAVING bool_or(gaming_day BETWEEN :first AND :last)
           AND (bool_or(kind IN ('slip.voided', 'manual_slip.entered', 'manual_slip.voided'))
                OR min(CAST(contents AS text)) FILTER (WHERE kind = 'slip.prepared') IS DISTINCT FROM
                   min(CAST(contents AS text)) FILTER (WHERE step IN ('fill.received', 'slip.credit_received'))
                OR bool_or(alone > 0)))
    SELECT service, shard, seq, kind, gaming_day, occurred_at, recorded_at, CAST(data AS text) AS data
    FROM steps JOIN found USING (slip, series, of_number, alone)
    ORDER BY recorded_at, service, shard, seq""".replace("{raw}", _RAW)
)


_COUNTED: Final = {
    "kinds": [kind.KIND.name for kind in AT_DESKS if kind is not SlipRequested],
    "events": [kind_of(event) for event in STEPS if event is not CarriedFill],
}
"""The steps that are counted by gaming day."""


@dataclass(frozen=True, slots=True)
class StepOfDay:
    """What was done about the fills or the credits of a gaming day: which step, how many slips, what they come to.

    `step` is the kind of the entries, or what the pit reported. `cents` of a credit that was carried is what was
    prepared, of a void what came back.
    """

    gaming_day: date
    slip: SlipKind
    step: str
    slips: Figure
    cents: Figure


async def steps_of_days(books: Books) -> list[StepOfDay]:
    """Return what was done about slips on each of the question's gaming days; requests and fills on their way aside."""
    question = books.question
    begin, end = question.first - USUAL, question.last
    rows = await books.read(_DAYS, **_asked(books, begin, end) | _COUNTED)
    if not all(row.is_known for row in rows):
        rows = await books.read(_DAYS, **_asked(books, date.min, end) | _COUNTED)
    found = []
    for row in rows:
        because = tuple(map(EntryRef, row.services, row.shards, row.seqs))
        slips, cents = Figure(row.slips, because), Figure(int(row.cents), because)
        found.append(StepOfDay(row.gaming_day, row.slip, row.step, slips, cents))
    return found


async def slips_to_look_at(books: Books) -> Sequence[Slip]:
    """Return the slips of the question's gaming days that are void, on paper, on their way, or of two contents."""

    async def steps(begin: date, end: date) -> list[Listed]:
        return [Listed.of(row) for row in await books.read(_TO_LOOK_AT, **_asked(books, begin, end))]

    return [slip for slip in await slips_by(books, steps) if _is_off(slip)]


def _is_off(slip: Slip) -> bool:
    """Return whether there is something to look at, when all that is known of it was read."""
    return slip.series == "paper" or slip.status != "received" or slip.arrived != slip.value


def _asked(books: Books, begin: date, end: date) -> dict[str, object]:
    question = books.question
    return {
        "kinds": [kind.KIND.name for kind in AT_DESKS],
        "events": [kind_of(event) for event in STEPS],
        "begin": begin,
        "end": end,
        "first": question.first,
        "last": question.last,
        "table": question.table,
    }
