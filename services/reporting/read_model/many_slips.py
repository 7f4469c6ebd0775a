"""Slips over many gaming days, compared and summed in the database; only slips that need attention are read."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final, Self

from sqlalchemy import text

from services.reporting.framework.figures import NOTHING, EntryRef, Figure, Part, counted_each
from services.reporting.framework.question import is_long
from services.reporting.read_model.compared import Compared
from services.reporting.read_model.derived import stands
from services.reporting.read_model.reading import Books
from services.reporting.read_model.slips import Slip, slips_named
from services.reporting.read_model.variances import CaseKey
from shared.contracts.inventory import SlipKind

USUAL: Final = timedelta(days=7)
"""The usual maximum time between the steps of a slip."""

# A slip is plain when it was prepared once, received once with what was on it, and is not void.
_PLAIN: Final = """
    WITH steps AS MATERIALIZED (
        SELECT kind, event, slip, slip_request, contents_cents FROM reporting.facts
        WHERE property = :property AND slip IS NOT NULL AND gaming_day BETWEEN :first AND :last
          AND recorded_at <= :known_at AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table)
          AND {stands}),
    plain AS MATERIALIZED (
        SELECT slip, max(slip_request) AS request FROM steps
        WHERE slip <> ALL(:taken_on) AND slip NOT IN (
            SELECT slip FROM reporting.facts
            WHERE property = :property AND kind = 'slip.voided' AND recorded_at <= :known_at)
        GROUP BY slip
        HAVING count(*) FILTER (WHERE kind = 'slip.prepared') = 1
           AND count(*) FILTER (WHERE kind = 'slip.credit_received' OR event = 'fill.received') = 1
           AND sum(contents_cents) FILTER (WHERE kind = 'slip.prepared')
             = sum(contents_cents) FILTER (WHERE kind = 'slip.credit_received' OR event = 'fill.received'))""".replace(
    "{stands}", stands()
)

_OTHERS: Final = """
    SELECT DISTINCT slip FROM steps WHERE slip NOT IN (SELECT slip FROM plain UNION ALL SELECT request FROM plain)"""
_OFF: Final = text(_PLAIN + _OTHERS)

_ALL: Final = text(
    """{plain}
    SELECT o.slip AS off, NULL AS gaming_day, NULL AS table_name, NULL AS shift, NULL AS slip, NULL AS number,
           NULL AS contents_cents, NULL AS received_at, NULL AS service, NULL AS shard, NULL AS seq,
           NULL AS of_receipt, NULL AS shard_of_receipt, NULL AS seq_of_receipt
    FROM ({others}) o
    UNION ALL
    SELECT NULL, p.gaming_day, p.table_name, p.data ->> 'shift' AS shift, split_part(p.slip, '/', 1) AS slip,
           CAST(split_part(p.slip, '/', 2) AS bigint) AS number, p.contents_cents, r.occurred_at AS received_at,
           p.service, p.shard, p.seq, r.service AS of_receipt, r.shard AS shard_of_receipt, r.seq AS seq_of_receipt
    FROM plain
    JOIN reporting.facts p ON p.property = :property AND p.slip = plain.slip AND p.kind = 'slip.prepared'
    JOIN reporting.facts r ON r.property = :property AND r.slip = plain.slip
     AND (r.kind = 'slip.credit_received' OR r.event = 'fill.received')
    WHERE p.gaming_day BETWEEN :first_day AND :last_day AND p.recorded_at <= :known_at AND r.recorded_at <= :known_at
      AND {stands}
    """.replace("{stands}", stands("r"))
    .replace("{plain}", _PLAIN)
    .replace("{others}", _OTHERS)
)
"""The rows of `_OFF`, and all unremarkable slips prepared on the given days, each with its receipt."""

_PREPARED: Final = text("""
    SELECT gaming_day, split_part(slip, '/', 1) AS slip, count(*) AS slips FROM reporting.facts
    WHERE property = :property AND slip IS NOT NULL AND kind = 'slip.prepared' AND gaming_day BETWEEN :first AND :last
      AND recorded_at <= :known_at AND (CAST(:table AS text) IS NULL OR table_name = :table)
    GROUP BY 1, 2""")

# Requests and fills in transit are left out, because they move no chips at a table.
_DAYS: Final = text(
    """
    WITH raw AS MATERIALIZED (
        SELECT service, shard, seq, coalesce(event, kind) AS step, gaming_day, slip, contents_cents
        FROM reporting.facts
        WHERE property = :property AND slip IS NOT NULL AND recorded_at <= :known_at
          AND kind <> 'slip.requested' AND event IS DISTINCT FROM 'fill.carried'
          AND gaming_day BETWEEN :begin AND :last
          AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table) AND {stands})
    SELECT r.gaming_day, split_part(r.slip, '/', 1) AS slip, r.step, count(*) AS slips,
           coalesce(sum(coalesce(r.contents_cents, p.contents_cents)), 0) AS cents,
           bool_and(r.step <> 'credit.carried' OR p.slip IS NOT NULL) AS is_known,
           array_agg(r.service) AS services, array_agg(r.shard) AS shards, array_agg(r.seq) AS seqs,
           array_agg(coalesce(r.contents_cents, p.contents_cents, 0)) AS worth
    FROM raw r LEFT JOIN raw p ON r.step = 'credit.carried' AND p.step = 'slip.prepared' AND p.slip = r.slip
    WHERE r.gaming_day BETWEEN :first AND :last
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    """.replace("{stands}", stands())
)


def _around(books: Books, taken_on: Iterable[CaseKey]) -> dict[str, Any]:
    """Return the parameters for queries of slip steps, which include some days before and after the queried days."""
    question = books.question
    taken = [f"{kind}/{number}" for _, _, kind, number in taken_on]
    return {"first": question.first - USUAL, "last": question.last + USUAL, "table": question.table, "taken_on": taken}


async def compared_slips(books: Books, taken_on: Iterable[CaseKey] = ()) -> Compared[Slip]:
    """Return the slips with a step on the queried gaming days; unremarkable slips are only counted.

    An unremarkable slip was numbered by the system, was received once, as sent, and has no variance case (`taken_on`).
    """
    question = books.question
    rows = await books.read(_OFF, **_around(books, taken_on))
    off = await slips_named(books, [row.slip for row in rows])
    days = {"first": question.first, "last": question.last}
    prepared = await books.read(_PREPARED, table=question.table, **days)
    alike = Counter({(row.gaming_day, row.slip): row.slips for row in prepared})
    alike.subtract(
        (slip.prepared.fact.gaming_day, slip.slip)
        for slip in off
        if slip.prepared is not None and question.first <= slip.prepared.fact.gaming_day <= question.last
    )
    return Compared(off, +alike)


@dataclass(frozen=True, slots=True)
class ReceivedSlip:
    """A received slip that the system numbered: its gaming day and table, and the values sent and received."""

    gaming_day: date
    table: str
    shift: str
    slip: SlipKind
    number: int
    received_at: datetime
    sent: Figure
    arrived: Figure

    @classmethod
    def of(cls, slip: Slip) -> Self:
        """Return the gaming day, table and values of a received slip, given the slip with all of its steps."""
        begun, received, number = slip.begun, slip.received, slip.number
        assert received is not None, "only slips that were received are compared"
        assert number is not None, "what was received had been prepared under a number"
        place = (begun.gaming_day, begun.table, begun.shift)
        return cls(*place, slip.slip, number, received.occurred_at, slip.value, slip.arrived or NOTHING)


async def received_slips(books: Books, taken_on: Iterable[CaseKey] = ()) -> Compared[ReceivedSlip]:
    """Return the received slips that were prepared on the queried gaming days, ordered by kind and number.

    If more than a week is queried, slips received as sent are only counted (`alike`).
    """
    question = books.question
    if is_long(question):
        compared = await compared_slips(books, taken_on)
        return Compared(_received(books, compared.off), compared.alike)
    days = {"first_day": question.first, "last_day": question.last}
    rows = await books.read(_ALL, **_around(books, taken_on), **days)
    found = _received(books, await slips_named(books, [row.off for row in rows if row.off is not None]))
    for row in rows:
        if row.off is not None:
            continue
        sent = Figure(row.contents_cents, (EntryRef(row.service, row.shard, row.seq),))
        arrived = Figure(row.contents_cents, (EntryRef(row.of_receipt, row.shard_of_receipt, row.seq_of_receipt),))
        place = (row.gaming_day, row.table_name, row.shift)
        found.append(ReceivedSlip(*place, row.slip, row.number, row.received_at, sent, arrived))
    return Compared(sorted(found, key=lambda slip: (slip.slip, slip.number, slip.gaming_day)))


def _received(books: Books, slips: Iterable[Slip]) -> list[ReceivedSlip]:
    """Return the received slips that were prepared on the queried gaming days."""
    received = [ReceivedSlip.of(slip) for slip in slips if slip.received and slip.status == "received"]
    return [slip for slip in received if books.question.first <= slip.gaming_day <= books.question.last]


async def slips_to_look_at(books: Books) -> list[Slip]:
    """Return the slips of the queried gaming days that are void, on paper, in transit, or not received as sent."""
    return [slip for slip in (await compared_slips(books)).off if _is_off(slip)]


def _is_off(slip: Slip) -> bool:
    """Return whether a slip needs attention."""
    return slip.series == "paper" or slip.status != "received" or slip.arrived != slip.value


@dataclass(frozen=True, slots=True)
class StepOfDay:
    """The slips of one kind that took the same step on a gaming day: number of slips, and total value in cents.

    `step` is the kind of fact that records the step, or of pit event. `cents` is the prepared value for a carried
    credit, and the returned value for a void.
    """

    gaming_day: date
    slip: SlipKind
    step: str
    slips: Figure
    cents: Figure


async def steps_of_days(books: Books) -> list[StepOfDay]:
    """Return the sums of slip steps by gaming day, kind of slip and step, without requests and carried fills."""
    question = books.question
    begin = question.first - USUAL
    asked = {"first": question.first, "last": question.last, "table": question.table}
    rows = await books.read(_DAYS, begin=begin, **asked)
    if not all(row.is_known for row in rows):
        rows = await books.read(_DAYS, begin=date.min, **asked)
    found = []
    for row in rows:
        entries = list(map(EntryRef, row.services, row.shards, row.seqs))
        worth = tuple(Part(entry, 1, cents) for entry, cents in zip(entries, row.worth, strict=True))
        slips, cents = Figure(row.slips, counted_each(entries)), Figure(int(row.cents), worth)
        found.append(StepOfDay(row.gaming_day, row.slip, row.step, slips, cents))
    return found
