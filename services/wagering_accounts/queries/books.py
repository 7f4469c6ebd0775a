"""Reads the part of the books that some commands, settlements or facts need.

Rows are locked in one order everywhere: rounds, then accounts, then patrons, each by their keys; so nobody waits for
somebody who waits for them.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeVar

from psycopg import AsyncCursor
from pydantic import TypeAdapter
from sqlalchemy import Row, Table, and_
from sqlalchemy import select as select_from
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts import tables
from services.wagering_accounts.domain.books import (
    Account,
    AccountKey,
    Adjustment,
    Books,
    Hold,
    HoldKey,
    Limit,
    Patron,
    PatronCode,
    PatronKey,
    Round,
    RoundAccount,
    RoundKey,
)
from shared.contracts.accounts import LimitKind
from shared.journal.bulk import Statement, compiled, given, keyed, same, select
from shared.journal.pipeline import Pipeline, pipeline
from shared.runtime.rows import thing_of

TABLES: Final[Mapping[type[Any], Table]] = {
    Patron: tables.patrons,
    PatronCode: tables.patron_codes,
    Account: tables.balances,
    Round: tables.rounds,
    Hold: tables.holds,
    RoundAccount: tables.round_accounts,
    Adjustment: tables.adjustments,
}
"""The table of each kind of thing in the books."""

_ROUND: Final = ("property", "table", "round_id")
_LIMITS: Final = TypeAdapter(dict[LimitKind, Limit])

ThingT = TypeVar("ThingT")


@dataclass(frozen=True, slots=True)
class Needs:
    """What deciding or projecting something must have at hand."""

    accounts: tuple[AccountKey, ...] = ()
    wallets_of: tuple[AccountKey, ...] = ()
    """Accounts with the wallets of their patrons."""
    patrons: tuple[PatronKey, ...] = ()
    patrons_of: tuple[AccountKey, ...] = ()
    """Accounts whose patrons change; of other accounts the patrons are only seen."""
    rounds: tuple[RoundKey, ...] = ()
    """Rounds without their holds."""
    rounds_with_holds: tuple[RoundKey, ...] = ()
    """Rounds with their holds, and the accounts of these."""
    results: tuple[RoundKey, ...] = ()
    """What rounds did on accounts."""
    holds: tuple[HoldKey, ...] = ()
    """Holds with their rounds."""
    adjustments: tuple[HoldKey, ...] = ()


def known_thing(kind: type[ThingT], row: Row[Any]) -> ThingT:
    """Return what a row of the table of such things says."""
    more = {"limits": _LIMITS.validate_python(row.limits)} if kind is Patron else {}
    return thing_of(kind, row, **more)


def _wallets() -> Statement:
    """Return the statement that finds the wallets of the patrons of accounts."""
    account, patron, key = tables.balances, tables.patrons, ("property", "account")
    wanted = given(account, key)
    owner = and_(patron.c.property == account.c.property, patron.c.patron == account.c.patron)
    found = account.join(wanted, same(account, wanted, key)).join(patron, owner)
    return compiled(select_from(patron.c.property, patron.c.wallet).select_from(found), key)


_WALLETS = _wallets()


@cache
def _select(table: Table, by: tuple[str, ...], lock: bool) -> Statement:
    """Return the statement that selects things of which some columns are given, in the order of their keys."""
    return select(table, by=by, lock=lock)


class _Reading:
    """Asks for rows, which are locked if that is wanted of all, and puts them into the books."""

    def __init__(self, sent: Pipeline, lock: bool) -> None:
        self._sent = sent
        self._lock = lock
        self._asked: list[tuple[type[Any], AsyncCursor[Any]]] = []

    async def ask(
        self, kind: type[Any], keys: Iterable[tuple[Any, ...]], *, by: tuple[str, ...] = (), lock: bool = False
    ) -> None:
        """Ask for the things with these keys, or with these values in the columns `by`."""
        if wanted := sorted(set(keys)):
            statement = _select(TABLES[kind], by, lock and self._lock)
            self._asked.append((kind, await self._sent.read(statement, keyed(statement, wanted))))

    async def know(self, books: Books) -> None:
        """Put what was asked for into the books."""
        for kind, cursor in self._asked:
            for row in await cursor.fetchall():
                books.know(known_thing(kind, row))


@asynccontextmanager
async def _reading(connection: AsyncConnection, books: Books, lock: bool) -> AsyncIterator[_Reading]:
    """Ask for things together; they are in the books afterwards."""
    async with pipeline(connection) as sent:
        reading = _Reading(sent, lock)
        yield reading
    await reading.know(books)


async def load(connection: AsyncConnection, needs: Sequence[Needs], *, lock: bool) -> Books:
    """Return what is needed; locked, so that it stays as it is until the transaction ends, if that is wanted."""
    books = Books()
    accounts = {key for need in needs for key in need.accounts}
    if wallets := [key for need in needs for key in need.wallets_of]:
        found = await _WALLETS.read(connection, keyed(_WALLETS, wallets))
        accounts.update((row.property, row.wallet) for row in found)
    with_holds = {key for need in needs for key in need.rounds_with_holds}
    rounds = {key for need in needs for key in need.rounds} | with_holds
    if hold_keys := {key for need in needs for key in need.holds}:
        seen = Books()
        async with _reading(connection, seen, lock=False) as reading:
            await reading.ask(Hold, hold_keys)
        rounds |= seen.holds_by_round.keys()
        accounts |= {hold.account_key() for hold in seen.holds.values()}
    async with _reading(connection, books, lock) as reading:
        await reading.ask(Round, rounds, lock=True)
        await reading.ask(Hold, with_holds, by=_ROUND)
        await reading.ask(Hold, hold_keys)
        await reading.ask(RoundAccount, {key for need in needs for key in need.results}, by=_ROUND)
        if not with_holds:
            await reading.ask(Account, accounts, lock=True)
    if with_holds:
        accounts |= {hold.account_key() for hold in books.holds.values()}
        async with _reading(connection, books, lock) as reading:
            await reading.ask(Account, accounts, lock=True)
    await _load_others(connection, books, needs, lock)
    return books


async def _load_others(connection: AsyncConnection, books: Books, needs: Sequence[Needs], lock: bool) -> None:
    """Add the patrons of the accounts that are at hand, and what else is needed."""

    def of(keys: Iterable[AccountKey]) -> set[PatronKey]:
        known = (books.accounts.get(key) for key in keys)
        return {(each.property, each.patron) for each in known if each is not None and each.patron is not None}

    changing = {key for need in needs for key in need.patrons} | of(key for need in needs for key in need.patrons_of)
    seen = of(books.accounts) - changing
    adjustments = {key for need in needs for key in need.adjustments}
    if changing or seen or adjustments:
        async with _reading(connection, books, lock) as reading:
            await reading.ask(Patron, changing, lock=True)
            await reading.ask(PatronCode, changing)
            await reading.ask(Patron, seen)
            await reading.ask(Adjustment, adjustments)


async def kept_code(connection: AsyncConnection, property_name: str, account: str) -> PatronCode | None:
    """Return the access code of the patron whose account it is."""
    code, owned = tables.patron_codes, tables.balances
    query = (
        select_from(code)
        .join(owned, (owned.c.property == code.c.property) & (owned.c.patron == code.c.patron))
        .where(owned.c.property == property_name, owned.c.account == account)
    )
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else thing_of(PatronCode, row)
