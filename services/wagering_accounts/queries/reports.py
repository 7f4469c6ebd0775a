"""Reads what people ask for: open rounds, exceptions, and the liability."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Column, cast, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.documents import (
    Balances,
    ExceptionKind,
    HoldDocument,
    LiabilityDay,
    OpenRound,
    RoundException,
)
from services.wagering_accounts.domain.evolving import FLOWS
from services.wagering_accounts.tables import (
    AMOUNTS,
    CHANGES,
    balances,
    day_changes,
    days,
    holds,
    liability_days,
    lines,
    round_accounts,
    rounds,
)
from shared.contracts.reports import ReportStatus
from shared.runtime.consume.days import stages_of_days
from shared.runtime.rows import rows_of, thing_of

OpenPlace = tuple[datetime, str, str]
"""The place of an open round in the list: (opened_at, table, round id)."""

_LIVE: Final = ("held", "captured")


async def open_rounds_after(
    connection: AsyncConnection, property_name: str, *, after: OpenPlace | None, limit: int
) -> list[OpenRound]:
    """Return rounds with wagers on hold or in play, oldest first, after a place."""
    c, h = rounds.c, holds.c
    waiting = select(h.hold).where(
        h.property == c.property, h.table == c.table, h.round_id == c.round_id, h.status.in_(_LIVE)
    )
    place = (c.opened_at, c.table, c.round_id)
    query = (
        select(rounds)
        .where(c.property == property_name, c.status.in_(("open", "captured")), waiting.exists())
        .order_by(*place)
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(*place) > after)
    found = (await connection.execute(query)).all()
    held: dict[tuple[str, str], list[HoldDocument]] = {(each.table, each.round_id): [] for each in found}
    if held:
        of_rounds = select(holds).where(
            h.property == property_name, tuple_(h.table, h.round_id).in_(held), h.status.in_(_LIVE)
        )
        for row in await connection.execute(of_rounds.order_by(h.account, h.hold)):
            held[row.table, row.round_id].append(HoldDocument.of(row))
    return [thing_of(OpenRound, each, holds=held[each.table, each.round_id]) for each in found]


async def exceptions_on(
    connection: AsyncConnection,
    property_name: str,
    gaming_day: date,
    *,
    table: str | None,
    kind: ExceptionKind | None,
) -> list[RoundException]:
    """Return what took more from accounts than was on hold, and what could not be taken back; of rounds of a day."""
    c = round_accounts.c
    query = (
        rows_of(round_accounts, property=property_name, gaming_day=gaming_day, table=table)
        .where(or_(c.shortage_cents > 0, c.staked_cents > c.covered_cents))
        .order_by(c.table, c.round_id, c.account)
    )
    rows = (await connection.execute(query)).all()
    return [exception for row in rows for exception in _exceptions(row) if kind is None or exception.kind == kind]


def _exceptions(row: Any) -> list[RoundException]:
    uncovered_cents = max(0, row.staked_cents - row.covered_cents)
    kinds = {ExceptionKind.UNCOVERED: uncovered_cents, ExceptionKind.SHORTAGE: row.shortage_cents}
    return [
        thing_of(RoundException, row, kind=kind, uncovered_cents=uncovered_cents)
        for kind, cents in kinds.items()
        if cents
    ]


async def liability_days_of(connection: AsyncConnection, property_name: str) -> Sequence[LiabilityDay]:
    """Return the liability by gaming day: what changed it, and the same change as the statements have it."""
    changes = await _sums(connection, property_name, liability_days.c.gaming_day, FLOWS)
    stated = await _sums(connection, property_name, lines.c.gaming_day, CHANGES)
    stages = await stages_of_days(connection, days, day_changes, property_name)
    found: list[LiabilityDay] = []
    closing = 0
    for day in sorted(changes.keys() | stated.keys()):
        flows, change = changes.get(day, dict.fromkeys(FLOWS, 0)), sum(stated.get(day, {}).values())
        opening, closing = closing, closing + sum(flows.values())
        found.append(
            LiabilityDay(
                gaming_day=day,
                status=stages.get(day, ReportStatus.OPEN),
                opening_cents=opening,
                closing_cents=closing,
                statement_cents=change,
                difference_cents=closing - opening - change,
                **flows,
            )
        )
    return found


async def balances_of(connection: AsyncConnection, property_name: str) -> Balances:
    """Return the sums of all accounts of a property."""
    sums = await _sums(connection, property_name, balances.c.kind, AMOUNTS)
    wallets_cents, games = sum(sums.get("wallet", {}).values()), sums.get("game", {})
    return Balances(wallets_cents=wallets_cents, total_cents=wallets_cents + sum(games.values()), **games)


async def _sums(
    connection: AsyncConnection, property_name: str, by: Column[Any], names: Sequence[str]
) -> Mapping[Any, dict[str, int]]:
    """Return the sums of some columns of a property's rows, by the values of another column of their table."""
    c = by.table.c
    sums = (cast(func.sum(c[name]), BigInteger).label(name) for name in names)
    query = select(by, *sums).where(c.property == property_name).group_by(by)
    return {key: dict(zip(names, found, strict=True)) for key, *found in await connection.execute(query)}
