"""Read the tables behind the reports, each report in one snapshot."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Table, and_, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.daily_win import GameDay, RoundCounts, WagerDay
from services.reporting.domain.win_to_date import GameWager, Wagered
from services.reporting.tables import (
    game_days,
    house_edges,
    submission_days,
    wager_days,
)
from shared.contracts.wager_totals import FIGURES, WagerTotals
from shared.runtime.rows import thing_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of the books a report is about, its first and last gaming day included; no table or game: all."""

    property: str
    first: date
    last: date
    table: str | None
    game: str | None

    def of(self, table: Table) -> ColumnElement[bool]:
        """Return the condition on one of the tables by gaming day."""
        condition = and_(table.c.gaming_day.between(self.first, self.last), table.c.property == self.property)
        if self.table is not None:
            condition &= table.c.table_name == self.table
        if self.game is not None:
            condition &= table.c.game == self.game
        return condition


async def wagers_of_day(connection: AsyncConnection, wanted: Wanted) -> Sequence[WagerDay]:
    """Return what was added up on a day by table, game and wager, in that order."""
    c = wager_days.c
    query = select(wager_days).where(wanted.of(wager_days)).order_by(c.table_name, c.game, c.wager)
    return [WagerDay(row.table_name, row.game, _totals(row)) for row in await connection.execute(query)]


async def totals_to_date(connection: AsyncConnection, wanted: Wanted) -> dict[GameWager, WagerTotals]:
    """Return what was added up of all days together by game and wager, in that order."""
    c = wager_days.c
    sums = (cast(func.sum(c[name]), BigInteger).label(name) for name in FIGURES)
    query = select(c.game, c.wager, *sums).where(wanted.of(wager_days)).group_by(c.game, c.wager)
    rows = await connection.execute(query.order_by(c.game, c.wager))
    return {(row.game, row.wager): _totals(row) for row in rows}


def _totals(row: Any) -> WagerTotals:
    return WagerTotals.of(row.wager, {name: row._mapping[name] for name in FIGURES})


async def wagered_to_date(connection: AsyncConnection, wanted: Wanted) -> Sequence[Wagered]:
    """Return what was wagered on all days together under each submission, by game, wager and version, in that order."""
    c, e = submission_days.c, house_edges.c
    key = (c.game, c.wager, c.version, c.submission, e.submission, e.wager)
    query = (
        select(
            *(c.game, c.wager, c.version, c.submission, e.paytable, e.house_edge, e.reason),
            cast(func.sum(c.handle_cents), BigInteger).label("handle_cents"),
        )
        .join_from(submission_days, house_edges, (e.submission == c.submission) & (e.wager == c.wager), isouter=True)
        .where(wanted.of(submission_days))
        .group_by(*key)
        .order_by(*key)
    )
    return [Wagered.model_validate(row, from_attributes=True) for row in await connection.execute(query)]


async def round_counts(connection: AsyncConnection, wanted: Wanted) -> Sequence[GameDay]:
    """Return the rounds by table and game, in that order."""
    c = game_days.c
    query = select(game_days).where(wanted.of(game_days)).order_by(c.table_name, c.game)
    return [GameDay(row.table_name, row.game, thing_of(RoundCounts, row)) for row in await connection.execute(query)]
