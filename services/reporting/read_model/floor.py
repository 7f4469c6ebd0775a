"""The current state of a property's tables: rounds and money summed since the start of the gaming day.

It is polled about every second, so only sums and the rounds of the last hour are read.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, Field
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.read_model.alarms import open_alarms
from shared.contracts.cage_locations import CAGE
from shared.contracts.envelope import Name
from shared.contracts.properties import Play, Sales
from shared.contracts.property_snapshot import PropertySnapshot

RATE: Final = timedelta(hours=1)
"""The period over which a table's rounds per hour are counted."""

_DROP: Final = ("sold_for_currency_cents", "checks_issued_cents")
"""The measures that make up the drop: chips sold for currency, and counter checks."""

_WON: Final = text("""
    SELECT table_name, sum(handle_cents) AS handle_cents,
           sum(handle_cents + vigorish_cents + house_in_bank_cents - payout_cents) AS win_cents
    FROM reporting.wager_days WHERE property = :property AND gaming_day = :gaming_day GROUP BY table_name""")
_PLAYED: Final = text("""
    SELECT table_name, sum(posted - reversed) AS rounds
    FROM reporting.play_days WHERE property = :property AND gaming_day = :gaming_day GROUP BY table_name""")
_BROUGHT: Final = text("""
    SELECT table_name, sum(value) AS drop_cents FROM reporting.amount_days
    WHERE property = :property AND gaming_day = :gaming_day AND measure = ANY(:measures) AND table_name <> ''
    GROUP BY table_name""")
_LATELY: Final = text("""
    SELECT wanted.table_name, last.closed_at, last.round_id, last.dealer, last.seats,
           coalesce(hour.rounds, 0) AS rounds_in_hour
    FROM unnest(CAST(:tables AS text[])) AS wanted (table_name)
    LEFT JOIN LATERAL (
        SELECT r.closed_at, r.round_id, r.dealer, abs(r.seats) AS seats FROM reporting.rounds r
        WHERE r.property = :property AND r.gaming_day = :gaming_day AND r.table_name = wanted.table_name
        ORDER BY r.closed_at DESC LIMIT 1) last ON true
    LEFT JOIN LATERAL (
        SELECT sum(r.sign) AS rounds FROM reporting.rounds r
        WHERE r.property = :property AND r.gaming_day = :gaming_day AND r.table_name = wanted.table_name
          AND r.closed_at > :since) hour ON true""")
_RESULTS: Final = text("""
    SELECT table_name, sum(value) AS results,
           coalesce(sum(value) FILTER (WHERE closed_at > :since), 0) AS in_hour
    FROM reporting.amounts
    WHERE property = :property AND gaming_day = :gaming_day AND measure = 'results' GROUP BY table_name""")
_MISSED: Final = text("""
    SELECT table_name, count(*) FILTER (WHERE kind = 'late') AS late, count(*) AS exceptions
    FROM reporting.exceptions
    WHERE property = :property AND gaming_day = :gaming_day AND table_name IS NOT NULL GROUP BY table_name""")


class FloorTable(BaseModel):
    """A table on the current gaming day; `win_cents` is its settled win, `drop_cents` its reported sales.

    A table whose `play` is counted has no win before it is counted. If it reports no `sales`, it has no drop either; if
    it reports only sales over an amount, the drop is at least `drop_cents`. A counted table may record `results`
    instead of rounds; `kind` is the kind of its game. `rounds_in_hour` and `results_in_hour` count rounds and results
    that closed in the last hour and have not been voided since. `dealer` dealt the last round, if the table says who
    did; `heads` is the number of seats that wagered in it. Both are None before the first round of the gaming day.
    `alarms` is the number of unresolved alarms of sequential tests about the table.
    """

    table: Name
    pit: Name
    game: Name
    revenue_class: Literal["banking", "non_banking", "fully_automated"]
    play: Play
    sales: Sales
    kind: Name | None
    minimum_cents: int | None
    positions: int
    rounds: int
    rounds_in_hour: int
    results: int
    results_in_hour: int
    last_round: str | None
    last_round_at: AwareDatetime | None
    dealer: str | None
    heads: int | None
    handle_cents: int
    win_cents: int | None
    drop_cents: int | None
    exceptions: int
    late: int
    alarms: int


class Floor(BaseModel):
    """The current state of a property's tables, ordered as in the property document."""

    property: Name
    title: str
    time_zone: str
    gaming_day: date
    at: AwareDatetime
    tables: list[FloorTable]


class FloorOf(BaseModel):
    """A property and its current gaming day."""

    property: Name
    title: str
    time_zone: str
    gaming_day: date
    pits: list[Name] = Field(description="in the order of the property document")
    shift: str


class FloorNames(BaseModel):
    """The names in a property's document on a gaming day, offered to people as choices."""

    tables: list[Name] = Field(description="the tables that are open")
    pits: list[Name]
    games: list[Name]
    shifts: list[Name] = Field(description="in order of time")
    pools: list[Name] = Field(description="the progressive pools that tables feed")
    locations: list[Name] = Field(description="the locations of the cage in use")
    chip_sets: list[Name] = Field(description="the sets of chips, plaques and tokens in use")


def names_of(place: PropertySnapshot, day: date) -> FloorNames:
    """Return the names in a property's document on a gaming day."""
    document, tables = place.document, place.tables_on(day)
    return FloorNames(
        tables=[one.table for one in tables],
        pits=list(document.pits),
        games=sorted({one.game for one in tables}),
        shifts=[one.shift for one in document.shifts],
        pools=sorted({name for one in tables for name in one.progressive_links}),
        locations=[CAGE, *(one.location for one in document.cage_locations if one.is_in_use_on(day))],
        chip_sets=[one.chip_set for one in document.chip_sets or () if one.is_in_use_on(day)],
    )


async def floor_of(connection: AsyncConnection, place: PropertySnapshot, day: date, at: datetime) -> Floor:
    """Return the state of a property's tables on a gaming day, as of a moment."""
    document = place.document
    tables = place.tables_on(day)
    asked = {"property": document.property, "gaming_day": day}
    won = await _by_table(connection, _WON, asked)
    played = await _by_table(connection, _PLAYED, asked)
    brought = await _by_table(connection, _BROUGHT, asked | {"measures": list(_DROP)})
    results = await _by_table(connection, _RESULTS, asked | {"since": at - RATE})
    missed = await _by_table(connection, _MISSED, asked)
    alarms = Counter(one.tested.table for of, one in await open_alarms(connection) if of == document.property)
    names = [one.table for one in tables]
    lately = await _by_table(connection, _LATELY, asked | {"tables": names, "since": at - RATE})
    found = [
        FloorTable(
            table=one.table,
            pit=one.pit,
            game=one.game,
            revenue_class=one.revenue_class,
            play=one.play,
            sales=one.sales,
            kind=place.kind_of(one.game),
            minimum_cents=one.minimum_cents,
            positions=one.positions,
            rounds=int(played.get(one.table, {}).get("rounds", 0)),
            rounds_in_hour=lately[one.table]["rounds_in_hour"],
            results=int(results.get(one.table, {}).get("results", 0)),
            results_in_hour=int(results.get(one.table, {}).get("in_hour", 0)),
            last_round=lately[one.table]["round_id"],
            last_round_at=lately[one.table]["closed_at"],
            dealer=lately[one.table]["dealer"] or None,
            heads=lately[one.table]["seats"],
            handle_cents=int(won.get(one.table, {}).get("handle_cents", 0)),
            win_cents=None if one.play == "counted" else int(won.get(one.table, {}).get("win_cents", 0)),
            drop_cents=None if one.sales == "none" else int(brought.get(one.table, {}).get("drop_cents", 0)),
            exceptions=missed.get(one.table, {}).get("exceptions", 0),
            late=missed.get(one.table, {}).get("late", 0),
            alarms=alarms[one.table],
        )
        for one in tables
    ]
    return Floor(
        property=document.property,
        title=document.title,
        time_zone=document.time_zone,
        gaming_day=day,
        at=at,
        tables=found,
    )


async def _by_table(connection: AsyncConnection, statement: Any, asked: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    rows = await connection.execute(statement, asked)
    return {row["table_name"]: dict(row) for row in rows.mappings()}
