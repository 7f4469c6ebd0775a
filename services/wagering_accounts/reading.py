"""Reads what stands: accounts, statements, open rounds, exceptions, and the liability, each in one snapshot."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.wagering_accounts.access_codes import HashedCode
from services.wagering_accounts.books import FLOWS, Account, Adjustment, Patron, Round
from services.wagering_accounts.documents import (
    AccountDocument,
    Balances,
    HoldDocument,
    Liability,
    LiabilityDay,
    OpenRound,
    RoundException,
    StatementLine,
)
from services.wagering_accounts.rows import thing_of
from services.wagering_accounts.tables import (
    adjustments,
    balances,
    holds,
    liability_days,
    lines,
    patrons,
    round_accounts,
    rounds,
)

DAYS_MAX: Final = 366


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection on which every query sees the same state."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection


async def account(connection: AsyncConnection, property_name: str, name: str) -> Account | None:
    """An account."""
    query = select(balances).where(balances.c.property == property_name, balances.c.account == name)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else thing_of(Account, row)


async def account_page(
    connection: AsyncConnection,
    property_name: str,
    *,
    table: str | None,
    patron: str | None,
    after: str | None,
    limit: int,
) -> list[AccountDocument]:
    """Accounts in the order of their names, after a given one."""
    c = balances.c
    query = select(balances).where(c.property == property_name).order_by(c.account).limit(limit)
    if table is not None:
        query = query.where(c.table_name == table)
    if patron is not None:
        query = query.where(c.patron == patron)
    if after is not None:
        query = query.where(c.account > after)
    return [account_document(thing_of(Account, row)) for row in await connection.execute(query)]


def account_document(found: Account) -> AccountDocument:
    """An account as it is shown."""
    return AccountDocument(
        property=found.property_name,
        account=found.account,
        kind=found.kind,
        status=found.status,
        version=found.version,
        available_cents=found.available,
        held_cents=found.held,
        staked_cents=found.staked,
        table=found.table or None,
        patron=found.patron,
    )


async def patron(connection: AsyncConnection, property_name: str, name: str) -> Patron | None:
    """A patron."""
    query = select(patrons).where(patrons.c.property == property_name, patrons.c.patron == name)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else thing_of(Patron, row)


async def code_of_account(connection: AsyncConnection, property_name: str, name: str) -> HashedCode | None:
    """The access code of the patron whose account it is."""
    query = (
        select(patrons.c.salt, patrons.c.hash)
        .join(balances, (balances.c.property == patrons.c.property) & (balances.c.patron == patrons.c.patron))
        .where(balances.c.property == property_name, balances.c.account == name)
    )
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else HashedCode(row.salt, row.hash)


async def statement(
    connection: AsyncConnection, property_name: str, name: str, *, after: int, limit: int
) -> list[StatementLine]:
    """The lines of an account, oldest first, after a version."""
    c = lines.c
    query = (
        select(lines)
        .where(c.property == property_name, c.account == name, c.version > after)
        .order_by(c.version)
        .limit(limit)
    )
    return [
        StatementLine(
            version=row.version,
            kind=row.kind,
            gaming_day=row.gaming_day,
            recorded_at=row.recorded_at,
            shard=row.shard,
            seq=row.seq,
            available_change_cents=row.available_change,
            held_change_cents=row.held_change,
            staked_change_cents=row.staked_change,
            available_cents=row.available,
            held_cents=row.held,
            staked_cents=row.staked,
            table=row.table_name,
            round_id=row.round_id,
        )
        for row in await connection.execute(query)
    ]


async def adjustment_page(
    connection: AsyncConnection, property_name: str, name: str, *, after: int, limit: int
) -> list[Adjustment]:
    """The adjustments of an account, oldest first, after a number."""
    c = adjustments.c
    query = (
        select(adjustments)
        .where(c.property == property_name, c.account == name, c.number > after)
        .order_by(c.number)
        .limit(limit)
    )
    return [thing_of(Adjustment, row) for row in await connection.execute(query)]


OpenPlace = tuple[datetime, str, str]
"""The place of an open round in the list: (opened_at, table, round id)."""


async def open_rounds(
    connection: AsyncConnection, property_name: str, *, after: OpenPlace | None, limit: int
) -> list[OpenRound]:
    """Rounds with wagers on hold or in play, oldest first, after a place."""
    c, h = rounds.c, holds.c
    waiting = select(h.number).where(
        h.property == c.property,
        h.table_name == c.table_name,
        h.round_id == c.round_id,
        h.state.in_(("held", "captured")),
    )
    place = (c.opened_at, c.table_name, c.round_id)
    query = (
        select(rounds)
        .where(c.property == property_name, c.state.in_(("open", "captured")), waiting.exists())
        .order_by(*place)
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(*place) > after)
    found = [thing_of(Round, row) for row in await connection.execute(query)]
    by_round: dict[tuple[str, str], list[HoldDocument]] = {}
    if found:
        wanted = tuple_(h.table_name, h.round_id).in_([(each.table, each.round_id) for each in found])
        query_holds = (
            select(holds)
            .where(h.property == property_name, wanted, h.state.in_(("held", "captured")))
            .order_by(h.account, h.number)
        )
        for row in await connection.execute(query_holds):
            hold = HoldDocument(
                property=row.property,
                account=row.account,
                hold=row.number,
                state=row.state,
                table=row.table_name,
                round_id=row.round_id,
                seat=row.seat,
                wager=row.wager,
                cents=row.cents,
            )
            by_round.setdefault((hold.table, hold.round_id), []).append(hold)
    return [
        OpenRound(
            property=property_name,
            table=each.table,
            round_id=each.round_id,
            state=each.state,
            opened_at=each.opened_at,
            holds=by_round[each.table, each.round_id],
        )
        for each in found
    ]


ExceptionPlace = tuple[str, str, str]
"""The place of an exception in the list: (table, round id, account)."""


async def exceptions(
    connection: AsyncConnection, property_name: str, *, after: ExceptionPlace | None, limit: int
) -> list[RoundException]:
    """Rounds that took more from an account than was on hold, or have a shortage."""
    c = round_accounts.c
    place = (c.table_name, c.round_id, c.account)
    query = (
        select(round_accounts)
        .where(c.property == property_name, or_(c.shortage > 0, c.staked > c.covered))
        .order_by(*place)
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(*place) > after)
    return [
        RoundException(
            property=row.property,
            table=row.table_name,
            round_id=row.round_id,
            account=row.account,
            staked_cents=row.staked,
            credited_cents=row.credited,
            covered_cents=row.covered,
            uncovered_cents=max(0, row.staked - row.covered),
            shortage_cents=row.shortage,
        )
        for row in await connection.execute(query)
    ]


async def liability(
    connection: AsyncConnection, property_name: str, *, first: date | None, last: date | None
) -> Liability:
    """The liability by gaming day, from what changed it, beside the accounts and their statements.

    Days between `first` and `last` are shown; the closing and the balances are those of all days.
    """
    changes = await _changes(connection, property_name)
    stated = await _stated(connection, property_name, first, last)
    days: list[LiabilityDay] = []
    closing = 0
    for day in sorted(changes.keys() | stated.keys()):
        flows = changes.get(day, dict.fromkeys(FLOWS, 0))
        opening, closing = closing, closing + sum(flows.values())
        if (first is None or first <= day) and (last is None or day <= last):
            days.append(_day(day, opening, closing, flows, stated.get(day, 0)))
    balances = await _balances(connection, property_name)
    difference = closing - balances.total_cents
    balanced = difference == 0 and not any(day.difference_cents for day in days)
    return Liability(
        property=property_name,
        state="balanced" if balanced else "off",
        days=days[-DAYS_MAX:],
        closing_cents=closing,
        balances=balances,
        difference_cents=difference,
    )


def _day(day: date, opening: int, closing: int, flows: dict[str, int], stated: int) -> LiabilityDay:
    return LiabilityDay(
        gaming_day=day,
        opening_cents=opening,
        closing_cents=closing,
        statement_cents=stated,
        difference_cents=closing - opening - stated,
        **{f"{name}_cents": cents for name, cents in flows.items()},
    )


async def _changes(connection: AsyncConnection, property_name: str) -> dict[date, dict[str, int]]:
    c = liability_days.c
    sums = [func.sum(c[name]).label(name) for name in FLOWS]
    query = select(c.gaming_day, *sums).where(c.property == property_name).group_by(c.gaming_day)
    return {
        row.gaming_day: {name: int(getattr(row, name)) for name in FLOWS} for row in await connection.execute(query)
    }


async def _stated(
    connection: AsyncConnection, property_name: str, first: date | None, last: date | None
) -> dict[date, int]:
    c = lines.c
    change = func.sum(c.available_change + c.held_change + c.staked_change).label("cents")
    query = select(c.gaming_day, change).where(c.property == property_name).group_by(c.gaming_day)
    if first is not None:
        query = query.where(c.gaming_day >= first)
    if last is not None:
        query = query.where(c.gaming_day <= last)
    return {row.gaming_day: int(row.cents) for row in await connection.execute(query)}


async def _balances(connection: AsyncConnection, property_name: str) -> Balances:
    c = balances.c
    query = (
        select(c.kind, *(func.sum(c[name]).label(name) for name in ("available", "held", "staked")))
        .where(c.property == property_name)
        .group_by(c.kind)
    )
    by_kind: dict[str, Any] = {row.kind: row for row in await connection.execute(query)}
    wallets, games = by_kind.get("wallet"), by_kind.get("game")
    in_wallets = 0 if wallets is None else int(wallets.available)
    found: Sequence[int] = (0, 0, 0) if games is None else [int(n) for n in games[1:]]
    return Balances(
        wallets_cents=in_wallets,
        available_cents=found[0],
        held_cents=found[1],
        staked_cents=found[2],
        total_cents=in_wallets + sum(found),
    )
