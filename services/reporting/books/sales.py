"""What players bought at tables hour by hour: chips for currency, and for counter checks. Amounts are cents."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import text

from services.reporting.books.reading import ENTRIES, Books, refs_of
from services.reporting.kit.figures import NOTHING, Figure

# `moved_cents` is what came into the table inventory, and so negative.
_SALES: Final = """
    SELECT date_trunc('hour', occurred_at, :zone) AS hour, event, count(*) AS sales,
           CAST(-sum(moved_cents) AS bigint) AS cents{entries}
    FROM reporting.facts
    WHERE property = :property AND gaming_day = :gaming_day AND recorded_at <= :known_at
      AND event IN ('chips.sold', 'counter_check.issued') AND moved_by IN ('currency', 'counter_check.issued')
      AND moved_cents <> 0 AND (CAST(:table AS text) IS NULL OR table_name = :table)
      AND (CAST(:tables AS text[]) IS NULL OR table_name = ANY(:tables))
    GROUP BY hour, event ORDER BY hour, event"""
_SUMS: Final = text(_SALES.format(entries=""))
_EXPLAINED: Final = text(_SALES.format(entries=ENTRIES))


@dataclass(frozen=True, slots=True)
class HourOfSales:
    """What was sold in the hour that begins at `hour`: how often, for currency, and for counter checks."""

    hour: datetime
    sales: Figure = NOTHING
    currency: Figure = NOTHING
    checks: Figure = NOTHING


async def hours_of_sales(books: Books) -> list[HourOfSales]:
    """Return the hours of the question's last gaming day in which tables sold something, on the property's clock."""
    found: dict[datetime, HourOfSales] = {}
    asked = {"zone": books.place.document.time_zone, "table": books.question.table, "tables": books.tables_asked}
    statement = _EXPLAINED if books.explains else _SUMS
    for row in await books.read(statement, gaming_day=books.question.last, **asked):
        because = refs_of(row.entries) if books.explains else ()
        before, cents = found.get(row.hour, HourOfSales(row.hour)), Figure(row.cents, because)
        is_check = row.event == "counter_check.issued"
        found[row.hour] = HourOfSales(
            row.hour,
            before.sales + Figure(row.sales, because),
            before.currency + (NOTHING if is_check else cents),
            before.checks + (cents if is_check else NOTHING),
        )
    return list(found.values())
