"""What players bought at tables hour by hour: chips for currency, and for counter checks. Amounts are cents."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import text

from services.reporting.books.reading import Books
from services.reporting.kit.figures import NOTHING, EntryRef, Figure

# `moved_cents` is what came into the table inventory, and so negative.
_SALES: Final = text("""
    SELECT date_trunc('hour', occurred_at, :zone) AS hour, table_name, event, count(*) AS sales,
           -sum(moved_cents) AS cents, array_agg(service) AS services, array_agg(shard) AS shards,
           array_agg(seq) AS seqs
    FROM (SELECT * FROM reporting.facts
          WHERE property = :property AND gaming_day = :gaming_day AND recorded_at <= :known_at
            AND event IN ('chips.sold', 'counter_check.issued') AND moved_by IN ('currency', 'counter_check.issued')
            AND moved_cents <> 0 AND (CAST(:table AS text) IS NULL OR table_name = :table)
          ORDER BY occurred_at, service, shard, seq) sold
    GROUP BY hour, table_name, event ORDER BY hour, table_name, event""")


@dataclass(frozen=True, slots=True)
class HourOfSales:
    """What was sold in the hour that begins at `hour`: how often, for currency, and for counter checks."""

    hour: datetime
    sales: Figure = NOTHING
    currency: Figure = NOTHING
    checks: Figure = NOTHING


async def hours_of_sales(books: Books, is_asked: Callable[[Books, str], bool]) -> list[HourOfSales]:
    """Return the hours of the question's last gaming day in which tables sold something, on the property's clock."""
    found: dict[datetime, HourOfSales] = {}
    question, zone = books.question, books.place.document.time_zone
    for row in await books.read(_SALES, gaming_day=question.last, zone=zone, table=question.table):
        if not is_asked(books, row.table_name):
            continue
        because = tuple(map(EntryRef, row.services, row.shards, row.seqs))
        before = found.get(row.hour, HourOfSales(row.hour))
        cents = Figure(int(row.cents), because)
        is_check = row.event == "counter_check.issued"
        found[row.hour] = HourOfSales(
            row.hour,
            before.sales + Figure(row.sales, because),
            before.currency + (NOTHING if is_check else cents),
            before.checks + (cents if is_check else NOTHING),
        )
    return list(found.values())
