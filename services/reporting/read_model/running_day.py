"""Figures of the current gaming days for /metrics/business: each table's drop, win and rounds since the day began.

The figures are polled every few seconds, so only sums are read, with one statement for all properties. Amounts are
cents. Drop is the drop recorded in the pit, and win is the win of settled rounds, because tables and boxes are counted
only after the gaming day.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.tables import properties
from shared.contracts.property_snapshot import PropertySnapshot
from shared.jurisdictions.model import ClassOfRevenue
from shared.runtime.ingest.property_copies import known_places

TABLES_MAX: Final = 500
"""Maximum number of tables with figures of their own, over all properties; the rest are combined."""

OTHERS: Final = "(others)"
"""Name of table and game for all tables beyond `TABLES_MAX`; no table's name has parentheses."""

_PROPERTIES: Final = text("SELECT DISTINCT property FROM reporting.properties ORDER BY property")

# Each part uses the leading columns of a primary key.
_FIGURES: Final = text("""
    WITH wanted AS (
        SELECT * FROM unnest(CAST(:properties AS text[]), CAST(:days AS date[])) AS w (property, gaming_day)),
    parts AS (
        SELECT w.property, d.table_name, d.handle_cents,
               d.handle_cents + d.vigorish_cents + d.house_in_bank_cents - d.payout_cents AS win_cents,
               0 AS rounds, 0 AS results, 0 AS drop_cents, 0 AS rake_cents, 0 AS contest_cents
        FROM wanted w JOIN reporting.wager_days d USING (property, gaming_day)
        UNION ALL
        SELECT w.property, p.table_name, 0, 0, p.posted - p.reversed, 0, 0, 0, 0
        FROM wanted w JOIN reporting.play_days p USING (property, gaming_day)
        UNION ALL
        SELECT w.property, a.table_name, 0, 0, 0, CASE a.measure WHEN 'results' THEN a.value ELSE 0 END,
               CASE WHEN a.measure IN ('sold_for_currency_cents', 'checks_issued_cents') THEN a.value ELSE 0 END,
               CASE a.measure WHEN 'rake_cents' THEN a.value ELSE 0 END,
               CASE a.measure WHEN 'contest_fees_cents' THEN a.value WHEN 'contest_prizes_cents' THEN -a.value
                              ELSE 0 END
        FROM wanted w JOIN reporting.amount_days a USING (property, gaming_day)
        WHERE a.measure IN ('sold_for_currency_cents', 'checks_issued_cents', 'rake_cents', 'results',
                            'contest_fees_cents', 'contest_prizes_cents'))
    SELECT property, table_name, sum(handle_cents) AS handle_cents, sum(win_cents) AS win_cents,
           sum(rounds) AS rounds, sum(results) AS results, sum(drop_cents) AS drop_cents, sum(rake_cents) AS rake_cents,
           sum(contest_cents) AS contest_cents
    FROM parts GROUP BY property, table_name""")


def _added(one: int | None, other: int | None) -> int | None:
    """Return the sum of two figures, with None as zero; None if both are None."""
    return other if one is None else one + (other or 0)


@dataclass(frozen=True, slots=True)
class TableFigures:
    """The figures of a table on the current gaming day; a figure that does not apply to the table is None.

    Only a counted table has `results`. A counted table has no win before it is counted, and no drop if it reports no
    sales. Chips sold at a non-banking table are not drop, and its revenue is the rake of counted boxes.
    """

    property: str
    revenue_class: ClassOfRevenue
    game: str
    table: str
    rounds: int
    results: int | None
    handle_cents: int
    win_cents: int | None
    drop_cents: int | None
    rake_cents: int | None

    def __add__(self, other: "TableFigures") -> "TableFigures":
        return replace(
            self,
            rounds=self.rounds + other.rounds,
            results=_added(self.results, other.results),
            handle_cents=self.handle_cents + other.handle_cents,
            win_cents=_added(self.win_cents, other.win_cents),
            drop_cents=_added(self.drop_cents, other.drop_cents),
            rake_cents=_added(self.rake_cents, other.rake_cents),
        )


@dataclass(frozen=True, slots=True)
class RunningDays:
    """The figures of all properties' tables on the current gaming days, and contest revenue in cents by property."""

    tables: Sequence[TableFigures]
    contest_cents: Mapping[str, int]


_Known = Mapping[tuple[str, str], RowMapping]
"""The sums of a gaming day, keyed by property and table."""


async def running_days(connection: AsyncConnection, now: datetime, *, tables_max: int = TABLES_MAX) -> RunningDays:
    """Return the figures of the gaming days in progress at a moment, for all properties then in effect."""
    places = await known_places(connection, properties)
    names = (await connection.execute(_PROPERTIES)).scalars()
    found = [(place, place.gaming_day(now)) for name in names if (place := places.place(name, now)) is not None]
    asked = {"properties": [place.document.property for place, _ in found], "days": [day for _, day in found]}
    rows = (await connection.execute(_FIGURES, asked)).mappings()
    known: _Known = {(row["property"], row["table_name"]): row for row in rows}
    tables = [one for place, day in found for one in _tables_of(place, day, known)]
    contests = {place.document.property: 0 for place, _ in found}
    for (property_name, _), row in known.items():
        contests[property_name] += int(row["contest_cents"])
    return RunningDays(_bounded(tables, tables_max), contests)


def _tables_of(place: PropertySnapshot, day: date, known: _Known) -> Sequence[TableFigures]:
    """Return the tables in use on a gaming day, with zeros for tables without play."""
    found = []
    for table in place.tables_on(day):
        row: Mapping[Any, Any] = known.get((place.document.property, table.table), {})
        has_drop = table.revenue_class == "banking" and table.sales != "none"
        found.append(
            TableFigures(
                property=place.document.property,
                revenue_class=table.revenue_class,
                game=table.game,
                table=table.table,
                rounds=int(row.get("rounds", 0)),
                results=int(row.get("results", 0)) if table.play == "counted" else None,
                handle_cents=int(row.get("handle_cents", 0)),
                win_cents=None if table.play == "counted" else int(row.get("win_cents", 0)),
                drop_cents=int(row.get("drop_cents", 0)) if has_drop else None,
                rake_cents=int(row.get("rake_cents", 0)) if table.non_banking else None,
            )
        )
    return found


def _bounded(tables: Sequence[TableFigures], tables_max: int) -> Sequence[TableFigures]:
    """Return the first `tables_max` tables unchanged, and the others summed by property and revenue class."""
    rest: dict[tuple[str, str], TableFigures] = {}
    for one in tables[tables_max:]:
        key = (one.property, one.revenue_class)
        other = replace(one, game=OTHERS, table=OTHERS)
        rest[key] = rest[key] + other if key in rest else other
    return [*tables[:tables_max], *rest.values()]
