"""Chips sold at tables, by hour: for currency, and for counter checks. Amounts are cents."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import text

from services.reporting.framework.figures import NOTHING, Figure
from services.reporting.read_model.reading import Books, entries_of, parts_of

# `moved_cents` is the change of the table inventory: negative for a sale, positive for a voided sale. `moved_by` is the
# instrument of a sale.
_SOLD: Final = """
    FROM reporting.facts
    WHERE property = :property AND gaming_day = :gaming_day AND recorded_at <= :known_at
      AND moved_by IN ('currency', 'counter_check.issued') AND moved_cents <> 0
      AND (CAST(:table AS text) IS NULL OR table_name = :table)
      AND (CAST(:tables AS text[]) IS NULL OR table_name = ANY(:tables))"""

# In every time zone hours begin with a quarter of an hour of UTC, so that only quarters need conversion to local hours.
_SUMS: Final = text(
    """
    SELECT date_trunc('hour', quarter, :zone) AS hour, moved_by, CAST(sum(sales) AS bigint) AS sales,
           CAST(sum(cents) AS bigint) AS cents
    FROM (SELECT date_bin('15 minutes', occurred_at, TIMESTAMPTZ 'epoch') AS quarter, moved_by,
                 -sum(sign(moved_cents)) AS sales, -sum(moved_cents) AS cents {sold}
          GROUP BY quarter, moved_by) quarters
    GROUP BY hour, moved_by ORDER BY hour, moved_by DESC""".replace("{sold}", _SOLD)
)
_EXPLAINED: Final = text(
    """
    SELECT date_trunc('hour', occurred_at, :zone) AS hour, moved_by,
           CAST(-sum(sign(moved_cents)) AS bigint) AS sales, CAST(-sum(moved_cents) AS bigint) AS cents{entries} {sold}
    GROUP BY hour, moved_by ORDER BY hour, moved_by DESC""".replace("{sold}", _SOLD).replace(
        "{entries}", entries_of("-CAST(sign(moved_cents) AS bigint)", "-moved_cents")
    )
)


@dataclass(frozen=True, slots=True)
class HourOfSales:
    """The sales in the hour that begins at `hour`: number, and cents sold for currency and for counter checks."""

    hour: datetime
    sales: Figure = NOTHING
    currency: Figure = NOTHING
    checks: Figure = NOTHING


async def hours_of_sales(books: Books) -> list[HourOfSales]:
    """Return the hours (by the property's clock) of the last queried gaming day in which tables sold chips."""
    found: dict[datetime, HourOfSales] = {}
    asked = {"zone": books.place.document.time_zone, "table": books.question.table, "tables": books.tables_asked}
    statement = _EXPLAINED if books.explains else _SUMS
    for row in await books.read(statement, gaming_day=books.question.last, **asked):
        number, worth = ((parts_of(row.entries, one) if books.explains else ()) for one in range(2))
        before, cents = found.get(row.hour, HourOfSales(row.hour)), Figure(row.cents, worth)
        is_check = row.moved_by != "currency"
        found[row.hour] = HourOfSales(
            row.hour,
            before.sales + Figure(row.sales, number),
            before.currency + (NOTHING if is_check else cents),
            before.checks + (cents if is_check else NOTHING),
        )
    return list(found.values())
