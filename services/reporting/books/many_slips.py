"""Slips of many gaming days, compared and added up in the database: which of them somebody has to look at."""

from collections.abc import Container
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy import text

from services.reporting.books.compared import Compared
from services.reporting.books.reading import Books, Listed
from services.reporting.books.slips import AT_DESKS, STEPS, USUAL, Slip, slips_by
from services.reporting.books.variances import CaseKey
from services.reporting.kit.figures import EntryRef, Figure
from shared.contracts.inventory import SlipKind, SlipPrepared, SlipRequested
from shared.contracts.pit import CarriedFill
from shared.contracts.reading import kind_of

_PLAIN: Final = text("""
    WITH prepared AS MATERIALIZED (
        SELECT gaming_day, table_name, data ->> 'slip' AS slip, CAST(data ->> 'number' AS bigint) AS number,
               data ->> 'request' AS request, data -> 'contents' AS contents
        FROM reporting.facts
        WHERE property = :property AND kind = 'slip.prepared' AND gaming_day BETWEEN :first AND :last
          AND recorded_at <= :known_at AND (CAST(:table AS text) IS NULL OR table_name = :table)),
    received AS (
        SELECT 'fill' AS slip, CAST(data #>> '{data,number}' AS bigint) AS number, data #> '{data,contents}' AS contents
        FROM reporting.facts
        WHERE property = :property AND event = 'fill.received' AND gaming_day BETWEEN :first AND :last
          AND recorded_at <= :known_at
        UNION ALL
        SELECT data ->> 'slip', CAST(data ->> 'number' AS bigint), data -> 'received_contents' FROM reporting.facts
        WHERE property = :property AND kind = 'slip.credit_received' AND gaming_day BETWEEN :first AND :last
          AND recorded_at <= :known_at),
    arrived AS MATERIALIZED (
        SELECT slip, number, count(*) AS times, sum((
                   SELECT sum(p.cents * p.count) FROM jsonb_to_recordset(contents) AS p(cents bigint, count bigint)))
                   AS cents
        FROM received GROUP BY slip, number),
    voided AS MATERIALIZED (
        SELECT data ->> 'slip' AS slip, CAST(data ->> 'number' AS bigint) AS number FROM reporting.facts
        WHERE property = :property AND kind = 'slip.voided' AND recorded_at <= :known_at)
    SELECT p.gaming_day, p.table_name AS table, p.slip, p.number, p.request
    FROM prepared p JOIN arrived a ON a.slip = p.slip AND a.number = p.number
    WHERE a.times = 1
      AND a.cents = (SELECT sum(q.cents * q.count)
                     FROM jsonb_to_recordset(p.contents) AS q(cents bigint, count bigint))
      AND NOT EXISTS (SELECT FROM voided v WHERE v.slip = p.slip AND v.number = p.number)
    ORDER BY p.slip, p.number""")


_OTHERS: Final = text("""
    WITH steps AS (
        SELECT service, shard, seq, kind, gaming_day, occurred_at, recorded_at, data,
               CASE WHEN kind LIKE 'manual_slip.%' THEN kind
                    WHEN kind = 'slip.requested' THEN concat('request/', data ->> 'request')
                    ELSE concat(coalesce(data ->> 'slip', split_part(event, '.', 1)), '/',
                                coalesce(data ->> 'number', data #>> '{data,number}')) END AS key
        FROM reporting.facts
        WHERE property = :property AND gaming_day BETWEEN :first AND :last AND recorded_at <= :known_at
          AND (kind = ANY(:kinds) OR event = ANY(:events))
          AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table))
    SELECT service, shard, seq, kind, gaming_day, occurred_at, recorded_at, CAST(data AS text) AS data, key
    FROM steps
    WHERE key <> ALL(:besides)
      AND (CAST(:only AS text[]) IS NULL OR key = ANY(:only) OR key IN (
          SELECT p.key FROM steps p
          WHERE p.kind = 'slip.prepared' AND concat('request/', p.data ->> 'request') = ANY(:only)))
    ORDER BY recorded_at, service, shard, seq""")

_DAYS: Final = text("""
    WITH raw AS MATERIALIZED (
        SELECT service, shard, seq, kind, coalesce(event, kind) AS step, gaming_day, occurred_at, recorded_at, data,
               coalesce(data ->> 'slip', split_part(event, '.', 1)) AS slip,
               CASE WHEN kind LIKE 'manual_slip.%' THEN 'paper' ELSE 'system' END AS series,
               CAST(coalesce(data ->> 'number', data #>> '{data,number}') AS bigint) AS number,
               CAST(data ->> 'request' AS bigint) AS request,
               coalesce(data -> 'contents', data #> '{data,contents}', data -> 'received_contents', data -> 'returned')
                   AS contents
        FROM reporting.facts
        WHERE property = :property AND (kind = ANY(:kinds) OR event = ANY(:events)) AND recorded_at <= :known_at
          AND gaming_day BETWEEN :begin AND :last
          AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table))
    SELECT r.gaming_day, r.slip, r.step, count(*) AS slips, coalesce(sum(v.cents), 0) AS cents,
           bool_and(r.step <> 'credit.carried' OR p.contents IS NOT NULL) AS is_known,
           array_agg(r.service) AS services, array_agg(r.shard) AS shards, array_agg(r.seq) AS seqs
    FROM raw r
    LEFT JOIN raw p ON r.step = 'credit.carried' AND p.kind = 'slip.prepared' AND p.slip = 'credit'
        AND p.number = r.number
    CROSS JOIN LATERAL (
        SELECT sum(CAST(one ->> 'cents' AS bigint) * CAST(one ->> 'count' AS bigint)) AS cents
        FROM jsonb_array_elements(coalesce(r.contents, p.contents)) one) v
    WHERE r.gaming_day BETWEEN :first AND :last
    GROUP BY r.gaming_day, r.slip, r.step ORDER BY r.gaming_day, r.slip, r.step""")

_STEPS: Final[dict[str, Any]] = {
    "kinds": [kind.KIND.name for kind in AT_DESKS],
    "events": [kind_of(event) for event in STEPS],
}
"""All that is done about slips."""

_COUNTED: Final[dict[str, Any]] = {
    "kinds": [kind.KIND.name for kind in AT_DESKS if kind is not SlipRequested],
    "events": [kind_of(event) for event in STEPS if event is not CarriedFill],
}
"""The steps that are counted by gaming day."""


async def compared_slips(books: Books, taken_on: Container[CaseKey] = ()) -> Compared[Slip]:
    """Return the slips of which a step was done on the question's gaming days; of those alike, those begun on them.

    Alike are slips of the system that were received once, with what is on them, whose variance nobody has `taken_on`.
    """
    first, last = books.question.first, books.question.last
    days = {"first": first - USUAL, "last": last + USUAL}
    alike: list[CaseKey] = []
    plain: list[str] = []
    for row in await books.read(_PLAIN, table=books.question.table, **days):
        key: CaseKey = (row.gaming_day, row.table, row.slip, row.number)
        if key not in taken_on:
            plain += (f"{row.slip}/{row.number}", f"request/{row.request}")
            if first <= row.gaming_day <= last:
                alike.append(key)

    seen: list[tuple[str, Listed]] = []

    async def others(begin: date, end: date) -> list[Listed]:
        """Return the steps of some days; asked for more days, those of the slips that were seen before alone."""
        papers = [one for key, one in seen if key.startswith("manual_slip.")]
        requests = [f"request/{one.fact.request}" for _, one in seen if isinstance(one.fact, SlipPrepared)]
        only = [*{key for key, _ in seen if "/" in key}, *requests] if seen else None
        asked = _STEPS | {"first": begin, "last": end, "table": books.question.table, "besides": plain, "only": only}
        found = [(row.key, Listed.of(row)) for row in await books.read(_OTHERS, **asked)]
        seen.extend(found)
        return [*papers, *(one for _, one in found)]

    return Compared(await slips_by(books, others), alike)


async def slips_to_look_at(books: Books) -> list[Slip]:
    """Return the slips of the question's gaming days that are void, on paper, on their way, or of two contents."""
    return [slip for slip in (await compared_slips(books)).off if _is_off(slip)]


def _is_off(slip: Slip) -> bool:
    """Return whether there is something to look at, when all that is known of it was read."""
    return slip.series == "paper" or slip.status != "received" or slip.arrived != slip.value


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
    begin = question.first - USUAL
    asked = _COUNTED | {"first": question.first, "last": question.last, "table": question.table}
    rows = await books.read(_DAYS, begin=begin, **asked)
    if not all(row.is_known for row in rows):
        rows = await books.read(_DAYS, begin=date.min, **asked)
    found = []
    for row in rows:
        because = tuple(map(EntryRef, row.services, row.shards, row.seqs))
        slips, cents = Figure(row.slips, because), Figure(int(row.cents), because)
        found.append(StepOfDay(row.gaming_day, row.slip, row.step, slips, cents))
    return found
