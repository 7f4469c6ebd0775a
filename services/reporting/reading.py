"""Reads the tables behind the reports, each report in one snapshot."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Table, and_, cast, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.reporting.documents import GameDay, Reached, Sums, WagerDay
from services.reporting.domain import SUMS, RoundCounts
from services.reporting.exception_list import EntryPlace, ExceptionItem, InputPlace, MissingRange
from services.reporting.tables import exceptions, game_days, house_edges, journal, submission_days, wager_days
from services.reporting.to_date import GameWager, Wagered
from shared.contracts.settlement_reading import PUBLISHER

BANK = "bank"
"""The wager type of a banking player's own line."""

Place = tuple[datetime, str, int, int, int]
"""The place of an exception in the order of the report: (since, service, shard, seq, number)."""


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection on which every query sees the same state."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of the books a report is about, its first and last gaming day included; no table or game: all."""

    property: str
    first: date
    last: date
    table: str | None
    game: str | None

    def of(self, table: Table) -> ColumnElement[bool]:
        """The condition on one of the tables by gaming day."""
        condition = and_(table.c.gaming_day.between(self.first, self.last), table.c.property == self.property)
        if self.table is not None:
            condition &= table.c.table_name == self.table
        if self.game is not None:
            condition &= table.c.game == self.game
        return condition


async def wager_sums(connection: AsyncConnection, wanted: Wanted) -> Sequence[WagerDay]:
    """The sums of a day by table, game and wager, in that order."""
    c = wager_days.c
    query = select(wager_days).where(wanted.of(wager_days)).order_by(c.table_name, c.game, c.wager)
    return [WagerDay(row.table_name, row.game, row.wager, _sums(row)) for row in await connection.execute(query)]


async def sums_to_date(connection: AsyncConnection, wanted: Wanted) -> dict[GameWager, Sums]:
    """The sums of all days together by game and wager, in that order."""
    c = wager_days.c
    sums = (cast(func.sum(c[name]), BigInteger).label(name) for name in SUMS)
    query = select(c.game, c.wager, *sums).where(wanted.of(wager_days)).group_by(c.game, c.wager)
    rows = await connection.execute(query.order_by(c.game, c.wager))
    return {(row.game, row.wager): _sums(row) for row in rows}


async def wagered_to_date(connection: AsyncConnection, wanted: Wanted) -> Sequence[Wagered]:
    """What was wagered on all days together under each submission, by game, wager and version, in that order."""
    c, e = submission_days.c, house_edges.c
    key = (c.game, c.wager, c.version, c.submission, e.submission, e.wager)
    query = (
        select(
            *(c.game, c.wager, c.version, c.submission, e.paytable, e.house_edge, e.reason),
            cast(func.sum(c.handle), BigInteger).label("handle"),
        )
        .join_from(
            submission_days,
            house_edges,
            (e.submission == c.submission) & (e.wager == c.wager),
            isouter=True,
        )
        .where(wanted.of(submission_days))
        .group_by(*key)
        .order_by(*key)
    )
    return [
        Wagered(
            game=row.game,
            wager=row.wager,
            version=row.version,
            submission=row.submission,
            paytable=row.paytable,
            handle=row.handle,
            house_edge=None if row.house_edge is None else Fraction(row.house_edge),
            reason=row.reason,
        )
        for row in await connection.execute(query)
    ]


def _sums(row: Any) -> Sums:
    sums = Sums(*(getattr(row, name) for name in SUMS))
    return sums._replace(bank_vigorish=sums.vigorish) if row.wager == BANK else sums


async def round_counts(connection: AsyncConnection, wanted: Wanted) -> Sequence[GameDay]:
    """The rounds by table and game, in that order."""
    c = game_days.c
    query = select(game_days).where(wanted.of(game_days)).order_by(c.table_name, c.game)
    return [
        GameDay(row.table_name, row.game, RoundCounts(row.posted, row.corrected, row.reversed, row.voided))
        for row in await connection.execute(query)
    ]


async def reached(connection: AsyncConnection) -> Sequence[Reached]:
    """How far each shard of the settlement journal has been read."""
    sources, gaps = journal.sources.c, journal.gaps.c
    missing = func.coalesce(func.sum(gaps.last - gaps.first + 1), 0)
    query = (
        select(sources.source, sources.last_sequence, missing.label("missing"))
        .join_from(journal.sources, journal.gaps, gaps.source == sources.source, isouter=True)
        .where(sources.source.startswith(f"/{PUBLISHER}/shards/"))
        .group_by(sources.source, sources.last_sequence)
    )
    found = [
        Reached(
            service=PUBLISHER,
            shard=int(row.source.rpartition("/")[2]),
            seq=row.last_sequence,
            missing=int(row.missing),
        )
        for row in await connection.execute(query)
    ]
    return sorted(found, key=lambda one: one.shard)


def _of_property(name: str) -> ColumnElement[bool]:
    """What is of a property, or may be: a record that cannot be read does not say whose it is."""
    return or_(exceptions.c.property == name, exceptions.c.property.is_(None))


async def count_open(connection: AsyncConnection, property_name: str) -> int:
    """How many exceptions of a property are open."""
    query = select(func.count()).where(exceptions.c.state == "open", _of_property(property_name))
    return int((await connection.execute(query)).scalar_one())


async def find_exceptions(
    connection: AsyncConnection,
    *,
    property_name: str | None,
    state: str | None,
    kind: str | None,
    after: Place | None,
    limit: int,
) -> Sequence[ExceptionItem]:
    """Exceptions, oldest first, from the one after a place."""
    c = exceptions.c
    place = (c.since, c.service, c.shard, c.seq, c.number)
    query = select(exceptions).order_by(*place).limit(limit)
    if property_name is not None:
        query = query.where(_of_property(property_name))
    if state is not None:
        query = query.where(c.state == state)
    if kind is not None:
        query = query.where(c.kind == kind)
    if after is not None:
        query = query.where(tuple_(*place) > after)
    return [_item(row) for row in await connection.execute(query)]


def _item(row: Any) -> ExceptionItem:
    # A multirange comes with the end of each range left out.
    missing = None if row.missing is None else [MissingRange(first=r.lower, last=r.upper - 1) for r in row.missing]
    record = None
    if row.topic is not None:
        record = InputPlace(topic=row.topic, partition=row.partition, offset=row.offset)
    settled = None
    if row.settled_seq is not None:
        settled = EntryPlace(service=row.service, shard=row.settled_shard, seq=row.settled_seq, hash=row.settled_hash)
    return ExceptionItem(
        kind=row.kind,
        state=row.state,
        since=row.since,
        entry=EntryPlace(service=row.service, shard=row.shard, seq=row.seq, hash=row.hash),
        number=row.number,
        stream=row.stream,
        first=row.first,
        last=row.last,
        missing=missing,
        property=row.property,
        table=row.table_name,
        game=row.game,
        gaming_day=row.gaming_day,
        round_id=row.round_id,
        revision=row.revision,
        code=row.code,
        seat=row.seat,
        paragraph=row.paragraph,
        detail=row.detail,
        record=record,
        reason=row.reason,
        entered_by=row.entered_by,
        approved_by=row.approved_by,
        settled_at=None if row.state == "open" else row.settled_at,
        settled_by=row.settled_by,
        settled_approved_by=row.settled_approved_by,
        settled_reason=row.settled_reason,
        settled_entry=settled,
    )
